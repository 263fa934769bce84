import { encodeActionData } from "../../../orchestrator/protocol/actions.ts";
import { addressIn, onCity } from "../arguments.ts";
import { give, type OrderOptions } from "../order.ts";

/** Seats a new adjudicator, who has approved the stake (two thirds of the active sign). */
export async function admit(candidate: string, principal: string, options: OrderOptions): Promise<void> {
  const target = addressIn(candidate, "candidate");
  const data = encodeActionData("ADMIT_ADJUDICATOR", [addressIn(principal, "principal")]);
  await give(options, async () => onCity("ADMIT_ADJUDICATOR", { target, data }));
}
