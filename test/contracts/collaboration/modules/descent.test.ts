import { expect } from "chai";
import { ethers, networkHelpers, tokens } from "../../../support/city-fixture.ts";
import { State } from "../../../support/legislature.ts";
import { Action, type Mission, MissionState, NodeState, onward } from "../../../support/mission-fixture.ts";
import { MissionTree, type Plan } from "../../../support/mission-tree.ts";

const LEAF: Plan = { budget: tokens(100) };
const BRANCH: Plan = { budget: tokens(100), nodes: [LEAF] };
const VETO = 1;

describe("Descent", () => {
  let tree: MissionTree;
  let mission: Mission;
  const refused = (call: Promise<unknown>, error: string) => expect(call).to.be.revertedWithCustomError(mission.contract, error);
  const descend = (node = 0) => mission.contract.route(...onward(node));

  async function open(plan: Plan): Promise<void> {
    tree = await MissionTree.found();
    mission = await tree.enact(await tree.house.steps.open(plan.budget), plan);
  }
  /** The child of the session that was opened last. */
  async function child(plan: Plan = BRANCH): Promise<Mission> {
    return tree.enact(await tree.house.legislation.sessionCount(), plan, 1);
  }

  describe("route", () => {
    it("opens a child session with the node's budget, in the sponsor's name, whoever calls", async () => {
      await open({ budget: tokens(150), nodes: [BRANCH] });
      const { legislation, addresses, token, sponsor } = tree.house;
      await expect(descend()).to.emit(mission.contract, "ChildOpened").withArgs(0, 0, addresses.LEGISLATION, 2, tokens(100));
      const session = await legislation.sessionOf(2);
      expect([session.parent, session.child, session.node, session.depth]).to.deep.equal([mission.address, true, 0n, 1n]);
      expect([session.sponsor, session.deposit]).to.deep.equal([sponsor.address, tokens(100)]);
      expect(await token.balanceOf(mission.address)).to.equal(tokens(50));
      expect((await mission.contract.ledger()).children).to.equal(tokens(100));
      expect([await mission.stateOf(0), await mission.contract.state()]).to.deep.equal([NodeState.EXECUTING, MissionState.EXECUTING]);
      await refused(descend(), "WrongNodeState");
    });

    it("waits for predecessors, and while the mission is stopped", async () => {
      await open({ budget: tokens(200), nodes: [LEAF, BRANCH] });
      await refused(descend(1), "WrongNodeState");
      await tree.work(mission, [0]);
      await mission.override(Action.EMERGENCY_STOP, 0);
      await refused(descend(1), "Stopped");
    });

    it("lends to a second child what the first did not spend, and nothing when all is spent", async () => {
      await open({ budget: tokens(100), nodes: [BRANCH] });
      const oracle = await ethers.deployContract("OracleHarness");
      await tree.house.execution.approvePredicate(VETO, oracle);
      await oracle.getFunction("become")(1);
      await descend();
      const wasted = await child({ ...BRANCH, outputPredicate: VETO });
      await tree.run(wasted, BRANCH, 1);
      expect(await wasted.contract.state()).to.equal(MissionState.FAILED);
      await expect(mission.contract.record(0)).to.emit(mission.contract, "ChildConcluded").withArgs(0, 0, wasted.address, false, 0);
      expect(await mission.stateOf(0)).to.equal(NodeState.FAILED);
      await mission.contract.reopen(0);
      await refused(descend(), "BudgetSpent");
    });
  });

  describe("record", () => {
    it("completes the node of a child that completed, takes back the rest, and charges no fee", async () => {
      await open({ budget: tokens(150), nodes: [{ budget: tokens(130), nodes: [LEAF] }] });
      await refused(mission.contract.record(0), "NoChild");
      await descend();
      const below = await child({ budget: tokens(130), nodes: [LEAF] });
      await refused(mission.contract.record(0), "ChildRunning");
      await tree.run(below, { budget: tokens(130), nodes: [LEAF] }, 1);
      await expect(mission.contract.record(0)).to.emit(mission.contract, "ChildConcluded").withArgs(0, 0, below.address, true, tokens(30));
      expect(await mission.contract.state()).to.equal(MissionState.COMPLETED);
      const ledger = await mission.contract.ledger();
      expect([ledger.fees, ledger.insurance, ledger.children, ledger.refundable]).to.deep.equal([0n, 0n, tokens(100), tokens(50)]);
      await refused(mission.contract.record(0), "NoChild");
      const before = await tree.house.token.balanceOf(tree.house.sponsor.address);
      await mission.contract.close();
      expect((await tree.house.token.balanceOf(tree.house.sponsor.address)) - before).to.equal(tokens(50));
    });

    it("fails the node of a session without a law, with all its money back, whoever fetched it", async () => {
      await open({ budget: tokens(100), nodes: [BRANCH] });
      const { legislation } = tree.house;
      for (const fetched of [false, true]) {
        await descend();
        const session = await legislation.sessionCount();
        await expect(mission.contract.record(0)).to.be.revertedWithCustomError(legislation, "WrongState");
        await networkHelpers.time.increaseTo((await legislation.sessionOf(session)).deadline + 1n);
        await legislation.expire(session);
        if (fetched) await legislation.withdraw(session);
        await mission.contract.record(0);
        expect((await legislation.sessionOf(session)).state).to.equal(State.EXPIRED);
        expect(await mission.stateOf(0)).to.equal(NodeState.FAILED);
        expect((await mission.contract.ledger()).children).to.equal(0);
        await mission.contract.reopen(0);
      }
    });

    it("brings the money home to a mission that ended meanwhile, whose children anyone may end", async () => {
      await open({ budget: tokens(100), nodes: [BRANCH] });
      await descend();
      const below = await child();
      await refused(below.contract.abort(), "NotExpired");
      await mission.override(Action.TERMINATE_MISSION, 0);
      await refused(mission.contract.close(), "ChildrenRunning");
      await tree.end(below, false);
      await mission.contract.record(0);
      expect((await mission.contract.ledger()).refundable).to.equal(tokens(100));
      await mission.contract.close();
      expect(await tree.house.token.balanceOf(mission.address)).to.equal(0);
    });
  });

  describe("timeout", () => {
    it("fails a node whose child nobody opens, and leaves an open one to its own clocks", async () => {
      await open({ budget: tokens(100), nodes: [BRANCH] });
      await refused(mission.contract.timeout(0), "TooEarly");
      await networkHelpers.time.increaseTo((await mission.contract.nodeOf(0)).deadline);
      await mission.contract.timeout(0);
      expect(await mission.stateOf(0)).to.equal(NodeState.FAILED);
      await mission.contract.reopen(0);
      await descend();
      await networkHelpers.time.increase(86_400);
      await refused(mission.contract.timeout(0), "WrongNodeState");
    });
  });

  describe("report and onOverride", () => {
    it("are about work: a node with a child mission is frozen and judged leaf by leaf", async () => {
      await open({ budget: tokens(100), nodes: [BRANCH] });
      await descend();
      await refused(mission.contract.connect(tree.house.monitor).report(0, ethers.ZeroHash, 1), "NotALeaf");
      for (const action of [Action.FREEZE, Action.VETO_OUTPUT, Action.REJECT_POP]) await refused(mission.override(action, 0), "NotALeaf");
    });
  });
});
