import type { Deployment } from "./deployment.ts";
import { type FinalityEvaluation, isEvaluationSigned } from "./finality.ts";
import { accept, type Checked, refuse } from "./refusal.ts";
import { collateralEndOf, isInstructionSigned, type SettlementInstruction } from "./settlement-instruction.ts";

/** States in which settlement-risk standards end (RAILS 9.4, Figure 13): the payment released or refunded, the collateral slashed, the claim paid. */
export const TERMINAL_STATES = ["released", "refunded", "slashed", "claimed"] as const;
export type TerminalState = (typeof TERMINAL_STATES)[number];

/** A terminal state, and how much of the money reaches it. */
export interface Reached {
  readonly state: TerminalState;
  readonly amount: number;
}

/**
 * The terminal states of such a standard that a final instruction comes to, for a consumer that holds the escrow: it needs no other document of
 * the clearing. Those standards know no partial release: it is one part released and one refunded. Refuses with NOT_FINAL before ϕ fired.
 */
export function terminalStatesOf(
  instruction: SettlementInstruction,
  evaluation: FinalityEvaluation,
  deployment: Deployment,
): Checked<readonly Reached[]> {
  const no = (details: string) => refuse("NOT_FINAL", instruction.instruction_id, details);
  if (!isInstructionSigned(instruction, deployment)) return no("no engine signed the instruction");
  if (!isEvaluationSigned(evaluation, deployment)) return no("no engine signed the evaluation");
  if (evaluation.instruction_id !== instruction.instruction_id) return no("it evaluates another instruction");
  if (!evaluation.phi_result) return no("ϕ has not fired: every effect can still be reversed");
  return accept(reachedBy(instruction).filter(({ amount }) => amount > 0));
}

function reachedBy({ fee_action: fee, collateral_action: collateral, claim_action: claim }: SettlementInstruction): readonly Reached[] {
  const reached: Reached[] = [];
  if (fee?.type === "refund") reached.push({ state: "refunded", amount: fee.refund_amount });
  else if (fee !== undefined) reached.push({ state: "released", amount: fee.release_amount });
  if (fee?.type === "partial_release") reached.push({ state: "refunded", amount: fee.retain_amount });
  const end = collateral && collateralEndOf(collateral);
  if (end?.type === "slash") reached.push({ state: "slashed", amount: end.amount });
  if (claim?.type === "pay") reached.push({ state: "claimed", amount: claim.amount });
  return reached;
}
