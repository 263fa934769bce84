import { onCity } from "../arguments.ts";
import { give, type OrderOptions } from "../order.ts";

/** Ends the watchdog's freeze of the panel (all who are not flagged sign; two thirds of them once it has lasted too long). */
export async function releaseWatchdog(options: OrderOptions): Promise<void> {
  await give(options, async () => onCity("RELEASE_WATCHDOG", {}));
}
