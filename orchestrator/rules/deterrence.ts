/**
 * When it does not pay to cheat, and when it pays to take part: the closed forms EQ-2 to EQ-12 of AgentCity's appendix B
 * (docs/deterrence.md). Money is in any one unit, the same in and out; shares and rates are fractions of one.
 */
import { InvalidValue } from "../primitives/errors.ts";

/** Executors who do the same task, and how their verdict comes about (AgentCity B.3). */
export interface Redundancy {
  /** How many do it: k. */
  readonly executors: number;
  /** How many must agree: t. */
  readonly agreeing: number;
  /** Probability that one honest executor notices a manipulation: p. */
  readonly notices: number;
  /** Correlation of their noticing, 0 to 1: ρ. */
  readonly correlation: number;
}

/** How many of those who registered would collude. */
export interface Openness {
  /** Share that would if registering were free: π₀. */
  readonly unstaked: number;
  /** What registering costs. */
  readonly registration: number;
  /** The cost at which that share has fallen to 1/e of it. */
  readonly scale: number;
}

const DAYS_OF_YEAR = 365;
const BASE_REPUTATION = 500;

/** Refused with `InvalidValue` outside [0, 1]. */
function share(what: string, value: number): number {
  if (!(value >= 0 && value <= 1)) throw new InvalidValue(what, "a share is between 0 and 1", { details: String(value) });
  return value;
}

/** Refused with `InvalidValue` below zero, or if it is no number. */
function atLeastZero(what: string, value: number): number {
  if (!(value >= 0 && Number.isFinite(value))) throw new InvalidValue(what, "it is finite and not negative", { details: String(value) });
  return value;
}

function countOf(what: string, value: number, least: number): number {
  if (!Number.isSafeInteger(value) || value < least)
    throw new InvalidValue(what, `a whole number from ${least}`, { details: String(value) });
  return value;
}

/**
 * EQ-2 and EQ-2a: the probability that a manipulation by `colluding` of the executors is noticed. Zero once fewer honest ones are
 * left than must agree.
 */
export function detection(colluding: number, { executors, agreeing, notices, correlation }: Redundancy): number {
  countOf("colluding executors", colluding, 0);
  const honest = countOf("executors", executors, 1) - colluding;
  if (honest < countOf("agreeing executors", agreeing, 1)) return 0;
  const missed = 1 - share("probability of noticing", notices);
  return 1 - (share("correlation", correlation) * missed + (1 - correlation) * missed ** honest);
}

/** EQ-3: the probability that exactly `colluding` of `executors` would collude, each with probability `malice`. */
export function coalition(colluding: number, executors: number, malice: number): number {
  countOf("colluding executors", colluding, 0);
  countOf("executors", executors, 0);
  share("malice", malice);
  return colluding > executors ? 0 : choose(executors, colluding) * malice ** colluding * (1 - malice) ** (executors - colluding);
}

function choose(n: number, k: number): number {
  let ways = 1;
  for (let i = 1; i <= k; i++) ways = (ways * (n - k + i)) / i;
  return ways;
}

/** π: the share of agents that would still collude although registering costs something. */
export function malice({ unstaked, registration, scale }: Openness): number {
  if (!(scale > 0)) throw new InvalidValue("scale of registration", "it is above zero", { details: String(scale) });
  return share("share without a stake", unstaked) * Math.exp(-atLeastZero("registration stake", registration) / scale);
}

/** P_eff: how probably a manipulation is noticed, over coalitions of every size. */
export function effectiveDetection(redundancy: Redundancy, malicious: number): number {
  let sum = 0;
  for (let c = 0; c <= redundancy.executors; c++) sum += coalition(c, redundancy.executors, malicious) * detection(c, redundancy);
  return sum;
}

/** What a stake does about one class of attack. Nothing, where nobody can notice it: no sum is large enough. */
export type Deterrence = { readonly deterrable: true; readonly stake: number } | { readonly deterrable: false; readonly because: string };

/** EQ-4: the profit from which cheating pays although a stake of this size is at risk. */
export function deterredProfit(stake: number, detected: number, slashed: number): number {
  return atLeastZero("stake", stake) * share("detection", detected) * share("slashed share", slashed);
}

/** EQ-5: the least stake at which a profit of `profit` does not pay; δ·V_m for a task through which a share δ of V_m can be taken. */
export function deterringStake(profit: number, detected: number, slashed: number): Deterrence {
  const loses = share("detection", detected) * share("slashed share", slashed);
  if (loses === 0)
    return { deterrable: false, because: detected === 0 ? "nobody can notice this attack, whatever is staked" : "nothing is slashed" };
  return { deterrable: true, stake: atLeastZero("profit", profit) / loses };
}

