import { z } from "zod";
import type { Hash } from "../primitives/hex.ts";
import { EXPOSURE_BANDS } from "../protocol/exposure.ts";
import { type Aggregate, type AggregationTerms, aggregate } from "./aggregate.ts";
import type { BoundObligation } from "./bind.ts";
import { unmetCriteria } from "./criteria.ts";
import type { Deployment } from "./deployment.ts";
import { isEngineSignature, requireEngine } from "./engine.ts";
import { escalate, intensityFor } from "./exposure.ts";
import {
  classSchema,
  digestSchema,
  fromBps,
  type LossEstimate,
  lossSchema,
  nameSchema,
  QUESTIONS,
  shareSchema,
  timeOf,
  timeSchema,
  toBps,
} from "./fields.ts";
import type { AdmittedEnvelope } from "./ingest.ts";
import { floorFor, majorityOf, type Obligation, type Purpose } from "./obligation.ts";
import type { Guard, Refusal } from "./refusal.ts";
import { hashOf, messageOf, signHash, without } from "./seal.ts";
import { type Signer, signatureSchema } from "./signature.ts";
import { isDecided, type Verdict } from "./verdict.ts";
import { AdmittedOutput, type Fault } from "./verifier-output.ts";
import { missingEvidence, triage } from "./verifiers/triage.ts";

const performanceSchema = z.enum(["cleared", "failed", "disputed", "unverifiable", "not_asked"]);
const policySchema = z.enum(["complied", "violated", "disputed", "unverifiable", "not_asked"]);

/** Number of verifiers by finding, for one required kind of judging. Human decisions are separate acts and not included. */
const kindSchema = z.strictObject({
  kind: nameSchema,
  passed: z.int().nonnegative(),
  failed: z.int().nonnegative(),
  silent: z.int().nonnegative(),
});

const quorumSchema = z.strictObject({ required: z.int().nonnegative(), surviving: z.int().nonnegative() });

const outcomeSchema = z.strictObject({
  performance: performanceSchema,
  policy: policySchema,
  floors: z.strictObject({ performance: classSchema, policy: classSchema }),
  floor_met: z.boolean(),
  quorum: quorumSchema,
});

/** The canonical output (RAILS 4.6, A.3.4). The verdicts are those under the fee's floor; `outcomes` contains the other uses'. */
export const clearingDecisionSchema = z.strictObject({
  clearing_decision_hash: digestSchema,
  obligation_hash: digestSchema,
  envelope_id: digestSchema,
  /** The appeal whose evidence it judges as well; the decision before it counts for nothing. */
  appeal_id: digestSchema.optional(),
  performance: performanceSchema,
  policy: policySchema,
  fault: z.enum(["none", "provider_agent", "requestor", "third_party"]),
  loss_estimate: lossSchema.optional(),
  aggregate_confidence: shareSchema,
  question_confidence: z.strictObject({ performance: shareSchema, policy: shareSchema }),
  aggregate_basis: z.array(digestSchema).readonly(),
  class_of_basis: classSchema,
  floor_met: z.boolean(),
  /** Required and actual number of admitted verdicts. */
  quorum: quorumSchema,
  /** Findings by required kind. A passing verdict is supported by every one of them. */
  kinds: z.array(kindSchema).readonly().optional(),
  /** Types of required evidence that ingest did not admit at their class. */
  missing_evidence: z.array(nameSchema).readonly(),
  /** Acceptance criteria that the evidence does not meet, in their words; absent if it meets all. */
  unmet_criteria: z.array(nameSchema).min(1).readonly().optional(),
  outcomes: z.strictObject({ collateral_hold: outcomeSchema, final_settlement: outcomeSchema }),
  surviving_verifiers: z.array(nameSchema).readonly(),
  excluded_verifiers: z.array(nameSchema).readonly(),
  exclusion_reasons: z.record(nameSchema, z.string()).readonly(),
  /** The drawn panel, if a rule draws it. */
  panel: z.array(nameSchema).readonly().optional(),
  /** Basis of a release rule's payments: the score, and the parties whose work is proven above the floor and, if compared, agrees. */
  score: shareSchema.optional(),
  agreeing: z.array(nameSchema).readonly().optional(),
  payees: z.array(nameSchema).readonly().optional(),
  /** V_out by hash, of all admitted outputs. */
  verifier_outputs: z.array(digestSchema).readonly(),
  unresolved_conflicts: z.array(z.string()).readonly(),
  /** The always-on score of the output (RAILS 7.2), independent of the panel. */
  triage_score: shareSchema,
  /** The band whose quorum was needed, where the deployment knows exposures: one above the obligation's after a poor triage score. */
  band: z.enum(EXPOSURE_BANDS).optional(),
  finality: z.literal("PROVISIONAL"),
  emitted_at: timeSchema,
  appeal_window_closes_at: timeSchema,
  clearing_engine: nameSchema,
  clearing_engine_signature: signatureSchema,
  verifier_cosignatures: z.record(nameSchema, signatureSchema).readonly(),
});
export type ClearingDecision = z.infer<typeof clearingDecisionSchema>;

