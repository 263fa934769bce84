import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { makeFolder, writeFileDurable } from "../primitives/files.ts";
import { keccak256 } from "../primitives/hash.ts";
import { canonicalBytes, canonicalJson } from "../primitives/json.ts";
import { readStateFile } from "../primitives/state-file.ts";

/** Decisions of an agent, as files: written to disk before anything is signed or sent, read back after a restart, never overwritten. */
export class Memory {
  readonly #folder: string;

  constructor(folder: string) {
    makeFolder(folder);
    this.#folder = folder;
  }

  /** Opens the memory of an existing folder; does not create one. */
  static there(folder: string): Memory | undefined {
    return existsSync(folder) ? new Memory(folder) : undefined;
  }

  recall<Value>(key: readonly (string | number)[], schema: z.ZodType<Value>): Value | undefined {
    return this.#read(this.#pathOf(key), schema);
  }

  /** Every value stored under keys that begin with this name. */
  all<Value>(name: string, schema: z.ZodType<Value>): Value[] {
    return readdirSync(this.#folder)
      .filter((file) => file.startsWith(`${name}-`))
      .flatMap((file) => this.#read(join(this.#folder, file), schema) ?? []);
  }

  /** The first value stored under this key; `make` is called only if there is none. */
  async keep<Value>(key: readonly (string | number)[], schema: z.ZodType<Value>, make: () => Promise<Value>): Promise<Value> {
    const known = this.recall(key, schema);
    if (known !== undefined) return known;
    const value = schema.parse(await make());
    // A value stored meanwhile under the same key wins.
    const first = this.recall(key, schema);
    if (first !== undefined) return first;
    writeFileDurable(this.#pathOf(key), canonicalJson({ key, value }));
    return value;
  }

  #read<Value>(path: string, schema: z.ZodType<Value>): Value | undefined {
    return readStateFile(path, z.strictObject({ key: z.json(), value: schema }), "restore this agent's folder from a backup")?.value;
  }

  #pathOf(key: readonly (string | number)[]): string {
    return join(this.#folder, `${key[0]}-${keccak256(canonicalBytes(key)).slice(2, 34)}.json`);
  }
}
