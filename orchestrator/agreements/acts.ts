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
import { requireHonoured } from "./honoured.ts";
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
import { checkResult, resultHash, resultIn, type VerificationResult } from "./verification.ts";

/** The signed acts of the parties and evaluators of an agreement: everyone with the same acts derives the same state. */

const party = z.enum(PARTIES);
const signature = z.string().regex(/^0x[0-9a-f]{128}$/);
/** Signature of an account, or of a contract wallet. */
const walletSignature = z.string().regex(/^0x(?:[0-9a-f]{2}){1,2048}$/);
/** Maximum number of consents per party. */
const MAX_CONSENTS = 16;
/** A SHA-256 digest, as a pattern that OpenAPI can express. */
const digest = z.templateLiteral(["0x", z.string().regex(/[0-9a-f]{64}/)]);
const time = z.iso.datetime({ precision: 0 });
/** Documents are validated, with specific errors, when the act is taken. */
const document = z.record(z.string(), z.json());

export const deliverySchema = z.strictObject({
  agreement_hash: digest,
  /** SHA-256 of the content, which reaches the evaluator and the client by other means. */
  deliverable_hash: digest,
  uri: z.string().max(2_048).optional(),
  /** With sampling: 32 random bytes, the provider's part of the lot. */
  nonce: digest.optional(),
  timestamp: time,
});
export type Delivery = z.infer<typeof deliverySchema>;
export const challengeSchema = z.strictObject({ agreement_hash: digest, result_hash: digest, by: party, timestamp: time });
/**
 * A party's preferred evaluators from the register, best first. Each party nominates again until one evaluator is on both lists, at most
 * three times.
 */
export const nominationSchema = z.strictObject({
  agreement_hash: digest,
  by: party,
  evaluators: z.array(identitySchema).max(64),
  timestamp: time,
});
export type Nomination = z.infer<typeof nominationSchema>;
/** The provider's nonce, or the one that the client committed to. */
export const drawSchema = z.strictObject({ agreement_hash: digest, by: party, nonce: digest, timestamp: time });
/** The nonce that the client's terms commit to, opened after the delivery. */
export const sampleSchema = z.strictObject({ agreement_hash: digest, nonce: digest, timestamp: time });
export const cancellationSchema = z.strictObject({ agreement_hash: digest, timestamp: time });

/**
 * Consent of a party's wallet to end the escrow's job: the provider's share in basis points, until a unix second. Signed for the escrow
 * only.
 */
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
  /** By the client: the offered terms. */
  z.strictObject({ act: z.literal("propose"), document, signature }),
  /** A counter, an acceptance or a rejection; the document carries the signature. */
  z.strictObject({ act: z.literal("negotiate"), message: document }),
  /** If both may agree on an evaluator of the register, before the draw. */
  z.strictObject({ act: z.literal("nominate"), nomination: nominationSchema, signature }),
  /** If the terms have a register: opens a nonce for the draw, the provider's first. */
  z.strictObject({ act: z.literal("draw"), draw: drawSchema, signature }),
  /** `escrow_signature`: the wallet's EIP-712 signature of the escrow's terms, which this library does not check. */
  z.strictObject({
    act: z.literal("sign"),
    by: party,
    signature,
    escrow_signature: walletSignature.optional(),
  }),
  /** By the provider. */
  z.strictObject({ act: z.literal("deliver"), delivery: deliverySchema, signature }),
  /** By the client, with sampling: opens its nonce, which decides the lot. */
  z.strictObject({ act: z.literal("sample"), sample: sampleSchema, signature }),
  /** By the evaluator, or by a backup once the evaluator's time is over; the document carries the signature. */
  z.strictObject({ act: z.literal("result"), result: document }),
  z.strictObject({ act: z.literal("challenge"), challenge: challengeSchema, signature }),
  /** By both parties. */
  z.strictObject({ act: z.literal("cancel"), cancellation: cancellationSchema, signatures: z.record(party, signature) }),
  consentSchema,
]);
export type Act = z.infer<typeof actSchema>;
export type ActName = Act["act"];
export type Consent = z.infer<typeof consentSchema>;

