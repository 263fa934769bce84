import { isObject, type JsonObject } from "../../primitives/json.ts";
import type { ColumnUse } from "../../primitives/json-schema.ts";
import { columnUse, fillOptions } from "./fill-options.ts";
import type { Hints } from "./hints.ts";
import { answered, type Corpus, type WeighedWord } from "./match.ts";
import { type ItemField, namesIn, objectIn, type Skill, suits } from "./skills.ts";
import { stemsIn } from "./words.ts";

/** A mission's input, as far as a plan depends on it. */
export interface PlanInput {
  readonly kind: string;
  /** Fields of every item, apart from `id`. */
  readonly fields: readonly ItemField[];
}

/** One service with its options. */
export interface Step {
  readonly skill: Skill;
  readonly options: JsonObject;
}

/** Services in sequence, the first over the input. */
export interface Chain {
  readonly steps: readonly Step[];
  /** Fields of every item afterwards. */
  readonly fields: readonly ItemField[];
  /** How much of the goal the last service's options answer. */
  readonly meant: number;
}

/** Why a service cannot be reached from an input. */
export type Gap = { readonly kind: readonly string[] } | { readonly field: string } | { readonly option: string };

/** Maximum number of services before the last one of a chain. */
const DEEPEST = 3;
/** Number of input kinds. */
const KINDS = 4;

export interface Search {
  /** The best chain from the input to a service, or the gap. */
  to(skill: Skill): Chain | Gap;
  /** A chain, or the input, extended by one service; or the gap. */
  append(skill: Skill, before: Chain | undefined): Chain | Gap;
}

/** Searches for chains of services by the fields they need and give: a service can be placed where all fields that it needs exist. */
export function searchFrom(input: PlanInput, corpus: Corpus, words: readonly WeighedWord[], hints: Hints): Search {
  const known = new Map<string, Chain | Gap>();
  const makers = corpus.skills.filter(({ service }) => service.produces === "items" && service.mends !== true);

  /** A service after a chain, or over the input; otherwise the gap. */
  function append(skill: Skill, before: Chain | undefined): Chain | Gap {
    const from = before === undefined ? input.kind : "items";
    if (before?.steps.at(-1)?.skill.service.produces === "document") return { kind: [] };
    if (!skill.service.accepts.includes(from) || isElsewhere(skill, before)) return { kind: skill.service.accepts };
    const fields = before?.fields ?? input.fields;
    const [lacking] = lackingIn(skill, fields);
    if (lacking !== undefined) return { field: lacking };
    const filled = fillOptions(skill.service.options, cellsOnly(skill) ? fields.filter(({ column }) => column) : fields, hints);
    if ("option" in filled) return filled;
    const steps = [...(before?.steps ?? []), { skill, options: filled.options }];
    return { steps, fields: named(fieldsAfter(skill, fields), skill, filled.options, hints, words), meant: filled.meant };
  }

  /**
   * Whether a service is meant for other input. One that lists input kinds and needs no field works on these kinds' content, and other
   * services' items belong to these kinds too. An address is not yet a page: a service that accepts every kind accepts pages once they are
   * fetched into records.
   */
  function isElsewhere({ service, needs, gives }: Skill, before: Chain | undefined): boolean {
    const kinds = service.accepts.filter((kind) => kind !== "items");
    if (needs.length === 0 && kinds.length > 0 && !kinds.includes(input.kind)) return true;
    return before === undefined && input.kind === "urls" && kinds.length >= KINDS && !gives.some(({ name }) => name === "kind");
  }

  function to(skill: Skill, depth: number): Chain | Gap {
    const name = `${skill.service.id} ${depth}`;
    const before = known.get(name);
    if (before !== undefined) return before;
    const direct = append(skill, undefined);
    let best = direct;
    if (depth > 0 && skill.service.accepts.includes("items")) {
      for (const maker of makers) {
        if (maker === skill) continue;
        const chain = to(maker, depth - 1);
        if (!("steps" in chain) || chain.steps.some((step) => step.skill === skill)) continue;
        const longer = append(skill, chain);
        if (isBetter(longer, best)) best = longer;
      }
    }
    known.set(name, best);
    return best;
  }

  /** A chain beats a gap; then options that answer more of the goal; then length; then the goal's words. */
  function isBetter(a: Chain | Gap, b: Chain | Gap): boolean {
    if (!("steps" in a)) return !("steps" in b) && "kind" in b && !("kind" in a);
    if (!("steps" in b)) return true;
    return compare([a.meant, -a.steps.length, wordsFor(a)], [b.meant, -b.steps.length, wordsFor(b)]) > 0;
  }

  function wordsFor({ steps }: Chain): number {
    return steps.reduce((sum, { skill }) => sum + answered(skill, words), 0);
  }

  return { to: (skill) => to(skill, DEEPEST), append };
}

/** A service for table rows reads only their cells. */
function cellsOnly({ needs }: Skill): boolean {
  return needs.some(({ name }) => name === "fields");
}

/** Fields that a service needs and these items lack. */
export function lackingIn({ needs }: Skill, fields: readonly ItemField[]): readonly string[] {
  return needs.flatMap(({ name, types }) => (fields.some((field) => field.name === name && suits(field.types, types)) ? [] : [name]));
}

/** Fields of every item after a service: those it gives, and those it keeps. */
export function fieldsAfter({ service, gives }: Skill, before: readonly ItemField[]): readonly ItemField[] {
  if (service.keepsFields !== true) return gives;
  const given = new Set(gives.map(({ name }) => name));
  return [...before.filter(({ name }) => !given.has(name)), ...gives];
}

/** A `value` aggregated for groups that the goal asks for is about its column's subject; one that was not asked for measures nothing. */
function named(
  fields: readonly ItemField[],
  skill: Skill,
  options: JsonObject,
  { groups }: Hints,
  words: readonly WeighedWord[],
): readonly ItemField[] {
  const { service } = skill;
  const columns = (use: ColumnUse) =>
    Object.entries(objectIn(service.options, "properties")).flatMap(([name, property]) => {
      const value = isObject(property) && columnUse(property) === use ? options[name] : undefined;
      return typeof value === "string" ? [value] : namesIn(value).slice(0, 1);
    });
  const isAsked = columns("group").some((column) => stemsIn(column).some((stem) => groups.includes(stem)));
  const about = isAsked ? columns("number").flatMap(stemsIn) : [];
  const isSpokenOf = isAsked || answered(skill, words) > 0;
  if (about.length === 0 && isSpokenOf) return fields;
  const value = isSpokenOf ? { about } : { unasked: true };
  return fields.map((field) =>
    field.name === "value" && skill.gives.some(({ name }) => name === "value") ? { ...field, ...value } : field,
  );
}

function compare(a: readonly number[], b: readonly number[]): number {
  return a.map((value, place) => value - (b[place] ?? 0)).find((difference) => difference !== 0) ?? 0;
}
