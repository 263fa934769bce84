import { stringify } from "viem";
import { z } from "zod";
import type { Hearings, KnownHearing } from "../../city/hearings/hearings.ts";
import { signedItemSchema } from "../../execution/evidence.ts";
import { HEARING_OUTCOMES, obligationOfJob } from "../../execution/hearing.ts";
import { hexSchema } from "../../primitives/hex.ts";
import { canonicalBytes } from "../../primitives/json.ts";
import { evidenceClasses, evidenceKinds } from "../../protocol/evidence.ts";
import { hearingKey, hearingTypedData, MAX_COMMISSION, MAX_EVIDENCE, MAX_WORK } from "../../protocol/hearing.ts";
import { commissionSchema, hearingTermsSchema } from "../../protocol/hearing-schema.ts";
import { PANEL_KINDS } from "../../protocol/verifier-kinds.ts";
import { type CityWorld, type Command, cityCommand } from "../command.ts";
import { Refused } from "../errors.ts";
import { address, count, hash, seconds, toHash, units } from "../wire.ts";

const hearing = hash.meta({ description: "Of a job: Keccak-256 of escrow and job number, as ABI-encoded words" });
const share = count.max(10_000).meta({ description: "Basis points" });
const terms = z.strictObject({
  escrow: address,
  jobId: units.meta({ description: "The job's number in its escrow" }),
  client: address,
  provider: address,
  clientPrincipal: address,
  providerPrincipal: address,
  agreementHash: hash.meta({ description: "SHA-256 of the RFC 8785 text of the commission" }),
  floor: count.max(evidenceClasses.length - 1).meta({ description: `Weakest evidence that counts: ${evidenceClasses.join(", ")}, from 0` }),
  questions: count.min(1).max(3).meta({ description: "1 performance, 2 policy, 3 both" }),
  minConfidence: share,
  passScore: share,
  panelSize: count.min(1).max(7),
  graduated: z.boolean().meta({ description: "The score is the share that is paid: for an AgreementEscrow alone" }),
  layout: count.max(0xff_ff_ff_ff).meta({ description: "Which words of the escrow's getJob are client, provider, evaluator and expiry" }),
  deliverBy: seconds,
  hearing: count.meta({ description: "How long a panel is heard, seconds" }),
  deadline: seconds,
  bond: units.meta({ description: "Of a challenge, which has a larger panel decide again; 0: nobody challenges" }),
});
const commission = z.strictObject({
  version: z.literal(1),
  kinds: z.array(z.enum(PANEL_KINDS)).min(1).meta({ description: "By what each member judges" }),
  schema: z.record(z.string(), z.json()).optional().meta({ description: "JSON Schema 2020-12 of the work, for the kind `constraint`" }),
  rubric: z.string().max(8_000).optional().meta({ description: "What a model judges by, for the kind `semantic`" }),
});
const signature = z
  .string()
  .regex(/^0x(?:[0-9a-f]{2}){0,4096}$/)
  .meta({ description: "Signature of the typed data from prepare_hearing, or 0x if the job is registered already" });
const work = z.record(z.string(), z.json()).meta({ description: "A JSON object; its Keccak-256 is what the escrow was told" });
const item = z.strictObject({
  slot: count,
  index: count,
  kind: z.enum(evidenceKinds),
  payload: hash,
  issuer: address,
  class: z.enum(evidenceClasses),
  signature: z.string().regex(/^0x[0-9a-f]*$/),
});
const items = z.array(item).max(MAX_EVIDENCE);

const state = z.strictObject({
  hearing,
  terms,
  /** What evidence and verdicts are about. */
  obligation: hash,
  /** The provider's commitment on chain, and whether the work behind it is here. */
  work: hash.nullable(),
  hasWork: z.boolean(),
  panels: count,
  drawBlock: count,
  closesAt: seconds,
  outcome: z.enum(HEARING_OUTCOMES),
  score: share,
  confidence: share,
  isComplete: z.boolean(),
  isClosed: z.boolean(),
  /** What the first panel decided, where a party had a larger one decide again. */
  challenged: z.strictObject({ by: z.enum(["client", "provider"]), outcome: z.enum(HEARING_OUTCOMES), score: share }).nullable(),
});

function deskOf({ hearings }: CityWorld): Hearings {
  if (hearings === undefined) throw new Refused("HearingsClosed", "This city hears no jobs now", { action: "ask its operator" });
  return hearings;
}

function stateOf({ client }: CityWorld, { key, terms: of, view, hasWork }: KnownHearing) {
  const { obligation: _, work: committed, challenged, ...rest } = view;
  return {
    hearing: key,
    terms: of,
    obligation: obligationOfJob(client, of),
    work: committed ?? null,
    hasWork,
    ...rest,
    challenged: challenged ?? null,
  };
}

/** In the form of the house: what a pattern cannot say is refused here. */
function inForm<Schema extends z.ZodType>(schema: Schema, value: unknown, what: string): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new Refused("BadRequest", `${what} do not fit their schema`, { details: z.prettifyError(parsed.error) });
}

