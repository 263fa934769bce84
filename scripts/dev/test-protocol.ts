/** What the test runner and its workers tell each other. */

/** A job is one test file, or all Solidity tests at once. */
export const SOLIDITY_TESTS = "test/contracts/**/*.t.sol";

export interface TimedTest {
  title: string;
  ms: number;
}

/** The outcome of one job. */
export interface JobResult {
  passed: TimedTest[];
  failed: number;
  skipped: number;
  /** What to show of the failures, ready to print. */
  report: string;
}

/** Runner to worker: the job to do next; null to stop. */
export type Order = string | null;
