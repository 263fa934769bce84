/** What orders an economy: what agents can believe, who gets a task, when work counts. */
import type { RandomStream } from "../primitives/random.ts";
import type { Agent } from "./agents.ts";
import type { Effort, HarvestChoice, Prospect } from "./behaviour.ts";
import { chooseWork } from "./behaviour.ts";
import type { Audited } from "./law/audit.ts";
import type { SessionFigures } from "./law/session.ts";
import { matchOf, type Task } from "./milestone.ts";
import type { EconomyParameters } from "./parameters.ts";
import type { Pool } from "./pool.ts";

/** What everybody can see of the economy in a round. */
export interface Commons {
  readonly round: number;
  readonly pool: Pool;
  /** Units that each may take so that the pool lasts. */
  readonly quota: number;
  readonly present: readonly Agent[];
  /** The milestone's tasks, all of them. */
  readonly tasks: readonly Task[];
  readonly world: EconomyParameters;
  /** Chance in this round, for a purpose. */
  readonly chance: (purpose: string) => RandomStream;
}

export interface Assignment {
  readonly task: Task;
  readonly agent: Agent;
  readonly effort: Effort;
}

/** Claims that were made, and how many of them were false, by the agent that made them. */
export type Say = (agent: Agent, truthful: boolean) => void;

export interface Harvested {
  readonly agent: Agent;
  readonly choice: HarvestChoice;
}

/** One configuration's institutions. */
export interface Order {
  /** Before anything else in a round; `say` is called with claims that are made. */
  talk(commons: Commons, say: Say): Promise<void>;
  prospect(agent: Agent): Prospect;
  /** Units that the order's norm allows, from the sustainable quota. */
  norm(quota: number): number;
  assign(tasks: readonly Task[], commons: Commons, say: Say): Promise<Assignment[]>;
  /** Whether handed-in work counts at once. */
  readonly certifiesAtOnce: boolean;
  /** Looks at work of the round before: what may count, and the tokens it is paid. `busy` is called with who looked. */
  review(tasks: readonly Task[], commons: Commons, busy: (agent: Agent) => void): Promise<Map<Task, number>>;
  /** What is remembered of a round's harvests. */
  remember(harvested: readonly Harvested[], commons: Commons): Promise<void>;
  /** By which those are chosen whose leaving is the hardest. */
  standings(present: readonly Agent[]): Promise<ReadonlyMap<Agent, number>>;
  /** Who leaves and who joins in the shock, and the worker behind the milestone that failed its audit. */
  change?(change: Change): Promise<void>;
  /** A milestone is over. */
  ended(end: MilestoneEnd): Promise<void>;
  /** What the contracts record of a round; absent where there are none. */
  readonly account?: () => RoundAccount;
  /** The same of a whole run, when it is over. */
  readonly record?: () => GovernanceFigures;
  close?(): Promise<void>;
}

/** The shock, as an order has to carry it out. */
export interface Change {
  readonly leaving: readonly Agent[];
  readonly joining: readonly Agent[];
  /** Those of them who vote alike. */
  readonly bloc: readonly Agent[];
  readonly blamed: Agent | undefined;
}

/** What became of a milestone. */
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

/** What carrying out one milestone's law was like. */
export interface MissionFigures {
  readonly milestone: number;
  /** Parts of wholes: executors of routed attempts that committed; failed nodes that a later attempt completed (`execution/metrics.ts`). */
  readonly ccr: readonly [part: number, whole: number];
  readonly aru: readonly [part: number, whole: number];
  /** Tasks that an adjudicator was asked about, and those of them that were certified in the end. */
  readonly alerts: readonly [recovered: number, raised: number];
  /** Tokens that the treasury took in and paid out meanwhile, EQ-11's two sides. */
  readonly treasury: readonly [inflow: number, outflow: number];
}

/** What an adjudicator was asked, and what the simulated one said. */
export interface Alert {
  readonly round: number;
  readonly kind: AlertKind;
  /** What is known, for whoever judges it again. */
  readonly facts: string;
  readonly answer: string;
}
export const ALERT_KINDS = ["work", "bloc", "breach"] as const;
export type AlertKind = (typeof ALERT_KINDS)[number];
/** Answers to choose from, by what is asked about. */
export const ALERT_ANSWERS: Readonly<Record<AlertKind, readonly string[]>> = {
  work: ["approve", "reject"],
  bloc: ["freeze", "release"],
  breach: ["nothing", "warning", "slash", "freeze"],
};

/** Of a run. */
export interface GovernanceFigures {
  readonly sessions: readonly SessionFigures[];
  /** Of the foundation after each milestone. */
  readonly confidence: readonly number[];
  /** Each milestone that had a law, in order. */
  readonly missions: readonly MissionFigures[];
  /** Sanctions by kind. */
  readonly sanctions: Readonly<Record<string, number>>;
  /** Transactions and gas since the city was founded, by contract and function. */
  readonly transactions: number;
  readonly gas: Readonly<Record<string, number>>;
  /** In order; runs from before 25 November have none. */
  readonly alerts?: readonly Alert[] | undefined;
  /** One mission by lot, verified from the chain when it had ended; runs from before 25 November have none. */
  readonly audit?: (Audited & { readonly milestone: number }) | undefined;
  /** Tokens the treasury took in and paid out, EQ-11. */
  readonly treasury: { readonly fees: number; readonly slashed: number; readonly premiums: number };
}

/** No rules: first come, everybody certifies its own work, the pool's level is all that is seen. */
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
