/** Producers as executors: they bid, commit, reveal, report, withdraw; carelessly and dishonestly too. */
import { ZeroAddress, ZeroHash } from "ethers";
import { networkHelpers, tokens } from "../../support/city-fixture.ts";
import { BIDDING_WINDOW, NodeState } from "../../support/mission-fixture.ts";
import type { FuzzMission } from "../fuzz-mission.ts";
import { ANY, type NodeMove, tried } from "../move.ts";
import { POOLED, type World } from "../world.ts";
import { bidOnPool } from "./pools.ts";

const { WAITING, ELIGIBLE, EXECUTING, FROZEN } = NodeState;

async function bids(mission: FuzzMission, node: number, world: World): Promise<void> {
  const { random, execution, now } = world;
  if ((await execution.marketOf(mission.address, node)).closesAt <= (await now())) return;
  const { budget, redundancy } = mission.node(node);
  const most = budget / BigInt(redundancy);
  // A market of few principals is often cornered.
  const principals = 1 + random.int(4);
  for (const worker of random.shuffle([0, 1, 2, 3, 4, 5, 6, 7])) {
    if (worker % 4 >= principals && random.int(4) > 0) continue;
    const price = worker % 4 === 0 ? most / 3n + 1n : most - BigInt(random.int(1000));
    await tried(() =>
      worker < POOLED && random.int(4) === 0 ? bidOnPool(mission, node, worker, world) : mission.bid(node, worker, price),
    );
    // Some would rather have more than the law gives.
    if (worker % 4 === 1) await tried(() => mission.bid(node, worker, most + 1n));
  }
}

/** Eligible nodes with executors. */
async function startable(mission: FuzzMission): Promise<number[]> {
  const nodes = [...mission.nodes.keys()];
  const states = await Promise.all(nodes.map((node) => mission.stateOf(node)));
  const bound = await Promise.all(nodes.map((node) => mission.contract.slotOf(node, 0)));
  return nodes.filter((node) => states[node] === ELIGIBLE && bound[node]?.agent !== ZeroAddress);
}

export async function withdraw(mission: FuzzMission, node: number, worker: number): Promise<unknown> {
  const { city } = mission;
  const { agent } = mission.worker(worker);
  const nonce = await city.execution.nonceOf(agent.address);
  const auth = { agent: agent.address, deadline: await mission.soon(), signature: "0x" };
  const message = { agent: agent.address, mission: mission.address, node, nonce, deadline: auth.deadline };
  auth.signature = await city.sign("WithdrawBid", city.addresses.EXECUTION, message, agent);
  return city.execution.withdrawBid(mission.address, node, auth);
}

export const EXECUTORS: readonly NodeMove[] = [
  {
    name: "market",
    suits: [WAITING, ELIGIBLE],
    weight: 10,
    act: async (mission, node, world) => {
      await bids(mission, node, world);
      await networkHelpers.time.increase(BIDDING_WINDOW);
      const nodes = mission.nodes.map((_, index) => index);
      if (world.random.int(3) === 0) return world.execution.award(mission.address, [node]);
      for (const one of nodes) await tried(() => world.execution.award(mission.address, [one]));
      return undefined;
    },
  },
  {
    name: "bids for all",
    suits: [WAITING, ELIGIBLE],
    weight: 4,
    act: async (mission, _node, world) => {
      for (const node of mission.nodes.keys()) await bids(mission, node, world);
    },
  },
  {
    name: "bid",
    suits: [WAITING, ELIGIBLE],
    weight: 2,
    act: (mission, node, { random }) => mission.bid(node, random.int(8), tokens(1 + random.int(60))),
  },
  {
    name: "withdraw bid",
    suits: [WAITING, ELIGIBLE],
    weight: 3,
    act: (mission, node, { random }) => withdraw(mission, node, random.int(8)),
  },
  { name: "award", suits: [WAITING, ELIGIBLE], weight: 3, act: (mission, node, { execution }) => execution.award(mission.address, [node]) },
  {
    name: "checkpoint",
    suits: [ELIGIBLE],
    weight: 3,
    act: async (mission, node, { random }) => {
      const ready = await startable(mission);
      const some = random.int(2) === 0 ? ready.filter((one) => one === node) : ready;
      // A runner that forgot what came before, and a sender that sends the same again.
      const wave = await mission.wave(some, random.int(4) === 0 ? { previous: ZeroHash } : {});
      await mission.contract.checkpoint(wave);
      return random.int(3) === 0 ? mission.contract.checkpoint(wave) : undefined;
    },
  },
  {
    name: "commit",
    suits: [EXECUTING],
    weight: 3,
    act: (mission, node, { random }) => mission.commit(node, random.int(mission.node(node).redundancy)),
  },
  {
    name: "commit all but some",
    suits: [EXECUTING],
    weight: 3,
    act: async (mission, node, { random }) => {
      for (const slot of [0, 1, 2]) if (random.int(5) > 0) await tried(() => mission.commit(node, slot));
    },
  },
  { name: "work", suits: [EXECUTING], weight: 10, act: (mission, node) => mission.work(node) },
  {
    name: "reveal",
    suits: [EXECUTING],
    weight: 3,
    act: (mission, node, { random }) => mission.reveal(node, random.int(mission.node(node).redundancy)),
  },
  {
    name: "work on ice",
    suits: [FROZEN],
    weight: 3,
    act: async (mission, node) => {
      for (const slot of [0, 1, 2]) await tried(() => mission.commit(node, slot));
      for (const slot of [0, 1, 2]) await tried(() => mission.reveal(node, slot));
    },
  },
  {
    name: "executor reports",
    suits: [EXECUTING],
    weight: 1,
    act: async (mission, node) => {
      const { agent } = await mission.executorOf(node);
      return mission.contract.connect(agent).report(node, ZeroHash, 1);
    },
  },
  {
    name: "leave",
    suits: ANY,
    weight: 1,
    act: async (mission, _node, { producers, random }) => {
      if (random.int(6) > 0) return undefined;
      const { agent } = mission.worker(7);
      await tried(() => producers.connect(agent).deregister(agent.address));
      return producers.connect(agent).withdrawStake(agent.address);
    },
  },
  {
    name: "take pay",
    suits: ANY,
    weight: 1,
    act: async (mission, _node, { treasury, producers, verifiers, random }) => {
      const worker = random.int(8);
      const agent = random.int(3) === 0 ? random.pick([...verifiers.values()]) : mission.worker(worker).agent;
      return treasury.connect(agent).withdraw(agent.address, await producers.principalOf(agent.address));
    },
  },
  {
    name: "top up",
    suits: ANY,
    weight: 1,
    act: (mission, _node, { producers, stranger, random }) =>
      producers.connect(stranger).topUpStake(random.pick(mission.city.workers).agent.address, BigInt(random.int(1_000_001))),
  },
];
