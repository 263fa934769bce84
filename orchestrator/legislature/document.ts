import type { LawLimits } from "../client/law-limits.ts";
import type { CityFacts, Goal } from "../minds/goal.ts";
import { riskNumber } from "../minds/goal.ts";
import { itemAt, layOut, type PlannedNode } from "../minds/layout.ts";
import { admittedFor, exposureOf, requiredLevels, riskOf } from "../minds/options.ts";
import { BASIS_POINTS } from "../primitives/amounts.ts";
import { gateNumber } from "../protocol/gates.ts";
import type { LawShape } from "../protocol/law-shape.ts";
import { MISSION_CONTEXT } from "../protocol/mission-context.ts";
import { type MissionDocument, type MissionNode, missionDocumentSchema, type ParentNode } from "../protocol/mission-document.ts";
import type { MissionTask, PlannedMission } from "../protocol/mission-file.ts";
import { planId, planOfMission } from "../protocol/mission-plan.ts";
import type { MissionInputs } from "./context.ts";

/**
 * Longest time that work may stay off chain, seconds. It is at most the shortest allowed wait for a node's start (VERIFICATION_TIMEOUT).
 */
const ANCHOR_INTERVAL = 60;

/**
 * Converts a draft into the document that a ballot refers to. Pure: equal drafts give equal documents, whoever wrote them. `parent`: the
 * node that the mission is, if it is a child.
 */
export function documentOf(
  mission: PlannedMission,
  inputs: MissionInputs,
  goal: Goal,
  facts: Pick<CityFacts, "limits">,
  shape: LawShape,
  parent?: ParentNode,
): MissionDocument {
  const exposure = exposureOf(goal);
  return missionDocumentSchema.parse({
    "@context": MISSION_CONTEXT,
    "@type": "MissionSpecification",
    name: mission.mission,
    goal: mission.goal,
    ...(parent === undefined ? {} : { parent: { mission: parent.mission, node: parent.node, attempt: parent.attempt } }),
    title: shape.title,
    risk: riskOf(goal, facts.limits),
    ...(exposure === undefined ? {} : { exposure }),
    budget: goal.budget.toString(),
    duration: goal.duration,
    input: {
      kind: mission.input.kind,
      count: inputs.count,
      digest: inputs.digest,
      ...(inputs.columns === undefined ? {} : { columns: inputs.columns }),
    },
    nodes: layOut(goal, shape).map((node) => nodeOf(node, mission, inputs, goal, facts)),
    ...(mission.planned === true ? { plan: planId(planOfMission(mission)) } : {}),
    output: { task: mission.output.task, format: mission.output.format },
    predicates: mission.predicates,
    outputPredicate: gateNumber(mission.output.gate),
    ...(mission.mode === "hybrid" && riskOf(goal, facts.limits) !== "HIGH" ? { anchorInterval: ANCHOR_INTERVAL } : {}),
    ...(mission.visibility === "parties" ? { visibility: mission.visibility } : {}),
  });
}

function nodeOf(
  planned: PlannedNode,
  mission: PlannedMission,
  inputs: MissionInputs,
  goal: Goal,
  facts: Pick<CityFacts, "limits">,
): MissionNode {
  const { task, shape } = planned;
  const risk = riskOf(goal, facts.limits);
  const { agree, plan, gate, options, rubric, verifiers } = mission.tasks.find(({ name }) => name === task.name) ?? {
    agree: null,
    plan: null,
  };
  return {
    number: planned.number,
    label: planned.label,
    task: task.name,
    shard: task.overInput ? { from: itemAt(planned.from, inputs.count), to: itemAt(planned.to, inputs.count) } : null,
    services: task.services.map(({ name }) => name),
    admits: admittedFor(task),
    ...(options === undefined ? {} : { options }),
    ...(plan === null ? {} : { mission: { goal: plan.goal, plan: planId(plan) } }),
    after: [...planned.after],
    tier: task.tier,
    redundancy: shape.redundancy,
    threshold: shape.threshold,
    agree: agree === null ? null : agreeUnder(agree, facts.limits),
    ...(rubric === undefined ? {} : { rubric }),
    ...(verifiers === undefined ? {} : { verifiers: [...verifiers] }),
    risk,
    floor: shape.floor,
    questions:
      risk === "HIGH" || (mission.predicates.length > 0 && isOutput(task.name, mission)) ? ["PERFORMANCE", "POLICY"] : ["PERFORMANCE"],
    band: facts.limits.minBand[riskNumber(risk)],
    panelSize: shape.panel,
    timeout: shape.timeout,
    reviewWindow: shape.review,
    budget: planned.budget.toString(),
    predicate: gateNumber(gate),
    capabilities: requiredLevels(task),
  };
}

/** The mission's requirements, completed by the constitution's at the time when the session opened. */
function agreeUnder(
  { atLeastBps, ...agree }: NonNullable<MissionTask["agree"]>,
  { jaccardThreshold, numericTolerance }: LawLimits,
): NonNullable<MissionNode["agree"]> {
  return { ...agree, atLeastBps: atLeastBps ?? jaccardThreshold * (BASIS_POINTS / 100), tolerance: numericTolerance };
}

/** The output's predicates are judged by its panel, as the policy question. */
function isOutput(task: string, mission: PlannedMission): boolean {
  return task === mission.output.task;
}
