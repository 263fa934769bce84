import type { Address } from "../primitives/hex.ts";
import type { LawShape } from "../protocol/law-shape.ts";
import { fits } from "./fit.ts";
import type { CityFacts, Goal } from "./goal.ts";
import type { PlannedNode } from "./layout.ts";
import { GRID, layOut } from "./layout.ts";
import { requiredLevels } from "./options.ts";
import { perGoal } from "./per-goal.ts";

/** An agent's view of a law; each quality from 0 (bad) to 1 (good). */
export interface Qualities {
  readonly speed: number;
  readonly thrift: number;
  readonly assurance: number;
  readonly evenness: number;
  readonly income: number;
}

/** Work units that a node costs regardless of its share of the input: routing, commitment, clearing. */
const FIXED_WORK = 0.08;

/** Qualities that are the same for all agents, and the nodes that an agent's income depends on. */
interface Common extends Omit<Qualities, "income"> {
  readonly nodes: readonly PlannedNode[];
}

const judged = perGoal(() => new WeakMap<LawShape, Common>());

/** Evaluates a structure from public facts. Pure arithmetic; each function's comment has its formula. */
export function qualitiesOf(goal: Goal, facts: CityFacts, chances: SlotChances, shape: LawShape): Qualities {
  const known = judged(goal, facts);
  const common = known.get(shape) ?? commonOf(goal, facts, shape);
  known.set(shape, common);
  const { nodes, ...qualities } = common;
  return { ...qualities, income: incomeOf(nodes, goal, facts, chances) };
}

function commonOf(goal: Goal, facts: CityFacts, shape: LawShape): Common {
  const nodes = layOut(goal, shape);
  return {
    nodes,
    speed: speedOf(nodes, goal.tasks.length),
    thrift: thriftOf(nodes),
    assurance: assuranceOf(nodes),
    evenness: evennessOf(nodes, facts),
  };
}

/** By task, the probability that a slot goes to the agent. */
export type SlotChances = ReadonlyMap<string, number>;

/** Each slot goes to a capable agent, in proportion to reputation × capability. */
export function slotChances(goal: Goal, facts: CityFacts, self: Address): SlotChances {
  return new Map(
    strengthsOf(goal, facts).map(({ task, total, strengths }) => [task, total === 0 ? 0 : (strengths.get(self) ?? 0) / total]),
  );
}

/** By task, the strengths of all able agents. */
const strengthsOf = perGoal((goal, facts) =>
  goal.tasks.map((task) => {
    const required = requiredLevels(task);
    const able = facts.producers.filter(({ capabilities }) => fits(capabilities, required));
    const strengths = new Map(
      able.map((producer) => [producer.agent, (1 + producer.reputation) * strengthFor(producer.capabilities, required)]),
    );
    return { task: task.name, strengths, total: [...strengths.values()].reduce((sum, strength) => sum + strength, 0) };
  }),
);

/** 1 − longest path / tasks, where a node takes its share of the input plus a fixed part. */
function speedOf(nodes: readonly PlannedNode[], tasks: number): number {
  const done: number[] = [];
  for (const node of nodes) {
    const start = Math.max(0, ...node.after.map((number) => done[number] ?? 0));
    done.push(start + (node.to - node.from) / GRID + FIXED_WORK);
  }
  return clamp(1 - Math.max(...done) / (tasks * (1 + FIXED_WORK)));
}

/** 1 − (executions + verdicts) / 100. */
function thriftOf(nodes: readonly PlannedNode[]): number {
  return clamp(1 - nodes.reduce((sum, { shape }) => sum + shape.redundancy + shape.panel, 0) / 100);
}

/** How little of the input (weight two) and of the budget (weight one) depends on one node; larger panels compensate. */
function assuranceOf(nodes: readonly PlannedNode[]): number {
  const panels = average(nodes.map(({ shape }) => shape.panel / 7));
  const shares = nodes.filter(({ task }) => task.perItem).map(({ from, to }) => (to - from) / GRID);
  const total = nodes.reduce((sum, { budget }) => sum + Number(budget), 0);
  const dearest = Math.max(...nodes.map(({ budget }) => Number(budget) / total));
  const spread = (2 * (1 - (shares.length === 0 ? 1 : Math.max(...shares))) + (1 - dearest)) / 3;
  return clamp(spread + (1 - spread) * 0.3 * panels);
}

/** Half from seats for every producer, half from equal pay per slot. */
function evennessOf(nodes: readonly PlannedNode[], facts: CityFacts): number {
  const pays = nodes.flatMap(({ budget, shape }) => Array.from({ length: shape.redundancy }, () => Number(budget) / shape.redundancy));
  const seats = Math.min(1, pays.length / (3 * Math.max(1, facts.producers.length)));
  const mean = average(pays);
  const spread = mean === 0 ? 1 : average(pays.map((pay) => Math.abs(pay - mean))) / mean;
  return clamp(0.5 * seats + 0.5 * (1 - spread));
}

/** Expected share of the budget; a fair share is at half of the scale. */
function incomeOf(nodes: readonly PlannedNode[], goal: Goal, facts: CityFacts, chances: SlotChances): number {
  const expected = nodes.reduce((sum, { task, shape, budget }) => {
    const chance = Math.min(1, shape.redundancy * (chances.get(task.name) ?? 0));
    return sum + (chance * Number(budget)) / shape.redundancy;
  }, 0);
  return clamp((expected / Number(goal.budget)) * facts.producers.length * 0.5);
}

/** Capability beyond the requirement still raises an executor's chance. */
function strengthFor(capabilities: readonly number[], required: readonly number[]): number {
  const levels = required.flatMap((level, dimension) => (level === 0 ? [] : [(capabilities[dimension] ?? 0) / (256 * level)]));
  return levels.length === 0 ? 1 : average(levels.map((level) => level ** 2));
}

function average(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}

function clamp(value: number): number {
  return Math.max(0, Math.min(1, value));
}
