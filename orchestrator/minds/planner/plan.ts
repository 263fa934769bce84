import type { RiskName } from "../../client/law-limits.ts";
import type { JsonObject } from "../../primitives/json.ts";
import type { PlanText } from "../../protocol/mission-file-schema.ts";
import { arrange } from "./arrange.ts";
import { type Ask, columnStems, takes } from "./asks.ts";
import { isMeasure, needsField } from "./fill-options.ts";
import { type Hints, hintsIn } from "./hints.ts";
import { type Impossible, impossibleBy } from "./impossible.ts";
import { answered, type Corpus, corpusOf, strengthIn, type Wanted, type WeighedWord, wantedIn } from "./match.ts";
import { type Chain, fieldsAfter, type PlanInput, type Search, type Step, searchFrom } from "./search.ts";
import type { PlannableService, Skill } from "./skills.ts";
import { stemOf } from "./stem.ts";
import { tasksOf } from "./tasks.ts";

/** A goal without tasks, with the input and services available for it. */
export interface OpenGoal {
  readonly goal: string;
  readonly risk: RiskName;
  readonly input: PlanInput;
  readonly catalogue: readonly PlannableService[];
}

/** A way to reach a goal. */
export interface Plan {
  readonly text: PlanText;
  /** Part of the goal that its services answer, 0–1. */
  readonly coverage: number;
  readonly tasks: number;
  /** Number of tasks whose executors compare different services. */
  readonly compared: number;
  /** Number of service runs, counting each redundant one. */
  readonly executions: number;
}

/** Minimum coverage of a plan. */
const MIN_COVERAGE = 0.4;
/** Minimum contribution of a further service, relative to the first. */
const MIN_GAIN = 0.35;
const MAX_CHOSEN = 4;
/** Weight of an ask about a column: as a word that a third of the services use. */
const ASKED = 1.4;
/** A plan without the first choice is proposed if its own first choice answers at least this part. */
const RIVAL = 0.8;
/** Minimum part of a service's answers that an alternative for comparison must cover. */
const SAME_QUESTION = 0.6;
const MAX_COMPARED = 3;

/** All plans worth proposing, by coverage; the gap if there is none. Pure. */
export function plansFor(given: OpenGoal): { readonly plans: readonly Plan[] } | Impossible {
  const open = { ...given, goal: inSums(given) };
  const corpus = corpusOf(open.catalogue);
  const hints = hintsFor(open);
  const wanted = wantedIn(open.goal, open.input, hints, corpus);
  const search = searchFrom(open.input, corpus, wanted.words, hints);
  const report = reportIn(corpus);
  const planner: Planner = { open, corpus, wanted, search, hints, report };
  const chosen = choose(planner);
  const plans = report === undefined || chosen.length === 0 ? [] : plansWith(planner, report, chosen);
  return plans.length === 0 ? impossibleBy(corpus, wanted.words, search) : { plans };
}

/** Part of the goal that a plan's services answer, 0–1. */
export function coverageOf({ input, catalogue, ...given }: Omit<OpenGoal, "risk">, { tasks }: PlanText): number {
  const goal = inSums({ ...given, input });
  const corpus = corpusOf(catalogue);
  const used = new Set(Object.values(tasks).flatMap(({ service = [] }) => service));
  const skills = corpus.skills.filter(({ service }) => used.has(service.id));
  return coverageBy(wantedIn(goal, input, hintsFor({ goal, input }), corpus), skills);
}

/** How many units were sold, and who sold most of them, is a sum if units are a numeric column; the number of orders is a count. */
function inSums({ goal, input }: Pick<OpenGoal, "goal" | "input">): string {
  const measures = columnStems(input.fields.filter(isMeasure));
  const counted = /\b(?:(?:(?:total )?(?:numbers?|count) of|how many)|(most|fewest))\s+(\p{L}+)/giu;
  return goal.replace(counted, (whole: string, order: string | undefined, noun: string) =>
    measures.includes(stemOf(noun.toLowerCase())) ? `${order ?? ""} total ${noun}`.trimStart() : whole,
  );
}

/**
 * Hints of a goal about a known table: "which customer spent most" groups the rows if customers have several, and "the top ten by revenue"
 * does not group by revenue.
 */
function hintsFor({ goal, input }: Pick<OpenGoal, "goal" | "input">): Hints {
  const hints = hintsIn(goal, input.fields);
  const shared = columnStems(input.fields.filter(({ shared: isShared }) => isShared));
  const measures = hints.direction === undefined ? [] : columnStems(input.fields.filter(isMeasure));
  const groups = hints.groups.filter((stem) => !measures.includes(stem));
  return { ...hints, groups: [...groups, ...hints.which.filter((stem) => shared.includes(stem))] };
}

interface Planner {
  readonly open: OpenGoal;
  readonly corpus: Corpus;
  readonly wanted: Wanted;
  readonly search: Search;
  readonly hints: Hints;
  readonly report: Skill | undefined;
}

