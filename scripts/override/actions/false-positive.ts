import { encodeActionData } from "../../../orchestrator/protocol/actions.ts";
import { addressIn, onMission, wholeIn } from "../arguments.ts";
import { give, type OrderOptions } from "../order.ts";

/** Calls a freeze of a mission a false alarm of who reported it. */
export async function falsePositive(mission: string, reporter: string, freeze: string, options: OrderOptions): Promise<void> {
  const target = addressIn(reporter, "reporter");
  const data = encodeActionData("CLASSIFY_FALSE_POSITIVE", [BigInt(wholeIn(freeze, "freeze", 0, 1_000_000))]);
  await give(options, async (office) => ({ ...(await onMission(office, "CLASSIFY_FALSE_POSITIVE", mission)), target, data }));
}