/** A decision with its inputs, which settlement needs and a document alone cannot prove. */
export interface Cleared {
  readonly obligation: BoundObligation;
  readonly decision: ClearingDecision;
  /** Γ under the floors of each use. */
  readonly aggregates: Readonly<Record<Purpose, Aggregate>>;
  /** Rejected outputs, with reasons. */
  readonly refusals: readonly Refusal[];
  /** Number of items that claimed more than they proved, by who submitted them. */
  readonly forgeries: Readonly<Record<string, number>>;
}

/** Prior weight of a verifier in basis points; 5000 for one without a history (A.4.2). */
export type WeightOf = (verifier: string) => number;
export const NEW_VERIFIER_WEIGHT = 5000;

export interface ClearingInput {
  readonly obligation: BoundObligation;
  readonly envelope: AdmittedEnvelope;
  /** Verifier outputs as received. */
  readonly outputs: readonly unknown[];
  readonly deployment: Deployment;
  readonly weightOf?: WeightOf;
  /** Weight of the whole panel, of which a side needs more than half; without it, more than the other side has. */
  readonly drawn?: number;
  /** Size of the panel; a side needs more than half of its members as well. */
  readonly members?: number;
  /** The drawn panel, if the obligation leaves that to a rule. */
  readonly panel?: readonly string[];
  /** Must be the engine of this obligation. */
  readonly engine: Signer;
  /** Seconds since 1970. */
  readonly now: bigint;
}

/** Refusals that do not indicate dishonesty. */
const INNOCENT: readonly Guard[] = ["STALE", "REGISTRATION_NOT_IN_FORCE", "CHAIN_TOO_LONG"];

/**
 * Adjudication (RAILS 6.1, stage 8): checks every output, runs Γ under each floor and signs the decision. Deterministic. Never throws
 * because of others' input; throws NotTheEngine if the caller may not clear this obligation.
 */
export function clear({
  obligation,
  envelope,
  outputs,
  deployment,
  weightOf = () => NEW_VERIFIER_WEIGHT,
  drawn = 0,
  members = 0,
  panel,
  engine,
  now,
}: ClearingInput): Cleared {
  requireEngine(engine.id, obligation, deployment);
  const seats = panelOf(obligation, panel);
  const { admitted, refusals } = admitOutputs(outputs, obligation, envelope, deployment, { weightOf, seats });
  const file = { obligation, envelope, admissibility: deployment.admissibility };
  const missing = [...new Set(missingEvidence(file).map(({ type }) => type))];
  const unmet = unmetCriteria(file).map(({ criterion }) => criterion);
  const { score: triaged } = triage(file, deployment.scorers);
  const intensity = intensityAfter(triaged, obligation, deployment);
  const aggregates = aggregatesOf(admitted, obligation, deployment, {
    ...{ drawn, members, missing: [...missing, ...unmet], demanded: intensity?.quorum ?? 0 },
  });
  const main = aggregates.fee_release;
  const loss = lossOf(main);
  const body = {
    obligation_hash: obligation.obligation_hash,
    envelope_id: envelope.envelope.envelope_id,
    ...(envelope.reopened === undefined ? {} : { appeal_id: envelope.reopened.appeal }),
    performance: PERFORMANCE[main.verdicts.performance.status],
    policy: POLICY[main.verdicts.policy.status],
    fault: faultOf(main),
    ...(loss === undefined ? {} : { loss_estimate: loss }),
    aggregate_confidence: fromBps(main.confidence),
    question_confidence: {
      performance: fromBps(main.verdicts.performance.confidence),
      policy: fromBps(main.verdicts.policy.confidence),
    },
    aggregate_basis: main.basis.map(({ hash }) => hash),
    class_of_basis: main.class,
    floor_met: floorMet(main),
    quorum: main.quorum,
    ...kindsOf(admitted, obligation),
    missing_evidence: missing,
    ...(unmet.length === 0 ? {} : { unmet_criteria: unmet }),
    ...(panel === undefined ? {} : { panel: seats }),
    ...(main.score === undefined ? {} : { score: fromBps(main.score) }),
    ...(main.agreeing === undefined ? {} : { agreeing: main.agreeing }),
    ...payeesOf(main, obligation, envelope, deployment),
    outcomes: {
      collateral_hold: outcomeOf(obligation, "collateral_hold", aggregates.collateral_hold),
      final_settlement: outcomeOf(obligation, "final_settlement", aggregates.final_settlement),
    },
    surviving_verifiers: main.survivors.map(({ output }) => output.verifier),
    excluded_verifiers: main.excluded.map(({ verifier }) => verifier),
    exclusion_reasons: Object.fromEntries(main.excluded.map(({ verifier, reason }) => [verifier, reason])),
    verifier_outputs: admitted.map(({ hash }) => hash),
    unresolved_conflicts: QUESTIONS.flatMap((question) => main.verdicts[question].conflicts),
    triage_score: fromBps(triaged),
    ...(intensity === undefined ? {} : { band: intensity.band }),
    finality: "PROVISIONAL" as const,
    emitted_at: timeOf(now),
    appeal_window_closes_at: appealsUntil(Number(now), obligation),
    clearing_engine: engine.id,
  };
  const hash = hashOf(body);
  const decision: ClearingDecision = {
    ...body,
    clearing_decision_hash: hash,
    clearing_engine_signature: signHash(engine, "clearing-decision", hash),
    verifier_cosignatures: {},
  };
  return { obligation, decision, aggregates, refusals, forgeries: forgeriesIn(envelope) };
}