/** An accepted result and its evaluator. */
export interface TakenResult {
  readonly hash: Hash;
  readonly document: VerificationResult;
  readonly determination: Determination;
}

/** The state of an agreement after the acts so far. */
export interface AgreementLife {
  readonly negotiation: Negotiation;
  /** With the signatures of its current terms. */
  readonly agreement: Agreement;
  readonly timed: Timed;
  /**
   * Unix second in which the offer was accepted. Periods that start with the signatures start here, so that both parties compute the same
   * terms.
   */
  readonly agreedAt: number | undefined;
  /** Opened nonces, if the evaluators are drawn. */
  readonly nonces: OpenedNonces;
  /** Nominations before the draw, if both may agree on an evaluator. */
  readonly nominations: readonly Nomination[];
  /** The evaluators, as named or as drawn so far. */
  readonly judges: readonly Judge[];
  readonly delivery: Delivery | undefined;
  readonly results: readonly TakenResult[];
  /** The outcome of the results. */
  readonly verdict: Verdict | undefined;
  /** Consents to end the escrow's job early, each valid until its own deadline. */
  readonly consents: readonly Consent[];
}

/** An evaluator of an agreement. The first ones judge, as many as the terms say; the others replace silent ones. */
export type Judge = Pick<EvaluatorRecord, "identity" | "wallet">;

export interface TakingOptions extends NegotiationOptions {
  /** Unix second in which the act arrived. */
  readonly now: number;
  /** The act was accepted before: what it offered stands, whatever is refused since. */
  readonly isKept?: boolean;
  /** With an escrow: the hash that the provider submitted to it. */
  readonly submitted?: Hash;
  /** Composites of earlier deliveries (`historyOf`) that the terms' guarantee covers, as of a second. Default: none. */
  readonly history?: (agreement: Agreement, at: number) => readonly number[];
}

/** Hash of a statement that is not a document itself: a delivery, a challenge, a cancellation. */
export function statementHash(statement: object): Hash {
  return sha256(canonicalJson(statement));
}

/** Starts an agreement with the client's signed proposal. Throws AgreementRefused. */
export function openLife(act: Act, { keyOf, now, isKept = false, ...market }: TakingOptions): AgreementLife {
  if (act.act !== "propose") throw new AgreementRefused("IllegalTransition", "An agreement begins with a proposal", act.act);
  const agreement = readAgreement(act.document);
  if (agreement.status !== "proposed" || agreement.signatures !== undefined)
    throw new AgreementRefused("MalformedAgreement", "A proposal must have the status proposed and no signatures");
  if (Date.parse(agreement.expires_at) / 1_000 <= now) throw new AgreementRefused("MalformedAgreement", "The agreement has expired");
  if (!isKept) requireHonoured(agreement);
  requireRegister(agreement);
  requireSignature(keyOf, agreement.parties.client.identity, "proposal", agreementHash(agreement), act.signature);
  const negotiation = openNegotiation(agreement, market);
  return {
    ...{ negotiation, agreement, agreedAt: undefined, delivery: undefined, results: [], verdict: undefined, consents: [] },
    ...{ nonces: {}, nominations: [], judges: judgesOf(agreement, {}) },
    timed: { state: negotiation.state, since: now },
  };
}

/** The state at a given time, with all timeouts applied. With an escrow, the chain's clock applies them. */
export function lifeAt(life: AgreementLife, now: number): AgreementLife {
  const { status } = life.timed.state;
  if (isEscrowed(life.agreement) && status !== "proposed" && status !== "negotiating") return life;
  const timed = runClock(life.agreement, life.timed, now);
  return timed === life.timed ? life : withState(life, timed);
}

