import { z } from "zod";
import { sha256 } from "../primitives/hash.ts";
import { type Hash, type Hex, hexSchema } from "../primitives/hex.ts";
import { canonicalJson } from "../primitives/json.ts";
import { isSignedBy } from "../primitives/signing.ts";
import { agreementHash, type KeyOf, messageBytes, PARTIES, type SignedKind, withSameTerms } from "./canonical.ts";
import { runClock, type Timed } from "./clock.ts";
import { combined, type Verdict, verdictOf } from "./consensus.ts";
import { AgreementRefused } from "./errors.ts";
import {
  commitmentOf,
  commonOf,
  drawnOf,
  eligibleIn,
  MUTUAL_ROUNDS,
  type NominationRound,
  type OpenedNonces,
  requireRegister,
} from "./evaluators.ts";
import type { JudgedDelivery } from "./history.ts";
import { type AgreementEvent, advance, isEscrowed, isOver, lifecycleTerms, paymentOf } from "./lifecycle.ts";
import {
  applyChanges,
  messageHash,
  type Negotiation,
  type NegotiationOptions,
  negotiate,
  openNegotiation,
  readMessage,
} from "./negotiation.ts";
import { filesDispute, type Shares, settle } from "./release.ts";
import { isSampled } from "./sampling.ts";
import {
  type Agreement,
  DEFAULTS,
  type EvaluatorRecord,
  haveMostJudged,
  identitySchema,
  isDrawn,
  judgesAsked,
  type PartyIdentity,
  readAgreement,
  sameIdentity,
} from "./schema.ts";
import type { Determination } from "./score.ts";
import { readResult, resultHash, resultIn, resultSchema, type VerificationResult } from "./verification.ts";

/** What its parties and evaluators do in an agreement's life, each signed: whoever holds the acts comes to the same state. */

const party = z.enum(PARTIES);
const signature = z.string().regex(/^0x[0-9a-f]{128}$/);
/** Of an account, or of a contract that is a wallet. */
const walletSignature = z.string().regex(/^0x(?:[0-9a-f]{2}){1,2048}$/);
/** Consents of one party in all. */
const MAX_CONSENTS = 16;
/** A SHA-256 in a form that OpenAPI can say. */
const digest = z.templateLiteral(["0x", z.string().regex(/[0-9a-f]{64}/)]);
const time = z.iso.datetime({ precision: 0 });
/** Documents are read, and refused by name, where they are taken. */
const document = z.record(z.string(), z.json());

export const deliverySchema = z.strictObject({
  agreement_hash: digest,
  /** SHA-256 of the content, which goes to the evaluator and the client by a way of their own. */
  deliverable_hash: digest,
  uri: z.string().max(2_048).optional(),
  /** Where one delivery in several is judged: 32 bytes by chance, the provider's part of the lot. */
  nonce: digest.optional(),
  timestamp: time,
});
export type Delivery = z.infer<typeof deliverySchema>;
export const challengeSchema = z.strictObject({ agreement_hash: digest, result_hash: digest, by: party, timestamp: time });
/** Whom a party would have judge, of the register, the first it likes best; each names anew until one is named by both, three times at most. */
export const nominationSchema = z.strictObject({
  agreement_hash: digest,
  by: party,
  evaluators: z.array(identitySchema).max(64),
  timestamp: time,
});
export type Nomination = z.infer<typeof nominationSchema>;
/** The provider's nonce, or the one that the client committed to. */
export const drawSchema = z.strictObject({ agreement_hash: digest, by: party, nonce: digest, timestamp: time });
/** The nonce that the client's terms commit to, opened once it was delivered. */
export const sampleSchema = z.strictObject({ agreement_hash: digest, nonce: digest, timestamp: time });
export const cancellationSchema = z.strictObject({ agreement_hash: digest, timestamp: time });

