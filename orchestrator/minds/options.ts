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

/** A law of this many nodes is easy to follow, whatever the size of the input (decision 41). */
export const MIN_NODES = 8;
export const MAX_NODES = 12;

/** How the budget is divided: relative pay of an executor slot by tier. Titles name every rule except the first. */
const PRICINGS = [
  { name: "equal", note: undefined, pay: [100, 100, 100] },
  { name: "effort", note: "pay by effort", pay: [100, 120, 400] },
  { name: "agreement", note: "more for agreement", pay: [60, 140, 200] },
  { name: "groundwork", note: "more for groundwork", pay: [160, 70, 200] },
] as const;

type Pricing = (typeof PRICINGS)[number];

/** The minimum risk of a law for this mission: the highest of its stated risk, its budget's, and its exposure's. */
export function riskOf(goal: Pick<Goal, "risk" | "budget" | "exposure" | "coverage">, limits: LawLimits): RiskName {
  return higherRisk(higherRisk(goal.risk, riskOfBudget(goal.budget, limits)), riskOfExposure(goal.budget, exposureOf(goal) ?? {}, limits));
}

/** A law's statement of what is at stake: the sponsor's, and how much of the goal no task answers. Undefined if nothing was stated. */
export function exposureOf({ exposure, coverage = 1 }: Pick<Goal, "exposure" | "coverage">): StatedExposure | undefined {
  if (exposure === undefined) return undefined;
  const { intent_ambiguity = 0 } = exposure;
  const ambiguity = Math.max(intent_ambiguity, 1 - coverage);
  return ambiguity === 0 ? exposure : { ...exposure, intent_ambiguity: ambiguity };
}

/** Minimum pay that an agent accepts for a run of a service, smallest unit: a tenth of a token. */
export const MIN_PAY = 100_000n;

/** The options of a drafting agent: all lawful structures of a few simple kinds. */
export const optionsOf = perGoal((goal, facts): readonly LawShape[] => {
  return shapesOf(goal, facts, divisionsOf(goal));
});

/** Pay of the worst-paid run under a structure, smallest unit; zero if the budget cannot be divided. */
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
 * The options of a drafting agent after failures. If executors did not agree, compared work is divided into as few parts as possible, so
 * that single items weigh less; if it was already, other divisions are no better.
 */
export function choicesOf(goal: Goal, facts: CityFacts, failed: readonly LawShape[] = []): readonly LawShape[] {
  const fewest = fewestCompared(goal, failed);
  if (fewest === undefined) return optionsOf(goal, facts);
  return shapesOf(goal, facts, closestOf(everyDivision(goal).filter((division) => comparedIn(goal, division) === fewest)));
}

/**
 * Factor for a law after such a failure: the smaller, the more parts it compares than necessary; 1 for the coarsest, and before any
 * failure.
 */
export function coarseness(goal: Goal, failed: readonly LawShape[], { tasks }: LawShape): number {
  const fewest = fewestCompared(goal, failed);
  return fewest === undefined ? 1 : Math.min(1, fewest / comparedIn(goal, shardsOf(tasks)));
}

/** The smallest number of parts for compared work; undefined if it does not matter: no law failed, or one with that number did. */
function fewestCompared(goal: Goal, failed: readonly LawShape[]): number | undefined {
  if (failed.length === 0) return undefined;
  const tried = Math.min(...failed.map(({ tasks }) => comparedIn(goal, shardsOf(tasks))));
  const fewest = Math.min(...everyDivision(goal).map((division) => comparedIn(goal, division)));
  return fewest < tried ? fewest : undefined;
}

/** Number of compared nodes in a division of the goal's tasks. */
function comparedIn(goal: Goal, division: readonly number[]): number {
  return division.reduce((sum, shards, index) => sum + (goal.tasks[index]?.tier === TIER.CONSENSUS ? shards : 0), 0);
}

function shardsOf(tasks: LawShape["tasks"]): number[] {
  return tasks.map(({ shards }) => shards);
}

/**
 * The minimal structure: no task is divided, the constitution's minimum of executors does it, all runs are paid alike. It follows from goal
 * and limits alone, so that everyone derives the same.
 */
export function plainestOf(goal: Goal, limits: LawLimits): LawShape {
  const risk = riskOf(goal, limits);
  return shapeOf(goal, limits, {
    executorsOf: (task) => leastExecutors(task, { limits }, risk),
    shards: divide(goal, 1, 1),
    pricing: PRICINGS[0],
  });
}

/** Structures under which every run is paid what agents ask for, if there are any. */
function shapesOf(goal: Goal, facts: CityFacts, divisions: readonly number[][]): readonly LawShape[] {
  const risk = riskOf(goal, facts.limits);
  const executorsOf = (task: GoalTask) => redundancyOf(task, facts, risk);
  const all = divisions.flatMap((shards) => PRICINGS.map((pricing) => shapeOf(goal, facts.limits, { executorsOf, shards, pricing })));
  const paid = all.filter((shape) => leastPay(goal, shape) >= MIN_PAY);
  return paid.length === 0 ? all : paid;
}

