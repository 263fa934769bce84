import { encodeActionData, purposes } from "../../../orchestrator/protocol/actions.ts";
import { addressIn, amountIn, onCity, positionIn } from "../arguments.ts";
import { give, type OrderOptions } from "../order.ts";

/** Pays from the treasury's fees, up to the period's cap. */
export async function disburse(purpose: string, recipient: string, amount: string, options: OrderOptions): Promise<void> {
  const target = addressIn(recipient, "recipient");
  const data = encodeActionData("DISBURSE", [positionIn(purpose, purposes, "purpose"), amountIn(amount)]);
  await give(options, async () => onCity("DISBURSE", { target, data }));
}
