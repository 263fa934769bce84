import { onCity } from "../arguments.ts";
import { give, type OrderOptions } from "../order.ts";

/** Ends the watchdog's freeze of the panel (all unflagged adjudicators sign; two thirds of them after a timeout). */
export async function releaseWatchdog(options: OrderOptions): Promise<void> {
  await give(options, async () => onCity("RELEASE_WATCHDOG", {}));
}
