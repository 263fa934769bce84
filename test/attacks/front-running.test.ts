/** Acting on what others just showed, or before they can act. */
import { expect } from "chai";
import { id, type Wallet, ZeroAddress, ZeroHash } from "ethers";
import { authorize } from "../support/authorization.ts";
import { loadCity, networkHelpers, tokens } from "../support/city-fixture.ts";
import { loadLegislature } from "../support/legislature.ts";
import { type Mission, openMission, TASK } from "../support/mission-fixture.ts";
import { attempt } from "./attempt.ts";

const CONSENSUS = { ...TASK, tier: 2, redundancy: 3, threshold: 2, panelSize: 3 };
const BILL = id("a bill") as `0x${string}`;

describe("attacks by going first or last", () => {
  let mission: Mission;
  const opened = async (...nodes: (typeof TASK)[]) => {
    mission = await (await openMission({ nodes })).activate();
  };
  const routed = async (...nodes: (typeof TASK)[]) => {
    await opened(...nodes);
    await mission.awardAll();
    await mission.route(0);
  };
  const heldBy = async (agent: Wallet) => (await mission.city.producers.stakeOf(agent.address)).held;

  describe("at the commitment", () => {
    it("two executors reveal early, so that the third is cut off and slashed while it still has time", async () => {
      await routed(CONSENSUS);
      for (const slot of [0, 1]) await mission.commit(0, slot);
      await attempt(mission.reveal(0, 0));
      expect(await heldBy((await mission.executorOf(0, 2)).agent)).to.equal(tokens(10_000));
    });

    it("an executor copies another's commitment and opens it once the other has", async () => {
      await routed(CONSENSUS);
      const commitment = await mission.commitmentOf(0, 0);
      const { agent: copycat } = await mission.executorOf(0, 1);
      await mission.commit(0, 0);
      await mission.contract.connect(copycat).commit(0, 1, commitment, await mission.soon(), "0x");
      await mission.commit(0, 2);
      await mission.reveal(0, 0);
      await attempt(mission.contract.connect(copycat).reveal(0, 1, await mission.opening(0, 0)));
      expect((await mission.contract.nodeOf(0)).revealMask).to.equal(0b001);
    });
  });

  describe("at the market", () => {
    it("a bidder waits for the window to end, reads all bids and undercuts them", async () => {
      await opened(TASK);
      await mission.bid(0, 0, tokens(90));
      await mission.closeMarket();
      await attempt(mission.bid(0, 1, tokens(89)));
      await mission.city.execution.award(mission.address, [0]);
      expect((await mission.contract.slotOf(0, 0)).agent).to.equal(mission.worker(0).agent.address);
    });

    it("a bidder outdoes another in the last second of the window", async () => {
      await opened(TASK);
      await mission.bid(0, 0, tokens(90));
      await mission.bid(0, 1, tokens(95));
      const { closesAt } = await mission.city.execution.marketOf(mission.address, 0);
      await networkHelpers.time.setNextBlockTimestamp(closesAt - 1n);
      await mission.bid(0, 1, tokens(89));
      await networkHelpers.time.setNextBlockTimestamp(closesAt + 1n);
      await attempt(mission.bid(0, 0, tokens(80)));
      await networkHelpers.time.increase(300);
      await mission.city.execution.award(mission.address, [0]);
      expect((await mission.contract.slotOf(0, 0)).agent).to.equal(mission.worker(0).agent.address);
    });

    it("the first bidder has itself awarded before anybody else can bid", async () => {
      await opened(TASK);
      await mission.bid(0, 0, tokens(100));
      await attempt(mission.city.execution.award(mission.address, [0]));
      expect((await mission.contract.slotOf(0, 0)).agent).to.equal(ZeroAddress);
      await mission.bid(0, 1, tokens(50));
    });

    it("a late bid that is no better drives out an earlier one", async () => {
      await opened(TASK);
      const early: string[] = [];
      for (let i = 0; i < 16; i++) {
        const bidder = await mission.newcomer(`bidder ${i}`);
        await mission.bidAs(bidder, 0);
        early.push(bidder.agent.address);
      }
      await attempt(mission.bidAs(await mission.newcomer("latecomer"), 0));
      const bidders = (await mission.city.execution.bidsOf(mission.address, 0)).map(({ agent }) => agent);
      expect(bidders).to.deep.equal(early);
    });

    it("a rival withdraws a better bid", async () => {
      await opened(TASK);
      await mission.bid(0, 0, tokens(50));
      for (let window = 0; window < 2; window++) await mission.closeMarket();
      const auth = { agent: mission.worker(0).agent.address, deadline: await mission.soon(), signature: "0x" };
      await attempt(mission.city.execution.connect(mission.worker(1).agent).withdrawBid(mission.address, 0, auth));
      expect(await mission.city.execution.bidsOf(mission.address, 0)).to.have.length(1);
    });

    it("a bidder takes its offer back once it has read the others", async () => {
      await opened(TASK);
      const { agent } = mission.worker(0);
      await mission.bid(0, 0, tokens(10));
      await mission.bid(0, 1, tokens(60));
      await mission.closeMarket();
      const auth = { agent: agent.address, deadline: await mission.soon(), signature: "0x" };
      await attempt(mission.city.execution.connect(agent).withdrawBid(mission.address, 0, auth));
      await mission.city.execution.award(mission.address, [0]);
      expect((await mission.contract.slotOf(0, 0)).agent).to.equal(agent.address);
    });

    it("a bidder raises its price in the last second, the others being dearer", async () => {
      await opened(TASK);
      await mission.bid(0, 0, tokens(10));
      await mission.bid(0, 1, tokens(60));
      await attempt(mission.bid(0, 0, tokens(59)));
      await mission.closeMarket();
      await mission.city.execution.award(mission.address, [0]);
      expect((await mission.contract.slotOf(0, 0)).price).to.equal(tokens(10));
    });

    it("a bidder gives notice to be rid of its offer", async () => {
      await opened(TASK);
      const { agent } = mission.worker(0);
      await mission.bid(0, 0, tokens(10));
      await mission.bid(0, 1, tokens(60));
      await attempt(mission.city.producers.connect(agent).deregister(agent.address));
      await mission.closeMarket();
      await mission.city.execution.award(mission.address, [0]);
      expect((await mission.contract.slotOf(0, 0)).agent).to.equal(agent.address);
    });
  });

  describe("at the panel", () => {
    beforeEach(async () => {
      await routed(CONSENSUS);
      await mission.work(0);
    });
    const drawn = async () => (await mission.contract.nodeOf(0)).drawBlock;

    it("an executor redraws its panel until it likes it", async () => {
      const before = await drawn();
      await networkHelpers.mine();
      await attempt(mission.contract.redraw(0));
      expect(await drawn()).to.equal(before);
    });

    it("a silent panel is redrawn again and again", async () => {
      await networkHelpers.time.increase(300);
      await mission.contract.redraw(0);
      const before = await drawn();
      await networkHelpers.time.increase(300);
      await attempt(mission.contract.redraw(0));
      expect(await drawn()).to.equal(before);
    });

    it("an executor waits until the chain forgets the panel that would judge it", async () => {
      await routed(TASK);
      await mission.work(0);
      await networkHelpers.mine();
      const before = await drawn();
      await mission.city.evidence.pinSeed(before);
      await networkHelpers.mine(260, { interval: 0 });
      await attempt(mission.contract.redraw(0));
      expect(await drawn()).to.equal(before);
    });

    it("an executor lets 256 blocks pass until it likes its panel", async () => {
      await networkHelpers.mine(260, { interval: 0 });
      await mission.contract.redraw(0);
      const before = await drawn();
      await networkHelpers.mine(260, { interval: 0 });
      await attempt(mission.contract.redraw(0));
      expect(await drawn()).to.equal(before);
    });
  });

  describe("at the record", () => {
    const anchor = async (root: string, runner = mission.city.runner) => {
      const message = { runner: runner.address, root, deadline: await mission.soon() };
      const signature = await mission.city.sign("Anchor", mission.address, message, runner);
      return mission.contract.anchor(root, message.runner, message.deadline, signature);
    };

    it("a runner replaces a mission's record after it was anchored", async () => {
      await routed(TASK);
      await anchor(id("history"));
      await attempt(anchor(id("another history")));
      expect(await mission.contract.anchored()).to.equal(id("history"));
    });

    it("a record is anchored before anything happened", async () => {
      await opened(TASK);
      await attempt(anchor(id("nothing happened")));
      expect(await mission.contract.anchored()).to.equal(ZeroHash);
    });

    it("an executor's own runner anchors a record that leaves it out", async () => {
      await routed(TASK);
      const { city } = mission;
      const { agent } = await mission.executorOf(0);
      const own = await city.account("own runner");
      await city.evidence.registerRunner(own.address, await city.producers.principalOf(agent.address));
      await attempt(anchor(id("nothing happened"), own));
      expect(await mission.contract.anchored()).to.equal(ZeroHash);
    });
  });

  describe("at the ballot", () => {
    it("voters are registered once the candidates are known", async () => {
      const house = await loadLegislature();
      const session = await house.steps.toVoting([BILL]);
      const { agent } = await house.register("latecomer");
      await attempt(house.legislation.castBallots(session, [await house.steps.ballot(session, agent, [1, 0])]));
      expect((await house.legislation.sessionOf(session)).ballots).to.equal(0);
    });

    it("a voter sends its own ballot before everybody's, and nobody's in that batch counts", async () => {
      const { legislation, steps, voters } = await loadLegislature();
      const session = await steps.toVoting([BILL]);
      const ballots = await Promise.all(voters.map((voter) => steps.ballot(session, voter, [1, 0])));
      const [first] = voters as [Wallet];
      await legislation.castBallots(session, [await steps.ballot(session, first, [0, 1])]);
      await attempt(legislation.castBallots(session, ballots));
      expect((await legislation.sessionOf(session)).ballots).to.equal(voters.length);
    });

    it("the tally is called while one side is ahead and the other still votes", async () => {
      const { legislation, steps } = await loadLegislature();
      const session = await steps.toVoting([BILL]);
      await steps.vote(
        session,
        Array.from({ length: 5 }, () => [1, 0]),
      );
      await attempt(legislation.tally(session));
      expect((await legislation.sessionOf(session)).winner).to.equal(0);
    });

    it("an opinion from before the debate is given twice", async () => {
      const { legislation, steps, voters } = await loadLegislature();
      const session = await steps.toDebate([BILL]);
      const [voter] = voters as [Wallet];
      await legislation.strawPoll(session, [await steps.straw(session, voter, [1, 0])]);
      await attempt(legislation.strawPoll(session, [await steps.straw(session, voter, [0, 1])]));
      expect(await legislation.strawRankingOf(session, voter.address)).to.equal((await steps.straw(session, voter, [1, 0])).ranking);
    });
  });

  it("somebody hands in a payment before the payee that has to notice it", async () => {
    const { token, account } = await loadCity();
    const [payer, payee, relayer] = [await account("payer"), await account("payee"), await account("relayer")];
    await token.mint(payer.address, tokens(10));
    const order = { from: payer.address, to: payee.address, value: tokens(5), validAfter: 0n, validBefore: 2n ** 40n, nonce: id("first") };
    const args = await authorize(token, payer, "ReceiveWithAuthorization", order);
    await attempt(token.connect(relayer).receiveWithAuthorization(...args));
    expect(await token.balanceOf(payee.address)).to.equal(0);
    await token.connect(payee).receiveWithAuthorization(...args);
  });
});
