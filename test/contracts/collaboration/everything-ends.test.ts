// @long
import { expect } from "chai";
import { isError } from "ethers";
import { type RandomStream, randomStream } from "../../../orchestrator/primitives/random.ts";
import { directly, Kind, networkHelpers, tokens } from "../../support/city-fixture.ts";
import {
  Action,
  BIDDING_WINDOW,
  HOUR,
  type Mission,
  MissionState,
  NodeState,
  onward,
  openMission,
  Result,
  TASK,
} from "../../support/mission-fixture.ts";

const PATIENT = { ...TASK, timeout: 3600 };
const NODES = [
  PATIENT,
  { ...PATIENT, tier: 2, redundancy: 3, threshold: 2, panelSize: 3, budget: tokens(100) + 2n },
  { ...PATIENT, predecessors: 0b11n, tier: 3 },
];
const FINAL = [MissionState.COMPLETED, MissionState.FAILED, MissionState.ABORTED];
const WALKS = 12;
const STEPS = 100;

type Move = (m: Mission, node: number, random: RandomStream) => Promise<unknown>;

const { WAITING, ELIGIBLE, EXECUTING, PENDING_VERIFICATION, PENDING_REVIEW, FROZEN, COMPLETED, FAILED } = NodeState;
const ANY = [WAITING, ELIGIBLE, EXECUTING, PENDING_VERIFICATION, PENDING_REVIEW, FROZEN, COMPLETED, FAILED];

/** What anybody may try, the node states it suits (it is tried in others too), how often. */
const MOVES: { name: string; suits: bigint[]; weight: number; move: Move }[] = [
  {
    name: "market",
    suits: [WAITING, ELIGIBLE],
    weight: 3,
    move: async (m, node, random) => {
      for (const worker of random.shuffle([0, 1, 2, 3, 4, 5, 6, 7])) if (random.int(4) > 0) await tried(() => m.bid(node, worker));
      await networkHelpers.time.increase(BIDDING_WINDOW);
      return m.city.execution.award(m.address, [node]);
    },
  },
  { name: "route", suits: [ELIGIBLE], weight: 8, move: async (m, node) => m.route(node) },
  {
    name: "route again",
    suits: [ELIGIBLE],
    weight: 3,
    move: async (m, node) => m.contract.route(...onward(node)),
  },
  {
    name: "mismatch",
    suits: [ELIGIBLE],
    weight: 2,
    move: async (m, node) => m.contract.mismatch(...(await m.otherCode(node))),
  },
  { name: "commit", suits: [EXECUTING], weight: 3, move: async (m, node, random) => m.commit(node, random.int(m.node(node).redundancy)) },
  {
    name: "seal",
    suits: [EXECUTING],
    weight: 3,
    move: async (m, node, random) => {
      for (const slot of [0, 1, 2]) if (random.int(5) > 0) await tried(() => m.commit(node, slot));
    },
  },
  { name: "work", suits: [EXECUTING], weight: 6, move: async (m, node) => m.work(node) },
  { name: "reveal", suits: [EXECUTING], weight: 3, move: async (m, node, random) => m.reveal(node, random.int(m.node(node).redundancy)) },
  {
    name: "clear",
    suits: [PENDING_VERIFICATION],
    weight: 8,
    move: async (m, node, random) => m.clear(node, { score: 10_000 - random.int(3000) }),
  },
  { name: "condemn", suits: [PENDING_VERIFICATION], weight: 2, move: async (m, node) => m.clear(node, { result: Result.FAIL }) },
  { name: "dispute", suits: [PENDING_VERIFICATION], weight: 3, move: async (m, node) => m.clear(node, { confidence: 1 }) },
  { name: "dissent", suits: [PENDING_VERIFICATION], weight: 3, move: async (m, node) => m.clear(node, { agreeing: 0b101 }) },
  { name: "abstain", suits: [PENDING_VERIFICATION], weight: 3, move: async (m, node) => m.clear(node, { result: Result.ABSTAIN }) },
  {
    name: "absence",
    suits: [PENDING_VERIFICATION],
    weight: 3,
    move: async (m, node) => {
      await networkHelpers.time.increase(300);
      return m.clear(node, { absent: 1 });
    },
  },
  { name: "timeout", suits: ANY, weight: 2, move: async (m, node) => m.contract.timeout(node) },
  {
    name: "redraw",
    suits: [PENDING_VERIFICATION],
    weight: 1,
    move: async (m, node) => {
      await networkHelpers.mine(260, { interval: 0 });
      return m.contract.redraw(node);
    },
  },
  { name: "reopen", suits: [FAILED], weight: 3, move: async (m, node) => m.contract.reopen(node) },
  {
    name: "report",
    suits: [EXECUTING, PENDING_VERIFICATION],
    weight: 2,
    move: async (m, node) => m.contract.connect(m.city.monitor).report(node, `0x${"00".repeat(32)}`, 1),
  },
  { name: "freeze", suits: [ELIGIBLE], weight: 1, move: async (m, node) => m.override(Action.FREEZE, node) },
  {
    name: "amend",
    suits: [FROZEN],
    weight: 4,
    move: async (m, node) => m.override(Action.RESUME_WITH_AMENDMENT, node, `0x${"11".repeat(32)}`),
  },
  { name: "unfreeze", suits: [FROZEN], weight: 5, move: async (m, node) => m.override(Action.UNFREEZE, node) },
  {
    name: "approve",
    suits: [PENDING_REVIEW],
    weight: 3,
    move: async (m, node) => m.override(Action.APPROVE_POP, node, await m.approval(node)),
  },
  { name: "reject", suits: [PENDING_REVIEW, FROZEN], weight: 3, move: async (m, node) => m.override(Action.REJECT_POP, node) },
  { name: "claim", suits: [COMPLETED, FAILED], weight: 2, move: async (m, node) => m.contract.claim([node]) },
  { name: "refund", suits: [COMPLETED], weight: 1, move: async (m) => m.contract.refund() },
  {
    name: "appeal",
    suits: [COMPLETED, FAILED],
    weight: 1,
    move: async (m, node) => {
      await m.city.token.mint(m.city.sponsor.address, tokens(10));
      await m.city.token.connect(m.city.sponsor).approve(m.address, tokens(10));
      return m.contract
        .connect(m.city.sponsor)
        .appeal(node, (await m.contract.nodeOf(node)).attempt, `0x${"00".repeat(32)}`, directly(m.city.sponsor));
    },
  },
  {
    name: "wait",
    suits: ANY,
    weight: 1,
    move: async (_m, _node, random) => networkHelpers.time.increase(random.pick([10, 60, 600, 3600])),
  },
];

