import { randomUUID } from "node:crypto";
import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Writes a file so that a reader, or a crash at any instant, sees the old bytes or the new ones, never a part. The name of
 * the temporary file is the only thing here that differs between runs, and it does not outlive the call.
 */
export function writeFileAtomic(path: string, bytes: Uint8Array | string): void {
  mkdirSync(dirname(path), { recursive: true });
  const temporary = `${path}.${randomUUID()}.tmp`;
  try {
    writeFileDurable(temporary, bytes);
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
  syncDirectory(dirname(path));
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
