import { anyValue } from "@nomicfoundation/hardhat-ethers-chai-matchers/withArgs";
import { expect } from "chai";
import { id, ZeroHash } from "ethers";
import { type Hash, hashSchema } from "../../../../orchestrator/primitives/hex.ts";
import { checkpointHeadOf, type Opening, workHashOf } from "../../../../orchestrator/rules/commitments.ts";
import { keyOf, networkHelpers } from "../../../support/city-fixture.ts";
import {
  Action,
  FOUR_THREE_ONE,
  HOUR,
  type Mission,
  MissionState,
  NodeState,
  openMission,
  TASK,
} from "../../../support/mission-fixture.ts";

const INTERVAL = 300;
const NONE: Hash = `0x${"0".repeat(64)}`;
const CONSENSUS = { ...TASK, tier: 2, redundancy: 3, threshold: 2, panelSize: 3 };
const { time } = networkHelpers;

describe("Checkpoints", () => {
  let mission: Mission;
  const awarded = async (nodes = [TASK, TASK], anchorInterval = INTERVAL) => {
    mission = await (await (await openMission({ nodes, anchorInterval })).activate()).awardAll();
  };
  type Wave = Awaited<ReturnType<Mission["wave"]>>;
  const take = (wave: Wave) => mission.contract.checkpoint(wave);
  const refused = (call: Promise<unknown>, error: string) => expect(call).to.be.revertedWithCustomError(mission.contract, error);

  afterEach(async () => expect(await mission.imbalance()).to.equal(""));

  describe("checkpoint", () => {
    it("stands after one call where route, commits and reveals would have left it", async () => {
      await awarded([TASK, CONSENSUS]);
      const wave = await mission.wave([0, 1]);
      const services = [await mission.contract.pledgeOf(0, 0), ...(await pledges(1))];
      const sent = await take(wave);
      const commitments = [await mission.commitmentOf(0), ...(await Promise.all([0, 1, 2].map((slot) => mission.commitmentOf(1, slot))))];
      const work = workHashOf(services.flatMap((service, k) => [hashSchema.parse(service), hashSchema.parse(commitments[k])]));
      const head = checkpointHeadOf(NONE, hashSchema.parse(wave.root), work);
      await expect(sent).to.emit(mission.contract, "Checkpointed").withArgs(wave.runner, ZeroHash, head, wave.root, 0b11);
      expect(await mission.contract.checkpointed()).to.equal(head);
      expect(await mission.contract.state()).to.equal(MissionState.EXECUTING);
      expect([await mission.contract.pledgeOf(0, 0), ...(await pledges(1))]).to.deep.equal(commitments);
      for (const [node, mask] of [0b1n, 0b111n].entries()) {
        const word = await mission.contract.nodeOf(node);
        expect([word.state, word.commitMask, word.revealMask]).to.deep.equal([NodeState.PENDING_VERIFICATION, mask, mask]);
        expect(word.drawBlock).to.equal(sent.blockNumber);
      }
    });

    it("is evaluated in a later block, by panels drawn after it was committed", async () => {
      await awarded();
      await take(await mission.wave([0]));
      await refused(mission.contract.panelOf(0), "TooEarly");
      await mission.clear(0);
      expect(await mission.stateOf(0)).to.equal(NodeState.COMPLETED);
    });

    it("is paid on proof of its floor only, and when its window closed", async () => {
      await awarded();
      await take(await mission.wave([0, 1]));
      await refused(mission.contract.claim([0]), "NotRecorded");
      await expect(mission.clear(0, { basis: 0n })).to.emit(mission.contract, "PanelRedrawn");
      await networkHelpers.mine();
      await refused(mission.clear(0, { unproven: true }), "EvidenceMissing");
      expect((await mission.contract.ledger()).entitled).to.equal(0);
      await mission.clear(1);
      expect((await mission.contract.ledger()).entitled).to.be.greaterThan(0);
      await refused(mission.contract.claim([1]), "WindowOpen");
      await time.increase(HOUR);
      await expect(mission.contract.claim([1])).to.emit(mission.contract, "Claimed");
    });

    it("goes on to its successors: a whole mission in a checkpoint and a clearing per wave", async () => {
      await awarded(FOUR_THREE_ONE, 300);
      for (const nodes of [[0, 1, 2, 3], [4, 5, 6], [7]]) {
        for (const node of nodes) if ((await mission.contract.slotOf(node, 0)).agent === `0x${"0".repeat(40)}`) await late(node);
        await take(await mission.wave(nodes));
        for (const node of nodes) await mission.clear(node, { agreeing: 0b11111 });
      }
      expect(await mission.stateOf(7)).to.equal(NodeState.PENDING_REVIEW);
      expect(await mission.contract.completed()).to.equal(0b1111111);
    });
  });

  describe("passes over", () => {
    it("a node that was frozen since, unless nothing else is in the wave; its executors are heard stage by stage", async () => {
      await awarded([TASK, TASK, TASK]);
      const wave = await mission.wave([0, 1, 2]);
      for (const node of [0, 2]) await mission.override(Action.FREEZE, node);
      const reason = (name: "WrongNodeState") => mission.contract.interface.getError(name)?.selector;
      const sent = await take(wave);
      for (const node of [0, 2]) await expect(sent).to.emit(mission.contract, "Skipped").withArgs(node, 255, 0, reason("WrongNodeState"));
      await expect(sent).to.emit(mission.contract, "Checkpointed").withArgs(wave.runner, ZeroHash, anyValue, wave.root, 0b010);
      await refused(take(await mission.wave([0, 2])), "WrongNodeState");
      await mission.override(Action.UNFREEZE, 0);
      await mission.run(0);
      expect(await mission.stateOf(0)).to.equal(NodeState.COMPLETED);
    });

    it("a node that is late; the runner's word is for the wave as it was signed", async () => {
      await awarded([TASK, { ...TASK, predecessors: 0b1n }, TASK]);
      await time.increase(60);
      await mission.run(0);
      await time.increase(INTERVAL - 30);
      const wave = await mission.wave([1, 2]);
      await take(wave);
      expect([await mission.stateOf(1), await mission.stateOf(2)]).to.deep.equal([NodeState.PENDING_VERIFICATION, NodeState.ELIGIBLE]);
    });
  });

  describe("refuses", () => {
    it("a mission whose law wants every stage on chain, and nothing at all", async () => {
      await awarded([TASK], 0);
      await refused(take(await mission.wave([0])), "NotHybrid");
      await awarded();
      await refused(take(await mission.wave([])), "EmptyBatch");
    });

    it("who is no runner, a runner of an executor's principal, and another's signature in its name", async () => {
      await awarded();
      const { evidence } = mission.city;
      const [stranger, insider] = [await mission.city.account("stranger"), await mission.city.account("insider")];
      await refused(take(await mission.wave([0], { key: stranger })), "NotRunner");
      const { agent } = await mission.executorOf(0);
      await evidence.registerRunner(insider.address, await mission.city.producers.principalOf(agent.address));
      await refused(take(await mission.wave([0], { key: insider })), "RunnerConflict");
      await refused(take(await mission.wave([0], { signer: stranger })), "InvalidSignature");
    });

    it("a wave that was changed after its runner signed", async () => {
      await awarded();
      const wave = await mission.wave([0, 1]);
      await refused(take({ ...wave, root: id("another log") }), "InvalidSignature");
      await refused(take({ ...wave, pledges: wave.pledges.slice(1) }), "InvalidSignature");
      await refused(take({ ...wave, pledges: [...wave.pledges].reverse() }), "InvalidSignature");
      await refused(take({ ...wave, deadline: 1n }), "Expired");
      await take(wave);
    });

    it("the whole wave where a node is not signed for: who sends it leaves none out by that", async () => {
      await awarded();
      const wave = await mission.wave([0, 1]);
      const [first, second] = wave.pledges;
      const spoiled = { node: 1, openings: second?.openings ?? [], signatures: first?.signatures ?? [] };
      await refused(take({ ...wave, pledges: wave.pledges.with(1, spoiled) }), "InvalidSignature");
      await refused(take({ ...wave, pledges: wave.pledges.with(1, { ...spoiled, signatures: [] }) }), "LengthMismatch");
      await take(wave);
    });

    it("work that its executor did not sign for, or for another attempt", async () => {
      await awarded();
      const [first, second] = (await mission.wave([0, 1])).pledges;
      const wave = await mission.wave([0]);
      const forged = { node: 0, openings: first?.openings ?? [], signatures: second?.signatures ?? [] };
      await refused(take({ ...wave, pledges: [forged] }), "InvalidSignature");
      await mission.route(0);
      await time.increase(TASK.timeout);
      await mission.contract.timeout(0);
      await mission.contract.reopen(0);
      for (let worker = 0; worker < 4; worker++) await mission.bid(0, worker).catch(() => undefined);
      await mission.closeMarket();
      await mission.city.execution.award(mission.address, [0]);
      await refused(take(wave), "InvalidSignature");
    });

    it("a wave whose node failed and reopened since; its runner signs again for the others, and they are taken", async () => {
      // Longer than a node's own clock, so that its end is not the checkpoint's.
      await awarded([TASK, TASK], 2 * INTERVAL);
      const wave = await mission.wave([0, 1]);
      await time.increaseTo((await mission.contract.nodeOf(1)).deadline);
      await mission.contract.timeout(1);
      await mission.contract.reopen(1);
      await refused(take(wave), "SlotEmpty");
      await take(await mission.wave([0]));
      expect([await mission.stateOf(0), await mission.stateOf(1)]).to.deep.equal([NodeState.PENDING_VERIFICATION, NodeState.ELIGIBLE]);
    });

    it("one that was taken before, one that skips another, and one that comes after its turn", async () => {
      await awarded();
      const [first, second] = [await mission.wave([0]), await mission.wave([1])];
      await take(first);
      await refused(take(first), "StaleCheckpoint");
      await refused(take(second), "StaleCheckpoint");
      await refused(take(await mission.wave([1], { previous: id("a later one") })), "StaleCheckpoint");
      await take(await mission.wave([1]));
    });

    it("work that could have begun longer ago than the interval; it goes on chain, and nothing of it is lost", async () => {
      await awarded();
      await time.increase(INTERVAL + 1);
      await refused(take(await mission.wave([0])), "CheckpointLate");
      const commitment = await mission.commitmentOf(0);
      await mission.run(0);
      expect(await mission.contract.pledgeOf(0, 0)).to.equal(commitment);
      expect(await mission.stateOf(0)).to.equal(NodeState.COMPLETED);
    });

    it("a node that was started on chain, waits, or is taken already", async () => {
      await awarded([TASK, TASK, { ...TASK, predecessors: 0b11n }]);
      const wave = await mission.wave([0]);
      await refused(take(await mission.wave([2])), "WrongNodeState");
      await mission.route(0);
      await refused(take(wave), "WrongNodeState");
      await mission.override(Action.FREEZE, 0);
      await refused(take(wave), "WrongNodeState");
      await mission.override(Action.UNFREEZE, 0);
      await refused(take(wave), "AlreadyStarted");
      await take(await mission.wave([1]));
      await refused(take(await mission.wave([1])), "WrongNodeState");
    });

    it("a node that is a mission of its own, and one with a slot too few", async () => {
      await awarded([TASK, CONSENSUS]);
      const wave = await mission.wave([1]);
      const [order] = wave.pledges;
      const openings = order?.openings.slice(1) ?? [];
      const signatures = order?.signatures ?? [];
      await refused(take({ ...wave, pledges: [{ node: 1, openings, signatures }] }), "LengthMismatch");
      await refused(take({ ...wave, pledges: [{ node: 1, openings: order?.openings ?? [], signatures: [] }] }), "LengthMismatch");
      mission = await (await openMission({ nodes: [TASK, { ...TASK, leaf: false }], anchorInterval: INTERVAL })).activate();
      const branch = { node: 1, openings: [], signatures: [] };
      await refused(take({ ...(await mission.wave([])), pledges: [branch] }), "NotALeaf");
      await refused(take({ ...(await mission.wave([])), pledges: [await unbound()] }), "SlotEmpty");
    });

    it("everything while the mission is stopped, and a node that is frozen", async () => {
      await awarded();
      const wave = await mission.wave([0]);
      await mission.override(Action.EMERGENCY_STOP, 0);
      await refused(take(wave), "Stopped");
      await mission.override(Action.CLEAR_EMERGENCY_STOP, 0);
      await mission.contract.connect(mission.city.monitor).report(0, id("DEVIATION_EXCEEDED"), 3);
      await refused(take(wave), "WrongNodeState");
      await mission.override(Action.TERMINATE_MISSION, 0);
      await refused(take(wave), "WrongMissionState");
    });

    it("too many items, work without a trail, and what claims nothing at the floor", async () => {
      await awarded();
      const opening = await mission.opening(0);
      Object.assign(opening, { items: 33 });
      await refused(take(await mission.wave([0])), "TooManyItems");
      Object.assign(opening, { items: 1, trailRoot: ZeroHash });
      await refused(take(await mission.wave([0])), "TrailMissing");
      Object.assign(opening, { classes: 0n, trailRoot: id("trail") });
      await refused(take(await mission.wave([0])), "ClaimsTooLittle");
    });
  });

  const pledges = (node: number) => Promise.all([0, 1, 2].map((slot) => mission.contract.pledgeOf(node, slot)));

  /** Fairness may hold a node back once (decisions 16). */
  async function late(node: number): Promise<void> {
    await mission.closeMarket();
    await mission.city.execution.award(mission.address, [node]);
  }

  /** Of a node that nobody was awarded. */
  async function unbound() {
    const nothing: Opening = { salt: NONE, outputHash: NONE, trailRoot: NONE, envelopeRoot: NONE, items: 0, classes: 0n };
    const signature = await mission.city.sign(
      "Anchor",
      mission.address,
      { runner: keyOf("x").address, root: ZeroHash, deadline: 1 },
      keyOf("x"),
    );
    return { node: 0, openings: [nothing], signatures: [signature] };
  }
});
