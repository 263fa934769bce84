import { z } from "zod";
import { TransactionReverted } from "../chain/errors.ts";
import { intentKey } from "../chain/outbox.ts";
import type { Intent } from "../chain/sender.ts";
import type { LogNote } from "../client/base.ts";
import { writeEach } from "../client/write.ts";
import { SeatAbsent } from "../minds/absence.ts";
import { MindAnswerInvalid } from "../minds/errors.ts";
import { type CityFacts, type ProducerFacts, riskNumber } from "../minds/goal.ts";
import { type BidRequest, checkedMind, type Offer, type OpenNode, type PayTerms } from "../minds/mind.ts";
import type { Address } from "../primitives/hex.ts";
import { parameterIndex } from "../protocol/parameters.ts";
import { admittedAmong } from "./admitted.ts";
import { Backing } from "./backing.ts";
import { batched } from "./batches.ts";
import { placeBids } from "./bids.ts";
import type { NodeView } from "./chain-view.ts";
import { eligibleWorkers } from "./left-out.ts";
import type { Worker } from "./seat.ts";
import { ServiceChanged } from "./work.ts";
import type { Mission, RegisteredService, World } from "./world.ts";

const CAPABILITIES = 10;
const CAPABILITY_BITS = 16n;

/** Parameters of the constitution for a mission's market, smallest units; stakes by risk. */
export interface MarketTerms {
  readonly stakes: readonly [bigint, bigint, bigint];
  readonly pay: PayTerms;
  /** Principals that may not bid at all, such as the sponsor's. */
  readonly barred: readonly Address[];
}

const offersSchema = z.array(z.strictObject({ node: z.int(), service: z.string(), price: z.string() }));

/**
 * Collects every producer's bids for the given nodes, waits for the window to close, awards, and releases the losers' stake (AgentCity Eq.
 * 1; decisions 15, 16).
 */
export async function runMarket(world: World, mission: Mission, nodes: readonly NodeView[], terms: MarketTerms): Promise<void> {
  if (nodes.length === 0) return;
  for (const { law } of nodes) if (admittedAmong(law, world.services).length === 0) throw new ServiceChanged(law.label, law.services);
  // One mission's market at a time: a bid depends on its agent's free stake, and its signature on the agent's last nonce.
  await world.bidding.run(async () => {
    // After an interruption some windows may be over, or open for the second time: minds are not asked about those again.
    const now = world.client.chain.clock.now();
    const markets = await marketsOf(world, mission, nodes);
    const fresh = markets.filter(({ closesAt, isSecond }) => BigInt(closesAt) > now && !isSecond).map(({ view }) => view);
    if (fresh.length === 0) return;
    const workers = await eligibleWorkers(world, mission, fresh, terms.stakes[0]);
    const producers = await factsOf(world, workers);
    const offers = new Map<Worker, readonly Offer[]>();
    const backing = new Backing(world, mission);
    // What a pool can still back depends on the offers before; all others are asked together.
    const own = workers.filter(({ manager }) => manager === undefined);
    const asked = await Promise.all(own.map((worker) => offersOf(world, mission, worker, fresh, producers, terms, backing)));
    for (const worker of workers)
      offers.set(worker, asked[own.indexOf(worker)] ?? (await offersOf(world, mission, worker, fresh, producers, terms, backing)));
    await backing.grant();
    const absent = new Set<Worker>();
    const bidders = await placeBids(world, mission, fresh, offers, absent);
    await askAgain({ world, mission, terms, backing, absent }, fresh, producers, offers, bidders);
  });
  // A node with too few or unfair bids stays open for one more window; then it is awarded or its attempt ends.
  let open = (await marketsOf(world, mission, nodes)).filter(({ closesAt }) => closesAt > 0);
  while (open.length > 0) {
    const closesAt = BigInt(Math.max(...open.map((market) => market.closesAt))) + 1n;
    await world.client.chain.clock.sleepUntil(closesAt);
    const closed = open.map(({ view }) => view);
    // One after the other: the chain awards a mission's first market in the order of its nodes.
    for (const batch of batched(world, closed)) await award(world, mission, batch, closesAt);
    const now = world.client.chain.clock.now();
    open = (await marketsOf(world, mission, closed)).filter((market) => BigInt(market.closesAt) > now);
  }
  await withdrawLosers(world, mission, nodes);
}

