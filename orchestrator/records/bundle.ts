import { randomUUID } from "node:crypto";
import { existsSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { InvalidValue } from "../primitives/errors.ts";
import { freeName, isSystemError, makeFolder, syncDirectory, writeFileDurable } from "../primitives/files.ts";
import { sha256 } from "../primitives/hash.ts";
import type { Hash } from "../primitives/hex.ts";
import { canonicalBytes } from "../primitives/json.ts";
import {
  type BundleManifest,
  checkBlockName,
  checkFile,
  EDITION,
  type FileReads,
  fileReads,
  isPlainPath,
  MANIFEST,
  manifestText,
  missing,
  parseManifest,
  unlisted,
} from "./bundle-manifest.ts";
import { BundleDamaged } from "./errors.ts";

/** A mission's record, verified byte by byte when opened and held in memory from then on. */
export interface Bundle extends FileReads {
  readonly manifest: BundleManifest;
  /** Path (with `/`) → bytes, sorted by path. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  text(path: string): string;
}

/**
 * Writes a self-contained directory (decision 39): the given files and a manifest with the SHA-256 of each. The directory appears whole or
 * not at all. An identical bundle is not written again; any other content at that path is moved to `<dir>.1` ….
 */
export function writeBundle(dir: string, files: ReadonlyMap<string, Uint8Array | string>): BundleManifest {
  const draft = `${dir}.${randomUUID()}.tmp`;
  try {
    const entries = [...files].sort(([a], [b]) => (a < b ? -1 : 1)).map(([path, content]) => writeFile(draft, path, content));
    const body = { bundle: EDITION, files: entries } as const;
    const manifest = { ...body, digest: sha256(canonicalBytes(body)) };
    makeFolder(draft);
    writeFileDurable(join(draft, MANIFEST), manifestText(manifest));
    for (const folder of foldersOf(draft)) syncDirectory(folder);
    putInPlace(draft, dir, manifest.digest);
    return manifest;
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/**
 * Writes a received bundle, manifest included, in the same way: the directory appears whole or not at all, and other content at that path
 * is moved aside. `openBundle` verifies it. `send` receives a callback that takes each file.
 */
export async function receiveBundle(dir: string, send: (take: (path: string, bytes: Uint8Array) => void) => Promise<void>): Promise<void> {
  const draft = `${dir}.${randomUUID()}.tmp`;
  try {
    makeFolder(draft);
    await send((path, bytes) => {
      if (!isPlainPath(path)) throw new InvalidValue("bundle", `not a valid file name: ${JSON.stringify(path)}`);
      makeFolder(dirname(join(draft, path)));
      writeFileDurable(join(draft, path), bytes);
    });
    for (const folder of foldersOf(draft)) syncDirectory(folder);
    putInPlace(draft, dir, digestIn(draft));
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** The digest that a manifest states; undefined if it cannot be read. */
function digestIn(dir: string): Hash | undefined {
  try {
    return readManifest(dir).digest;
  } catch (error) {
    if (error instanceof BundleDamaged) return undefined;
    throw error;
  }
}

/** Opens a bundle and verifies every byte; the error names the first damaged file. */
export function openBundle(dir: string): Bundle {
  const manifest = readManifest(dir);
  const found = new Set(listFiles(dir, ""));
  found.delete(MANIFEST);
  const files = new Map<string, Uint8Array>();
  for (const entry of manifest.files) {
    if (!found.delete(entry.path)) throw missing(entry.path);
    const bytes = new Uint8Array(readFileSync(join(dir, entry.path)));
    checkFile(entry, bytes);
    files.set(entry.path, bytes);
  }
  const [extra] = [...found].sort();
  if (extra !== undefined) throw unlisted(extra);

  const reads = fileReads(files, manifest.withheld);
  return { manifest, files, ...reads, text: (path) => new TextDecoder("utf-8", { fatal: true }).decode(reads.bytes(path)) };
}

function writeFile(draft: string, path: string, content: Uint8Array | string): BundleManifest["files"][number] {
  if (!isPlainPath(path) || path === MANIFEST) throw new InvalidValue("bundle", `not a valid file name: ${JSON.stringify(path)}`);
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  checkBlockName(path, bytes);
  const file = join(draft, path);
  makeFolder(dirname(file));
  writeFileDurable(file, bytes);
  return { path, size: bytes.length, sha256: sha256(bytes) };
}

/** Moves the draft into place. Other content there is kept under the next free number. */
function putInPlace(draft: string, dir: string, digest: Hash | undefined): void {
  if (existsSync(dir)) {
    if (digest !== undefined && isBundle(dir, digest)) return;
    renameSync(dir, freeName(dir));
  }
  renameSync(draft, dir);
  syncDirectory(dirname(dir));
}

/** Whether the directory holds exactly the intact bundle of this digest. */
function isBundle(dir: string, digest: Hash): boolean {
  try {
    return openBundle(dir).manifest.digest === digest;
  } catch {
    return false;
  }
}

function readManifest(dir: string): BundleManifest {
  let bytes: Uint8Array;
  try {
    bytes = readFileSync(join(dir, MANIFEST));
  } catch (error) {
    if (isSystemError(error, "ENOENT")) throw new BundleDamaged(MANIFEST, "is missing", error);
    throw error;
  }
  return parseManifest(bytes);
}

function listFiles(dir: string, prefix: string): string[] {
  return readdirSync(join(dir, prefix), { withFileTypes: true }).flatMap((entry) => {
    const path = `${prefix}${entry.name}`;
    if (entry.isDirectory()) return listFiles(dir, `${path}/`);
    // A link could show different files to the audit and to other readers.
    if (!entry.isFile()) throw new BundleDamaged(path, "is not a regular file");
    return [path];
  });
}

function foldersOf(dir: string): string[] {
  const inside = readdirSync(dir, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return [...inside.flatMap((entry) => foldersOf(join(dir, entry.name))), dir];
}
