import type { CityClient } from "../client/client.ts";
import { compileLaw } from "../client/compile-law.ts";
import { newestEdition } from "../client/editions.ts";
import { electorsAmong, eligibleAmong, exclusionOf } from "../client/eligibility.ts";
import { gateProblem } from "../client/gates.ts";
import { type LawLimits, readLimits } from "../client/law-limits.ts";
import { GoalNotFeasible } from "../minds/errors.ts";
import type { CityFacts, Goal } from "../minds/goal.ts";
import { leastPay, MIN_PAY, optionsOf } from "../minds/options.ts";
import { BASIS_POINTS, formatAmount, formatMoney, TOKEN_DECIMALS } from "../primitives/amounts.ts";
import type { Address } from "../primitives/hex.ts";
import { TIER } from "../primitives/tier.ts";
import { gateNumber } from "../protocol/gates.ts";
import type { LawShape } from "../protocol/law-shape.ts";
import { gatesIn } from "../protocol/mission-file.ts";
import type { PlanText } from "../protocol/mission-file-schema.ts";
import { type ParameterName, parameterIndex } from "../protocol/parameters.ts";
import type { LegislatureContext } from "./context.ts";
import { documentOf } from "./document.ts";
import { TooFewProducers } from "./errors.ts";
import { goalsUnder, missionWith, plansOf } from "./plan.ts";
import { producerFacts } from "./survey.ts";

/** Returns the city's facts. Throws a named error if no law could result from the mission, before any money moves. */
export async function requireFeasible(context: LegislatureContext): Promise<CityFacts> {
  const { client, options } = context;
  const limits = await readLimits(client, await newestEdition(client));
  const leftOut: LeftOut[] = [];
  const voters: Address[] = [];
  const bidders: Address[] = [];
  const agents = options.producers.map(({ account }) => account.address);
  const [electors, eligible] = await Promise.all([electorsAmong(client, agents), eligibleAmong(client, agents)]);
  for (const { account, principal } of options.producers) {
    const agent = account.address;
    const reason = eligible.has(agent) ? undefined : await exclusionOf(client, agent);
    if (reason !== undefined) {
      leftOut.push({ agent, reason });
      continue;
    }
    if (electors.has(agent)) voters.push(agent);
    if (principal !== options.sponsor.address) bidders.push(agent);
  }
  await requireElectorate(client, voters.length, leftOut);
  const producers = (await producerFacts(client, bidders)).map(({ facts }) => facts);
  const facts = { producers, verifiers: Number(await client.evidence.verifierCount()), limits };
  const refusals: GoalNotFeasible[] = [];
  const plans = await plansOf(context, voters, limits);
  for (const plan of plans) {
    try {
      await requireFeasiblePlan(context, plan, facts, leftOut);
    } catch (error) {
      if (!(error instanceof GoalNotFeasible)) throw error;
      refusals.push(error);
    }
  }
  const [refusal] = refusals;
  if (refusal !== undefined && refusals.length === plans.length) throw refusal;
  return facts;
}

async function requireFeasiblePlan(
  context: LegislatureContext,
  plan: PlanText | null,
  facts: CityFacts,
  leftOut: readonly LeftOut[],
): Promise<void> {
  const { client, options } = context;
  const mission = missionWith(context, plan);
  const goal = goalsUnder(context, facts.limits)(plan);
  const shapes = optionsAmong(goal, facts, leftOut);
  const [shape] = shapes;
  if (shape === undefined) throw new GoalNotFeasible("there is nothing to divide", "name at least one task");
  const scattered = goal.tasks.find(({ mission }) => (mission?.parts ?? 0) > options.inputs.count);
  if (scattered !== undefined) {
    const lack = `${scattered.name} is to be done in ${scattered.mission?.parts} parts, the input has ${options.inputs.count} items`;
    throw new GoalNotFeasible(lack, "lower `parts`");
  }
  await requireTime(client, goal, facts.limits);
  requirePay(goal, shapes);
  await requireGates(client, mission);
  compileLaw(documentOf(mission, options.inputs, goal, facts, shape, options.child));
}

/** A producer whose votes and bids the chain refuses, and why. */
interface LeftOut {
  readonly agent: Address;
  readonly reason: string;
}

