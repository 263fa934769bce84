/**
 * When cheating does not pay, and when taking part does: the closed forms EQ-2 to EQ-12 of AgentCity's appendix B (docs/deterrence.md).
 * Money is in any one unit, the same in and out; shares and rates are fractions of one.
 */
import { InvalidValue } from "../primitives/errors.ts";

/** Executors of the same task, and how their verdict is formed (AgentCity B.3). */
export interface Redundancy {
  /** Number of executors: k. */
  readonly executors: number;
  /** Number that must agree: t. */
  readonly agreeing: number;
  /** Probability that one honest executor detects a manipulation: p. */
  readonly notices: number;
  /** Correlation of their detections, 0 to 1: ρ. */
  readonly correlation: number;
}

/** Share of registered agents that would collude. */
export interface Openness {
  /** That share if registration were free: π₀. */
  readonly unstaked: number;
  /** Cost of registration. */
  readonly registration: number;
  /** Cost at which that share has fallen to 1/e. */
  readonly scale: number;
}

const DAYS_OF_YEAR = 365;
const BASE_REPUTATION = 500;

/** Throws InvalidValue outside [0, 1]. */
function share(what: string, value: number): number {
  if (!(value >= 0 && value <= 1)) throw new InvalidValue(what, "a share is between 0 and 1", { details: String(value) });
  return value;
}

/** Throws InvalidValue below zero, or for a value that is not finite. */
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
 * EQ-2 and EQ-2a: the probability that a manipulation by `colluding` of the executors is detected. Zero if fewer honest ones remain than
 * must agree.
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

/** π: the share of agents that would still collude despite the cost of registration. */
export function malice({ unstaked, registration, scale }: Openness): number {
  if (!(scale > 0)) throw new InvalidValue("scale of registration", "it is above zero", { details: String(scale) });
  return share("share without a stake", unstaked) * Math.exp(-atLeastZero("registration stake", registration) / scale);
}

/** P_eff: the probability that a manipulation is detected, over coalitions of every size. */
export function effectiveDetection(redundancy: Redundancy, malicious: number): number {
  let sum = 0;
  for (let c = 0; c <= redundancy.executors; c++) sum += coalition(c, redundancy.executors, malicious) * detection(c, redundancy);
  return sum;
}

/** Effect of a stake on one class of attack. None if no one can detect it: no amount is large enough. */
export type Deterrence = { readonly deterrable: true; readonly stake: number } | { readonly deterrable: false; readonly because: string };

/** EQ-4: the profit above which cheating pays although a stake of this size is at risk. */
export function deterredProfit(stake: number, detected: number, slashed: number): number {
  return atLeastZero("stake", stake) * share("detection", detected) * share("slashed share", slashed);
}

/** EQ-5: the minimum stake at which a profit of `profit` does not pay; δ·V_m for a task through which a share δ of V_m can be taken. */
export function deterringStake(profit: number, detected: number, slashed: number): Deterrence {
  const loses = share("detection", detected) * share("slashed share", slashed);
  if (loses === 0)
    return { deterrable: false, because: detected === 0 ? "nobody can notice this attack, whatever is staked" : "nothing is slashed" };
  return { deterrable: true, stake: atLeastZero("profit", profit) / loses };
}

/** EQ-6: recommended cost of registering an identity if missions are worth `value`: ten identities for one mission. */
export const registrationStake = (value: number): number => 0.1 * atLeastZero("mission value", value);

/** EQ-7: recommended stake of each of `quorum` adjudicators if missions are worth `value`. */
export const adjudicatorStake = (value: number, quorum: number): number =>
  atLeastZero("mission value", value) / countOf("quorum", quorum, 1);

/** Number of `quorum` adjudicators that can decide everything, including revocation (AgentCity B.12). */
export const briberyTarget = (quorum: number): number => Math.ceil((2 * countOf("quorum", quorum, 1)) / 3);

