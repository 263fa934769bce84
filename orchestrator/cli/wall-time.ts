import { setTimeout as wait } from "node:timers/promises";

/** The machine's own time: only the command line and chains in other processes live by it. */
export const wallTime = {
  millis: (): number => performance.timeOrigin + performance.now(),
  sleep: async (millis: number): Promise<void> => {
    await wait(millis);
  },
} as const;
