import { ces, dan, deu, eng, fin, fra, hun, ita, nld, pol, por, ron, rus, spa, swe, tur, ukr } from "stopword";
import { wordsOf } from "./text.ts";

/** English first: it wins ties. */
const LISTS: readonly ReadonlySet<string>[] = [eng, deu, fra, spa, ita, por, nld, pol, rus, swe, dan, fin, hun, ces, ron, tur, ukr].map(
  (words) => new Set(words),
);
const MIN_LETTERS = 3;

/**
 * How often each word that carries meaning occurs: without the stop words of the language that the text has most of, numbers and words of
 * one or two letters. Most frequent first, then by first appearance.
 */
export function frequentWords(text: string): Map<string, number> {
  const words = wordsOf(text);
  const stops = LISTS.reduce((best, list) => (hitsOf(words, list) > hitsOf(words, best) ? list : best));
  const counts = new Map<string, number>();
  for (const word of words) {
    if (word.length < MIN_LETTERS || stops.has(word) || /^[\d-]+$/.test(word)) continue;
    counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return new Map([...counts].sort(([, a], [, b]) => b - a));
}

function hitsOf(words: readonly string[], list: ReadonlySet<string>): number {
  return words.filter((word) => list.has(word)).length;
}
