import { id, type Wallet, ZeroAddress } from "ethers";
import { EvidenceClass } from "../../orchestrator/rules/admissibility.ts";
import type { LawNode } from "../../orchestrator/rules/law-codec.ts";
import { keyOf, networkHelpers, tokens } from "../support/city-fixture.ts";
import { billOf, node as lawfulNode, lawOf, loadLegislature } from "../support/legislature.ts";
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
import { gasInside, gasOf, type Samples, TRANSACTION } from "./meter.ts";

const MISSIONS = 3;
const WAVE = 4;
const NODES = 8;

type BusyCity = PeopledCity & { seats: Wallet[]; open(options: MissionOptions): Promise<Mission> };

/** A city whose missions follow one another: accounts have balances, institutions have been used. */
async function busyCity(): Promise<BusyCity> {
  const city = await loadPeopledCity();
  const seats = await city.seatAdjudicators(7);
  await city.evidence.revoke(city.issuer.address);
  const classes = (1 << EvidenceClass.ATT) | (1 << EvidenceClass.REC);
  await city.evidence.registerIssuer(city.issuer.address, keyOf("issuer's principal").address, classes);
  let session = 0n;
  const open = async (options: MissionOptions) => {
    session += 1n;
    const mission = await (await (await openMissionIn(city, options, session)).activate()).awardAll();
    // Fairness may hold a node back once (decisions 16); after a second window it is awarded.
    const nodes = await inTurn([...mission.nodes.keys()], (node) => mission.contract.slotOf(node, 0));
    const late = [...nodes.keys()].filter((node) => nodes[node]?.agent === ZeroAddress);
    await mission.closeMarket();
    if (late.length > 0) await city.execution.award(mission.address, late);
    return mission;
  };
  return { ...city, seats, open };
}

/** An adjudicator's signed action on a node, relayed. */
async function act(city: BusyCity, mission: Mission, name: keyof typeof Action, node: number, by: Wallet, data = "0x") {
  const action = {
    action: Action[name],
    mission: mission.address,
    node,
    target: mission.address,
    data,
    justification: id("justification"),
    caseHash: await mission.contract.caseHash(node),
    salt: BigInt(node),
    deadline: await mission.soon(),
  };
  const signature = await city.sign("OverrideAction", city.addresses.ADJUDICATION, action, by);
  return city.adjudication.act(action, [{ adjudicator: by.address, signature }]);
}

const slotsOf = (law: LawNode): number[] => Array.from({ length: law.redundancy }, (_, slot) => slot);

/** Commits of every slot, relayed; sealed ones are then revealed. Ends in a later block. */
async function work(mission: Mission, nodes: readonly number[]): Promise<number[]> {
  const spent = [];
  for (const node of nodes) {
    const slots = slotsOf(mission.node(node));
    let gas = 0;
    for (const slot of slots) gas += await gasOf(mission.commit(node, slot));
    if (mission.node(node).tier === 2) for (const slot of slots) gas += await gasOf(mission.reveal(node, slot));
    spent.push(gas);
  }
  await networkHelpers.mine();
  return spent;
}

const routes = (mission: Mission, nodes: readonly number[]) => inTurn(nodes, (node) => mission.order(node));
const clears = (mission: Mission, nodes: readonly number[]) => inTurn(nodes, (node) => mission.clearOrder(node, { agreeing: 0b11111 }));

async function inTurn<Item, Result>(items: readonly Item[], make: (item: Item) => Promise<Result>): Promise<Result[]> {
  const made = [];
  for (const item of items) made.push(await make(item));
  return made;
}

/** Four tier-1 nodes in one wave, from routing to the recorded entitlement. */
async function wave(city: BusyCity): Promise<number[]> {
  const mission = await city.open({ nodes: Array(WAVE).fill(TASK) });
  const nodes = [...mission.nodes.keys()];
  const routed = await gasOf(mission.contract.route(await routes(mission, nodes)));
  const worked = await work(mission, nodes);
  const cleared = await gasOf(mission.contract.clear(await clears(mission, nodes)));
  return worked.map((gas) => Math.ceil(gas + (routed + cleared) / WAVE));
}

/** The reference mission (decisions 32), from its first route to its last record, and its claim. */
async function mission431(city: BusyCity, seat: number): Promise<{ run: number; claim: number }> {
  const mission = await city.open({ nodes: FOUR_THREE_ONE });
  const sum = (gas: readonly number[]) => gas.reduce((total, one) => total + one, 0);
  const [shards, classes, report] = [[0, 1, 2, 3], [4, 5, 6], 7] as const;
  let run = await gasOf(mission.contract.advance([], await routes(mission, shards)));
  run += sum(await work(mission, shards));
  run += await gasOf(mission.contract.advance(await clears(mission, shards), await routes(mission, classes)));
  run += sum(await work(mission, classes));
  run += await gasOf(mission.contract.advance(await clears(mission, classes), await routes(mission, [report])));
  run += sum(await work(mission, [report]));
  run += await gasOf(mission.contract.clear(await clears(mission, [report])));
  const judge = city.seats[seat] as Wallet;
  run += await gasOf(act(city, mission, "APPROVE_POP", report, judge, await mission.approval(report)));
  run += await gasOf(mission.contract.record(report));
  await networkHelpers.time.increase(HOUR);
  const claim = await gasOf(mission.contract.claim([...mission.nodes.keys()]));
  return { run, claim: Math.ceil(claim / NODES) };
}

/** Five signed verdicts on two proven records; a human has the last word, so nothing is recorded. */
async function panelsOfFive(city: BusyCity): Promise<number[]> {
  const reviewed: LawNode = { ...TASK, tier: 3, redundancy: 2, threshold: 2, panelSize: 5, floor: EvidenceClass.REC };
  const mission = await city.open({ nodes: Array(WAVE).fill(reviewed) });
  mission.evidence = { ...mission.evidence, class: EvidenceClass.REC };
  const nodes = [...mission.nodes.keys()];
  await mission.contract.route(await routes(mission, nodes));
  await work(mission, nodes);
  return inTurn(nodes, async (node) => gasOf(mission.contract.clear(await clears(mission, [node]))));
}

/** A monitor's freeze, and an adjudicator's release. */
async function freezes(city: BusyCity): Promise<Samples> {
  const mission = await city.open({ nodes: Array(WAVE).fill(TASK) });
  const nodes = [...mission.nodes.keys()];
  await mission.contract.route(await routes(mission, nodes));
  const monitored = mission.contract.connect(city.monitor);
  const freeze = await inTurn(nodes, (node) => gasOf(monitored.report(node, id("TOOL_LIMIT"), 41)));
  const unfreeze = await inTurn(nodes, (node) => gasOf(act(city, mission, "UNFREEZE", node, city.seats[node] as Wallet)));
  return { freeze, unfreeze };
}

export async function missions(): Promise<Samples> {
  const city = await busyCity();
  const numbers = Array.from({ length: MISSIONS }, (_, i) => i);
  const whole = await inTurn(numbers, (seat) => mission431(city, seat));
  const waves = await inTurn(numbers, () => wave(city));
  return {
    "node-tier1": waves.flat(),
    "clear-5": await panelsOfFive(city),
    "mission-8-onchain": whole.map(({ run }) => run),
    "claim-8": whole.map(({ claim }) => claim),
    ...(await freezes(city)),
  };
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
    const session = await steps.toCodified(bill, NODES);
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
