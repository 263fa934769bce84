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

/** A goal without tasks, and what there is to reach it with. */
export interface OpenGoal {
  readonly goal: string;
  readonly risk: RiskName;
  readonly input: PlanInput;
  readonly catalogue: readonly PlannableService[];
}

/** A way to reach a goal. */
export interface Plan {
  readonly text: PlanText;
  /** Part of what the goal asks for that its services answer, 0–1. */
  readonly coverage: number;
  readonly tasks: number;
  /** Tasks whose executors compare different services. */
  readonly compared: number;
  /** Services run, each redundant one counted. */
  readonly executions: number;
}

/** Less of a goal than this is none of it. */
const MIN_COVERAGE = 0.4;
/** A further service must answer at least this part of what the first one does. */
const MIN_GAIN = 0.35;
const MAX_CHOSEN = 4;
/** What an ask about a column counts, as a word that a third of the services know. */
const ASKED = 1.4;
/** A plan without the first choice is worth proposing when its own first choice answers at least this part of what that one does. */
const RIVAL = 0.8;
/** An alternative answers at least this part of what the service does that it would be compared with. */
const SAME_QUESTION = 0.6;
const MAX_COMPARED = 3;

/** All plans worth proposing, the one that answers most of the goal first; what is missing when there is none. Pure. */
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

/** Part of what a goal asks for that a plan's services answer, 0–1. */
export function coverageOf({ input, catalogue, ...given }: Omit<OpenGoal, "risk">, { tasks }: PlanText): number {
  const goal = inSums({ ...given, input });
  const corpus = corpusOf(catalogue);
  const used = new Set(Object.values(tasks).flatMap(({ service = [] }) => service));
  const skills = corpus.skills.filter(({ service }) => used.has(service.id));
  return coverageBy(wantedIn(goal, input, hintsFor({ goal, input }), corpus), skills);
}

/** How many units were sold, and who sold the most of them, is a sum where units are a column of figures; how many orders there are is counted. */
function inSums({ goal, input }: Pick<OpenGoal, "goal" | "input">): string {
  const measures = columnStems(input.fields.filter(isMeasure));
  const counted = /\b(?:(?:(?:total )?(?:numbers?|count) of|how many)|(most|fewest))\s+(\p{L}+)/giu;
  return goal.replace(counted, (whole: string, order: string | undefined, noun: string) =>
    measures.includes(stemOf(noun.toLowerCase())) ? `${order ?? ""} total ${noun}`.trimStart() : whole,
  );
}

/**
 * What a goal says about a table of which this is known: "which customer spent most" groups the rows where customers have several, and "the
 * top ten by revenue" does not group by revenue.
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

/** The service that writes the report: of those that take any items the one that says it does most. */
function reportIn({ skills }: Corpus): Skill | undefined {
  const kinds = ({ service }: Skill) => service.accepts.length;
  const says = ({ vocabulary }: Skill) => strengthIn(vocabulary, stemOf("report"));
  return skills
    .filter(({ service, needs }) => service.produces === "document" && service.accepts.includes("items") && needs.length === 0)
    .toSorted((a, b) => says(b) - says(a) || kinds(b) - kinds(a))[0];
}

/** What the goal asks for, service by service: each is the one that answers most of what those before it leave. */
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
    // How something is written sets no measure for what is done before.
    if (first === 0 && !writesDocument(best.skill)) first = best.gain;
    chosen.push(best.skill);
  }
  return chosen;
}

/** Its document is an output of its own, beside the report that the city writes. */
function writesDocument({ service }: Skill): boolean {
  return service.produces === "document";
}

/** What the goal asks for by its form that a service can take, and none of those chosen before. */
function freshAsks({ service }: Skill, chosen: readonly Skill[], { asks }: Wanted): readonly Ask[] {
  const taken = chosen.flatMap((other) => takes(other.service.options));
  return takes(service.options).filter((ask) => asks.includes(ask) && !taken.includes(ask));
}

/** What the options of a service answer, when it does nothing without: "ten" and "longest" ask for `top` and not for `sort`. */
function meantBy(skill: Skill, search: Search): number {
  const chain = search.to(skill);
  return "steps" in chain && needsField(skill.service.options) ? chain.meant : 0;
}

/**
 * One word that a description happens to share is no reason for a further service, nor for one that only mends: two are, or one of its title,
 * or an option that the goal means.
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

/** Weight that a service adds to what others answer; its title counts more than its description. */
function gainOf({ vocabulary }: Skill, chosen: readonly Skill[], words: readonly WeighedWord[]): number {
  return words.reduce((sum, { stem, weight }) => {
    const before = Math.max(0, ...chosen.map((other) => strengthIn(other.vocabulary, stem)));
    return sum + weight * Math.max(0, strengthIn(vocabulary, stem) - before);
  }, 0);
}

/** The part of a goal's words that services answer. */
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

/** The plan with all chosen services, with and without comparison; smaller ones; and the one without the first choice where that has a rival. */
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

/** Of other rows than those that the goal is about every answer is wrong. */
function isOfSelected({ hints: { selected } }: Planner, { steps }: Chain): boolean {
  return selected === undefined || steps.some(({ options }) => Object.values(options).includes(selected.value));
}

/** With the document that somebody asked for, with it alone, and without it, in a report. */
function writings(skills: readonly Skill[]): readonly (readonly Skill[])[] {
  const documents = skills.filter(writesDocument);
  if (documents.length === 0) return [skills];
  return [skills, documents, skills.filter((skill) => !writesDocument(skill))];
}

function lastOf(skills: readonly Skill[], report: Skill): { readonly last: Skill; readonly others: readonly Skill[] } {
  return { last: skills.find(writesDocument) ?? report, others: skills.filter((skill) => !writesDocument(skill)) };
}

/** Whether a service can write what these branches make; without any, what the input is. */
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

/** Services that can stand in the same place, give the same fields, and answer the same words. */
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
