/** Origin of runs: their sources and the machine. */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { availableParallelism, cpus, loadavg, totalmem } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { writeFileAtomic } from "../../orchestrator/primitives/files.ts";
import { root } from "../dev/files.ts";

export const originSchema = z.strictObject({
  /** Commit of the working copy; "unknown" outside one. */
  commit: z.string(),
  /** Whether files that affect a run were changed since. */
  changed: z.boolean(),
  machine: z.string(),
});
export type Origin = z.infer<typeof originSchema>;

/** Everything that affects a run. */
const SOURCES = ["orchestrator", "contracts", "deploy", "package-lock.json"];
/** Load per core above which a machine counts as shared. */
const BUSY = 1.5;

function git(...args: readonly string[]): string | undefined {
  try {
    return execFileSync("git", args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  } catch {
    return undefined;
  }
}

export function originOfNow(): Origin {
  const cores = availableParallelism();
  const shared = (loadavg()[0] ?? 0) > BUSY * cores ? " shared with other programs" : "";
  const memory = Math.round(totalmem() / 2 ** 30);
  return {
    commit: git("rev-parse", "--short=12", "HEAD") ?? "unknown",
    changed: git("status", "--porcelain", "--", ...SOURCES) !== "",
    machine: `${cores} cores${shared}, ${memory} GiB, ${cpus()[0]?.model ?? "unknown"}, Node ${process.version}`,
  };
}

const fileIn = (folder: string): string => join(folder, "origin.json");

/** Origins of a campaign's runs, oldest first. */
export function originsOf(folder: string): readonly Origin[] {
  const path = fileIn(folder);
  return existsSync(path) ? z.array(originSchema).parse(JSON.parse(readFileSync(path, "utf8"))) : [];
}

/** Records the origin when a campaign starts or continues; once if unchanged. */
export function noteOrigin(folder: string, origin: Origin): void {
  const known = originsOf(folder);
  const same = ({ commit, changed }: Origin) => commit === origin.commit && changed === origin.changed;
  if (known.some(same)) return;
  writeFileAtomic(fileIn(folder), `${JSON.stringify([...known, origin], null, 2)}\n`);
}

/** For display: the commits, and the machines. */
export function describe(origins: readonly Origin[]): { readonly commit: string; readonly machine: string } {
  const commits = origins.map(({ commit, changed }) => (changed ? `${commit} with changes` : commit));
  return { commit: [...new Set(commits)].join(", "), machine: [...new Set(origins.map(({ machine }) => machine))].join("; ") };
}
