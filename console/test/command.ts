/** What the command line prints about the same city. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { root } from "./served.ts";

/** The typed data that a dry run prints: the last line of stderr that is a JSON object. */
export function commandOutput(home: string, words: readonly string[]): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    execFile(
      process.execPath,
      [join(root, "scripts", "agentcity.js"), ...words],
      { cwd: root, env: { ...process.env, AGENTCITY_HOME: home }, maxBuffer: 2 ** 26 },
      (error, _, stderr) =>
        error === null ? resolve(stderr.split("\n").findLast((line) => line.startsWith("{"))) : reject(new Error(stderr)),
    );
  });
}
