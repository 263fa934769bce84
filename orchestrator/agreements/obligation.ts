import { z } from "zod";
import type { Obligation, ObligationTerms } from "../clearing/obligation.ts";
import type { VerifierOutput } from "../clearing/verifier-output.ts";
import { agreementHash } from "./canonical.ts";
import { AgreementRefused } from "./errors.ts";
import { drawnOf, type NominationRound, type OpenedNonces } from "./evaluators.ts";
import { amountOf, hundredths, unitsOf, WHOLE } from "./money.ts";
import { type Agreement, DEFAULTS, isDrawn, judgesAsked, type PartyIdentity, readAgreement, type Slo } from "./schema.ts";
import type { VerificationResult } from "./verification.ts";

/** Fields of a document of `agentcity/clearing` that an agreement leaves open. */
export interface Binding {
  /** The minimum evidence class, chosen by the parties by what is at stake (RAILS 7). */
  readonly floor: string;
  /** When the second party signed, `2026-05-27T14:32:00Z`: older evidence does not count. */
  readonly boundAt: string;
  /** Names of parties and evaluators in the clearing's registry. Default: `<scheme>:<value>`. */
  readonly nameOf?: (identity: PartyIdentity) => string;
  /** The opened nonces that drew the evaluator, if the terms have a register (`drawnOf`). */
  readonly nonces?: OpenedNonces;
  /** Both parties' nominations before the draw. */
  readonly rounds?: readonly NominationRound[];
}

const HOUR = 3600;
/** The provider's items in an envelope. */
const ITEMS = "0/";
const ORDER: Readonly<Record<Slo["operator"], string>> = {
  gte: "at least",
  lte: "at most",
  gt: "more than",
  lt: "less than",
  eq: "exactly",
  neq: "other than",
  between: "between",
};

/**
 * Converts the terms of a signed agreement to an obligation that any engine of `agentcity/clearing` can bind, clear and settle: gates
 * become clauses of the policy question, dimensions become the performance question, and the released share divides the payment exactly as
 * `divide` does. The parties sign the obligation separately, since their signatures here cover another document. Throws NothingToDivide
 * without an escrow, BadAmount if the payment in smallest units exceeds a JSON number, NoEvaluator if no single evaluator is named or
 * drawn. An awarded slot (`agreementOf`) has its obligation already, which is returned as it was bound; throws OtherTerms if the document
 * says anything else.
 */
export function obligationOf(
  agreement: Agreement,
  { floor, boundAt, nameOf = nameIn, nonces = {}, rounds = [] }: Binding,
): ObligationTerms {
  const { parties, service, quality_criteria: quality, verification, escrow } = agreement;
  if (escrow === undefined || !escrow.enabled) throw new AgreementRefused("NothingToDivide", "The agreement has no escrow");
  if (escrow.binding.type === "city") return boundUnder(agreement);
  const { amount, currency } = escrow.payment;
  const fee = unitsOf(amount, currency);
  if (fee > BigInt(Number.MAX_SAFE_INTEGER))
    throw new AgreementRefused("BadAmount", `${amount} ${currency} exceeds a clearing's limit`, "at most 2^53 - 1 smallest units");
  if (judgesAsked(agreement) > 1)
    throw new AgreementRefused("NoEvaluator", "The agreement has several evaluators, whose medians an engine cannot use as one verdict");
  const judge = isDrawn(agreement) ? drawnOf(agreement, nonces, rounds)[0]?.identity : parties.evaluator.identity;
  if (judge === undefined) throw new AgreementRefused("NoEvaluator", "The agreement names no evaluator, or none is drawn yet");
  const provider = nameOf(parties.provider.identity);
  const gates = (quality.quality_gates ?? []).map(({ condition }) => condition);
  const isPublic = agreement.visibility === "public";
  return {
    obligation_id: agreementHash(agreement),
    parties: { requestor: nameOf(parties.client.identity), provider },
    task: {
      agreement: agreement.agreement_id,
      type: service.type,
      description: service.description,
      deliverable_format: service.deliverable_format,
    },
    scope: z.record(z.string(), z.json()).parse(service.constraints ?? {}),
    prohibitions: isPublic ? [] : ["to show what is delivered, or made of it, to anybody whom the agreement does not name"],
    required_actions: [`deliver ${service.deliverable_format} whose hash is signed`],
    acceptance_criteria: [
      ...gates,
      ...quality.dimensions.flatMap(({ name, slo }) => (slo === undefined ? [] : [`${name} is ${wordsOf(slo)}`])),
      `the composite is at least ${quality.composite_threshold}`,
    ],
    admissibility_floors: { fee_release: floor },
    verifier_policy: {
      // A backup replaces the first evaluator, it does not judge in addition.
      verifiers: [nameOf(judge)],
      count: 1,
      questions: gates.length === 0 ? ["performance"] : ["performance", "policy"],
      confidence_form: "mean",
    },
    economic_terms: { fee: Number(fee), collateral: 0, currency: `smallest unit of ${currency}` },
    deadlines: {
      execution_window_hours: (escrow.dead_mans_switch?.provider_timeout_seconds ?? DEFAULTS.switchSeconds) / HOUR,
      appeal_window_hours:
        verification.strategy === "optimistic" ? (verification.challenge_window_seconds ?? DEFAULTS.challengeSeconds) / HOUR : 0,
    },
    settlement_policy: {
      execution_rail: { name: escrow.binding.type, ...(escrow.binding.chain === undefined ? {} : { mode: escrow.binding.chain }) },
      on_failure: "refund",
      release: {
        protocol_fee_bps: 0,
        insurance_bps: 0,
        agreeing_only: false,
        promises: [{ payee: provider, price: Number(fee), items: ITEMS }],
      },
    },
    finality_policy: { confidence_threshold: 0 },
    bound_at: boundAt,
  };
}

