import { expect } from "chai";
import { id, ZeroHash } from "ethers";
import { hexSchema } from "../../../../orchestrator/primitives/hex.ts";
import { encodeActionData } from "../../../../orchestrator/protocol/actions.ts";
import { obligationOf } from "../../../../orchestrator/rules/commitments.ts";
import { directly, ethers, keyOf, networkHelpers, tokens } from "../../../support/city-fixture.ts";
import {
  Action,
  HOUR,
  type Mission,
  type MissionOptions,
  MissionState,
  NodeState,
  onward,
  openMission,
  packed,
  TASK,
} from "../../../support/mission-fixture.ts";

const hex = (text: string) => hexSchema.parse(text);
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
      await refused(mission.contract.route(...(await mission.start([0], { slots: [0] }))), "LiveHashMissing");
      await mission.contract.route(...(await mission.start([0], { slots: [0, 2] })));
      for (const slot of [0, 2]) await mission.commit(0, slot);
      for (const slot of [0, 1, 2]) await mission.reveal(0, slot);
      await mission.clear(0);
      expect(await mission.stateOf(0)).to.equal(NodeState.COMPLETED);
    });

    it("takes finished work back to its panel, with the time that was left", async () => {
      await routed();
      await mission.work(0);
      const { drawBlock, deadline } = await mission.contract.nodeOf(0);
      await networkHelpers.time.increase(100);
      await mission.override(Action.FREEZE, 0);
      const left = deadline - (await mission.city.now());
      await networkHelpers.time.increase(3000);
      await mission.override(Action.UNFREEZE, 0);
      const word = await mission.contract.nodeOf(0);
      expect([word.state, word.drawBlock, word.redraws]).to.deep.equal([NodeState.PENDING_VERIFICATION, drawBlock, 0n]);
      expect(word.deadline).to.equal((await mission.city.now()) + left);
      await refused(mission.contract.route(...onward(0)), "WrongNodeState");
      await mission.clear(0);
      expect(await mission.stateOf(0)).to.equal(NodeState.COMPLETED);
      await refused(mission.override(Action.UNFREEZE, 0), "WrongMissionState");
    });
  });

  describe("a freeze before the panel decided", () => {
    const LONG = 2 * 3600;
    const heard = async () => {
      await routed({ nodes: [{ ...TASK, panelSize: 3 }] });
      await mission.work(0);
      await networkHelpers.mine();
      await report();
    };

    it("that no human lifts ends where it began, and comes once an attempt", async () => {
      await heard();
      await refused(mission.clear(0), "WrongNodeState");
      await networkHelpers.time.increase(LONG);
      await mission.contract.timeout(0);
      expect(await mission.stateOf(0)).to.equal(NodeState.PENDING_VERIFICATION);
      const held = expect(mission.override(Action.FREEZE, 0)).to.be.revertedWithCustomError(mission.contract, "FrozenBefore");
      await held.withArgs(0, 0);
      await mission.clear(0);
      expect(await mission.stateOf(0)).to.equal(NodeState.COMPLETED);
    });

    it("does not keep members from posting, and what they posted counts afterwards", async () => {
      await heard();
      const order = await mission.clearOrder(0);
      const [first] = order.verdicts;
      if (first === undefined) throw new Error("no verdict");
      await networkHelpers.time.increase(1000);
      await expect(mission.contract.post(packed({ ...order, verdicts: [first] }))).to.emit(mission.contract, "Posted");
      await mission.override(Action.UNFREEZE, 0);
      await networkHelpers.time.increase(250);
      const others = packed({ ...order, verdicts: order.verdicts.slice(1) });
      await refused(mission.contract.clear(others), "VerdictLeftOut");
      await mission.contract.clear(packed(order));
      expect(await mission.stateOf(0)).to.equal(NodeState.COMPLETED);
    });

    it("keeps the panel's seed, however long it lasts, and costs what a human confirms", async () => {
      await heard();
      const { drawBlock } = await mission.contract.nodeOf(0);
      const panel = [...(await mission.contract.panelOf(0))];
      await networkHelpers.mine(300);
      expect(await mission.city.evidence.seedOf(drawBlock)).not.to.equal(ZeroHash);
      expect([...(await mission.contract.panelOf(0))]).to.deep.equal(panel);
      await mission.override(Action.REJECT_POP, 0);
      expect(await mission.stateOf(0)).to.equal(NodeState.FAILED);
    });
  });

  describe("RESUME_WITH_AMENDMENT", () => {
    const MANDATE = id("estimate in days, not in hours");
    const amend = (mandate = MANDATE) => mission.override(Action.RESUME_WITH_AMENDMENT, 0, mandate);

    it("has the node done anew by its executors, for their prices, under another obligation", async () => {
      await routed({ nodes: [CONSENSUS] });
      const before = await Promise.all([0, 1, 2].map((slot) => mission.contract.slotOf(0, slot)));
      const bound = await mission.contract.obligationOf(0);
      for (const slot of [0, 1, 2]) await mission.commit(0, slot);
      await report();
      const call = amend();
      await expect(call).to.emit(mission.contract, "NodeAmended").withArgs(0, 1, MANDATE);
      await expect(call).to.emit(mission.contract, "ExecutorBound");
      const word = await mission.contract.nodeOf(0);
      expect([word.state, word.attempt, word.commitMask, word.remainder]).to.deep.equal([NodeState.ELIGIBLE, 1n, 0n, 0n]);
      for (const [slot, { agent, price }] of before.entries()) {
        const now = await mission.contract.slotOf(0, slot);
        expect([now.agent, now.price]).to.deep.equal([agent, price]);
      }
      const { chainId } = await ethers.provider.getNetwork();
      const lawHash = hex(await mission.contract.lawHash());
      const anew = obligationOf({ chainId, clone: hex(mission.address), node: 0, attempt: 1, lawHash, amendment: hex(MANDATE) });
      expect(await mission.contract.obligationOf(0))
        .to.equal(anew)
        .and.not.equal(bound);
      await mission.route(0);
      await mission.work(0);
      await mission.clear(0);
      expect(await mission.stateOf(0)).to.equal(NodeState.COMPLETED);
      expect((await mission.contract.entitlementOf(0, 0)).paid).to.be.greaterThan(0n);
    });

    it("of one that fails after all bars its executors like any other", async () => {
      await routed();
      const first = (await mission.executorOf(0)).agent;
      await report();
      await amend();
      await mission.route(0);
      await networkHelpers.time.increase(60);
      await mission.contract.timeout(0);
      expect((await mission.city.producers.stakeOf(first.address)).locked).to.equal(0n);
      await mission.contract.reopen(0);
      expect((await mission.contract.nodeOf(0)).attempt).to.equal(2n);
      const index = mission.city.workers.findIndex(({ agent }) => agent.address === first.address);
      await expect(mission.bid(0, index)).to.be.revertedWithCustomError(mission.city.execution, "Barred");
    });

    it("needs a mandate, a frozen node, everybody who was bound, and an attempt that is left", async () => {
      await routed({ nodes: [CONSENSUS], params: { maxRefinementIterations: 1 } });
      await refused(amend(), "WrongNodeState");
      await report();
      await refused(amend(ZeroHash), "NoAmendment");
      await amend();
      await report();
      await refused(amend(), "IterationsExhausted");
    });

    it("does not bring back who was absent", async () => {
      await routed({ nodes: [CONSENSUS] });
      for (const slot of [0, 1]) await mission.commit(0, slot);
      await networkHelpers.time.increase(60);
      await mission.contract.timeout(0);
      await report();
      await expect(amend()).to.be.revertedWithCustomError(mission.contract, "NotAllCommitted").withArgs(0, 0b011);
    });

    it("finds nobody where nobody is bound", async () => {
      mission = await (await openMission()).activate();
      await mission.override(Action.FREEZE, 0);
      await expect(amend()).to.be.revertedWithCustomError(mission.contract, "SlotEmpty").withArgs(0, 0);
    });
  });

  describe("FAULT_SLOTS", () => {
    const fault = (slots: number, attempt = 0, node = 0) =>
      mission.override(Action.FAULT_SLOTS, node, encodeActionData("FAULT_SLOTS", [attempt, slots]));
    const end = () => mission.override(Action.TERMINATE_MISSION, 0);
    const standing = async (slot = 0) => {
      const { agent } = await mission.executorOf(0, slot);
      const { held, locked } = await mission.city.producers.stakeOf(agent.address);
      return { held, locked, reputation: await mission.city.producers.reputationOf(agent.address) };
    };
    const leave = async (slot = 0, node = 0) => {
      const { agent } = await mission.executorOf(node, slot);
      return mission.city.execution.withdrawBid(mission.address, node, { agent: agent.address, deadline: 0, signature: "0x" });
    };

    it("takes what slots that had begun have locked, after a window, and 500 points once a principal", async () => {
      await routed({ nodes: [CONSENSUS, TASK] });
      await mission.commit(0, 1);
      await end();
      const before = await standing();
      await expect(fault(0b011)).to.emit(mission.contract, "SlashPending");
      expect((await mission.contract.nodeOf(0)).faulted).to.equal(true);
      expect(await standing()).to.deep.equal(before);
      await refused(mission.contract.claim([0]), "WindowOpen");
      await refused(mission.contract.close(), "Unsettled");
      await networkHelpers.time.increase(HOUR);
      await mission.contract.claim([0]);
      for (const slot of [0, 1]) {
        expect(await standing(slot)).to.deep.equal({
          held: before.held - tokens(150),
          locked: before.locked - tokens(150),
          reputation: 0n,
        });
      }
      await leave(2);
      expect(await standing(2)).to.deep.equal({ held: before.held, locked: before.locked - tokens(150), reputation: 500n });
    });

    it("charges a principal with several nodes the points once", async () => {
      await routed({ nodes: Array(8).fill(TASK) });
      const nodes = [...mission.nodes.keys()];
      for (const node of nodes.slice(1)) await mission.route(node);
      const owners = await Promise.all(nodes.map(async (node) => (await mission.executorOf(node)).agent.address));
      const several = owners.find((owner, index) => owners.indexOf(owner) !== index) ?? "";
      await mission.city.producers.adjustReputation(several, 500, id("why"));
      await end();
      for (const node of nodes) await fault(1, 0, node);
      await networkHelpers.time.increase(HOUR);
      await mission.contract.claim(nodes);
      expect(await mission.city.producers.reputationOf(several)).to.equal(500n);
    });

    it("is for the end that a human made, in its window", async () => {
      await routed();
      await refused(fault(1), "WindowClosed");
      await end();
      await networkHelpers.time.increase(HOUR);
      await refused(fault(1), "WindowClosed");
      await leave();
    });

    it("is for slots of the last attempt that had begun and were not recorded, once", async () => {
      await routed({ nodes: [TASK, TASK, TASK, { ...TASK, predecessors: 1n }] });
      await mission.run(1);
      await end();
      const at = (node: number, slots: number, attempt = 0) => refused(fault(slots, attempt, node), "NotAtFault");
      for (const node of [1, 2, 3]) await at(node, 1);
      for (const slots of [0, 2, 3]) await at(0, slots);
      await at(0, 1, 1);
      await fault(1);
      await at(0, 1);
      // Who had not begun leaves at once.
      await leave(0, 2);
      await networkHelpers.time.increase(HOUR);
      await mission.contract.claim([0, 1]);
    });

    it("finds who was frozen at work, and nobody who waited frozen", async () => {
      await routed({ nodes: [TASK, TASK] });
      await report();
      await mission.override(Action.FREEZE, 1);
      await end();
      await refused(fault(1, 0, 1), "NotAtFault");
      await fault(1);
      await networkHelpers.time.increase(HOUR);
      await mission.contract.claim([0]);
      expect((await standing()).reputation).to.equal(0n);
    });

    it("is taken back by an appeal", async () => {
      await routed();
      const before = await standing();
      const { agent } = await mission.executorOf(0);
      await end();
      await fault(1);
      await mission.city.token.mint(agent.address, tokens(10));
      await mission.city.token.connect(agent).approve(mission.address, tokens(10));
      await mission.contract.connect(agent).appeal(0, 0, REASON, directly(agent));
      const ruling = { attempt: 0, filed: 1, upheld: 1, share: 0, slash: 0n, culprits: 0 };
      await mission.override(Action.RESOLVE_APPEAL, 0, encodeActionData("RESOLVE_APPEAL", [ruling]));
      expect(await standing()).to.deep.equal({ ...before, locked: before.locked - tokens(150), reputation: 500n });
      await mission.contract.close();
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

    it("that no human acted on is the last by its house at that node, until a human acts on one", async () => {
      await routed();
      const { evidence, account, monitor } = mission.city;
      const other = await account("another monitor");
      await evidence.registerMonitor(other.address, keyOf("another house").address);
      await report();
      await networkHelpers.time.increase(7200);
      await mission.contract.timeout(0);
      await mission.contract.reopen(0);
      for (const worker of [1, 2, 3]) await mission.bid(0, worker);
      await mission.closeMarket();
      await mission.city.execution.award(mission.address, [0]);
      await mission.route(0);
      await expect(report())
        .to.be.revertedWithCustomError(mission.contract, "FreezeUnattended")
        .withArgs(0, await evidence.principalOf(monitor.address));
      await mission.contract.connect(other).report(0, REASON, 1);
      await mission.override(Action.UNFREEZE, 0);
      await mission.route(0);
      await report();
      expect(await mission.stateOf(0)).to.equal(NodeState.FROZEN);
    });

    it("that an executor asked for and no human lifted leaves monitors as they were", async () => {
      await routed({ nodes: [CONSENSUS] });
      await report();
      await mission.override(Action.UNFREEZE, 0);
      await mission.route(0);
      await mission.contract.connect((await mission.executorOf(0, 1)).agent).report(0, REASON, 1);
      await networkHelpers.time.increase(7200);
      await mission.contract.timeout(0);
      await mission.route(0);
      await report();
      expect(await mission.stateOf(0)).to.equal(NodeState.FROZEN);
    });

    it("that an executor asked for and no human lifted costs it what being late costs, and nobody else", async () => {
      await routed({ nodes: [CONSENSUS] });
      const [own, other] = [(await mission.executorOf(0, 1)).agent, (await mission.executorOf(0, 0)).agent];
      await mission.contract.connect(own).report(0, REASON, 1);
      await networkHelpers.time.increase(7200);
      await mission.contract.timeout(0);
      const held = async (agent: typeof own) => (await mission.city.producers.stakeOf(agent.address)).held;
      expect([await held(own), await held(other)]).to.deep.equal([tokens(9950), tokens(10_000)]);
    });

    it("that an executor asked for and a human lifted is forgotten", async () => {
      await routed();
      const { agent } = await mission.executorOf(0);
      await mission.contract.connect(agent).report(0, REASON, 1);
      await mission.override(Action.UNFREEZE, 0);
      await mission.route(0);
      await report();
      await networkHelpers.time.increase(7200);
      await mission.contract.timeout(0);
      expect((await mission.city.producers.stakeOf(agent.address)).held).to.equal(tokens(10_000));
    });

    it("costs 100 tokens and 100 points when a human confirms it", async () => {
      await routed();
      await report();
      const { agent } = await mission.executorOf(0);
      await mission.override(Action.REJECT_POP, 0);
      expect(await mission.stateOf(0)).to.equal(NodeState.FAILED);
      expect((await mission.city.producers.stakeOf(agent.address)).held).to.equal(tokens(9900));
      expect(await mission.city.producers.reputationOf(agent.address)).to.equal(400n);
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

    it("stops no attempt but the one that the order names", async () => {
      await routed();
      for (const action of ["FREEZE", "VETO_OUTPUT"] as const)
        await expect(mission.override(Action[action], 0, encodeActionData(action, [2])))
          .to.be.revertedWithCustomError(mission.contract, "AttemptOver")
          .withArgs(0, 2, await mission.contract.nodeOf(0).then(({ attempt }) => attempt));
    });

    it("knows five actions", async () => {
      await routed();
      await refused(mission.override(6, 0), "UnsupportedOverride");
      await refused(mission.override(Action.UNFREEZE, 0), "WrongNodeState");
      await refused(mission.override(Action.REJECT_POP, 0), "WrongNodeState");
    });
  });
});
