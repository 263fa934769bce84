/** What nobody may do: writes of governance and of other branches (18, 19), signatures again or from elsewhere (24). */
import { type BaseContract, id, type Signer, type Wallet, ZeroAddress, ZeroHash } from "ethers";
import { typedDataTypes } from "../../../orchestrator/protocol/typed-data.ts";
import { packRanking } from "../../../orchestrator/rules/condorcet.ts";
import { type InstitutionName, Office } from "../../support/city-fixture.ts";
import { seatWord } from "../../support/judges.ts";
import { Action } from "../../support/mission-fixture.ts";
import { outcomeOf, penaltyOf } from "../../support/outcomes.ts";
import type { Chronicle, Sent } from "../chronicle.ts";
import type { FuzzMission } from "../fuzz-mission.ts";
import { type CityMove, tried } from "../move.ts";
import type { World } from "../world.ts";
import { withdraw } from "./executors.ts";

/** A write with arguments that would be good from its owners. */
interface Write {
  readonly on: (world: World, mission: FuzzMission) => BaseContract;
  readonly name: string;
  readonly owners: readonly (InstitutionName | "MISSION")[];
  readonly args: (world: World, mission: FuzzMission) => unknown[] | Promise<unknown[]>;
}

const GOVERNOR: Write["owners"] = ["ADJUDICATION"];
const someone = ({ random, stranger, voters }: World): string => random.pick([stranger, ...voters]).address;
const agent = ({ random, voters, verifying }: World): string => random.pick([...voters, ...verifying]).address;

const WRITES: readonly Write[] = [
  { on: (w) => w.constitution, name: "setParam", owners: GOVERNOR, args: () => [17, 601, ZeroHash] },
  { on: (w) => w.clerks, name: "appoint", owners: GOVERNOR, args: (w) => [w.random.int(4), w.stranger.address, someone(w)] },
  { on: (w) => w.clerks, name: "revoke", owners: GOVERNOR, args: (w) => [Office.SPEAKER, w.offices.SPEAKER[0]?.address] },
  { on: (w) => w.clerks, name: "setEnvelope", owners: GOVERNOR, args: (w) => [w.random.int(4), ["0x12345678"], 9] },
  {
    on: (w) => w.clerks,
    name: "consume",
    owners: ["LEGISLATION", "EXECUTION", "ADJUDICATION"],
    args: (w) => [Office.SPEAKER, w.offices.SPEAKER[0]?.address, w.legislation.interface.getFunction("approve").selector, 1],
  },
  {
    on: (w) => w.management,
    name: "setMandate",
    owners: GOVERNOR,
    args: () => [Office.CODIFIER, id("op"), id("service"), false, ZeroHash],
  },
  {
    on: (w) => w.producers,
    name: "enroll",
    owners: ["CLERKS", "ROSTER"],
    args: (w) => [w.stranger.address, someone(w), 2 + w.random.int(2)],
  },
  { on: (w) => w.producers, name: "lock", owners: ["EXECUTION"], args: (w) => [agent(w), 1] },
  {
    on: (w) => w.producers,
    name: "settle",
    owners: ["EXECUTION"],
    args: (w) => [outcomeOf(agent(w), { release: 1n, scored: true }), w.random.int(2), w.stranger.address],
  },
  { on: (w) => w.producers, name: "accuse", owners: ["EXECUTION"], args: (w) => [agent(w)] },
  { on: (w) => w.producers, name: "discharge", owners: ["EXECUTION"], args: (w) => [agent(w)] },
  { on: (w) => w.producers, name: "settleAll", owners: ["EXECUTION"], args: (w) => [[[agent(w), 1, true, 10_000, ZeroHash]], [agent(w)]] },
  { on: (w) => w.producers, name: "adjustReputation", owners: GOVERNOR, args: (w) => [agent(w), 5, ZeroHash] },
  { on: (w) => w.producers, name: "ban", owners: GOVERNOR, args: (w) => [w.voters[7]?.address, ZeroHash] },
  { on: (w) => w.producers, name: "freezePrincipal", owners: GOVERNOR, args: (w) => [someone(w), true] },
  { on: (w) => w.producers, name: "freezeAgent", owners: GOVERNOR, args: (w) => [someone(w), true] },
  { on: (w) => w.producers, name: "lapse", owners: ["LEGISLATION"], args: (w) => [w.voters[7]?.address] },
  { on: (w) => w.evidence, name: "registerIssuer", owners: GOVERNOR, args: (w) => [w.stranger.address, someone(w), 16] },
  { on: (w) => w.evidence, name: "registerVerifier", owners: GOVERNOR, args: (w) => [w.random.pick(w.verifying).address, 100] },
  { on: (w) => w.evidence, name: "registerRunner", owners: GOVERNOR, args: (w) => [w.stranger.address, someone(w)] },
  { on: (w) => w.evidence, name: "registerMonitor", owners: GOVERNOR, args: (w) => [w.stranger.address, someone(w)] },
  { on: (w) => w.evidence, name: "revoke", owners: GOVERNOR, args: (w, m) => [w.random.pick([m.city.runner, m.city.monitor]).address] },
  { on: (w) => w.templates, name: "publish", owners: GOVERNOR, args: (_w, m) => [id("evil"), m.city.implementation, ZeroHash] },
  {
    on: (w) => w.templates,
    name: "deploy",
    owners: ["LEGISLATION"],
    args: async (w, m) => [await w.legislation.template(), 1, `${await m.contract.law()}${"00".repeat(128)}`, 9],
  },
  { on: (w) => w.execution, name: "openMarket", owners: ["LEGISLATION"], args: (_w, m) => [m.address, ZeroAddress] },
  { on: (w) => w.execution, name: "reopenMarket", owners: ["MISSION"], args: () => [0, 1, []] },
  { on: (w) => w.execution, name: "approvePredicate", owners: GOVERNOR, args: (w) => [2, w.oracle] },
  { on: (w) => w.execution, name: "settleSlot", owners: ["MISSION"], args: (w) => [penaltyOf(agent(w))] },
  { on: (w) => w.execution, name: "accuse", owners: ["MISSION"], args: (w) => [0, [agent(w)]] },
  { on: (w) => w.execution, name: "settleVerifier", owners: ["MISSION"], args: (w) => [w.random.pick(w.verifying).address, 1, ZeroHash] },
  { on: (w) => w.execution, name: "settleSlots", owners: ["MISSION"], args: (w) => [[[0, agent(w), 10_000, ZeroHash]]] },
  {
    on: (w) => w.execution,
    name: "recordVerifiers",
    owners: ["MISSION"],
    args: (w) => [[seatWord(w.random.pick(w.verifying).address, 1n)]],
  },
  { on: (w) => w.legislation, name: "approveCodification", owners: GOVERNOR, args: audited },
  { on: (w) => w.roster, name: "seat", owners: GOVERNOR, args: (w) => [w.stranger.address, someone(w)] },
  {
    on: (w) => w.treasury,
    name: "settle",
    owners: ["MISSION"],
    args: (w) => [[BigInt(w.stranger.address) | (1n << 160n)], 0, 0, ZeroHash],
  },
  { on: (_w, m) => m.contract, name: "bind", owners: ["EXECUTION"], args: (w, m) => [0, 0, agent(w), m.worker(0).service, 1] },
  { on: (_w, m) => m.contract, name: "activate", owners: ["LEGISLATION"], args: () => [] },
  {
    on: (_w, m) => m.contract,
    name: "onOverride",
    owners: ["ADJUDICATION"],
    args: (w, m) => [
      w.random.pick([Action.FREEZE, Action.UNFREEZE, Action.REJECT_POP]),
      w.random.int(m.nodes.length),
      m.address,
      "0x",
      ZeroHash,
    ],
  },
];

