import { onMission } from "../arguments.ts";
import { give, type OrderOptions } from "../order.ts";

/** Stops a mission: nothing of it is routed until two adjudicators clear it. */
export async function stop(mission: string, options: OrderOptions): Promise<void> {
  await give(options, (office) => onMission(office, "EMERGENCY_STOP", mission));
}
