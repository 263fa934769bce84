import { InvalidValue } from "../../../orchestrator/primitives/errors.ts";
import { encodeActionData } from "../../../orchestrator/protocol/actions.ts";
import { caseNamed } from "../cases.ts";
import { give, type OrderOptions } from "../order.ts";

/** Refuses what waits: work fails, a vote is void. A suspended mission needs no refusal: its own time ends it. */
export async function reject(name: string, options: OrderOptions): Promise<void> {
  await give(options, async (office) => {
    const { subject } = await caseNamed(office, name);
    const { caseHash } = subject;
    if (subject.kind === "appeal")
      throw new InvalidValue(name, "is decided by the command that show prints", { action: "npm run override -- resolve" });
    if (subject.kind === "suspension") throw new InvalidValue(name, "ends by itself when nobody approves");
    if (subject.kind === "bloc") {
      return { action: "RULE_ON_BLOC", caseHash, data: encodeActionData("RULE_ON_BLOC", [BigInt(subject.session), false]) };
    }
    return { action: "REJECT_POP", mission: subject.mission, node: subject.node, caseHash };
  });
}