/** Excluded producers count for the turnout, but sponsor nothing. */
async function requireElectorate(client: CityClient, voters: number, leftOut: readonly LeftOut[]): Promise<void> {
  if (leftOut.length === 0) return;
  const param = async (name: ParameterName) => Number(await client.constitution.param(parameterIndex(name)));
  const active = Number(await client.agents.activeProducers());
  const needed = Math.max(await param("MIN_SPONSORS"), Math.ceil((active * (await param("TURNOUT_QUORUM"))) / BASIS_POINTS));
  if (voters < needed) throw new TooFewProducers(`${voters} of its ${active} producers could vote on it, ${needed} are needed`, leftOut);
}

function optionsAmong(goal: Goal, facts: CityFacts, leftOut: readonly LeftOut[]): readonly LawShape[] {
  try {
    return optionsOf(goal, facts);
  } catch (error) {
    if (!(error instanceof GoalNotFeasible) || leftOut.length === 0) throw error;
    throw new TooFewProducers(error.shortMessage.replace(/^[^:]*: /, ""), leftOut);
  }
}

const WHOLE_TOKEN = 10n ** BigInt(TOKEN_DECIMALS);

/** Checks that the budget pays for every run under some structure; budgets that cannot be divided at all are left to `compileLaw`. */
function requirePay(goal: Goal, shapes: readonly LawShape[]): void {
  const [pay = 0n] = shapes.map((shape) => leastPay(goal, shape)).sort((a, b) => Number(b - a));
  if (pay === 0n || pay >= MIN_PAY) return;
  const enough = (goal.budget * MIN_PAY) / pay;
  throw new GoalNotFeasible(
    `its budget of ${formatMoney(goal.budget)} tokens pays ${formatMoney(pay)} for a run of a service, but agents ask for at least ${formatMoney(MIN_PAY)}`,
    goal.tasks.some(({ budget }) => budget !== undefined)
      ? "raise the budgets of its tasks, and that of the mission"
      : `set \`budget: ${formatAmount(enough - (enough % WHOLE_TOKEN) + WHOLE_TOKEN)}\` or more; unspent money is refunded`,
  );
}

/** Time limit of a run without a stated one, seconds. */
const LONGEST_RUN = 30;

/**
 * Checks that a mission's duration covers its market, the longest chain of its tasks, and the shortest review where a human signs; all in
 * chain time.
 */
async function requireTime(client: CityClient, { tasks, duration }: Goal, { minReview }: LawLimits): Promise<void> {
  const bidding = Number(await client.constitution.param(parameterIndex("BIDDING_WINDOW")));
  const ends = new Map<string, number>();
  for (const { name, after, tier, timeout, mission } of tasks) {
    const own = mission === undefined ? Math.min(LONGEST_RUN, timeout ?? LONGEST_RUN) + (tier === TIER.HUMAN ? minReview : 0) : 0;
    ends.set(name, Math.max(0, ...after.map((before) => ends.get(before) ?? 0)) + own);
  }
  const least = bidding + Math.max(0, ...ends.values());
  if (duration >= least) return;
  throw new GoalNotFeasible(
    `its deadline of ${formatDuration(duration)} is too short: ${formatDuration(bidding)} of bidding and ${formatDuration(least - bidding)} of work, reviews included, need ${formatDuration(least)} of chain time`,
    `set \`deadline: ${formatDuration(least).replace(" ", "")}\` or more`,
  );
}

/** Whole minutes where possible, otherwise seconds. */
function formatDuration(seconds: number): string {
  return seconds > 60 && seconds % 60 === 0 ? `${seconds / 60} m` : `${seconds} s`;
}

/** A law with an unapproved predicate would be refused after the vote. */
async function requireGates(client: CityClient, mission: Parameters<typeof gatesIn>[0]): Promise<void> {
  for (const { name, gate } of gatesIn(mission)) {
    const problem = await gateProblem(client, gate);
    if (problem === undefined) continue;
    const help = `let an adjudicator approve it: npm run override -- predicate ${gateNumber(gate)} <contract>`;
    throw new GoalNotFeasible(`${name} names the gate ${gate}, but ${problem}`, help);
  }
}
