import { InvalidValue } from "../../../orchestrator/primitives/errors.ts";
import { encodeActionData } from "../../../orchestrator/protocol/actions.ts";
import { caseNamed } from "../cases.ts";
import { give, type OrderOptions } from "../order.ts";

/** Approves a case: work is accepted or released from a freeze, a vote stands, a suspended mission resumes. */
export async function approve(name: string, options: OrderOptions): Promise<void> {
  await give(options, async (office) => {
    const { subject } = await caseNamed(office, name);
    const { caseHash } = subject;
    if (subject.kind === "appeal")
      throw new InvalidValue(name, "is decided by the command that show prints", { action: "npm run override -- resolve" });
    if (subject.kind === "bloc") {
      return { action: "RULE_ON_BLOC", caseHash, data: encodeActionData("RULE_ON_BLOC", [BigInt(subject.session), true]) };
    }
    const { mission } = subject;
    if (subject.kind === "suspension") return { action: "CLEAR_EMERGENCY_STOP", mission, caseHash };
    const { node, reason, approval } = subject;
    if (reason === "frozen") return { action: "UNFREEZE", mission, node, caseHash };
    return { action: "APPROVE_POP", mission, node, caseHash, data: approval };
  });
}
