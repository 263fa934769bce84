import { z } from "zod";
import type { Hash } from "../primitives/hex.ts";
import type { BoundObligation } from "./bind.ts";
import { appealsUntil, type ClearingDecision, isSigned } from "./clearing-decision.ts";
import type { Deployment } from "./deployment.ts";
import type { Docket } from "./docket.ts";
import { engineProblem, isEngineRecord, requireEngine } from "./engine.ts";
import type { EvidenceItem } from "./evidence-envelope.ts";
import { digestSchema, nameSchema, secondsOf, timeOf, timeSchema } from "./fields.ts";
import { isOverrideSigned, type OverrideRecord } from "./override.ts";
import { accept, type Checked, refuse } from "./refusal.ts";
import { hashOf, signHash, without } from "./seal.ts";
import { isInstructionSigned, type SettlementInstruction } from "./settlement-instruction.ts";
import { type Signer, signatureSchema } from "./signature.ts";
import { isPaidByX402, isReceiptOf } from "./x402.ts";

/** One evaluation of ϕ (RAILS 4.7, A.3.7). Its fourth conjunct is two clauses here: the window, and no appeal within it. */
export const finalityEvaluationSchema = z.strictObject({
  finality_evaluation_id: digestSchema,
  obligation_hash: digestSchema,
  instruction_id: digestSchema,
  clearing_decision_hash: digestSchema,
  evaluated_at: timeSchema,
  predicate_clauses: z.strictObject({
    admissibility_floor_met: z.boolean(),
    confidence_above_threshold: z.boolean(),
    no_unresolved_verifier_conflict: z.boolean(),
    appeal_window_elapsed: z.boolean(),
    no_appeal_filed: z.boolean(),
    /** For an irreversible rail: a receipt proves that the instruction was paid. */
    payment_receipt_held: z.boolean().optional(),
  }),
  phi_result: z.boolean(),
  transition: z.literal("PROVISIONAL -> FINAL").optional(),
  clearing_engine: nameSchema,
  clearing_engine_signature: signatureSchema,
});
export type FinalityEvaluation = z.infer<typeof finalityEvaluationSchema>;

/** ε: events since the decision. */
export interface Environment {
  /** Times of appeals against this decision. Appeals outside the window, rejected or undecided ones do not count. */
  readonly appealsFiledAt: readonly string[];
  /** Clauses whose conflict an authorised party has resolved. */
  readonly resolvedConflicts: readonly string[];
}

export interface FinalityInput {
  readonly obligation: BoundObligation;
  /** The instruction's basis: the engine's decision, or the human act that replaced it. */
  readonly decision: ClearingDecision | OverrideRecord;
  readonly instruction: SettlementInstruction;
  /** The docket with the current instruction. */
  readonly docket: Docket;
  readonly deployment: Deployment;
  readonly environment: Environment;
  /** Proof of payment, if the rail is x402 (`receiptOf`). */
  readonly receipt?: EvidenceItem | undefined;
  readonly engine: Signer;
  /** Seconds since 1970. */
  readonly now: bigint;
}

/**
 * Evaluates ϕ after verifying every anchor: the decision is for this obligation and by its engine, the instruction follows from it, and no
 * other has replaced it. The conjunction is strict: the instruction stays reversible while one clause is false. Throws NotTheEngine if the
 * caller may not evaluate this.
 */
export function evaluateFinality(input: FinalityInput): Checked<FinalityEvaluation> {
  const { obligation, decision, instruction, deployment, environment, engine, now } = input;
  requireEngine(engine.id, obligation, deployment);
  const anchor = anchorOf(decision);
  const loose = isOverride(decision) ? looseOverride(decision, input) : looseDecision(decision, input);
  if (loose !== undefined) return refuse("DECISION_ANCHOR", anchor, loose);
  const unsupported = input.docket.problem(obligation, deployment);
  if (unsupported !== undefined) return refuse("DOCKET_UNSUPPORTED", obligation.obligation_hash, unsupported);
  const stray = strayInstruction(input);
  if (stray !== undefined) return refuse("INSTRUCTION_ANCHOR", instruction.instruction_id, stray);
  const receipt = receiptClause(input);
  if (!receipt.ok) return receipt;
  const closes = secondsOf(decision.appeal_window_closes_at);
  const clauses = {
    // A recorded human ruling rests on the floors, has full confidence, and resolves the conflict.
    admissibility_floor_met: isOverride(decision) || finalFloorMet(decision),
    confidence_above_threshold: isOverride(decision) || confidenceOf(decision) >= (obligation.finality_policy?.confidence_threshold ?? 0),
    no_unresolved_verifier_conflict:
      isOverride(decision) || decision.unresolved_conflicts.every((clause) => environment.resolvedConflicts.includes(clause)),
    appeal_window_elapsed: Number(now) >= closes,
    no_appeal_filed: !environment.appealsFiledAt.some((filed) => secondsOf(filed) <= closes),
    ...receipt.value,
  };
  const fires = Object.values(clauses).every(Boolean);
  const body = {
    obligation_hash: obligation.obligation_hash,
    instruction_id: instruction.instruction_id,
    clearing_decision_hash: anchor,
    evaluated_at: timeOf(now),
    predicate_clauses: clauses,
    phi_result: fires,
    ...(fires ? { transition: "PROVISIONAL -> FINAL" as const } : {}),
    clearing_engine: engine.id,
  };
  const id = hashOf(body);
  return accept({ ...body, finality_evaluation_id: id, clearing_engine_signature: signHash(engine, "finality", id) });
}