/** The service that writes the report: of those that accept any items, the one with the richest description. */
function reportIn({ skills }: Corpus): Skill | undefined {
  const kinds = ({ service }: Skill) => service.accepts.length;
  const says = ({ vocabulary }: Skill) => strengthIn(vocabulary, stemOf("report"));
  return skills
    .filter(({ service, needs }) => service.produces === "document" && service.accepts.includes("items") && needs.length === 0)
    .toSorted((a, b) => says(b) - says(a) || kinds(b) - kinds(a))[0];
}

/** Services for the goal: each answers most of what the previous ones leave. */
function choose(planner: Planner, barred: readonly Skill[] = []): readonly Skill[] {
  const { corpus, wanted, search } = planner;
  const isRefused = ({ vocabulary }: Skill) => wanted.excluded.some((stem) => strengthIn(vocabulary, stem) >= 1);
  const able = corpus.skills.filter((skill) => {
    if (skill === planner.report || barred.includes(skill) || isRefused(skill)) return false;
    const chain = search.to(skill);
    return "steps" in chain && (chain.meant > 0 || !needsField(skill.service.options));
  });
  const chosen: Skill[] = [];
  let first = 0;
  while (chosen.length < MAX_CHOSEN) {
    const isWritten = chosen.some(writesDocument);
    const open = able.filter(
      (skill) =>
        !(isWritten && writesDocument(skill)) &&
        !chosen.includes(skill) &&
        ((chosen.length === 0 && skill.service.mends !== true) || addsPlainly(planner, skill, chosen)),
    );
    const gains = open.map((skill) => {
      const fresh = freshAsks(skill, chosen, wanted);
      const firm = fresh.filter((ask) => wanted.firmAsks.includes(ask));
      const gain = gainOf(skill, chosen, wanted.words) + ASKED * firm.length;
      const least = firm.includes("selection") ? 0 : MIN_GAIN * first;
      return { skill, least, gain: gain > 0 && fresh.length > 0 ? gain + meantBy(skill, search) : gain };
    });
    const [best] = gains.filter(({ gain, least }) => gain > 0 && gain >= least).sort((a, b) => b.gain - a.gain);
    if (best === undefined) break;
    // The gain of a document's format is no measure for the services before it.
    if (first === 0 && !writesDocument(best.skill)) first = best.gain;
    chosen.push(best.skill);
  }
  return chosen;
}

/** Its document is a separate output, next to the city's report. */
function writesDocument({ service }: Skill): boolean {
  return service.produces === "document";
}

/** Asks by form that a service can answer and no chosen one does. */
function freshAsks({ service }: Skill, chosen: readonly Skill[], { asks }: Wanted): readonly Ask[] {
  const taken = chosen.flatMap((other) => takes(other.service.options));
  return takes(service.options).filter((ask) => asks.includes(ask) && !taken.includes(ask));
}

/** How much a service's options answer, if it is useless without: "ten" and "longest" ask for `top`, not for `sort`. */
function meantBy(skill: Skill, search: Search): number {
  const chain = search.to(skill);
  return "steps" in chain && needsField(skill.service.options) ? chain.meant : 0;
}

/**
 * One word that a description happens to share does not justify a further service, nor one that only repairs; two words do, or one in the
 * title, or an option that the goal names.
 */
function addsPlainly({ wanted, search }: Planner, skill: Skill, chosen: readonly Skill[]): boolean {
  const { words } = wanted;
  const fresh = words.filter(({ stem }) => chosen.every(({ vocabulary }) => strengthIn(vocabulary, stem) === 0));
  const said = fresh.map(({ stem }) => strengthIn(skill.vocabulary, stem)).filter((strength) => strength > 0);
  const chain = search.to(skill);
  return (
    said.length > 1 ||
    said.some((strength) => strength > 1) ||
    ("steps" in chain && chain.meant > 0 && freshAsks(skill, chosen, wanted).length > 0)
  );
}

/** Weight that a service adds to the others' answers; its title counts more than its description. */
function gainOf({ vocabulary }: Skill, chosen: readonly Skill[], words: readonly WeighedWord[]): number {
  return words.reduce((sum, { stem, weight }) => {
    const before = Math.max(0, ...chosen.map((other) => strengthIn(other.vocabulary, stem)));
    return sum + weight * Math.max(0, strengthIn(vocabulary, stem) - before);
  }, 0);
}

/** Part of a goal's words that services answer. */
function coverageBy({ words, firmAsks }: Wanted, skills: readonly Skill[]): number {
  const whole = words.reduce((sum, { part }) => sum + part, firmAsks.length);
  const taken = new Set(skills.flatMap(({ service }) => takes(service.options)));
  const covered = words.reduce(
    (sum, { stem, part }) => {
      return sum + part * Math.min(1, Math.max(0, ...skills.map(({ vocabulary }) => strengthIn(vocabulary, stem))));
    },
    firmAsks.filter((ask) => taken.has(ask)).length,
  );
  return whole === 0 ? 0 : covered / whole;
}