const requireSmall = (value: object, most: number, what: string): void => {
  const { length } = canonicalBytes(value);
  if (length > most) throw new Refused("QuotaExceeded", `${what} has ${length} bytes; at most ${most} are taken`);
};

export const hearingCommands: readonly Command[] = [
  cityCommand({
    name: "prepare_hearing",
    method: "POST",
    path: "/v1/hearing-terms",
    group: "Agreements",
    doc: "What both parties of a job sign (EIP-712) to have it judged by a panel of this city, as text for a wallet. Compare it with what you intend to sign.",
    access: "order",
    cost: 2,
    input: z.strictObject({ terms }),
    output: z.strictObject({ hearing, obligation: hash, evaluator: address, typedData: z.string() }),
    async run({ client }, input) {
      const of = inForm(hearingTermsSchema, input.terms, "The terms");
      const evaluator = client.addresses.ClearingEvaluator;
      const key = hearingKey(of.escrow, BigInt(of.jobId));
      const typed = hearingTypedData({ chainId: client.chain.id, evaluator }, of);
      return { hearing: key, obligation: obligationOfJob(client, of), evaluator, typedData: stringify(typed) };
    },
  }),
  cityCommand({
    name: "open_hearing",
    method: "POST",
    path: "/v1/hearings",
    group: "Agreements",
    doc: "Brings a job that names this city's ClearingEvaluator before a panel: its terms, the commission by which it is judged, and both signatures, unless it is registered already. Repeated submissions are idempotent. If the operator set a price, it is paid by x402.",
    access: "order",
    paid: "toll",
    body: 2 * MAX_COMMISSION,
    cost: 20,
    input: z.strictObject({ terms, commission, client: signature, provider: signature }),
    output: state,
    async run(world, input, { from }) {
      requireSmall(input.commission, MAX_COMMISSION, "The commission");
      const signed = { client: hexSchema.parse(input.client), provider: hexSchema.parse(input.provider) };
      const asked = inForm(commissionSchema, input.commission, "The commission's fields");
      return stateOf(world, await deskOf(world).open(inForm(hearingTermsSchema, input.terms, "The terms"), asked, signed, { from }));
    },
  }),
  cityCommand({
    name: "receive_work",
    method: "POST",
    path: "/v1/hearing-receipts",
    group: "Agreements",
    doc: "Shows work to this city's issuers, who sign that they received it: items for the envelope that the provider delivers with, from `first` on. They store nothing. `elsewhere` also asks issuers of other principals, who then know the work before it is delivered; silent issuers are left out.",
    access: "order",
    body: 2 * MAX_WORK,
    cost: 20,
    input: z.strictObject({ hearing, work, first: count.max(MAX_EVIDENCE - 1).optional(), elsewhere: z.boolean().optional() }),
    output: z.strictObject({ items }),
    async run(world, input) {
      requireSmall(input.work, MAX_WORK, "The work");
      const { first = 0, elsewhere: isShown = false } = input;
      return { items: [...(await deskOf(world).receive(toHash(input.hearing), input.work, { first, isShown }))] };
    },
  }),
  cityCommand({
    name: "hand_in_work",
    method: "POST",
    path: "/v1/hearing-work",
    group: "Agreements",
    doc: "Gives the panel the work that the provider committed to on chain, with the opening of the commitment and the evidence. Anyone may submit it; other work is refused. Only the parties and the panel can read it.",
    access: "order",
    body: 2 * MAX_WORK,
    cost: 20,
    input: z.strictObject({ hearing, work, salt: hash, trailRoot: hash, items }),
    output: state,
    async run(world, input) {
      requireSmall(input.work, MAX_WORK, "The work");
      const evidence = inForm(z.array(signedItemSchema), input.items, "The items");
      const handed = { work: input.work, salt: toHash(input.salt), trailRoot: toHash(input.trailRoot), items: evidence };
      return stateOf(world, await deskOf(world).handIn(toHash(input.hearing), handed));
    },
  }),
  cityCommand({
    name: "get_hearing",
    method: "GET",
    path: "/v1/hearings/{hearing}",
    group: "Agreements",
    doc: "The on-chain state of a job before its panel.",
    access: "open",
    isOfFiles: true,
    cost: 2,
    input: z.strictObject({ hearing }),
    output: state,
    async run(world, input) {
      return stateOf(world, await deskOf(world).get(toHash(input.hearing)));
    },
  }),
  cityCommand({
    name: "list_hearings",
    method: "GET",
    path: "/v1/hearings",
    group: "Agreements",
    doc: "Jobs before panels of this city that are not over.",
    access: "open",
    isOfFiles: true,
    cost: 2,
    input: z.strictObject({}),
    output: z.strictObject({ hearings: z.array(hearing) }),
    async run(world) {
      return { hearings: [...deskOf(world).pending()] };
    },
  }),
];
