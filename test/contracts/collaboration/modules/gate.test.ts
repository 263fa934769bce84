import { expect } from "chai";
import { id } from "ethers";
import { EvidenceClass } from "../../../../orchestrator/rules/admissibility.ts";
import { ethers, networkHelpers } from "../../../support/city-fixture.ts";
import {
  Action,
  type Mission,
  type MissionOptions,
  MissionState,
  NodeState,
  openMission,
  packed,
  TASK,
} from "../../../support/mission-fixture.ts";

const PREDICATE = 7;
/** Answers of the harness that are no consent. */
const VETOES = { NO: 1, REVERT: 2, OTHER_WORD: 3, NOTHING: 4, FLOOD: 5, BURN: 6 };

describe("Gate", () => {
  let mission: Mission;
  const oracle = async (mood: number) => {
    const contract = await ethers.deployContract("OracleHarness");
    await contract.getFunction("become")(mood);
    return contract;
  };
  /** Committed by its executor; predicate 7 of the city answers in `mood`. */
  const worked = async (mood: number, options: MissionOptions = {}) => {
    mission = await (await (await openMission({ nodes: [{ ...TASK, predicate: PREDICATE }], ...options })).activate()).awardAll();
    await mission.city.execution.approvePredicate(PREDICATE, await oracle(mood));
    await mission.route(0);
    await mission.work(0);
    await networkHelpers.mine();
  };

  afterEach(async () => expect(await mission.imbalance()).to.equal(""));

  it("lets an output pass", async () => {
    await worked(0);
    await expect(mission.clear(0)).to.emit(mission.contract, "GateDecided").withArgs(0, true);
    expect(await mission.stateOf(0)).to.equal(NodeState.COMPLETED);
    expect((await mission.contract.nodeOf(0)).gated).to.equal(true);
  });

  for (const [name, mood] of Object.entries(VETOES)) {
    it(`takes ${name} for a veto, and a human decides`, async () => {
      await worked(mood);
      await expect(mission.clear(0)).to.emit(mission.contract, "GateDecided").withArgs(0, false);
      expect(await mission.stateOf(0)).to.equal(NodeState.PENDING_REVIEW);
      await mission.override(Action.APPROVE_POP, 0, await mission.approval(0));
      expect(await mission.stateOf(0)).to.equal(NodeState.COMPLETED);
    });
  }

  it("vetoes where nobody approved the predicate", async () => {
    mission = await (await (await openMission({ nodes: [{ ...TASK, predicate: 9 }] })).activate()).awardAll();
    await mission.run(0);
    expect(await mission.stateOf(0)).to.equal(NodeState.PENDING_REVIEW);
  });

  it("is asked once after a human's approval of a dispute; approving again overrides its veto", async () => {
    await worked(VETOES.NO);
    await mission.clear(0, { confidence: 1 });
    const approve = async () => mission.override(Action.APPROVE_POP, 0, await mission.approval(0));
    await expect(approve()).to.emit(mission.contract, "GateDecided").withArgs(0, false);
    expect(await mission.stateOf(0)).to.equal(NodeState.PENDING_REVIEW);
    await approve();
    expect(await mission.stateOf(0)).to.equal(NodeState.COMPLETED);
  });

  it("cannot be starved into a veto", async () => {
    await worked(0);
    const order = await mission.clearOrder(0);
    const enough = await mission.contract.clear.estimateGas(packed(order));
    let completedWith = 0n;
    let refused = 0;
    for (let gasLimit = enough; gasLimit > enough / 2n; gasLimit -= 40_000n) {
      const snapshot = await networkHelpers.takeSnapshot();
      await mission.contract.clear(packed(order), { gasLimit }).catch(async (error: unknown) => {
        if (!String(error).includes("GasTooLow")) return;
        refused += 1;
        await expect(Promise.reject(error)).to.be.revertedWithCustomError(mission.contract, "GasTooLow");
      });
      const state = await mission.stateOf(0);
      expect(state).to.be.oneOf([NodeState.COMPLETED, NodeState.PENDING_VERIFICATION]);
      if (state === NodeState.COMPLETED) completedWith = gasLimit;
      await snapshot.restore();
    }
    expect(completedWith).to.be.greaterThan(0n);
    expect(refused).to.be.greaterThan(0);
  });

  it("decides the mission's output with its last node", async () => {
    for (const [mood, state] of [
      [0, MissionState.COMPLETED],
      [VETOES.NO, MissionState.FAILED],
    ] as const) {
      await worked(mood, { nodes: [TASK], outputPredicate: PREDICATE });
      await expect(mission.clear(0))
        .to.emit(mission.contract, "OutputDecided")
        .withArgs(state === MissionState.COMPLETED);
      expect(await mission.contract.state()).to.equal(state);
      expect(await mission.stateOf(0)).to.equal(NodeState.COMPLETED);
      expect((await mission.contract.entitlementOf(0, 0)).paid).to.be.greaterThan(0);
    }
  });

  describe("VETO_OUTPUT and RELEASE_OUTPUT", () => {
    const refused = (call: Promise<unknown>, error: string) => expect(call).to.be.revertedWithCustomError(mission.contract, error);

    it("release what the gate vetoed, with the share it passed with", async () => {
      await worked(VETOES.NO);
      await mission.clear(0, { score: 9000 });
      await expect(mission.override(Action.RELEASE_OUTPUT, 0, await mission.release(0)))
        .to.emit(mission.contract, "GateDecided")
        .withArgs(0, true);
      expect(await mission.stateOf(0)).to.equal(NodeState.COMPLETED);
      expect((await mission.contract.nodeOf(0)).gated).to.equal(true);
      expect((await mission.contract.entitlementOf(0, 0)).paid).to.equal(87_300_000n);
    });

    it("veto before the gate is asked: whatever passes, a human decides", async () => {
      await worked(0);
      await mission.override(Action.VETO_OUTPUT, 0);
      await expect(mission.clear(0)).to.emit(mission.contract, "GateDecided").withArgs(0, false);
      expect(await mission.stateOf(0)).to.equal(NodeState.PENDING_REVIEW);
      await mission.override(Action.RELEASE_OUTPUT, 0, await mission.release(0));
      expect(await mission.stateOf(0)).to.equal(NodeState.COMPLETED);
    });

    it("veto work under review that the gate let pass", async () => {
      await worked(0, { nodes: [{ ...TASK, tier: 3, predicate: PREDICATE }] });
      await mission.clear(0);
      expect((await mission.contract.nodeOf(0)).gated).to.equal(true);
      await refused(mission.override(Action.RELEASE_OUTPUT, 0, await mission.release(0)), "NotVetoed");
      await expect(mission.override(Action.VETO_OUTPUT, 0)).to.emit(mission.contract, "GateDecided").withArgs(0, false);
      expect((await mission.contract.nodeOf(0)).gated).to.equal(false);
      await mission.override(Action.REJECT_POP, 0);
      expect(await mission.stateOf(0)).to.equal(NodeState.FAILED);
      await refused(mission.override(Action.VETO_OUTPUT, 0), "WrongNodeState");
    });

    it("release no dispute, and nothing that was not committed", async () => {
      await worked(VETOES.NO);
      await mission.override(Action.VETO_OUTPUT, 0);
      await mission.clear(0, { confidence: 1 });
      await refused(mission.override(Action.RELEASE_OUTPUT, 0, await mission.release(0)), "NotVetoed");
      await worked(VETOES.NO, { outputPredicate: PREDICATE });
      await mission.clear(0);
      const released = await mission.release(0);
      // Past the slot and the hash of what is carried: the opening's salt.
      const forged = `${released.slice(0, 130)}${"f".repeat(64)}${released.slice(194)}`;
      await refused(mission.override(Action.RELEASE_OUTPUT, 0, forged), "OpeningMismatch");
      const other = mission.override(Action.RELEASE_OUTPUT, 0, `0x${"01".padStart(64, "0")}${released.slice(66)}`);
      await refused(other, "NotCommitted");
      await mission.override(Action.RELEASE_OUTPUT, 0, await mission.release(0));
      expect(await mission.contract.state()).to.equal(MissionState.FAILED);
    });
  });

  it("asks a registered contract for evidence of class PROOF, under the same ceiling", async () => {
    for (const [mood, passes] of [
      [0, true],
      [VETOES.NO, false],
      [VETOES.BURN, false],
    ] as const) {
      mission = await (await (await openMission({ nodes: [{ ...TASK, floor: EvidenceClass.PROOF }] })).activate()).awardAll();
      const verifier = String((await oracle(mood)).target);
      await mission.city.evidence.registerIssuer(verifier, mission.city.deployer.address, 1 << EvidenceClass.PROOF);
      mission.evidence = { issuer: verifier, class: EvidenceClass.PROOF };
      await mission.route(0);
      await mission.work(0);
      if (passes) {
        await mission.clear(0);
        expect(await mission.stateOf(0)).to.equal(NodeState.COMPLETED);
      } else {
        await expect(mission.clear(0)).to.be.revertedWithCustomError(mission.contract, "ProofRejected").withArgs(0, 0);
      }
      expect(await mission.contract.probe(verifier, id("x"))).to.deep.include(false);
    }
  });
});