/** That a party's wallet would end the escrow's job so: the provider's share in basis points, until a unix second. Signed for the escrow alone. */
export const consentSchema = z.strictObject({
  act: z.literal("consent"),
  by: party,
  share: z.int().min(0).max(10_000),
  deadline: z
    .int()
    .positive()
    .max(2 ** 40 - 1),
  escrow_signature: walletSignature,
});

export const actSchema = z.discriminatedUnion("act", [
  /** By the client: the terms it offers. */
  z.strictObject({ act: z.literal("propose"), document, signature }),
  /** A counter, an acceptance or a rejection; signed inside. */
  z.strictObject({ act: z.literal("negotiate"), message: document }),
  /** Where both may agree on one of a register, before the lot. */
  z.strictObject({ act: z.literal("nominate"), nomination: nominationSchema, signature }),
  /** Where a register is in the terms: opens a nonce of the lot, the provider's first. */
  z.strictObject({ act: z.literal("draw"), draw: drawSchema, signature }),
  /** `escrow_signature`: the wallet's over what an escrow is told of the terms (EIP-712), which this library does not look at. */
  z.strictObject({
    act: z.literal("sign"),
    by: party,
    signature,
    escrow_signature: walletSignature.optional(),
  }),
  /** By the provider. */
  z.strictObject({ act: z.literal("deliver"), delivery: deliverySchema, signature }),
  /** By the client, where one delivery in several is judged: opens its nonce, and with it the lot. */
  z.strictObject({ act: z.literal("sample"), sample: sampleSchema, signature }),
  /** By the evaluator, or once its time is over by the backup; signed inside. */
  z.strictObject({ act: z.literal("result"), result: document }),
  z.strictObject({ act: z.literal("challenge"), challenge: challengeSchema, signature }),
  /** By both. */
  z.strictObject({ act: z.literal("cancel"), cancellation: cancellationSchema, signatures: z.record(party, signature) }),
  consentSchema,
]);
export type Act = z.infer<typeof actSchema>;
export type ActName = Act["act"];
export type Consent = z.infer<typeof consentSchema>;

/** A result that was taken, and by whom. */
export interface TakenResult {
  readonly hash: Hash;
  readonly document: VerificationResult;
  readonly determination: Determination;
}

/** Where an agreement stands after its acts so far. */
export interface AgreementLife {
  readonly negotiation: Negotiation;
  /** With the signatures that stand under it. */
  readonly agreement: Agreement;
  readonly timed: Timed;
  /** Unix second in which the offer was accepted: what runs from signing runs from here, so that both come to the same terms. */
  readonly agreedAt: number | undefined;
  /** Of the lot, where who judges is drawn. */
  readonly nonces: OpenedNonces;
  /** What was named before it, where both may agree on one. */
  readonly nominations: readonly Nomination[];
  /** Who judges: as named, or as drawn by now. */
  readonly judges: readonly Judge[];
  readonly delivery: Delivery | undefined;
  readonly results: readonly TakenResult[];
  /** What stands of them. */
  readonly verdict: Verdict | undefined;
  /** To end the escrow's job otherwise than its terms would, each until its own deadline. */
  readonly consents: readonly Consent[];
}

/** An evaluator of an agreement; the first judges, or as many as the terms say, and those after in their silence. */
export type Judge = Pick<EvaluatorRecord, "identity" | "wallet">;

export interface TakingOptions extends NegotiationOptions {
  /** Unix second in which the act came. */
  readonly now: number;
  /** Where an escrow leads: the hash that the provider submitted to it. */
  readonly submitted?: Hash;
  /** Composites of the deliveries before (`historyOf`) that the terms' promise is about, as of a second. Default: there were none. */
  readonly history?: (agreement: Agreement, at: number) => readonly number[];
}

/** Hash of a statement that is no document of its own: a delivery, a challenge, a cancellation. */
export function statementHash(statement: object): Hash {
  return sha256(canonicalJson(statement));
}

