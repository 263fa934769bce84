/** A milestone's tasks, their executors and their results. */
import type { RandomStream } from "../primitives/random.ts";
import type { Agent } from "./agents.ts";
import type { EconomyParameters } from "./parameters.ts";

export interface Requirement {
  readonly main: number;
  readonly second: number;
  readonly level: number;
}

export type TaskState = "open" | "in review" | "certified";

export interface Task extends Requirement {
  readonly id: number;
  /** Tasks whose outputs it needs, all with lower numbers. */
  readonly needs: readonly number[];
  state: TaskState;
  /** Its latest executor. */
  worker: Agent | undefined;
  quality: number;
  /** Whether it and all of its inputs are sound. */
  sound: boolean;
  /** It has been found unsound before. */
  again: boolean;
}

const WIDTHS = [3, 4, 5, 6, 7] as const;
const MAX_NEEDS = 3;

/** This many tasks in layers, the last of which is the output. */
export function milestoneGraph(tasks: number, stream: RandomStream, world: EconomyParameters): Task[] {
  const all: Task[] = [];
  const add = (needs: readonly number[]): number => {
    const main = stream.int(world.dimensions);
    const second = (main + 1 + stream.int(world.dimensions - 1)) % world.dimensions;
    const level = world.level.least + (world.level.most - world.level.least) * stream.next();
    return (
      all.push({ id: all.length, needs, main, second, level, state: "open", worker: undefined, quality: 0, sound: false, again: false }) - 1
    );
  };
  let before: number[] = [];
  for (const width of layersOf(tasks - 1, stream)) {
    const needs = Array.from({ length: width }, () => stream.shuffle(before).slice(0, 1 + stream.int(MAX_NEEDS)));
    for (const task of before.filter((one) => !needs.some((list) => list.includes(one)))) stream.pick(needs).push(task);
    before = needs.map((list) => add(list.sort((one, other) => one - other)));
  }
  add(before);
  return all;
}

function layersOf(tasks: number, stream: RandomStream): number[] {
  const layers: number[] = [];
  for (let left = tasks; left > 0; ) {
    const possible = WIDTHS.filter((width) => left === width || left - width >= WIDTHS[0]);
    const width = possible.length === 0 ? left : stream.pick(possible);
    layers.push(width);
    left -= width;
  }
  return layers;
}

/** An agent's match with a requirement, 0 to 1. */
export function matchOf(capabilities: readonly number[], { main, second, level }: Requirement): number {
  return 0.7 * Math.min(1, (capabilities[main] ?? 0) / level) + 0.3 * Math.min(1, (capabilities[second] ?? 0) / (level / 2));
}

/** Tasks ready for work: open, with every input certified. */
export const eligible = (tasks: readonly Task[]): Task[] =>
  tasks.filter(({ state, needs }) => state === "open" && needs.every((need) => tasks[need]?.state === "certified"));

export const outputOf = (tasks: readonly Task[]): Task | undefined => tasks.at(-1);

/** The longest chain of certified tasks that depend on an unsound one. */
export function propagation(tasks: readonly Task[], sound: number): number {
  const certified = tasks.filter(({ state }) => state === "certified");
  const depths = certified
    .filter(({ quality }) => quality < sound)
    .map((origin) => {
      const depth = new Map([[origin.id, 0]]);
      for (const { id, needs } of certified) {
        const above = needs.flatMap((need) => depth.get(need) ?? []);
        if (above.length > 0) depth.set(id, Math.max(depth.get(id) ?? 0, 1 + Math.max(...above)));
      }
      return Math.max(...depth.values());
    });
  return Math.max(0, ...depths);
}
