import type { ContentId } from "../primitives/hex.ts";
import { act, type Panel, seatsOnMission } from "./act.ts";
import type { Case, Judge, Ruling } from "./case.ts";

/** What was decided, by whom. */
export interface Decision {
  readonly ruling: Ruling;
  readonly adjudicator: string;
  readonly simulated: boolean;
  readonly justification: ContentId;
}

/**
 * Decides one case and puts the signed action on chain (AgentCity B.12; decisions 27, 28). Seats take turns by node. Undefined:
 * adjudicators elsewhere have acted on it.
 */
export async function ruleOn(panel: Panel, judge: Judge, subject: Case): Promise<Decision | undefined> {
  const { mission, node, caseHash, reason, approval } = subject;
  const decided = await judge.decide(subject);
  if (decided === undefined) return undefined;
  const { ruling, justification } = decided;
  const action = ruling === "reject" ? "REJECT_POP" : reason === "frozen" ? "UNFREEZE" : "APPROVE_POP";
  const seats = await seatsOnMission(panel, mission, { turn: node });
  const content = await panel.keep(justification);
  const data = action === "APPROVE_POP" ? approval : "0x";
  await act(panel, seats, { action, mission, node, caseHash, justification: content, data });
  return { ruling, adjudicator: seats.map(({ name }) => name).join(", "), simulated: judge.simulated, justification: content };
}