/** A life begins with the client's signed proposal. Throws AgreementRefused. */
export function openLife(act: Act, { keyOf, now, ...market }: TakingOptions): AgreementLife {
  if (act.act !== "propose") throw new AgreementRefused("IllegalTransition", "An agreement begins with a proposal", act.act);
  const agreement = readAgreement(act.document);
  if (agreement.status !== "proposed" || agreement.signatures !== undefined)
    throw new AgreementRefused("MalformedAgreement", "A proposal has the status proposed, and nobody has signed it yet");
  if (Date.parse(agreement.expires_at) / 1_000 <= now) throw new AgreementRefused("MalformedAgreement", "It has expired");
  requireRegister(agreement);
  requireSignature(keyOf, agreement.parties.client.identity, "proposal", agreementHash(agreement), act.signature);
  const negotiation = openNegotiation(agreement, market);
  return {
    ...{ negotiation, agreement, agreedAt: undefined, delivery: undefined, results: [], verdict: undefined, consents: [] },
    ...{ nonces: {}, nominations: [], judges: judgesOf(agreement, {}) },
    timed: { state: negotiation.state, since: now },
  };
}

/** The life at a time: what silence has done to it since. Where an escrow leads, the chain's clock does it. */
export function lifeAt(life: AgreementLife, now: number): AgreementLife {
  const { status } = life.timed.state;
  if (isEscrowed(life.agreement) && status !== "proposed" && status !== "negotiating") return life;
  const timed = runClock(life.agreement, life.timed, now);
  return timed === life.timed ? life : withState(life, timed);
}

/** One act more. Pure: throws AgreementRefused, and then nothing has changed. */
export function take(before: AgreementLife, act: Act, options: TakingOptions): AgreementLife {
  const life = lifeAt(before, options.now);
  const { agreement } = life;
  const { keyOf, now } = options;
  const happen = (event: AgreementEvent) => ({ state: advance(life.timed.state, event, lifecycleTerms(agreement)), since: now });
  const isSigned = agreement.signatures?.client !== undefined && agreement.signatures.provider !== undefined;
  const isLed = isEscrowed(agreement) && isSigned;
  if (isLed && act.act !== "result" && act.act !== "consent")
    throw new AgreementRefused(
      "LedByEscrow",
      "From its signatures on this agreement is led by its escrow",
      `the step ${act.act} is a call of it`,
    );
  switch (act.act) {
    case "propose":
      throw new AgreementRefused("IllegalTransition", "It is proposed already");
    case "negotiate": {
      const negotiation = negotiate({ ...life.negotiation, state: life.timed.state }, act.message, options);
      const { offer, state } = negotiation;
      const agreedAt = state.agreed ? (life.agreedAt ?? now) : undefined;
      return { ...life, negotiation, agreedAt, agreement: offer, timed: { state, since: now } };
    }
    case "nominate": {
      const { nomination, signature: value } = act;
      requireMayName(life, nomination);
      requireOf(agreement, nomination.agreement_hash);
      requireSignature(keyOf, agreement.parties[nomination.by].identity, "nomination", statementHash(nomination), value);
      return { ...life, nominations: [...life.nominations, nomination] };
    }
    case "draw": {
      const nonces = opened(life, act.draw);
      requireOf(agreement, act.draw.agreement_hash);
      requireSignature(keyOf, agreement.parties[act.draw.by].identity, "draw", statementHash(act.draw), act.signature);
      return { ...life, nonces, judges: judgesOf(agreement, nonces, life.nominations) };
    }
    case "sign": {
      if (life.judges.length === 0 && isDrawn(agreement))
        throw new AgreementRefused("IllegalTransition", "Who judges is drawn before anybody signs", "each party opens its nonce (draw)");
      const timed = happen({ name: "sign", by: act.by });
      const key = requireSignature(keyOf, agreement.parties[act.by].identity, "agreement", agreementHash(agreement), act.signature);
      const signatures = { ...agreement.signatures, [act.by]: { scheme: key.algorithm, key: key.key, value: act.signature } };
      return withState({ ...life, agreement: withSameTerms(agreement, { signatures }) }, timed);
    }
    case "deliver":
      return withDelivery(life, act, options);
    case "sample":
      return withLot(life, act, options);
    case "result":
      return withResult(life, act.result, options);
    case "challenge": {
      const timed = happen({ name: "challenge", by: act.challenge.by });
      requireOf(agreement, act.challenge.agreement_hash);
      if (act.challenge.result_hash !== life.results.at(-1)?.hash)
        throw new AgreementRefused("OtherTerms", "It challenges another result than the last");
      const { identity } = agreement.parties[act.challenge.by];
      requireSignature(keyOf, identity, "challenge", statementHash(act.challenge), act.signature);
      return withState(life, timed);
    }
    case "cancel": {
      const timed = happen({ name: "cancel" });
      requireOf(agreement, act.cancellation.agreement_hash);
      for (const by of PARTIES) {
        const hash = statementHash(act.cancellation);
        requireSignature(keyOf, agreement.parties[by].identity, "cancellation", hash, act.signatures[by]);
      }
      return withState(life, timed);
    }
    case "consent": {
      if (!isLed) throw new AgreementRefused("IllegalTransition", "No escrow leads this agreement: cancel takes both signatures at once");
      if (act.deadline < now) throw new AgreementRefused("IllegalTransition", "The consent has lapsed");
      if (life.consents.filter(({ by }) => by === act.by).length >= MAX_CONSENTS)
        throw new AgreementRefused("IllegalTransition", `The ${act.by} has consented ${MAX_CONSENTS} times`);
      return { ...life, consents: [...life.consents, act] };
    }
  }
}

