import { setTimeout as wait } from "node:timers/promises";

/** The machine's own time, used only by the command line and by chains in other processes. */
export const wallTime = {
  millis: (): number => performance.timeOrigin + performance.now(),
  sleep: async (millis: number): Promise<void> => {
    await wait(millis);
  },
  /** Calls repeatedly until stopped, without keeping the process alive. */
  every: (millis: number, call: () => void): (() => void) => {
    const timer = setInterval(call, millis).unref();
    return () => clearInterval(timer);
  },
} as const;
