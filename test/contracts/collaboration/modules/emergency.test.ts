import { expect } from "chai";
import { id } from "ethers";
import { encodeAbiParameters } from "viem";
import { recentFreezes } from "../../../../orchestrator/rules/escalation.ts";
import { ethers, networkHelpers } from "../../../support/city-fixture.ts";
import { Action, type Mission, type MissionOptions, MissionState, NodeState, openMission, TASK } from "../../../support/mission-fixture.ts";

const REASON = id("TOOL_LIMIT_EXCEEDED");
const SNAPSHOT = id("snapshot");
/** The devnet's values. */
const SILENCE = 60;
const PATIENCE = 1800;
const { time } = networkHelpers;

describe("What stops a mission", () => {
  let mission: Mission;
  const routed = async (options: MissionOptions = {}) => {
    mission = await (await (await openMission(options)).activate()).awardAll();
    await mission.route(0);
  };
  const report = (node = 0) => mission.contract.connect(mission.city.monitor).report(node, REASON, 41);
  const degrade = (since: bigint) => mission.contract.connect(mission.city.monitor).degrade(since);
  const silent = async () => degrade((await mission.city.now()) - BigInt(SILENCE));
  const refused = (call: Promise<unknown>, error: string) => expect(call).to.be.revertedWithCustomError(mission.contract, error);
  const freezeAgain = async () => {
    await mission.override(Action.UNFREEZE, 0);
    return report();
  };
  const falsePositive = async (index: bigint, target?: string) => {
    const judge = mission.contract.connect(await mission.city.as("ADJUDICATION"));
    const data = encodeAbiParameters([{ type: "uint256" }], [index]);
    const agent = target ?? (await mission.executorOf(0)).agent.address;
    return judge.onOverride(Action.CLASSIFY_FALSE_POSITIVE, 0, agent, data, await mission.contract.caseHash(0));
  };

  afterEach(async () => expect(await mission.imbalance()).to.equal(""));

  describe("escalation", () => {
    // ρ = 500 and a bonus of 3: four freezes.
    it("stops the mission with the freeze that reaches the agent's threshold", async () => {
      await routed({ nodes: [TASK, TASK] });
      const { agent } = await mission.executorOf(0);
      await expect(report()).to.emit(mission.contract, "FreezeCounted").withArgs(0, agent.address, 0, 1, 4);
      await freezeAgain();
      await expect(freezeAgain()).not.to.emit(mission.contract, "EmergencyStopped");
      expect((await mission.contract.watch()).stopped).to.equal(false);
      const last = freezeAgain();
      await expect(last).to.emit(mission.contract, "FreezeCounted").withArgs(0, agent.address, 3, 4, 4);
      await expect(last).to.emit(mission.contract, "EmergencyStopped").withArgs(mission.city.monitor.address, agent.address);
      await refused(mission.route(1), "Stopped");
      const [first = 0n, second = 0n, third = 0n] = await mission.contract.freezesOf(agent.address);
      expect(recentFreezes([first, second, third], 0n)).to.equal(4n);
    });

    it("asks more of an agent with a name, nothing of reputation where the law does not scale", async () => {
      await routed();
      const { agent } = await mission.executorOf(0);
      await mission.city.producers.adjustReputation(agent.address, 500, REASON);
      await expect(report()).to.emit(mission.contract, "FreezeCounted").withArgs(0, agent.address, 0, 1, 6);
      await routed({ params: { reputationScaling: false } });
      const other = (await mission.executorOf(0)).agent.address;
      await expect(report()).to.emit(mission.contract, "FreezeCounted").withArgs(0, other, 0, 1, 3);
    });

    it("forgets what lies before its window", async () => {
      await routed();
      for (let i = 0; i < 3; i++) {
        if (i === 0) await report();
        else await freezeAgain();
        await time.increase(700);
      }
      await freezeAgain();
      expect((await mission.contract.watch()).stopped).to.equal(false);
    });

    it("counts no false positive, and classifies each once", async () => {
      await routed();
      await report();
      await freezeAgain();
      await expect(falsePositive(0n)).to.emit(mission.contract, "FalsePositive");
      const rules = new ethers.Contract(mission.address, ["error AlreadyClassified(uint256)", "error UnknownFreeze(uint256,uint256)"]);
      await expect(falsePositive(0n)).to.be.revertedWithCustomError(rules, "AlreadyClassified").withArgs(0);
      await expect(falsePositive(2n)).to.be.revertedWithCustomError(rules, "UnknownFreeze").withArgs(2, 2);
      await freezeAgain();
      await freezeAgain();
      expect((await mission.contract.watch()).stopped).to.equal(false);
      await freezeAgain();
      expect((await mission.contract.watch()).stopped).to.equal(true);
    });

    it("keeps counting beyond one word", async () => {
      await routed({ params: { escalationFreezeCount: 10, reputationScalingBonus: 7 } });
      const { agent } = await mission.executorOf(0);
      await report();
      for (let i = 1; i < 12; i++) await freezeAgain();
      expect((await mission.contract.watch()).stopped).to.equal(false);
      await expect(freezeAgain()).to.emit(mission.contract, "FreezeCounted").withArgs(0, agent.address, 12, 13, 13);
      expect((await mission.contract.watch()).stopped).to.equal(true);
    });

    it("does not count a human's freeze", async () => {
      await routed();
      const { agent } = await mission.executorOf(0);
      await mission.override(Action.FREEZE, 0);
      expect((await mission.contract.freezesOf(agent.address))[0]).to.equal(0n);
    });
  });

  describe("an emergency stop", () => {
    it("lets nothing be routed, stops the clocks of what waits, and ends by two signatures' word", async () => {
      await routed({ nodes: [TASK, TASK] });
      const { deadline } = await mission.contract.nodeOf(1);
      await expect(mission.override(Action.EMERGENCY_STOP, 0)).to.emit(mission.contract, "EmergencyStopped");
      await refused(mission.override(Action.EMERGENCY_STOP, 0), "Stopped");
      await refused(mission.route(1), "Stopped");
      const { stoppedAt } = await mission.contract.watch();
      await mission.work(0);
      await mission.clear(0);
      expect(await mission.stateOf(0)).to.equal(NodeState.COMPLETED);
      await time.increase(4000);
      await refused(mission.contract.timeout(1), "Stopped");
      await expect(mission.override(Action.CLEAR_EMERGENCY_STOP, 0)).to.emit(mission.contract, "EmergencyCleared").withArgs(1, 2400);
      expect((await mission.contract.nodeOf(1)).deadline).to.equal(deadline + (await mission.city.now()) - stoppedAt);
      await refused(mission.override(Action.CLEAR_EMERGENCY_STOP, 0), "NotStopped");
      await mission.route(1);
      expect(await mission.stateOf(1)).to.equal(NodeState.EXECUTING);
    });

    it("makes nobody late: what began has its time when it is over", async () => {
      await routed();
      const { deadline } = await mission.contract.nodeOf(0);
      await mission.override(Action.EMERGENCY_STOP, 0);
      const { stoppedAt } = await mission.contract.watch();
      await time.increaseTo(deadline + 1n);
      await refused(mission.contract.timeout(0), "TooEarly");
      await mission.override(Action.CLEAR_EMERGENCY_STOP, 0);
      const moved = deadline + (await mission.city.now()) - stoppedAt;
      expect((await mission.contract.nodeOf(0)).deadline).to.equal(moved);
      await refused(mission.contract.timeout(0), "TooEarly");
      await time.increaseTo(moved);
      await mission.contract.timeout(0);
      expect(await mission.stateOf(0)).to.equal(NodeState.FAILED);
    });

    it("gives nothing back to whoever was late before it", async () => {
      await routed();
      await time.increaseTo((await mission.contract.nodeOf(0)).deadline);
      await mission.override(Action.EMERGENCY_STOP, 0);
      await time.increase(1000);
      await mission.contract.timeout(0);
      expect(await mission.stateOf(0)).to.equal(NodeState.FAILED);
    });

    it("once cleared is over: what caused it counts no more, and the window doubles", async () => {
      await routed();
      await report();
      for (let i = 0; i < 3; i++) await freezeAgain();
      expect((await mission.contract.watch()).stopped).to.equal(true);
      await mission.override(Action.CLEAR_EMERGENCY_STOP, 0);
      await time.increase(1);
      for (let i = 0; i < 3; i++) {
        await freezeAgain();
        await time.increase(700);
      }
      expect((await mission.contract.watch()).stopped).to.equal(false);
      // 2,100 s after the first of these: outside the first window, inside the second.
      await freezeAgain();
      expect((await mission.contract.watch()).stopped).to.equal(true);
    });

    it("binds an order that ends the mission to itself, and to no node; a monitor's suspension binds it to every node", async () => {
      mission = await (await (await openMission({ nodes: [TASK, TASK] })).activate()).awardAll();
      await mission.route(0, 1);
      const judged = () => mission.contract.missionCaseHash();
      await mission.contract.connect(mission.city.monitor).suspend(id("finding"));
      const suspended = await judged();
      await mission.work(0);
      expect(await judged()).not.to.equal(suspended);
      await mission.override(Action.EMERGENCY_STOP, 0);
      const stopped = await judged();
      await mission.work(1);
      expect(await judged()).to.equal(stopped);
      await mission.override(Action.CLEAR_EMERGENCY_STOP, 0);
      expect(await judged()).not.to.equal(stopped);
      await mission.override(Action.EMERGENCY_STOP, 0);
      expect(await judged()).not.to.equal(stopped);
    });

    it("does not outlive the mission's time", async () => {
      await routed({ nodes: [TASK, TASK], duration: 3600 });
      await mission.override(Action.EMERGENCY_STOP, 0);
      await time.increaseTo(await mission.contract.expiresAt());
      await mission.contract.abort();
      expect(await mission.contract.state()).to.equal(MissionState.ABORTED);
    });
  });

  describe("sealSnapshot", () => {
    it("keeps one hash per freeze", async () => {
      await routed();
      await refused(mission.contract.connect(mission.city.monitor).sealSnapshot(0, SNAPSHOT), "WrongNodeState");
      await report();
      await refused(mission.contract.sealSnapshot(0, SNAPSHOT), "NotMonitor");
      const { agent } = await mission.executorOf(0);
      await refused(mission.contract.connect(agent).sealSnapshot(0, SNAPSHOT), "NotMonitor");
      await expect(mission.contract.connect(mission.city.monitor).sealSnapshot(0, SNAPSHOT))
        .to.emit(mission.contract, "SnapshotSealed")
        .withArgs(0, 1, mission.city.monitor.address, SNAPSHOT);
      await refused(mission.contract.connect(mission.city.monitor).sealSnapshot(0, id("other")), "AlreadySealed");
      await freezeAgain();
      await mission.contract.connect(mission.city.monitor).sealSnapshot(0, id("other"));
    });
  });

  describe("degrade and recover", () => {
    it("suspends everything but earned money until humans say so, and gives the lost time back", async () => {
      await routed({ nodes: [TASK, TASK, TASK] });
      await mission.run(1);
      const { deadline } = await mission.contract.nodeOf(0);
      const at = await mission.city.now();
      await refused(mission.contract.degrade(at - 100n), "NotMonitor");
      await refused(degrade(at), "NotSilent");
      await expect(degrade(at - BigInt(SILENCE))).to.emit(mission.contract, "MissionDegraded");
      expect(await mission.contract.state()).to.equal(MissionState.DEGRADED);
      const { degradedSince, degradedUntil } = await mission.contract.watch();
      expect(degradedUntil - degradedSince).to.equal(BigInt(SILENCE + PATIENCE));
      await refused(mission.commit(0), "WrongMissionState");
      await refused(mission.route(2), "WrongMissionState");
      await refused(mission.contract.timeout(0), "WrongMissionState");
      await refused(mission.override(Action.EMERGENCY_STOP, 0), "WrongMissionState");
      await refused(silent(), "WrongMissionState");
      await time.increase(1000);
      await expect(mission.override(Action.CLEAR_EMERGENCY_STOP, 0)).to.emit(mission.contract, "MissionRecovered").withArgs(degradedSince);
      expect(await mission.contract.state()).to.equal(MissionState.EXECUTING);
      expect((await mission.contract.nodeOf(0)).deadline).to.equal(deadline + (await mission.city.now()) - degradedSince);
      await mission.commit(0);
      await mission.route(2);
      await time.increase(3600);
      await mission.contract.claim([1]);
    });

    it("lifts a stop too", async () => {
      await routed({ nodes: [TASK, TASK] });
      await mission.override(Action.EMERGENCY_STOP, 0);
      await silent();
      await mission.override(Action.CLEAR_EMERGENCY_STOP, 0);
      expect((await mission.contract.watch()).stopped).to.equal(false);
      await mission.route(1);
    });

    it("is refuted by whoever was heard since", async () => {
      await routed();
      await mission.city.constitution.connect(await mission.city.account("anybody")).pulse();
      await time.increase(SILENCE - 10);
      await refused(silent(), "NotSilent");
      await time.increase(10);
      await silent();
    });

    it("needs a mission that executes", async () => {
      mission = await (await (await openMission()).activate()).awardAll();
      await refused(silent(), "WrongMissionState");
    });
  });

  describe("suspend and lapse", () => {
    const LONG = 2 * 3600;
    const suspend = () => mission.contract.connect(mission.city.monitor).suspend(SNAPSHOT);
    const lapse = () => mission.contract.lapse();

    it("stops a mission until humans have looked, or for a time, which is given back", async () => {
      await routed({ nodes: [TASK, TASK] });
      const { deadline } = await mission.contract.nodeOf(1);
      await refused(mission.contract.suspend(SNAPSHOT), "NotMonitor");
      await refused(lapse(), "NotStopped");
      const call = suspend();
      await expect(call).to.emit(mission.contract, "MissionSuspended");
      const { stopped, stoppedAt, suspendedBy, suspendedUntil } = await mission.contract.watch();
      expect([stopped, suspendedBy, suspendedUntil]).to.deep.equal([true, mission.city.monitor.address, stoppedAt + BigInt(LONG)]);
      await refused(suspend(), "Stopped");
      await refused(mission.route(1), "Stopped");
      await refused(lapse(), "NotExpired");
      await time.increase(LONG);
      await expect(lapse()).to.emit(mission.contract, "SuspensionLapsed").withArgs(mission.city.monitor.address, suspendedUntil);
      expect((await mission.contract.nodeOf(1)).deadline).to.equal(deadline + (await mission.city.now()) - stoppedAt);
      await refused(lapse(), "NotStopped");
      await mission.route(1);
    });

    it("becomes a stop by a human's word, and is over by two", async () => {
      await routed({ nodes: [TASK, TASK] });
      await suspend();
      await mission.override(Action.EMERGENCY_STOP, 0);
      await refused(mission.override(Action.EMERGENCY_STOP, 0), "Stopped");
      await time.increase(LONG);
      await refused(lapse(), "NotStopped");
      await refused(mission.route(1), "Stopped");
      await mission.override(Action.CLEAR_EMERGENCY_STOP, 0);
      await suspend();
      await mission.override(Action.CLEAR_EMERGENCY_STOP, 0);
      expect((await mission.contract.watch()).suspendedUntil).to.equal(0);
      await mission.route(1);
    });

    it("is not a monitor's whose principal has a part in the mission", async () => {
      await routed();
      const { city } = mission;
      const { agent } = await mission.executorOf(0);
      const own = await city.account("own monitor");
      await city.evidence.registerMonitor(own.address, await city.producers.principalOf(agent.address));
      await refused(mission.contract.connect(own).suspend(SNAPSHOT), "NotMonitor");
    });

    it("twice in 30 days unconfirmed ends a monitor's office", async () => {
      await routed({ nodes: [TASK, TASK] });
      for (const dismissed of [false, true]) {
        await suspend();
        const { suspendedUntil } = await mission.contract.watch();
        await time.increase(LONG);
        await expect(lapse())
          .to.emit(mission.city.evidence, "LapseCounted")
          .withArgs(mission.city.monitor.address, suspendedUntil, dismissed);
      }
      await refused(suspend(), "NotMonitor");
    });

    it("is heard by whoever ends the mission for it, and answered for where its time ends it", async () => {
      await routed();
      await suspend();
      await mission.override(Action.TERMINATE_MISSION, 0);
      await time.increase(LONG);
      await refused(lapse(), "NotStopped");
      await routed({ duration: 7_200 });
      await suspend();
      await time.increase(LONG);
      await mission.contract.abort();
      await expect(lapse()).to.emit(mission.city.evidence, "LapseCounted");
    });

    it("waits with the mission while its chain is silent", async () => {
      await routed();
      await suspend();
      await silent();
      await time.increase(LONG);
      await refused(lapse(), "WrongMissionState");
      await mission.override(Action.CLEAR_EMERGENCY_STOP, 0);
      await refused(lapse(), "NotStopped");
    });
  });

  describe("expire", () => {
    it("aborts when no human answered in time", async () => {
      await routed();
      await refused(mission.contract.expire(), "WrongMissionState");
      await silent();
      await refused(mission.contract.expire(), "NotExpired");
      await time.increase(PATIENCE);
      await mission.contract.expire();
      expect(await mission.contract.state()).to.equal(MissionState.ABORTED);
      await mission.contract.refund();
    });

    it("leaves humans their time when the mission's own is over", async () => {
      await routed({ duration: 7_200 });
      await time.increaseTo((await mission.contract.expiresAt()) - 10n);
      await silent();
      await time.increaseTo(await mission.contract.expiresAt());
      await refused(mission.contract.expire(), "NotExpired");
      await time.increase(PATIENCE);
      await mission.contract.expire();
      await mission.contract.close();
    });

    it("leaves the way of TERMINATE_MISSION open", async () => {
      await routed();
      await silent();
      await mission.override(Action.TERMINATE_MISSION, 0);
      expect(await mission.contract.state()).to.equal(MissionState.ABORTED);
    });
  });
});
