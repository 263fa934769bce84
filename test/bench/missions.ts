import { id, type Wallet, ZeroAddress } from "ethers";
import { EvidenceClass } from "../../orchestrator/rules/admissibility.ts";
import type { LawNode } from "../../orchestrator/rules/law-codec.ts";
import { COMPUTE, type GasTrace, gasIn } from "../../scripts/bench/trace.ts";
import { keyOf, networkHelpers, tokens } from "../support/city-fixture.ts";
import { billOf, node as lawfulNode, lawOf, loadLegislature, setParameter } from "../support/legislature.ts";
import {
  Action,
  FOUR_THREE_ONE,
  HOUR,
  loadPeopledCity,
  type Mission,
  type MissionOptions,
  openMissionIn,
  type PeopledCity,
  TASK,
} from "../support/mission-fixture.ts";
import { orderOn } from "../support/orders.ts";
import { type BlockRange, gasInside, gasOf, latestBlock, type Samples, TRANSACTION, tracesIn } from "./meter.ts";

const MISSIONS = 3;
const WAVE = 4;
const NODES = 8;
/** Of the paper's estimates: 8 and 100; and between them. */
const LARGER = [32, 100];
const BATCH = 16;
/** A law's longest: what the fixture's missions wait for a start, seconds. */
const INTERVAL = 300;
/** One of each principal. */
const BIDDERS = 4;
/** Seconds; every bid of a hundred nodes is a transaction in a block of its own. */
const WINDOW = 900;
/** Bids that lost stay locked until somebody withdraws them, which nobody does here. */
const BIDDERS_STAKE = tokens(80_000);

type BusyCity = PeopledCity & { seats: Wallet[]; open(options: MissionOptions): Promise<Mission> };

/** A city whose missions follow one another: accounts have balances, institutions have been used. */
async function busyCity(): Promise<BusyCity> {
  const city = await loadPeopledCity();
  const seats = await city.seatAdjudicators(7);
  await city.evidence.revoke(city.issuer.address);
  const classes = (1 << EvidenceClass.ATT) | (1 << EvidenceClass.REC);
  await city.evidence.registerIssuer(city.issuer.address, keyOf("issuer's principal").address, classes);
  await setParameter(city, "BIDDING_WINDOW", WINDOW);
  for (const { agent } of city.workers.slice(0, BIDDERS)) {
    await city.fund(agent, city.addresses.PRODUCERS, BIDDERS_STAKE);
    await city.producers.connect(agent).topUpStake(agent.address, BIDDERS_STAKE);
  }
  let session = 0n;
  const open = async (options: MissionOptions) => {
    session += 1n;
    const mission = await (await openMissionIn(city, options, session)).activate();
    const nodes = [...mission.nodes.keys()];
    for (const node of nodes) for (let bidder = 0; bidder < BIDDERS; bidder++) await mission.bid(node, (bidder + node) % BIDDERS);
    // Fairness may hold a node back once (decisions 16); after a second window it is awarded.
    await networkHelpers.time.increase(WINDOW);
    for (let late = nodes; late.length > 0; late = await unbound(mission)) {
      await mission.closeMarket();
      for (const batch of batched(late)) await city.execution.award(mission.address, batch);
    }
    return mission;
  };
  return { ...city, seats, open };
}

/** An adjudicator's signed action on a node, relayed. */
async function act(city: BusyCity, mission: Mission, name: keyof typeof Action, node: number, by: Wallet, data = "0x") {
  const action = await orderOn(mission, Action[name], node, { data, salt: BigInt(node), deadline: await mission.soon() });
  const signature = await city.signOrder(action, by);
  return city.adjudication.act(action, [{ adjudicator: by.address, signature }]);
}

const slotsOf = (law: LawNode): number[] => Array.from({ length: law.redundancy }, (_, slot) => slot);

/** What executors send of some nodes; its gas. */
type Work = (mission: Mission, nodes: readonly number[]) => Promise<number>;

