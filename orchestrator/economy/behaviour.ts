/** An agent's choices: the option with the highest utility (docs/economy.md), the first of equal ones. */
import type { Agent } from "./agents.ts";
import type { EconomyParameters } from "./parameters.ts";

/** An agent's beliefs when it decides. */
export interface Prospect {
  /** Share of others that keep the norm. */
  readonly belief: number;
  /** Cost of being caught, tokens. */
  readonly sanction: number;
  /** Probability of being caught in a lie. */
  readonly found: number;
}

export interface HarvestChoice {
  /** Requested units. */
  readonly amount: number;
  /** Whether the report is true. */
  readonly truthful: boolean;
}

/** λ·belief for everything beyond the norm: at least its gain, once belief reaches the threshold. */
const reciprocity = (agent: Agent, belief: number): number => belief / agent.threshold;

/** How much to harvest and what to report; `norm` and `quota` in units. */
export function chooseHarvest(agent: Agent, quota: number, norm: number, prospect: Prospect, world: EconomyParameters): HarvestChoice {
  if (agent.decision !== undefined) {
    const amount = agent.decision.harvest * quota;
    return { amount, truthful: amount <= norm || agent.decision.report === "truth" };
  }
  const { honesty, harm } = agent.character;
  let best: HarvestChoice & { readonly worth: number } = { amount: 0, truthful: true, worth: Number.NEGATIVE_INFINITY };
  for (const quotas of world.harvests) {
    const amount = quotas * quota;
    const beyond = Math.max(0, amount - norm);
    const taken = amount - reciprocity(agent, prospect.belief) * beyond + harm * beyond;
    const truth = beyond > 0 ? -prospect.sanction : 0;
    const lied = -prospect.found * prospect.sanction + (harm - honesty) * beyond;
    const truthful = beyond === 0 || truth >= lied;
    const worth = taken + (truthful ? truth : lied);
    if (worth > best.worth) best = { amount, truthful, worth };
  }
  return best;
}

export type Effort = "real" | "none" | "pretended";

export interface WorkChoice {
  readonly effort: Effort;
  readonly worth: number;
}

/** Cost of real work on a task for an agent with this match. */
export const costOf = (agent: Agent, match: number): number => agent.cost * (2 - match);

/** Whether to take a task, and whether to do it. `sanction` is the expected cost of pretending. */
export function chooseWork(agent: Agent, match: number, sanction: number, world: EconomyParameters): WorkChoice {
  if (agent.decision !== undefined) {
    const { work } = agent.decision;
    return { effort: work, worth: work === "none" ? 0 : world.price - (work === "real" ? costOf(agent, match) : sanction) };
  }
  const { honesty, harm, reciprocates } = agent.character;
  const knowsBetter = reciprocates && match < world.sound;
  const worth: Readonly<Record<Effort, number>> = {
    real: knowsBetter ? Number.NEGATIVE_INFINITY : world.price - costOf(agent, match),
    none: 0,
    pretended: world.price * (1 - honesty + harm) - sanction,
  };
  const efforts = ["real", "none", "pretended"] as const;
  const effort = efforts.reduce((best: Effort, one) => (worth[one] > worth[best] ? one : best), "real");
  return { effort, worth: worth[effort] };
}

/** Whether it overstates its match with a task: a lie adds half a price's probability. */
export const overclaims = ({ character: { honesty, harm } }: Agent): boolean => 0.5 - honesty + harm > 0;

/** Whether it reviews when asked: reciprocating agents do while enough others comply. */
export const looks = (agent: Agent, belief: number): boolean => belief >= agent.threshold;

/** The norm that an agent prefers for everyone. */
export interface Norms {
  /** Allowed harvest in quotas. */
  readonly harvest: number;
  readonly reviewers: number;
  /** Rounds for which a caught agent is shunned. */
  readonly shunning: number;
}

export const NO_NORMS: Norms = { harvest: 1, reviewers: 0, shunning: 0 };

/** Public information when norms are voted on. */
export interface Situation {
  /** Level of the pool over its capacity. */
  readonly pool: number;
  /** Share of unsound outputs, and of reports that broke the norm, since the last vote. */
  readonly failed: number;
  readonly breaches: number;
}

export function idealNorms({ character, decision }: Agent, { pool, failed, breaches }: Situation): Norms {
  if (decision !== undefined) return { harvest: decision.limit, reviewers: decision.reviewers, shunning: 10 };
  if (!character.reciprocates) return { harvest: 1.25, reviewers: 0, shunning: 0 };
  const reviewers = [0.05, 0.2, 0.4].filter((limit) => failed >= limit).length;
  return { harvest: pool < 0.5 ? 0.75 : 1, reviewers, shunning: failed > 0.1 || breaches > 0.1 ? 20 : 10 };
}

/** The median of each norm; the lower one if there are two. */
export function votedNorms(wanted: readonly Norms[]): Norms {
  const median = (values: readonly number[]): number =>
    [...values].sort((one, other) => one - other)[Math.floor((values.length - 1) / 2)] ?? 0;
  return {
    harvest: median(wanted.map(({ harvest }) => harvest)),
    reviewers: median(wanted.map(({ reviewers }) => reviewers)),
    shunning: median(wanted.map(({ shunning }) => shunning)),
  };
}