/** Who has part in an agreement: its parties, and whoever judges. Of a register those alone on whom the lot fell. */
export function namedIn({ parties: { client, provider } }: Agreement, judges: readonly Judge[]): readonly PartyIdentity[] {
  return [client.identity, provider.identity, ...judges.map(({ identity }) => identity)];
}

/** Who judges by these acts, which were taken: asks no clock and no chain. */
export function judgesIn(acts: readonly Act[]): readonly Judge[] {
  const [first] = acts;
  if (first?.act !== "propose") return [];
  const proposal = readAgreement(first.document);
  if (!isDrawn(proposal)) return judgesOf(proposal, {});
  const opening = acts.flatMap((each) => (each.act === "draw" ? [[each.draw.by, each.draw.nonce] as const] : []));
  const named = acts.flatMap((each) => (each.act === "nominate" ? [each.nomination] : []));
  return judgesOf(termsIn(proposal, acts), Object.fromEntries(opening), named);
}

/** What these acts, which were taken, count for where a promise is about many deliveries; undefined as long as too few have judged. */
export function judgedIn(acts: readonly { readonly act: Act; readonly at: number }[]): JudgedDelivery | undefined {
  const [first] = acts;
  const last = acts.findLast(({ act }) => act.act === "result");
  if (first?.act.act !== "propose" || last === undefined) return undefined;
  const agreement = termsIn(
    readAgreement(first.act.document),
    acts.map(({ act }) => act),
  );
  const results = acts.flatMap(({ act }) => (act.act === "result" ? [resultIn(act.result)] : []));
  const composite = compositeOf(agreement, results);
  return composite === undefined ? undefined : { agreement, at: last.at, composite };
}

/** The terms that stand after these acts, which were taken. */
function termsIn(proposal: Agreement, acts: readonly Act[]): Agreement {
  const said = acts.flatMap((each) => (each.act === "negotiate" ? [readMessage(each.message)] : []));
  const changes = said.filter(({ action }) => action === "counter").map(({ proposed_changes }) => proposed_changes);
  return changes.reduce(applyChanges, proposal);
}

/**
 * Whether an act is of the agreement that these acts are of, and signed by somebody whom it names, in whatever role. Of acts so far it takes
 * what was offered and said, and no clock and no chain. A consent is signed by a wallet alone, and so by none of them. Throws AgreementRefused
 * for what is no message or no result.
 */