/** Where an awarded slot is paid. */
export interface AwardPlace {
  readonly slot: number;
  /** `eip155:31337`: parties are accounts there. */
  readonly chain: string;
  /** Of the settlement token; it gives the decimals. */
  readonly currency: string;
}

type Bound = ObligationTerms & Partial<Pick<Obligation, "obligation_hash" | "signatures">>;

/**
 * An awarded slot of a mission's node as an agreement (`escrow.binding.type: city`), from the obligation that law and award bound. It adds
 * no terms: the obligation lies in it, and `obligationOf` returns it. The amount is the awarded price, from which the city takes the fees
 * of the obligation's release rule. Throws NothingToDivide if the slot was promised nothing, OtherTerms without `bound_at`.
 */
export function agreementOf({ obligation_hash: _, signatures: __, ...bound }: Bound, { slot, chain, currency }: AwardPlace): Agreement {
  const { parties, task, verifier_policy: policy, deadlines, settlement_policy, bound_at } = bound;
  const promise = settlement_policy?.release?.promises[slot];
  if (promise === undefined) throw new AgreementRefused("NothingToDivide", `Nothing is promised to slot ${slot}`);
  if (bound_at === undefined) throw new AgreementRefused("OtherTerms", "The obligation does not say when it was bound");
  const [window, appeal] = [deadlines.execution_window_hours, deadlines.appeal_window_hours].map((hours) => Math.round(hours * HOUR));
  const identityOf = (name: string) => ({ identity: { scheme: "w3c_did" as const, value: `did:pkh:${chain}:${name}` } });
  const words = bound.acceptance_criteria.map((each) => (typeof each === "string" ? each : each.criterion));
  const isJudgedByMore = (policy.kinds ?? []).some((kind) => kind !== "replay");
  return readAgreement({
    asa_version: "1.0.0",
    agreement_id: `asa-${bound.obligation_id}/${slot}`,
    created_at: bound_at,
    // The end if the work begins at once; where it begins later, the obligation says by which clock.
    expires_at: new Date(Date.parse(bound_at) + ((window ?? 0) + (appeal ?? 0)) * 1_000).toISOString().replace(".000Z", "Z"),
    status: "active",
    parties: {
      client: identityOf(parties.requestor),
      provider: identityOf(promise.payee),
      evaluator: { type: "panel", selection: { mode: "random", criteria: policy.drawn_by ?? policy.verifiers.join(", ") } },
    },
    service: {
      type: typeof task["task"] === "string" ? task["task"] : "general",
      description: [...bound.required_actions, ...words].join("; ").slice(0, MOST_WORDS).toWellFormed(),
      deliverable_format: "json",
      constraints: { max_duration_seconds: window },
    },
    quality_criteria: {
      dimensions: [{ name: "performance", weight: 1, metric: "percentage" }],
      // What passes is paid by its score, however low; what does not pass is not paid.
      composite_threshold: 0,
      composite_method: "weighted_average",
      guarantee_type: "deterministic",
      quality_gates: (policy.questions ?? ["performance", "policy"]).map((question) => ({
        condition: `${question} passes`,
        type: "boolean",
      })),
      gate_logic: "all_must_pass",
    },
    verification: {
      strategy: appeal === 0 ? "immediate" : "optimistic",
      depth: isJudgedByMore ? "composite" : "structural",
      ...(appeal === 0 ? {} : { challenge_window_seconds: appeal }),
    },
    escrow: {
      enabled: true,
      binding: { type: "city", chain, slot, obligation: bound },
      payment: {
        ...{ amount: amountOf(BigInt(promise.price), currency), currency },
        graduated_release: { enabled: true, mode: "continuous" },
      },
      dead_mans_switch: { provider_timeout_seconds: window, timeout_action: "return_to_client" },
    },
  });
}

