import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isSystemError, makeFolder, syncFiles, writeFileWhole } from "../primitives/files.ts";
import { contentIdOf, parseContentId } from "../primitives/hash.ts";
import type { ContentId } from "../primitives/hex.ts";
import type { JsonValue } from "../primitives/json.ts";
import { canonicalBytes, parseJsonBytes } from "../primitives/json.ts";
import { BlockDamaged } from "./errors.ts";

/** Bytes by content id. Writing is idempotent. */
export interface Blocks {
  put(bytes: Uint8Array): ContentId;
  /** Stores the RFC 8785 bytes of a value. */
  putJson(value: unknown): ContentId;
  has(id: ContentId): boolean;
  /** Verifies the bytes against the id. Throws BlockDamaged. */
  get(id: ContentId): Uint8Array;
  getJson(id: ContentId): JsonValue;
  /** All ids, sorted. */
  list(): readonly ContentId[];
  /** Returns once every stored block is on disk: a database must not refer to a block before. */
  sync(): Promise<void>;
}

/** One file per block, named by its id. Concurrent syncs share one flush. */
export function openBlocks(dir: string): Blocks {
  makeFolder(dir);
  const fileOf = (id: ContentId) => join(dir, parseContentId(id));

  function read(id: ContentId): Uint8Array | undefined {
    try {
      return new Uint8Array(readFileSync(fileOf(id)));
    } catch (error) {
      if (isSystemError(error, "ENOENT")) return undefined;
      throw error;
    }
  }

  let written: string[] = [];
  let last = Promise.resolve();
  let next: Promise<void> | undefined;

  async function syncWritten(): Promise<void> {
    await last.catch(() => {});
    next = undefined;
    const paths = written;
    written = [];
    last = syncFiles(dir, paths).catch((error: unknown) => {
      written.push(...paths);
      throw error;
    });
    await last;
  }

  return blocksOver({
    read,
    write: (id, bytes) => {
      writeFileWhole(fileOf(id), bytes);
      written.push(fileOf(id));
    },
    sync: () => {
      if (written.length > 0) next ??= syncWritten();
      return next ?? last;
    },
    has: (id) => existsSync(fileOf(id)),
    // Leftovers of interrupted writes are skipped.
    names: () => readdirSync(dir).filter((name) => !name.endsWith(".tmp")),
  });
}

/** Blocks in memory only. */
export function memoryBlocks(): Blocks {
  const blocks = new Map<ContentId, Uint8Array>();
  return blocksOver({
    read: (id) => blocks.get(id)?.slice(),
    sync: async () => {},
    write: (id, bytes) => blocks.set(id, bytes.slice()),
    has: (id) => blocks.has(id),
    names: () => [...blocks.keys()],
  });
}

interface Store {
  read(id: ContentId): Uint8Array | undefined;
  write(id: ContentId, bytes: Uint8Array): void;
  has(id: ContentId): boolean;
  names(): readonly string[];
  sync(): Promise<void>;
}

function blocksOver(store: Store): Blocks {
  function put(bytes: Uint8Array): ContentId {
    const id = contentIdOf(bytes);
    const held = store.has(id) ? store.read(id) : undefined;
    if (held === undefined || contentIdOf(held) !== id) store.write(id, bytes);
    return id;
  }

  function get(id: ContentId): Uint8Array {
    const bytes = store.read(id);
    if (bytes === undefined) throw new BlockDamaged(id, "is missing");
    if (contentIdOf(bytes) !== id) throw new BlockDamaged(id, "does not hold what its name says");
    return bytes;
  }

  return {
    put,
    putJson: (value) => put(canonicalBytes(value)),
    has: store.has,
    get,
    getJson: (id) => parseJsonBytes(get(id)),
    sync: store.sync,
    list: () => store.names().map(parseContentId).sort(),
  };
}
