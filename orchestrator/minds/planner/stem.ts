const VOWEL = /[aeiouy]/;

/** Endings, longest first, and what stands in their place; each leaves at least three letters with a vowel. */
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

/** American and other spellings, as British ones. */
const SPELLINGS: readonly (readonly [pattern: RegExp, instead: string])[] = [
  [/^licens/, "licenc"],
  [/^e-?mail/, "email"],
  [/^(colo|behavio|favo)r/, "$1ur"],
  [/^catalog$/, "catalogue"],
  [/iz(e|es|ed|ing|ation|ations)$/, "is$1"],
  [/yz(e|es|ed|ing)$/, "ys$1"],
];

/**
 * What is left of an English word without its inflection: `duplicates`, `duplicated` and `duplication` have one stem. Cruder than Porter's, and the
 * same for the goal's words and the services', which is all that matters here.
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

/** `copp` (copped) and `cop`, `ranke` and `rank`, `complicate` and `complic` are one each. */
function tidied(stem: string): string {
  const single = stem.length > 3 && /([bdfgmnprt])\1$/.test(stem) ? stem.slice(0, -1) : stem;
  return single.length > 5 && single.endsWith("at") ? single.slice(0, -2) : single;
}
