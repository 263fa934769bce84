// @long
/** Events alone rebuild a mission: after every transaction of whole missions, the replay says what the contract's views say. */
import { expect } from "chai";
import { id } from "ethers";
import { parseEventLogs } from "viem";
import { collaborationContractAbi } from "../../../orchestrator/chain/abi/CollaborationContract.ts";
import { hexSchema } from "../../../orchestrator/primitives/hex.ts";
import { encodeActionData } from "../../../orchestrator/protocol/actions.ts";
import type { MissionParams } from "../../../orchestrator/rules/mission-params-codec.ts";
import { missionTransitions } from "../../../orchestrator/rules/transitions/mission.ts";
import { nodeTransitions } from "../../../orchestrator/rules/transitions/node.ts";
import { directly, ethers, networkHelpers, tokens } from "../../support/city-fixture.ts";
import { turnHostile } from "../../support/hostile-token.ts";
import {
  Action,
  FOUR_THREE_ONE,
  HOUR,
  type Mission,
  type MissionOptions,
  openMission,
  PARAMS,
  Result,
  TASK,
} from "../../support/mission-fixture.ts";
import { MissionTree, type Plan } from "../../support/mission-tree.ts";
import { isFaulted, MissionReplay } from "../../support/replay-mission.ts";

const WHY = id("why");
const { time } = networkHelpers;
const SEALED = { ...TASK, tier: 2, redundancy: 3, threshold: 2 };
const zero = `0x${"0".repeat(64)}`;

/** Blocks replayed one by one; each must leave the replay where the contract was then. */
async function expectReplayed(mission: Mission, from: number, options: MissionOptions): Promise<void> {
  const budget = mission.nodes.reduce((sum, node) => sum + node.budget, options.reserve ?? 0n);
  const deployedAt = Number((await mission.contract.context()).deployedAt);
  const replay = new MissionReplay({ nodes: mission.nodes, budget, params: { ...PARAMS, ...options.params }, deployedAt });
  const to = await ethers.provider.getBlockNumber();
  let compared = 0;
  for (let block = from; block <= to; block++) {
    const logs = await ethers.provider.getLogs({ address: mission.address, fromBlock: block, toBlock: block });
    if (logs.length === 0) continue;
    const timestamp = (await ethers.provider.getBlock(block))?.timestamp ?? 0;
    const parsed = parseEventLogs({
      abi: collaborationContractAbi,
      logs: logs.map((log) => ({
        ...log,
        address: hexSchema.parse(log.address),
        blockHash: hexSchema.parse(log.blockHash),
        transactionHash: hexSchema.parse(log.transactionHash),
        data: hexSchema.parse(log.data),
        topics: log.topics.map((topic) => hexSchema.parse(topic)) as [`0x${string}`, ...`0x${string}`[]],
        blockNumber: BigInt(log.blockNumber),
        logIndex: log.index,
      })),
    });
    for (const log of parsed) replay.apply({ log, timestamp });
    await expectEqual(mission, replay, block);
    compared += 1;
  }
  expect(compared, "transactions compared").to.be.greaterThan(5);
}

