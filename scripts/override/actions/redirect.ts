import { justificationBytes } from "../../../orchestrator/client/sign/codification.ts";
import { grouped } from "../../../orchestrator/primitives/amounts.ts";
import { InvalidValue } from "../../../orchestrator/primitives/errors.ts";
import { digestOf } from "../../../orchestrator/primitives/hash.ts";
import { encodeActionData } from "../../../orchestrator/protocol/actions.ts";
import { onMission } from "../arguments.ts";
import { give, type OrderOptions } from "../order.ts";

const LONGEST = 4_000;

/** Has the same executors redo a frozen node under an amended mandate: the chain gets its digest, the records its text. */
export async function redirect(mission: string, node: string, mandate: string, options: OrderOptions): Promise<void> {
  if (mandate.trim() === "" || mandate.length > LONGEST) throw new InvalidValue("mandate", `must be 1–${grouped(LONGEST)} characters`);
  await give(options, async (office) => {
    const draft = await onMission(office, "RESUME_WITH_AMENDMENT", mission, node);
    const amendment = digestOf(office.blocks.put(justificationBytes(mandate)));
    return { ...draft, data: encodeActionData("RESUME_WITH_AMENDMENT", [amendment]) };
  });
}
