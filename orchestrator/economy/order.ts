/** What orders an economy: what agents can believe, who gets a task, when work counts. */
import type { RandomStream } from "../primitives/random.ts";
import type { Agent } from "./agents.ts";
import type { Effort, HarvestChoice, Prospect } from "./behaviour.ts";
import { chooseWork } from "./behaviour.ts";
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
  /** Before anything else in a round. */
  talk(commons: Commons): void;
  prospect(agent: Agent): Prospect;
  /** Units that the order's norm allows, from the sustainable quota. */
  norm(quota: number): number;
  assign(tasks: readonly Task[], commons: Commons, say: Say): Assignment[];
  /** Whether handed-in work counts at once. */
  readonly certifiesAtOnce: boolean;
  /** Looks at work of the round before; true if it may count. `busy` is told who looked. */
  review(task: Task, commons: Commons, busy: (agent: Agent) => void): boolean;
  /** What is remembered of a round's harvests. */
  remember(harvested: readonly Harvested[], commons: Commons): void;
  /** By which those are chosen whose leaving is the hardest. */
  standing(agent: Agent): number;
}

/** No rules: first come, everybody certifies its own work, the pool's level is all that is seen. */
export class Baseline implements Order {
  readonly certifiesAtOnce = true;
  #belief = 1;

  talk(): void {}

  prospect(): Prospect {
    return { belief: this.#belief, sanction: 0, found: 0 };
  }

  norm(quota: number): number {
    return quota;
  }

  assign(tasks: readonly Task[], commons: Commons, say: Say): Assignment[] {
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

  review(): boolean {
    return true;
  }

  remember(harvested: readonly Harvested[], { quota }: Commons): void {
    const asked = harvested.reduce((sum, { choice }) => sum + choice.amount, 0);
    this.#belief = asked === 0 ? 1 : Math.min(1, (harvested.length * quota) / asked);
  }

  standing({ soundWork }: Agent): number {
    return soundWork;
  }
}