/** The shared part of all requests in one market. */
interface Asking {
  readonly world: World;
  readonly mission: Mission;
  readonly terms: MarketTerms;
  readonly backing: Backing;
  readonly absent: Set<Worker>;
}

/**
 * A mind may leave a node to others that never answer, or whose bids the chain refuses; any registered agent could thereby keep every node
 * without bids. For a node with too few bids the remaining agents are asked again, one by one, as if only the agents with standing bids
 * existed.
 */
async function askAgain(
  { world, mission, terms, backing, absent }: Asking,
  nodes: readonly NodeView[],
  producers: readonly ProducerFacts[],
  offers: ReadonlyMap<Worker, readonly Offer[]>,
  bidders: ReadonlyMap<number, readonly Worker[]>,
): Promise<void> {
  // Those that bid for something else come first: they are present.
  const others = [...offers].sort(([, a], [, b]) => b.length - a.length);
  for (const view of nodes) {
    const { number, redundancy } = view.law;
    const present = [...(bidders.get(number) ?? [])];
    for (const [worker, before] of others) {
      const principals = new Set(present.map(({ principal }) => principal));
      if (principals.size >= redundancy) break;
      if (absent.has(worker) || principals.has(worker.principal) || before.some(({ node }) => node === number)) continue;
      const known = producers.filter(({ agent }) => [...present, worker].some(({ account }) => account.address === agent));
      const more = await offersOf(world, mission, worker, [view], known, terms, backing, "offers-again");
      await backing.grant();
      present.push(...((await placeBids(world, mission, [view], new Map([[worker, more]]), absent)).get(number) ?? []));
    }
  }
}

/** Producers' on-chain facts, on which a mind may base decisions. */
async function factsOf(world: World, workers: readonly Worker[]): Promise<readonly ProducerFacts[]> {
  const { agents } = world.client;
  return Promise.all(
    workers.map(async ({ account: { address: agent }, principal }) => {
      // A current bid's score; excluded agents are left out.
      const { reputation, capabilities: packed } = await agents.bidderOf(agent);
      const capabilities = Array.from({ length: CAPABILITIES }, (_, dimension) =>
        Number((packed >> (CAPABILITY_BITS * BigInt(dimension))) & 0xffffn),
      );
      return { agent, principal, reputation, capabilities };
    }),
  );
}

async function offersOf(
  world: World,
  mission: Mission,
  worker: Worker,
  nodes: readonly NodeView[],
  producers: CityFacts["producers"],
  terms: MarketTerms,
  backing: Backing,
  step = "offers",
): Promise<readonly Offer[]> {
  const agent = worker.account.address;
  const sold = world.services.filter(({ owner }) => owner === agent);
  const open = await Promise.all(nodes.map(async (view) => openNode(view, sold, terms, await culprits(world, mission, view))));
  const key = [step, mission.address, ...nodes.flatMap(({ law, attempt }) => [law.number, attempt]), agent];
  const pool = await backing.poolFor(worker, nodes, terms.stakes);
  const stored = await world.remember(key, offersSchema, async () => {
    const freeStake = pool === undefined ? await freeStakeOf(world, agent) : await backing.freeOf(pool);
    const offers = await bidsOrNone(worker, { self: agent, mission: mission.address, nodes: open, producers, freeStake, pay: terms.pay });
    return offers.map(({ node, service, price }) => ({ node, service, price: price.toString() }));
  });
  if (pool !== undefined) {
    for (const { node } of stored) {
      const view = nodes.find(({ law }) => law.number === node);
      if (view !== undefined) backing.promise({ pool, worker, view }, terms.stakes[riskNumber(view.law.risk)]);
    }
  }
  return stored.map(({ price, ...offer }) => ({ ...offer, price: BigInt(price) }));
}

/** A mind without a valid answer makes no bid, and neither does an empty seat. */
async function bidsOrNone({ mind }: Worker, request: BidRequest): Promise<readonly Offer[]> {
  try {
    return await checkedMind(mind).bid(request);
  } catch (error) {
    if (error instanceof MindAnswerInvalid || error instanceof SeatAbsent) return [];
    throw error;
  }
}

