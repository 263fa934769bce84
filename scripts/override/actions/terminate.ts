import { onMission } from "../arguments.ts";
import { give, type OrderOptions } from "../order.ts";

/** Ends a mission; recorded entitlements are paid after their windows. */
export async function terminate(mission: string, options: OrderOptions): Promise<void> {
  await give(options, (office) => onMission(office, "TERMINATE_MISSION", mission));
}