/** Commits of every slot, relayed together; sealed ones are then revealed together. Ends in a later block. */
const together: Work = async (mission, nodes) => {
  let gas = await gasOf(mission.contract.commitWave(await mission.commitWave(mission.places(nodes))));
  const sealed = nodes.filter((node) => mission.node(node).tier === 2);
  if (sealed.length > 0) gas += await gasOf(mission.contract.revealWave(await mission.revealWave(mission.places(sealed))));
  await networkHelpers.mine();
  return gas;
};

/** The same, each commit and reveal in a transaction of its own. */
const alone: Work = async (mission, nodes) => {
  let gas = 0;
  for (const node of nodes) {
    const slots = slotsOf(mission.node(node));
    for (const slot of slots) gas += await gasOf(mission.commit(node, slot));
    if (mission.node(node).tier === 2) for (const slot of slots) gas += await gasOf(mission.reveal(node, slot));
  }
  await networkHelpers.mine();
  return gas;
};

const clears = (mission: Mission, nodes: readonly number[]) => mission.clearWave(nodes, { agreeing: 0b11111 });

async function inTurn<Item, Result>(items: readonly Item[], make: (item: Item) => Promise<Result>): Promise<Result[]> {
  const made = [];
  for (const item of items) made.push(await make(item));
  return made;
}

/** Four tier-1 nodes in one wave, from routing to the recorded entitlement. */
async function wave(city: BusyCity): Promise<number[]> {
  const mission = await city.open({ nodes: Array(WAVE).fill(TASK) });
  const nodes = [...mission.nodes.keys()];
  const routed = await gasOf(mission.contract.route(...(await mission.start(nodes))));
  const worked = await together(mission, nodes);
  const cleared = await gasOf(mission.contract.clear(await clears(mission, nodes)));
  return nodes.map(() => Math.ceil((routed + worked + cleared) / WAVE));
}

/** The same in hybrid mode: one checkpoint for the wave, then its clearing. */
async function hybridWave(city: BusyCity): Promise<number[]> {
  const mission = await city.open({ nodes: Array(WAVE).fill(TASK), anchorInterval: INTERVAL });
  const nodes = [...mission.nodes.keys()];
  const worked = await gasOf(mission.contract.checkpoint(await mission.wave(nodes)));
  await networkHelpers.mine();
  const cleared = await gasOf(mission.contract.clear(await clears(mission, nodes)));
  return nodes.map(() => Math.ceil((worked + cleared) / WAVE));
}

/** The reference mission's shape for any size: half are shards, one is the report, three executors classify each of the rest. */
function shaped(size: number): LawNode[] {
  const [shard, classify] = [FOUR_THREE_ONE[0], FOUR_THREE_ONE[4]];
  if (shard === undefined || classify === undefined) throw new Error("the reference mission has other waves");
  const shards = size / 2;
  const first = (1n << BigInt(shards)) - 1n;
  const all = (1n << BigInt(size - 1)) - 1n;
  // Long enough for every executor's own transaction in a block of its own.
  const patient = { timeout: 3600 };
  return [
    ...Array.from({ length: shards }, () => ({ ...shard, ...patient })),
    ...Array.from({ length: size - shards - 1 }, () => ({ ...classify, ...patient, predecessors: first })),
    { ...TASK, ...patient, tier: 3, predecessors: all ^ first },
  ];
}

/** A mission's nodes wave by wave, no more of them in one transaction than a block can take beside others'. */
function batchesOf(size: number): number[][] {
  const waves = [Array.from({ length: size / 2 }, (_, k) => k), Array.from({ length: size / 2 - 1 }, (_, k) => size / 2 + k), [size - 1]];
  return waves.flatMap(batched);
}

function batched(nodes: readonly number[]): number[][] {
  return Array.from({ length: Math.ceil(nodes.length / BATCH) }, (_, k) => nodes.slice(k * BATCH, (k + 1) * BATCH));
}

/** Nodes that nobody was awarded yet. */
async function unbound(mission: Mission): Promise<number[]> {
  const slots = await inTurn([...mission.nodes.keys()], (node) => mission.contract.slotOf(node, 0));
  return [...slots.keys()].filter((node) => slots[node]?.agent === ZeroAddress);
}

