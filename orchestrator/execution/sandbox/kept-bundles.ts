import { readFileSync, statSync, utimesSync } from "node:fs";
import { extname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { writeFileAtomic } from "../../primitives/files.ts";
import { contentIdOf, sha256 } from "../../primitives/hash.ts";
import type { Hash } from "../../primitives/hex.ts";
import { hashSchema } from "../../primitives/hex.ts";
import { canonicalBytes, parseJson } from "../../primitives/json.ts";

/** Source formats. Data is JSON; no loader accepts arbitrary files. */
export const LOADERS = {
  ".ts": "ts",
  ".mts": "ts",
  ".cts": "ts",
  ".js": "js",
  ".mjs": "js",
  ".cjs": "js",
  ".json": "json",
} as const;
export type SourceLoader = (typeof LOADERS)[keyof typeof LOADERS];

/** The loader for a path, by extension; undefined if such files are not bundled. */
export function loaderOf(path: string): SourceLoader | undefined {
  const extension = extname(path);
  return Object.entries(LOADERS).find(([known]) => known === extension)?.[1];
}

/** Called with each file of a bundle as it is read. */
export type Seen = (path: string, bytes: Uint8Array) => void;

/** A finished bundle. */
export interface Made {
  readonly bytes: Uint8Array;
  readonly codeHash: Hash;
}

const PROJECT = fileURLToPath(new URL("../../..", import.meta.url));
const PACKAGES = join(PROJECT, "node_modules");
/** Lists every installed package with its version, including esbuild. */
const INSTALLED = join(PACKAGES, ".package-lock.json");
const FOLDER = join(PACKAGES, ".cache", "agentcity", "own-bundles");

/** `sources`: the project's own files in a bundle, by path below the project. */
const keptSchema = z.strictObject({ sources: z.record(z.string(), hashSchema), codeHash: hashSchema, text: z.string() });

/** A bundle that this process read: it is good while no file that it rests on changed since it was kept. */
interface Held {
  readonly made: Made;
  readonly files: readonly string[];
  readonly since: bigint;
}
const held = new Map<string, Held>();

/**
 * Caches bundles of the city's own files until a source, a package or an option changes: starting esbuild takes longer than everything that
 * a small mission computes. Bundles of files outside the project are always made anew. Failures to cache are ignored.
 */
export async function keptBundle(file: string, options: unknown, make: (seen: Seen) => Promise<Made>): Promise<Made> {
  const name = `${file}\n${JSON.stringify(options)}`;
  const before = held.get(name);
  if (before !== undefined && isGood(before)) return before.made;
  const place = placeOf(file, options);
  const kept = place === undefined ? undefined : read(place);
  if (place !== undefined && kept !== undefined) {
    if (isGood(kept)) held.set(name, kept);
    // Files that were written since, such as by a checkout, came out the same: from now on it is newer than they.
    else touch(place);
    return kept.made;
  }
  const sources: Record<string, Hash> = {};
  const made = await make((path, bytes) => {
    if (isOwn(path)) sources[relative(PROJECT, path)] = sha256(bytes);
  });
  if (place !== undefined) write(place, sources, made);
  return made;
}

const isGood = ({ files, since }: Held) => files.every((file) => (changedAt(file) ?? since) < since);

/** When a file was last written to, renamed or replaced, by the system's clock. */
function changedAt(path: string): bigint | undefined {
  return statSync(path, { bigint: true, throwIfNoEntry: false })?.ctimeNs;
}

/** Whether a source belongs to this project, not to a package or another folder. */
export function isOwn(path: string): boolean {
  return path.startsWith(PROJECT) && !relative(PROJECT, path).split(sep).includes("node_modules");
}

function placeOf(file: string, options: unknown): string | undefined {
  const installed = isOwn(file) ? readIfThere(INSTALLED) : undefined;
  if (installed === undefined) return undefined;
  const name = contentIdOf(canonicalBytes({ file: relative(PROJECT, file), options, installed: sha256(installed) }));
  return join(FOLDER, `${name}.json`);
}

/** The first line is the hash of the others. */
function read(place: string): Held | undefined {
  const since = changedAt(place);
  const bytes = readIfThere(place);
  const end = bytes?.indexOf("\n") ?? -1;
  if (since === undefined || bytes === undefined) return undefined;
  if (sha256(bytes.subarray(end + 1)) !== bytes.toString("latin1", 0, Math.max(end, 0))) return undefined;
  const kept = keptSchema.safeParse(parseJson(bytes.toString("utf8", end + 1))).data;
  if (kept === undefined) return undefined;
  const sources = Object.entries(kept.sources).map(([path, hash]) => ({ path: join(PROJECT, path), hash }));
  const isCurrent = sources.every(({ path, hash }) => {
    const source = readIfThere(path);
    return source !== undefined && sha256(source) === hash;
  });
  if (!isCurrent) return undefined;
  const made = { bytes: new TextEncoder().encode(kept.text), codeHash: kept.codeHash };
  return { made, files: [INSTALLED, ...sources.map(({ path }) => path)], since };
}

function write(place: string, sources: Readonly<Record<string, Hash>>, { bytes, codeHash }: Made): void {
  const content = Buffer.from(JSON.stringify({ sources, codeHash, text: new TextDecoder().decode(bytes) }));
  try {
    writeFileAtomic(place, Buffer.concat([Buffer.from(`${sha256(content)}\n`), content]));
  } catch {
    // An installation owned by another user may be read-only.
  }
}

/** Setting its times, to whatever they are, changes a file. */
function touch(place: string): void {
  try {
    const { atime, mtime } = statSync(place);
    utimesSync(place, atime, mtime);
  } catch {
    // As above.
  }
}

function readIfThere(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}
