import { createContext, Script } from "node:vm";

/** What the script runs. One context for all: creating it takes longer than most jobs. */
const stage: { job?: () => void } = {};
const context = createContext(stage);
const script = new Script("job()");

/**
 * Runs a synchronous job and interrupts it after a number of milliseconds, returning undefined. A script's time limit also covers what it
 * calls outside its context.
 */
export function inTime<T>(milliseconds: number, job: () => T): { readonly value: T } | undefined {
  let done: { readonly value: T } | undefined;
  try {
    stage.job = () => {
      done = { value: job() };
    };
    script.runInContext(context, { timeout: milliseconds });
    return done;
  } catch (error) {
    // The error belongs to the script's realm, so `instanceof Error` fails.
    if (typeof error === "object" && error !== null && "code" in error && error.code === "ERR_SCRIPT_EXECUTION_TIMEOUT") return undefined;
    throw error;
  }
}
