import { stemOf } from "./stem.ts";

/** Stop words for finding a service; contractions without their apostrophe. */
const STOP = new Set(
  `a about above after again against all almost already also although always am among an and another any anybody anyone anything are around as ask at away
  back be because been before being below between both but by came can cannot come could did do does doing done during each either else ever every everybody
  everyone everything few for from further gave get getting give given gives go goes going gone got had has have having he help her here him his how however i
  ideally if im in indeed instead into is it its ive just kindly know known knows leave let lets like likely list little look looking lot lots made make makes
  many may maybe me might mine more most much must my near need needed needs never no nobody none nor not nothing now of off often on once one only onto or other
  others our ours out over own perhaps please possible produce provide put quite rather really report right run said same say says see seem seems several shall
  she should show shows since so some somebody somehow someone something somewhat such sure take tell than thank thanks that thats the their them then there
  these they thing things think this those though through throughout thus till to together too toward under until up upon us use used using very via wait want
  wanted wants was way we well were what whatever whats when where wherever whether which while who whole whom whose why will with within without would write yes
  yet you your yours identify find figure give work works good long-list across inside per different first last next new old set sets`.split(
    /\s+/,
  ),
);

/** Verbs at the start of a sentence that only hand over what the rest of it names. */
const HANDS_OVER = new Set(
  "collect draw fetch flag gather grab hand highlight mark pick point present prepare pull return spot".split(" "),
);

/** Words for calculations, even if a column has the same name. */
const SUMS = "average maximum mean median minimum sum total".split(" ").map(stemOf);
const ARITHMETIC = new Set([...SUMS, stemOf("count")]);

/** Words that only repeat the kind of the input, which the mission file states already. */
const KIND_WORDS: Readonly<Record<string, readonly string[]>> = {
  packages: ["package", "dependency", "module", "library", "installed", "npm", "component"],
  files: ["file", "folder", "directory", "document", "text", "note", "content", "project", "repository", "repo", "source"],
  csv: ["row", "record", "table", "spreadsheet", "sheet", "csv", "data", "export", "file", "line", "entry", "dataset", "column"],
  urls: ["page", "website", "site", "web", "url", "address", "online", "homepage"],
};

const NUMBERS = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];
const TENS: Readonly<Record<string, number>> = { fifteen: 15, twenty: 20, thirty: 30, forty: 40, fifty: 50, hundred: 100, dozen: 12 };

/** Words that exclude those after them, up to the end of the clause. "No" is not among them: "make sure that there are no passwords". */
const EXCLUDES =
  /\b(?:do(?:es)? not|don'?t|doesn'?t|no need (?:to|for)|needn'?t|need not|not interested in|leave out|leaving out|ignor(?:e|ing)|skip(?:ping)?|except|other than|rather than|instead of|not just)\b/;

/** A word of a goal. */
export interface GoalWord {
  readonly word: string;
  readonly stem: string;
  /** The clause asks for this not to be done. */
  readonly excluded: boolean;
  /** First word of a sentence, as the verb of an instruction. */
  readonly leads: boolean;
}

/** Lower-case words of a text, without apostrophes. Camel case is split. */
export function wordsIn(text: string): string[] {
  const apart = text
    .replace(/\b(?:all )?(?:sort|kind|type)s? of\b/gi, " ")
    .replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2")
    .replace(/\be-mail/gi, "email");
  return (
    apart
      .toLowerCase()
      .replaceAll(/['’]/g, "")
      .match(/\p{L}[\p{L}\p{N}]*/gu) ?? []
  );
}

/** Stems of a text's meaningful words. */
export function stemsIn(text: string): string[] {
  return wordsIn(text)
    .filter((word) => !STOP.has(word))
    .map(stemOf);
}

/** The goal's words that describe what is wanted, each stem once. */
export function goalWords(goal: string): GoalWord[] {
  const found = new Map<string, GoalWord>();
  for (const [written, begins] of clausesOf(goal)) {
    const clause = plainly(written);
    const from = EXCLUDES.exec(clause.toLowerCase())?.index ?? clause.length;
    for (const [part, excluded] of [[clause.slice(0, from), false] as const, [clause.slice(from), true] as const]) {
      for (const [place, word] of wordsIn(part.replace(/^\s*(?:and|please|then)\b/i, "")).entries()) {
        if (STOP.has(word) || numberNamed(word) !== undefined || (excluded && EXCLUDES.test(word))) continue;
        const stem = stemOf(word);
        const leads = begins && place === 0 && !excluded && !/s$/.test(word) && !HANDS_OVER.has(word);
        if (!found.has(stem)) found.set(stem, { word, stem, excluded, leads });
      }
    }
  }
  return [...found.values()];
}

/** After "these", names of the input's items: "which of these licences is the shortest" does not ask for a licence. */
const THESE = /\b(these|those)((?:\s+\p{L}+)?\s+\p{L}+s|\s+\p{L}+)\b/giu;
/** "What is it about" asks for its subject. */
const ABOUT = /\bwhat\b(.*)\babout\b/i;
/** Goods are ordered, and lists are put in order. */
const ORDERS_GOODS =
  /^\s*order\b(?!\s+(?:them|these|those|the|all|it|everything|each|by)\b)(?!.*\b(?:by|alphabetical\w*|ascending|descending|first)\b)/i;

/** Replaces ambiguous phrases of a clause. */
function plainly(clause: string): string {
  return clause
    .replace(ABOUT, "what $1 subject topic")
    .replace(ORDERS_GOODS, "purchase")
    .replace(/\bnumbers? of\b/gi, "count of")
    .replace(THESE, "$1");
}

/** Clauses, and whether each begins a sentence. */
function clausesOf(goal: string): (readonly [clause: string, begins: boolean])[] {
  return goal
    .split(/[.!?\n]/)
    .flatMap((sentence) => sentence.split(/[;:,]|\bbut\b/i).map((clause, place) => [clause, place === 0] as const));
}

/** A goal without what it excludes, clause by clause. */
export function wantedParts(goal: string): string[] {
  return clausesOf(goal).map(([clause]) => clause.slice(0, EXCLUDES.exec(clause.toLowerCase())?.index ?? clause.length));
}

/** Whether a word describes a calculation. */
export function isArithmetic(word: string): boolean {
  return ARITHMETIC.has(stemOf(word));
}

/** Whether a stem belongs to an aggregating word. */
export function isSum(stem: string): boolean {
  return SUMS.includes(stem);
}

/** Whether a word only repeats the kind of the input. */
export function isKindWord({ stem }: Pick<GoalWord, "stem">, kind: string): boolean {
  return (KIND_WORDS[kind] ?? []).some((word) => stemOf(word) === stem);
}

/** Whole numbers in a goal, as digits or words, in order. */
export function numbersIn(goal: string): number[] {
  const tokens = goal.toLowerCase().match(/\d[\d,]*(?:\.\d+)?|\p{L}+/gu) ?? [];
  return tokens.flatMap((token) => {
    if (/^\d/.test(token)) return [Number(token.replaceAll(",", ""))];
    // "One" is a pronoun more often than a number.
    return token === "one" ? [] : (numberNamed(token) ?? []);
  });
}

/** Replaces number words by digits: "more than five". */
export function inDigits(text: string): string {
  return text.replaceAll(/\p{L}+/gu, (word) => numberNamed(word)?.toString() ?? word);
}

function numberNamed(word: string): number | undefined {
  const small = NUMBERS.indexOf(word);
  return small >= 0 ? small + 1 : TENS[word];
}
