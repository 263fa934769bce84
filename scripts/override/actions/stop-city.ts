import { onCity } from "../arguments.ts";
import { give, type OrderOptions } from "../order.ts";

/** Stops the city: nothing new opens or is routed. If it is stopped, prolongs the stop. */
export async function stopCity(options: OrderOptions): Promise<void> {
  await give(options, async () => onCity("STOP_CITY", {}));
}

/** Ends the city's stop early. */
export async function resumeCity(options: OrderOptions): Promise<void> {
  await give(options, async () => onCity("RESUME_CITY", {}));
}
