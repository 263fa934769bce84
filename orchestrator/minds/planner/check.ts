import type { MissionFile } from "../../protocol/mission-file.ts";
import { MissionFileError } from "../../protocol/mission-file-error.ts";
import type { PlanText } from "../../protocol/mission-file-schema.ts";
import { missionOfPlan } from "../../protocol/mission-plan.ts";
import { fieldsAfter, lackingIn, type PlanInput } from "./search.ts";
import { type ItemField, type PlannableService, skillOf } from "./skills.ts";

/**
 * The problem of a plan; undefined if there is none. It must pass the checks of a hand-written mission file, and every task must find the
 * fields that its services need on every item it receives.
 */
export function problemOfPlan(
  brief: MissionFile,
  plan: PlanText,
  { input, catalogue }: { readonly input: PlanInput; readonly catalogue: readonly PlannableService[] },
): string | undefined {
  let mission: MissionFile;
  try {
    mission = missionOfPlan(brief, plan, catalogue);
  } catch (error) {
    if (error instanceof MissionFileError) return error.shortMessage;
    throw error;
  }
  const skills = new Map(catalogue.map((service) => [service.id, skillOf(service)]));
  const after = new Map<string, readonly ItemField[]>();
  for (const task of mission.tasks) {
    const sources = [...(task.overInput ? [input.fields] : []), ...task.after.map((name) => after.get(name) ?? [])];
    const used = task.services.flatMap((id) => skills.get(id) ?? []);
    for (const skill of used) {
      const lacking = sources.flatMap((fields) => lackingIn(skill, fields))[0];
      if (lacking !== undefined)
        return `${skill.service.id} needs the field ${lacking} on every item, but what ${task.name} receives has none`;
    }
    const given = used.map((skill) => fieldsAfter(skill, common(sources)));
    after.set(task.name, common(given));
  }
  return undefined;
}

/** Fields that the items of all sources have. */
function common([first = [], ...others]: readonly (readonly ItemField[])[]): readonly ItemField[] {
  return first.filter(({ name }) => others.every((other) => other.some((field) => field.name === name)));
}