/** The youngest session and its winner's spec. */
async function audited({ legislation }: World): Promise<unknown[]> {
  const session = await legislation.sessionCount();
  const { winner } = await legislation.sessionOf(session);
  return [session, (await legislation.candidateOf(session, winner)).specHash];
}

const BRANCHES = ["LEGISLATION", "EXECUTION", "ADJUDICATION"] as const;

async function trespass(world: World, invariant: number, write: Write, mission: FuzzMission, by: Signer, name: string): Promise<void> {
  const args = await write.args(world, mission);
  const taken = await tried(() => write.on(world, mission).connect(by).getFunction(write.name)(...args));
  world.trial(invariant, !taken, () => `${write.name} was taken from ${name}`);
}

/** What a signature orders; verdicts, evidence and live hashes are statements about one attempt of one node, and may be shown again. */
const ORDERS = new Set([
  "bid",
  "withdrawBid",
  "castBallots",
  "commit",
  "commitOpen",
  "act",
  "approve",
  "awardEarly",
  "anchor",
  "register",
  "propose",
  "sponsor",
  "petition",
  "strawPoll",
  "reintroduce",
]);

/** Of what happened: orders that the deployer relayed, as everybody's relayer. */
export function ordersIn(past: readonly Sent[], chronicle: Chronicle, { deployer }: World): readonly Sent[] {
  return past.filter((tx) => tx.from === deployer.address && ORDERS.has(chronicle.callOf(tx)?.name ?? ""));
}

/** Somebody else brings an order that was taken. */
export async function showAgain(world: World, chronicle: Chronicle, { to, data }: Sent): Promise<void> {
  const call = chronicle.callOf({ to, data });
  if (await isOpen(world, call)) return;
  const taken = call?.name === "castBallots" ? await isCastAlone(world, call) : await tried(() => world.stranger.call({ to, data }));
  world.trial(24, !taken, () => `${call?.name} was taken twice`);
}

