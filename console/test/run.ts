/**
 * Runs the tests of the built console in a browser, and ends with `N passed, N failed` alone on a line. Without a browser nothing is tested:
 * that is said and is no failure, so that whoever cannot install one can still run everything else.
 *
 * usage: npm run test:console [-- <file>…]
 */
import { basename, join } from "node:path";
import { run } from "node:test";
import { spec } from "node:test/reporters";
import { fileURLToPath } from "node:url";
import { findBrowser, NoBrowser } from "./browser.ts";

const FILES = ["bundle.test.ts", "large.test.ts", "live.test.ts", "appeal.test.ts"];
const named = process.argv.slice(2).map((file) => basename(file));
const here = fileURLToPath(new URL(".", import.meta.url));

try {
  findBrowser();
} catch (error) {
  if (!(error instanceof NoBrowser)) throw error;
  console.log(`SKIPPED the console's tests: ${error.code}: ${error.message}`);
  console.log("\n0 passed, 0 failed");
  process.exit(0);
}

let passed = 0;
let failed = 0;
// One after another: each has a browser and a city, and two cores are enough for one of both.
const events = run({
  files: (named.length > 0 ? named : FILES).map((file) => join(here, file)),
  concurrency: 1,
  execArgv: ["--test-force-exit"],
});
events.on("test:pass", ({ details, skip }) => {
  if (details.type !== "suite" && skip === undefined) passed += 1;
});
events.on("test:fail", ({ details }) => {
  if (details.type !== "suite") failed += 1;
});
for await (const text of events.compose(spec)) process.stdout.write(text);
console.log(`\n${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
