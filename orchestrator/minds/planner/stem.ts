const VOWEL = /[aeiouy]/;

/** Endings, longest first, with their replacements; at least three letters with a vowel must remain. */
const ENDINGS: readonly (readonly [ending: string, instead: string])[] = [
  ["isations", ""],
  ["isation", ""],
  ["ications", "ic"],
  ["ication", "ic"],
  ["ations", ""],
  ["ation", ""],
  ["ically", "ic"],
  ["ments", ""],
  ["ment", ""],
  ["ities", ""],
  ["ity", ""],
  ["ness", ""],
  ["ions", ""],
  ["ion", ""],
  ["ising", ""],
  ["ises", ""],
  ["ised", ""],
  ["ise", ""],
  ["ings", ""],
  ["ing", ""],
  ["iest", "i"],
  ["ies", "i"],
  ["ied", "i"],
  ["est", ""],
  ["ers", ""],
  ["er", ""],
  ["ed", ""],
  ["es", ""],
  ["ly", ""],
  ["s", ""],
  ["e", ""],
  ["y", "i"],
];

/** Converts American and other spellings to British ones. */
const SPELLINGS: readonly (readonly [pattern: RegExp, instead: string])[] = [
  [/^licens/, "licenc"],
  [/^e-?mail/, "email"],
  [/^(colo|behavio|favo)r/, "$1ur"],
  [/^catalog$/, "catalogue"],
  [/iz(e|es|ed|ing|ation|ations)$/, "is$1"],
  [/yz(e|es|ed|ing)$/, "ys$1"],
];

/**
 * Stem of an English word: `duplicates`, `duplicated` and `duplication` share one. Cruder than Porter's, but the same for the goal's words
 * and the services', which is all that matters here.
 */
export function stemOf(word: string): string {
  const british = SPELLINGS.reduce((spelt, [pattern, instead]) => spelt.replace(pattern, instead), word);
  if (british.length <= 3) return british;
  for (const [ending, instead] of ENDINGS) {
    if (!british.endsWith(ending) || (ending === "s" && british.endsWith("ss"))) continue;
    const rest = british.slice(0, -ending.length);
    if (rest.length < 3 || !VOWEL.test(rest)) continue;
    return tidied(rest + instead);
  }
  return british;
}

/** Normalises stems: `copp` (copped) and `cop`, `ranke` and `rank`, `complicate` and `complic`. */
function tidied(stem: string): string {
  const single = stem.length > 3 && /([bdfgmnprt])\1$/.test(stem) ? stem.slice(0, -1) : stem;
  return single.length > 5 && single.endsWith("at") ? single.slice(0, -2) : single;
}