/** An appeal does not undo what was tried before it. */
function forgeriesIn({ envelope: { submitted_by }, refusals, reopened }: AdmittedEnvelope): Readonly<Record<string, number>> {
  const before = reopened === undefined ? {} : forgeriesIn(reopened.decided);
  const found = refusals.filter(({ guard }) => !INNOCENT.includes(guard)).length;
  return found === 0 ? before : { ...before, [submitted_by]: (before[submitted_by] ?? 0) + found };
}

/** Requirements of the obligation's band, or of the next one after a poor triage score; undefined without known exposures. */
function intensityAfter(triaged: number, obligation: Obligation, { exposure }: Deployment) {
  if (exposure === undefined) return undefined;
  const band = escalate(intensityFor(exposure.of(obligation), exposure.config).band, triaged);
  return { band, ...exposure.config.bands[band] };
}

/** The drawn members, at most as many as the obligation has seats; without a draw, the named ones. */
function panelOf({ verifier_policy: { verifiers, count, drawn_by } }: Obligation, drawn: readonly string[] = []): readonly string[] {
  return drawn_by === undefined ? verifiers : [...new Set(drawn)].slice(0, count);
}

/** The parties that a passing decision pays, if there is a release rule. */
function payeesOf(
  { verdicts, agreeing = [] }: Aggregate,
  obligation: Obligation,
  { items }: AdmittedEnvelope,
  { admissibility }: Deployment,
): Pick<ClearingDecision, "payees"> {
  const release = obligation.settlement_policy?.release;
  const asked = QUESTIONS.filter((question) => verdicts[question].status !== "NOT_ASKED");
  if (release === undefined || asked.length === 0 || !asked.every((question) => verdicts[question].status === "PASS")) return {};
  const floors = asked.map((question) => floorFor(obligation, "fee_release", question));
  const shown = [...items.values()].filter((item) => floors.every((floor) => admissibility.geq(item.class, floor)));
  const due = release.promises.filter(
    ({ payee, items: prefix }) =>
      (!release.agreeing_only || agreeing.includes(payee)) && shown.some(({ item }) => item.id.startsWith(prefix)),
  );
  return { payees: due.map(({ payee }) => payee) };
}

/** Findings of the admitted outputs by kind, surviving or not. */
function kindsOf(admitted: readonly AdmittedOutput[], { verifier_policy: { kinds } }: Obligation): Pick<ClearingDecision, "kinds"> {
  if (kinds === undefined) return {};
  const found = admitted.flatMap(({ output }) => output.findings ?? []);
  const count = (kind: string, verdict: string) => found.filter((each) => each.kind === kind && each.verdict === verdict).length;
  return {
    kinds: kinds.map((kind) => ({ kind, passed: count(kind, "PASS"), failed: count(kind, "FAIL"), silent: count(kind, "ABSTAIN") })),
  };
}

