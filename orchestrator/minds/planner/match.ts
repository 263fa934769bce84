import { type Ask, asksIn, columnStems, firmAsks } from "./asks.ts";
import type { Hints } from "./hints.ts";
import type { PlanInput } from "./search.ts";
import { type PlannableService, type Skill, skillOf } from "./skills.ts";
import { type GoalWord, goalWords, isArithmetic, isKindWord, stemsIn } from "./words.ts";

/** A catalogue, and how well each word distinguishes its services. */
export interface Corpus {
  readonly skills: readonly Skill[];
  /** Inverse document frequency of a stem among the services; 0 for an unused one. */
  rarity(stem: string): number;
}

/** What a goal asks for, relative to a catalogue. */
export interface Wanted {
  /** Words that describe the task, with their weights. */
  readonly words: readonly WeighedWord[];
  /** Stems of what is excluded. */
  readonly excluded: readonly string[];
  /** What it asks for by its form. */
  readonly asks: readonly Ask[];
  /** Asks that count as much as a word. */
  readonly firmAsks: readonly Ask[];
}

export interface WeighedWord extends GoalWord {
  readonly weight: number;
  /** Weight in the coverage of a plan: equal for all known words, however rare. */
  readonly part: number;
}

/** Weight of a word unknown to all services, relative to a known one: most such words name the subject, few the action. */
const UNKNOWN = 0.4;
/** Weight of an unknown word at the start of a sentence: "Translate …" is an action that no service offers. */
const UNKNOWN_DEED = 3;
/** Stems of at least this length match if one is a prefix of the other. */
const MIN_PREFIX = 5;
const PREFIX_MATCH = 0.8;

export function corpusOf(services: readonly PlannableService[]): Corpus {
  const skills = services.map(skillOf);
  const known = new Map<string, number>();
  return {
    skills,
    rarity(stem) {
      const before = known.get(stem);
      if (before !== undefined) return before;
      const using = skills.filter(({ vocabulary }) => strengthIn(vocabulary, stem) > 0).length;
      const rarity = using === 0 ? 0 : Math.log(1 + skills.length / using);
      known.set(stem, rarity);
      return rarity;
    },
  };
}

/** How strongly a stem is associated with a service; 0 if not at all. */
export function strengthIn(vocabulary: Skill["vocabulary"], stem: string): number {
  const exact = vocabulary.get(stem);
  if (exact !== undefined) return exact;
  let best = 0;
  for (const [own, weight] of vocabulary) if (isNear(own, stem)) best = Math.max(best, PREFIX_MATCH * weight);
  return best;
}

function isNear(a: string, b: string): boolean {
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  return short.length >= MIN_PREFIX && long.startsWith(short) && long.length - short.length <= 4;
}

/** Words of a goal that ask for something. Words that only repeat the kind of the input, or a column name, do not. */
export function wantedIn(goal: string, { kind, fields }: PlanInput, hints: Hints, corpus: Corpus): Wanted {
  const words = goalWords(goal);
  const columns = columnStems(fields);
  // One service selects, by a value or by a comparison.
  const selected = hints.comparison === undefined ? stemsIn(hints.selected?.value ?? "") : [];
  const isColumn = ({ word, stem }: GoalWord) => (columns.includes(stem) && !isArithmetic(word)) || selected.includes(stem);
  return {
    words: words
      .filter((word) => !word.excluded && !isKindWord(word, kind) && !isColumn(word))
      .map((word) => {
        const rarity = corpus.rarity(word.stem);
        return { ...word, weight: rarity, part: rarity > 0 ? 1 : word.leads ? UNKNOWN_DEED : UNKNOWN };
      }),
    excluded: words.filter(({ excluded }) => excluded).map(({ stem }) => stem),
    asks: asksIn(hints, fields),
    firmAsks: firmAsks(hints, fields),
  };
}

/** Score of a service: its title counts more than its description. */
export function speaksFor({ vocabulary }: Skill, words: readonly WeighedWord[]): number {
  return words.reduce((sum, { stem, weight }) => sum + weight * strengthIn(vocabulary, stem), 0);
}

/** Weight of the words that a service answers; a word counts once, however often the service uses it. */
export function answered({ vocabulary }: Skill, words: readonly WeighedWord[]): number {
  return words.reduce((sum, { stem, weight }) => sum + weight * Math.min(1, strengthIn(vocabulary, stem)), 0);
}