/** Applies one act. Pure: throws AgreementRefused and changes nothing. */
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
      "Once signed, this agreement is controlled by its escrow",
      `take the step ${act.act} with the escrow`,
    );
  switch (act.act) {
    case "propose":
      throw new AgreementRefused("IllegalTransition", "The agreement is already proposed");
    case "negotiate": {
      const negotiation = negotiate({ ...life.negotiation, state: life.timed.state }, act.message, options);
      const { offer, state } = negotiation;
      if (options.isKept !== true) requireHonoured(offer);
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
        throw new AgreementRefused(
          "IllegalTransition",
          "Evaluators must be drawn before anyone signs",
          "each party opens its nonce (draw)",
        );
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
        throw new AgreementRefused("OtherTerms", "The challenge is not about the last result");
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
      if (!isLed) throw new AgreementRefused("IllegalTransition", "This agreement has no escrow: cancel requires both signatures at once");
      if (act.deadline < now) throw new AgreementRefused("IllegalTransition", "The consent has expired");
      if (life.consents.filter(({ by }) => by === act.by).length >= MAX_CONSENTS)
        throw new AgreementRefused("IllegalTransition", `The ${act.by} has consented ${MAX_CONSENTS} times`);
      return { ...life, consents: [...life.consents, act] };
    }
  }
}

/** Participants of an agreement: its parties and its evaluators; of a register only those drawn. */
export function namedIn({ parties: { client, provider } }: Agreement, judges: readonly Judge[]): readonly PartyIdentity[] {
  return [client.identity, provider.identity, ...judges.map(({ identity }) => identity)];
}

/** The evaluators according to these accepted acts; reads no clock and no chain. */
export function judgesIn(acts: readonly Act[]): readonly Judge[] {
  const [first] = acts;
  if (first?.act !== "propose") return [];
  const proposal = readAgreement(first.document);
  if (!isDrawn(proposal)) return judgesOf(proposal, {});
  const opening = acts.flatMap((each) => (each.act === "draw" ? [[each.draw.by, each.draw.nonce] as const] : []));
  const named = acts.flatMap((each) => (each.act === "nominate" ? [each.nomination] : []));
  return judgesOf(termsIn(proposal, acts), Object.fromEntries(opening), named);
}

/** The composite of these accepted acts for guarantees about many deliveries; undefined until enough evaluators have judged. */
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

/** The terms after these accepted acts. */
function termsIn(proposal: Agreement, acts: readonly Act[]): Agreement {
  const said = acts.flatMap((each) => (each.act === "negotiate" ? [readMessage(each.message)] : []));
  const changes = said.filter(({ action }) => action === "counter").map(({ proposed_changes }) => proposed_changes);
  return changes.reduce(applyChanges, proposal);
}

/**
 * Whether an act belongs to the agreement of the given acts and is signed by anyone named in it, in any role. Reads only the offers and
 * statements so far, no clock and no chain. A consent is signed by a wallet only, so by none of them. Throws AgreementRefused for a
 * malformed message or result.
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

/** Replays an agreement from its acts, each with the second in which it arrived. Throws AgreementRefused. */
export function lifeOf(acts: readonly { readonly act: Act; readonly at: number }[], options: Omit<TakingOptions, "now">): AgreementLife {
  const [first, ...rest] = acts;
  if (first === undefined) throw new AgreementRefused("IllegalTransition", "An agreement begins with a proposal");
  return rest.reduce((life, { act, at }) => take(life, act, { ...options, now: at }), openLife(first.act, { ...options, now: first.at }));
}

/**
 * A client's debt under an agreement that is paid afterwards, and the amount it keeps, in smallest units; undefined while the agreement is
 * open or paid otherwise.
 */
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
    throw new AgreementRefused("WrongSeed", "Deliveries are sampled: the delivery must include the provider's nonce for the lot");
  requireSignature(keyOf, agreement.parties.provider.identity, "delivery", statementHash(delivery), value);
  return withState({ ...life, delivery }, { state, since: now });
}

