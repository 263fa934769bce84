import { type FloorName, type LawLimits, type RiskName, riskOfBudget, riskOfExposure } from "../client/law-limits.ts";
import { TIER } from "../primitives/tier.ts";
import type { LawShape, TaskShape } from "../protocol/law-shape.ts";
import type { MissionNode } from "../protocol/mission-document.ts";
import type { StatedExposure } from "../protocol/mission-file-schema.ts";
import { GoalNotFeasible } from "./errors.ts";
import { fits } from "./fit.ts";
import type { CityFacts, Goal, GoalTask } from "./goal.ts";
import { higherRisk, riskNumber } from "./goal.ts";
import { chooseCuts, layOut, possibleCuts } from "./layout.ts";
import { perGoal } from "./per-goal.ts";
import { titleOf } from "./title.ts";

/** A law is easy to follow with this many nodes, whatever the size of the input (decision 41). */
export const MIN_NODES = 8;
export const MAX_NODES = 12;

/** How the budget is divided: pay of one executor slot by tier. Titles name every rule but the first. */
export const PRICINGS = [
  { name: "equal", note: undefined, pay: [100, 100, 100] },
  { name: "effort", note: "pay by effort", pay: [100, 120, 400] },
  { name: "agreement", note: "more for agreement", pay: [60, 140, 200] },
  { name: "groundwork", note: "more for groundwork", pay: [160, 70, 200] },
] as const;

type Pricing = (typeof PRICINGS)[number];

/** What a law of this mission must at least be: the highest of its own risk, its budget's, and that of what is exposed by it. */
export function riskOf(goal: Pick<Goal, "risk" | "budget" | "exposure" | "coverage">, limits: LawLimits): RiskName {
  return higherRisk(higherRisk(goal.risk, riskOfBudget(goal.budget, limits)), riskOfExposure(goal.budget, exposureOf(goal) ?? {}, limits));
}

/** What a law says of what is at stake: the sponsor's statement, and how much of the goal no task answers. Undefined where nothing was stated. */
export function exposureOf({ exposure, coverage = 1 }: Pick<Goal, "exposure" | "coverage">): StatedExposure | undefined {
  if (exposure === undefined) return undefined;
  const { intent_ambiguity = 0 } = exposure;
  const ambiguity = Math.max(intent_ambiguity, 1 - coverage);
  return ambiguity === 0 ? exposure : { ...exposure, intent_ambiguity: ambiguity };
}

/** What an agent asks for one run of a service at least, smallest unit: a tenth of a token. */
export const MIN_PAY = 100_000n;

/** Everything an agent chooses from when it drafts: all lawful structures of a few simple kinds. */
export const optionsOf = perGoal((goal, facts): readonly LawShape[] => {
  return shapesOf(goal, facts, divisionsOf(goal));
});

/** What the run that is paid worst gets under a structure, smallest unit; zero where the budget cannot be divided at all. */
export function leastPay(goal: Goal, shape: LawShape): bigint {
  try {
    const pay = layOut(goal, shape).map((node) => node.budget / BigInt(node.shape.redundancy));
    return pay.sort((a, b) => Number(a - b))[0] ?? 0n;
  } catch (error) {
    if (error instanceof GoalNotFeasible) return 0n;
    throw error;
  }
}

/**
 * What an agent chooses from. After executors did not agree under the failed structures, what is compared is in as few parts as possible, so
 * that a few items weigh less; if it was so already, other divisions are no better.
 */
export function choicesOf(goal: Goal, facts: CityFacts, failed: readonly LawShape[] = []): readonly LawShape[] {
  const fewest = fewestCompared(goal, failed);
  if (fewest === undefined) return optionsOf(goal, facts);
  return shapesOf(goal, facts, closestOf(everyDivision(goal).filter((division) => comparedIn(goal, division) === fewest)));
}

/** After such a failure a law is worth as much less as it compares more parts than it need; before one, and of the coarsest, all of its worth. */
export function coarseness(goal: Goal, failed: readonly LawShape[], { tasks }: LawShape): number {
  const fewest = fewestCompared(goal, failed);
  return fewest === undefined ? 1 : Math.min(1, fewest / comparedIn(goal, shardsOf(tasks)));
}

