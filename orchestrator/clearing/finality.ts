import { z } from "zod";
import type { Hash } from "../primitives/hex.ts";
import type { ClearingDecision } from "./clearing-decision.ts";
import type { Deployment } from "./deployment.ts";
import { digestSchema, nameSchema, secondsOf, timeOf, timeSchema } from "./fields.ts";
import type { Obligation } from "./obligation.ts";
import { hashOf, messageOf, signHash, without } from "./seal.ts";
import type { SettlementInstruction } from "./settlement-instruction.ts";
import { type Signer, signatureSchema } from "./signature.ts";

/** One evaluation of ϕ (RAILS 4.7, A.3.7). The fourth conjunct is two clauses there: the window, and no appeal in it. */
export const finalityEvaluationSchema = z.strictObject({
  finality_evaluation_id: digestSchema,
  instruction_id: digestSchema,
  clearing_decision_hash: digestSchema,
  evaluated_at: timeSchema,
  predicate_clauses: z.strictObject({
    admissibility_floor_met: z.boolean(),
    confidence_above_threshold: z.boolean(),
    no_unresolved_verifier_conflict: z.boolean(),
    appeal_window_elapsed: z.boolean(),
    no_appeal_filed: z.boolean(),
  }),
  phi_result: z.boolean(),
  transition: z.literal("PROVISIONAL -> FINAL").optional(),
  clearing_engine: nameSchema,
  clearing_engine_signature: signatureSchema,
});
export type FinalityEvaluation = z.infer<typeof finalityEvaluationSchema>;

/** ε: what happened since the decision was emitted. */
export interface Environment {
  /** When each appeal against this decision was filed. One outside the window is none. */
  readonly appealsFiledAt: readonly string[];
  /** Clauses whose conflict somebody with the right to has resolved. */
  readonly resolvedConflicts: readonly string[];
}

export interface FinalityInput {
  readonly obligation: Obligation;
  readonly decision: ClearingDecision;
  readonly instruction: SettlementInstruction;
  readonly environment: Environment;
  readonly engine: Signer;
  /** Seconds since 1970. */
  readonly now: bigint;
}

/** Evaluates ϕ. The conjunction is strict: the instruction stays reversible while one clause is false. */
export function evaluateFinality({ obligation, decision, instruction, environment, engine, now }: FinalityInput): FinalityEvaluation {
  const closes = secondsOf(decision.appeal_window_closes_at);
  const clauses = {
    admissibility_floor_met: finalFloorMet(decision),
    confidence_above_threshold: confidenceOf(decision) >= (obligation.finality_policy?.confidence_threshold ?? 0),
    no_unresolved_verifier_conflict: decision.unresolved_conflicts.every((clause) => environment.resolvedConflicts.includes(clause)),
    appeal_window_elapsed: Number(now) >= closes,
    no_appeal_filed: !environment.appealsFiledAt.some((filed) => secondsOf(filed) <= closes),
  };
  const fires = Object.values(clauses).every(Boolean);
  const body = {
    instruction_id: instruction.instruction_id,
    clearing_decision_hash: decision.clearing_decision_hash,
    evaluated_at: timeOf(now),
    predicate_clauses: clauses,
    phi_result: fires,
    ...(fires ? { transition: "PROVISIONAL -> FINAL" as const } : {}),
    clearing_engine: engine.id,
  };
  const id = hashOf(body);
  return { ...body, finality_evaluation_id: id, clearing_engine_signature: signHash(engine, "finality", id) };
}

export function evaluationId(evaluation: FinalityEvaluation): Hash {
  return hashOf(without(evaluation, "finality_evaluation_id", "clearing_engine_signature"));
}

export function isEvaluationSigned(evaluation: FinalityEvaluation, { registry, verify }: Deployment): boolean {
  const id = evaluationId(evaluation);
  const key = registry.identity(evaluation.clearing_engine)?.key;
  return (
    id === evaluation.finality_evaluation_id &&
    key !== undefined &&
    verify(key, messageOf("finality", id), evaluation.clearing_engine_signature)
  );
}

/** Decided under the floor of the final settlement, and decided the same. */
function finalFloorMet({ floor_met, performance, policy, outcomes: { final_settlement: final } }: ClearingDecision): boolean {
  return floor_met && final.floor_met && final.performance === performance && final.policy === policy;
}

/** The least of the figures that the decision rests on: a sure policy answer does not lend confidence to a doubtful performance. */
function confidenceOf({ aggregate_confidence, question_confidence, performance, policy }: ClearingDecision): number {
  return Math.min(
    aggregate_confidence,
    performance === "not_asked" ? 1 : question_confidence.performance,
    policy === "not_asked" ? 1 : question_confidence.policy,
  );
}
