import { intentKey } from "../chain/outbox.ts";
import { parameterIndex } from "../protocol/parameters.ts";
import type { World } from "./world.ts";

/** Pulses per silence for which a monitor may suspend a mission, so that one may be lost. */
const TIMES = 3n;

/** Shows on chain that the city is alive, unless it did recently: a pulse refutes a false claim of silence (decision 70). */
export async function pulse({ client }: Pick<World, "client">): Promise<void> {
  const { constitution, chain } = client;
  const [last, threshold] = await Promise.all([constitution.pulsedAt(), constitution.param(parameterIndex("DEGRADED_MODE_THRESHOLD"))]);
  const now = chain.clock.now();
  if (now < BigInt(last) + threshold / TIMES) return;
  await constitution.pulse([], { intent: intentKey("pulse", now) });
}
