import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { CityBusy } from "../chain/errors.ts";
import { livingOwner } from "../chain/lock.ts";
import { writeFileAtomic } from "../primitives/files.ts";
import { keccak256 } from "../primitives/hash.ts";
import { canonicalBytes, canonicalJson, parseJson } from "../primitives/json.ts";

const runsSchema = z.strictObject({
  /** Runs begun so far. */
  count: z.int(),
  /** Interrupted runs: id by name of the key. */
  open: z.record(z.string(), z.string()),
});
type Runs = z.infer<typeof runsSchema>;

/** What makes two runs the same run: a run that was interrupted goes on when it is asked for again. */
export type RunKey = Readonly<Record<string, string | boolean>>;

/** The run to carry out: a new one, or the interrupted one with the same key. */
export function beginRun(dir: string, key: RunKey): { readonly id: string; readonly resumed: boolean } {
  const name = nameOf(key);
  const { count, open } = readRuns(dir);
  const interrupted = open[name];
  if (interrupted !== undefined) return { id: interrupted, resumed: true };
  const id = `${name}-${count + 1}`;
  write(dir, { count: count + 1, open: { ...open, [name]: id } });
  return { id, resumed: false };
}

export function endRun(dir: string, key: RunKey): void {
  const { count, open } = readRuns(dir);
  const { [nameOf(key)]: _, ...others } = open;
  write(dir, { count, open: others });
}

/** Makes room for a new city, unless this very run was interrupted here. Finished missions are elsewhere and stay. */
export function clearUnlessInterrupted(dir: string, key: RunKey): void {
  const owner = livingOwner(dir);
  if (owner !== undefined) throw new CityBusy(join(dir, "lock"), owner.pid);
  if (readRuns(dir).open[nameOf(key)] !== undefined) return;
  rmSync(dir, { recursive: true, force: true });
}

function nameOf(key: RunKey): string {
  return keccak256(canonicalBytes(key)).slice(2, 18);
}

function readRuns(dir: string): Runs {
  const path = join(dir, "runs.json");
  return existsSync(path) ? runsSchema.parse(parseJson(readFileSync(path, "utf8"))) : { count: 0, open: {} };
}

function write(dir: string, runs: Runs): void {
  writeFileAtomic(join(dir, "runs.json"), `${canonicalJson(runs)}\n`);
}
