import { expect } from "chai";
import { id } from "ethers";
import { networkHelpers, tokens } from "../../../support/city-fixture.ts";
import { Action, type Mission, type MissionOptions, MissionState, NodeState, openMission, TASK } from "../../../support/mission-fixture.ts";

const REASON = id("TOOL_LIMIT");
const CONSENSUS = { ...TASK, tier: 2, redundancy: 3, threshold: 2, panelSize: 3 };

describe("Guardian", () => {
  let mission: Mission;
  const routed = async (options: MissionOptions = {}) => {
    mission = await (await (await openMission(options)).activate()).awardAll();
    await mission.route(0);
  };
  const report = () => mission.contract.connect(mission.city.monitor).report(0, REASON, 41);
  const refused = (call: Promise<unknown>, error: string) => expect(call).to.be.revertedWithCustomError(mission.contract, error);

  afterEach(async () => expect(await mission.imbalance()).to.equal(""));

  describe("report", () => {
    it("freezes on a monitor's word and stops the node's clock", async () => {
      await routed();
      await networkHelpers.time.increase(20);
      const call = report();
      await expect(call).to.emit(mission.contract, "AnomalyReported").withArgs(0, mission.city.monitor.address, REASON, 41);
      await expect(call).to.emit(mission.contract, "NodeFrozen").withArgs(0, mission.city.monitor.address, REASON, 1);
      const word = await mission.contract.nodeOf(0);
      expect(word.state).to.equal(NodeState.FROZEN);
      expect(word.remainder).to.be.lessThanOrEqual(40).and.greaterThan(30);
      await refused(mission.commit(0), "WrongNodeState");
      await refused(mission.contract.timeout(0), "TooEarly");
    });

    it("is a monitor's or the executor's own, while its clock runs", async () => {
      await routed();
      await refused(mission.contract.report(0, REASON, 1), "NotMonitor");
      const { agent } = await mission.executorOf(0);
      await networkHelpers.time.increase(60);
      await refused(mission.contract.connect(agent).report(0, REASON, 1), "WindowClosed");
      await report();
      expect(await mission.stateOf(0)).to.equal(NodeState.FROZEN);
      await refused(report(), "WrongNodeState");
    });
  });

  describe("UNFREEZE", () => {
    it("lets the node go on with the time it had left", async () => {
      await routed();
      await networkHelpers.time.increase(20);
      await report();
      const { remainder } = await mission.contract.nodeOf(0);
      await networkHelpers.time.increase(3000);
      await mission.override(Action.UNFREEZE, 0);
      expect(await mission.stateOf(0)).to.equal(NodeState.ELIGIBLE);
      await mission.route(0);
      expect((await mission.contract.nodeOf(0)).deadline).to.equal((await mission.city.now()) + remainder);
      await mission.work(0);
      await mission.clear(0);
      expect(await mission.stateOf(0)).to.equal(NodeState.COMPLETED);
    });

    it("keeps what was committed: only the others are routed again", async () => {
      await routed({ nodes: [CONSENSUS] });
      await mission.commit(0, 1);
      await report();
      await mission.override(Action.UNFREEZE, 0);
      await refused(mission.contract.route([await mission.order(0, { slots: [0] })]), "LiveHashMissing");
      await mission.contract.route([await mission.order(0, { slots: [0, 2] })]);
      for (const slot of [0, 2]) await mission.commit(0, slot);
      for (const slot of [0, 1, 2]) await mission.reveal(0, slot);
      await mission.clear(0);
      expect(await mission.stateOf(0)).to.equal(NodeState.COMPLETED);
    });

    it("sends finished work straight back to a panel", async () => {
      await routed();
      await mission.work(0);
      await mission.override(Action.FREEZE, 0);
      await mission.override(Action.UNFREEZE, 0);
      await mission.contract.route([{ node: 0, hashes: [], services: [] }]);
      expect(await mission.stateOf(0)).to.equal(NodeState.PENDING_VERIFICATION);
      await mission.clear(0);
      expect(await mission.stateOf(0)).to.equal(NodeState.COMPLETED);
      await refused(mission.override(Action.UNFREEZE, 0), "WrongMissionState");
    });
  });

  describe("a freeze", () => {
    it("expires into failure without slash", async () => {
      await routed();
      await report();
      const { agent } = await mission.executorOf(0);
      await networkHelpers.time.increase(7200);
      await mission.contract.timeout(0);
      expect(await mission.stateOf(0)).to.equal(NodeState.FAILED);
      const { held, locked } = await mission.city.producers.stakeOf(agent.address);
      expect([held, locked]).to.deep.equal([tokens(10_000), 0n]);
    });

    it("costs 100 when a human confirms it", async () => {
      await routed();
      await report();
      const { agent } = await mission.executorOf(0);
      await mission.override(Action.REJECT_POP, 0);
      expect(await mission.stateOf(0)).to.equal(NodeState.FAILED);
      expect((await mission.city.producers.stakeOf(agent.address)).held).to.equal(tokens(9900));
    });
  });

  describe("onOverride", () => {
    it("terminates, and says what it did", async () => {
      await routed();
      await expect(mission.override(Action.TERMINATE_MISSION, 0))
        .to.emit(mission.contract, "Overridden")
        .withArgs(Action.TERMINATE_MISSION, 0, mission.address);
      expect(await mission.contract.state()).to.equal(MissionState.ABORTED);
      await mission.contract.refund();
      expect((await mission.contract.ledger()).refunded).to.equal(tokens(100));
    });

    it("knows five actions", async () => {
      await routed();
      await refused(mission.override(6, 0), "UnsupportedOverride");
      await refused(mission.override(Action.UNFREEZE, 0), "WrongNodeState");
      await refused(mission.override(Action.REJECT_POP, 0), "WrongNodeState");
    });
  });
});
