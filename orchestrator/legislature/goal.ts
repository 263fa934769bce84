import { GoalNotFeasible } from "../minds/errors.ts";
import type { Goal, GoalTask, LawLimits } from "../minds/goal.ts";
import type { MissionFile, MissionTask } from "../protocol/mission-file.ts";
import type { LegislatedService } from "./context.ts";

/** A mission file as agents see it when they draft. */
export function goalOf(mission: MissionFile, services: readonly LegislatedService[], limits: LawLimits): Goal {
  return {
    tasks: mission.tasks.map((task) => taskOf(task, services)),
    budget: mission.budget,
    risk: mission.risk,
    duration: Math.min(mission.deadline, limits.maxDuration),
  };
}

/**
 * A task can be divided when it works item by item: over the input, or compared item by item (tier 2), unless it writes one
 * document about everything.
 */
function taskOf(task: MissionTask, services: readonly LegislatedService[]): GoalTask {
  const allowed = task.services.map((id) => {
    const service = services.find((known) => known.id === id);
    if (service === undefined) throw new GoalNotFeasible(`${task.name} names the service ${id}, which nobody offers`, "register it first");
    return service;
  });
  const writesDocument = allowed.some(({ produces }) => produces === "document");
  return {
    name: task.name,
    tier: task.tier,
    services: allowed.map(({ id, capabilities }) => ({ name: id, capabilities })),
    overInput: task.overInput,
    perItem: !writesDocument && (task.overInput || task.tier === 2),
    after: task.after,
    budget: task.budget ?? undefined,
    timeout: task.timeout ?? undefined,
    floor: task.floor ?? undefined,
  };
}