/** The plan with all chosen services, with and without comparison; smaller ones; and one without the first choice if that has a rival. */
function plansWith(planner: Planner, report: Skill, chosen: readonly Skill[]): readonly Plan[] {
  const [first] = chosen;
  const others = choose(planner, chosen.slice(0, 1));
  const gain = (skill: Skill | undefined) => (skill === undefined ? 0 : gainOf(skill, [], planner.wanted.words));
  const rivals = gain(others[0]) >= RIVAL * gain(first) ? [others] : [];
  const choices = [chosen, ...chosen.map((_, place) => chosen.slice(0, place + 1)), ...rivals];
  const plans = new Map<string, Plan>();
  for (const skills of choices.flatMap(writings)) {
    const { last, others } = lastOf(skills, report);
    const arranged = arrange(others, planner.search);
    if (!("branches" in arranged) || skills.length === 0 || !canEnd(planner, last, arranged.branches)) continue;
    if (!arranged.branches.every((branch) => isOfSelected(planner, branch))) continue;
    for (const comparing of [true, false]) {
      const plan = planOf(planner, last, others, arranged.branches, comparing);
      if (plan.coverage >= MIN_COVERAGE) plans.set(JSON.stringify(plan.text), plan);
    }
  }
  return [...plans.values()].sort((a, b) => b.coverage - a.coverage || a.tasks - b.tasks);
}

/** An answer about other rows than the selected ones is wrong. */
function isOfSelected({ hints: { selected } }: Planner, { steps }: Chain): boolean {
  return selected === undefined || steps.some(({ options }) => Object.values(options).includes(selected.value));
}

/** Variants with the requested document, with it alone, and without it, in a report. */
function writings(skills: readonly Skill[]): readonly (readonly Skill[])[] {
  const documents = skills.filter(writesDocument);
  if (documents.length === 0) return [skills];
  return [skills, documents, skills.filter((skill) => !writesDocument(skill))];
}

function lastOf(skills: readonly Skill[], report: Skill): { readonly last: Skill; readonly others: readonly Skill[] } {
  return { last: skills.find(writesDocument) ?? report, others: skills.filter((skill) => !writesDocument(skill)) };
}

/** Whether a service can write what these branches produce, or, without branches, the input. */
function canEnd({ search }: Planner, last: Skill, branches: readonly Chain[]): boolean {
  if (branches.length === 0) return "steps" in search.append(last, undefined);
  return branches.every((branch) => "steps" in search.append(last, branch));
}

function planOf(planner: Planner, report: Skill, chosen: readonly Skill[], branches: readonly Chain[], comparing: boolean): Plan {
  const text = tasksOf(branches, {
    report,
    options: optionsAt(planner, report, branches),
    risk: planner.open.risk,
    chosen,
    aboutEach: /\b(?:each|every|all)\b/i.test(planner.open.goal),
    alternativesTo: (step) => (comparing ? alternativesTo(planner, step, branches) : []),
  });
  const tasks = Object.values(text.tasks);
  const used = [...branches.flatMap(({ steps }) => steps.map(({ skill }) => skill)), report];
  return {
    text,
    coverage: coverageBy(planner.wanted, used),
    tasks: tasks.length,
    compared: tasks.filter(({ tier }) => tier === 2).length,
    executions: tasks.reduce((sum, { service }) => sum + (Array.isArray(service) ? service.length : 1), 0),
  };
}

function optionsAt({ search }: Planner, last: Skill, [first]: readonly Chain[]): JsonObject {
  const chain = search.append(last, first);
  return "steps" in chain ? (chain.steps.at(-1)?.options ?? {}) : {};
}

/** Services for the same position that give the same fields and answer the same words. */
function alternativesTo({ open, corpus, wanted, search }: Planner, { skill, options }: Step, branches: readonly Chain[]): readonly Skill[] {
  const compares = skill.gives.some(({ name }) => name === "label" || name === "value");
  if (!compares || Object.keys(options).length > 0 || skill.service.options !== undefined) return [];
  const own = answered(skill, wanted.words);
  const steps = branches.find((branch) => branch.steps.some((step) => step.skill === skill))?.steps ?? [];
  const before = steps.slice(
    0,
    Math.max(
      0,
      steps.findIndex((step) => step.skill === skill),
    ),
  );
  const fields = before.reduce((known, step) => fieldsAfter(step.skill, known), open.input.fields);
  const place: Chain | undefined = before.length === 0 ? undefined : { steps: before, fields, meant: 0 };
  return corpus.skills
    .filter(
      (other) =>
        other !== skill &&
        other.service.options === undefined &&
        other.service.perItem === skill.service.perItem &&
        namesOf(other) === namesOf(skill) &&
        own > 0 &&
        answered(other, wanted.words) >= SAME_QUESTION * own &&
        "steps" in search.append(other, place),
    )
    .slice(0, MAX_COMPARED - 1);
}

function namesOf({ gives }: Skill): string {
  return gives
    .map(({ name }) => name)
    .sort()
    .join();
}