async function expectEqual({ contract, nodes }: Mission, replay: MissionReplay, blockTag: number): Promise<void> {
  const at = { blockTag };
  const ledger = await contract.ledger(at);
  expect(replay.state).to.equal(missionTransitions.states[Number(await contract.state(at))]);
  expect(replay.completed).to.equal(await contract.completed(at));
  expect(replay.anchored ?? zero).to.equal(await contract.anchored(at));
  expect(replay.ledger, `books in block ${blockTag}`).to.deep.equal({
    deposit: ledger.deposit,
    paid: ledger.paid,
    fees: ledger.fees,
    insurance: ledger.insurance,
    discount: ledger.discount,
    refunded: ledger.refunded,
    entitled: ledger.entitled,
    refundable: ledger.refundable,
    subsidy: ledger.subsidy,
    bonds: ledger.bonds,
    children: ledger.children,
    closed: ledger.closed,
  });
  for (const [index, law] of nodes.entries()) {
    const there = await contract.nodeOf(index, at);
    const here = replay.nodes[index];
    if (here === undefined) throw new Error(`node ${index} was not replayed`);
    const { attempts, claimableAt, state, ...word } = here;
    expect({ ...word, state, faulted: isFaulted(here) }, `node ${index} in block ${blockTag}`).to.deep.equal({
      state: nodeTransitions.states[Number(there.state)],
      attempt: Number(there.attempt),
      deadline: Number(there.deadline),
      remainder: Number(there.remainder),
      commitMask: Number(there.commitMask),
      revealMask: Number(there.revealMask),
      freezeCount: Number(there.freezeCount),
      drawBlock: Number(there.drawBlock),
      redraws: Number(there.redraws),
      share: Number(there.share),
      agreeing: Number(there.agreeing),
      gated: there.gated,
      recorded: there.recorded,
      faulted: there.faulted,
    });
    for (let slot = 0; slot < law.redundancy; slot++) {
      const bound = await contract.slotOf(index, slot, at);
      const mine = attempts[here.attempt]?.slots.get(slot);
      const due = await contract.entitlementOf(index, slot, at);
      expect([mine?.agent ?? `0x${"0".repeat(40)}`, mine?.price ?? 0n]).to.deep.equal([bound.agent, bound.price]);
      expect(mine?.pledge ?? zero).to.equal(await contract.pledgeOf(index, slot, at));
      expect([mine?.paid ?? 0n, mine?.premium ?? 0n, mine?.claimed ?? false]).to.deep.equal([due.paid, due.premium, due.claimed]);
      if (mine?.recorded === true) expect(claimableAt).to.equal(Number(due.claimableAt));
    }
    for (const [attempt, { fault, appeals }] of attempts.entries()) {
      const [open, until] = await contract.appealsOf(index, attempt, at);
      expect([appeals.open.length, appeals.until], `appeals of ${index}/${attempt}`).to.deep.equal([Number(open), Number(until)]);
      const waiting = await contract.faultOf(index, attempt, at);
      expect(fault ?? { dueAt: 0, mask: 0, settled: false }).to.deep.equal({
        dueAt: Number(waiting.dueAt),
        mask: Number(waiting.mask),
        settled: waiting.settled,
      });
    }
  }
}

/** Plays a story in a mission with executors bound, and replays all of it. */
function replays(title: string, options: MissionOptions, story: (mission: Mission) => Promise<void>): void {
  it(title, async () => {
    const mission = await openMission(options);
    const from = await ethers.provider.getBlockNumber();
    await (await mission.activate()).awardAll();
    await story(mission);
    await expectReplayed(mission, from, options);
  }).timeout(240_000);
}

const appeal = async (mission: Mission, attempt = 0): Promise<void> => {
  await mission.city.fund(mission.city.sponsor, mission.address, tokens(20));
  await mission.contract.connect(mission.city.sponsor).appeal(0, attempt, WHY, directly(mission.city.sponsor));
};
const redone = async (mission: Mission, node = 0): Promise<void> => {
  const first = (await mission.executorOf(node)).agent.address;
  await mission.contract.reopen(node);
  const index = mission.city.workers.findIndex(({ agent }) => agent.address === first);
  await mission.bid(node, (index + 1) % 8);
  await mission.closeMarket();
  await mission.city.execution.award(mission.address, [node]);
};

