import { encodeActionData } from "../../../orchestrator/protocol/actions.ts";
import { addressIn, onMission, wholeIn } from "../arguments.ts";
import { give, type OrderOptions } from "../order.ts";

/** Classifies a freeze in a mission as the reporter's false alarm. */
export async function falsePositive(mission: string, reporter: string, freeze: string, options: OrderOptions): Promise<void> {
  const target = addressIn(reporter, "reporter");
  const data = encodeActionData("CLASSIFY_FALSE_POSITIVE", [BigInt(wholeIn(freeze, "freeze", 0, 1_000_000))]);
  await give(options, async (office) => ({ ...(await onMission(office, "CLASSIFY_FALSE_POSITIVE", mission)), target, data }));
}