/** Required levels of a node of this task: enough for any admitted service; none without an executor. */
export function requiredLevels(task: GoalTask): number[] {
  return Array.from({ length: 10 }, (_, dimension) =>
    Math.max(0, ...task.services.map(({ capabilities }) => capabilities[dimension] ?? 0)),
  );
}

/** Code that may do a task: that of its services, or any that meets their schemas (decision 93). */
export function admittedFor({ services, anyCode }: GoalTask): MissionNode["admits"] {
  return services.map(({ code, schema }) => (anyCode === true ? { schema } : { code, schema }));
}

/** Minimum number of executors of a node of this task, by the constitution's requirement for its risk. */
export function leastExecutors({ tier }: Pick<GoalTask, "tier">, { limits }: Pick<CityFacts, "limits">, risk: RiskName): number {
  return tier === TIER.CONSENSUS ? limits.minRedundancy[riskNumber(risk)] : 1;
}

/** Number of principals with an agent able to run the task, an upper bound for the executors of a node. */
export function ablePrincipals(task: GoalTask, facts: CityFacts): number {
  const required = requiredLevels(task);
  return new Set(facts.producers.filter((producer) => fits(producer.capabilities, required)).map(({ principal }) => principal)).size;
}

/** Parameters of a structure: redundancy and shards per task, and the pricing rule. */
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
      floor: floorOf(task, limits.minFloor[riskNumber(risk)], limits.parentFloor),
      panel: limits.minPanel[riskNumber(risk)],
      timeout: Math.min(limits.maxNodeTimeout, task.timeout ?? limits.maxNodeTimeout),
      review,
      weight: payOf(task, plan) * pieces,
    };
  });
  return { title: titleOf(goal, tasks, pricing.note === undefined ? [] : [pricing.note]), tasks };
}

/** Relative pay of one node's executors; a mission of its own counts with everything done in it. */
function payOf(task: GoalTask, plan: Plan): number {
  if (task.mission === undefined) return (plan.pricing.pay[task.tier - 1] ?? 100) * plan.executorsOf(task);
  return task.mission.tasks.reduce((sum, inner) => sum + payOf(inner, plan) * (inner.mission?.parts ?? 1), 0);
}

/**
 * Numbers of shards, task by task. Tasks over the input are cut alike; later tasks work on whole pieces, so they have as many shards or
 * fewer. Kept: divisions with 8–12 nodes, or as close as the mission allows.
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

/** At least one item per node. */
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

/** Shards of the tasks that can be divided; a law that divides only some of them has a bottleneck. */
function dividedParts(goal: Goal, division: readonly number[]): number[] {
  const most = divide(goal, mostShards(goal), mostShards(goal));
  return division.filter((_, index) => (most[index] ?? 1) > 1);
}

/**
 * Three executors compare better than two; more are not worth their price, unless the risk requires them. Throws if too few agents could do
 * the task, at any depth.
 */
function redundancyOf(task: GoalTask, facts: CityFacts, risk: RiskName): number {
  for (const inner of task.mission?.tasks ?? []) redundancyOf(inner, facts, risk);
  const able = ablePrincipals(task, facts);
  const needed = leastExecutors(task, facts, risk);
  if (able < needed) {
    throw new GoalNotFeasible(
      `${task.name} needs executors of ${needed} ${needed === 1 ? "principal" : "different principals"}; ${able} could run it`,
      "register producers with the capabilities its services require",
    );
  }
  return task.tier === TIER.CONSENSUS ? Math.max(needed, Math.min(3, able)) : 1;
}

/**
 * Re-execution makes tier 1 evidence attested (decision 43); elsewhere, and for a mission of its own, which has no work that could be
 * re-executed, the constitution's minimum applies, as one class (decision 21). Never below the floor of the node that the mission is.
 */
function floorOf(task: GoalTask, minimum: FloorName, parentFloor: FloorName = "SELF"): TaskShape["floor"] {
  const isRerun = task.tier === TIER.RERUN && task.mission === undefined;
  const asked = [task.floor, minimum === "WIT" ? "REC" : minimum, isRerun ? "ATT" : "SIGN", parentFloor] as const;
  if (asked.includes("PROOF"))
    throw new GoalNotFeasible(
      `${task.name} requires PROOF, but no agent here can prove outputs`,
      "require ATT: an issuer re-executes its service",
    );
  const order: readonly TaskShape["floor"][] = ["SELF", "SIGN", "WIT", "REC", "ATT"];
  const strongest = order.findLast((name) => asked.includes(name)) ?? "ATT";
  return (task.floor === "WIT" || parentFloor === "WIT") && strongest === "REC" ? "ATT" : strongest;
}
