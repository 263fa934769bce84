import { expect } from "chai";
import { id } from "ethers";
import { keyOf, networkHelpers, tokens } from "../../../support/city-fixture.ts";
import {
  Action,
  BIDDING_WINDOW,
  FOUR_THREE_ONE,
  HOUR,
  type Mission,
  MissionState,
  NodeState,
  openMission,
  packed,
  Result,
  TASK,
} from "../../../support/mission-fixture.ts";

describe("Orchestration", () => {
  let mission: Mission;
  const start = async (options: Parameters<typeof openMission>[0] = {}) => {
    mission = await (await openMission(options)).activate();
    return mission;
  };
  const running = async (options: Parameters<typeof openMission>[0] = {}) => (await start(options)).awardAll();
  const stakeOf = async (agent: string) => (await mission.city.producers.stakeOf(agent)).held;

  afterEach(async () => expect(await mission.imbalance()).to.equal(""));

  describe("activate", () => {
    it("makes the roots eligible and books the deposit", async () => {
      await start({ nodes: FOUR_THREE_ONE, reserve: 7n });
      expect(await mission.contract.state()).to.equal(MissionState.ACTIVE);
      expect(await mission.stateOf(3)).to.equal(NodeState.ELIGIBLE);
      expect(await mission.stateOf(4)).to.equal(NodeState.WAITING);
      expect((await mission.contract.ledger()).deposit).to.equal(tokens(800) + 7n);
      expect(await mission.contract.law()).to.equal(mission.law);
    });

    it("is the pinned legislature's, once", async () => {
      await start();
      await expect(mission.contract.activate())
        .to.be.revertedWithCustomError(mission.contract, "NotLegislation")
        .withArgs(mission.city.deployer.address);
      await expect(mission.contract.connect(mission.legislature).activate()).to.be.revertedWithCustomError(
        mission.contract,
        "AlreadyFunded",
      );
    });

    it("needs the whole deposit", async () => {
      mission = await openMission();
      expect((await mission.contract.ledger()).deposit).to.equal(0);
      await mission.city.token.connect(await mission.city.as(mission.address)).transfer(mission.city.sponsor.address, 1);
      await expect(mission.contract.connect(mission.legislature).activate())
        .to.be.revertedWithCustomError(mission.contract, "Underfunded")
        .withArgs(tokens(100), tokens(100) - 1n);
      await mission.city.token.mint(mission.address, 1);
      await mission.activate();
    });
  });

  describe("bind", () => {
    const service = id("service");
    const agent = keyOf("bound").address;
    const bindAs = async (who: string, ...args: [number, number, string, string, bigint]) =>
      mission.contract.connect(await mission.city.as(who)).bind(...args);

    it("belongs to the pinned execution procedure", async () => {
      await start();
      await expect(bindAs("LEGISLATION", 0, 0, agent, service, 1n)).to.be.revertedWithCustomError(mission.contract, "NotExecution");
      await expect(bindAs("EXECUTION", 0, 0, agent, service, tokens(100)))
        .to.emit(mission.contract, "ExecutorBound")
        .withArgs(0, 0, agent, service, tokens(100), 0);
      expect(await mission.contract.pledgeOf(0, 0)).to.equal(service);
    });

    it("refuses a taken slot, an unknown slot, a price beyond the slot", async () => {
      await start({ nodes: [{ ...TASK, tier: 2, redundancy: 3, threshold: 2 }] });
      await bindAs("EXECUTION", 0, 0, agent, service, 1n);
      await expect(bindAs("EXECUTION", 0, 0, agent, service, 1n))
        .to.be.revertedWithCustomError(mission.contract, "SlotTaken")
        .withArgs(0, 0);
      await expect(bindAs("EXECUTION", 0, 3, agent, service, 1n))
        .to.be.revertedWithCustomError(mission.contract, "SlotEmpty")
        .withArgs(0, 3);
      const slotBudget = tokens(100) / 3n;
      for (const price of [0n, slotBudget + 1n]) {
        await expect(bindAs("EXECUTION", 0, 1, agent, service, price))
          .to.be.revertedWithCustomError(mission.contract, "PriceAboveSlot")
          .withArgs(0, price, slotBudget);
      }
    });
  });

  describe("route", () => {
    it("starts the mission and the executor's clock", async () => {
      await running();
      await mission.route(0);
      expect(await mission.contract.state()).to.equal(MissionState.EXECUTING);
      expect((await mission.contract.nodeOf(0)).deadline).to.equal((await mission.city.now()) + 60n);
    });

    it("asks for a runner's word on every slot", async () => {
      await running({ nodes: [{ ...TASK, tier: 2, redundancy: 3, threshold: 2 }] });
      const [nodes, start] = await mission.start([0]);
      await expect(mission.contract.route(0, start)).to.be.revertedWithCustomError(mission.contract, "EmptyBatch");
      for (const slots of [
        [0, 2],
        [0, 0, 2],
      ])
        await expect(mission.contract.route(...(await mission.start([0], { slots }))))
          .to.be.revertedWithCustomError(mission.contract, "LiveHashMissing")
          .withArgs(0, 0b101, 0b111);
      await expect(mission.contract.route(nodes << 1n, start)).to.be.revertedWithCustomError(mission.contract, "NodeOutOfRange");
    });

    it("believes registered runners of another principal only", async () => {
      await running();
      const stranger = keyOf("stranger");
      await expect(mission.contract.route(...(await mission.start([0], { key: stranger }))))
        .to.be.revertedWithCustomError(mission.contract, "NotRunner")
        .withArgs(stranger.address);
      const { agent } = await mission.executorOf(0);
      const principal = await mission.city.producers.principalOf(agent.address);
      await mission.city.evidence.registerRunner(stranger.address, principal);
      await expect(mission.contract.route(...(await mission.start([0], { key: stranger }))))
        .to.be.revertedWithCustomError(mission.contract, "RunnerConflict")
        .withArgs(stranger.address, principal);
      const { runner } = mission.city;
      await expect(mission.contract.route(...(await mission.start([0], { signer: stranger }))))
        .to.be.revertedWithCustomError(mission.contract, "InvalidSignature")
        .withArgs(runner.address);
      const [nodes, start] = await mission.start([0]);
      await expect(mission.contract.route(nodes, { ...start, deadline: 1 })).to.be.revertedWithCustomError(mission.contract, "Expired");
    });

    it("starts the nodes of a wave that can start, and passes over the others", async () => {
      await running({ nodes: FOUR_THREE_ONE });
      await mission.route(1);
      const start = await mission.start([0, 1, 2, 4]);
      await expect(mission.contract.route(...start))
        .to.emit(mission.contract, "Skipped")
        .withArgs(1, 255, 0, mission.contract.interface.getError("WrongNodeState")?.selector);
      const states = [];
      for (const node of [0, 1, 2, 3, 4]) states.push(await mission.stateOf(node));
      const { EXECUTING, ELIGIBLE, WAITING } = NodeState;
      expect(states).to.deep.equal([EXECUTING, EXECUTING, EXECUTING, ELIGIBLE, WAITING]);
    });

    it("counts a word once, for the attempt that it names", async () => {
      await running();
      const [nodes, start] = await mission.start([0]);
      await mission.contract.route(nodes, start);
      await networkHelpers.time.increase(60);
      await mission.contract.timeout(0);
      await mission.contract.reopen(0);
      await mission.bid(0, 5);
      await mission.closeMarket();
      await mission.city.execution.award(mission.address, [0]);
      const late = { ...start, deadline: await mission.soon() };
      const signature = await mission.city.sign("Start", mission.address, late, mission.city.runner);
      await expect(mission.contract.route(nodes, { ...late, signature })).to.be.revertedWithCustomError(
        mission.contract,
        "LiveHashMissing",
      );
      await mission.route(0);
      expect(await mission.stateOf(0)).to.equal(NodeState.EXECUTING);
    });

    it("takes no word for a node that was not named", async () => {
      await running({ nodes: [TASK, TASK] });
      const [, start] = await mission.start([0, 1]);
      await expect(mission.contract.route(1n, start)).to.be.revertedWithCustomError(mission.contract, "LengthMismatch").withArgs(1, 2);
    });

    it("starts no node twice, and none that waits", async () => {
      await running({ nodes: FOUR_THREE_ONE });
      await mission.route(0);
      await expect(mission.route(0)).to.be.revertedWithCustomError(mission.contract, "WrongNodeState");
      await expect(mission.route(4)).to.be.revertedWithCustomError(mission.contract, "WrongNodeState");
    });
  });

  describe("mismatch", () => {
    const refused = (call: Promise<unknown>, error: string) => expect(call).to.be.revertedWithCustomError(mission.contract, error);

    it("believes a word about the slot's executor, service and attempt only, and while it is owed", async () => {
      await running({ nodes: [{ ...TASK, tier: 2, redundancy: 3, threshold: 2 }] });
      const [live, record] = await mission.otherCode(0, { slot: 1 });
      const about = (change: object) => mission.contract.mismatch({ ...live, ...change }, record);
      await refused(about({ slot: 3 }), "SlotEmpty");
      await refused(about({ service: id("another") }), "WrongService");
      await refused(about({ attempt: 1n }), "WrongService");
      await refused(about({ mission: mission.city.token.target }), "WrongService");
      await refused(about({ hash: id("other") }), "InvalidSignature");
      await refused(about({ deadline: 1n }), "Expired");
      await mission.route(0);
      await refused(about({}), "WrongNodeState");
      await mission.commit(0, 1);
      await mission.contract.connect(mission.city.monitor).report(0, id("odd"), 1);
      await mission.override(Action.UNFREEZE, 0);
      await refused(about({}), "WrongService");
      await refused(about({ service: await mission.contract.pledgeOf(0, 1) }), "AlreadyCommitted");
    });

    it("believes registered runners of another principal only", async () => {
      await running();
      const stranger = keyOf("stranger");
      const say = async () => mission.contract.mismatch(...(await mission.otherCode(0, { key: stranger })));
      await refused(say(), "NotRunner");
      const { agent } = await mission.executorOf(0);
      await mission.city.evidence.registerRunner(stranger.address, await mission.city.producers.principalOf(agent.address));
      await refused(say(), "RunnerConflict");
    });

    it("refuses a record that is not the bound service's, and code that is", async () => {
      await running();
      const [live] = await mission.otherCode(0);
      await refused(mission.contract.mismatch(live, mission.worker(7).record), "WrongService");
      const { record } = await mission.executorOf(0);
      await refused(mission.contract.mismatch(...(await mission.otherCode(0, { hash: record.codeHash }))), "CodeMatches");
      expect(await mission.stateOf(0)).to.equal(NodeState.ELIGIBLE);
    });

    it("slashes 500 and fails the node on other live code, at once", async () => {
      await running();
      const { agent } = await mission.executorOf(0);
      const before = await stakeOf(agent.address);
      const call = mission.contract.mismatch(...(await mission.otherCode(0)));
      await expect(call).to.emit(mission.contract, "ExecutorFaulted");
      await expect(call).to.emit(mission.contract, "FaultSignalled");
      expect(await stakeOf(agent.address)).to.equal(before - tokens(500));
      expect((await mission.city.producers.stakeOf(agent.address)).locked).to.equal(0);
      expect(await mission.stateOf(0)).to.equal(NodeState.FAILED);
    });
  });

  describe("timeout", () => {
    it("waits for the node's clock", async () => {
      await running();
      await mission.route(0);
      await expect(mission.contract.timeout(0)).to.be.revertedWithCustomError(mission.contract, "TooEarly");
    });

    it("fails an executor that is late, with 50 at once", async () => {
      await running();
      await mission.route(0);
      const { agent } = await mission.executorOf(0);
      const before = await stakeOf(agent.address);
      await networkHelpers.time.increase(60);
      await expect(mission.commit(0)).to.be.revertedWithCustomError(mission.contract, "WindowClosed");
      await mission.contract.timeout(0);
      expect(await mission.stateOf(0)).to.equal(NodeState.FAILED);
      expect(await stakeOf(agent.address)).to.equal(before - tokens(50));
    });

    it("goes on without the absent while enough have committed", async () => {
      await running({ nodes: [{ ...TASK, tier: 2, redundancy: 3, threshold: 2 }] });
      await mission.route(0);
      for (const slot of [0, 2]) await mission.commit(0, slot);
      const absent = (await mission.executorOf(0, 1)).agent;
      const before = await stakeOf(absent.address);
      await networkHelpers.time.increase(60);
      await mission.contract.timeout(0);
      expect(await stakeOf(absent.address)).to.equal(before - tokens(50));
      expect(await mission.stateOf(0)).to.equal(NodeState.EXECUTING);
      for (const slot of [0, 2]) await mission.reveal(0, slot);
      await mission.clear(0);
      expect(await mission.stateOf(0)).to.equal(NodeState.COMPLETED);
      expect((await mission.contract.entitlementOf(0, 1)).paid).to.equal(0);
    });

    it("goes on with one of two independent results", async () => {
      await running({ nodes: [{ ...TASK, redundancy: 2 }] });
      await mission.route(0);
      await mission.commit(0, 1);
      expect(await mission.stateOf(0)).to.equal(NodeState.EXECUTING);
      await networkHelpers.time.increase(60);
      await mission.contract.timeout(0);
      expect(await mission.stateOf(0)).to.equal(NodeState.PENDING_VERIFICATION);
      await mission.clear(0);
      expect(await mission.stateOf(0)).to.equal(NodeState.COMPLETED);
      expect((await mission.contract.entitlementOf(0, 0)).paid).to.equal(0);
    });

    it("fails a node whose executors hid their work", async () => {
      await running({ nodes: [{ ...TASK, tier: 2, redundancy: 3, threshold: 2 }] });
      await mission.route(0);
      for (const slot of [0, 1, 2]) await mission.commit(0, slot);
      await mission.reveal(0, 0);
      await networkHelpers.time.increase(60);
      await expect(mission.reveal(0, 1)).to.be.revertedWithCustomError(mission.contract, "WindowClosed");
      await mission.contract.timeout(0);
      expect(await mission.stateOf(0)).to.equal(NodeState.FAILED);
      const honest = (await mission.executorOf(0, 0)).agent;
      const { held, locked } = await mission.city.producers.stakeOf(honest.address);
      expect([held, locked]).to.deep.equal([tokens(10_000), 0n]);
    });

    it("draws a second panel, then asks a human, then every human, then fails: who showed nothing is late", async () => {
      await running();
      await mission.route(0);
      await mission.work(0);
      await networkHelpers.time.increase(300);
      await expect(mission.contract.timeout(0)).to.emit(mission.contract, "PanelRedrawn").withArgs(0, 0, 1);
      await networkHelpers.time.increase(300);
      await mission.contract.timeout(0);
      expect(await mission.stateOf(0)).to.equal(NodeState.PENDING_REVIEW);
      await networkHelpers.time.increase(900);
      const { agent } = await mission.executorOf(0);
      const until = (await mission.city.now()) + 900n;
      await expect(mission.contract.timeout(0)).to.emit(mission.contract, "ReviewEscalated").withArgs(0, 0, until);
      expect(await mission.stateOf(0)).to.equal(NodeState.PENDING_REVIEW);
      await expect(mission.contract.timeout(0)).to.be.revertedWithCustomError(mission.contract, "TooEarly").withArgs(0, until);
      await networkHelpers.time.increaseTo(until);
      const shown = await networkHelpers.takeSnapshot();
      await mission.contract.timeout(0);
      expect(await mission.stateOf(0)).to.equal(NodeState.FAILED);
      expect((await mission.city.producers.stakeOf(agent.address)).held).to.equal(tokens(9950));
      await shown.restore();
      const { openings, items } = { openings: [await mission.opening(0)], items: [await mission.item(0, 0)] };
      await mission.contract.post(packed({ node: 0, openings, items, verdicts: [] }));
      await mission.contract.timeout(0);
      expect((await mission.city.producers.stakeOf(agent.address)).held).to.equal(tokens(10_000));
    });

    it("lets a human rule after the escalation, on the state as it then is", async () => {
      await running();
      await mission.route(0);
      await mission.work(0);
      for (const wait of [300, 300, 900]) {
        await networkHelpers.time.increase(wait);
        await mission.contract.timeout(0);
      }
      await mission.override(Action.APPROVE_POP, 0, await mission.approval(0));
      expect(await mission.stateOf(0)).to.equal(NodeState.COMPLETED);
    });

    it("asks a human where no verifier came; approved, the verifiers' share is the treasury's", async () => {
      await running();
      await mission.route(0);
      await mission.work(0);
      for (const _panel of [0, 1]) {
        await networkHelpers.time.increase(300);
        await mission.contract.timeout(0);
      }
      await mission.override(Action.APPROVE_POP, 0, await mission.approval(0));
      await networkHelpers.time.increase(HOUR);
      await mission.contract.claim([0]);
      const { agent } = await mission.executorOf(0);
      expect(await mission.city.treasury.credits()).to.equal(await mission.city.treasury.creditOf(agent.address));
      expect((await mission.contract.ledger()).fees).to.equal(tokens(2));
    });

    it("waits for the market of a node that nobody was bound to", async () => {
      await start();
      await expect(mission.contract.timeout(0)).to.be.revertedWithCustomError(mission.contract, "TooEarly");
    });

    it("expires a node that nobody routed, unslashed", async () => {
      await running();
      await networkHelpers.time.increase(300);
      await mission.contract.timeout(0);
      expect(await mission.stateOf(0)).to.equal(NodeState.FAILED);
    });

    it("expires a node that nobody bid on, after both windows", async () => {
      await start();
      await expect(mission.contract.timeout(0)).to.be.revertedWithCustomError(mission.contract, "TooEarly");
      for (let i = 0; i < 2; i++) {
        await networkHelpers.time.increase(BIDDING_WINDOW);
        await mission.city.execution.award(mission.address, [0]);
      }
      await mission.contract.timeout(0);
      expect(await mission.stateOf(0)).to.equal(NodeState.FAILED);
    });
  });

  describe("reopen", () => {
    it("bars the principals that failed and gives the node to another", async () => {
      await running();
      await mission.route(0);
      const first = (await mission.executorOf(0)).agent.address;
      await networkHelpers.time.increase(60);
      await mission.contract.timeout(0);
      await expect(mission.contract.reopen(0)).to.emit(mission.contract, "Reopened").withArgs(0, 1);
      expect(await mission.stateOf(0)).to.equal(NodeState.ELIGIBLE);
      const index = mission.city.workers.findIndex(({ agent }) => agent.address === first);
      await expect(mission.bid(0, (index + 4) % 8)).to.be.revertedWithCustomError(mission.city.execution, "Barred");
      await mission.bid(0, (index + 1) % 8);
      await mission.closeMarket();
      await mission.city.execution.award(mission.address, [0]);
      await mission.run(0);
      expect(await mission.stateOf(0)).to.equal(NodeState.COMPLETED);
      expect((await mission.executorOf(0)).agent.address).not.to.equal(first);
    });

    it("gives a node without bids another market, also while it waits", async () => {
      await start({ nodes: [TASK, { ...TASK, predecessors: 1n }] });
      await expect(mission.contract.reopen(1)).to.be.revertedWithCustomError(mission.contract, "NotAwaitingBids").withArgs(1);
      for (let i = 0; i < 2; i++) {
        await networkHelpers.time.increase(BIDDING_WINDOW);
        await mission.city.execution.award(mission.address, [0, 1]);
      }
      await mission.contract.reopen(1);
      expect(await mission.stateOf(1)).to.equal(NodeState.WAITING);
      await mission.bid(1, 0);
    });

    it("ends with the last iteration", async () => {
      await running({ params: { maxRefinementIterations: 1 } });
      for (let attempt = 0; attempt < 2; attempt++) {
        if (attempt === 1) {
          await mission.contract.reopen(0);
          await mission.bid(0, 5);
          await mission.closeMarket();
          await mission.city.execution.award(mission.address, [0]);
        }
        await mission.route(0);
        await networkHelpers.time.increase(60);
        await mission.contract.timeout(0);
      }
      await expect(mission.contract.reopen(0)).to.be.revertedWithCustomError(mission.contract, "IterationsExhausted").withArgs(0, 1);
      await mission.contract.abort();
      expect(await mission.contract.state()).to.equal(MissionState.FAILED);
      await mission.contract.refund();
      expect((await mission.contract.ledger()).refunded).to.equal(tokens(100));
    });
  });

  describe("abort", () => {
    it("waits for expiry, refunds what was not recorded, leaves entitlements on their windows", async () => {
      await running({ nodes: [TASK, TASK], duration: 7200 });
      await mission.run(0);
      await expect(mission.contract.abort()).to.be.revertedWithCustomError(mission.contract, "NotExpired");
      await networkHelpers.time.increaseTo(await mission.contract.expiresAt());
      await mission.contract.abort();
      expect(await mission.contract.state()).to.equal(MissionState.ABORTED);
      await mission.contract.refund();
      expect((await mission.contract.ledger()).refunded).to.equal(tokens(100));
      expect(await mission.imbalance()).to.equal("");
      await mission.contract.claim([0]);
      await mission.contract.close();
      expect(await mission.city.token.balanceOf(mission.address)).to.equal(0);
      await expect(mission.route(1)).to.be.revertedWithCustomError(mission.contract, "WrongMissionState");
      for (const node of [0, 1]) {
        for (const { agent, awarded } of await mission.city.execution.bidsOf(mission.address, node)) {
          if (awarded && node === 0) continue;
          await mission.city.execution.withdrawBid(mission.address, node, { agent, deadline: 0, signature: "0x" });
        }
      }
      for (const { agent } of mission.city.workers) expect((await mission.city.producers.stakeOf(agent.address)).locked).to.equal(0);
    });
  });

  describe("abort, while committed work is undecided", () => {
    const CONSENSUS = { ...TASK, tier: 2, redundancy: 3, threshold: 2, panelSize: 3 };
    const { increaseTo } = networkHelpers.time;
    const clock = async () => (await mission.contract.nodeOf(0)).deadline;
    /** Two of three committed, frozen by a monitor when the mission's time is over. */
    const ending = async () => {
      await running({ nodes: [CONSENSUS], duration: 7200 });
      await increaseTo((await mission.contract.expiresAt()) - 20n);
      await mission.route(0);
      for (const slot of [0, 1]) await mission.commit(0, slot);
      await mission.contract.connect(mission.city.monitor).report(0, id("odd"), 1);
      await increaseTo(await mission.contract.expiresAt());
      await expect(mission.contract.abort()).to.emit(mission.contract, "MissionEnding");
    };

    it("says that the mission is to end, and is an error again until it can", async () => {
      await ending();
      expect((await mission.contract.watch()).ending).to.equal(true);
      expect(await mission.contract.state()).to.equal(MissionState.EXECUTING);
      await expect(mission.contract.abort()).to.be.revertedWithCustomError(mission.contract, "WorkUndecided").withArgs(0);
    });

    it("is possible after the sum of its clocks at the latest, whatever is done to prolong it", async () => {
      await ending();
      const since = await mission.city.now();
      // A human lets it go on in the last second, and each stage is used up.
      await increaseTo((await clock()) - 1n);
      await mission.override(Action.UNFREEZE, 0);
      await increaseTo((await clock()) - 2n);
      await mission.contract.route(...(await mission.start([0], { slots: [2] })));
      await expect(mission.override(Action.FREEZE, 0)).to.be.revertedWithCustomError(mission.contract, "Ending");
      await increaseTo(await clock());
      await mission.reveal(0, 0);
      await increaseTo((await clock()) - 2n);
      await mission.reveal(0, 1);
      for (const _panelOrPool of [1, 2, 3, 4]) {
        await increaseTo(await clock());
        await expect(mission.contract.abort()).to.be.revertedWithCustomError(mission.contract, "WorkUndecided");
        await mission.contract.timeout(0);
      }
      expect(await mission.stateOf(0)).to.equal(NodeState.FAILED);
      const { maxHumanReviewTimeout, verificationTimeout } = (await mission.contract.context()).params;
      const stages = maxHumanReviewTimeout + BigInt(CONSENSUS.timeout) + BigInt(CONSENSUS.reviewWindow);
      expect((await mission.city.now()) - since).to.be.at.most(2n * stages + 3n * verificationTimeout);
      await mission.contract.abort();
      expect(await mission.contract.state()).to.equal(MissionState.ABORTED);
    });

    it("waits for no attempt that failed, nor for one that has committed nothing", async () => {
      await running({ nodes: [TASK, TASK], duration: 7200 });
      await increaseTo((await mission.contract.expiresAt()) - 20n);
      await mission.run(0, { result: Result.FAIL });
      await mission.contract.reopen(0);
      await mission.route(1);
      await increaseTo(await mission.contract.expiresAt());
      await mission.contract.abort();
      expect(await mission.contract.state()).to.equal(MissionState.ABORTED);
    });

    it("pays who is cleared meanwhile", async () => {
      await running({ nodes: [TASK, TASK], duration: 7200 });
      await increaseTo((await mission.contract.expiresAt()) - 20n);
      await mission.route(0);
      await mission.work(0);
      await increaseTo(await mission.contract.expiresAt());
      await mission.contract.abort();
      await mission.clear(0);
      await mission.contract.abort();
      expect(await mission.contract.state()).to.equal(MissionState.ABORTED);
      expect((await mission.contract.ledger()).entitled).to.be.greaterThan(0n);
    });
  });

  describe("advance", () => {
    it("clears and routes in one call", async () => {
      await running({ nodes: [TASK, { ...TASK, predecessors: 1n }] });
      await mission.route(0);
      await mission.work(0);
      await networkHelpers.mine();
      await mission.contract.advance(packed(await mission.clearOrder(0)), ...(await mission.start([1])));
      expect(await mission.stateOf(0)).to.equal(NodeState.COMPLETED);
      expect(await mission.stateOf(1)).to.equal(NodeState.EXECUTING);
      await expect(mission.contract.advance("0x", 0, (await mission.start([]))[1])).to.be.revertedWithCustomError(
        mission.contract,
        "EmptyBatch",
      );
    });

    it("routes alone, or clears alone", async () => {
      await running();
      await mission.contract.advance("0x", ...(await mission.start([0])));
      await mission.work(0);
      await networkHelpers.mine();
      await mission.contract.advance(packed(await mission.clearOrder(0)), 0, (await mission.start([]))[1]);
      expect(await mission.stateOf(0)).to.equal(NodeState.COMPLETED);
    });
  });

  describe("a cheat", () => {
    it("is caught, slashed after the window, and redone by another, paid right", async () => {
      await running({ nodes: [TASK, { ...TASK, predecessors: 1n }] });
      const liar = (await mission.executorOf(0)).agent;
      const rho = await mission.city.producers.reputationOf(liar.address);
      await mission.run(0, { result: Result.FAIL });
      expect(await mission.stateOf(0)).to.equal(NodeState.FAILED);
      expect(await stakeOf(liar.address)).to.equal(tokens(10_000));
      const fault = await mission.contract.faultOf(0, 0);
      expect(fault.mask).to.equal(1);
      await expect(mission.contract.claim([0]))
        .to.be.revertedWithCustomError(mission.contract, "WindowOpen")
        .withArgs(0, fault.dueAt);

      await mission.contract.reopen(0);
      const liarAt = mission.city.workers.findIndex(({ agent }) => agent.address === liar.address);
      await mission.bid(0, (liarAt + 1) % 8);
      await mission.closeMarket();
      await mission.city.execution.award(mission.address, [0]);
      await mission.run(0);
      expect(await mission.stateOf(0)).to.equal(NodeState.COMPLETED);

      await networkHelpers.time.increase(HOUR);
      await mission.contract.claim([0]);
      expect(await stakeOf(liar.address)).to.equal(tokens(9850));
      expect(await mission.city.producers.reputationOf(liar.address)).to.be.lessThan(rho);
      expect((await mission.contract.nodeOf(0)).faulted).to.equal(false);
      const honest = (await mission.executorOf(0)).agent;
      expect(await mission.city.wealthOf(honest.address)).to.be.greaterThanOrEqual(tokens(97));
    });
  });
});
