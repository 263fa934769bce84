import type { LawLimits } from "../client/law-limits.ts";
import { NoPlan } from "../minds/errors.ts";
import type { Goal } from "../minds/goal.ts";
import { riskOf } from "../minds/options.ts";
import { coverageOf } from "../minds/planner/plan.ts";
import type { Address } from "../primitives/hex.ts";
import { canonicalJson } from "../primitives/json.ts";
import { isPlanned, type PlannedMission } from "../protocol/mission-file.ts";
import { type PlanText, planTextSchema } from "../protocol/mission-file-schema.ts";
import { missionOfPlan } from "../protocol/mission-plan.ts";
import { isAbstention, type LegislatureContext } from "./context.ts";
import { goalOf } from "./goal.ts";

/**
 * An agent's plan for a goal without tasks; null if the file names tasks. Requested once per order, and recorded before anything depends on
 * it. Throws NoPlan, and MindAnswerInvalid for an invalid plan.
 */
async function planBy(context: LegislatureContext, agent: Address, limits: LawLimits): Promise<PlanText | null> {
  const { mission, services, inputs, barred = [] } = context.options;
  if (isPlanned(mission)) return null;
  const input = { kind: mission.input.kind, fields: inputs.fields ?? [] };
  const failed = barred.flatMap(({ plan }) => plan ?? []);
  const risk = riskOf(mission, limits);
  const request = { self: agent, mission, input, catalogue: services, risk, failed };
  return context.ask(agent, "plan", planTextSchema, (mind) => mind.plan(request));
}

/** The same; undefined if the agent has none. */
export async function planOrAbstain(context: LegislatureContext, agent: Address, limits: LawLimits): Promise<PlanText | null | undefined> {
  try {
    return await planBy(context, agent, limits);
  } catch (error) {
    if (error instanceof NoPlan || isAbstention(error)) return undefined;
    throw error;
  }
}

/** The distinct plans of these agents. Throws NoPlan if none has one. */
export async function plansOf(
  context: LegislatureContext,
  agents: readonly Address[],
  limits: LawLimits,
): Promise<readonly (PlanText | null)[]> {
  const plans = new Map<string, PlanText | null>();
  let none: NoPlan | undefined;
  for (const agent of agents) {
    try {
      const plan = await planBy(context, agent, limits);
      plans.set(canonicalJson(plan), plan);
    } catch (error) {
      if (error instanceof NoPlan) none ??= error;
      else if (!isAbstention(error)) throw error;
    }
  }
  if (plans.size === 0) throw none ?? new NoPlan("no producer has a plan that can be used", null);
  return [...plans.values()];
}

/** The mission with its tasks: the file's, or a plan's. */
export function missionWith({ options: { mission, services } }: LegislatureContext, plan: PlanText | null): PlannedMission {
  if (isPlanned(mission)) return mission;
  if (plan === null) throw new NoPlan("there is no plan for it", null);
  return missionOfPlan(mission, plan, services);
}

/** The goal under each plan, created once; without a plan for a file without tasks it has no tasks. */
export function goalsUnder(context: LegislatureContext, limits: LawLimits): (plan: PlanText | null) => Goal {
  const { mission, services, inputs } = context.options;
  const { goal, input } = mission;
  const open = { goal, input: { kind: input.kind, fields: inputs.fields ?? [] }, catalogue: services };
  const goals = new Map<string, Goal>();
  return (plan) => {
    const key = canonicalJson(plan);
    const known =
      goals.get(key) ??
      (plan === null
        ? goalOf(mission, services, limits, inputs.count)
        : goalOf(missionWith(context, plan), services, limits, inputs.count, coverageOf(open, plan)));
    goals.set(key, known);
    return known;
  };
}
