import { type Ask, asksIn, columnStems, firmAsks } from "./asks.ts";
import type { Hints } from "./hints.ts";
import type { PlanInput } from "./search.ts";
import { type PlannableService, type Skill, skillOf } from "./skills.ts";
import { type GoalWord, goalWords, isArithmetic, isKindWord, stemsIn } from "./words.ts";

/** A catalogue, and how much each word tells its services apart. */
export interface Corpus {
  readonly skills: readonly Skill[];
  /** How rare a stem is among the services (inverse document frequency); 0 for one that none of them uses. */
  rarity(stem: string): number;
}

/** What a goal asks for, against a catalogue. */
export interface Wanted {
  /** Words that say what is to be done, and how much each counts. */
  readonly words: readonly WeighedWord[];
  /** Stems of what is not to be done. */
  readonly excluded: readonly string[];
  /** What it asks for by its form. */
  readonly asks: readonly Ask[];
  /** Those of them that count as much as a word. */
  readonly firmAsks: readonly Ask[];
}

export interface WeighedWord extends GoalWord {
  readonly weight: number;
  /** What it counts in the part of the goal that a plan answers: known words alike, whether few services say them or many. */
  readonly part: number;
}

/** What a word counts that no service knows, as a share of one that some do: most such words name the matter, few the deed. */
const UNKNOWN = 0.4;
/** And one that a sentence begins with: "Translate …" is a deed that nobody does here. */
const UNKNOWN_DEED = 3;
/** Stems of at least so many letters match where one begins with the other. */
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

/** How much a stem says about a service, 0 where it says nothing. */
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

/** The words of a goal that ask for something. What only repeats the kind of the input, or the name of a column, asks for nothing. */
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

/** What speaks for a service: its title more than its description. */
export function speaksFor({ vocabulary }: Skill, words: readonly WeighedWord[]): number {
  return words.reduce((sum, { stem, weight }) => sum + weight * strengthIn(vocabulary, stem), 0);
}

/** Weight of the words that a service answers; a word counts once, however often the service says it. */
export function answered({ vocabulary }: Skill, words: readonly WeighedWord[]): number {
  return words.reduce((sum, { stem, weight }) => sum + weight * Math.min(1, strengthIn(vocabulary, stem)), 0);
}
