import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { CityBusy } from "../chain/errors.ts";
import { livingOwner } from "../chain/lock.ts";
import { writeFileAtomic } from "../primitives/files.ts";
import { keccak256 } from "../primitives/hash.ts";
import { canonicalBytes, canonicalJson, parseJson } from "../primitives/json.ts";

const runSchema = z.strictObject({ id: z.string(), key: z.string(), status: z.enum(["running", "ended"]), count: z.int() });

/** What makes two runs the same run: a run that was interrupted goes on when it is asked for again. */
export type RunKey = Readonly<Record<string, string | boolean>>;

/** The run to carry out: a new one, or the interrupted one with the same key. */
export function beginRun(dir: string, key: RunKey): { readonly id: string; readonly resumed: boolean } {
  const name = nameOf(key);
  const last = lastRun(dir);
  if (last?.status === "running" && last.key === name) return { id: last.id, resumed: true };
  const count = (last?.count ?? 0) + 1;
  const id = `${name}-${count}`;
  write(dir, { id, key: name, status: "running", count });
  return { id, resumed: false };
}

export function endRun(dir: string): void {
  const last = lastRun(dir);
  if (last !== undefined) write(dir, { ...last, status: "ended" });
}

/** Makes room for a new city, unless this very run was interrupted here. Finished missions are elsewhere and stay. */
export function clearUnlessInterrupted(dir: string, key: RunKey): void {
  const owner = livingOwner(dir);
  if (owner !== undefined) throw new CityBusy(join(dir, "lock"), owner.pid);
  const last = lastRun(dir);
  if (last?.status === "running" && last.key === nameOf(key)) return;
  rmSync(dir, { recursive: true, force: true });
}

function nameOf(key: RunKey): string {
  return keccak256(canonicalBytes(key)).slice(2, 18);
}

function lastRun(dir: string): z.infer<typeof runSchema> | undefined {
  const path = join(dir, "run.json");
  return existsSync(path) ? runSchema.parse(parseJson(readFileSync(path, "utf8"))) : undefined;
}

function write(dir: string, run: z.infer<typeof runSchema>): void {
  writeFileAtomic(join(dir, "run.json"), `${canonicalJson(run)}\n`);
}
