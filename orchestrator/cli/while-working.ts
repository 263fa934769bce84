import { Worker } from "node:worker_threads";

/** Nothing is silent for longer. */
export const LONGEST_SILENCE_MS = 3_000;
/** What Node takes until a command is loaded: that is silence too. */
const START_MS = 500;

/**
 * Says on stderr every three seconds what long work does, and for how long it has. A thread of its own says it: the work may leave the main
 * thread no time. `what` says how long it may take. Work that is shorter says nothing.
 */
export async function whileWorking<Value>(what: string, work: () => Value | Promise<Value>): Promise<Value> {
  const beats = new Worker(new URL("./beat-thread.ts", import.meta.url), {
    workerData: { what, every: LONGEST_SILENCE_MS - START_MS },
    execArgv: [],
  });
  // Work does not end because nobody reads of it.
  beats.on("error", () => {});
  beats.unref();
  try {
    return await work();
  } finally {
    await beats.terminate();
  }
}
