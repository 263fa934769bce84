/**
 * Measures gas costs of the contracts, compiled for production, on a chain in this process; OpenZeppelin's Governor in the same run.
 * Writes bench/gas.json and prints it as a table; `npm run docs` generates docs/gas.md from it. Fails if a row exceeds its limit.
 *
 * usage: npm run bench [-- --check]      --check writes nothing and fails if bench/gas.json is stale
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { z } from "zod";
import { compile, compileProduction } from "../dev/compile.ts";
import { sizesIn } from "../dev/production.ts";
import { GAS_FILE, type GasReport, overruns, readGasReport, rowsOf, staleness } from "./gas-report.ts";
import { measured } from "./measure.ts";

const MEASURE = "test/bench/measure-gas.ts";

/** Samples per operation. The measuring process reads production artifacts in place of the tests'. */
function measure(artifacts: string): Record<string, number[]> {
  const env = { HARDHAT_CONFIG: "scripts/dev/production.config.ts", AGENTCITY_ARTIFACTS: artifacts };
  return z.record(z.string(), z.array(z.number())).parse(measured(MEASURE, [], env));
}

/** Code of a library whose functions are all internal: a stub that is never deployed. */
const STUB = 100;

function sizes(production: string): GasReport["sizes"] {
  const inProduction = new Map(sizesIn(production).map(({ name, size }) => [name, size]));
  const deployed = sizesIn("artifacts").filter(({ size }) => size > STUB);
  return deployed.map(({ name, size }) => ({ contract: name, default: size, production: inProduction.get(name) ?? 0 }));
}

function print({ rows }: GasReport): void {
  console.log(`${"operation".padEnd(24)}${["median", "reference", "budget", "limit"].map((head) => head.padStart(11)).join("")}`);
  for (const { operation, median, reference, budget, limit } of rows) {
    const cells = [median, reference || "–", budget ?? "–", limit ?? ""].map((cell) => String(cell).padStart(11));
    console.log(operation.padEnd(24) + cells.join(""));
  }
}

try {
  compile();
  const production = await compileProduction();
  const report: GasReport = { rows: rowsOf(measure(production)), sizes: sizes(production) };
  print(report);
  const problems = overruns(report.rows);
  if (process.argv.includes("--check")) {
    problems.push(...staleness(readGasReport(), report).map((one) => `bench/gas.json is stale (npm run bench): ${one}`));
  } else {
    mkdirSync(dirname(GAS_FILE), { recursive: true });
    writeFileSync(GAS_FILE, `${JSON.stringify(report, null, 2)}\n`);
  }
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exitCode = 1;
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
