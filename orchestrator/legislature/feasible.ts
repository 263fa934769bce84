import type { AgentCityClient } from "../client/client.ts";
import { compileLaw } from "../client/compile-law.ts";
import { gateProblem } from "../client/gates.ts";
import { readLimits } from "../client/law-limits.ts";
import { GoalNotFeasible } from "../minds/errors.ts";
import type { CityFacts } from "../minds/goal.ts";
import { optionsOf } from "../minds/options.ts";
import { gateNumber } from "../protocol/gates.ts";
import type { MissionTask } from "../protocol/mission-file.ts";
import type { LegislatureContext } from "./context.ts";
import { documentOf } from "./document.ts";
import { goalOf } from "./goal.ts";
import { producerFacts } from "./survey.ts";

/** Throws a named error when no law could come of the mission, before anybody's money moves; else what the city is like. */
export async function requireFeasible({ client, options }: LegislatureContext): Promise<CityFacts> {
  const limits = await readLimits(client);
  const goal = goalOf(options.mission, options.services, limits);
  const producers = [];
  for (const { account, principal } of options.producers) {
    if (principal !== options.sponsor.address) producers.push(await producerFacts(client, account.address));
  }
  const facts = { producers, verifiers: Number(await client.evidence.verifierCount()), limits };
  const [shape] = optionsOf(goal, facts);
  if (shape === undefined) throw new GoalNotFeasible("there is nothing to divide", "name at least one task");
  const scattered = goal.tasks.find(({ mission }) => (mission?.parts ?? 0) > options.inputs.count);
  if (scattered !== undefined) {
    const lack = `${scattered.name} is to be done in ${scattered.mission?.parts} parts, the input has ${options.inputs.count} items`;
    throw new GoalNotFeasible(lack, "lower `parts`");
  }
  await requireGates(client, options.mission.tasks);
  compileLaw(documentOf(options.mission, options.inputs, goal, facts, shape, options.child));
  return facts;
}

/** A law that names a predicate nobody approved would be refused after the vote. */
async function requireGates(client: AgentCityClient, tasks: readonly MissionTask[]): Promise<void> {
  for (const { name, gate, plan } of tasks) {
    const problem = gate === undefined ? undefined : await gateProblem(client, gate);
    if (problem !== undefined) {
      const help = `let an adjudicator approve it: npm run override -- predicate ${gateNumber(gate)} <contract>`;
      throw new GoalNotFeasible(`${name} names the gate ${gate}, but ${problem}`, help);
    }
    if (plan !== null) await requireGates(client, plan.tasks);
  }
}
