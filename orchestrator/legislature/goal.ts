import type { LawLimits } from "../client/law-limits.ts";
import { GoalNotFeasible } from "../minds/errors.ts";
import type { Goal, GoalTask } from "../minds/goal.ts";
import type { MissionFile, MissionTask } from "../protocol/mission-file.ts";
import type { LegislatedService } from "./context.ts";

/** A mission file as drafting agents see it. `coverage` is given if they planned its tasks. */
export function goalOf(
  mission: MissionFile,
  services: readonly LegislatedService[],
  limits: LawLimits,
  items: number,
  coverage?: number,
): Goal {
  return {
    text: mission.goal,
    tasks: mission.tasks.map((task) => taskOf(task, services)),
    items,
    budget: mission.budget,
    risk: mission.risk,
    ...(mission.exposure === undefined ? {} : { exposure: mission.exposure }),
    duration: Math.min(mission.deadline, limits.maxDuration),
    ...(coverage === undefined ? {} : { coverage }),
  };
}

/** A task is divisible if every service it allows works item by item; one with a plan is divided into the plan's parts. */
function taskOf(task: MissionTask, services: readonly LegislatedService[]): GoalTask {
  const { plan } = task;
  const allowed = task.services.map((id) => {
    const service = services.find((known) => known.id === id);
    if (service === undefined)
      throw new GoalNotFeasible(`${task.name} names the service ${id}, which no agent offers`, "register it first");
    return service;
  });
  return {
    name: task.name,
    tier: task.tier,
    services: allowed.map(({ id, capabilities, code, schema }) => ({ name: id, capabilities, code, schema })),
    ...(task.anyCode === true ? { anyCode: true } : {}),
    overInput: task.overInput,
    perItem: allowed.every(({ perItem }) => perItem),
    after: task.after,
    budget: task.budget ?? undefined,
    timeout: task.timeout ?? undefined,
    floor: task.floor ?? undefined,
    mission: plan === null ? undefined : { parts: plan.parts, tasks: plan.tasks.map((inner) => taskOf(inner, services)) },
  };
}