/** Gas from a mission's first route to its last record, and the blocks in between, which hold nothing else. */
interface Run {
  readonly run: number;
  readonly blocks: BlockRange;
}

/** The reference mission (decisions 32) or a larger one of its shape, and its claim. */
async function onChain(city: BusyCity, size: number, seat: number, work = together): Promise<Run & { claim: number }> {
  const mission = await city.open({ nodes: size === NODES ? FOUR_THREE_ONE : shaped(size) });
  const after = await latestBlock();
  let run = 0;
  let before: readonly number[] = [];
  for (const nodes of batchesOf(size)) {
    run += await gasOf(
      mission.contract.advance(before.length === 0 ? "0x" : await clears(mission, before), ...(await mission.start(nodes))),
    );
    run += await work(mission, nodes);
    before = nodes;
  }
  run += await gasOf(mission.contract.clear(await clears(mission, before)));
  run += await reported(city, mission, size - 1, seat);
  const blocks = { after, last: await latestBlock() };
  return { run, blocks, claim: size === NODES ? await claimed(mission) : 0 };
}

/** The same, worked off chain: a checkpoint and a clearing for each batch. */
async function hybrid(city: BusyCity, size: number, seat: number): Promise<Run> {
  const nodes = size === NODES ? FOUR_THREE_ONE : shaped(size);
  const mission = await city.open({ nodes, anchorInterval: INTERVAL });
  const after = await latestBlock();
  let run = 0;
  for (const batch of batchesOf(size)) {
    run += await gasOf(mission.contract.checkpoint(await mission.wave(batch)));
    await networkHelpers.mine();
    run += await gasOf(mission.contract.clear(await clears(mission, batch)));
  }
  run += await reported(city, mission, size - 1, seat);
  return { run, blocks: { after, last: await latestBlock() } };
}

/** An adjudicator approves the report, which records it. */
async function reported(city: BusyCity, mission: Mission, report: number, seat: number): Promise<number> {
  const judge = city.seats[seat] as Wallet;
  return gasOf(act(city, mission, "APPROVE_POP", report, judge, await mission.approval(report)));
}

async function claimed(mission: Mission): Promise<number> {
  await networkHelpers.time.increase(HOUR);
  return Math.ceil((await gasOf(mission.contract.claim([...mission.nodes.keys()]))) / NODES);
}

/** Five signed verdicts on two proven records; a human has the last word, so nothing is recorded. */
async function panelsOfFive(city: BusyCity): Promise<number[]> {
  const reviewed: LawNode = { ...TASK, tier: 3, redundancy: 2, threshold: 2, panelSize: 5, floor: EvidenceClass.REC };
  const mission = await city.open({ nodes: Array(WAVE).fill(reviewed) });
  mission.evidence = { ...mission.evidence, class: EvidenceClass.REC };
  const nodes = [...mission.nodes.keys()];
  await mission.contract.route(...(await mission.start(nodes)));
  await together(mission, nodes);
  return inTurn(nodes, async (node) => gasOf(mission.contract.clear(await clears(mission, [node]))));
}

/** A monitor's freeze, and an adjudicator's release. */
async function freezes(city: BusyCity): Promise<Samples> {
  const mission = await city.open({ nodes: Array(WAVE).fill(TASK) });
  const nodes = [...mission.nodes.keys()];
  await mission.contract.route(...(await mission.start(nodes)));
  const monitored = mission.contract.connect(city.monitor);
  const freeze = await inTurn(nodes, (node) => gasOf(monitored.report(node, id("TOOL_LIMIT"), 41)));
  const unfreeze = await inTurn(nodes, (node) => gasOf(act(city, mission, "UNFREEZE", node, city.seats[node] as Wallet)));
  return { freeze, unfreeze };
}

/** A party's appeals, handed in by somebody else. */
async function appeals(city: BusyCity): Promise<number[]> {
  const mission = await city.open({ nodes: Array(WAVE).fill(TASK) });
  const nodes = [...mission.nodes.keys()];
  await mission.contract.route(...(await mission.start(nodes)));
  await together(mission, nodes);
  await mission.contract.clear(await clears(mission, nodes));
  await city.fund(city.sponsor, mission.address, tokens(1000));
  const evidence = id("evidence");
  return inTurn(nodes, async (node) =>
    gasOf(mission.contract.appeal(node, 0, evidence, await mission.signedAppeal(city.sponsor, { node, evidence }))),
  );
}

