import { spawnSync } from "node:child_process";
import { root } from "../dev/files.ts";

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