export function isOfNamed(acts: readonly Act[], act: Act, keyOf: KeyOf): boolean {
  const [first, ...rest] = acts;
  if (first?.act !== "propose") return false;
  const proposal = readAgreement(first.document);
  const said = rest.flatMap((each) => (each.act === "negotiate" ? [readMessage(each.message)] : []));
  const terms = said.at(-1)?.terms_hash ?? agreementHash(proposal);
  const keys = namedIn(proposal, judgesIn(acts)).flatMap((identity) => keyOf(identity) ?? []);
  const isTheirs = (kind: SignedKind, hash: Hash, value: string | undefined) => {
    const given = hexSchema.safeParse(value);
    return given.success && keys.some((key) => isSignedBy(key, messageBytes(kind, hash), given.data));
  };
  switch (act.act) {
    case "negotiate": {
      const message = readMessage(act.message);
      const answered = [agreementHash(proposal), ...said.map(messageHash)];
      return answered.includes(message.previous) && isTheirs("message", messageHash(message), message.signature);
    }
    case "nominate":
      return act.nomination.agreement_hash === terms && isTheirs("nomination", statementHash(act.nomination), act.signature);
    case "draw":
      return act.draw.agreement_hash === terms && isTheirs("draw", statementHash(act.draw), act.signature);
    case "sample":
      return act.sample.agreement_hash === terms && isTheirs("sample", statementHash(act.sample), act.signature);
    case "sign":
      return isTheirs("agreement", terms, act.signature);
    case "deliver":
      return act.delivery.agreement_hash === terms && isTheirs("delivery", statementHash(act.delivery), act.signature);
    case "result": {
      const result = resultIn(act.result);
      return result.agreement_hash === terms && isTheirs("result", resultHash(result), result.signature);
    }
    case "challenge":
      return act.challenge.agreement_hash === terms && isTheirs("challenge", statementHash(act.challenge), act.signature);
    case "cancel": {
      const hash = statementHash(act.cancellation);
      return act.cancellation.agreement_hash === terms && PARTIES.some((by) => isTheirs("cancellation", hash, act.signatures[by]));
    }
    case "propose":
    case "consent":
      return false;
  }
}

/** An agreement from nothing but its acts, each with the second in which it came. Throws AgreementRefused. */
export function lifeOf(acts: readonly { readonly act: Act; readonly at: number }[], options: Omit<TakingOptions, "now">): AgreementLife {
  const [first, ...rest] = acts;
  if (first === undefined) throw new AgreementRefused("IllegalTransition", "An agreement begins with a proposal");
  return rest.reduce((life, { act, at }) => take(life, act, { ...options, now: at }), openLife(first.act, { ...options, now: first.at }));
}

/** What a client who pays afterwards owes, and what it keeps, in smallest units; undefined while it lives, and where nobody pays so. */
export function owedIn({ agreement, timed: { state }, verdict }: AgreementLife): Shares | undefined {
  if (paymentOf(agreement) !== "afterwards" || !isOver(state)) return undefined;
  return settle(agreement, state, verdict === undefined ? {} : verdict);
}

function withState(life: AgreementLife, timed: Timed): AgreementLife {
  return { ...life, timed, agreement: withSameTerms(life.agreement, { status: timed.state.status }) };
}

type ActOf<Name extends ActName> = Extract<Act, { readonly act: Name }>;

function withDelivery(life: AgreementLife, { delivery, signature: value }: ActOf<"deliver">, { keyOf, now }: TakingOptions): AgreementLife {
  const { agreement, timed } = life;
  const state = advance(timed.state, { name: "deliver", by: "provider" }, lifecycleTerms(agreement));
  requireOf(agreement, delivery.agreement_hash);
  if (agreement.verification.sampling !== undefined && delivery.nonce === undefined)
    throw new AgreementRefused("WrongSeed", "One delivery in several is judged: the provider's nonce for the lot comes with it");
  requireSignature(keyOf, agreement.parties.provider.identity, "delivery", statementHash(delivery), value);
  return withState({ ...life, delivery }, { state, since: now });
}

