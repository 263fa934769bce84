/**
 * Runs every benchmark in its own process, so that none warms up another.
 *
 * usage: npm run bench [-- --check]
 */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { root } from "../dev/files.ts";
import { flags } from "../dev/flags.ts";

/** Benchmarks that CI checks, and those that only measure: a machine's speed says nothing about a change. */
const CHECKED = ["scripts/bench/gas.ts", "scripts/bench/clearing.ts", "scripts/bench/agreements.ts"];
const MEASURED = ["session", "throughput", "economy", "first-minute", "hub", "gateway"].map((name) => `scripts/bench/${name}.ts`);

const { check } = flags("agentcity bench [--check]", { check: { type: "boolean" } });

for (const benchmark of check === true ? CHECKED : [...CHECKED, ...MEASURED]) {
  const { status } = spawnSync(process.execPath, [join(root, benchmark), ...process.argv.slice(2)], { cwd: root, stdio: "inherit" });
  if (status !== 0) process.exitCode = 1;
}
