import { encodeActionData } from "../../../orchestrator/protocol/actions.ts";
import { addressIn, amountIn, onCity } from "../arguments.ts";
import { give, type OrderOptions } from "../order.ts";

/** Slashes an agent's stake, and optionally bans it permanently. */
export async function slash(agent: string, amount: string, options: OrderOptions & { readonly ban?: boolean }): Promise<void> {
  const target = addressIn(agent, "agent");
  const data = encodeActionData("SLASH", [amountIn(amount), options.ban === true]);
  await give(options, async () => onCity("SLASH", { target, data }));
}
