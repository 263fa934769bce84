import { spawnSync } from "node:child_process";
import { root } from "../dev/files.ts";

/** Of this process, in total or since. */
export function processorSeconds(since?: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1e6;
}

/**
 * The unit in which machines and commits are compared: 300 million steps of a fixed random number generator, the fastest of five runs, in
 * processor seconds.
 */
export function referenceLoop(): number {
  const runs = Array.from({ length: 5 }, () => {
    const before = process.cpuUsage();
    let state = 7;
    for (let step = 0; step < 300_000_000; step += 1) state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + step;
    return state === 0 ? Number.POSITIVE_INFINITY : processorSeconds(before);
  });
  return Number(Math.min(...runs).toFixed(2));
}

/** What `referenceLoop` measures, for readers of a table. */
export const LOOP = "A *loop* is 300 million steps of a fixed random number generator, measured in the same run";

/** JSON output of a measuring program under test/bench/. Throws if it fails; its progress is shown. */
export function measured(program: string, args: readonly string[] = [], env: NodeJS.ProcessEnv = {}): unknown {
  const { status, stdout } = spawnSync(process.execPath, [program, ...args], {
    cwd: root,
    env: { ...process.env, ...env },
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  if (status !== 0) throw new Error(`${program} failed`);
  // The result is the last line: ethers first prints warnings about ABIs that it cannot read.
  return JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "");
}