interface Asking {
  readonly drawn: number;
  readonly members: number;
  readonly missing: readonly string[];
  /** Quorum of the obligation's band. */
  readonly demanded: number;
}

/** Γ under the floors of each use; once for uses with the same floors. */
function aggregatesOf(
  outputs: readonly AdmittedOutput[],
  obligation: Obligation,
  { admissibility }: Deployment,
  { drawn, members, missing, demanded }: Asking,
): Cleared["aggregates"] {
  // With a drawn panel weight and members decide, as on chain, so there is no minimum number of verdicts unless a band demands one.
  const { count, quorum: agreed = drawn > 0 ? 0 : majorityOf(count) } = obligation.verifier_policy;
  const quorum = Math.max(agreed, demanded);
  const done = new Map<string, Aggregate>();
  const under = (purpose: Purpose): Aggregate => {
    const terms = { ...termsOf(obligation, purpose), drawn, members, quorum, missing };
    const key = `${terms.floors.performance} ${terms.floors.policy}`;
    const result = done.get(key) ?? aggregate(outputs, terms, admissibility);
    done.set(key, result);
    return result;
  };
  return { fee_release: under("fee_release"), collateral_hold: under("collateral_hold"), final_settlement: under("final_settlement") };
}

/** Surviving verifiers may also sign the decision; signatures of others, or over another decision, are dropped. */
export function cosign(decision: ClearingDecision, cosigners: readonly Signer[]): ClearingDecision {
  const message = decision.clearing_decision_hash;
  const signatures = cosigners
    .filter(({ id }) => decision.surviving_verifiers.includes(id))
    .map((cosigner) => [cosigner.id, signHash(cosigner, "clearing-decision", message)] as const);
  return { ...decision, verifier_cosignatures: { ...decision.verifier_cosignatures, ...Object.fromEntries(signatures) } };
}

export function decisionHash(decision: ClearingDecision): Hash {
  return hashOf(without(decision, "clearing_decision_hash", "clearing_engine_signature", "verifier_cosignatures"));
}

/**
 * Whether a registered engine signed this decision document. Only a repeated clearing verifies its statements on evidence, and only
 * `engineProblem` whether that engine may clear this obligation.
 */
export function isSigned(decision: ClearingDecision, deployment: Deployment): boolean {
  const { registry, verify } = deployment;
  const hash = decisionHash(decision);
  const signed = (id: string, signature: ClearingDecision["clearing_engine_signature"]) => {
    const key = registry.identity(id)?.key;
    return key !== undefined && verify(key, messageOf("clearing-decision", hash), signature);
  };
  return (
    hash === decision.clearing_decision_hash &&
    isEngineSignature(decision.clearing_engine, "clearing-decision", hash, decision.clearing_engine_signature, deployment) &&
    Object.entries(decision.verifier_cosignatures).every(
      ([verifier, signature]) => decision.surviving_verifiers.includes(verifier) && signed(verifier, signature),
    )
  );
}

/** The parts of an obligation that Γ reads for one use. */
export function termsOf(obligation: Obligation, purpose: Purpose): AggregationTerms {
  const {
    questions = QUESTIONS,
    clauses,
    min_confidence = 0,
    confidence_form = "mass",
    conflict = "majority",
  } = obligation.verifier_policy;
  return {
    floors: { performance: floorFor(obligation, purpose, "performance"), policy: floorFor(obligation, purpose, "policy") },
    questions,
    clauses: { performance: clauses?.performance ?? [], policy: clauses?.policy ?? [] },
    minConfidence: toBps(min_confidence),
    confidenceForm: confidence_form,
    conflict,
  };
}

