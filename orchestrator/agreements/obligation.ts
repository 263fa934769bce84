import { z } from "zod";
import type { ObligationTerms } from "../clearing/obligation.ts";
import type { VerifierOutput } from "../clearing/verifier-output.ts";
import { agreementHash } from "./canonical.ts";
import { AgreementRefused } from "./errors.ts";
import { drawnOf, type NominationRound, type OpenedNonces } from "./evaluators.ts";
import { hundredths, unitsOf, WHOLE } from "./money.ts";
import { type Agreement, DEFAULTS, isDrawn, judgesAsked, type PartyIdentity, type Slo } from "./schema.ts";
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
 * drawn.
 */
export function obligationOf(
  agreement: Agreement,
  { floor, boundAt, nameOf = nameIn, nonces = {}, rounds = [] }: Binding,
): ObligationTerms {
  const { parties, service, quality_criteria: quality, verification, escrow } = agreement;
  if (escrow === undefined || !escrow.enabled) throw new AgreementRefused("NothingToDivide", "The agreement has no escrow");
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
