import type { RiskName } from "../../client/law-limits.ts";
import { canonicalJson, type JsonObject } from "../../primitives/json.ts";
import type { PlanText, TaskText } from "../../protocol/mission-file-schema.ts";
import type { Chain, Step } from "./search.ts";
import type { Skill } from "./skills.ts";

/** How a plan is written as tasks. */
export interface Writing {
  /** The service that writes the document, and its options. */
  readonly report: Skill;
  readonly options: JsonObject;
  readonly risk: RiskName;
  /** Services that answer the same question, for executors to compare. */
  readonly alternativesTo: (step: Step) => readonly Skill[];
  /** Chosen services: each one's output is in the report. */
  readonly chosen: readonly Skill[];
  /** The goal asks about each item, so that findings about it are reported even if only a few are kept afterwards. */
  readonly aboutEach: boolean;
}

const REPORT = "report";
/** Required agreement between executors: the usual share for labels, less for numbers of different formulas. */
const AGREE_ON_LABELS = { on: "label", atLeast: 0.85 };
const AGREE_ON_NUMBERS = { on: "value", atLeast: 0.6 };

/**
 * Converts branches to tasks of a mission file: common prefixes are shared, and the report receives the end of each branch and everything
 * that was asked for.
 */
export function tasksOf(branches: readonly Chain[], { report, options, risk, alternativesTo, chosen, aboutEach }: Writing): PlanText {
  const tasks: Record<string, TaskText> = {};
  const named = new Map<string, string>();
  const reported = new Set<string>();
  for (const { steps } of branches) {
    let before: string | undefined;
    for (const [place, step] of steps.entries()) {
      const next = steps[place + 1];
      const way = canonicalJson([before ?? null, step.skill.service.id, step.options]);
      const known = named.get(way);
      const name = known ?? freeName(step.skill.service.id, tasks);
      named.set(way, name);
      if (known === undefined) tasks[name] = taskOf(step, before, alternativesTo(step));
      // Items that only prepare the next service are no answer.
      const isLost = next !== undefined && next.skill.service.keepsFields !== true && step.skill.service.keepsFields !== true;
      const isThinned = aboutEach && next?.skill.service.drops === true;
      if (next === undefined || isThinned || (isLost && chosen.includes(step.skill))) reported.add(name);
      before = name;
    }
  }
  // Under HIGH and MEDIUM risk a human reviews the report; under LOW risk an issuer re-executes it.
  const { id, writes = "markdown" } = report.service;
  const source = reported.size === 0 ? { over: "input" as const } : { after: [...reported] };
  const given = Object.keys(options).length === 0 ? {} : { with: options };
  const name = writes === "markdown" ? REPORT : freeName(id, tasks);
  tasks[name] = { service: id, ...source, tier: risk === "LOW" ? 1 : 3, ...given };
  return { tasks, output: { task: name, format: writes } };
}

function taskOf({ skill, options }: Step, before: string | undefined, alternatives: readonly Skill[]): TaskText {
  const source = before === undefined ? { over: "input" as const } : { after: [before] };
  const given: { with?: JsonObject } = Object.keys(options).length === 0 ? {} : { with: options };
  if (alternatives.length === 0) return { service: skill.service.id, ...source, tier: 1, ...given };
  const numbers = skill.gives.some(({ name }) => name === AGREE_ON_NUMBERS.on);
  const service = [skill, ...alternatives].map(({ service: { id } }) => id);
  return { service, ...source, tier: 2, agree: numbers ? AGREE_ON_NUMBERS : AGREE_ON_LABELS, ...given };
}

function freeName(id: string, tasks: Readonly<Record<string, TaskText>>): string {
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? id : `${id}-${number}`;
    if (name !== REPORT && tasks[name] === undefined) return name;
  }
}