function withLot(life: AgreementLife, { sample, signature: value }: ActOf<"sample">, { keyOf, now }: TakingOptions): AgreementLife {
  const { agreement, timed, delivery } = life;
  const after = (name: "ask" | "spare") => advance(timed.state, { name }, lifecycleTerms(agreement));
  // What waits for no lot is refused before anything is looked at.
  const asked = after("ask");
  requireOf(agreement, sample.agreement_hash);
  requireSignature(keyOf, agreement.parties.client.identity, "sample", statementHash(sample), value);
  if (delivery?.nonce === undefined) throw new RangeError("unreachable: what waits for a lot was delivered with a nonce");
  const draw = { deliverable: delivery.deliverable_hash, provider: delivery.nonce, client: sample.nonce };
  return withState(life, { state: isSampled(agreement, draw) ? asked : after("spare"), since: now });
}

function withResult(life: AgreementLife, given: unknown, { keyOf, now, submitted, history }: TakingOptions): AgreementLife {
  const { agreement, results, timed } = life;
  const escrowed = isEscrowed(agreement);
  const deliverableHash = escrowed ? submitted : life.delivery?.deliverable_hash;
  if (deliverableHash === undefined) throw new AgreementRefused("IllegalTransition", "Nothing was delivered that could be judged");
  const judged = (low: boolean): Timed => {
    if (escrowed) return timed;
    const state = advance(timed.state, { name: "result", low }, lifecycleTerms(agreement));
    // Who speaks gives the others no more time.
    return { state, since: state.status === timed.state.status ? timed.since : now };
  };
  // What has no place here is refused before any signature is looked at.
  judged(false);
  const judge = resultSchema.safeParse(given).data?.evaluator;
  const judges = judgingIn(life).map(({ identity }) => identity);
  const own = judges.find((each) => judge !== undefined && sameIdentity(each, judge));
  const assigned = own ?? judges[0];
  if (assigned === undefined) throw new AgreementRefused("NoEvaluator", "The agreement names nobody who judges");
  if (own !== undefined && results.some(({ document }) => sameIdentity(document.evaluator, own)))
    throw new AgreementRefused("Replayed", "This evaluator has given its result");
  const determination = readResult(agreement, given, {
    ...{ keyOf, assigned, deliverableHash },
    history: history?.(agreement, now) ?? [],
  });
  // The evaluator may hand in a whole one as long as its time runs, and then its backup.
  if (determination.result === "incomplete")
    throw new AgreementRefused("WrongDetermination", "It leaves something unscored that has weight, or a gate: that decides nothing");
  const taken = resultSchema.parse(given);
  const all = [...results, { hash: resultHash(taken), document: taken, determination }];
  const verdict = verdictOf(agreement, all);
  const isLow = verdict !== undefined && lifecycleTerms(agreement).optimistic && filesDispute(agreement, verdict.determination);
  return withState({ ...life, results: all, verdict }, judged(isLow || (verdict?.disputed.length ?? 0) > 0));
}

/** Who judges, in order: whom the terms name, or whom the lot fell on. On chain the escrow has a place for one backup. */
function judgesOf(agreement: Agreement, nonces: OpenedNonces, nominations: readonly Nomination[] = []): readonly Judge[] {
  const { identity, backup, panel = [] } = agreement.parties.evaluator;
  const judges = isDrawn(agreement)
    ? drawnOf(agreement, nonces, roundsOf(nominations))
    : [identity, backup, ...panel].flatMap((each) => (each === undefined ? [] : [{ identity: each }]));
  return judges.slice(0, isEscrowed(agreement) ? 2 : judgesAsked(agreement) + DEFAULTS.maxBackups);
}

/** What both named in the same round. */
export function roundsOf(nominations: readonly Nomination[]): readonly NominationRound[] {
  const [client, provider] = PARTIES.map((party) => nominations.filter(({ by }) => by === party).map(({ evaluators }) => evaluators));
  return (client ?? []).flatMap((named, round) => {
    const other = provider?.[round];
    return other === undefined ? [] : [{ client: named, provider: other }];
  });
}

