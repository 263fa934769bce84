/**
 * What the test runner and its workers send each other: the runner a job, the worker how far it is and then its result, until the runner
 * disconnects.
 */
import { existsSync, readFileSync } from "node:fs";

/** A job is one test file, or, because Hardhat runs them best together, this pattern for all Solidity tests. */
export const SOLIDITY_TESTS = "test/contracts/**/*.t.sol";

export interface TimedTest {
  title: string;
  ms: number;
}

/** A test or hook that begins, and the failures before it, ready to print. */
export interface JobProgress {
  running: string;
  report: string;
}

/** The outcome of one job. */
export interface JobResult {
  passed: TimedTest[];
  failed: number;
  skipped: number;
  /** Seconds of processor, of the file and of the processes that it started and that have ended. */
  processor: number;
  /** What to show of the failures, ready to print. */
  report: string;
}

/** Seconds of processor that a process has had, and those that it started and that have ended; zero where there is no `/proc`. */
export function processorOf(pid: number): number {
  const stat = `/proc/${pid}/stat`;
  if (!existsSync(stat)) return 0;
  // Behind the name, which may hold anything: fields 14 to 17, in hundredths of a second.
  const [, fields = ""] = readFileSync(stat, "utf8").split(/\) (?!.*\))/s);
  return fields
    .split(" ")
    .slice(11, 15)
    .reduce((sum, field) => sum + Number(field) / 100, 0);
}
