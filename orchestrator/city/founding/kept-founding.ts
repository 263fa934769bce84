import { randomUUID } from "node:crypto";
import { cpSync, existsSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { artifactsFolder } from "../../../deploy/artifacts.ts";
import { TRANSCRIPT_FILE } from "../../chain/driven.ts";
import { HistoryMissing } from "../../chain/errors.ts";
import { keepNewest, makeFolder, syncDirectory, syncFolder, writeFileAtomic } from "../../primitives/files.ts";
import { sha256 } from "../../primitives/hash.ts";
import { canonicalBytes } from "../../primitives/json.ts";
import type { Sql } from "../../records/sql.ts";
import { deploymentFile, readDeployment } from "./deployment-file.ts";
import type { Founded } from "./found-city.ts";

/**
 * Founding is the same for all cities of one seed, one version and one society: signed, mined and recorded once, it is copied by those
 * that follow, chain and records together. A copy is judged like any city that is opened again: every block is mined to its hash, records
 * and chain are compared, and the constitution is read back.
 */

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
/** Code that a founding depends on, besides seed and packages. */
const CODE = ["orchestrator", "deploy", "services"];
const INSTALLED = join(ROOT, "node_modules", ".package-lock.json");
/** Number of cached foundings, 25 MB each. */
const MAX_KEPT = 2;
const RECORDS = "records";
/** In a city's folder while its copy is not yet judged: it counts as nothing. */
const UNFINISHED = "founding.copy";

/** Cache folder of a seed's founding; undefined if this version cannot be identified. */
export function placeOfFounding(cacheDir: string, seed: string): string | undefined {
  if (!existsSync(INSTALLED)) return undefined;
  const code = CODE.map((folder) => hashesIn(join(ROOT, folder), /\.ts$/));
  const artifacts = hashesIn(join(artifactsFolder(), "contracts"), /\.json$/);
  const version = sha256(canonicalBytes({ seed, code, artifacts, installed: sha256(readFileSync(INSTALLED)) }));
  return join(cacheDir, `founded-${version.slice(2, 34)}`);
}

/** SHA-256 by path of the files below a folder that are named so. */
function hashesIn(folder: string, names: RegExp): Record<string, string> {
  const paths = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((path) => names.test(path));
  return Object.fromEntries(paths.sort().map((path) => [path, sha256(readFileSync(join(folder, path)))]));
}

/** Caches a fresh founding if possible; a city does not depend on it. The database must not be in use meanwhile. */
export async function keepFounding(place: string, dir: string, database: Sql): Promise<void> {
  const draft = `${place}.${randomUUID()}.tmp`;
  try {
    await database.query("CHECKPOINT");
    makeFolder(draft);
    cpSync(join(dir, TRANSCRIPT_FILE), join(draft, TRANSCRIPT_FILE));
    cpSync(join(dir, RECORDS), join(draft, RECORDS), { recursive: true });
    cpSync(deploymentFile(dir), deploymentFile(draft));
    if (!existsSync(place)) renameSync(draft, place);
    // Foundings of earlier versions are never asked for again.
    keepNewest(dirname(place), MAX_KEPT, /^founded-[0-9a-f]+$/);
  } catch {
    // No room, or another process was first.
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** Removes a damaged cache entry. */
export function forgetFounding(place: string): void {
  rmSync(place, { recursive: true, force: true });
}

/** Starts a city in an empty folder from the cache, if available. `endCopy` completes it. */
export async function copyFounding(place: string, dir: string): Promise<boolean> {
  if (!existsSync(place)) return false;
  writeFileAtomic(join(dir, UNFINISHED), "1\n");
  cpSync(join(place, RECORDS), join(dir, RECORDS), { recursive: true });
  await syncFolder(join(dir, RECORDS));
  for (const from of [join(place, TRANSCRIPT_FILE), deploymentFile(place)]) writeFileAtomic(join(dir, basename(from)), readFileSync(from));
  return true;
}

/** The deployment stated by the cached city. */
export function copiedDeployment(dir: string): Founded {
  const deployment = readDeployment(deploymentFile(dir));
  const city = deployment?.city ?? null;
  if (deployment === undefined || city === null) throw new HistoryMissing(deploymentFile(dir), "is of no sealed city");
  return { ...deployment, city };
}

export function isCopying(dir: string): boolean {
  return existsSync(join(dir, UNFINISHED));
}

export function endCopy(dir: string): void {
  rmSync(join(dir, UNFINISHED));
  syncDirectory(dir);
}

/** Undoes an unfinished copy; returns whether there was one. Nothing has happened yet in a city that began with it. */
export function undoCopy(dir: string): boolean {
  if (!isCopying(dir)) return false;
  rmSync(deploymentFile(dir), { force: true });
  rmSync(join(dir, TRANSCRIPT_FILE), { force: true });
  rmSync(join(dir, RECORDS), { recursive: true, force: true });
  endCopy(dir);
  return true;
}
