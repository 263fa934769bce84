/** The institutions of an economy: what agents can observe, who gets a task, when work counts. */
import type { RandomStream } from "../primitives/random.ts";
import type { Agent } from "./agents.ts";
import type { Effort, HarvestChoice, Prospect } from "./behaviour.ts";
import { chooseWork } from "./behaviour.ts";
import type { Audited } from "./law/audit.ts";
import type { SessionFigures } from "./law/session.ts";
import { matchOf, type Task } from "./milestone.ts";
import type { EconomyParameters } from "./parameters.ts";
import type { Pool } from "./pool.ts";

/** Public information of a round. */
export interface Commons {
  readonly round: number;
  readonly pool: Pool;
  /** Sustainable units per agent. */
  readonly quota: number;
  readonly present: readonly Agent[];
  /** All tasks of the milestone. */
  readonly tasks: readonly Task[];
  readonly world: EconomyParameters;
  /** Random stream of this round, by purpose. */
  readonly chance: (purpose: string) => RandomStream;
}

export interface Assignment {
  readonly task: Task;
  readonly agent: Agent;
  readonly effort: Effort;
}

/** Number of claims, and of false claims, by agent. */
export type Say = (agent: Agent, truthful: boolean) => void;

export interface Harvested {
  readonly agent: Agent;
  readonly choice: HarvestChoice;
}

/** One configuration's institutions. */
export interface Order {
  /** Start of a round; `say` receives the claims made. */
  talk(commons: Commons, say: Say): Promise<void>;
  prospect(agent: Agent): Prospect;
  /** Units allowed by the norm, from the sustainable quota. */
  norm(quota: number): number;
  assign(tasks: readonly Task[], commons: Commons, say: Say): Promise<Assignment[]>;
  /** Whether submitted work counts at once. */
  readonly certifiesAtOnce: boolean;
  /** Reviews work of the previous round: which may count, and its payment in tokens. `busy` receives the reviewers. */
  review(tasks: readonly Task[], commons: Commons, busy: (agent: Agent) => void): Promise<Map<Task, number>>;
  /** Records a round's harvests. */
  remember(harvested: readonly Harvested[], commons: Commons): Promise<void>;
  /** Criterion for the agents whose loss hurts most. */
  standings(present: readonly Agent[]): Promise<ReadonlyMap<Agent, number>>;
  /** Agents that leave and join in the shock, and the executor of the milestone that failed its audit. */
  change?(change: Change): Promise<void>;
  /** End of a milestone. */
  ended(end: MilestoneEnd): Promise<void>;
  /** Contract records of a round; absent without contracts. */
  readonly account?: () => RoundAccount;
  /** The same for a whole run, at its end. */
  readonly record?: () => GovernanceFigures;
  close?(): Promise<void>;
}

/** The shock, as carried out by an order. */
export interface Change {
  readonly leaving: readonly Agent[];
  readonly joining: readonly Agent[];
  /** Those of them that vote alike. */
  readonly bloc: readonly Agent[];
  readonly blamed: Agent | undefined;
}

/** Result of a milestone. */
export interface MilestoneEnd {
  readonly milestone: number;
  readonly completed: boolean;
  readonly certified: number;
  readonly sound: number;
}

/** Of one round. */
export interface RoundAccount {
  readonly sanctions: number;
  readonly gas: number;
  /** Gini coefficient of reputation. */
  readonly reputation: number;
}

/** Figures on carrying out one milestone's law. */
export interface MissionFigures {
  readonly milestone: number;
  /** Shares: executors of routed attempts that committed; failed nodes completed by a later attempt (`execution/metrics.ts`). */
  readonly ccr: readonly [part: number, whole: number];
  readonly aru: readonly [part: number, whole: number];
  /** Tasks that went to an adjudicator, and those of them that were certified. */
  readonly alerts: readonly [recovered: number, raised: number];
  /** Income and spending of the treasury, the two sides of EQ-11, tokens. */
  readonly treasury: readonly [inflow: number, outflow: number];
}

/** A question to an adjudicator, and the simulated answer. */
export interface Alert {
  readonly round: number;
  readonly kind: AlertKind;
  /** The facts, for judging it again. */
  readonly facts: string;
  readonly answer: string;
}
export const ALERT_KINDS = ["work", "bloc", "breach"] as const;
export type AlertKind = (typeof ALERT_KINDS)[number];
/** Possible answers by subject. */
export const ALERT_ANSWERS: Readonly<Record<AlertKind, readonly string[]>> = {
  work: ["approve", "reject"],
  bloc: ["freeze", "release"],
  breach: ["nothing", "warning", "slash", "freeze"],
};

/** Of a run. */
export interface GovernanceFigures {
  readonly sessions: readonly SessionFigures[];
  /** The foundation's after each milestone. */
  readonly confidence: readonly number[];
  /** Each milestone that had a law, in order. */
  readonly missions: readonly MissionFigures[];
  /** Sanctions by kind. */
  readonly sanctions: Readonly<Record<string, number>>;
  /** Transactions and gas since the founding, by contract and function. */
  readonly transactions: number;
  readonly gas: Readonly<Record<string, number>>;
  /** In order; runs from before 25 November have none. */
  readonly alerts?: readonly Alert[] | undefined;
  /** One randomly drawn mission, verified from the chain after its end; absent in runs before 25 November. */
  readonly audit?: (Audited & { readonly milestone: number }) | undefined;
  /** Income and spending of the treasury, tokens, EQ-11. */
  readonly treasury: { readonly fees: number; readonly slashed: number; readonly premiums: number };
}

/** No rules: first come, first served, everyone certifies its own work, and only the pool's level is visible. */
export class Baseline implements Order {
  readonly certifiesAtOnce = true;
  #belief = 1;

  async talk(): Promise<void> {}

  prospect(): Prospect {
    return { belief: this.#belief, sanction: 0, found: 0 };
  }

  norm(quota: number): number {
    return quota;
  }

  async assign(tasks: readonly Task[], commons: Commons, say: Say): Promise<Assignment[]> {
    const free = [...tasks];
    const taken: Assignment[] = [];
    for (const agent of commons.chance("turns").shuffle(commons.present)) {
      if (free.length === 0) break;
      const offers = free.map((task) => ({ task, ...chooseWork(agent, matchOf(agent.capabilities, task), 0, commons.world) }));
      const best = offers.reduce((one, other) => (other.worth > one.worth ? other : one));
      if (best.effort === "none") continue;
      free.splice(free.indexOf(best.task), 1);
      taken.push({ task: best.task, agent, effort: best.effort });
      say(agent, best.effort === "real");
    }
    return taken;
  }

  async review(): Promise<Map<Task, number>> {
    return new Map();
  }

  async remember(harvested: readonly Harvested[], { quota }: Commons): Promise<void> {
    const asked = harvested.reduce((sum, { choice }) => sum + choice.amount, 0);
    this.#belief = asked === 0 ? 1 : Math.min(1, (harvested.length * quota) / asked);
  }

  async standings(present: readonly Agent[]): Promise<ReadonlyMap<Agent, number>> {
    return new Map(present.map((agent) => [agent, agent.soundWork]));
  }

  async ended(): Promise<void> {}
}
