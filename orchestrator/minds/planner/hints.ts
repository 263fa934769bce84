import type { ItemField } from "./skills.ts";
import { stemOf } from "./stem.ts";
import { goalWords, inDigits, numbersIn, stemsIn, wantedParts, wordsIn } from "./words.ts";

/** What a goal says about order, amounts and groups, for filling options of services. */
export interface Hints {
  /** Stems of the goal's words, without what it excludes. */
  readonly stems: readonly string[];
  readonly direction: "ascending" | "descending" | undefined;
  /** Stems of column names that measure the goal's subject: amounts for "revenue". */
  readonly matters: readonly string[];
  /** The same, plus stems of what is compared: length for "longest" words. */
  readonly measures: readonly string[];
  /** Those with reversed order: the oldest have the greatest age and the smallest year. */
  readonly opposed: readonly string[];
  /** How many are wanted: "top ten", "the five longest". */
  readonly most: number | undefined;
  /** Stems after "per", "by", "for each", and of adverbs such as "monthly". */
  readonly groups: readonly string[];
  /** Stems of what is ordered: "which customer spent most" is about groups if a customer has several rows. */
  readonly which: readonly string[];
  /** Whether money earned or spent is asked for, as opposed to a price. */
  readonly money: boolean;
  /** Whether things are to be counted, not added up. */
  readonly counts: boolean;
  readonly comparison: Comparison | undefined;
  /** Rows that the goal is about: those of "north" if a column contains it. */
  readonly selected: Selection | undefined;
}

/** A value of a column, as its cells spell it. */
export interface Selection {
  readonly field: string;
  readonly value: string;
}

/** "More than 1,000 words". */
export interface Comparison {
  readonly operator: "more" | "less" | "at-least" | "at-most";
  readonly value: number;
  /** Stems of the surrounding words, which include the field's name. */
  readonly stems: readonly string[];
}

const LENGTH = "words length characters lines duration hours minutes days seconds weeks km miles";
const UP = "descending";
const DOWN = "ascending";

type Superlative = readonly [direction: "ascending" | "descending", measures: string, opposed?: string];

/** Comparative adjectives: which end of the order they ask for, what they compare, and what is reversed. */
const SUPERLATIVES: Readonly<Record<string, Superlative>> = {
  longest: [UP, LENGTH],
  shortest: [DOWN, LENGTH],
  largest: [UP, "size bytes kb mb gb amount total value words"],
  biggest: [UP, "size bytes kb mb gb amount total value words"],
  smallest: [DOWN, "size bytes kb mb gb amount total value words"],
  highest: [UP, ""],
  lowest: [DOWN, ""],
  heaviest: [UP, "weight size bytes"],
  lightest: [DOWN, "weight size bytes"],
  cheapest: [DOWN, "price cost amount"],
  dearest: [UP, "price cost amount"],
  priciest: [UP, "price cost amount"],
  fewest: [DOWN, ""],
  least: [DOWN, ""],
  most: [UP, ""],
  worst: [UP, ""],
  best: [UP, ""],
  top: [UP, ""],
  bottom: [DOWN, ""],
  hardest: [UP, "complexity"],
  simplest: [DOWN, "complexity"],
  oldest: [DOWN, "date year created", "age"],
  youngest: [UP, "date year created born", "age"],
  newest: [UP, "date year created", "age"],
  latest: [UP, "date year created"],
  earliest: [DOWN, "date year created"],
};

const MONEY = "money revenue turnover income spent spend spending earn earned earnings sales owe owed pay paid";
const MONEY_STEMS = new Set(MONEY.split(" ").map(stemOf));

/** Subjects of goals, and names of the columns that measure them. */
const MATTERS: readonly (readonly [words: string, columns: string])[] = [
  ["space storage disk memory size large big", "size bytes kb mb gb kib mib gib"],
  [`${MONEY} cost costs worth`, "amount total revenue sales turnover value cost price sum eur usd gbp chf"],
  ["time long longer shorter duration effort work", "hours minutes days seconds duration"],
  ["old older young younger", "age"],
  ["cheaper dearer", "price cost amount"],
  ["far distance", "km kilometres miles metres distance"],
  ["heavy weigh weight", "kg weight grams tonnes"],
].map(([words = "", columns = ""]) => [words, columns] as const);

/** Stems of names of measure columns. */
export const MEASURES: readonly string[] = MATTERS.flatMap(([, columns]) => stemsIn(columns));

const NO_ORDER: readonly [undefined, string] = [undefined, ""];

/** Adverbs that group by a period. */
const REGULARLY: Readonly<Record<string, string>> = {
  daily: "day",
  monthly: "month",
  quarterly: "quarter",
  yearly: "year",
  annual: "year",
  annually: "year",
};

function isAboutMoney(words: readonly string[]): boolean {
  return words.some((word) => MONEY_STEMS.has(stemOf(word)));
}

function mattersIn(words: readonly string[]): string[] {
  // Money in any form: "earns", "revenues".
  const said = isAboutMoney(words) ? [...words, "money"] : words;
  return MATTERS.flatMap(([matter, columns]) => (matter.split(" ").some((word) => said.includes(word)) ? stemsIn(columns) : []));
}

