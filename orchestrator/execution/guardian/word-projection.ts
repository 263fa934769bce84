import { DIMENSIONS, type Embedder, normalized, type Vector } from "./embedder.ts";

/** One of √D positions holds a sign (Li, Hastie & Church 2006, very sparse random projections). */
const SIGNS_PER_WORD = Math.round(Math.sqrt(DIMENSIONS));

/**
 * A randomly projected bag of words: sensitive to vocabulary, without order and spelling. A word weighs 1 + ln(count). Numbers are
 * represented by their magnitude, since two estimates would otherwise never share one.
 */
export const wordProjection: Embedder = {
  id: "word-projection/1",
  dimensions: DIMENSIONS,
  embed: async (texts) => texts.map(embed),
};

function embed(text: string): Vector {
  const counts = new Map<string, number>();
  for (const [token] of text.toLowerCase().matchAll(/\p{N}+(?:\.\p{N}+)?|[\p{L}\p{M}]+/gu)) {
    const word = /^\p{N}/u.test(token) ? magnitudeOf(token) : token;
    counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  const vector = new Float64Array(DIMENSIONS);
  for (const [word, count] of counts) project(vector, word, 1 + Math.log(count));
  return normalized(vector);
}

function magnitudeOf(number: string): string {
  return `#${(number.split(".")[0] ?? "").length}`;
}

function project(vector: Vector, word: string, weight: number): void {
  const next = generator(seedOf(word));
  for (let drawn = 0; drawn < SIGNS_PER_WORD; drawn += 1) {
    const bits = next();
    const place = (bits >>> 1) % DIMENSIONS;
    vector[place] = (vector[place] ?? 0) + ((bits & 1) === 1 ? weight : -weight);
  }
}

/** Jenkins' one-at-a-time hash, unrelated to the other family's. */
function seedOf(word: string): number {
  let hash = 0;
  for (let index = 0; index < word.length; index += 1) {
    hash = (hash + word.charCodeAt(index)) | 0;
    hash = (hash + (hash << 10)) | 0;
    hash ^= hash >>> 6;
  }
  hash = (hash + (hash << 3)) | 0;
  hash ^= hash >>> 11;
  return (hash + (hash << 15)) >>> 0;
}

/** 32-bit splitmix. */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x9e3779b9) | 0;
    let value = state;
    value = Math.imul(value ^ (value >>> 16), 0x21f0aaad);
    value = Math.imul(value ^ (value >>> 15), 0x735a2d97);
    return (value ^ (value >>> 15)) >>> 0;
  };
}