/** Into how few parts what is compared can be divided; undefined where that is no reason to choose: no law failed, or one that was so did. */
function fewestCompared(goal: Goal, failed: readonly LawShape[]): number | undefined {
  if (failed.length === 0) return undefined;
  const tried = Math.min(...failed.map(({ tasks }) => comparedIn(goal, shardsOf(tasks))));
  const fewest = Math.min(...everyDivision(goal).map((division) => comparedIn(goal, division)));
  return fewest < tried ? fewest : undefined;
}

/** Nodes whose executors compare, in a division of the goal's tasks. */
function comparedIn(goal: Goal, division: readonly number[]): number {
  return division.reduce((sum, shards, index) => sum + (goal.tasks[index]?.tier === TIER.CONSENSUS ? shards : 0), 0);
}

function shardsOf(tasks: LawShape["tasks"]): number[] {
  return tasks.map(({ shards }) => shards);
}

/**
 * The structure that asks least of a city: no task is divided, the constitution's fewest executors do it, all runs are paid alike. It follows from
 * goal and limits alone: whoever knows both derives the same.
 */
export function plainestOf(goal: Goal, limits: LawLimits): LawShape {
  const risk = riskOf(goal, limits);
  return shapeOf(goal, limits, {
    executorsOf: (task) => leastExecutors(task, { limits }, risk),
    shards: divide(goal, 1, 1),
    pricing: PRICINGS[0],
  });
}

/** Structures under which nobody runs a service for less than agents ask, if there are any. */
function shapesOf(goal: Goal, facts: CityFacts, divisions: readonly number[][]): readonly LawShape[] {
  const risk = riskOf(goal, facts.limits);
  const executorsOf = (task: GoalTask) => redundancyOf(task, facts, risk);
  const all = divisions.flatMap((shards) => PRICINGS.map((pricing) => shapeOf(goal, facts.limits, { executorsOf, shards, pricing })));
  const paid = all.filter((shape) => leastPay(goal, shape) >= MIN_PAY);
  return paid.length === 0 ? all : paid;
}

/** The levels a node of this task asks for: enough for any service it allows; none if it has no executor. */
export function requiredLevels(task: GoalTask): number[] {
  return Array.from({ length: 10 }, (_, dimension) =>
    Math.max(0, ...task.services.map(({ capabilities }) => capabilities[dimension] ?? 0)),
  );
}

/** Code that may do a task: that of its services, or any that keeps to their schemas (decision 93). */
export function admittedFor({ services, anyCode }: GoalTask): MissionNode["admits"] {
  return services.map(({ code, schema }) => (anyCode === true ? { schema } : { code, schema }));
}

/** Executors that a node of this task must have, by what the constitution asks of its risk. */
export function leastExecutors({ tier }: Pick<GoalTask, "tier">, { limits }: Pick<CityFacts, "limits">, risk: RiskName): number {
  return tier === TIER.CONSENSUS ? limits.minRedundancy[riskNumber(risk)] : 1;
}

/** Principals with an agent able to run the task: at most that many executors can share a node. */
export function ablePrincipals(task: GoalTask, facts: CityFacts): number {
  const required = requiredLevels(task);
  return new Set(facts.producers.filter((producer) => fits(producer.capabilities, required)).map(({ principal }) => principal)).size;
}

/** What a structure is made by: how many do a node of a task, into how many parts each task is divided, who is paid what. */
interface Plan {
  readonly executorsOf: (task: GoalTask) => number;
  readonly shards: readonly number[];
  readonly pricing: Pricing;
}

function shapeOf(goal: Goal, limits: LawLimits, plan: Plan): LawShape {
  const { executorsOf, shards, pricing } = plan;
  const risk = riskOf(goal, limits);
  const review = Math.max(limits.minReview, Math.min(limits.maxReview, Math.floor(goal.duration / 4)));
  const tasks = goal.tasks.map((task, index): TaskShape => {
    const redundancy = executorsOf(task);
    const pieces = shards[index] ?? 1;
    return {
      task: task.name,
      shards: pieces,
      redundancy,
      threshold: Math.floor(redundancy / 2) + 1,
      floor: floorOf(task, limits.minFloor[riskNumber(risk)]),
      panel: limits.minPanel[riskNumber(risk)],
      timeout: Math.min(limits.maxNodeTimeout, task.timeout ?? limits.maxNodeTimeout),
      review,
      weight: payOf(task, plan) * pieces,
    };
  });
  return { title: titleOf(goal, tasks, pricing.note === undefined ? [] : [pricing.note]), tasks };
}

