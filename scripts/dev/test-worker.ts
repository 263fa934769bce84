/** Runs the jobs that the test runner sends, one after the other, and answers with their results. See `test.ts`. */
import { join } from "node:path";
import { format } from "node:util";
import Mocha from "mocha";
import { root } from "./files.ts";
import { type JobProgress, type JobResult, processorOf, SOLIDITY_TESTS } from "./test-protocol.ts";

/** A test that takes longer has hung; whole missions set their own limit. */
const TEST_TIMEOUT_MS = 60_000;

/** Collects instead of printing. */
class Silent extends Mocha.reporters.Base {}

/** Mocha's own account of failures, with differences of values, as text. */
function describeFailures(failures: Mocha.Test[]): string {
  if (failures.length === 0) return "";
  const lines: string[] = [];
  const print = Mocha.reporters.Base.consoleLog;
  Mocha.reporters.Base.consoleLog = (...args: unknown[]) => lines.push(format(...args));
  Mocha.reporters.Base.list(failures);
  Mocha.reporters.Base.consoleLog = print;
  return lines.join("\n");
}

/** What a job came to, but for what it cost. */
type Ended = Omit<JobResult, "processor">;

async function runMocha(file: string): Promise<Ended> {
  const mocha = new Mocha({ timeout: TEST_TIMEOUT_MS, forbidOnly: true, reporter: Silent });
  mocha.addFile(join(root, file));
  await mocha.loadFilesAsync();
  const passed = new Set<Mocha.Test>();
  /** First error of each: Mocha reports a test again that it already failed or passed when an error comes late. */
  const failed = new Map<Mocha.Test, Error>();
  let skipped = 0;
  const report = () => describeFailures([...failed].map(([test, err]) => Object.assign(test, { err })));
  const begins = (running: Mocha.Runnable) => process.send?.({ running: running.fullTitle(), report: report() } satisfies JobProgress);
  await new Promise<void>((resolve) => {
    mocha
      .run(() => resolve())
      .on("test", begins)
      .on("hook", begins)
      .on("pass", (test) => passed.add(test))
      .on("pending", () => {
        skipped += 1;
      })
      .on("fail", (test, error) => {
        passed.delete(test);
        if (!failed.has(test)) failed.set(test, error);
      });
  });
  mocha.dispose();
  return {
    passed: [...passed].map((test) => ({ title: test.fullTitle(), ms: test.duration ?? 0 })),
    failed: failed.size,
    skipped,
    report: report(),
  };
}

/** Fuzz and invariant tests through Hardhat's own runner. Its output is kept for the case of failure. */
async function runSolidity(testFiles: string[]): Promise<Ended> {
  const { default: hre } = await import("hardhat");
  const output: string[] = [];
  const write = process.stdout.write;
  process.stdout.write = (chunk: string | Uint8Array, ...rest: unknown[]) => {
    output.push(Buffer.from(chunk).toString());
    const written = rest.at(-1);
    if (typeof written === "function") written();
    return true;
  };
  try {
    const done: SolidityRun = await hre.tasks.getTask(["test", "solidity"]).run({ testFiles, noCompile: true });
    const { summary, suiteResults } = done.success ? done.value : done.error;
    const tests = suiteResults.flatMap(({ testResults }) => testResults);
    const passed = tests.filter(({ status }) => status === "Success");
    return {
      passed: passed.map(({ name, durationNs }) => ({ title: name, ms: Number(durationNs / 1_000_000n) })),
      failed: done.success ? 0 : Math.max(1, summary.failed),
      skipped: summary.skipped,
      report: done.success ? "" : output.join(""),
    };
  } finally {
    process.stdout.write = write;
  }
}

/** Of what Hardhat's task returns, the part used here. */
interface SolidityRunValue {
  summary: { failed: number; skipped: number };
  suiteResults: { testResults: { name: string; status: string; durationNs: bigint }[] }[];
}
type SolidityRun = { success: true; value: SolidityRunValue } | { success: false; error: SolidityRunValue };

async function run(job: string): Promise<Ended> {
  try {
    if (!job.endsWith(".t.sol")) return await runMocha(job);
    return await runSolidity(job === SOLIDITY_TESTS ? [] : [job]);
  } catch (error) {
    const report = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return { passed: [], failed: 1, skipped: 0, report };
  }
}

/** Mocha would swallow a rejection that nobody awaited; thrown, it fails the test that runs. */
process.on("unhandledRejection", (reason) => {
  throw reason;
});
process.on("message", (job: string) => {
  const before = processorOf(process.pid);
  void run(job).then((ended) => process.send?.({ ...ended, processor: processorOf(process.pid) - before } satisfies JobResult));
});
process.on("disconnect", () => process.exit(0));
