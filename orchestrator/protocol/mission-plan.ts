import { z } from "zod";
import { formatAmount } from "../primitives/amounts.ts";
import { contentIdOfJson } from "../primitives/hash.ts";
import type { ContentId } from "../primitives/hex.ts";
import { gateSchema } from "./gates.ts";
import {
  isPlanned,
  type KnownService,
  type MissionFile,
  type MissionPlan,
  type MissionTask,
  type PlannedMission,
  parseMissionFile,
} from "./mission-file.ts";
import { COMPARISONS, optionsSchema, type PlanText } from "./mission-file-schema.ts";
import { ASKED_KINDS } from "./verifier-kinds.ts";

const taskRecordSchema = z.strictObject({
  name: z.string(),
  services: z.array(z.string()),
  anyCode: z.literal(true).optional(),
  overInput: z.boolean(),
  after: z.array(z.string()),
  tier: z.union([z.literal(1), z.literal(2), z.literal(3)]),
  agree: z.strictObject({ on: z.string(), as: z.enum(COMPARISONS).optional(), atLeastBps: z.int().optional() }).nullable(),
  rubric: z.string().optional(),
  verifiers: z.array(z.enum(ASKED_KINDS)).optional(),
  /** Smallest unit, decimal text. */
  budget: z.string().regex(/^\d+$/).nullable(),
  timeout: z.int().nullable(),
  floor: z.enum(["SELF", "SIGN", "WIT", "REC", "ATT", "PROOF"]).nullable(),
  gate: gateSchema.optional(),
  options: optionsSchema.optional(),
  get plan() {
    return planRecordSchema.nullable();
  },
});

/** A recorded plan, which the law of the mission above names by content id. */
export const planRecordSchema = z.strictObject({
  goal: z.string(),
  parts: z.int().min(1),
  deadline: z.int().positive().nullable(),
  get tasks() {
    return z.array(taskRecordSchema);
  },
  output: z.string(),
  predicates: z.array(z.union([z.literal("every-input-covered"), z.strictObject({ maxBytes: z.int().positive() })])),
});
export type PlanRecord = z.infer<typeof planRecordSchema>;

/** A plan as JSON, with amounts as decimal text. */
export function planRecord(plan: MissionPlan): PlanRecord {
  const taskRecord = ({ budget, plan: below, services, after, verifiers, ...task }: MissionTask): PlanRecord["tasks"][number] => ({
    ...task,
    services: [...services],
    after: [...after],
    ...(verifiers === undefined ? {} : { verifiers: [...verifiers] }),
    budget: budget?.toString() ?? null,
    plan: below === null ? null : planRecord(below),
  });
  return { ...plan, predicates: [...plan.predicates], tasks: plan.tasks.map(taskRecord) };
}

/** The plan's content id. */
export function planId(plan: MissionPlan): ContentId {
  return contentIdOfJson(planRecord(plan));
}

/** The plan of a whole mission, as its producers made it. */
export function planOfMission({ goal, tasks, output, predicates }: PlannedMission): MissionPlan {
  return { goal, parts: 1, deadline: null, tasks, output: output.task, predicates };
}

/**
 * Completes a mission that states only a goal with a plan's tasks, which pass every check of a hand-written file. Throws MissionFileError.
 */
export function missionOfPlan(brief: MissionFile, { tasks, output }: PlanText, catalog: readonly KnownService[]): PlannedMission {
  const { mission, goal, budget, deadline, risk, input } = brief;
  // JSON is YAML, so this is a file that the sponsor could have written.
  const text = JSON.stringify({ mission, goal, budget: formatAmount(budget), deadline: `${deadline}s`, risk, input, tasks, output });
  const file = parseMissionFile(text, { fileName: "plan", catalog, budgetCap: budget });
  const planned = { ...brief, tasks: file.tasks, output: file.output, planned: true as const };
  if (!isPlanned(planned)) throw new RangeError("a plan without an output passed the parser");
  return planned;
}

/** The mission file of a plan, once its node received money. */
export function fileOfPlan(above: MissionFile, plan: MissionPlan, label: string, budget: bigint): PlannedMission {
  const { goal, tasks, output, predicates } = plan;
  return {
    ...above,
    mission: `${above.mission}/${label}`,
    goal,
    budget,
    deadline: plan.deadline ?? Math.floor(above.deadline / 2),
    tasks,
    output: { task: output, format: "json" },
    predicates,
  };
}
