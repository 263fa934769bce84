import { randomUUID } from "node:crypto";
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { open } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { AgentCityError, messageOf } from "./errors.ts";

/**
 * Writes a file so that a reader, or a crash at any instant, sees the old bytes or the new ones, never a part. Only the name of the
 * temporary file differs between runs, and that file does not outlive the call.
 */
export function writeFileAtomic(path: string, bytes: Uint8Array | string): void {
  makeFolder(dirname(path));
  replaceFile(path, (temporary) => writeFileDurable(temporary, bytes));
  syncDirectory(dirname(path));
}

/** The same, but until `syncFiles` has returned a power cut may lose the file, or leave its name without its bytes. */
export function writeFileWhole(path: string, bytes: Uint8Array): void {
  replaceFile(path, (temporary) => writeFileSync(temporary, bytes, { flag: "wx" }));
}

function replaceFile(path: string, write: (temporary: string) => void): void {
  const temporary = `${path}.${randomUUID()}.tmp`;
  try {
    write(temporary);
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/** Flushes files of one directory, and their names, to disk. */
export async function syncFiles(directory: string, paths: readonly string[]): Promise<void> {
  await Promise.all([
    ...paths.map(async (path) => {
      await using file = await open(path, "r+");
      await file.sync();
    }),
    (async () => {
      await using folder = await open(directory, "r");
      await folder.sync();
    })(),
  ]);
}

/** Flushes a folder to disk, with everything in it. */
export async function syncFolder(path: string): Promise<void> {
  const entries = readdirSync(path, { withFileTypes: true });
  const within = (isWanted: (entry: (typeof entries)[number]) => boolean) => entries.filter(isWanted).map(({ name }) => join(path, name));
  await syncFiles(
    path,
    within((entry) => entry.isFile()),
  );
  for (const folder of within((entry) => entry.isDirectory())) await syncFolder(folder);
}

/** Removes all but the newest `most` entries of a folder whose names match. */
export function keepNewest(folder: string, most: number, names = /./): void {
  const made = (name: string) => statSync(join(folder, name)).mtimeMs;
  const newest = readdirSync(folder)
    .filter((name) => names.test(name))
    .sort((a, b) => made(b) - made(a));
  for (const name of newest.slice(most)) rmSync(join(folder, name), { recursive: true, force: true });
}

/** The folder cannot be created. */
export class FolderUnusable extends AgentCityError {
  constructor(path: string, problem: string, cause?: unknown) {
    super("FolderUnusable", `The folder ${path} cannot be made: ${problem}`, {
      action: "name a folder that you may write to: in AGENTCITY_HOME (and AGENTCITY_CACHE), or with the command's own flag",
      cause,
    });
  }
}

/**
 * Creates a folder and its parents. Node's own recursive mkdir never returns on a file system that answers ENOENT below an existing folder,
 * such as /proc.
 */
export function makeFolder(path: string): void {
  try {
    mkdirSync(path);
  } catch (error) {
    if (isSystemError(error, "EEXIST")) {
      if (!statSync(path).isDirectory()) throw new FolderUnusable(path, "there is a file of that name", error);
      return;
    }
    const above = dirname(resolve(path));
    if (!isSystemError(error, "ENOENT") || existsSync(above)) throw new FolderUnusable(path, messageOf(error), error);
    makeFolder(above);
    makeFolder(path);
  }
}

/** The first free name of `<path>.1`, `<path>.2` …, for a folder that is put aside. */
export function freeName(path: string): string {
  let number = 1;
  while (existsSync(`${path}.${number}`)) number += 1;
  return `${path}.${number}`;
}

/** Creates a file that must not exist yet and returns once its bytes are on disk. */
export function writeFileDurable(path: string, bytes: Uint8Array | string): void {
  const file = openSync(path, "wx");
  try {
    writeAll(file, typeof bytes === "string" ? new TextEncoder().encode(bytes) : bytes);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

export function writeAll(file: number, bytes: Uint8Array): void {
  for (let written = 0; written < bytes.length; ) written += writeSync(file, bytes, written);
}

/** Makes a rename or a removal in the directory survive a power cut. */
export function syncDirectory(path: string): void {
  const directory = openSync(path, "r");
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}

/** True for an error of the operating system with this code, e.g. ENOENT. */
export function isSystemError(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