/** An x402 payment must be made before finality; other rails have no such clause. */
function receiptClause(input: FinalityInput): Checked<{ readonly payment_receipt_held?: boolean }> {
  const { instruction, receipt } = input;
  if (!isPaidByX402(instruction)) return accept({});
  if (receipt === undefined) return accept({ payment_receipt_held: false });
  const held = isReceiptOf(instruction, receipt, input);
  return held.ok ? accept({ payment_receipt_held: held.value }) : held;
}

function isOverride(decision: ClearingDecision | OverrideRecord): decision is OverrideRecord {
  return "override_id" in decision;
}

/** Hash by which an instruction names what it follows from. */
export function anchorOf(decision: ClearingDecision | OverrideRecord): Hash {
  return isOverride(decision) ? decision.override_id : decision.clearing_decision_hash;
}

/** Why an override record is not for this obligation or not by its engine; undefined if it is. */
function looseOverride(override: OverrideRecord, { obligation, deployment }: FinalityInput): string | undefined {
  if (override.obligation_hash !== obligation.obligation_hash) return "it is about another obligation";
  if (!isOverrideSigned(override, deployment)) return "it is not what an engine signed";
  return engineProblem(override.clearing_engine, obligation, deployment);
}

/** Why a decision is not for this obligation or not by its engine; undefined if it is. */
function looseDecision(decision: ClearingDecision, { obligation, deployment }: FinalityInput): string | undefined {
  if (decision.obligation_hash !== obligation.obligation_hash) return "it decides another obligation";
  if (!isSigned(decision, deployment)) return "it is not what an engine signed";
  if (decision.appeal_window_closes_at !== appealsUntil(secondsOf(decision.emitted_at), obligation))
    return "its appeal window is not the obligation's";
  return engineProblem(decision.clearing_engine, obligation, deployment);
}

/** Why an instruction is not the current one of this decision; undefined if it is. */
function strayInstruction({ obligation, decision, instruction, docket, deployment }: FinalityInput): string | undefined {
  if (instruction.clearing_decision_hash !== anchorOf(decision)) return "another decision brought it about";
  if (instruction.obligation_hash !== obligation.obligation_hash) return "it settles another obligation";
  if (instruction.clearing_engine !== decision.clearing_engine) return `${decision.clearing_engine} decided, not its signer`;
  if (!isInstructionSigned(instruction, deployment)) return "it is not what an engine signed";
  const entry = docket.entry(obligation.obligation_hash);
  if (entry?.instruction !== instruction.instruction_id) return "the docket does not have it";
  return entry.state.stage === "SETTLEMENT_INSTRUCTION" || entry.state.stage === "FINALITY" ? undefined : `it is in ${entry.state.stage}`;
}

export function evaluationId(evaluation: FinalityEvaluation): Hash {
  return hashOf(without(evaluation, "finality_evaluation_id", "clearing_engine_signature"));
}

/** Whether a registered engine signed this evaluation. */
export function isEvaluationSigned(evaluation: FinalityEvaluation, deployment: Deployment): boolean {
  return isEngineRecord(evaluation, "finality", "finality_evaluation_id", deployment);
}

/** Whether the final settlement's floor gives the same decision. */
function finalFloorMet({ floor_met, performance, policy, outcomes: { final_settlement: final } }: ClearingDecision): boolean {
  return floor_met && final.floor_met && final.performance === performance && final.policy === policy;
}

/** The lowest confidence of the decided questions: a confident policy answer does not raise a doubtful performance. */
function confidenceOf({ aggregate_confidence, question_confidence, performance, policy }: ClearingDecision): number {
  return Math.min(
    aggregate_confidence,
    performance === "not_asked" ? 1 : question_confidence.performance,
    policy === "not_asked" ? 1 : question_confidence.policy,
  );
}
