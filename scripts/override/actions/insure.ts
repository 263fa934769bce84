import { insuranceCap, requireWithin } from "../../../orchestrator/city/humans/order-caps.ts";
import { encodeActionData } from "../../../orchestrator/protocol/actions.ts";
import { addressIn, amountIn, onCity } from "../arguments.ts";
import { give, type OrderOptions } from "../order.ts";

/** Compensates an executor for a loss in a mission, from the insurance pool and up to its cap. */
export async function insure(mission: string, agent: string, loss: string, options: OrderOptions): Promise<void> {
  const [target, of, amount] = [addressIn(agent, "agent"), addressIn(mission, "mission"), amountIn(loss)];
  await give(options, async (office) => {
    requireWithin(await insuranceCap(office, of), amount);
    return onCity("CLAIM_INSURANCE", { target, data: encodeActionData("CLAIM_INSURANCE", [of, amount]) });
  });
}
