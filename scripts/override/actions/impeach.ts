import { addressIn, onCity } from "../arguments.ts";
import { give, type OrderOptions } from "../order.ts";

/** Takes an adjudicator's seat and stake and bans it permanently (two thirds of the active seats sign, the target does not). */
export async function impeach(adjudicator: string, options: OrderOptions): Promise<void> {
  const target = addressIn(adjudicator, "adjudicator");
  await give(options, async () => onCity("IMPEACH", { target }));
}
