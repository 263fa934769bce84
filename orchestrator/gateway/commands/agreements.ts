import { recoverMessageAddress } from "viem";
import { z } from "zod";
import {
  actSchema,
  agreementHash,
  cancellationSchema,
  challengeSchema,
  consentSchema,
  DEFAULT_TIERS,
  deliverySchema,
  draftMessage,
  draftResult,
  drawSchema,
  keyOfDid,
  messageBytes,
  messageHash,
  nominationSchema,
  PARTIES,
  type PartyIdentity,
  priceRiskOf,
  RATIONALES,
  raisedRelease,
  readAgreement,
  resultHash,
  STATUSES,
  sampleSchema,
  scrutinyOf,
  standingOf,
  statementHash,
  TEMPLATES,
  templateOf,
} from "../../agreements/index.ts";
import { feedbackHash, JOB_STATUSES, STEPS, shareOf } from "../../escrow/index.ts";
import { addressSchema } from "../../primitives/address.ts";
import { type Address, hashSchema, hexSchema } from "../../primitives/hex.ts";
import { canonicalJson } from "../../primitives/json.ts";
import { isSignedBy } from "../../primitives/signing.ts";
import { noticeOf } from "../agreements/bindings.ts";
import type { AgreementDesk } from "../agreements/desk.ts";
import { debtOf } from "../agreements/lives.ts";
import { RELEASE_STATES } from "../agreements/releases.ts";
import { isNamed, type MayRead, type Standing, type Still } from "../agreements/standing.ts";
import { type Caller, type CityWorld, type Command, cityCommand } from "../command.ts";
import { requireConditions, tagOf } from "../conditions.ts";
import { Refused } from "../errors.ts";
import { address, count, hash, seconds, toAddress, toHash, units } from "../wire.ts";

const id = hash.meta({ description: "Id of an agreement here: SHA-256 of the RFC 8785 text of the act that proposed it" });
const party = z.enum(PARTIES);
const document = z.record(z.string(), z.json());
const signature = z
  .string()
  .regex(/^0x[0-9a-f]{128}$/)
  .meta({ description: "64 bytes, by the identity's key, over the UTF-8 text returned by prepare_agreement_act" });
const did = z.string().max(160).meta({ description: "did:key, or eip155:<chain>:<registry>/<agentId>" });
const whoReads = z
  .string()
  .max(80)
  .meta({ description: "did:key of the reader, or its account: a wallet in the agreement, or an agent's" });
const reader = {
  reader: whoReads.optional(),
  expires: seconds.optional(),
  signature: z
    .string()
    .regex(/^0x[0-9a-f]{128}(?:[0-9a-f]{2})?$/)
    .optional()
    .meta({ description: "The reader's signature over the text that prepare_agreement_act returns for `read`; EIP-191 for an account" }),
};

type Reading = z.infer<z.ZodObject<typeof reader>>;

export const agreementOutput = z.strictObject({
  agreement: id,
  agreementHash: hash,
  status: z.enum(STATUSES),
  document,
  /** The party whose turn it is in the negotiation. */
  turn: party.nullable(),
  rounds: count,
  isAgreed: z.boolean(),
  signed: z.array(party),
  flags: z.array(z.string()),
  /** When the current step times out, unix seconds. */
  due: count.nullable(),
  /** Evaluators in order: as named, or as drawn so far. */
  evaluators: z.array(z.string()),
  delivery: hash.nullable(),
  /** Where the provider offers the work. */
  deliveryUri: z.string().nullable(),
  results: z.array(
    z.strictObject({
      hash,
      evaluator: z.string(),
      result: z.enum(["PASS", "FAIL", "incomplete"]),
      composite: count.meta({ description: "Hundredths of a point" }),
      releasePercent: z.number(),
    }),
  ),
  /** Verdict from the results so far: one evaluator's own, or the medians of several. */
  verdict: z
    .strictObject({
      result: z.enum(["PASS", "FAIL", "incomplete"]),
      composite: count.meta({ description: "Hundredths of a point" }),
      releasePercent: z.number(),
      disputed: z.array(z.string()).meta({ description: "Dimensions on which the evaluators disagree too much" }),
    })
    .nullable(),
  /** If only sampled deliveries are judged: whether this one is. */
  lot: z.enum(["open", "judged", "spared"]).nullable(),
  /** The division by which it ended, without an escrow. */
  division: z.string().nullable(),
  /** Present once over, if the client pays afterwards (x402): amount, payee, whether paid, and the transaction. */
  owed: z.strictObject({ amount: units, payTo: address, isPaid: z.boolean(), transaction: hash.nullable() }).nullable(),
  /** Present once over, if the client's payer is instructed (http_callback): the amount, how often it was sent, and the answer. */
  release: z
    .strictObject({
      amount: units,
      state: z.enum(RELEASE_STATES).meta({ description: "`unknown`: sent, and no answer decided; `settled`: the payer says that it paid" }),
      attempts: count,
      reference: z.string().nullable(),
      problem: z.string().nullable(),
    })
    .nullable(),
  escrow: z
    .strictObject({
      escrow: address,
      job: hash,
      status: z.enum(["unopened", ...JOB_STATUSES]),
      amount: units,
      /** The provider's share reported to the escrow, in basis points, and whether a stored result explains it. */
      judged: z.strictObject({ by: address, share: count, reason: hash, isExplained: z.boolean() }).nullable(),
      ruled: count.nullable(),
      /** The share by which both parties ended it, in basis points, and the share to which one has consented. */
      agreed: count.nullable(),
      consents: z.array(z.strictObject({ by: party, share: count, deadline: count })),
      paid: z.strictObject({ provider: units, client: units }).nullable(),
    })
    .nullable(),
});

