import { spawnSync } from "node:child_process";
import { root } from "../dev/files.ts";

/** What a measuring program under test/bench/ prints, as JSON. Throws when it fails; what it says meanwhile is shown. */
export function measured(program: string, args: readonly string[] = [], env: NodeJS.ProcessEnv = {}): unknown {
  const { status, stdout } = spawnSync(process.execPath, [program, ...args], {
    cwd: root,
    env: { ...process.env, ...env },
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  if (status !== 0) throw new Error(`${program} failed`);
  // What it says is its last line: ethers prints warnings about ABIs that it cannot read before.
  return JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "");
}
