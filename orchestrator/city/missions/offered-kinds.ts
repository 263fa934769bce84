import type { Outsiders } from "../../execution/seat.ts";
import { JUDGE_VARIABLE } from "../../minds/chat-judge.ts";
import { AgentCityError } from "../../primitives/errors.ts";
import type { MissionFile, MissionTask } from "../../protocol/mission-file.ts";
import type { PanelKind } from "../../protocol/verifier-kinds.ts";
import type { City } from "../city.ts";
import { judgesOf } from "../world.ts";

/** A task requires a kind of check that no eligible verifier offers. */
export class KindNotOffered extends AgentCityError {
  constructor(task: string, kind: PanelKind) {
    super("KindNotOffered", `The task ${task} is to be judged by a ${kind} verifier, and this city has none`, {
      action: `name a model for its own verifiers (${JUDGE_VARIABLE}=openai:<model>), seat a verifier that has one (docs/open-city.md), or leave \`${kind}\` out`,
    });
  }
}

/**
 * Throws, before anything is paid, if a task requires a kind of check that no seat offers: every clearing would end in silence. Only its
 * owner knows whether an external verifier has a model, so a seated one counts.
 */
export function requireOfferedKinds(city: City, { tasks }: Pick<MissionFile, "tasks">, outsiders: Outsiders | undefined): void {
  if (judgesOf(city).length > 0 || (outsiders?.verifiers.length ?? 0) > 0) return;
  const asking = everyTask(tasks).find(({ verifiers }) => verifiers?.includes("semantic"));
  if (asking !== undefined) throw new KindNotOffered(asking.name, "semantic");
}

function everyTask(tasks: readonly MissionTask[]): readonly MissionTask[] {
  return tasks.flatMap((task) => [task, ...(task.plan === null ? [] : everyTask(task.plan.tasks))]);
}