const MOST_WORDS = 20_000;

/** What `agreementOf` reads of an obligation. The rest is checked by `bindObligation`: its schemas are the clearing library's. */
const readableSchema = z.object({
  obligation_id: z.string(),
  parties: z.object({ requestor: z.string() }),
  task: z.record(z.string(), z.unknown()),
  acceptance_criteria: z.array(z.union([z.string(), z.object({ criterion: z.string() })])),
  required_actions: z.array(z.string()),
  verifier_policy: z.object({
    verifiers: z.array(z.string()),
    ...{ drawn_by: z.string().optional(), kinds: z.array(z.string()).optional(), questions: z.array(z.string()).optional() },
  }),
  deadlines: z.object({ execution_window_hours: z.number(), appeal_window_hours: z.number() }),
  settlement_policy: z.object({ release: z.object({ promises: z.array(z.object({ payee: z.string(), price: z.int() })) }) }),
  bound_at: z.iso.datetime(),
});

const boundSchema = z.looseObject({
  slot: z.int().nonnegative(),
  chain: z.string(),
  obligation: z.custom<ObligationTerms>((value) => readableSchema.safeParse(value).success),
});

/** The obligation that an awarded slot's document holds; the document must be the one that follows from it. Throws OtherTerms. */
function boundUnder(agreement: Agreement): ObligationTerms {
  const found = boundSchema.safeParse(agreement.escrow?.binding).data;
  const currency = agreement.escrow?.payment.currency ?? "";
  if (found === undefined || agreementHash(agreementOf(found.obligation, { ...found, currency })) !== agreementHash(agreement))
    throw new AgreementRefused("OtherTerms", "This is not what law and award bound", undefined, "read the slot again by agreementOf");
  return found.obligation;
}

/**
 * Converts a result to a verifier's output. The question is how much is released, not who was right: a result below the threshold for which
 * the tiers still pay passes with that share as its score; one that releases nothing fails; an incomplete one abstains.
 */
export function answerOf(
  agreement: Agreement,
  { determination }: Pick<VerificationResult, "determination">,
  { nameOf = nameIn }: Pick<Binding, "nameOf"> = {},
): Pick<VerifierOutput, "answers" | "verdict" | "confidence" | "score" | "agreeing"> {
  const { result, payment_release_percent, confidence } = determination;
  const score = Math.min(WHOLE, hundredths(payment_release_percent)) / WHOLE;
  const gated = (agreement.quality_criteria.quality_gates ?? []).length > 0;
  return {
    answers: [{ question: "performance" }, ...(gated ? [{ question: "policy" as const }] : [])],
    verdict: result === "incomplete" ? "ABSTAIN" : score > 0 ? "PASS" : "FAIL",
    confidence: Math.floor(confidence * WHOLE) / WHOLE,
    score,
    agreeing: [nameOf(agreement.parties.provider.identity)],
  };
}

const nameIn = ({ scheme, value }: PartyIdentity): string => `${scheme}:${value}`;

function wordsOf({ operator, value }: Slo): string {
  return `${ORDER[operator]} ${Array.isArray(value) ? value.join(" and ") : String(value)}`;
}
