import type { GoalTaskText, GoalText } from "../protocol/session-calls.ts";
import type { Goal, GoalTask } from "./goal.ts";

/** A goal as JSON: amounts as decimal text. */
export function goalText(goal: Goal): unknown {
  return JSON.parse(JSON.stringify(goal, (_, value: unknown) => (typeof value === "bigint" ? String(value) : value)));
}

/** Parses a goal from JSON. */
export function goalIn({ tasks, budget, ...rest }: GoalText): Goal {
  return { ...rest, budget: BigInt(budget), tasks: tasks.map(taskIn) };
}

function taskIn({ budget, mission, ...rest }: GoalTaskText): GoalTask {
  return {
    ...rest,
    ...(budget === undefined ? {} : { budget: BigInt(budget) }),
    ...(mission === undefined ? {} : { mission: { parts: mission.parts, tasks: mission.tasks.map(taskIn) } }),
  };
}
