import { encodeFunctionData } from "viem";
import { z } from "zod";
import { executionProcedureAbi } from "../chain/abi/ExecutionProcedure.ts";
import { producerContractAbi } from "../chain/abi/ProducerContract.ts";
import { intentKey } from "../chain/outbox.ts";
import { sign } from "../client/sign.ts";
import type { CityFacts, ProducerFacts } from "../minds/goal.ts";
import { checkedMind, type Offer, type OpenNode } from "../minds/mind.ts";
import type { Address, Hash } from "../primitives/hex.ts";
import type { NodeView } from "./chain-view.ts";
import type { Mission, World, Worker } from "./world.ts";

/** How long a bid's signature holds, seconds of chain time. */
const BID_VALIDITY = 86_400n;
const CAPABILITIES = 10;
const CAPABILITY_BITS = 16n;

/** What a mission's market needs to know of the constitution, smallest units; stakes by risk. */
export interface MarketTerms {
  readonly stakes: readonly [bigint, bigint, bigint];
  /** Principals that may not bid at all: the sponsor's. */
  readonly barred: readonly Address[];
}

const offersSchema = z.array(z.strictObject({ node: z.int(), service: z.string(), price: z.string() }));

/**
 * Takes every producer's bids for the given nodes, waits until the window closes, awards, and frees the losers' stake
 * (AgentCity Eq. 1; decisions 15, 16). Returns how many bids stood.
 */
export async function runMarket(world: World, mission: Mission, nodes: readonly NodeView[], terms: MarketTerms): Promise<number> {
  if (nodes.length === 0) return 0;
  const producers = await factsOf(world);
  const offers = new Map<Worker, readonly Offer[]>();
  for (const worker of world.workers) offers.set(worker, await offersOf(world, mission, worker, nodes, producers, terms));
  await placeBids(world, mission, nodes, offers);
  await world.chain.clock.sleepUntil(await closingTime(world, mission, nodes));
  await award(world, mission, nodes);
  await withdrawLosers(world, mission, nodes);
  return [...offers.values()].reduce((sum, list) => sum + list.length, 0);
}

