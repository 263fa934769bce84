import { readFileSync, writeFileSync } from "node:fs";
import { brotliCompressSync, brotliDecompressSync } from "node:zlib";
import { z } from "zod";
import { canonicalJson } from "../../orchestrator/primitives/json.ts";

/** A build's list of its files with their hashes, which is one of them. */
export const SEAL = "files.json";

/** Bytes that a build holds at most: what is shipped is not unpacked without end. */
const MOST = 16_000_000;

/** All of them are text, which packs a quarter smaller as it is. */
const archiveSchema = z.record(z.string(), z.string());
const archiveOf = (dist: string) => `${dist}.json.br`;

/** A build as one file of the tree, from which a fresh clone has the console without what builds it; undefined where it is not there or is damaged. */
export function shippedBeside(dist: string): ReadonlyMap<string, Uint8Array> | undefined {
  try {
    const text = brotliDecompressSync(readFileSync(archiveOf(dist)), { maxOutputLength: MOST }).toString("utf8");
    return new Map(Object.entries(archiveSchema.parse(JSON.parse(text))).map(([path, content]) => [path, Buffer.from(content)]));
  } catch {
    return undefined;
  }
}

/** Writes these files of a folder as one, unless they are shipped already: other versions of the compressor make other bytes of the same files. */
export function ship(dist: string, files: ReadonlyMap<string, Uint8Array>): void {
  const before = shippedBeside(dist);
  const isSame =
    before?.size === files.size && [...files].every(([path, bytes]) => Buffer.compare(before.get(path) ?? new Uint8Array(), bytes) === 0);
  if (isSame) return;
  // A file that is no text is refused here, and not changed on its way.
  const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  const archive = Object.fromEntries([...files].map(([path, bytes]) => [path, text.decode(bytes)]));
  writeFileSync(archiveOf(dist), brotliCompressSync(canonicalJson(archive)));
}
