import type { TaskShape } from "../protocol/law-shape.ts";
import type { Goal } from "./goal.ts";

/** Agent noun of a task: classify → classifier, aggregate → aggregator, parse → parser. */
export function doerOf(task: string): string {
  if (/[^aeiou]y$/.test(task)) return `${task.slice(0, -1)}ier`;
  if (task.endsWith("ate")) return `${task.slice(0, -1)}or`;
  if (task.endsWith("e")) return `${task}r`;
  return `${task}er`;
}

/**
 * "4 shards, 3 classifiers": a law's title, in the words that a voter compares. `notes` list other peculiarities. If agents planned the
 * tasks, these come first: "word-counts, top, report: 2 shards".
 */
export function titleOf({ coverage }: Pick<Goal, "coverage">, tasks: readonly TaskShape[], notes: readonly string[]): string {
  const counts = [...new Set(tasks.filter(({ shards }) => shards > 1).map(({ shards }) => shards))];
  const shards = counts.length === 0 ? `${tasks.length} ${tasks.length === 1 ? "task" : "tasks"}` : `${counts.join(" → ")} shards`;
  const redundant = tasks
    .filter(({ redundancy }) => redundancy > 1)
    .map(({ task, redundancy }) => `${redundancy} ${task.endsWith("s") ? `for ${task}` : `${doerOf(task)}s`}`);
  const plan = coverage === undefined ? "" : `${tasks.map(({ task }) => task).join(", ")}: `;
  const text = plan + [shards, ...redundant, ...notes].join(", ");
  return text.length <= 120 ? text : `${text.slice(0, 117)}...`;
}
