import { type Corpus, speaksFor, strengthIn, type WeighedWord } from "./match.ts";
import type { Gap, Search } from "./search.ts";

/** Why there is no plan. */
export interface Impossible {
  /** The service closest to the goal; null if none is related to it. */
  readonly nearest: string | null;
  /** What keeps the input from it; null if it could be used but covers too little of the goal. */
  readonly link: Gap | null;
  /** Words of the goal that the closest service does not answer. */
  readonly uncovered: readonly string[];
}

export function impossibleBy({ skills }: Corpus, words: readonly WeighedWord[], search: Search): Impossible {
  const [nearest] = skills
    .map((skill) => ({ skill, score: speaksFor(skill, words) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score);
  const uncovered = words.filter(({ stem }) => nearest === undefined || strengthIn(nearest.skill.vocabulary, stem) === 0);
  const chain = nearest === undefined ? undefined : search.to(nearest.skill);
  return {
    nearest: nearest?.skill.service.id ?? null,
    link: chain === undefined || "steps" in chain ? null : chain,
    uncovered: uncovered.map(({ word }) => word),
  };
}

/** Describes the closest service and what is missing. */
export function impossibleInWords({ nearest, link, uncovered }: Impossible, kind: string): string {
  const unknown = uncovered.length === 0 ? "" : `no service does anything about: ${uncovered.join(", ")}`;
  if (nearest === null) return unknown === "" ? "the goal names nothing that a service does" : unknown;
  if (link === null) return `nearest is ${nearest}, but ${unknown === "" ? "it answers too little of the goal" : unknown}`;
  if ("kind" in link) return `nearest is ${nearest}, which takes ${link.kind.join(", ")}; the input is ${kind}`;
  if ("field" in link)
    return `nearest is ${nearest}, which needs the field ${link.field} on every item; ${kind} have none, and no service adds it`;
  return `nearest is ${nearest}, but the goal does not say what its option ${link.option} should be`;
}