/** EQ-6: what registering an identity should cost where missions are worth `value`: ten identities for one mission. */
export const registrationStake = (value: number): number => 0.1 * atLeastZero("mission value", value);

/** EQ-7: what each of `quorum` adjudicators should have at stake where missions are worth `value`. */
export const adjudicatorStake = (value: number, quorum: number): number =>
  atLeastZero("mission value", value) / countOf("quorum", quorum, 1);

/** How many of `quorum` adjudicators decide everything, revocation included (AgentCity B.12). */
export const briberyTarget = (quorum: number): number => Math.ceil((2 * countOf("quorum", quorum, 1)) / 3);

/** What bribing that many costs at least: their stake, and what their reputation is worth to them. */
export const briberyCost = (quorum: number, stake: number, reputation = 0): number => briberyTarget(quorum) * (stake + reputation);

/** Whether those who were not bribed can revoke those who were: with f bribed, 3f + 1 seats. */
export const recoversFrom = (bribed: number, quorum: number): boolean => quorum >= 3 * bribed + 1;

/** What `identities` that bid on `tasks` tie up and spend: registration, task stakes, running each. */
export function sybilCost(identities: number, tasks: number, registration: number, taskStake: number, running = 0): number {
  return identities * (registration + running) + tasks * taskStake;
}

/** EQ-8: what a stake could have earned meanwhile, at a rate per year. */
export const lockCost = (stake: number, yearly: number, days: number): number =>
  (atLeastZero("stake", stake) * yearly * atLeastZero("days", days)) / DAYS_OF_YEAR;

/** ψ(ρ): reputation in points, 0 to 1000; α as a factor. The contracts' `multiplier` is this in whole thousandths. */
export const reputationFactor = (reputation: number, alpha: number): number =>
  Math.max(0, 1 + (alpha * (reputation - BASE_REPUTATION)) / 1000);

/** Protocol fee and insurance, shares of a price. */
export interface Fees {
  readonly protocol: number;
  readonly insurance: number;
}

/** EQ-9: what an accepted task pays from escrow, and what the treasury adds. */
export function reward(price: number, fees: Fees, factor: number): { readonly escrow: number; readonly treasury: number } {
  const base = atLeastZero("price", price) * (1 - fees.protocol - fees.insurance);
  return { escrow: base * Math.min(factor, 1), treasury: base * Math.max(factor - 1, 0) };
}

/** EQ-10: the price below which nobody rational bids; what locking the stake and doing the work cost, before fees and reputation. */
export function leastPrice(locking: number, work: number, fees: Fees, factor: number): number {
  const kept = (1 - fees.protocol - fees.insurance) * factor;
  return kept > 0 ? (locking + work) / kept : Number.POSITIVE_INFINITY;
}

/** One period of a treasury. */
export interface TreasuryPeriod {
  /** Protocol fees taken in. */
  readonly fees: number;
  /** Stake taken away from agents, before it is halved between treasury and insurance. */
  readonly slashed: number;
  readonly adjudicators: number;
  readonly insurancePayouts: number;
  readonly gasSubsidies: number;
  /** What reputation earned above escrow. */
  readonly premiums: number;
}

/** EQ-11: both sides of a period. It is sustainable while the first exceeds the second. */
export function treasurySides(period: TreasuryPeriod): {
  readonly inflow: number;
  readonly outflow: number;
  readonly sustainable: boolean;
} {
  const inflow = period.fees + 0.5 * period.slashed;
  const outflow = period.adjudicators + period.insurancePayouts + period.gasSubsidies + period.premiums;
  return { inflow, outflow, sustainable: inflow > outflow };
}

/** EQ-12: how many times the insurance pool covers what a period is expected to claim. Adequate above one. */
export function insuranceCover(pool: number, affectedMissions: number, lossOfEach: number): number {
  const claims = atLeastZero("affected missions", affectedMissions) * atLeastZero("loss", lossOfEach);
  return claims === 0 ? Number.POSITIVE_INFINITY : atLeastZero("insurance pool", pool) / claims;
}

/** The largest share one of `producers` may hold of all assignments where the fairness floor is `floor` of 1000 (AgentCity B.10). */
export function largestFairShare(producers: number, floor: number): number {
  const others = countOf("producers", producers, 2) - 1;
  const a = 1 + 1 / others;
  const c = 1 / others - 1 / producers - (1 - floor / 1000) * (1 - 1 / producers);
  return (1 / others + Math.sqrt((1 / others) ** 2 - a * c)) / a;
}