const drafts = z.discriminatedUnion("act", [
  z.strictObject({ act: z.literal("propose"), document }),
  z.strictObject({
    act: z.enum(["counter", "accept", "reject"]),
    by: party,
    changes: z.record(z.string(), z.union([z.number(), z.boolean(), z.string().max(100)])).optional(),
    rationale: z.enum(RATIONALES),
  }),
  z.strictObject({
    act: z.literal("nominate"),
    by: party,
    evaluators: z.array(did).max(64).meta({ description: "Entries of the register, most preferred first" }),
  }),
  z.strictObject({
    act: z.literal("draw"),
    by: party,
    nonce: hash.meta({ description: "32 random bytes; the client's must match the commitment in its terms" }),
  }),
  z.strictObject({ act: z.literal("sign") }),
  z.strictObject({
    act: z.literal("deliver"),
    deliverable: hash,
    uri: z.string().max(2_048).optional(),
    nonce: hash.optional().meta({ description: "32 random bytes, if only sampled deliveries are judged" }),
  }),
  z.strictObject({ act: z.literal("sample"), nonce: hash.meta({ description: "The nonce that `verification.sampling` commits to" }) }),
  z.strictObject({
    act: z.literal("result"),
    evaluator: did,
    measured: z.record(z.string(), z.union([z.number(), z.boolean()])),
    evidence: z.record(z.string(), z.string().max(4_096)),
    problems: z.array(z.string().max(1_024)).max(64).optional(),
    confidence: z.number().min(0).max(1),
    cost: z.number().nonnegative().meta({ description: "Dollars" }),
  }),
  z.strictObject({ act: z.literal("challenge"), by: party }),
  z.strictObject({ act: z.literal("cancel") }),
  z.strictObject({
    act: z.literal("consent"),
    by: party,
    percent: z.int().max(100).nonnegative().meta({ description: "The provider's share of the payment" }),
  }),
  z.strictObject({ act: z.literal("read"), reader: whoReads }),
]);

/** Validity of a reader's signature, seconds. */
const READING = 300;

function deskOf({ agreements }: CityWorld): AgreementDesk {
  if (agreements === undefined) throw new Refused("NotFound", "This city does not keep agreements", { action: "ask its operator" });
  return agreements;
}

/** An identity by its text alone: a key, or an agent's number at a registry. */
const identityNamed = (value: string): PartyIdentity => ({ scheme: value.startsWith("eip155:") ? "erc8004" : "w3c_did", value });
const utc = (millis: number) => new Date(Math.floor(millis / 1_000) * 1_000).toISOString().replace(".000Z", "Z");

