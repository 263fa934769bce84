import { onMission } from "../arguments.ts";
import { give, type OrderOptions } from "../order.ts";

/** Releases a frozen node. */
export async function unfreeze(mission: string, node: string, options: OrderOptions): Promise<void> {
  await give(options, (office) => onMission(office, "UNFREEZE", mission, node));
}
