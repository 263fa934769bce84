import { expect } from "chai";
import { id } from "ethers";
import { getAddress } from "viem";
import { encodeActionData } from "../../../../orchestrator/protocol/actions.ts";
import { packPayment, SEAT } from "../../../../orchestrator/rules/payments.ts";
import { directly, keyOf, networkHelpers, tokens } from "../../../support/city-fixture.ts";
import {
  Action,
  HOUR,
  type Mission,
  type MissionOptions,
  MissionState,
  openMission,
  Result,
  TASK,
} from "../../../support/mission-fixture.ts";

const EVIDENCE = id("evidence");

describe("Settlement", () => {
  let mission: Mission;
  const awarded = async (options: MissionOptions = {}) => {
    mission = await (await (await openMission(options)).activate()).awardAll();
  };
  const cleared = async (options: MissionOptions = {}, result: number = Result.PASS) => {
    await awarded(options);
    await mission.run(0, { result });
  };
  const refused = (call: Promise<unknown>, error: string) => expect(call).to.be.revertedWithCustomError(mission.contract, error);
  const wealthOf = (account: string) => mission.city.wealthOf(account);

  afterEach(async () => expect(await mission.imbalance()).to.equal(""));

  describe("claim", () => {
    it("waits for the window, then credits base and verifiers, and pays fees and insurance", async () => {
      await cleared();
      const { agent } = await mission.executorOf(0);
      const [verifier] = await mission.contract.countedOf(0);
      await refused(mission.contract.claim([0]), "WindowOpen");
      await refused(mission.contract.claim([]), "EmptyBatch");
      await networkHelpers.time.increase(HOUR);
      const free = await mission.city.treasury.freeBalance();
      const place = { account: getAddress(verifier ?? ""), psi: 0, node: 0, place: SEAT };
      const first = { account: getAddress(agent.address), amount: tokens(97), psi: 1000, node: 0, place: 0 };
      await expect(mission.contract.claim([0]))
        .to.emit(mission.contract, "Claimed")
        .withArgs([packPayment(first), packPayment({ ...place, amount: tokens(1) })], []);
      expect(await wealthOf(agent.address)).to.equal(tokens(97));
      expect(await wealthOf(verifier ?? "")).to.equal(tokens(1));
      expect(await mission.city.treasury.freeBalance()).to.equal(free + tokens(1));
      expect(await mission.city.treasury.insuranceBalance()).to.equal(tokens(1));
      const ledger = await mission.contract.ledger();
      expect([ledger.paid, ledger.fees, ledger.insurance, ledger.entitled]).to.deep.equal([tokens(97), tokens(2), tokens(1), 0n]);
    });

    it("pays nobody twice", async () => {
      await cleared();
      await networkHelpers.time.increase(HOUR);
      await mission.contract.claim([0, 0]);
      await mission.contract.claim([0]);
      expect((await mission.contract.ledger()).paid).to.equal(tokens(97));
    });

    it("knows only what was recorded", async () => {
      await awarded();
      await refused(mission.contract.claim([0]), "NotRecorded");
    });

    it("gives a discount to the treasury and a premium from it, by reputation at the award", async () => {
      mission = await (await openMission({ nodes: [TASK, TASK] })).activate();
      const { producers } = mission.city;
      const agents = [0, 1].map((index) => mission.worker(index).agent.address);
      const adjust = async (...deltas: number[]) => {
        for (const [i, delta] of deltas.entries()) await producers.adjustReputation(agents[i] ?? "", delta, EVIDENCE);
      };
      await adjust(-200, 200);
      for (const index of [0, 1]) await mission.bid(index, index);
      await mission.closeMarket();
      await mission.city.execution.award(mission.address, [0, 1]);
      // What comes after the award, and in which order nodes are claimed, is all the same.
      await adjust(400, -300);
      for (const node of [0, 1]) await mission.run(node);
      await networkHelpers.time.increase(HOUR);
      await mission.contract.claim([1, 0]);
      // ψ(300) = 0.9: 87.3 of 97. ψ(700) = 1.1: 97 and 9.7 on top.
      expect(await wealthOf(agents[0] ?? "")).to.equal(87_300_000n);
      expect(await wealthOf(agents[1] ?? "")).to.equal(tokens(97) + 9_700_000n);
      const ledger = await mission.contract.ledger();
      expect([ledger.paid, ledger.discount, ledger.subsidy]).to.deep.equal([87_300_000n + tokens(97), 9_700_000n, 9_700_000n]);
    });

    it("settles an executor's nodes together, and scores them in the order of the claim", async () => {
      mission = await (await openMission({ nodes: [TASK, TASK, TASK] })).activate();
      for (const [node, worker] of [0, 1, 0].entries()) await mission.bid(node, worker);
      await mission.closeMarket();
      await mission.city.execution.award(mission.address, [0, 1, 2]);
      for (const [node, score] of [10_000, 10_000, 8000].entries()) await mission.run(node, { score });
      await networkHelpers.time.increase(HOUR);
      const { producers } = mission.city;
      const receipt = await (await mission.contract.claim([2, 1, 0])).wait();
      const logs = receipt?.logs.flatMap((log) => producers.interface.parseLog(log) ?? []) ?? [];
      const told = (name: string, agent: string) => logs.filter((log) => log.name === name && log.args.agent === agent);
      const [twice, once] = [0, 1].map((index) => mission.worker(index).agent.address);
      expect(told("StakeReleased", twice ?? "").map(({ args }) => args.amount)).to.deep.equal([tokens(300)]);
      expect(told("StakeReleased", once ?? "").map(({ args }) => args.amount)).to.deep.equal([tokens(150)]);
      // 500 points move to 530 by a share of four fifths, then to 577.
      expect(told("ReputationChanged", twice ?? "").map(({ args }) => args.current)).to.deep.equal([530_000n, 577_000n]);
      expect(told("ReputationChanged", once ?? "").map(({ args }) => args.current)).to.deep.equal([550_000n]);
    });

    it("needs no waiting in a window of zero seconds, and such a window has no appeal", async () => {
      await cleared({ nodes: [{ ...TASK, band: 0 }] });
      await refused(mission.contract.connect(mission.city.sponsor).appeal(0, 0, EVIDENCE, directly(mission.city.sponsor)), "WindowClosed");
      await mission.contract.claim([0]);
    });
  });

  describe("a fault that waits", () => {
    it("counts against its executor until anybody settles it, for a hundredth of what is slashed", async () => {
      await cleared({ nodes: [TASK, TASK] }, Result.FAIL);
      const { producers, token } = mission.city;
      const { agent } = await mission.executorOf(0);
      const bids = async () => [(await producers.bidderOf(agent.address)).reputation, await producers.openFaultsOf(agent.address)];
      expect(await bids()).to.deep.equal([450n, 1n]);
      await networkHelpers.time.increase(HOUR);
      const settler = await mission.city.account("settler");
      await mission.contract.connect(settler).claim([0]);
      expect(await bids()).to.deep.equal([450n, 0n]);
      expect(await token.balanceOf(settler.address)).to.equal(1_500_000n);
      expect((await producers.stakeOf(agent.address)).held).to.equal(tokens(9850));
    });

    it("is as heavy as adjudicators find it after the end of a mission", async () => {
      await awarded();
      await mission.route(0);
      await mission.override(Action.TERMINATE_MISSION, 0);
      await mission.override(Action.FAULT_SLOTS, 0, encodeActionData("FAULT_SLOTS", [0, 1]));
      const { agent } = await mission.executorOf(0);
      expect(await mission.city.producers.openFaultsOf(agent.address)).to.equal(1n);
    });
  });

  describe("refund and close", () => {
    it("return what no executor earned, to the unit", async () => {
      await cleared({ nodes: [{ ...TASK, budget: 100_000_001n }], reserve: 5n });
      const before = await wealthOf(mission.city.sponsor.address);
      expect((await mission.contract.ledger()).refundable).to.equal(5n);
      await mission.contract.refund();
      expect(await mission.imbalance()).to.equal("");
      await refused(mission.contract.refund(), "NothingToRefund");
      await refused(mission.contract.close(), "Unsettled");
      await networkHelpers.time.increase(HOUR);
      await mission.contract.claim([0]);
      await mission.city.token.mint(mission.address, 3);
      await mission.contract.close();
      const ledger = await mission.contract.ledger();
      expect(ledger.deposit).to.equal(ledger.paid + ledger.fees + ledger.insurance + ledger.discount + ledger.refunded);
      expect(await wealthOf(mission.city.sponsor.address)).to.equal(before + ledger.refunded + 3n);
      await refused(mission.contract.close(), "NothingToRefund");
    });

    it("wait for a mission that still runs", async () => {
      await cleared({ nodes: [TASK, TASK] });
      await refused(mission.contract.refund(), "NothingToRefund");
      await networkHelpers.time.increase(HOUR);
      await mission.contract.claim([0]);
      await refused(mission.contract.close(), "Unsettled");
    });

    it("wait for a slash that waits", async () => {
      await cleared({}, Result.FAIL);
      await mission.override(Action.TERMINATE_MISSION, 0);
      expect(await mission.contract.state()).to.equal(MissionState.ABORTED);
      const { agent } = await mission.executorOf(0);
      const withdrawal = mission.city.execution.withdrawBid(mission.address, 0, { agent, deadline: 0, signature: "0x" });
      await expect(withdrawal).to.be.revertedWithCustomError(mission.city.execution, "StillBound");
      await mission.contract.refund();
      await refused(mission.contract.close(), "Unsettled");
      await networkHelpers.time.increase(HOUR);
      await mission.contract.claim([0]);
      await mission.contract.close();
    });
  });

  describe("anchor", () => {
    it("takes one root, from a runner without a part in the mission, once work began", async () => {
      await awarded();
      const early = { runner: mission.city.runner.address, root: id("root"), deadline: await mission.soon() };
      const signed = await mission.city.sign("Anchor", mission.address, early, mission.city.runner);
      await refused(mission.contract.anchor(early.root, early.runner, early.deadline, signed), "WrongMissionState");
      await mission.route(0);
      const root = id("root");
      const message = { runner: mission.city.runner.address, root, deadline: await mission.soon() };
      const signature = await mission.city.sign("Anchor", mission.address, message, mission.city.runner);
      const stranger = keyOf("stranger").address;
      await refused(mission.contract.anchor(root, stranger, message.deadline, signature), "NotRunner");
      await refused(mission.contract.anchor(id("other"), message.runner, message.deadline, signature), "InvalidSignature");
      await refused(mission.contract.anchor(root, message.runner, 1, signature), "Expired");
      const own = await mission.city.account("own runner");
      await mission.city.evidence.registerRunner(own.address, mission.city.sponsor.address);
      await refused(mission.contract.anchor(root, own.address, message.deadline, "0x"), "RunnerConflict");
      await mission.contract.anchor(root, message.runner, message.deadline, signature);
      expect(await mission.contract.anchored()).to.equal(root);
      await refused(mission.contract.anchor(root, message.runner, message.deadline, signature), "AlreadyAnchored");
    });
  });
});