/** Mostly something that suits the node's state, sometimes anything. */
async function choose(m: Mission, node: number, random: RandomStream) {
  const state = await m.stateOf(node);
  const apt = random.int(5) > 0 ? MOVES.filter(({ suits }) => suits.includes(state)) : MOVES;
  return random.pick(apt.flatMap((move) => Array.from({ length: move.weight }, () => move)));
}

/** Whether the chain took it; anything but a refusal by the chain, or a step the walk cannot yet prepare, is an error of the test. */
async function tried(move: () => Promise<unknown>): Promise<boolean> {
  try {
    await move();
    return true;
  } catch (error) {
    if (isError(error, "CALL_EXCEPTION") || (error instanceof Error && /revert|is no worker/.test(error.message))) return false;
    throw error;
  }
}

/** How far a mission came before the walk begins. */
const STAGES: ((m: Mission) => Promise<unknown>)[] = [
  (m) => m.awardAll(),
  async (m) => {
    await m.route(0, 1);
    for (const node of [0, 1]) await m.work(node);
  },
  async (m) => {
    for (const node of [0, 1]) await m.clear(node);
    await m.route(2);
    await m.work(2);
  },
];

describe("Everything ends", () => {
  const taken = new Map<string, number>();

  async function walk(seed: number): Promise<Mission> {
    const random = randomStream("everything ends", seed);
    const m = await (await openMission({ nodes: NODES, reserve: 11n, params: { maxRefinementIterations: 2 } })).activate();
    for (const stage of STAGES.slice(0, seed % (STAGES.length + 1))) await stage(m);
    for (let step = 0; step < STEPS; step++) {
      const node = random.int(NODES.length);
      const { name, move } = await choose(m, node, random);
      if (await tried(() => move(m, node, random))) taken.set(name, (taken.get(name) ?? 0) + 1);
      expect(await m.imbalance(), `seed ${seed}, step ${step}, ${name} ${node}`).to.equal("");
      await expectEarned(m);
    }
    return m;
  }

  /** Money is owed only for completed nodes, and a node past WAITING has its predecessors completed. */
  async function expectEarned(m: Mission): Promise<void> {
    const done = await m.contract.completed();
    for (const [node, law] of NODES.entries()) {
      const { state } = await m.contract.nodeOf(node);
      expect((done >> BigInt(node)) & 1n).to.equal(state === NodeState.COMPLETED ? 1n : 0n);
      if (state !== NodeState.WAITING) expect(law.predecessors & ~done).to.equal(0n);
      if (state !== NodeState.COMPLETED) expect((await m.contract.entitlementOf(node, 0)).paid).to.equal(0n);
    }
  }

  async function end(m: Mission): Promise<void> {
    const expiresAt = await m.contract.expiresAt();
    if ((await m.city.now()) < expiresAt) await networkHelpers.time.increaseTo(expiresAt);
    if (!FINAL.includes(await m.contract.state())) await m.abort();
    await networkHelpers.time.increase(3n * HOUR);
    for (const node of NODES.keys()) await tried(() => m.contract.claim([node]));
    for (const node of NODES.keys()) {
      for (const { agent } of m.city.workers) {
        const auth = { agent: agent.address, deadline: 0, signature: "0x" };
        await tried(() => m.city.execution.withdrawBid(m.address, node, auth));
      }
    }
    await m.contract.close();
  }

  for (let seed = 0; seed < WALKS; seed++) {
    it(`whatever anybody does: walk ${seed}`, async () => {
      const m = await walk(seed);
      await end(m);
      const l = await m.contract.ledger();
      expect(l.deposit).to.equal(l.paid + l.fees + l.insurance + l.discount + l.refunded);
      expect([l.entitled, l.refundable]).to.deep.equal([0n, 0n]);
      expect(await m.city.token.balanceOf(m.address)).to.equal(0n);
      for (const { agent } of m.city.workers) expect((await m.city.producers.stakeOf(agent.address)).locked).to.equal(0n);
    });
  }

  it("and the walks went nearly everywhere", () => {
    const missed = MOVES.map(({ name }) => name).filter((name) => !taken.has(name));
    expect(missed.length, missed.join(", ")).to.be.at.most(4);
  });

  it("a small city whose houses all judge as well: after a condemnation nobody may bid, and every unit is accounted for", async () => {
    const m = await (await openMission({ nodes: [{ ...PATIENT, panelSize: 3 }], params: { maxRefinementIterations: 1 } })).activate();
    const { city, contract, address } = m;
    for (const verifier of city.verifiers.keys()) await city.evidence.revoke(verifier);
    city.verifiers.clear();
    for (let house = 0; house < 4; house++) {
      const principal = await city.account(`principal ${house}`);
      const { agent } = await city.register(`judge of house ${house}`, { kind: Kind.VERIFIER, principal, stake: tokens(2000) });
      await city.evidence.registerVerifier(agent.address, 100);
      city.verifiers.set(agent.address, agent);
    }
    const holders = [city.addresses.TREASURY, city.addresses.PRODUCERS, address, city.sponsor.address, city.deployer.address];
    const held = async () => Promise.all(holders.map((one) => city.token.balanceOf(one)));
    const before = (await held()).reduce((sum, one) => sum + one);
    await m.awardAll();
    const condemned = await m.executorOf(0);
    await m.run(0, { result: Result.FAIL });
    expect(await m.stateOf(0)).to.equal(NodeState.FAILED);

    await contract.reopen(0);
    for (let worker = 0; worker < 8; worker++)
      await expect(m.bid(0, worker), `worker ${worker}`).to.be.revertedWithCustomError(city.execution, "Barred");
    for (let window = 0; window < 2; window++) {
      await m.closeMarket();
      await city.execution.award(address, [0]);
    }
    await contract.timeout(0);
    await contract.abort();
    expect(await contract.state()).to.equal(MissionState.FAILED);

    await networkHelpers.time.increase(3n * HOUR);
    await contract.claim([0]);
    for (const { agent } of city.workers) {
      const auth = { agent: agent.address, deadline: 0, signature: "0x" };
      await tried(() => city.execution.withdrawBid(address, 0, auth));
    }
    await contract.close();
    const { deposit, refunded } = await contract.ledger();
    expect([refunded, await city.token.balanceOf(address)]).to.deep.equal([deposit, 0n]);
    for (const { agent } of city.workers) {
      const { locked, held: stake } = await city.producers.stakeOf(agent.address);
      const [fined, whole] = [agent.address === condemned.agent.address, tokens(10_000)];
      expect([locked, stake < whole]).to.deep.equal([0n, fined]);
    }
    expect((await held()).reduce((sum, one) => sum + one)).to.equal(before);
  });
});
