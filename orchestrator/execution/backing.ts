import { z } from "zod";
import { TransactionReverted } from "../chain/errors.ts";
import { intentKey } from "../chain/outbox.ts";
import { riskNumber } from "../minds/goal.ts";
import { parameterIndex } from "../protocol/parameters.ts";
import type { NodeView } from "./chain-view.ts";
import type { MarketTerms } from "./market.ts";
import type { Worker } from "./seat.ts";
import type { Mission, World } from "./world.ts";

/** A bid to be backed by a pool. */
interface Cover {
  readonly pool: bigint;
  readonly worker: Worker;
  readonly view: NodeView;
}

/**
 * Stake behind the bids of one market (AgentCity B.7). A manager lets its pool back its participants' bids as long as it can and its funds
 * last; otherwise they bid with their own stake. All of a participant's bids in one market rest on the same stake.
 */
export class Backing {
  readonly #world: World;
  readonly #mission: Mission;
  #covers: Cover[] = [];
  /** By pool, stake for bids of this market that are not granted yet, smallest unit. */
  readonly #promised = new Map<bigint, bigint>();

  constructor(world: World, mission: Mission) {
    this.#world = world;
    this.#mission = mission;
  }

  /** The pool that backs a worker's bids on these nodes; undefined if its own stake does. Decided once. */
  async poolFor(worker: Worker, nodes: readonly NodeView[], stakes: MarketTerms["stakes"]): Promise<bigint | undefined> {
    if (worker.manager === undefined) return undefined;
    const places = nodes.flatMap(({ law, attempt }) => [law.number, attempt]);
    const key = ["backing", this.#mission.address, ...places, worker.account.address];
    const { pool } = await this.#world.remember(key, z.strictObject({ pool: z.string().nullable() }), async () => {
      const ready = await this.#readyPool(
        worker,
        nodes.map(({ law }) => stakes[riskNumber(law.risk)]),
      );
      if (ready === undefined) this.#world.progress(`${worker.name} bids with its own stake: its pool cannot back bids at the moment`);
      return { pool: ready?.toString() ?? null };
    });
    return pool === null ? undefined : BigInt(pool);
  }

  /** Stake that a pool can still provide, smallest unit. */
  async freeOf(pool: bigint): Promise<bigint> {
    const { total, committed } = await this.#world.client.pools.poolOf(pool);
    return total - committed - (this.#promised.get(pool) ?? 0n);
  }

  /** Reserves a pool's stake for a worker's bid on a node. */
  promise(cover: Cover, stake: bigint): void {
    this.#covers.push(cover);
    this.#promised.set(cover.pool, (this.#promised.get(cover.pool) ?? 0n) + stake);
  }

  /**
   * Grants the pools' backing on chain, right before the bids are placed, which lock it. If a pool can no longer back a bid, that bid is
   * refused.
   */
  async grant(): Promise<void> {
    const { pools } = this.#world.client;
    const covers = this.#covers;
    this.#covers = [];
    this.#promised.clear();
    for (const { pool, worker, view } of covers) {
      const agent = worker.account.address;
      const bid = [this.#mission.address, view.law.number, agent] as const;
      const options = {
        intent: intentKey("cover", this.#mission.address, view.law.number, view.attempt, agent),
        account: worker.manager,
        alreadyDone: async () => (await pools.coverOf(...bid))[0] === pool,
      };
      await this.#unlessRefused(worker, view, () => pools.cover([pool, ...bid], options));
    }
  }

  /** A pool or its participants may withdraw until a bid is placed: the bid then rests on the agent's own stake, or is refused. */
  async #unlessRefused(worker: Worker, { law }: NodeView, send: () => Promise<unknown>): Promise<void> {
    try {
      await send();
    } catch (error) {
      if (!(error instanceof TransactionReverted)) throw error;
      this.#world.progress(`${law.label}: no stake pool backs the bid of ${worker.name} (${error.message})`);
    }
  }

  /** The pool of the worker's manager that can currently back one of these stakes, with the worker as participant. */
  async #readyPool({ account, manager }: Worker, stakes: readonly bigint[]): Promise<bigint | undefined> {
    const { pools, constitution } = this.#world.client;
    if (manager === undefined) return undefined;
    const minimum = await constitution.param(parameterIndex("STAKE_POOL_MIN_PARTICIPANTS"));
    for (const { args } of await pools.history("PoolOpened", { manager: manager.address })) {
      const participants = await pools.participantsOf(args.pool);
      const isIn = participants.some(({ agent }) => agent === account.address);
      const isReady = BigInt(participants.length) >= minimum && !participants.some(({ leaving }) => leaving);
      const free = await this.freeOf(args.pool);
      if (isIn && isReady && stakes.some((stake) => stake <= free)) return args.pool;
    }
    return undefined;
  }
}
