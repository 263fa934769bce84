import { maskOf } from "../../../orchestrator/adjudication/rule-on-appeal.ts";
import { encodeActionData } from "../../../orchestrator/protocol/actions.ts";
import { onMission, wholeIn } from "../arguments.ts";
import { give, type OrderOptions } from "../order.ts";

/** Finds executors at fault for the end of their mission, in the attempt that ended with it. */
export async function fault(mission: string, node: string, slots: readonly string[], options: OrderOptions): Promise<void> {
  const mask = maskOf(slots.map((slot) => wholeIn(slot, "slot", 0, 4)));
  await give(options, async (office) => {
    const draft = await onMission(office, "FAULT_SLOTS", mission, node);
    const { attempt } = await office.client.mission(draft.mission ?? "0x").nodeOf(draft.node ?? 0);
    return { ...draft, data: encodeActionData("FAULT_SLOTS", [attempt, mask]) };
  });
}