/** A batch passes over those who have voted, so each ballot is shown alone. */
async function isCastAlone({ legislation, stranger }: World, call: NonNullable<ReturnType<Chronicle["callOf"]>>): Promise<boolean> {
  const [session, ballots] = call.args;
  for (const { agent, ranking, deadline, signature } of ballots) {
    const alone = [{ agent, ranking, deadline, signature }];
    if (await tried(() => legislation.connect(stranger).castBallots.staticCall(session, alone))) return true;
  }
  return false;
}

/** What a stranger may do without any signature is no order: to release a bid that can no longer win. */
async function isOpen({ execution, stranger }: World, call: ReturnType<Chronicle["callOf"]>): Promise<boolean> {
  if (call?.name !== "withdrawBid") return false;
  const [mission, node, auth] = call.args;
  const unsigned = { agent: auth.agent, deadline: auth.deadline, signature: "0x" };
  return tried(() => execution.connect(stranger).withdrawBid.staticCall(mission, node, unsigned));
}

const message = async (mission: FuzzMission, node: number, bidder: Wallet, { execution }: World) => {
  const { budget, redundancy } = mission.node(node);
  const offer = { mission: mission.address, node, service: mission.workerOf(bidder.address).service, price: budget / BigInt(redundancy) };
  return { offer, nonce: await execution.nonceOf(bidder.address), deadline: await mission.soon() };
};

export const attackers = (chronicle: Chronicle, past: readonly Sent[]): readonly CityMove[] => [
  {
    name: "write as nobody in particular",
    weight: 12,
    act: async (world) => {
      const { random, voters, verifying, offices, sponsor, stranger, missions } = world;
      const mission = random.pick(missions);
      const { runner, monitor, issuer } = mission.city;
      const ordinary = [...voters, ...verifying, ...Object.values(offices).flat(), sponsor, stranger, runner, monitor, issuer];
      for (const write of random.shuffle(WRITES).slice(0, 8)) {
        const by = random.pick(ordinary);
        await trespass(world, 18, write, mission, by, by.address);
      }
    },
  },
  {
    name: "write as another branch",
    weight: 8,
    act: async (world) => {
      const branch = world.random.pick(BRANCHES);
      const by = await world.as(branch);
      const others = WRITES.filter(({ owners }) => !owners.includes(branch));
      for (const write of world.random.shuffle(others).slice(0, 8)) {
        await trespass(world, 19, write, world.random.pick(world.missions), by, branch);
      }
    },
  },
  {
    name: "show signatures again",
    weight: 10,
    act: async (world) => {
      const { random } = world;
      const orders = ordersIn(past, chronicle, world);
      const chosen = [...random.shuffle(orders).slice(0, 6), ...random.shuffle(orders.slice(-12)).slice(0, 6)];
      for (const order of chosen) await showAgain(world, chronicle, order);
    },
  },
  {
    name: "sign for another chain or contract",
    weight: 4,
    act: async (world) => {
      const { random, execution, addresses, missions } = world;
      const mission = random.pick(missions);
      const node = random.int(mission.nodes.length);
      const { agent: bidder, record } = random.pick(mission.city.workers);
      const { offer, nonce, deadline } = await message(mission, node, bidder, world);
      const elsewhere = random.pick([
        { chainId: 1n, verifyingContract: addresses.EXECUTION },
        { chainId: 31337n, verifyingContract: addresses.LEGISLATION },
      ]);
      const domain = { name: "AgentCity", version: "1", ...elsewhere };
      const signed = { ...offer, agent: bidder.address, nonce, deadline };
      const signature = await bidder.signTypedData(domain, { Bid: [...typedDataTypes.Bid] }, signed);
      const taken = await tried(() => execution.bid(offer, { agent: bidder.address, deadline, signature }, mission.shownBy(record, node)));
      world.trial(24, !taken, () => "a bid was taken that was signed for elsewhere");
    },
  },
  {
    name: "show a bid that was taken back",
    weight: 4,
    act: async ({ random, stranger, missions, trial }) => {
      const mission = random.pick(missions);
      const [node, worker] = [random.int(mission.nodes.length), random.int(8)];
      const { to, data } = await mission.bid(node, worker);
      await withdraw(mission, node, worker);
      const taken = await tried(() => stranger.call({ to, data }));
      trial(24, !taken, () => "a bid was taken that had been taken back");
    },
  },
  {
    name: "vote again otherwise",
    weight: 4,
    act: async ({ legislation, steps, voters, random }) => {
      const session = await legislation.sessionCount();
      const { ballotSize } = await legislation.sessionOf(session);
      const order = random.shuffle(Array.from({ length: Number(ballotSize) || 2 }, (_, entry) => entry));
      return legislation.castBallots(session, [await steps.ballot(session, random.pick(voters), BigInt(packRanking(order)))]);
    },
  },
];
