import type { MissionDocument } from "../../protocol/mission-document.ts";
import type { PlanRecord } from "../../protocol/mission-plan.ts";
import type { Inspection } from "./inspection.ts";

/** A law does its plan's tasks with the plan's services, one after the other as the plan says, and leaves none out. */
export function followsPlan(seen: Inspection, { output, nodes }: MissionDocument, plan: PlanRecord, subject: string, file: string): void {
  seen.same(output.task, plan.output, `${subject}output against the plan`, file);
  const tasks = new Set(nodes.map(({ task }) => task));
  seen.same([...tasks].sort(), plan.tasks.map(({ name }) => name).sort(), `${subject}tasks against the plan`, file);
  for (const { label, task, services, options, tier, after, shard, verifiers, rubric } of nodes) {
    const asked = plan.tasks.find(({ name }) => name === task);
    seen.same([services, options], [asked?.services, asked?.options], `${subject}services of ${label}`, file);
    seen.holds(tier >= (asked?.tier ?? 1), `${subject}${label}`, `is of tier ${tier}, below the plan's`, file);
    seen.same([verifiers, rubric], [asked?.verifiers, asked?.rubric], `${subject}what ${label} is judged by`, file);
    const before = new Set(nodes.flatMap((node) => (after.includes(node.number) ? [node.task] : [])));
    seen.same(
      [[...before].sort(), shard !== null],
      [[...(asked?.after ?? [])].sort(), asked?.overInput],
      `${subject}what ${label} works on`,
      file,
    );
  }
}
