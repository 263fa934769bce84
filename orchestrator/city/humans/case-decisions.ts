import type { OverrideOrder } from "../../adjudication/act.ts";
import { InvalidValue } from "../../primitives/errors.ts";
import { encodeActionData } from "../../protocol/actions.ts";
import type { WaitingCase } from "../../protocol/waiting-case.ts";

/** An order to which only the reason is missing. */
export type Draft = Omit<OverrideOrder, "because">;

/** Possible decisions on a case; an appeal requires a ruling of its own (RESOLVE_APPEAL). */
export const DECISIONS = ["approve", "reject"] as const;
export type Decision = (typeof DECISIONS)[number];

/** The order that a decision on a case is. Throws InvalidValue when this case is not decided so. `name`: of the case, for the error. */
export function decisionOn(name: string, subject: WaitingCase, decision: Decision): Draft {
  const { caseHash } = subject;
  if (subject.kind === "petition") {
    if (decision === "reject") throw new InvalidValue(name, "waits until it is granted; to refuse it, leave it");
    const { account, principal, office } = subject.petition;
    const data = encodeActionData("REGISTER_ISSUER", [office, principal, subject.value]);
    return { action: "REGISTER_ISSUER", caseHash, target: account, data };
  }
  if (subject.kind === "appeal")
    throw new InvalidValue(name, "is decided by the command that show prints", { action: "npm run override -- resolve" });
  if (subject.kind === "bloc") {
    return { action: "RULE_ON_BLOC", caseHash, data: encodeActionData("RULE_ON_BLOC", [BigInt(subject.session), decision === "approve"]) };
  }
  const { mission } = subject;
  if (subject.kind === "suspension") {
    if (decision === "reject") throw new InvalidValue(name, "ends by itself without approval");
    return { action: "CLEAR_EMERGENCY_STOP", mission, caseHash };
  }
  const { node, reason, approval } = subject;
  if (decision === "reject") return { action: "REJECT_POP", mission, node, caseHash };
  if (reason === "frozen") return { action: "UNFREEZE", mission, node, caseHash };
  return { action: "APPROVE_POP", mission, node, caseHash, data: approval };
}