/** Pay of one node's executors; a mission of its own is worth all that is done in it. */
function payOf(task: GoalTask, plan: Plan): number {
  if (task.mission === undefined) return (plan.pricing.pay[task.tier - 1] ?? 100) * plan.executorsOf(task);
  return task.mission.tasks.reduce((sum, inner) => sum + payOf(inner, plan) * (inner.mission?.parts ?? 1), 0);
}

/**
 * Numbers of shards, task by task. Tasks over the input are cut alike; tasks after them work on whole pieces, so they have as
 * many shards or fewer. Kept: what gives 8–12 nodes, or comes as close as the mission allows.
 */
export function divisionsOf(goal: Goal): number[][] {
  const close = closestOf(everyDivision(goal));
  const balanced = close.filter((division) => Math.min(...dividedParts(goal, division)) > 1);
  return balanced.length > 0 ? balanced : close;
}

function everyDivision(goal: Goal): number[][] {
  const found = new Map<string, number[]>();
  for (let first = 1; first <= mostShards(goal); first += 1) {
    for (let later = 1; later <= first; later += 1) {
      const division = divide(goal, first, later);
      found.set(division.join(), division);
    }
  }
  return [...found.values()];
}

function closestOf(divisions: readonly number[][]): number[][] {
  const distance = (division: readonly number[]) => {
    const nodes = division.reduce((sum, shards) => sum + shards, 0);
    return Math.max(MIN_NODES - nodes, nodes - MAX_NODES, 0);
  };
  const closest = Math.min(...divisions.map(distance));
  return divisions.filter((division) => distance(division) === closest);
}

/** No node without an item. */
function mostShards({ items }: Goal): number {
  return Math.max(1, Math.min(MAX_NODES, items));
}

function divide(goal: Goal, first: number, later: number): number[] {
  const cuts = new Map<string, readonly number[]>();
  return goal.tasks.map((task) => {
    const possible = possibleCuts(task, cuts);
    const shards = task.mission !== undefined ? task.mission.parts : possible === undefined ? first : Math.min(later, possible.length - 1);
    cuts.set(task.name, chooseCuts(possible, shards));
    return shards;
  });
}

/** Shards of the tasks that can be divided at all; a law that divides only some of them is a bottleneck. */
function dividedParts(goal: Goal, division: readonly number[]): number[] {
  const most = divide(goal, mostShards(goal), mostShards(goal));
  return division.filter((_, index) => (most[index] ?? 1) > 1);
}

/**
 * Three executors compare better than two; more are not worth their price, unless the risk asks for them. Throws if too few agents could do
 * the task, at any depth.
 */
function redundancyOf(task: GoalTask, facts: CityFacts, risk: RiskName): number {
  for (const inner of task.mission?.tasks ?? []) redundancyOf(inner, facts, risk);
  const able = ablePrincipals(task, facts);
  const needed = leastExecutors(task, facts, risk);
  if (able < needed) {
    throw new GoalNotFeasible(
      `${task.name} needs executors of ${needed} ${needed === 1 ? "principal" : "different principals"}; ${able} could run it`,
      "register producers with the capabilities its services ask for",
    );
  }
  return task.tier === TIER.CONSENSUS ? Math.max(needed, Math.min(3, able)) : 1;
}

/** Re-execution makes tier 1 evidence attested (decision 43); elsewhere the constitution's minimum, as one class (decision 21). */
function floorOf(task: GoalTask, minimum: FloorName): TaskShape["floor"] {
  const asked = [task.floor, minimum === "WIT" ? "REC" : minimum, task.tier === TIER.RERUN ? "ATT" : "SIGN"] as const;
  if (asked.includes("PROOF"))
    throw new GoalNotFeasible(
      `${task.name} asks for PROOF, but no agent here can prove outputs`,
      "ask for ATT: its service is run again by an issuer",
    );
  const order: readonly TaskShape["floor"][] = ["SELF", "SIGN", "WIT", "REC", "ATT"];
  const strongest = order.findLast((name) => asked.includes(name)) ?? "ATT";
  return task.floor === "WIT" && strongest === "REC" ? "ATT" : strongest;
}
