import type { LawShape, TaskShape } from "../protocol/law-shape.ts";
import { GoalNotFeasible, MindAnswerInvalid } from "./errors.ts";
import type { Goal, GoalTask } from "./goal.ts";

/** Divisible by every number of shards up to twelve; positions on this grid are shares of the input, whatever its size. */
export const GRID = 27_720;

/** Amounts are divided in hundredths of a token as long as every share stays positive. */
const CENT = 10_000n;

/** A node of a law being drafted. */
export interface PlannedNode {
  readonly number: number;
  /** `classify-2`; the only node of a task has the task's name. */
  readonly label: string;
  readonly task: GoalTask;
  readonly shape: TaskShape;
  /** Share of the input on the grid, [from, to). */
  readonly from: number;
  readonly to: number;
  readonly after: readonly number[];
  /** For all slots together, smallest unit. */
  readonly budget: bigint;
}

/** Index of the item at a grid position, for an input of `count` items. */
export function itemAt(place: number, count: number): number {
  return Math.floor((place * count) / GRID);
}

/**
 * Where a task may be cut, given the cuts of the tasks before it: a node takes whole outputs of its predecessors, so that every item is
 * worked on once. Undefined: anywhere.
 */
export function possibleCuts(task: GoalTask, cuts: ReadonlyMap<string, readonly number[]>): readonly number[] | undefined {
  if (task.mission !== undefined) return undefined;
  if (!task.perItem) return [0, GRID];
  if (task.after.length === 0) return task.overInput ? undefined : [0, GRID];
  const [first = [0, GRID], ...others] = task.after.map((name) => cuts.get(name) ?? [0, GRID]);
  return first.filter((cut) => others.every((other) => other.includes(cut)));
}

/** `shards` pieces, as even as the possible cuts allow. */
export function chooseCuts(possible: readonly number[] | undefined, shards: number): readonly number[] {
  const places = Array.from({ length: shards + 1 }, (_, index) => index);
  if (possible === undefined) return places.map((index) => Math.ceil((index * GRID) / shards));
  const pieces = possible.length - 1;
  return places.map((index) => possible[Math.floor((index * pieces) / shards)] ?? GRID);
}

/** Converts a shape into numbered nodes with edges and budgets. Pure: the same for every caller. */
export function layOut(goal: Goal, shape: LawShape): PlannedNode[] {
  const names = goal.tasks.map(({ name }) => name).join();
  const shaped = shape.tasks.map(({ task }) => task).join();
  if (names !== shaped) throw new MindAnswerInvalid("draft", `it shapes the tasks ${shaped}, the mission has ${names}`);

  const budgets = divideBudget(goal, shape);
  const cuts = new Map<string, readonly number[]>();
  const nodes: PlannedNode[] = [];
  for (const [index, task] of goal.tasks.entries()) {
    const own = shape.tasks[index];
    if (own === undefined) continue;
    if (task.mission !== undefined && (own.shards !== task.mission.parts || own.redundancy !== 1)) {
      throw new MindAnswerInvalid("draft", `${task.name} consists of ${task.mission.parts} missions, once each`);
    }
    const possible = possibleCuts(task, cuts);
    if (possible !== undefined && own.shards > possible.length - 1) {
      throw new MindAnswerInvalid("draft", `${task.name} cannot have ${own.shards} shards`);
    }
    const places = chooseCuts(possible, own.shards);
    cuts.set(task.name, places);
    for (let shard = 0; shard < own.shards; shard += 1) {
      const from = places[shard] ?? 0;
      const to = places[shard + 1] ?? GRID;
      if (task.overInput && itemAt(from, goal.items) === itemAt(to, goal.items)) {
        throw new MindAnswerInvalid("draft", `${task.name} has ${own.shards} shards for ${goal.items} items: one would have nothing to do`);
      }
      nodes.push({
        number: nodes.length,
        label: own.shards === 1 ? task.name : `${task.name}-${shard + 1}`,
        task,
        shape: own,
        from,
        to,
        after: nodes
          .filter((before) => task.after.includes(before.task.name) && before.from < to && from < before.to)
          .map(({ number }) => number),
        budget: budgets.get(task.name)?.[shard] ?? 0n,
      });
    }
  }
  if (nodes.length > 256) throw new MindAnswerInvalid("draft", `${nodes.length} nodes; a law has at most 256`);
  return nodes;
}

/** Budget of every node. The sums are exact, remainders go to the last node; what fixed budgets leave over stays in reserve. */
function divideBudget(goal: Goal, shape: LawShape): Map<string, bigint[]> {
  const fixed = goal.tasks.reduce((sum, { budget }) => sum + (budget ?? 0n), 0n);
  const open = shape.tasks.filter((_, index) => goal.tasks[index]?.budget === undefined);
  const rest = goal.budget - fixed;
  if (rest < 0n || (rest === 0n && open.length > 0)) {
    throw new GoalNotFeasible("the budgets of its tasks leave nothing for the others", "raise the budget, or lower those of the tasks");
  }
  const weights = open.reduce((sum, { weight }) => sum + BigInt(weight), 0n);
  const given = new Map<string, bigint[]>();
  let left = rest;
  for (const [index, own] of shape.tasks.entries()) {
    const set = goal.tasks[index]?.budget;
    const isLastOpen = own === open.at(-1);
    const budget = set ?? (isLastOpen ? left : roundDown((rest * BigInt(own.weight)) / weights, BigInt(own.shards * own.redundancy)));
    if (set === undefined) left -= budget;
    const each = roundDown(budget / BigInt(own.shards), BigInt(own.redundancy));
    if (each < BigInt(own.redundancy)) {
      throw new GoalNotFeasible(`its budget leaves nothing for a node of ${own.task}`, "raise the budget");
    }
    const nodes = Array.from({ length: own.shards }, () => each);
    nodes[own.shards - 1] = budget - each * BigInt(own.shards - 1);
    given.set(own.task, nodes);
  }
  return given;
}

/** Rounds down to a multiple of `parts` hundredths of a token, or of `parts` units where hundredths are too coarse. */
function roundDown(amount: bigint, parts: bigint): bigint {
  const step = amount >= 100n * parts * CENT ? parts * CENT : parts;
  return amount - (amount % step);
}