/** Both name as often, until one is named by both or the lot has begun: whoever would rather have the lot names nobody. */
function requireMayName({ agreement, nonces, nominations, timed: { state } }: AgreementLife, { by, evaluators }: Nomination): void {
  const illegal = (why: string) => new AgreementRefused("IllegalTransition", why);
  const own = nominations.filter((each) => each.by === by).length;
  if (!isDrawn(agreement) || agreement.parties.evaluator.selection?.mode !== "mutual") throw illegal("By these terms nobody is agreed on");
  if (!state.agreed || state.signed.length > 0 || isOver(state)) throw illegal("Who judges is agreed on once the terms are accepted");
  if (nonces.provider !== undefined) throw illegal("The lot has begun");
  if (commonOf(roundsOf(nominations)) !== undefined) throw new AgreementRefused("Frozen", "Both have named one who judges");
  if (own >= MUTUAL_ROUNDS) throw new AgreementRefused("TooManyRounds", `The ${by} has named ${MUTUAL_ROUNDS} times: the lot decides`);
  if (2 * own > nominations.length) throw new AgreementRefused("NotYourTurn", "The other names first");
  const able = eligibleIn(agreement);
  const unable = evaluators.find((one) => !able.some(({ identity }) => sameIdentity(identity, one)));
  if (unable !== undefined) throw new AgreementRefused("NoEvaluator", `${unable.value} is not in the register, or may not judge this`);
}

/** Of these results together; undefined until most of those who judge have. */
function compositeOf(agreement: Agreement, results: readonly VerificationResult[]): number | undefined {
  if (!haveMostJudged(agreement, results.length)) return undefined;
  const own = judgesAsked(agreement) === 1 ? results.at(-1)?.determination.composite : undefined;
  return own ?? combined(agreement, results)?.determination.composite;
}

/** Who may judge by now: as many as the terms say, and in their silence those after them too. On chain the escrow knows when that is. */
function judgingIn({ agreement, judges, timed: { state } }: AgreementLife): readonly Judge[] {
  return judges.slice(0, isEscrowed(agreement) ? judges.length : judgesAsked(agreement) + state.backups);
}

/** The nonces with one more. The client's is fixed by the terms, so the provider's comes first: whoever opened last would choose the lot. */
function opened({ agreement, nonces, timed: { state } }: AgreementLife, { by, nonce }: z.infer<typeof drawSchema>): OpenedNonces {
  const illegal = (why: string) => new AgreementRefused("IllegalTransition", why);
  if (!isDrawn(agreement)) throw illegal("The terms name who judges: nobody is drawn");
  if (!state.agreed || state.signed.length > 0 || isOver(state)) throw illegal("Who judges is drawn once the terms are accepted");
  if (nonces[by] !== undefined) throw new AgreementRefused("Frozen", `The ${by} has opened its nonce`);
  if (by === "client" && nonces.provider === undefined) throw illegal("The provider opens its nonce first");
  if (by === "client" && commitmentOf(nonce) !== agreement.parties.evaluator.selection?.commitment)
    throw new AgreementRefused("WrongSeed", "The client committed to another nonce");
  return { ...nonces, [by]: nonce };
}

function requireOf(agreement: Agreement, hash: Hash): void {
  if (hash !== agreementHash(agreement)) throw new AgreementRefused("OtherTerms", "It is about other terms", hash);
}

function requireSignature(keyOf: KeyOf, identity: PartyIdentity, kind: SignedKind, hash: Hash, value: string | undefined) {
  const key = keyOf(identity);
  if (key === undefined) throw new AgreementRefused("UnknownKey", `Nobody knows a key of ${identity.value}`);
  if (value === undefined || !isSignedBy(key, messageBytes(kind, hash), value as Hex))
    throw new AgreementRefused("BadSignature", `${identity.value} has not signed this ${kind}`);
  return key;
}
