import { setTimeout as sleep } from "node:timers/promises";
import { type AgentOptions, createAgent } from "../../orchestrator/agent/agent.ts";

/** Milliseconds of the machine's clock, with their fraction. */
export const millis = () => performance.timeOrigin + performance.now();

/** The machine's clock, as a city that opens seats takes it. */
export const seatsClock = {
  millis,
  wait: (time: number, signal: AbortSignal) => sleep(time, undefined, { signal }).catch(() => undefined),
};

/** Runs an agent until it answers, which it does once it is registered and its services are for sale; then it is gone. */
export async function runUntilAnswering(options: Omit<AgentOptions, "clock" | "progress">): Promise<void> {
  const answering = new AbortController();
  await createAgent({
    ...options,
    clock: { millis, sleep: async (time) => void (await sleep(time)) },
    progress: (line) => line.startsWith("answering") && answering.abort(),
  }).run(answering.signal);
}