function withLot(life: AgreementLife, { sample, signature: value }: ActOf<"sample">, { keyOf, now }: TakingOptions): AgreementLife {
  const { agreement, timed, delivery } = life;
  const after = (name: "ask" | "spare") => advance(timed.state, { name }, lifecycleTerms(agreement));
  // Without an open lot the act is refused before anything is verified.
  const asked = after("ask");
  requireOf(agreement, sample.agreement_hash);
  requireSignature(keyOf, agreement.parties.client.identity, "sample", statementHash(sample), value);
  if (delivery?.nonce === undefined) throw new RangeError("unreachable: an open lot implies a delivery with a nonce");
  const draw = { deliverable: delivery.deliverable_hash, provider: delivery.nonce, client: sample.nonce };
  return withState(life, { state: isSampled(agreement, draw) ? asked : after("spare"), since: now });
}

function withResult(life: AgreementLife, given: unknown, { keyOf, now, submitted, history }: TakingOptions): AgreementLife {
  const { agreement, results, timed } = life;
  const escrowed = isEscrowed(agreement);
  const deliverableHash = escrowed ? submitted : life.delivery?.deliverable_hash;
  if (deliverableHash === undefined) throw new AgreementRefused("IllegalTransition", "There is no delivery to judge");
  const judged = (low: boolean): Timed => {
    if (escrowed) return timed;
    const state = advance(timed.state, { name: "result", low }, lifecycleTerms(agreement));
    // One evaluator's result does not extend the others' time.
    return { state, since: state.status === timed.state.status ? timed.since : now };
  };
  // Refuse an untimely result before verifying signatures.
  judged(false);
  const taken = resultIn(given);
  const judges = judgingIn(life).map(({ identity }) => identity);
  const own = judges.find((each) => sameIdentity(each, taken.evaluator));
  const assigned = own ?? judges[0];
  if (assigned === undefined) throw new AgreementRefused("NoEvaluator", "The agreement names no evaluator");
  if (own !== undefined && results.some(({ document }) => sameIdentity(document.evaluator, own)))
    throw new AgreementRefused("Replayed", "This evaluator has already given its result");
  const { determination, hash } = checkResult(agreement, taken, {
    ...{ keyOf, assigned, deliverableHash },
    history: history?.(agreement, now) ?? [],
  });
  // Refused, so that the evaluator, and then its backup, can still submit a complete one in time.
  if (determination.result === "incomplete")
    throw new AgreementRefused("WrongDetermination", "The result is incomplete: a weighted dimension or a gate is not scored");
  const all = [...results, { hash, document: taken, determination }];
  const verdict = verdictOf(agreement, all);
  const isLow = verdict !== undefined && lifecycleTerms(agreement).optimistic && filesDispute(agreement, verdict.determination);
  return withState({ ...life, results: all, verdict }, judged(isLow || (verdict?.disputed.length ?? 0) > 0));
}

/** The evaluators in order, as named in the terms or as drawn. On chain the escrow has room for one backup. */
function judgesOf(agreement: Agreement, nonces: OpenedNonces, nominations: readonly Nomination[] = []): readonly Judge[] {
  const { identity, backup, panel = [] } = agreement.parties.evaluator;
  const judges = isDrawn(agreement)
    ? drawnOf(agreement, nonces, roundsOf(nominations))
    : [identity, backup, ...panel].flatMap((each) => (each === undefined ? [] : [{ identity: each }]));
  return judges.slice(0, isEscrowed(agreement) ? 2 : judgesAsked(agreement) + DEFAULTS.maxBackups);
}

/** The nominations by round, as far as both parties have nominated. */
export function roundsOf(nominations: readonly Nomination[]): readonly NominationRound[] {
  const [client, provider] = PARTIES.map((party) => nominations.filter(({ by }) => by === party).map(({ evaluators }) => evaluators));
  return (client ?? []).flatMap((named, round) => {
    const other = provider?.[round];
    return other === undefined ? [] : [{ client: named, provider: other }];
  });
}