function shown(desk: AgreementDesk, { id: agreement, life, status, due, job, owed, release }: Standing): z.input<typeof agreementOutput> {
  const { negotiation, timed, results, delivery, verdict } = life;
  const { view } = job ?? {};
  const terms = life.agreement;
  const isOpen = status === "proposed" || status === "negotiating";
  return {
    ...{ agreement, agreementHash: agreementHash(terms), status, document: JSON.parse(canonicalJson({ ...terms, status })) },
    turn: isOpen && !timed.state.agreed ? (timed.state.offer === "client" ? "provider" : "client") : null,
    rounds: timed.state.rounds,
    isAgreed: timed.state.agreed,
    signed: PARTIES.filter((each) => terms.signatures?.[each] !== undefined),
    flags: [...negotiation.flags],
    due: due ?? null,
    evaluators: life.judges.map(({ identity }) => identity.value),
    delivery: delivery?.deliverable_hash ?? view?.deliverable ?? null,
    deliveryUri: delivery?.uri ?? null,
    results: results.map(({ hash: of, document: { evaluator }, determination }) => ({
      ...{ hash: of, evaluator: evaluator.value, result: determination.result, composite: determination.composite },
      releasePercent: determination.release_percent,
    })),
    verdict: verdict === undefined ? null : shownVerdict(verdict),
    lot: timed.state.lot ?? null,
    division: timed.state.division ?? null,
    owed: owed === undefined ? null : { ...shownDebt(owed), isPaid: owed.paid !== undefined, transaction: owed.paid ?? null },
    release: release === undefined || release.state === "waiting" ? null : shownRelease(release, release.state),
    escrow:
      job === undefined || desk.binding === undefined
        ? null
        : {
            escrow: desk.binding.contract_address,
            job: `0x${job.number.toString(16).padStart(64, "0")}`,
            status: view?.status ?? "unopened",
            amount: String(job.terms.amount),
            judged: view?.judged === undefined ? null : { ...view.judged, isExplained: isExplained(life, view.judged) },
            ruled: view?.ruled ?? null,
            agreed: view?.agreed ?? null,
            consents: life.consents.map(({ by, share, deadline }) => ({ by, share, deadline })),
            paid: view?.paid === undefined ? null : { provider: String(view.paid.provider), client: String(view.paid.client) },
          },
  };
}

/** The agreement must still have the state whose entity tag the caller got from `get_agreement`. */
function stillAs(desk: AgreementDesk, { conditions }: Caller): { readonly still?: Still } {
  if (conditions === undefined) return {};
  return {
    still: (standing) =>
      requireConditions(
        conditions,
        standing === undefined ? undefined : tagOf(canonicalJson(agreementOutput.parse(shown(desk, standing)))),
      ),
  };
}

const shownVerdict = ({ determination: { result, composite, release_percent }, disputed }: NonNullable<Standing["life"]["verdict"]>) => ({
  ...{ result, composite, releasePercent: release_percent, disputed: [...disputed] },
});

const shownRelease = (
  { amount, attempts, reference, problem }: NonNullable<Standing["release"]>,
  state: (typeof RELEASE_STATES)[number],
) => ({
  ...{ amount: String(amount), state, attempts, reference, problem },
});

const shownDebt = ({ amount, payTo }: NonNullable<Standing["owed"]>) => ({ amount: String(amount), payTo });

/** Whether the share reported on chain follows from a signed result stored here. */
function isExplained({ results }: Standing["life"], { share, reason }: { readonly share: number; readonly reason: string }): boolean {
  return results.some((each) => each.hash === reason && Math.floor(each.determination.release_percent * 100 + 1e-6) === share);
}

/** The authenticated reader. Throws BadSignature. */
async function readerIn({ millis, client }: CityWorld, asked: Reading): Promise<PartyIdentity | Address | undefined> {
  if (asked.reader === undefined) return undefined;
  const now = Math.floor(millis() / 1_000);
  const { expires = 0, signature: given = "0x" } = asked;
  const text = messageBytes("reading", readingHash(client.chain.id, asked.reader, expires));
  const signed = hexSchema.parse(given);
  const account = addressSchema.safeParse(asked.reader);
  const identity = identityNamed(asked.reader);
  const key = account.success ? undefined : keyOfDid(identity);
  const isSigned = account.success
    ? (await recoverMessageAddress({ message: { raw: text }, signature: signed }).catch(() => undefined)) === account.data
    : key !== undefined && isSignedBy(key, text, signed);
  if (!isSigned || expires < now || expires > now + READING)
    throw new Refused("BadSignature", "The reader's signature is invalid", {
      action: `sign the text that prepare_agreement_act returns for read; it is valid for ${READING} s`,
    });
  return account.success ? account.data : identity;
}

const readingHash = (chain: number, who: string, expires: number) => statementHash({ chain, expires, reader: who });

