import { compileLaw } from "../client/compile-law.ts";
import { readLimits } from "../client/law-limits.ts";
import { GoalNotFeasible } from "../minds/errors.ts";
import type { CityFacts } from "../minds/goal.ts";
import { optionsOf } from "../minds/options.ts";
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
  compileLaw(documentOf(options.mission, options.inputs, goal, facts, shape, options.child));
  return facts;
}
