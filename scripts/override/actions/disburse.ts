import { purposeOf, requireWithin, spendingCap } from "../../../orchestrator/city/humans/order-caps.ts";
import { InvalidValue } from "../../../orchestrator/primitives/errors.ts";
import { encodeActionData, purposes } from "../../../orchestrator/protocol/actions.ts";
import { addressIn, amountIn, onCity, positionIn } from "../arguments.ts";
import { give, type OrderOptions } from "../order.ts";

/** Pays from the treasury's fees, up to the purpose's cap. Fees that become insurance stay in the treasury. */
export async function disburse(purpose: string, recipient: string, tokens: string, options: OrderOptions): Promise<void> {
  const [position, target, amount] = [positionIn(purpose, purposes, "purpose"), addressIn(recipient, "recipient"), amountIn(tokens)];
  await give(options, async (office) => {
    const treasury = office.client.addresses.Treasury;
    if ((purposeOf(position) === "INSURANCE") !== (target === treasury)) {
      throw new InvalidValue("recipient", `insurance is paid to the treasury itself, ${treasury}, and no other purpose is`);
    }
    requireWithin(await spendingCap(office, purposeOf(position)), amount);
    return onCity("DISBURSE", { target, data: encodeActionData("DISBURSE", [position, amount]) });
  });
}