/** Principals at fault for an earlier attempt, which may not bid again (decision 59). */
async function culprits(world: World, mission: Mission, { law, attempt }: NodeView): Promise<readonly Address[]> {
  if (attempt === 0) return [];
  const { client } = world;
  const bound = await client.mission(mission.address).history("ExecutorBound", { node: law.number });
  const former = world.workers.filter(({ account }) => bound.some(({ args }) => args.agent === account.address));
  const barred = await Promise.all(former.map(({ principal }) => client.execution.isBarred(mission.address, law.number, principal)));
  return former.flatMap(({ principal }, place) => (barred[place] === true ? [principal] : []));
}

function openNode({ law }: NodeView, sold: readonly RegisteredService[], terms: MarketTerms, former: readonly Address[]): OpenNode {
  return {
    node: law.number,
    tier: law.tier,
    redundancy: law.redundancy,
    risk: law.risk,
    slotBudget: BigInt(law.budget) / BigInt(law.redundancy),
    stake: terms.stakes[riskNumber(law.risk)],
    services: admittedAmong(law, sold).map(({ name }) => name),
    capabilities: law.capabilities,
    barred: [...terms.barred, ...former],
  };
}

interface NodeMarket {
  readonly view: NodeView;
  /** Unix seconds; 0 if decided without an award. */
  readonly closesAt: number;
  /** The first window brought too few or unfair bids. */
  readonly isSecond: boolean;
}

function marketsOf({ client }: World, mission: Mission, nodes: readonly NodeView[]): Promise<readonly NodeMarket[]> {
  return Promise.all(
    nodes.map(async (view): Promise<NodeMarket> => {
      const { closesAt, reopened } = await client.execution.marketOf(mission.address, view.law.number);
      return { view, closesAt, isSecond: reopened };
    }),
  );
}

/** Anybody may award; what others have awarded meanwhile, or opened for another window, is left out. */
async function award(world: World, mission: Mission, nodes: readonly NodeView[], closesAt: bigint): Promise<void> {
  const { execution } = world.client;
  try {
    await execution.award([mission.address, nodes.map(({ law }) => law.number)], {
      intent: intentKey("award", mission.address, closesAt, ...nodes.flatMap(({ law, attempt }) => [law.number, attempt])),
    });
  } catch (error) {
    if (!(error instanceof TransactionReverted)) throw error;
    const markets = (await marketsOf(world, mission, nodes)).filter((market) => BigInt(market.closesAt) === closesAt);
    const bids = await Promise.all(markets.map(({ view }) => execution.bidsOf(mission.address, view.law.number)));
    const left = markets.map(({ view }) => view).filter((_, place) => bids[place]?.some(({ awarded }) => awarded) === false);
    if (left.length === nodes.length) throw error;
    if (left.length > 0) await award(world, mission, left, closesAt);
  }
}

/** Withdraws losing bids at once, so that their stake can back others. Withdrawals before an interruption are not repeated. */
export async function withdrawLosers(world: World, mission: Mission, nodes: readonly NodeView[]): Promise<void> {
  const { execution } = world.client;
  const withdrawals: { readonly intent: Intent<LogNote> }[] = [];
  for (const { law } of nodes) {
    // The market's attempt: a node may meanwhile have another executor without one.
    const { attempt } = await execution.marketOf(mission.address, law.number);
    for (const { agent, awarded } of await execution.bidsOf(mission.address, law.number)) {
      if (awarded) continue;
      const intent = intentKey("withdraw-bid", mission.address, law.number, attempt, agent);
      const args = [mission.address, law.number, { agent, deadline: 0, signature: "0x" }] as const;
      withdrawals.push({ intent: execution.call.withdrawBid(args, { intent }) });
    }
  }
  // Anybody may withdraw them; what is refused is withdrawn, or stays for a later attempt.
  await writeEach(world.client, withdrawals, () => {});
}

/** Stake that an agent can put behind bids, as opposed to its registration stake. */
async function freeStakeOf({ client }: World, agent: Address): Promise<bigint> {
  const { held, locked } = await client.agents.stakeOf(agent);
  const reserved = locked + (await client.constitution.paramInUnits(parameterIndex("REGISTRATION_STAKE")));
  return held > reserved ? held - reserved : 0n;
}
