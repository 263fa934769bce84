/**
 * Every benchmark, one process each, so that none warms another.
 *
 * usage: npm run bench [-- --check]
 */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { root } from "../dev/files.ts";

const BENCHMARKS = ["scripts/bench/gas.ts", "scripts/bench/clearing.ts"] as const;

for (const benchmark of BENCHMARKS) {
  const { status } = spawnSync(process.execPath, [join(root, benchmark), ...process.argv.slice(2)], { cwd: root, stdio: "inherit" });
  if (status !== 0) process.exitCode = 1;
}
