import { writeSync } from "node:fs";
import { workerData } from "node:worker_threads";
import { wallTime } from "./wall-time.ts";

/** The thread of `whileWorking`. It writes by itself: a worker's own stderr waits for the main thread. */
const { what, every }: { readonly what: string; readonly every: number } = workerData;
const STDERR = 2;
const began = wallTime.millis();
setInterval(() => {
  const seconds = ((wallTime.millis() - began) / 1000).toFixed(1).padStart(6);
  writeSync(STDERR, `${seconds} s  … ${what}\n`);
}, every);