const COMPARISONS: readonly (readonly [pattern: RegExp, operator: Comparison["operator"]])[] = [
  [/\b(?:more|greater|larger|longer|bigger|higher|older|heavier|dearer) than\s+([\d,.]+)/, "more"],
  [/\b(?:over|above|exceeding)\s+([\d,.]+)/, "more"],
  [/\b(?:less|fewer|smaller|shorter|lower|younger|lighter|cheaper) than\s+([\d,.]+)/, "less"],
  [/\b(?:under|below)\s+([\d,.]+)/, "less"],
  [/\b(?:at least|no less than|no fewer than|minimum of)\s+([\d,.]+)/, "at-least"],
  [/\b(?:at most|no more than|up to|maximum of)\s+([\d,.]+)/, "at-most"],
];

/** The hints in a goal about items with these fields. */
export function hintsIn(goal: string, fields: readonly ItemField[]): Hints {
  const lower = goal.toLowerCase();
  const words = wordsIn(goal);
  const [superlative] = words.filter((word) => Object.hasOwn(SUPERLATIVES, word) && !isPronoun(word, words));
  const [direction, measures, opposed = ""] = superlative === undefined ? NO_ORDER : (SUPERLATIVES[superlative] ?? NO_ORDER);
  const comparison = comparisonIn(lower);
  const matters = mattersIn(words);
  const [most] = numbersIn(goal).filter((number) => Number.isInteger(number) && number > 0 && number !== comparison?.value);
  return {
    stems: goalWords(goal).flatMap(({ stem, excluded }) => (excluded ? [] : [stem])),
    direction,
    matters,
    measures: [...matters, ...stemsIn(`${measures} ${opposed}`)],
    opposed: stemsIn(opposed),
    most: direction === undefined && !/\bfirst\s+\w+/.test(lower) ? undefined : most,
    groups: [
      ...groupsIn(lower, direction !== undefined || comparison !== undefined),
      ...words.flatMap((word) => (Object.hasOwn(REGULARLY, word) ? (REGULARLY[word] ?? []) : [])),
    ],
    which: superlative === undefined ? [] : orderedIn(lower, superlative),
    money: isAboutMoney(words),
    counts: /\b(?:count|how many|numbers? of)\b/.test(lower) || isMostOf(lower),
    comparison,
    selected: selectedIn(goal, fields),
  };
}

/** The longest column value that a goal mentions. One next to other values of its column, or after an excluding word, selects nothing. */
function selectedIn(goal: string, fields: readonly ItemField[]): Selection | undefined {
  const parts = wantedParts(goal).map(phraseOf);
  const said = fields.flatMap(({ name, holds = [] }) => {
    const values = holds.filter((value) => isName(value) && parts.some((part) => part.includes(phraseOf(value))));
    return values.length === 1 ? values.map((value) => ({ field: name, value })) : [];
  });
  return said.toSorted((a, b) => b.value.length - a.value.length)[0];
}

/** Whether a cell contains something that a sentence would not contain anyway. */
function isName(value: string): boolean {
  return value.length > 2 && stemsIn(value).length > 0;
}

function phraseOf(text: string): string {
  return ` ${wordsIn(text).map(stemOf).join(" ")} `;
}

/** "Which customer spent the most", "the top two products", "the three biggest regions". */
function orderedIn(lower: string, superlative: string): string[] {
  const after = new RegExp(`\\b(?:which|${superlative})\\s+(?:[\\w]+\\s+)?\\p{L}+`, "gu");
  return [...lower.matchAll(after)].flatMap(([whole]) => stemsIn(whole.slice(whole.indexOf(" "))));
}

/** "The most packages" counts packages, "the most money" does not count money. */
function isMostOf(lower: string): boolean {
  const [, noun] = /\b(?:most|fewest)\s+(\p{L}+)/u.exec(lower) ?? [];
  return noun !== undefined && /s$/.test(noun) && !MATTERS.some((names) => names.join(" ").split(" ").includes(noun));
}

/** "At least", "at most" and "most of" are no comparisons. */
function isPronoun(word: string, words: readonly string[]): boolean {
  const at = words.indexOf(word);
  return (word === "least" || word === "most") && (words[at - 1] === "at" || words[at + 1] === "of" || words[at + 1] === "likely");
}

function comparisonIn(goal: string): Comparison | undefined {
  const lower = inDigits(goal);
  for (const [pattern, operator] of COMPARISONS) {
    const match = pattern.exec(lower);
    if (match === null) continue;
    const value = Number(match[1]?.replaceAll(",", "").replace(/\.$/, ""));
    const around = lower.slice(Math.max(0, match.index - 30), match.index + match[0].length + 20);
    if (Number.isFinite(value)) return { operator, value, stems: stemsIn(around) };
  }
  return undefined;
}

/** What follows is an order, not a grouping. */
const ORDERS = /\b(?:sort|order|rank|arrang)/;

/**
 * Stems right after a grouping word: "per region", "for each of the months", "how many of each language". With an order or a comparison,
 * "which countries are the largest" does not group, nor does "sort by size"; "each of these letters" are the items.
 */
function groupsIn(lower: string, isOrdered: boolean): string[] {
  const found = lower.matchAll(
    /\b(per|by|each|every|which)\s+(?:of\s+)?(?:the\s+|single\s+)?(\p{L}+)(?:\s+(?!and\b|or\b|per\b|by\b|each\b)(\p{L}+))?(?:\s*(?:,|\band\b)\s*(?:(?:per|by|each|every|the)\s+)?(\p{L}+))?/gu,
  );
  return [...found].flatMap(([, divider, first = "", second = "", third = ""]) => {
    if (/^th[eo]se$/.test(first) || (divider === "which" && isOrdered) || (divider === "by" && ORDERS.test(lower))) return [];
    return [first, second, divider === "which" ? "" : third].filter((word) => word.length > 2).map(stemOf);
  });
}
