import { encodeActionData } from "../../../orchestrator/protocol/actions.ts";
import { addressIn, onCity, wholeIn } from "../arguments.ts";
import { give, type OrderOptions } from "../order.ts";

/** Allows laws to name a contract as their gate. */
export async function predicate(id: string, contract: string, options: OrderOptions): Promise<void> {
  const target = addressIn(contract, "contract");
  const data = encodeActionData("APPROVE_PREDICATE", [wholeIn(id, "id", 1, 65_535)]);
  await give(options, async () => onCity("APPROVE_PREDICATE", { target, data }));
}
