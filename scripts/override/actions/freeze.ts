import { onMission } from "../arguments.ts";
import { give, type OrderOptions } from "../order.ts";

/** Stops a node and its clock. */
export async function freeze(mission: string, node: string, options: OrderOptions): Promise<void> {
  await give(options, (office) => onMission(office, "FREEZE", mission, node));
}
