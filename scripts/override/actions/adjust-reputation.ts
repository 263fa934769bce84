import { encodeActionData } from "../../../orchestrator/protocol/actions.ts";
import { addressIn, onCity, wholeIn } from "../arguments.ts";
import { give, type OrderOptions } from "../order.ts";

/** Adds points to an agent's reputation, or takes them away. */
export async function adjustReputation(agent: string, points: string, options: OrderOptions): Promise<void> {
  const target = addressIn(agent, "agent");
  const data = encodeActionData("ADJUST_REPUTATION", [BigInt(wholeIn(points, "points", -100, 100))]);
  await give(options, async () => onCity("ADJUST_REPUTATION", { target, data }));
}