function admitOutputs(
  outputs: readonly unknown[],
  obligation: BoundObligation,
  envelope: AdmittedEnvelope,
  deployment: Deployment,
  { weightOf, seats }: { readonly weightOf: WeightOf; readonly seats: readonly string[] },
): { readonly admitted: readonly AdmittedOutput[]; readonly refusals: readonly Refusal[] } {
  const admitted = new Map<string, AdmittedOutput>();
  const refusals: Refusal[] = [];
  const twice = new Set<string>();
  for (const document of outputs) {
    const checked = AdmittedOutput.admit(document, obligation, envelope, deployment, seats);
    if (!checked.ok) {
      refusals.push(...checked.refusals);
      continue;
    }
    const { verifier } = checked.value.output;
    const earlier = admitted.get(verifier);
    if (earlier === undefined) admitted.set(verifier, checked.value.weighing(weightOf(verifier)));
    else if (earlier.hash !== checked.value.hash) twice.add(verifier);
  }
  // Neither of two answers by one verifier counts, so that the order of arrival does not matter.
  for (const verifier of twice) {
    admitted.delete(verifier);
    refusals.push({ guard: "DUPLICATE_OUTPUT", subject: verifier, details: "signed two different outputs for one envelope" });
  }
  const byName = [...admitted.values()].sort((a, b) => (a.output.verifier < b.output.verifier ? -1 : 1));
  return { admitted: byName, refusals };
}

function outcomeOf(obligation: Obligation, purpose: Purpose, result: Aggregate): ClearingDecision["outcomes"]["final_settlement"] {
  return {
    performance: PERFORMANCE[result.verdicts.performance.status],
    policy: POLICY[result.verdicts.policy.status],
    floors: termsOf(obligation, purpose).floors,
    floor_met: floorMet(result),
    quorum: result.quorum,
  };
}

/** When a decision made at this time is no longer open to appeal. */
export function appealsUntil(emittedAt: number, { deadlines }: Pick<Obligation, "deadlines">): string {
  return timeOf(emittedAt + Math.round(deadlines.appeal_window_hours * 3600));
}

/** Whether every asked question is decided, and so has a basis at or above its floor. */
export function floorMet({ verdicts }: Aggregate): boolean {
  const asked = QUESTIONS.map((question) => verdicts[question]).filter(({ status }) => status !== "NOT_ASKED");
  return asked.length > 0 && asked.every(isDecided);
}

/** The party at fault: the heaviest attribution among the failing verdicts; the provider if they name none (RAILS 4.6). */
function faultOf(result: Aggregate): ClearingDecision["fault"] {
  const weights = new Map<Fault, number>();
  for (const { output, weight } of failing(result)) {
    const fault = output.fault ?? "provider_agent";
    weights.set(fault, (weights.get(fault) ?? 0) + weight);
  }
  const [heaviest] = [...weights].sort(([a, weightA], [b, weightB]) => weightB - weightA || (a < b ? -1 : 1));
  return heaviest?.[0] ?? "none";
}

/** Weighted point estimates, and the union of the ranges. */
function lossOf(result: Aggregate): LossEstimate | undefined {
  const estimates = failing(result).flatMap(({ output, weight }) =>
    output.loss_estimate === undefined ? [] : [{ ...output.loss_estimate, weight }],
  );
  const [first] = estimates;
  if (first === undefined) return undefined;
  const weight = estimates.reduce((sum, estimate) => sum + estimate.weight, 0);
  const interval = Math.min(...estimates.map(({ confidence_interval = 1 }) => confidence_interval));
  return {
    point: Math.round(estimates.reduce((sum, estimate) => sum + estimate.weight * estimate.point, 0) / weight),
    calibration_range_low: Math.min(...estimates.map((estimate) => estimate.calibration_range_low ?? estimate.point)),
    calibration_range_high: Math.max(...estimates.map((estimate) => estimate.calibration_range_high ?? estimate.point)),
    ...(interval < 1 ? { confidence_interval: interval } : {}),
    currency: first.currency,
  };
}

/** Surviving FAIL outputs of the questions that failed. */
function failing({ survivors, verdicts }: Aggregate): readonly AdmittedOutput[] {
  const failed = QUESTIONS.filter((question) => verdicts[question].status === "FAIL");
  return survivors.filter(({ output }) => output.verdict === "FAIL" && output.answers.some(({ question }) => failed.includes(question)));
}

const PERFORMANCE = {
  PASS: "cleared",
  FAIL: "failed",
  DISPUTED: "disputed",
  UNVERIFIABLE: "unverifiable",
  NOT_ASKED: "not_asked",
} as const satisfies Record<Verdict["status"], ClearingDecision["performance"]>;

const POLICY = {
  PASS: "complied",
  FAIL: "violated",
  DISPUTED: "disputed",
  UNVERIFIABLE: "unverifiable",
  NOT_ASKED: "not_asked",
} as const satisfies Record<Verdict["status"], ClearingDecision["policy"]>;
