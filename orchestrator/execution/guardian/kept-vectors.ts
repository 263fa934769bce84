import { keccak256 } from "../../primitives/hash.ts";
import type { Embedder, Vector } from "./embedder.ts";

/** Number of cached vectors, some 24 kB each. */
const MOST = 512;

/** Caches vectors, since a window moves by one output at a time. Results never depend on the cache. */
export function keepingVectors(embedder: Embedder): Embedder {
  const kept = new Map<string, Vector>();

  async function embed(texts: readonly string[]): Promise<readonly Vector[]> {
    const keys = texts.map((text) => keccak256(new TextEncoder().encode(text)));
    const known = new Map(keys.flatMap((key) => entryOf(kept, key)));
    const missing = [...new Set(keys)].filter((key) => !known.has(key));
    const made = missing.length === 0 ? [] : await embedder.embed(missing.map((key) => texts[keys.indexOf(key)] ?? ""));
    for (const [index, key] of missing.entries()) known.set(key, vectorAt(made, index, embedder.id));
    for (const [key, vector] of known) {
      kept.delete(key);
      kept.set(key, vector);
    }
    for (const key of kept.keys()) {
      if (kept.size <= MOST) break;
      kept.delete(key);
    }
    return keys.map((key) => known.get(key) ?? vectorAt([], 0, embedder.id));
  }

  return { id: embedder.id, dimensions: embedder.dimensions, embed };
}

function entryOf(kept: ReadonlyMap<string, Vector>, key: string): [string, Vector][] {
  const vector = kept.get(key);
  return vector === undefined ? [] : [[key, vector]];
}

function vectorAt(vectors: readonly Vector[], index: number, id: string): Vector {
  const vector = vectors[index];
  if (vector === undefined) throw new RangeError(`${id} left out text ${index}`);
  return vector;
}
