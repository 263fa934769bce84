/** What the test runner and its workers tell each other: the runner sends a job, the worker its result, until the runner disconnects. */

/** A job is one test file, or, because Hardhat runs them best together, this pattern for all Solidity tests. */
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
  /** Seconds of processor, of the file and of the processes that it started and that have ended. */
  processor: number;
  /** What to show of the failures, ready to print. */
  report: string;
}
