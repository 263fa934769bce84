/**
 * Runs the tests: compiles the contracts if needed, gives the files to a worker per core and one more for while others wait, prints each
 * file's result, time and processor time, all failures, the ten slowest tests, the ten files that cost most, and finally `N passed, N failed`
 * alone on a line. Fails on a failure, on a file without tests, and on no tests.
 *
 * usage: npm test [-- <file or folder>…]  all but the next two kinds, or what is named
 *        npm run test:long                 test/long/ and files that begin with `// @long`: whole missions and kills; and random sweeps, whole
 *                                          (test/support/sweep.ts)
 *        npm run test:full                 everything
 */
import { fork } from "node:child_process";
import { existsSync, readFileSync, statfsSync, statSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { compile } from "./compile.ts";
import { filesIn, root } from "./files.ts";
import { type JobProgress, type JobResult, processorOf, SOLIDITY_TESTS, type TimedTest } from "./test-protocol.ts";

const source = (file: string) => readFileSync(join(root, file), "utf8");
const isFull = (file: string) => file.startsWith("test/full/");
const isLong = (file: string) => file.startsWith("test/long/") || source(file).startsWith("// @long\n");
const isSweep = (file: string) => source(file).includes("support/sweep.ts");
/** A file that takes longer has hung where Mocha's own limit cannot see it: in synchronous code or while loading. */
const limitOf = (file: string) =>
  isFull(file) ? 7_200_000 : kind !== "short" || (file !== SOLIDITY_TESTS && isLong(file)) ? 900_000 : 300_000;
const SLOWEST = 10;
/** What a file lets its tests take, milliseconds: long ones are started first, so that no worker ends alone with one. */
function allowed(file: string): number {
  if (file === SOLIDITY_TESTS) return Number.POSITIVE_INFINITY;
  const limits = source(file).matchAll(/timeout\(([\d_]+)\)/g);
  return Math.max(0, ...[...limits].map(([, limit = ""]) => Number(limit.replaceAll("_", ""))));
}

const worker = fileURLToPath(new URL("./test-worker.ts", import.meta.url));

/** Cities live in memory where there is room for them: each has a thousand files. Commands that tests start load what was compiled before. */
const environment = {
  ...process.env,
  TMPDIR: roomiest(),
  NODE_COMPILE_CACHE: join(root, "node_modules/.cache/node"),
  ...(process.argv.includes("--long") || process.argv.includes("--full") ? { AGENTCITY_SWEEP: "whole" } : {}),
};

function roomiest(): string {
  const memory = "/dev/shm";
  if (!existsSync(memory)) return tmpdir();
  const { bavail, bsize } = statfsSync(memory);
  return bavail * bsize >= 4 * 1024 ** 3 ? memory : tmpdir();
}

const isFolder = (name: string) => statSync(join(root, name), { throwIfNoEntry: false })?.isDirectory() === true;

/** Named files and all in named folders, or all of a kind; what may take long first, else by name. */
function jobs(names: readonly string[], kind: "short" | "long" | "full"): string[] {
  return (names.length > 0 ? namedFiles(names) : filesOf(kind))
    .map((file) => ({ file, longest: allowed(file) }))
    .sort((a, b) => b.longest - a.longest || (a.file < b.file ? -1 : 1))
    .map(({ file }) => file);
}

const namedFiles = (names: readonly string[]) => filesIn(names.map((name) => (isFolder(name) ? join(name, "**/*.test.ts") : name)));

function filesOf(kind: "short" | "long" | "full"): string[] {
  const all = filesIn("test/**/*.test.ts");
  if (kind === "long") return all.filter((file) => !isFull(file) && (isLong(file) || isSweep(file)));
  const files = all.filter((file) => kind === "full" || !(isFull(file) || isLong(file)));
  return filesIn(SOLIDITY_TESTS).length > 0 ? [...files, SOLIDITY_TESTS] : files;
}

const NONE: JobProgress = { running: "loading", report: "" };

/** Takes jobs from the queue until it is empty. A worker that dies or hangs fails its job; another one takes its place. */
function work(queue: string[], report: (job: string, result: JobResult, ms: number) => void): Promise<void> {
  return new Promise((resolve) => {
    const child = fork(worker, { execArgv: [], env: environment });
    let job: string | undefined;
    let timer: NodeJS.Timeout | undefined;
    let since = 0;
    let before = 0;
    let progress: JobProgress = NONE;
    /** What it had when its time was over: a process that waits has had little. */
    let had = 0;
    const next = () => {
      clearTimeout(timer);
      job = queue.shift();
      if (job === undefined) {
        child.disconnect();
        return;
      }
      child.send(job);
      since = performance.now();
      progress = NONE;
      had = 0;
      before = processorOf(child.pid ?? 0);
      timer = setTimeout(() => {
        had = processorOf(child.pid ?? 0) - before;
        child.kill("SIGKILL");
      }, limitOf(job));
    };
    child.on("message", (message: JobResult | JobProgress) => {
      if ("running" in message) {
        progress = message;
        return;
      }
      if (job !== undefined) report(job, message, performance.now() - since);
      next();
    });
    child.on("exit", (code, signal) => {
      clearTimeout(timer);
      if (job === undefined) {
        resolve();
        return;
      }
      const cause = signal === "SIGKILL" ? `killed (limit ${limitOf(job) / 1000} s)` : `ended with ${signal ?? code}`;
      const ended = `the process that ran ${job} was ${cause} in: ${progress.running}\n${progress.report}`;
      report(job, { passed: [], failed: 1, skipped: 0, processor: had, report: ended }, performance.now() - since);
      resolve(work(queue, report));
    });
    next();
  });
}

const kind = process.argv.includes("--full") ? "full" : process.argv.includes("--long") ? "long" : "short";
const names = process.argv.slice(2).filter((argument) => !argument.startsWith("--"));
try {
  compile();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  console.log("0 passed, 1 failed");
  process.exit(1);
}

const queue = jobs(names, kind);
const passed: TimedTest[] = [];
const reports: string[] = [];
const costs: { job: string; processor: number }[] = [];
let failed = 0;
let skipped = 0;
const workers = Array.from({ length: Math.min(queue.length, availableParallelism() + 1) }, () =>
  work(queue, (job, result, ms) => {
    if (result.passed.length + result.failed + result.skipped === 0) {
      result = { ...result, failed: 1, report: `${job} holds no test` };
    }
    passed.push(...result.passed);
    costs.push({ job, processor: result.processor });
    failed += result.failed;
    skipped += result.skipped;
    if (result.failed > 0) reports.push(`${job}\n${result.report}`);
    const took = `${(ms / 1000).toFixed(1)} s, ${result.processor.toFixed(1)} s of processor`;
    console.log(`${result.failed > 0 ? "✗" : "✓"} ${job}  ${result.passed.length} passed, ${result.failed} failed  ${took}`);
  }),
);
await Promise.all(workers);

for (const report of reports) console.log(`\n${report}`);
console.log(`\nslowest ${SLOWEST}`);
for (const { title, ms } of passed.sort((a, b) => b.ms - a.ms).slice(0, SLOWEST)) {
  console.log(`${String(ms).padStart(7)} ms  ${title}`);
}
const processor = costs.reduce((sum, cost) => sum + cost.processor, 0);
console.log(`\nof ${processor.toFixed(0)} s of processor, the ${SLOWEST} files that cost most`);
for (const cost of costs.sort((a, b) => b.processor - a.processor).slice(0, SLOWEST))
  console.log(`${cost.processor.toFixed(1).padStart(7)} s  ${cost.job}`);
if (skipped > 0) console.log(`${skipped} skipped`);
console.log(`\n${passed.length} passed, ${failed} failed`);
if (failed > 0 || passed.length === 0) process.exitCode = 1;