/**
 * The parties nominate in turn until one evaluator is on both lists or the draw has started. A party that prefers the draw nominates no
 * one.
 */
function requireMayName({ agreement, nonces, nominations, timed: { state } }: AgreementLife, { by, evaluators }: Nomination): void {
  const illegal = (why: string) => new AgreementRefused("IllegalTransition", why);
  const own = nominations.filter((each) => each.by === by).length;
  if (!isDrawn(agreement) || agreement.parties.evaluator.selection?.mode !== "mutual")
    throw illegal("These terms have no mutual selection");
  if (!state.agreed || state.signed.length > 0 || isOver(state))
    throw illegal("Evaluators are nominated after the terms are accepted and before they are signed");
  if (nonces.provider !== undefined) throw illegal("The draw has started");
  if (commonOf(roundsOf(nominations)) !== undefined)
    throw new AgreementRefused("Frozen", "Both parties have already nominated the same evaluator");
  if (own >= MUTUAL_ROUNDS) throw new AgreementRefused("TooManyRounds", `The ${by} has nominated ${MUTUAL_ROUNDS} times: the draw decides`);
  if (2 * own > nominations.length) throw new AgreementRefused("NotYourTurn", "The other party nominates first");
  const able = eligibleIn(agreement);
  const unable = evaluators.find((one) => !able.some(({ identity }) => sameIdentity(identity, one)));
  if (unable !== undefined) throw new AgreementRefused("NoEvaluator", `${unable.value} is not in the register, or is not eligible`);
}

/** The composite of these results; undefined until most evaluators have judged. */
function compositeOf(agreement: Agreement, results: readonly VerificationResult[]): number | undefined {
  if (!haveMostJudged(agreement, results.length)) return undefined;
  const own = judgesAsked(agreement) === 1 ? results.at(-1)?.determination.composite : undefined;
  return own ?? combined(agreement, results)?.determination.composite;
}

/** Evaluators that may judge now: as many as the terms say, plus replacements for silent ones. On chain the escrow decides when. */
function judgingIn({ agreement, judges, timed: { state } }: AgreementLife): readonly Judge[] {
  return judges.slice(0, isEscrowed(agreement) ? judges.length : judgesAsked(agreement) + state.backups);
}

/**
 * Adds a nonce. The client's is fixed by its commitment, so the provider's comes first: whoever opened last could otherwise choose the
 * draw.
 */
function opened({ agreement, nonces, timed: { state } }: AgreementLife, { by, nonce }: z.infer<typeof drawSchema>): OpenedNonces {
  const illegal = (why: string) => new AgreementRefused("IllegalTransition", why);
  if (!isDrawn(agreement)) throw illegal("The terms name the evaluators: there is no draw");
  if (!state.agreed || state.signed.length > 0 || isOver(state))
    throw illegal("Evaluators are drawn after the terms are accepted and before they are signed");
  if (nonces[by] !== undefined) throw new AgreementRefused("Frozen", `The ${by} has already opened its nonce`);
  if (by === "client" && nonces.provider === undefined) throw illegal("The provider opens its nonce first");
  if (by === "client" && commitmentOf(nonce) !== agreement.parties.evaluator.selection?.commitment)
    throw new AgreementRefused("WrongSeed", "The nonce does not match the client's commitment");
  return { ...nonces, [by]: nonce };
}

function requireOf(agreement: Agreement, hash: Hash): void {
  if (hash !== agreementHash(agreement)) throw new AgreementRefused("OtherTerms", "The act refers to other terms", hash);
}

function requireSignature(keyOf: KeyOf, identity: PartyIdentity, kind: SignedKind, hash: Hash, value: string | undefined) {
  const key = keyOf(identity);
  if (key === undefined) throw new AgreementRefused("UnknownKey", `No key of ${identity.value} is known`);
  if (value === undefined || !isSignedBy(key, messageBytes(kind, hash), value as Hex))
    throw new AgreementRefused("BadSignature", `${identity.value} has not signed this ${kind}`);
  return key;
}
