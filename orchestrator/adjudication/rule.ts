import { AgentCityError } from "../primitives/errors.ts";
import { digestOf } from "../primitives/hash.ts";
import type { ContentId } from "../primitives/hex.ts";
import { encodeActionData } from "../protocol/actions.ts";
import { act, type OverrideOrder, type Panel, seatsOnMission, signaturesFor } from "./act.ts";
import type { Case, Judge, Judgement, Ruling } from "./case.ts";

/** A decision and its author. */
export interface Decision {
  readonly ruling: Ruling;
  readonly adjudicator: string;
  readonly simulated: boolean;
  readonly justification: ContentId;
}

/**
 * Decides one case and submits the signed action (AgentCity B.12; decisions 27, 28). Seats take turns by node, and by the rotation that the
 * chain enforces; an escalated case goes to the next seat. Undefined if external adjudicators acted on it.
 */
export async function ruleOn(panel: Panel, judge: Judge, subject: Case): Promise<Decision | undefined> {
  const { mission, node, caseHash, escalated } = subject;
  const decided = await judge.decide(subject);
  if (decided === undefined) return undefined;
  const { ruling, justification } = decided;
  const order = { ...(await orderOf(panel, subject, decided)), mission, node, caseHash, because: justification };
  const needed = await signaturesFor(panel, order);
  const seats = await seatsOnMission(panel, mission, { action: order.action, needed, turn: escalated ? node + 1 : node });
  const content = await panel.keep(justification);
  await act(panel, seats, order);
  return { ruling, adjudicator: seats.map(({ name }) => name).join(", "), simulated: judge.simulated, justification: content };
}

async function orderOf(
  panel: Panel,
  { reason, approval }: Case,
  { ruling, mandate }: Judgement,
): Promise<Pick<OverrideOrder, "action" | "data">> {
  if (ruling === "reject") return { action: "REJECT_POP" };
  if (ruling === "approve") return reason === "frozen" ? { action: "UNFREEZE" } : { action: "APPROVE_POP", data: approval };
  if (reason !== "frozen" || mandate === undefined) throw new NothingToAmend(reason);
  const amendment = digestOf(await panel.keep(mandate));
  return { action: "RESUME_WITH_AMENDMENT", data: encodeActionData("RESUME_WITH_AMENDMENT", [amendment]) };
}

export class NothingToAmend extends AgentCityError {
  constructor(reason: Case["reason"]) {
    super("NothingToAmend", `Only a frozen node can be amended, and only with a mandate; this case is ${reason}`, {
      action: "approve or reject it, or give the amended mandate",
    });
  }
}