/** Producers as the chain shows them: what a mind may rest its decisions on. */
export async function factsOf(world: World): Promise<readonly ProducerFacts[]> {
  const contract = { address: world.addresses.ProducerContract, abi: producerContractAbi } as const;
  return Promise.all(
    world.workers.map(async ({ account: { address: agent }, principal }) => {
      const [reputation, packed] = await Promise.all([
        world.chain.publicClient.readContract({ ...contract, functionName: "reputationOf", args: [agent] }),
        world.chain.publicClient.readContract({ ...contract, functionName: "capabilitiesOf", args: [agent] }),
      ]);
      const capabilities = Array.from({ length: CAPABILITIES }, (_, dimension) => Number((packed >> (CAPABILITY_BITS * BigInt(dimension))) & 0xffffn));
      return { agent, principal, reputation: Number(reputation), capabilities };
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
): Promise<readonly Offer[]> {
  const agent = worker.account.address;
  const sold = world.services.filter(({ owner }) => owner === agent).map(({ name }) => name);
  const open = nodes.map((view): OpenNode => openNode(view, sold, terms)).filter(({ services }) => services.length > 0);
  const key = ["offers", mission.address, ...nodes.flatMap(({ law, attempt }) => [law.number, attempt]), agent];
  const stored = await world.remember(key, offersSchema, async () => {
    if (open.length === 0 || terms.barred.includes(worker.principal)) return [];
    const freeStake = await freeStakeOf(world, agent);
    const offers = await checkedMind(worker.mind).bid({ self: agent, nodes: open, producers, freeStake });
    return offers.map(({ node, service, price }) => ({ node, service, price: price.toString() }));
  });
  return stored.map(({ price, ...offer }) => ({ ...offer, price: BigInt(price) }));
}

function openNode({ law }: NodeView, sold: readonly string[], terms: MarketTerms): OpenNode {
  const risk = law.risk === "LOW" ? 0 : law.risk === "MEDIUM" ? 1 : 2;
  return {
    node: law.number,
    tier: law.tier,
    redundancy: law.redundancy,
    risk: law.risk,
    slotBudget: BigInt(law.budget) / BigInt(law.redundancy),
    stake: terms.stakes[risk],
    services: law.services.filter((name) => sold.includes(name)),
    capabilities: law.capabilities,
    barred: terms.barred,
  };
}

/** One bid per agent in a block: its next nonce is known only then. */
async function placeBids(world: World, mission: Mission, nodes: readonly NodeView[], offers: ReadonlyMap<Worker, readonly Offer[]>): Promise<void> {
  const rounds = Math.max(0, ...[...offers.values()].map((list) => list.length));
  for (let round = 0; round < rounds; round += 1) {
    const intents = [];
    for (const [worker, list] of offers) {
      const offer = list[round];
      const view = nodes.find(({ law }) => law.number === offer?.node);
      if (offer === undefined || view === undefined) continue;
      intents.push({
        intent: intentKey("bid", mission.address, offer.node, view.attempt, worker.account.address),
        to: world.addresses.ExecutionProcedure,
        data: await bidCall(world, mission, worker, offer),
        what: `bid of ${worker.name} for ${view.law.label}`,
      });
    }
    await world.sender.sendMany(intents);
  }
}

async function bidCall(world: World, mission: Mission, worker: Worker, { node, service: name, price }: Offer): Promise<Hash> {
  const agent = worker.account.address;
  const service = world.services.find((candidate) => candidate.owner === agent && candidate.name === name);
  if (service === undefined) throw new RangeError(`${worker.name} does not sell ${name}`);
  const offer = { mission: mission.address, node, service: service.id, price };
  const deadline = Number(world.chain.clock.now() + BID_VALIDITY);
  const nonce = await world.chain.publicClient.readContract({
    address: world.addresses.ExecutionProcedure,
    abi: executionProcedureAbi,
    functionName: "nonceOf",
    args: [agent],
  });
  const signature = await sign(world.chain.id, worker.account, "Bid", world.addresses.ExecutionProcedure, { agent, ...offer, nonce, deadline });
  return encodeFunctionData({ abi: executionProcedureAbi, functionName: "bid", args: [offer, { agent, deadline, signature }] });
}

async function closingTime(world: World, mission: Mission, nodes: readonly NodeView[]): Promise<bigint> {
  const times = await Promise.all(
    nodes.map(({ law }) =>
      world.chain.publicClient.readContract({
        address: world.addresses.ExecutionProcedure,
        abi: executionProcedureAbi,
        functionName: "marketOf",
        args: [mission.address, law.number],
      }),
    ),
  );
  return times.reduce((latest, { closesAt }) => (BigInt(closesAt) > latest ? BigInt(closesAt) : latest), 0n) + 1n;
}

async function award(world: World, mission: Mission, nodes: readonly NodeView[]): Promise<void> {
  await world.sender.send({
    intent: intentKey("award", mission.address, ...nodes.flatMap(({ law, attempt }) => [law.number, attempt])),
    to: world.addresses.ExecutionProcedure,
    data: encodeFunctionData({
      abi: executionProcedureAbi,
      functionName: "award",
      args: [mission.address, nodes.map(({ law }) => law.number)],
    }),
    what: "award",
  });
}

/** Bids that won nothing are withdrawn at once, so that their stake can back other bids. */
async function withdrawLosers(world: World, mission: Mission, nodes: readonly NodeView[]): Promise<void> {
  const intents = [];
  for (const { law, attempt } of nodes) {
    const bids = await world.chain.publicClient.readContract({
      address: world.addresses.ExecutionProcedure,
      abi: executionProcedureAbi,
      functionName: "bidsOf",
      args: [mission.address, law.number],
    });
    for (const { agent, awarded } of bids) {
      if (awarded) continue;
      intents.push({
        intent: intentKey("withdraw-bid", mission.address, law.number, attempt, agent),
        to: world.addresses.ExecutionProcedure,
        data: encodeFunctionData({
          abi: executionProcedureAbi,
          functionName: "withdrawBid",
          args: [mission.address, law.number, { agent, deadline: 0, signature: "0x" }],
        }),
        what: `withdraw a bid for ${law.label}`,
      });
    }
  }
  await world.sender.sendMany(intents);
}

async function freeStakeOf(world: World, agent: Address): Promise<bigint> {
  const { held, locked } = await world.chain.publicClient.readContract({
    address: world.addresses.ProducerContract,
    abi: producerContractAbi,
    functionName: "stakeOf",
    args: [agent],
  });
  return held - locked;
}
