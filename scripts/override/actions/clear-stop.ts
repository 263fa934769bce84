import { onMission } from "../arguments.ts";
import { give, type OrderOptions } from "../order.ts";

/** Resumes a stopped or suspended mission. */
export async function clearStop(mission: string, options: OrderOptions): Promise<void> {
  await give(options, (office) => onMission(office, "CLEAR_EMERGENCY_STOP", mission));
}