describe("events alone rebuild a mission", () => {
  replays(
    "that goes well: four shards, three classifications, a human's report",
    { nodes: FOUR_THREE_ONE, reserve: 3n },
    async (mission) => {
      await mission.route(0, 1, 2, 3);
      for (const node of [0, 1, 2, 3]) await mission.work(node);
      for (const node of [0, 1, 2, 3]) await mission.clear(node, { score: 9000 });
      for (const node of [4, 5, 6]) await mission.run(node, { agreeing: 0b011 });
      await mission.run(7);
      await mission.override(Action.APPROVE_POP, 7, await mission.approval(7, 8000));
      await mission.contract.refund();
      await time.increase(HOUR);
      await mission.contract.claim([0, 1, 2, 3, 4, 5, 6, 7]);
      await mission.contract.close();
    },
  );

  replays("with a cheat slashed and redone by another", { nodes: [TASK, { ...TASK, predecessors: 1n }] }, async (mission) => {
    await mission.run(0, { result: Result.FAIL });
    await redone(mission);
    await mission.run(0);
    await mission.run(1);
    await time.increase(HOUR);
    await mission.contract.claim([0, 1]);
    await mission.contract.close();
  });

  replays("with a node frozen, released, and overdue", { nodes: [SEALED, TASK] }, async (mission) => {
    await mission.route(0, 1);
    await mission.commit(0, 0);
    await mission.contract.connect(mission.city.monitor).report(0, WHY, 1);
    await mission.override(Action.UNFREEZE, 0);
    await mission.contract.route(...(await mission.start([0], { slots: [1, 2] })));
    await mission.commit(0, 1);
    await time.increase(60);
    await mission.reveal(0, 0);
    await mission.reveal(0, 1);
    await mission.contract.timeout(1);
    await time.increase(300);
    await mission.contract.timeout(0);
    await mission.clear(0, { agreeing: 0b011 });
    await time.increase(HOUR);
    await mission.contract.claim([0]);
  });

  replays("with a mandate amended, and a review that nobody ruled on in time", { nodes: [SEALED, TASK] }, async (mission) => {
    await mission.route(0, 1);
    for (const slot of [0, 1, 2]) await mission.commit(0, slot);
    await mission.contract.connect(mission.city.monitor).report(0, WHY, 1);
    await mission.override(Action.RESUME_WITH_AMENDMENT, 0, WHY);
    await mission.route(0);
    await mission.work(0);
    await mission.clear(0, { agreeing: 0b101 });
    await mission.work(1);
    await mission.clear(1, { confidence: 1 });
    for (const _pool of ["first", "backup"]) {
      await time.increase(900);
      await mission.contract.timeout(1);
    }
    await redone(mission, 1);
    await mission.run(1);
    await time.increase(HOUR);
    await mission.contract.claim([0, 1]);
    await mission.contract.close();
  });

  replays("with an appeal upheld", {}, async (mission) => {
    await mission.run(0, { score: 6000 });
    await appeal(mission);
    const ruling = { attempt: 0, filed: 1, upheld: 1, share: 9000, slash: tokens(20), culprits: 1 };
    await mission.override(Action.RESOLVE_APPEAL, 0, encodeActionData("RESOLVE_APPEAL", [ruling]));
    await time.increase(HOUR);
    await mission.contract.claim([0]);
    await mission.contract.close();
  });

  replays("with an appeal rejected, and one nobody ruled on", {}, async (mission) => {
    await mission.run(0, { result: Result.FAIL });
    await appeal(mission);
    const ruling = { attempt: 0, filed: 1, upheld: 0, share: 0, slash: 0n, culprits: 0 };
    await mission.override(Action.RESOLVE_APPEAL, 0, encodeActionData("RESOLVE_APPEAL", [ruling]));
    await redone(mission);
    await mission.run(0);
    await appeal(mission, 1);
    await time.increase(4n * HOUR);
    await mission.contract.claim([0]);
    await mission.contract.close();
  });

  replays("that is aborted with one node earned and one returned", { nodes: [TASK, TASK], duration: 7200 }, async (mission) => {
    await mission.run(0);
    await time.increaseTo(await mission.contract.expiresAt());
    await mission.contract.abort();
    await mission.contract.refund();
    await mission.contract.claim([0]);
    await mission.contract.close();
  });

  replays("whose executor cannot be paid at first", { nodes: [SEALED] }, async (mission) => {
    await mission.run(0);
    const { agent } = await mission.executorOf(0);
    const token = await turnHostile(mission.city);
    await token.block(agent.address);
    await token.block(await mission.city.producers.principalOf(agent.address));
    await time.increase(HOUR);
    await mission.contract.claim([0]);
    await token.block(agent.address, false);
    await mission.contract.claim([0]);
    await mission.contract.close();
  });

  it("a mission whose nodes are missions: one that made no law, one that wasted a part, one that was done", async () => {
    const leaf = { budget: tokens(50) };
    const plan: Plan = { budget: tokens(110), nodes: [leaf, { ...leaf, nodes: [leaf], fates: ["lawless", "late"] }] };
    const tree = await MissionTree.found();
    const mission = await tree.grow(plan);
    const { params } = await mission.contract.context();
    const numbers: Partial<MissionParams> = {
      verificationTimeout: Number(params.verificationTimeout),
      maxHumanReviewTimeout: Number(params.maxHumanReviewTimeout),
      maxRefinementIterations: Number(params.maxRefinementIterations),
    };
    await expectReplayed(mission, 0, { params: numbers, reserve: tokens(10) });
  });
});