/** Once each: what they cost hangs on their size, not on chance. */
async function larger(city: BusyCity): Promise<Samples> {
  const samples: Samples = {};
  for (const [turn, size] of LARGER.entries()) {
    samples[`mission-${size}-onchain`] = [(await onChain(city, size, 2 * turn)).run];
    samples[`mission-${size}-hybrid`] = [(await hybrid(city, size, 2 * turn + 1)).run];
  }
  return samples;
}

export async function missions(): Promise<Samples> {
  const city = await busyCity();
  const numbers = Array.from({ length: MISSIONS }, (_, i) => i);
  const whole = await inTurn(numbers, (seat) => onChain(city, NODES, seat));
  const [first] = whole;
  if (first === undefined) throw new Error("no mission was measured");
  const waves = await inTurn(numbers, () => wave(city));
  const panels = await panelsOfFive(city);
  const iced = await freezes(city);
  // Last: what went before has changed nobody's reputation but as ever.
  return {
    "node-tier1": waves.flat(),
    "clear-5": panels,
    "mission-8-onchain": whole.map(({ run }) => run),
    "mission-8-alone": await inTurn(numbers, async (turn) => (await onChain(city, NODES, turn, alone)).run),
    "mission-8-compute": [gasIn(await tracesIn(first.blocks), COMPUTE)],
    "claim-8": whole.map(({ claim }) => claim),
    ...iced,
    "node-tier1-hybrid": await hybridWave(city),
    "mission-8-hybrid": await inTurn(numbers, async (seat) => (await hybrid(city, NODES, MISSIONS + seat)).run),
    ...(await larger(city)),
    appeal: await appeals(city),
  };
}

/** Every transaction of one reference mission. */
export async function referenceMission(mode: "on-chain" | "hybrid"): Promise<GasTrace[]> {
  const city = await busyCity();
  const { run, blocks } = await (mode === "hybrid" ? hybrid(city, NODES, 0) : onChain(city, NODES, 0));
  const traces = await tracesIn(blocks);
  const traced = traces.reduce((sum, { used }) => sum + used, 0);
  if (traced !== run) throw new Error(`the mission used ${run} gas, its traces show ${traced}`);
  return traces;
}

/** Clone, escrow and activation inside the approvals of three sessions, with the base price of a transaction. */
export async function deployments(): Promise<Samples> {
  const { legislation, steps, offices, templates, token } = await loadLegislature();
  const budget = tokens(50);
  const shard = lawfulNode({ budget });
  const classify = lawfulNode({ budget, predecessors: 0b1111n, tier: 2, redundancy: 3, threshold: 2 });
  const report = lawfulNode({ budget, predecessors: 0b1110000n, tier: 3 });
  const law = lawOf([shard, shard, shard, shard, classify, classify, classify, report]);
  const selectors = [
    templates.interface.getFunction("deploy").selector,
    token.interface.getFunction("transfer").selector,
    "0x0f15f4c0", // activate()
  ];
  const deployed = [];
  const approved = [];
  for (let i = 0; i < MISSIONS; i++) {
    const bill = billOf(law, `document ${i}`);
    const session = await steps.toCodified(bill);
    const approvals = await steps.approvals(session, bill.specHash, [
      ["SPEAKER", offices.SPEAKER[0] as Wallet],
      ["REGULATOR", offices.REGULATOR[0] as Wallet],
      ["REGULATOR", offices.REGULATOR[1] as Wallet],
    ]);
    const sent = await legislation.approve(session, law, bill.docHash, approvals);
    approved.push(await gasOf(Promise.resolve(sent)));
    deployed.push(TRANSACTION + (await gasInside(sent.hash, selectors)));
  }
  return { "deploy-mission-8": deployed, "approve-mission-8": approved };
}
