import { onMission } from "../arguments.ts";
import { give, type OrderOptions } from "../order.ts";

/** Holds a node's output until a human releases it. */
export async function veto(mission: string, node: string, options: OrderOptions): Promise<void> {
  await give(options, (office) => onMission(office, "VETO_OUTPUT", mission, node));
}