/** Minimum cost of bribing that many: their stake, and the value of their reputation to them. */
export const briberyCost = (quorum: number, stake: number, reputation = 0): number => briberyTarget(quorum) * (stake + reputation);

/** Whether the unbribed adjudicators can revoke the bribed ones: with f bribed, 3f + 1 seats. */
export const recoversFrom = (bribed: number, quorum: number): boolean => quorum >= 3 * bribed + 1;

/** Capital and cost of `identities` that bid on `tasks`: registration, task stakes, running each. */
export function sybilCost(identities: number, tasks: number, registration: number, taskStake: number, running = 0): number {
  return identities * (registration + running) + tasks * taskStake;
}

/** EQ-8: opportunity cost of a stake, at a rate per year. */
export const lockCost = (stake: number, yearly: number, days: number): number =>
  (atLeastZero("stake", stake) * yearly * atLeastZero("days", days)) / DAYS_OF_YEAR;

/** ψ(ρ): reputation in points, 0 to 1000; α as a factor. The contracts' `multiplier` is the same in whole thousandths. */
export const reputationFactor = (reputation: number, alpha: number): number =>
  Math.max(0, 1 + (alpha * (reputation - BASE_REPUTATION)) / 1000);

/** Protocol fee and insurance, shares of a price. */
export interface Fees {
  readonly protocol: number;
  readonly insurance: number;
}

/** EQ-9: an accepted task's payment from escrow, and the treasury's supplement. */
export function reward(price: number, fees: Fees, factor: number): { readonly escrow: number; readonly treasury: number } {
  const base = atLeastZero("price", price) * (1 - fees.protocol - fees.insurance);
  return { escrow: base * Math.min(factor, 1), treasury: base * Math.max(factor - 1, 0) };
}

/** EQ-10: the price below which no rational agent bids; the cost of locking the stake and doing the work, before fees and reputation. */
export function leastPrice(locking: number, work: number, fees: Fees, factor: number): number {
  const kept = (1 - fees.protocol - fees.insurance) * factor;
  return kept > 0 ? (locking + work) / kept : Number.POSITIVE_INFINITY;
}

/** One period of a treasury. */
export interface TreasuryPeriod {
  /** Protocol fees received. */
  readonly fees: number;
  /** Slashed stake, before it is halved between treasury and insurance. */
  readonly slashed: number;
  readonly adjudicators: number;
  readonly insurancePayouts: number;
  readonly gasSubsidies: number;
  /** Reputation payments beyond escrow. */
  readonly premiums: number;
}

/** EQ-11: income and spending of a period. It is sustainable while income exceeds spending. */
export function treasurySides(period: TreasuryPeriod): {
  readonly inflow: number;
  readonly outflow: number;
  readonly sustainable: boolean;
} {
  const inflow = period.fees + 0.5 * period.slashed;
  const outflow = period.adjudicators + period.insurancePayouts + period.gasSubsidies + period.premiums;
  return { inflow, outflow, sustainable: inflow > outflow };
}

/** EQ-12: ratio of the insurance pool to a period's expected claims. Adequate above one. */
export function insuranceCover(pool: number, affectedMissions: number, lossOfEach: number): number {
  const claims = atLeastZero("affected missions", affectedMissions) * atLeastZero("loss", lossOfEach);
  return claims === 0 ? Number.POSITIVE_INFINITY : atLeastZero("insurance pool", pool) / claims;
}

/** The largest share of all assignments that one of `producers` may hold if the fairness floor is `floor` of 1000 (AgentCity B.10). */
export function largestFairShare(producers: number, floor: number): number {
  const others = countOf("producers", producers, 2) - 1;
  const a = 1 + 1 / others;
  const c = 1 / others - 1 / producers - (1 - floor / 1000) * (1 - 1 / producers);
  return (1 / others + Math.sqrt((1 / others) ** 2 - a * c)) / a;
}
