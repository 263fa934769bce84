import { countedWords } from "./text.ts";

/** Words in a run, and runs kept of a text: similarity is right within about five hundredths. */
const RUN = 4;
const KEPT = 256;

/** The smallest hashes of a text's runs of words, ascending: a sample that is the same for the same text (bottom-k sketch). */
export function sketchOf(text: string): readonly number[] {
  const words = countedWords(text).map((word) => word.toLowerCase());
  const hashes = new Set<number>();
  for (let start = 0; start + RUN <= Math.max(words.length, RUN) && words.length > 0; start += 1) {
    hashes.add(hashOf(words.slice(start, start + RUN).join(" ")));
  }
  return [...hashes].sort((a, b) => a - b).slice(0, KEPT);
}

/** Share of the runs of two texts that both have (Jaccard), estimated from their sketches; exact for short texts. */
export function overlapOf(a: readonly number[], b: readonly number[]): number {
  const union = [...new Set([...a, ...b])].sort((x, y) => x - y).slice(0, KEPT);
  const [inA, inB] = [new Set(a), new Set(b)];
  return union.length === 0 ? 0 : union.filter((hash) => inA.has(hash) && inB.has(hash)).length / union.length;
}

/** 32-bit FNV-1a with a final mix, so that small hashes are spread evenly. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
