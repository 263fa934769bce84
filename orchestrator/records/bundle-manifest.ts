import { z } from "zod";
import { InvalidValue, messageOf } from "../primitives/errors.ts";
import { contentIdOf, sha256 } from "../primitives/hash.ts";
import { hashSchema } from "../primitives/hex.ts";
import { canonicalBytes, canonicalJson, parseJson } from "../primitives/json.ts";
import { type ReadObject, readObjects } from "../protocol/read-access.ts";
import { BundleDamaged, BundleOfAnotherEdition, Withheld } from "./errors.ts";

/** Format of a bundle's manifest, and how files are checked against it. Free of Node, so that a browser applies the same rules. */
export const MANIFEST = "manifest.json";
/** Files under this folder are named by their content id. */
const BLOCKS = "blocks/";

/**
 * Edition of a bundle's calls and documents: 2 since nodes start and clear in waves that are signed once, 3 since an obligation states when
 * it was bound and what the law allows under it, 4 since a node that is a mission has an obligation too, which those below name, 5 since that
 * obligation states its law's floor, and upheld appeals say whom they free and what they change in passports, 6 since passports tell of every
 * executor, and an attempt that nothing settled has a record of its end.
 */
export const EDITION = 6;

const manifestSchema = z.strictObject({
  bundle: z.int(),
  files: z.array(z.strictObject({ path: z.string(), size: z.number().int().nonnegative(), sha256: hashSchema })),
  /** Files left out of this copy because they are not public, and what they are. */
  withheld: z
    .array(z.strictObject({ path: z.string(), of: z.enum(readObjects) }))
    .min(1)
    .optional(),
  /** SHA-256 of the manifest's canonical bytes without this field. */
  digest: hashSchema,
});
export type BundleManifest = z.infer<typeof manifestSchema>;

/**
 * Parses a manifest. Throws BundleDamaged unless it is canonical, matches its own digest and lists only files inside the bundle, in order;
 * BundleOfAnotherEdition if it is intact but was made by another version of the law.
 */
export function parseManifest(bytes: Uint8Array): BundleManifest {
  let manifest: BundleManifest;
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    manifest = manifestSchema.parse(parseJson(text));
    // Another spelling of the same values (upper-case hex, a space) would be bytes that the digest does not cover.
    if (manifestText(manifest) !== text) throw new InvalidValue("manifest", "it is not in canonical form");
  } catch (error) {
    throw new BundleDamaged(MANIFEST, `cannot be read: ${error instanceof z.ZodError ? "wrong shape" : messageOf(error)}`, error);
  }
  const { digest, ...body } = manifest;
  if (sha256(canonicalBytes(body)) !== digest) throw new BundleDamaged(MANIFEST, "does not match its own digest");
  const { files, withheld = [] } = manifest;
  if (!isInOrder(files) || !isInOrder(withheld)) throw new BundleDamaged(MANIFEST, "lists files out of order or outside the bundle");
  const here = new Set(files.map(({ path }) => path));
  if (withheld.some(({ path }) => here.has(path))) throw new BundleDamaged(MANIFEST, "lists a file as withheld that it contains");
  if (manifest.bundle !== EDITION) throw new BundleOfAnotherEdition(manifest.bundle, EDITION);
  return manifest;
}

function isInOrder(entries: readonly { readonly path: string }[]): boolean {
  return entries.every(
    ({ path }, index) => isPlainPath(path) && path !== MANIFEST && (index === 0 || (entries[index - 1]?.path ?? "") < path),
  );
}

/** The manifest without the withheld files; the same manifest if none is withheld. */
export function withoutFiles(manifest: BundleManifest, withheld: ReadonlyMap<string, ReadObject>): BundleManifest {
  const [gone, files] = [
    manifest.files.flatMap(({ path }) => {
      const of = withheld.get(path);
      return of === undefined ? [] : [{ path, of }];
    }),
    manifest.files.filter(({ path }) => !withheld.has(path)),
  ];
  if (gone.length === 0) return manifest;
  const body = { bundle: manifest.bundle, files, withheld: gone };
  return { ...body, digest: sha256(canonicalBytes(body)) };
}

/** Access to the files of a copy. */
export interface FileReads {
  /** Whether the file exists. Throws Withheld if it was left out of this copy. */
  has(path: string): boolean;
  /** Throws BundleDamaged for a missing file, Withheld for one left out of this copy. */
  bytes(path: string): Uint8Array;
}

/** `withheld`: files that the manifest lists as left out. */
export function fileReads(files: ReadonlyMap<string, Uint8Array>, withheld: BundleManifest["withheld"] = []): FileReads {
  const gone = new Map(withheld.map(({ path, of }) => [path, of]));
  const has = (path: string): boolean => {
    const of = gone.get(path);
    if (of !== undefined) throw new Withheld(path, of);
    return files.has(path);
  };
  const bytes = (path: string): Uint8Array => {
    const content = has(path) ? files.get(path) : undefined;
    if (content === undefined) throw missing(path);
    return content;
  };
  return { has, bytes };
}

/** Serialises a manifest. */
export const manifestText = (manifest: BundleManifest): string => `${canonicalJson(manifest)}\n`;

/** Throws BundleDamaged unless the bytes match the manifest entry. */
export function checkFile({ path, size, sha256: expected }: BundleManifest["files"][number], bytes: Uint8Array): void {
  if (bytes.length !== size) throw new BundleDamaged(path, `holds ${bytes.length} bytes, not ${size}`);
  if (sha256(bytes) !== expected) throw new BundleDamaged(path, "was changed");
  checkBlockName(path, bytes);
}

/** A block's name is the hash of its content. */
export function checkBlockName(path: string, bytes: Uint8Array): void {
  if (path.startsWith(BLOCKS) && path.slice(BLOCKS.length) !== contentIdOf(bytes)) {
    throw new BundleDamaged(path, "does not hold what its name says");
  }
}

/** Relative, with `/`, without `..`, and without characters that are special on other systems. */
export function isPlainPath(path: string): boolean {
  return /^[A-Za-z0-9._-]+(?:\/[A-Za-z0-9._-]+)*$/.test(path) && path.split("/").every((part) => part !== "." && part !== "..");
}

/** Every changed, missing or unlisted file, in the manifest's order; empty if the bundle is intact. */
export function damagesOf(manifest: BundleManifest, files: ReadonlyMap<string, Uint8Array>): readonly BundleDamaged[] {
  const damages: BundleDamaged[] = [];
  const extra = new Set(files.keys());
  extra.delete(MANIFEST);
  for (const entry of manifest.files) {
    extra.delete(entry.path);
    const bytes = files.get(entry.path);
    if (bytes === undefined) damages.push(missing(entry.path));
    else damages.push(...damageOf(entry, bytes));
  }
  return [...damages, ...[...extra].sort().map(unlisted)];
}

export function missing(path: string): BundleDamaged {
  return new BundleDamaged(path, "is missing");
}

export function unlisted(path: string): BundleDamaged {
  return new BundleDamaged(path, "is not in the manifest");
}

function damageOf(entry: BundleManifest["files"][number], bytes: Uint8Array): readonly BundleDamaged[] {
  try {
    checkFile(entry, bytes);
    return [];
  } catch (error) {
    if (error instanceof BundleDamaged) return [error];
    throw error;
  }
}
