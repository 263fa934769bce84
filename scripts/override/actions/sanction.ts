import { encodeActionData } from "../../../orchestrator/protocol/actions.ts";
import { addressIn, onCity } from "../arguments.ts";
import { give, type OrderOptions } from "../order.ts";

/** Freezes a principal's whole portfolio, present and future, or lifts the freeze. */
export async function sanction(principal: string, options: OrderOptions & { readonly lift?: boolean }): Promise<void> {
  const target = addressIn(principal, "principal");
  const data = encodeActionData("FREEZE_PRINCIPAL", [options.lift !== true]);
  await give(options, async () => onCity("FREEZE_PRINCIPAL", { target, data }));
}
