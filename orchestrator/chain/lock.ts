import { linkSync, readFileSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { z } from "zod";
import { isSystemError, makeFolder, syncDirectory, writeFileAtomic, writeFileDurable } from "../primitives/files.ts";
import { canonicalJson, parseJson } from "../primitives/json.ts";
import { CityBusy, LockLost } from "./errors.ts";

/** One process owns a city (decision 36). */
export interface CityLock {
  /** Increases with every owner; the holder of an older one is no longer the owner. */
  readonly fence: number;
  /** Throws LockLost if another process owns the city. Cheap: called before each broadcast. */
  assertHeld(): void;
  /** `dir`: the folder's new path, if its owner moved it. */
  release(dir?: string): void;
}

const ownerSchema = z.strictObject({
  pid: z.number().int().positive(),
  /** Start time of that process in system ticks, since pids are reused. */
  started: z.string(),
  fence: z.number().int().positive(),
});
type Owner = z.infer<typeof ownerSchema>;

/** Takes `<dir>/lock`. Throws CityBusy. The lock of a dead process is taken over and logged. */
export function acquireLock(dir: string, log: (line: string) => void): CityLock {
  makeFolder(dir);
  const path = join(dir, "lock");
  for (;;) {
    const fence = lastFence(dir) + 1;
    const mine = canonicalJson({ pid: process.pid, started: startOf(process.pid) ?? "", fence } satisfies Owner);
    claim(path, mine, log);
    // A process that owned the city between our reading of the fence and our claim has used that number.
    if (lastFence(dir) >= fence) {
      rmSync(path);
      continue;
    }
    writeFileAtomic(join(dir, "fence"), String(fence));
    const isHeld = () => readText(path) === mine;
    return {
      fence,
      assertHeld() {
        if (!isHeld()) throw new LockLost(path);
      },
      release(at = dir) {
        const held = join(at, "lock");
        if (readText(held) === mine) rmSync(held);
      },
    };
  }
}

/** Links a finished file into place: the lock appears whole, and only if there is none. */
function claim(path: string, mine: string, log: (line: string) => void): void {
  const draft = `${path}.${process.pid}.tmp`;
  rmSync(draft, { force: true });
  writeFileDurable(draft, mine);
  try {
    if (tryLink(draft, path)) return;
    takeOverStale(path, log);
    if (!tryLink(draft, path)) throw busy(path);
  } finally {
    rmSync(draft, { force: true });
    syncDirectory(dirname(path));
  }
}

/** The running owner of a city, if any. */
export function livingOwner(dir: string): { readonly pid: number } | undefined {
  const owner = parseOwner(readText(join(dir, "lock")));
  return owner !== undefined && isAlive(owner) ? { pid: owner.pid } : undefined;
}

/** Moves a dead owner's lock away, provided that it is still the one found dead. */
function takeOverStale(path: string, log: (line: string) => void): void {
  const found = readText(path);
  if (found === undefined) return;
  const owner = parseOwner(found);
  if (owner !== undefined && isAlive(owner)) throw new CityBusy(path, owner.pid);
  const aside = `${path}.stale.${process.pid}`;
  try {
    renameSync(path, aside);
  } catch (error) {
    if (isSystemError(error, "ENOENT")) return;
    throw error;
  }
  const moved = readText(aside);
  if (moved !== found) {
    // Another process took over between the two reads: restore its lock.
    tryLink(aside, path);
    rmSync(aside, { force: true });
    throw busy(path);
  }
  rmSync(aside, { force: true });
  log(`${path}: its process ${owner?.pid ?? "(unreadable)"} is gone; taking over the city`);
}

function busy(path: string): CityBusy {
  return new CityBusy(path, parseOwner(readText(path))?.pid ?? 0);
}

function tryLink(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (isSystemError(error, "EEXIST")) return false;
    throw error;
  }
}

function lastFence(dir: string): number {
  const fence = Number(readText(join(dir, "fence")) ?? "0");
  return Number.isSafeInteger(fence) && fence > 0 ? fence : 0;
}

function parseOwner(text: string | undefined): Owner | undefined {
  if (text === undefined) return undefined;
  try {
    return ownerSchema.parse(parseJson(text));
  } catch {
    return undefined;
  }
}

function isAlive({ pid, started }: Owner): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (isSystemError(error, "ESRCH")) return false;
  }
  const start = startOf(pid);
  return start === undefined || started === "" || start === started;
}

/** Field 22 of /proc/<pid>/stat: start time in ticks since boot. Undefined without such a file. */
export function startOf(pid: number): string | undefined {
  const stat = readText(`/proc/${pid}/stat`);
  return stat?.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (isSystemError(error, "ENOENT")) return undefined;
    throw error;
  }
}