/** Whether an agreement names the authenticated reader. Throws BadSignature. */
async function readingOf(world: CityWorld, asked: Reading): Promise<MayRead> {
  const who = await readerIn(world, asked);
  return (named) => who !== undefined && isNamed(named, who);
}

const take = (
  name: string,
  path: string,
  doc: string,
  act: "negotiate" | "nominate" | "draw" | "sign" | "deliver" | "sample" | "result" | "challenge" | "cancel",
) => {
  const given = actSchema.options.find((option) => option.shape.act.value === act);
  if (given === undefined) throw new RangeError(`unknown act ${act}`);
  const fields: z.ZodObject = given;
  return cityCommand({
    ...{ name, path, doc },
    method: "POST",
    group: "Agreements",
    access: "order",
    isTagged: true,
    cost: 20,
    input: fields.omit({ act: true }).extend({ agreement: id }).strict(),
    output: agreementOutput,
    async run(world, { agreement, ...input }, caller) {
      const desk = deskOf(world);
      return shown(desk, await desk.take(hashSchema.parse(agreement), actSchema.parse({ act, ...input }), stillAs(desk, caller)));
    },
  });
};

/** Agreements of two parties, who need no legislature: every act is signed by its author and carries its own authority. */
export const agreementCommands: readonly Command[] = [
  cityCommand({
    name: "get_agreement_template",
    method: "GET",
    path: "/v1/agreement-templates/{type}",
    group: "Agreements",
    doc: `Template of a proposal for a type of service (${TEMPLATES.map(({ type }) => type).join(", ")}; another is general), and how it may be paid for here: \`binding\` if an escrow holds the money, \`afterwards\` if the client pays by x402 at the end, \`callback\` if a payer of the client's own is instructed then. The parties add \`wallets\`: of all five, or the provider's; for \`callback\` the payer's \`url\` and the \`payee\`.`,
    access: "open",
    isTagged: true,
    cost: 1,
    input: z.strictObject({ type: z.string().max(100) }),
    output: z.strictObject({ document, binding: document.nullable(), afterwards: document, callback: document.nullable() }),
    async run(world, { type }) {
      const desk = deskOf(world);
      const { dimensions, composite_threshold, quality_gates, type: found } = templateOf(type);
      const criteria = {
        ...{ dimensions, composite_threshold, composite_method: "weighted_average", guarantee_type: "deterministic" },
        ...(quality_gates.length === 0 ? {} : { quality_gates }),
      };
      const plain = canonicalJson({ asa_version: "1.0.0", status: "proposed", service: { type: found }, quality_criteria: criteria });
      return { document: JSON.parse(plain), binding: desk.binding ?? null, afterwards: desk.afterwards, callback: desk.callback ?? null };
    },
  }),
  cityCommand({
    name: "prepare_agreement_act",
    method: "POST",
    path: "/v1/agreement-drafts",
    group: "Agreements",
    doc: "Drafts an act: the text to sign, and the statement to send with the signature. Changes nothing. Acts of a private agreement are drafted only for readers named in it. For `sign`, the wallet also signs `typedData` for the escrow; for `consent` it signs only that; `notice` says what nobody holds or can enforce. Compare it with what you intend.",
    access: "order",
    cost: 5,
    input: z.strictObject({ agreement: id.optional(), draft: drafts, ...reader }),
    output: z.strictObject({
      text: z.string(),
      statement: document.nullable(),
      typedData: z.string().nullable(),
      notice: z.string().nullable(),
    }),
    async run(world, { agreement, draft, ...asked }) {
      const desk = deskOf(world);
      const timestamp = utc(world.millis());
      const answer = (kind: Parameters<typeof messageBytes>[0], of: `0x${string}`, statement?: object, typedData?: string) => ({
        text: new TextDecoder().decode(messageBytes(kind, of)),
        statement: statement === undefined ? null : JSON.parse(canonicalJson(statement)),
        typedData: typedData ?? null,
        notice: null,
      });
      if (draft.act === "propose") return answer("proposal", agreementHash(readAgreement(draft.document)));
      if (draft.act === "read") {
        const expires = Math.floor(world.millis() / 1_000) + READING;
        return answer("reading", readingHash(world.client.chain.id, draft.reader, expires), { reader: draft.reader, expires });
      }
      if (agreement === undefined) throw new Refused("BadRequest", `${draft.act} requires an agreement's id`);
      const standing = await desk.get(toHash(agreement), await readingOf(world, asked));
      const { life, job } = standing;
      const terms = life.agreement;
      const agreement_hash = agreementHash(terms);
      switch (draft.act) {
        case "counter":
        case "accept":
        case "reject": {
          const { act: action, by, changes = {}, rationale: rationale_code } = draft;
          const at = { ...life.negotiation, state: life.timed.state };
          const message = draftMessage(at, { action, by, changes, rationale_code, timestamp });
          return answer("message", messageHash(message), message);
        }
        case "nominate": {
          const { by, evaluators } = draft;
          const nomination = nominationSchema.parse({ agreement_hash, by, evaluators: evaluators.map(identityNamed), timestamp });
          return answer("nomination", statementHash(nomination), nomination);
        }
        case "draw": {
          const draw = drawSchema.parse({ agreement_hash, by: draft.by, nonce: draft.nonce, timestamp });
          return answer("draw", statementHash(draw), draw);
        }
        case "sign":
          return { ...answer("agreement", agreement_hash, undefined, desk.typedData(standing)), notice: noticeOf(terms) ?? null };
        case "deliver": {
          const { deliverable, uri, nonce } = draft;
          const delivery = deliverySchema.parse({
            ...{ agreement_hash, deliverable_hash: deliverable, timestamp },
            ...(uri === undefined ? {} : { uri }),
            ...(nonce === undefined ? {} : { nonce }),
          });
          return answer("delivery", statementHash(delivery), delivery);
        }
        case "sample": {
          const sample = sampleSchema.parse({ agreement_hash, nonce: draft.nonce, timestamp });
          return answer("sample", statementHash(sample), sample);
        }
        case "result": {
          const { measured, evidence, confidence, cost, evaluator, problems = [] } = draft;
          const deliverableHash = life.delivery?.deliverable_hash ?? job?.view?.deliverable;
          if (deliverableHash === undefined) throw new Refused("BadRequest", "Nothing was delivered yet that could be judged");
          const history = await desk.history(standing);
          const at = {
            ...(history.length === 0 ? {} : { history }),
            verification_id: `${agreement_hash}/${evaluator}`,
            timestamp,
            deliverableHash,
            identity: identityNamed(evaluator),
          };
          const result = draftResult(terms, at, { measured, evidence, problems, confidence, cost });
          return answer("result", resultHash(result), result);
        }
        case "challenge": {
          const last = life.results.at(-1);
          if (last === undefined) throw new Refused("BadRequest", "There is no result to challenge");
          const challenge = challengeSchema.parse({ agreement_hash, result_hash: last.hash, by: draft.by, timestamp });
          return answer("challenge", statementHash(challenge), challenge);
        }
        case "cancel": {
          const cancellation = cancellationSchema.parse({ agreement_hash, timestamp });
          return answer("cancellation", statementHash(cancellation), cancellation);
        }
        case "consent": {
          const share = shareOf(draft.percent);
          const { typedData, deadline } = desk.consentData(standing, share);
          return { text: "", statement: { by: draft.by, share, deadline }, typedData, notice: null };
        }
      }
    },
  }),
  cityCommand({
    name: "propose_agreement",
    method: "POST",
    path: "/v1/agreements",
    group: "Agreements",
    doc: "Proposes an agreement (an ASA document, version 1), signed by its client; identities are keys (did:key), or agents of the city's ERC-8004 registry with their account's `key`. Repeated proposals are idempotent. If the desk is full, a proposal of the address with the most makes room for an address with fewer; a proposal backed by a wallet that signs the same text (EIP-191) and holds the payment displaces one without backing.",
    access: "order",
    isTagged: true,
    cost: 100,
    input: z.strictObject({
      ...{ document, signature },
      walletSignature: z
        .string()
        .regex(/^0x(?:[0-9a-f]{2}){1,2048}$/)
        .optional()
        .meta({ description: "By the client's wallet, over the proposal's text (EIP-191; a contract by ERC-1271)" }),
    }),
    output: agreementOutput,
    async run(world, { walletSignature, ...given }, caller) {
      const desk = deskOf(world);
      const wallet = walletSignature === undefined ? undefined : hexSchema.parse(walletSignature);
      return shown(desk, await desk.propose({ act: "propose", ...given }, { shown: wallet, from: caller.from, ...stillAs(desk, caller) }));
    },
  }),
  take(
    "negotiate_agreement",
    "/v1/agreement-messages",
    "One message of a negotiation (counter, accept or reject), signed by the party whose turn it is.",
    "negotiate",
  ),
  take(
    "nominate_agreement_evaluators",
    "/v1/agreement-nominations",
    "If the terms say `mutual` and have a register: a party's preferred evaluators, before the draw. Each party nominates once per round; the first evaluator that both nominate in a round judges, and backups are drawn; after three rounds, or once the provider opens its nonce, the draw alone decides.",
    "nominate",
  ),
  take(
    "draw_agreement_evaluator",
    "/v1/agreement-draws",
    "If the terms have a register (`parties.evaluator.selection`): a party opens its nonce for drawing the evaluator, the provider first and before either signs. The client's terms commit to its nonce: SHA-256 of the nonce's text, `0x` and 64 hex digits.",
    "draw",
  ),
  take(
    "sign_agreement",
    "/v1/agreement-signatures",
    "A party's signature of the accepted terms and, with an escrow, its wallet's signature of the escrow's terms. The second party's signature starts the agreement.",
    "sign",
  ),
  take(
    "deliver_agreement",
    "/v1/agreement-deliveries",
    "The provider states its delivery, by SHA-256. With an escrow, the step `submit` states it on chain.",
    "deliver",
  ),
  take(
    "draw_agreement_sample",
    "/v1/agreement-samples",
    "If only sampled deliveries are judged (`verification.sampling`): after delivery the client opens the nonce that its terms commit to. Together with the delivery's nonce it decides the draw: a delivery that is not drawn is paid in full without judgement. If it is not opened in time, the delivery is judged. A nonce is valid for one agreement only, since opening publishes it.",
    "sample",
  ),
  take(
    "verify_agreement",
    "/v1/agreement-results",
    "An evaluator's signed result, accepted only if its determination follows from its own measurements and the terms.",
    "result",
  ),
  take(
    "challenge_agreement",
    "/v1/agreement-challenges",
    "A party disputes the result within the window. With an escrow, use the step `challenge`.",
    "challenge",
  ),
  take(
    "cancel_agreement",
    "/v1/agreement-cancellations",
    "Both parties end it. Once it is in an escrow, use consent_to_cancellation and the step `cancel`.",
    "cancel",
  ),
  cityCommand({
    name: "consent_to_cancellation",
    method: "POST",
    path: "/v1/agreement-consents",
    group: "Agreements",
    doc: "A party's wallet consents that the escrow's job ends with a share to the provider, for a day. The other party then ends it with the step `cancel`. A party with a contract wallet must also authenticate as a reader.",
    access: "order",
    isTagged: true,
    cost: 20,
    input: consentSchema.omit({ act: true }).extend({ agreement: id, ...reader }),
    output: agreementOutput,
    async run(world, { agreement, reader: who, expires, signature: proof, ...consent }, caller) {
      const desk = deskOf(world);
      const mayRead = await readingOf(world, { reader: who, expires, signature: proof });
      return shown(desk, await desk.take(toHash(agreement), { act: "consent", ...consent }, { mayRead, ...stillAs(desk, caller) }));
    },
  }),
  cityCommand({
    name: "get_agreement",
    method: "GET",
    path: "/v1/agreements/{agreement}",
    group: "Agreements",
    doc: "The state of an agreement: its terms, whose turn it is, the next timeout, its results, its money. Readable by those named in it, or by anyone if its `visibility` is public.",
    access: "open",
    isTagged: true,
    cost: 3,
    input: z.strictObject({ agreement: id, ...reader }),
    output: agreementOutput,
    async run(world, { agreement, ...asked }) {
      const desk = deskOf(world);
      return shown(desk, await desk.get(toHash(agreement), await readingOf(world, asked)));
    },
  }),
  cityCommand({
    name: "list_agreements",
    method: "GET",
    path: "/v1/agreements",
    group: "Agreements",
    doc: "Ids of the agreements in which the reader is a party or an evaluator.",
    access: "open",
    isTagged: true,
    cost: 3,
    input: z.strictObject({ ...reader, cursor: hash.optional(), limit: z.int().min(1).max(200).optional() }),
    output: z.strictObject({ items: z.array(id), next: hash.nullable() }),
    async run(world, { cursor = "", limit = 50, ...asked }) {
      const who = await readerIn(world, asked);
      if (who === undefined) throw new Refused("SignatureMissing", "A reader must authenticate with its signature");
      if (typeof who === "string") throw new Refused("BadRequest", "Agreements are listed by identity: the reader must be a did:key");
      const items = await deskOf(world).of(who, cursor, limit);
      return { items: [...items], next: items.length < limit ? null : (items.at(-1) ?? null) };
    },
  }),
  cityCommand({
    name: "pay_agreement",
    method: "POST",
    path: "/v1/agreement-payments",
    group: "Agreements",
    doc: "Pays the debt of a finished agreement without escrow, once, by x402: the amount that its tiers release for the result, or its switch for an evaluator's silence. From any wallet; for a private agreement the payer must authenticate as a reader. The answer states what was paid for.",
    access: "order",
    paid: "debt",
    isTagged: true,
    cost: 20,
    input: z.strictObject({ agreement: id, ...reader }),
    output: z.strictObject({ agreement: id, agreementHash: hash, result: hash.nullable(), amount: units, payTo: address }),
    debt: {
      name: ({ agreement }) => debtOf(toHash(agreement)),
      async price(world, { agreement, ...asked }, caller) {
        const desk = deskOf(world);
        return desk.debt(toHash(agreement), await readingOf(world, asked), stillAs(desk, caller).still);
      },
    },
    async run(world, { agreement }) {
      const { life, owed } = await deskOf(world).get(toHash(agreement));
      if (owed === undefined) throw new RangeError("unreachable: its price was asked");
      // The city relays the payment at its own cost, charged to the payee's allowance.
      await world.relays.take("payment", { principal: owed.payTo });
      const result = life.results.at(-1)?.hash ?? null;
      return { agreement, agreementHash: agreementHash(life.agreement), result, ...shownDebt(owed) };
    },
  }),
  cityCommand({
    name: "prepare_agreement_step",
    method: "GET",
    path: "/v1/agreements/{agreement}/steps/{step}",
    group: "Agreements",
    doc: "The transactions for an account's step with the escrow: `fund` (client), `submit` (provider), `settle` (evaluator, by its result here), `challenge` (either party), `rule` (arbiter), `cancel` (a party, with the other's consent), `finalise` and `withdraw` (anyone). Compare `to` and `data` with what you intend.",
    access: "open",
    isTagged: true,
    cost: 10,
    input: z.strictObject({
      ...{ agreement: id, step: z.enum(STEPS), from: address },
      deliverable: hash.optional(),
      percent: z
        .int()
        .max(100)
        .nonnegative()
        .optional()
        .meta({ description: "The provider's share, as the arbiter rules or both parties agree" }),
      ...reader,
    }),
    output: z.strictObject({
      transactions: z.array(
        z.strictObject({
          ...{ what: z.string(), to: address, data: z.string(), chainId: count, nonce: count },
          ...{ gas: units, maxFeePerGas: units, maxPriorityFeePerGas: units },
        }),
      ),
    }),
    async run(world, input) {
      const desk = deskOf(world);
      const from = toAddress(input.from);
      const deliverable = input.deliverable === undefined ? undefined : toHash(input.deliverable);
      const standing = await desk.get(toHash(input.agreement), await readingOf(world, input));
      const calls = await desk.calls(standing, input.step, { from, deliverable, percent: input.percent });
      const { chain } = world.client;
      const nonce = await chain.publicClient.getTransactionCount({ address: from, blockTag: "pending" });
      const { maxFeePerGas, maxPriorityFeePerGas } = await chain.fees();
      return {
        transactions: calls.map(({ gas, ...call }, place) => ({
          ...{ ...call, chainId: chain.id, nonce: nonce + place, gas: String(gas) },
          ...{ maxFeePerGas: String(maxFeePerGas), maxPriorityFeePerGas: String(maxPriorityFeePerGas) },
        })),
      };
    },
  }),
  cityCommand({
    name: "send_agreement_step",
    method: "POST",
    path: "/v1/agreement-steps",
    group: "Agreements",
    doc: "Sends a step's signed transactions to the chain, for callers without a node. Transactions already on chain are not sent again.",
    access: "order",
    isTagged: true,
    cost: 40,
    input: z.strictObject({
      agreement: id,
      transactions: z
        .array(z.string().regex(/^0x[0-9a-f]{2,8000}$/))
        .min(1)
        .max(3),
    }),
    output: agreementOutput,
    async run(world, { agreement, transactions }, caller) {
      const desk = deskOf(world);
      return shown(
        desk,
        await desk.send(
          toHash(agreement),
          transactions.map((raw) => hexSchema.parse(raw)),
          stillAs(desk, caller).still,
        ),
      );
    },
  }),
  cityCommand({
    name: "get_agreement_record",
    method: "GET",
    path: "/v1/agreement-records/{provider}",
    group: "Agreements",
    doc: "Outcomes of a provider's newest agreements here (fulfilled, failed, disputed, or nothing delivered in time), the number of distinct clients, and what this suggests for the next agreement: its scrutiny, the percentage of the price that the default tiers would have withheld so far (`priceRisk`, null while unknown), and `release`, for `escrow.payment.graduated_release`: the default tiers as raised by its last ten scores, with these. Counts agreements that are public or whose `visibility` is `parties_and_reputation`; all of them for the provider itself, authenticated as the reader.",
    access: "open",
    cost: 40,
    input: z.strictObject({ provider: did, ...reader }),
    output: z.strictObject({
      ...{ count, passed: count, composites: count, onTime: count, disputed: count, upheld: count, clients: count },
      scrutiny: z.strictObject({ depth: z.enum(["structural", "semantic", "composite"]), canaryRate: count }),
      ...{ priceRisk: count.nullable(), release: document },
    }),
    async run(world, { provider, ...asked }) {
      const who = await readerIn(world, asked);
      const isOwn = who !== undefined && typeof who !== "string" && who.value === provider;
      const { records, clients, scores } = await deskOf(world).outcomes(identityNamed(provider), isOwn);
      const { on_time: onTime, ...record } = standingOf(provider, records);
      return {
        ...{ ...record, onTime, clients, scrutiny: scrutinyOf({ ...record, on_time: onTime }) },
        priceRisk: priceRiskOf(provider, records) ?? null,
        release: JSON.parse(canonicalJson(raisedRelease(DEFAULT_TIERS, scores))),
      };
    },
  }),
  cityCommand({
    name: "get_evaluator_calibration",
    method: "GET",
    path: "/v1/evaluator-calibrations/{evaluator}",
    group: "Agreements",
    doc: "How close an evaluator came to the known scores of this city's canaries in the last thirty days: their number, how many it passed, its bias and mean distance in hundredths of a point, and the weight that follows, for `weight` and `deviation` in a register of evaluators.",
    access: "open",
    cost: 10,
    input: z.strictObject({ evaluator: did }),
    output: z.strictObject({ items: count, passed: count, bias: z.int(), deviation: count, weight: count }),
    async run(world, { evaluator }) {
      if (world.canaries === undefined) throw new Refused("NotFound", "This city does not keep agreements", { action: "ask its operator" });
      const { bias, deviation, ...found } = await world.canaries.calibrationOf(identityNamed(evaluator));
      return { ...found, bias: Math.round(bias * 100), deviation: Math.ceil(deviation * 100) };
    },
  }),
  cityCommand({
    name: "prepare_agreement_feedback",
    method: "GET",
    path: "/v1/agreements/{agreement}/feedback",
    group: "Agreements",
    doc: "ERC-8004 feedback of the client's or an evaluator's wallet to a reputation registry on this chain, on the provider of a finished agreement and by its outcome: the file, its hash, and the transaction to sign and send. Publish the file at `uri`. The agent's wallet in the registry must be the one that the agreement paid.",
    access: "open",
    cost: 20,
    input: z.strictObject({ agreement: id, from: address, reputation: address, agentId: count, uri: z.string().max(500), ...reader }),
    output: z.strictObject({
      ...{ feedback: document, text: z.string(), feedbackHash: hash },
      transaction: z.strictObject({ to: address, data: z.string(), chainId: count, gas: units }),
    }),
    async run(world, { agreement, from, reputation, agentId, uri, ...asked }) {
      const desk = deskOf(world);
      const standing = await desk.get(toHash(agreement), await readingOf(world, asked));
      const about = { from: toAddress(from), reputation: toAddress(reputation), agentId, uri };
      const { feedback, call } = await desk.feedback(standing, about);
      const { what: _, gas, ...transaction } = call;
      const text = canonicalJson(feedback);
      return {
        ...{ feedback: JSON.parse(text), text, feedbackHash: feedbackHash(feedback) },
        transaction: { ...transaction, chainId: world.client.chain.id, gas: String(gas) },
      };
    },
  }),
];
