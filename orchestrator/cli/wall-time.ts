import { setTimeout as wait } from "node:timers/promises";

/** The machine's own time: only the command line and chains in other processes live by it. */
export const wallTime = {
  millis: (): number => performance.timeOrigin + performance.now(),
  sleep: async (millis: number): Promise<void> => {
    await wait(millis);
  },
  /** Calls again and again until it is stopped; a process may end meanwhile. */
  every: (millis: number, call: () => void): (() => void) => {
    const timer = setInterval(call, millis).unref();
    return () => clearInterval(timer);
  },
} as const;
