import { addressIn, onCity } from "../arguments.ts";
import { give, type OrderOptions } from "../order.ts";

/** Takes seat and stake of an adjudicator and bars it for ever (two thirds of the active sign, the target not). */
export async function impeach(adjudicator: string, options: OrderOptions): Promise<void> {
  const target = addressIn(adjudicator, "adjudicator");
  await give(options, async () => onCity("IMPEACH", { target }));
}
