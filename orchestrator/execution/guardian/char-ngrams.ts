import { DIMENSIONS, type Embedder, normalized, type Vector } from "./embedder.ts";

const SIZES = [3, 4, 5] as const;
const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/**
 * Signed feature hashing of character n-grams (Weinberger et al. 2009): sensitive to spelling, punctuation and layout, without knowledge of
 * words. Counts are damped by a square root, so that a long output is not dominated by its most frequent syllable.
 */
export const charNgrams: Embedder = {
  id: "char-ngrams/1",
  dimensions: DIMENSIONS,
  embed: async (texts) => texts.map(embed),
};

function embed(text: string): Vector {
  const plain = text.normalize("NFC").toLowerCase().replace(/\s+/g, " ");
  const vector = new Float64Array(DIMENSIONS);
  for (let start = 0; start < plain.length; start += 1) {
    let hash = FNV_OFFSET;
    for (let offset = 0; offset < SIZES[2] && start + offset < plain.length; offset += 1) {
      hash = Math.imul(hash ^ plain.charCodeAt(start + offset), FNV_PRIME);
      if (offset + 1 >= SIZES[0]) count(vector, mixed(hash));
    }
  }
  return normalized(vector.map((value) => Math.sign(value) * Math.sqrt(Math.abs(value))));
}

/** The lowest bit is the sign, the rest the position. */
function count(vector: Vector, hash: number): void {
  const place = (hash >>> 1) % DIMENSIONS;
  vector[place] = (vector[place] ?? 0) + ((hash & 1) === 1 ? 1 : -1);
}

/** Finalizer of MurmurHash3: FNV alone leaves the low bits of short texts uneven. */
function mixed(hash: number): number {
  let value = hash;
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return (value ^ (value >>> 16)) >>> 0;
}
