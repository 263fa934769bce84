import { expect } from "chai";
import { id, ZeroAddress } from "ethers";
import { keccak256, stringToHex } from "viem";
import { CODE, SCHEMAS } from "../../support/admitted.ts";
import { EVERYTHING, Kind, keyOf, networkHelpers, type OfferedService, Office, tokens } from "../../support/city-fixture.ts";
import { seatOf, seatPrincipal, seatVerifier, seatWord } from "../../support/judges.ts";
import {
  Action,
  BIDDING_WINDOW,
  FOUR_THREE_ONE,
  HOUR,
  type Mission,
  type MissionOptions,
  openMission,
  openMissionIn,
  TASK,
} from "../../support/mission-fixture.ts";
import { penaltyOf } from "../../support/outcomes.ts";

const hashOf = (text: string) => keccak256(stringToHex(text));
const CONSENSUS = { ...TASK, tier: 2, redundancy: 3, threshold: 2, panelSize: 3 };

describe("ExecutionProcedure", () => {
  let mission: Mission;
  let market: Mission["city"]["execution"];
  const open = async (options: MissionOptions = {}) => {
    mission = await (await openMission(options)).activate();
    market = mission.city.execution;
    return mission;
  };
  const refused = (call: Promise<unknown>, error: string) => expect(call).to.be.revertedWithCustomError(market, error);
  const stakeOf = (index: number) => mission.city.producers.stakeOf(mission.worker(index).agent.address);
  /** With gas to spare: an estimate is of another block's time. */
  const award = (...nodes: number[]) => market.award(mission.address, nodes, { gasLimit: 5_000_000 });
  const executors = async (node: number) => {
    const agents: string[] = [];
    for (let slot = 0; slot < mission.node(node).redundancy; slot++) agents.push((await mission.contract.slotOf(node, slot)).agent);
    return agents.map((agent) => mission.city.workers.findIndex((worker) => worker.agent.address === agent));
  };

  describe("openMarket", () => {
    it("is the legislature's that deployed the mission, once", async () => {
      await open();
      await refused(market.openMarket(mission.address, ZeroAddress), "NotLegislation");
      await refused(market.openMarket(keyOf("x").address, ZeroAddress), "NotMission");
      await refused(market.connect(mission.legislature).openMarket(mission.address, ZeroAddress), "AlreadyOpen");
      expect((await market.marketOf(mission.address, 0)).closesAt).to.be.greaterThan(await mission.city.now());
      expect((await market.participationOf(mission.address, mission.city.sponsor.address)).sponsor).to.equal(true);
      expect((await market.marketOf(mission.address, 1)).closesAt).to.equal(0);
    });
  });

  describe("reopenMarket", () => {
    it("is a genuine mission's, for itself, and bars whose agents are at fault", async () => {
      await (await open()).awardAll();
      const [winner = 0] = await executors(0);
      const culprit = mission.worker(winner).agent.address;
      await refused(market.reopenMarket(0, 1, [culprit]), "NotMission");
      await market.connect(await mission.city.as(mission.address)).reopenMarket(0, 1, [culprit]);
      const { closesAt, attempt } = await market.marketOf(mission.address, 0);
      expect([closesAt, attempt]).to.deep.equal([(await mission.city.now()) + BIDDING_WINDOW, 1n]);
      const { principal } = await mission.city.producers.agentOf(mission.worker(winner).agent.address);
      await expect(mission.bid(0, (winner + 4) % 8))
        .to.be.revertedWithCustomError(market, "Barred")
        .withArgs(mission.address, 0, principal);
      expect(await market.isBarred(mission.address, 0, principal)).to.equal(true);
      expect(await market.isBarred(mission.address, 1, principal)).to.equal(false);
      await mission.bid(0, (winner + 1) % 8);
    });
  });

  describe("bar", () => {
    it("is a genuine mission's, for a further attempt of one node", async () => {
      await open();
      const { principal } = await mission.city.producers.agentOf(mission.worker(0).agent.address);
      await refused(market.bar(0, principal), "NotMission");
      const asMission = market.connect(await mission.city.as(mission.address));
      await asMission.bar(0, principal);
      expect(await market.isBarred(mission.address, 0, principal)).to.equal(true);
      await mission.bid(0, 0);
      await asMission.reopenMarket(0, 1, []);
      await expect(mission.bid(0, 0)).to.be.revertedWithCustomError(market, "Barred").withArgs(mission.address, 0, principal);
      await mission.bid(0, 1);
    });
  });

  describe("bid", () => {
    it("locks the node's stake and is scored when placed", async () => {
      await open();
      // ρ = 500 points and a perfect match: 0.6 · 0.5; half the budget saved: 0.4 · 0.5.
      const { agent, service } = mission.worker(0);
      await expect(mission.bid(0, 0, tokens(50)))
        .to.emit(market, "BidPlaced")
        .withArgs(mission.address, 0, agent.address, service, tokens(50), 500_000, tokens(150));
      expect((await stakeOf(0)).locked).to.equal(tokens(150));
      expect(await market.bidsOf(mission.address, 0)).to.have.length(1);
      expect(await market.nonceOf(agent.address)).to.equal(1);
      const { principal } = await mission.city.producers.agentOf(agent.address);
      expect((await market.participationOf(mission.address, principal)).bid).to.equal(true);
    });

    it("refuses a price out of range, a principal's second bid, a bid in another's name", async () => {
      await open();
      await refused(mission.bid(0, 0, 0n), "PriceOutOfRange");
      await refused(mission.bid(0, 0, tokens(100) + 1n), "PriceOutOfRange");
      await mission.bid(0, 0);
      // Of worker 0's principal.
      await expect(mission.bid(0, 4, tokens(1)))
        .to.be.revertedWithCustomError(market, "AlreadyBid")
        .withArgs(mission.address, 0, mission.worker(0).agent.address);
      const { service, agent, record } = mission.worker(1);
      const offer = { mission: mission.address, node: 0, service, price: 1n };
      const shown = mission.shownBy(record, 0);
      const auth = { agent: agent.address, deadline: await mission.soon(), signature: "0x" };
      await refused(market.bid(offer, auth, shown), "InvalidSignature");
      await refused(market.connect(agent).bid(offer, { ...auth, deadline: 1 }, shown), "Expired");
      await market.connect(agent).bid(offer, auth, shown);
      await refused(market.connect(agent).bid({ ...offer, mission: keyOf("x").address }, auth, shown), "NotMission");
    });

    it("asks for an eligible, capable producer with a live service of its own principal", async () => {
      await open({ nodes: [{ ...TASK, capabilities: 0xffn }] });
      const { agent, service, record } = mission.worker(0);
      const poor = await mission.city.register("incapable", { capabilities: 0n, stake: tokens(5000) });
      const soon = await mission.soon();
      const bidAs = (who: typeof agent, what: string, shown = record) => {
        const offer = { mission: mission.address, node: 0, service: what, price: 1n };
        const auth = { agent: who.address, deadline: soon, signature: "0x" };
        return market.connect(who).bid(offer, auth, mission.shownBy(shown, 0));
      };
      await refused(bidAs(poor.agent, service), "ServiceUnavailable");
      const own = await mission.city.offerService(poor.agent, "incapable");
      await refused(bidAs(poor.agent, own.service, own.record), "CapabilityTooLow");
      await mission.city.services.connect(agent).deprecateService(service);
      await refused(bidAs(agent, service), "ServiceUnavailable");
      await mission.city.producers.ban(agent.address, id("why"));
      await refused(bidAs(agent, service), "NotEligible");
      await refused(bidAs(mission.city.sponsor, service), "NotEligible");
    });

    it("is closed to the sponsor's own principal", async () => {
      await open();
      const { agent } = await mission.city.register("house agent", { principal: mission.city.sponsor, stake: tokens(5000) });
      const offer = { mission: mission.address, node: 0, service: id("any"), price: 1n };
      const auth = { agent: agent.address, deadline: await mission.soon(), signature: "0x" };
      const shown = mission.shownBy(mission.worker(0).record, 0);
      await refused(market.connect(agent).bid(offer, auth, shown), "SponsorConflict");
    });

    it("is improved by its agent, on the stake that it has locked", async () => {
      await open();
      await mission.bid(0, 0, tokens(90));
      await mission.bid(0, 1, tokens(80));
      await expect(mission.bid(0, 0, tokens(90)))
        .to.be.revertedWithCustomError(market, "NotImproved")
        .withArgs(mission.address, 0, 340_000, 340_000);
      await mission.bid(0, 0, tokens(70));
      expect((await stakeOf(0)).locked).to.equal(tokens(150));
      const bids = await market.bidsOf(mission.address, 0);
      expect(bids.map(({ agent, price }) => [agent, price])).to.deep.equal([
        [mission.worker(1).agent.address, tokens(80)],
        [mission.worker(0).agent.address, tokens(70)],
      ]);
      const [, , bidders] = await market.fairnessOf(mission.address);
      expect(bidders).to.equal(2);
      // It came in the last minute.
      await networkHelpers.time.increaseTo((await market.marketOf(mission.address, 0)).closesAt);
      await award(0);
      expect(await executors(0)).to.deep.equal([0]);
    });

    it("is answered for a minute when a late improvement brings its agent among the winners, five times at most", async () => {
      await open();
      await mission.bid(0, 0, tokens(90));
      await mission.bid(0, 1, tokens(91));
      const { closesAt: first } = await market.marketOf(mission.address, 0);
      for (let i = 0; i < 6; i++) {
        const { closesAt } = await market.marketOf(mission.address, 0);
        await networkHelpers.time.setNextBlockTimestamp(closesAt - 5n);
        // The two outdo each other, from the one that is behind.
        const call = mission.bid(0, (i + 1) % 2, tokens(80 - i));
        if (i < 5) {
          await expect(call)
            .to.emit(market, "MarketExtended")
            .withArgs(mission.address, 0, 0, closesAt + 60n);
        } else {
          await expect(call).not.to.emit(market, "MarketExtended");
        }
      }
      expect((await market.marketOf(mission.address, 0)).closesAt).to.equal(first + 300n);
      await networkHelpers.time.increaseTo(first + 300n);
      await award(0);
    });

    it("keeps the best sixteen and frees whom it drops", async () => {
      await open();
      await mission.bid(0, 0, tokens(90));
      for (let i = 1; i < 16; i++) await mission.bidAs(await mission.newcomer(`bidder ${i}`), 0, tokens(90 - i));
      await refused(mission.bid(0, 1, tokens(90)), "Outbid");
      await expect(mission.bid(0, 1, tokens(10)))
        .to.emit(market, "BidWithdrawn")
        .withArgs(mission.address, 0, mission.worker(0).agent.address, tokens(150));
      expect((await stakeOf(0)).locked).to.equal(0);
      expect(await market.bidsOf(mission.address, 0)).to.have.length(16);
    });

    it("keeps half of its places for those who have a vote, once all are taken", async () => {
      await open();
      await mission.city.constitution.seal();
      const newcomers: string[] = [];
      for (let i = 0; i < 16; i++) {
        const one = await mission.newcomer(`newcomer ${i}`, { capabilities: 0n });
        newcomers.push(one.agent.address);
        await mission.bidAs(one, 0, tokens(10 + i));
      }
      const lowest = (await market.bidsOf(mission.address, 0))[15]?.score;
      // A founder takes the place of a newcomer's better bid, the lowest of theirs.
      await expect(mission.bid(0, 0, tokens(90)))
        .to.emit(market, "BidWithdrawn")
        .withArgs(mission.address, 0, newcomers[15], tokens(150));
      const bids = await market.bidsOf(mission.address, 0);
      expect([bids[15]?.agent, Number(bids[15]?.score) < Number(lowest)]).to.deep.equal([mission.worker(0).agent.address, true]);
      // One more newcomer takes a newcomer's place at best, though the founder's bid is the lowest.
      await refused(mission.bidAs(await mission.newcomer("late and dear", { capabilities: 0n }), 0, tokens(80)), "Outbid");
      await mission.bidAs(await mission.newcomer("late and cheap", { capabilities: 0n }), 0, tokens(9));
      const left = (await market.bidsOf(mission.address, 0)).map(({ agent }) => agent);
      expect([left.includes(mission.worker(0).agent.address), left.includes(newcomers[14] ?? "")]).to.deep.equal([true, false]);
    });

    it("drops what nobody withdrew of an earlier attempt before any bid of this one", async () => {
      await open();
      for (let i = 0; i < 15; i++) await mission.bidAs(await mission.newcomer(`bidder ${i}`), 0, tokens(50 + i));
      await mission.bid(0, 0, tokens(10));
      await mission.closeMarket();
      await award(0);
      await market.connect(await mission.city.as(mission.address)).reopenMarket(0, 1, []);
      expect(await market.bidsOf(mission.address, 0)).to.have.length(0);
      await mission.bid(0, 1, tokens(100));
      const [oldest] = await mission.city.producers.queryFilter(mission.city.producers.filters.StakeLocked());
      await expect(mission.bid(0, 2, tokens(100)))
        .to.emit(market, "BidWithdrawn")
        .withArgs(mission.address, 0, oldest?.args.agent, tokens(150));
      expect((await market.bidsOf(mission.address, 0)).map(({ agent }) => agent)).to.deep.equal(
        [1, 2].map((index) => mission.worker(index).agent.address),
      );
      // The executor of the first attempt keeps its lock.
      expect((await stakeOf(0)).locked).to.equal(tokens(150));
    });

    it("names one of 64 services that its agent has offered, each as it was when the bid came", async () => {
      await open({ nodes: [TASK, TASK] });
      const { agent, service, record } = mission.worker(0);
      const other = await mission.city.offerService(agent, "another");
      await mission.bid(0, 0);
      await mission.bidAs({ agent, ...other }, 1);
      const kept = await Promise.all([0, 1].map((node) => market.bidsOf(mission.address, node)));
      expect(kept.map(([bid]) => bid?.service)).to.deep.equal([service, other.service]);
      for (let i = 2; i < 64; i++) {
        const price = tokens(100 - i);
        await mission.bidAs({ agent, ...(await mission.city.offerService(agent, `another ${i}`)) }, 0, price);
      }
      const last = { agent, ...(await mission.city.offerService(agent, "one too many")) };
      await expect(mission.bidAs(last, 0, 1n))
        .to.be.revertedWithCustomError(market, "TooManyServices")
        .withArgs(agent.address, 64);
      await mission.bidAs({ agent, service, record }, 0, 1n);
    });

    it("takes the code that the law admits for the node, with the schemas that it admits it with, and no other", async () => {
      await open({ nodes: [TASK, TASK], admitted: [{ codeHash: CODE, schemaHash: SCHEMAS, nodes: 0b10n }] });
      const { agent, record } = await mission.newcomer("stranger");
      const bid = async ({ service, record }: OfferedService, shown = mission.shownBy(record, 1), node = 1) => {
        const offer = { mission: mission.address, node, service, price: 1n };
        return market.connect(agent).bid(offer, { agent: agent.address, deadline: await mission.soon(), signature: "0x" }, shown);
      };
      // Registered under the service's own name, and shown with the admitted code, its schemas, or another's record.
      const named = await mission.city.offerService(agent, "0", { codeHash: hashOf("a constant") });
      await expect(bid(named)).to.be.revertedWithCustomError(market, "ServiceNotAdmitted").withArgs(mission.address, 1, named.service);
      await refused(bid(named, { ...mission.shownBy(named.record, 1), codeHash: CODE }), "AnotherService");
      await refused(bid(named, mission.shownBy(record, 1)), "AnotherService");
      const loose = await mission.city.offerService(agent, "loose", { schemaHash: hashOf("takes and gives anything") });
      await refused(bid(loose), "ServiceNotAdmitted");
      await refused(bid(loose, { ...mission.shownBy(loose.record, 1), schemaHash: SCHEMAS }), "AnotherService");
      // The admitted code, under whatever name; its entry as it stands in the law, and for its node alone.
      const own = await mission.city.offerService(agent, "another name");
      const shown = mission.shownBy(own.record, 1);
      await refused(bid(own, { ...shown, nodes: 0b11n }), "ServiceNotAdmitted");
      await refused(bid(own, { ...shown, proof: [hashOf("another entry")] }), "ServiceNotAdmitted");
      await refused(bid(own, shown, 0), "ServiceNotAdmitted");
      await bid(own);
      expect(await market.bidsOf(mission.address, 1)).to.have.length(1);
    });

    it("takes any code of the schemas that the law names, where it takes any", async () => {
      await open({ nodes: [{ ...CONSENSUS, anyCode: true }, CONSENSUS] });
      const own = async (name: string, terms: Parameters<typeof mission.city.offerService>[2]) => {
        const { agent } = await mission.newcomer(name);
        return { agent, ...(await mission.city.offerService(agent, `own ${name}`, terms)) };
      };
      const stranger = await own("stranger", { codeHash: hashOf("own code") });
      await mission.bidAs(stranger, 0);
      await refused(mission.bidAs(stranger, 1), "ServiceNotAdmitted");
      await refused(mission.bidAs(await own("loose", { schemaHash: hashOf("anything") }), 0), "ServiceNotAdmitted");
      expect(await market.bidsOf(mission.address, 0)).to.have.length(1);
    });

    it("is not for a node that becomes a mission, and awards pass it over", async () => {
      await open({ nodes: [{ ...TASK, leaf: false }, TASK] });
      await refused(mission.bid(0, 0), "NotALeaf");
      await mission.bid(1, 0);
      await mission.closeMarket();
      await refused(award(0), "NotALeaf");
      await award(1);
      expect(await executors(1)).to.deep.equal([0]);
    });

    it("is over when the window is", async () => {
      await open();
      await mission.closeMarket();
      await refused(mission.bid(0, 0), "MarketClosed");
    });
  });

  describe("bidAll", () => {
    it("takes what bid would take, in order, and passes over the rest, which may be sent again", async () => {
      await open({ nodes: [TASK, TASK] });
      const signed = [
        await mission.signedBid(0, 0, tokens(90)),
        await mission.signedBid(0, 4, tokens(10)),
        await mission.signedBid(1, 1, tokens(80)),
        await mission.signedBid(0, 0, tokens(70), 1n),
      ];
      const [offers, auths] = [signed.map(({ offer }) => offer), signed.map(({ auth }) => auth)];
      const shown = signed.map(({ admission }) => admission);
      await refused(market.bidAll(offers, auths.slice(1), shown), "LengthMismatch");
      await refused(market.bidAll(offers, auths, shown.slice(1)), "LengthMismatch");
      const taken = { agent: mission.worker(0).agent.address };
      const reason = market.interface.encodeErrorResult("AlreadyBid", [mission.address, 0, taken.agent]);
      await expect(market.bidAll(offers, auths, shown))
        .to.emit(market, "BidRefused")
        .withArgs(mission.address, 0, mission.worker(4).agent.address, reason);
      const bidsOf = async (node: number) => (await market.bidsOf(mission.address, node)).map(({ agent, price }) => [agent, price]);
      expect(await bidsOf(0)).to.deep.equal([[taken.agent, tokens(70)]]);
      expect(await bidsOf(1)).to.deep.equal([[mission.worker(1).agent.address, tokens(80)]]);
      // A refused bid took no nonce; one that was taken is not taken twice.
      expect(await market.nonceOf(mission.worker(4).agent.address)).to.equal(0);
      await expect(market.bidAll(offers.slice(0, 1), auths.slice(0, 1), shown.slice(0, 1))).to.emit(market, "BidRefused");
      expect(await bidsOf(0)).to.deep.equal([[taken.agent, tokens(70)]]);
    });

    it("lets nobody bid in another's name, not even the market in its own", async () => {
      await open();
      const { offer, auth, admission } = await mission.signedBid(0, 0);
      const unsigned = { ...auth, signature: "0x" };
      await expect(market.connect(mission.worker(0).agent).bidAll([offer], [unsigned], [admission])).to.emit(market, "BidRefused");
      const itself = { ...unsigned, agent: mission.city.addresses.EXECUTION };
      await expect(market.bidAll([offer], [itself], [admission])).to.emit(market, "BidRefused");
      expect(await market.bidsOf(mission.address, 0)).to.have.length(0);
    });
  });

  describe("withdrawBid", () => {
    it("is nobody's until the award, the agent's if nobody calls for one", async () => {
      await open();
      await mission.bid(0, 0);
      await mission.bid(0, 1, tokens(50));
      const one = mission.worker(0).agent;
      const auth = { agent: one.address, deadline: await mission.soon(), signature: "0x" };
      const withdraw = () => market.connect(one).withdrawBid(mission.address, 0, auth);
      await refused(withdraw(), "StillBound");
      await mission.closeMarket();
      await refused(withdraw(), "StillBound");
      await mission.closeMarket();
      await refused(market.withdrawBid(mission.address, 0, auth), "InvalidSignature");
      await withdraw();
      await refused(withdraw(), "NoBid");
      expect((await stakeOf(0)).locked).to.equal(0);
      await award(0);
      expect(await executors(0)).to.deep.equal([1]);
    });

    it("is anyone's once the bid cannot win, and never an executor's", async () => {
      await open();
      await mission.bid(0, 1, tokens(50));
      await mission.bid(0, 2);
      const auth = { agent: "", deadline: await mission.soon(), signature: "0x" };
      await mission.closeMarket();
      await award(0);
      await market.withdrawBid(mission.address, 0, { ...auth, agent: mission.worker(2).agent.address });
      expect((await stakeOf(2)).locked).to.equal(0);
      const winner = mission.worker(1).agent.address;
      await refused(market.withdrawBid(mission.address, 0, { ...auth, agent: winner }), "StillBound");
    });
  });

  describe("award", () => {
    it("waits for the window, goes in order, binds the best", async () => {
      await open({ nodes: [CONSENSUS, TASK] });
      const prices: [number, bigint][] = [
        [0, tokens(10)],
        [1, tokens(20)],
        [2, tokens(30)],
        [3, tokens(30)],
      ];
      for (const [index, price] of prices) await mission.bid(0, index, price);
      await mission.bid(1, 0);
      await refused(award(0), "MarketOpen");
      await mission.closeMarket();
      await refused(award(), "EmptyBatch");
      await refused(award(1), "AwardOutOfOrder");
      await award(0, 1);
      expect(await executors(0)).to.deep.equal([0, 1, 2]);
      await refused(award(0), "MarketClosed");
      expect(await market.lockOf(mission.address, 0, 1)).to.equal(tokens(150));
      const [, assignments, bidders] = await market.fairnessOf(mission.address);
      expect([assignments, bidders]).to.deep.equal([4n, 4n]);
    });

    it("goes to whom the node's capabilities fit, until another's price makes up for what it lacks; who fits too little is no bidder", async () => {
      const level = 200;
      // By Equation 1 a fit of 700 ‰ loses 0.6 · 0.5 · 0.3 of the score: 22.5 % of the slot's budget.
      await open({ nodes: [TASK, TASK, { ...TASK, capabilities: BigInt(level) }, { ...TASK, capabilities: BigInt(level) }] });
      const skilled = (name: string, permille: number) =>
        mission.newcomer(name, { capabilities: BigInt(Math.ceil((256 * level * permille) / 1000)) });
      const [able, partly, hardly] = [await skilled("able", 1000), await skilled("partly", 700), await skilled("hardly", 590)];
      for (const [node, percent] of [20n, 25n, 20n, 25n].entries()) {
        const { budget } = mission.node(node);
        await mission.bidAs(able, node, budget);
        await mission.bidAs(partly, node, (budget * (100n - percent)) / 100n);
      }
      await refused(mission.bidAs(hardly, 2), "CapabilityTooLow");
      await mission.closeMarket();
      await award(0, 1, 2, 3);
      const winners = await Promise.all([0, 1, 2, 3].map(async (node) => (await mission.contract.slotOf(node, 0)).agent));
      expect(winners).to.deep.equal([partly, partly, able, partly].map(({ agent }) => agent.address));
    });

    it("passes over those of several nodes that cannot be awarded now, and awards the others", async () => {
      await open({ nodes: [TASK, TASK, TASK] });
      for (const node of [0, 1, 2]) await mission.bid(node, node);
      await mission.closeMarket();
      await award(0);
      await mission.override(Action.FREEZE, 1);
      const skipped = (name: "MarketClosed" | "NodeStopped") => market.interface.getError(name)?.selector;
      const wave = award(0, 1, 2);
      await expect(wave).to.emit(market, "AwardSkipped").withArgs(mission.address, 0, skipped("MarketClosed"));
      await expect(wave).to.emit(market, "AwardSkipped").withArgs(mission.address, 1, skipped("NodeStopped"));
      expect([(await mission.contract.slotOf(1, 0)).agent, await executors(2)]).to.deep.equal([ZeroAddress, [2]]);
      await refused(award(1), "NodeStopped");
    });

    it("passes over a node that got a market of its own before its turn", async () => {
      await open({ nodes: [TASK, TASK] });
      await mission.override(Action.FREEZE, 0);
      await mission.override(Action.REJECT_POP, 0);
      await mission.contract.reopen(0);
      await mission.bid(1, 0);
      await mission.closeMarket();
      await award(1);
      expect(await executors(1)).to.deep.equal([0]);
    });

    it("passes over a node that is frozen, which is awarded when it no longer is", async () => {
      await open({ nodes: [TASK, TASK] });
      await mission.override(Action.FREEZE, 0);
      for (const node of [0, 1]) await mission.bid(node, node);
      await mission.closeMarket();
      await award(1);
      expect(await executors(1)).to.deep.equal([1]);
      await mission.override(Action.UNFREEZE, 0);
      await award(0);
      expect(await executors(0)).to.deep.equal([0]);
    });

    it("leaves out a bidder that was banned, not one that gave notice", async () => {
      await open();
      const { agent } = mission.worker(1);
      await mission.bid(0, 0, tokens(10));
      await mission.bid(0, 1, tokens(20));
      await mission.bid(0, 2, tokens(30));
      await mission.city.producers.ban(mission.worker(0).agent.address, id("why"));
      await mission.city.producers.connect(agent).deregister(agent.address);
      await mission.closeMarket();
      await award(0);
      expect(await executors(0)).to.deep.equal([1]);
    });

    it("extends the window once when bids are too few, keeps them, then ends the attempt", async () => {
      await open({ nodes: [CONSENSUS] });
      await mission.bid(0, 0);
      await mission.closeMarket();
      await expect(award(0)).to.emit(market, "NoAward");
      const reopened = await market.marketOf(mission.address, 0);
      expect([reopened.reopened, reopened.closesAt]).to.deep.equal([true, (await mission.city.now()) + BIDDING_WINDOW]);
      await mission.bid(0, 1);
      await mission.closeMarket();
      await expect(award(0)).to.emit(market, "NoAward").withArgs(mission.address, 0, 2, 3, 0);
      await refused(award(0), "MarketClosed");
      await mission.contract.reopen(0);
      // What was bid before gives its lock to the new bid.
      for (const index of [0, 1, 2]) await mission.bid(0, index);
      expect((await stakeOf(0)).locked).to.equal(tokens(150));
      await mission.closeMarket();
      await award(0);
      expect(await executors(0)).to.have.length(3);
    });

    it("gives no code so many slots of a node that takes any that it could agree with itself", async () => {
      await open({ nodes: [{ ...CONSENSUS, anyCode: true }] });
      const { workers } = mission.city;
      // Three of one code are the best; those of other code are dearer.
      for (const worker of [0, 1, 2]) await mission.bid(0, worker, tokens(10));
      const { agent } = workers[3] ?? mission.worker(3);
      await mission.bidAs(
        { agent, ...(await mission.city.offerService(agent, "other", { codeHash: hashOf("other code") })) },
        0,
        tokens(30),
      );
      await mission.closeMarket();
      const awarded = async () => (await market.bidsOf(mission.address, 0)).filter((bid) => bid.awarded).map((bid) => bid.agent);
      await market.award(mission.address, [0]);
      // With a threshold of two every slot must be of other code: the window opens once more.
      expect(await awarded()).to.deep.equal([]);
      const fifth = await mission.newcomer("fifth");
      const third = await mission.city.offerService(fifth.agent, "third", { codeHash: hashOf("third code") });
      await mission.bidAs({ agent: fifth.agent, ...third }, 0, tokens(30));
      await mission.closeMarket();
      await market.award(mission.address, [0]);
      expect(await awarded()).to.deep.equal([mission.worker(0).agent.address, agent.address, fifth.agent.address]);
    });

    it("gives at most half of a consensus to agents without a vote, and a node of one executor to any", async () => {
      await open({ nodes: [CONSENSUS, TASK] });
      await mission.city.constitution.seal();
      for (const name of ["one", "two", "three"]) {
        const newcomer = await mission.newcomer(name, { capabilities: 0n });
        await mission.bidAs(newcomer, 0, tokens(1));
        if (name === "one") await mission.bidAs(newcomer, 1, tokens(1));
      }
      await mission.bid(0, 0);
      await mission.closeMarket();
      await expect(award(0)).to.emit(market, "NoAward");
      await mission.bid(0, 1);
      await mission.closeMarket();
      await award(0, 1);
      const { producers } = mission.city;
      const bound = [
        mission.contract.slotOf(0, 0),
        mission.contract.slotOf(0, 1),
        mission.contract.slotOf(0, 2),
        mission.contract.slotOf(1, 0),
      ];
      const voting = await Promise.all(bound.map(async (slot) => producers.hasSuffrage((await slot).agent)));
      expect(voting).to.deep.equal([false, true, true, false]);
    });

    it("keeps fairness from the fifth assignment on, and waives it only after one more window", async () => {
      await open({ nodes: Array.from({ length: 6 }, () => TASK) });
      for (let node = 0; node < 6; node++) {
        await mission.bid(node, 0, tokens(10));
        if (node < 5) await mission.bid(node, 1, tokens(90));
      }
      await mission.closeMarket();
      await award(0, 1, 2, 3);
      for (const node of [0, 1, 2, 3]) expect(await executors(node)).to.deep.equal([0]);
      // Worker 0 would hold five of five: fairness 0. Worker 1 makes it 4 : 1, 640.
      await award(4);
      expect(await executors(4)).to.deep.equal([1]);
      // 5 : 1 is 555.
      await expect(award(5)).to.emit(market, "NoAward");
      await mission.closeMarket();
      await expect(award(5)).to.emit(market, "FairnessWaived").withArgs(mission.address, 5, 555, 600);
      expect(await executors(5)).to.deep.equal([0]);
    });

    it("is the same whoever asks", async () => {
      const seen: number[][][] = [];
      for (let round = 0; round < 2; round++) {
        await open({ nodes: FOUR_THREE_ONE });
        await mission.awardAll();
        seen.push(await Promise.all(mission.nodes.map((_, node) => executors(node))));
      }
      expect(seen[0]).to.deep.equal(seen[1]);
    });
  });

  describe("awardEarly", () => {
    const decide = async (nodes: number[], attempt = 0) => {
      const { city } = mission;
      const message = {
        regulator: city.regulator.address,
        mission: mission.address,
        nodes: nodes.reduce((bits, node) => bits | (1n << BigInt(node)), 0n),
        attempt,
        nonce: await market.nonceOf(city.regulator.address),
        deadline: await mission.soon(),
      };
      const signature = await city.sign("AwardDecision", city.addresses.EXECUTION, message, city.regulator);
      return { agent: city.regulator.address, deadline: message.deadline, signature };
    };

    it("takes a Regulator's signature over the nodes, within its envelope", async () => {
      await open({ nodes: [TASK, TASK] });
      for (const node of [0, 1]) await mission.bid(node, 0);
      const auth = await decide([0, 1]);
      await refused(market.awardEarly(mission.address, [0], 0, auth), "InvalidSignature");
      await refused(market.awardEarly(mission.address, [0, 1], 1, auth), "InvalidSignature");
      const [, clerk] = [0, mission.worker(0).agent];
      await expect(
        market.connect(clerk).awardEarly(mission.address, [0], 0, { ...auth, agent: clerk.address, signature: "0x" }),
      ).to.be.revertedWithCustomError(mission.city.clerks, "NotClerk");
      await expect(market.awardEarly(mission.address, [0, 1], 0, auth)).to.emit(mission.city.clerks, "EnvelopeConsumed");
      expect(await executors(1)).to.deep.equal([0]);
    });

    it("awards nothing to the Regulator's own house", async () => {
      await open({ nodes: [TASK] });
      const { city } = mission;
      const house = await city.account("house of the clerk");
      const clerk = await city.account("clerk of that house");
      await city.clerks.appoint(Office.REGULATOR, clerk.address, house.address);
      const own = await mission.newcomer("agent of that house", { principal: house, capabilities: EVERYTHING });
      await mission.bidAs(own, 0);
      const auth = { agent: clerk.address, deadline: await mission.soon(), signature: "0x" };
      await refused(market.connect(clerk).awardEarly(mission.address, [0], 0, auth), "OwnHouse");
      await mission.bid(0, 1, tokens(1));
      await market.connect(clerk).awardEarly(mission.address, [0], 0, auth);
    });

    it("ends no window without an award, and spends the decision", async () => {
      await open({ nodes: [TASK] });
      const auth = await decide([0]);
      await refused(market.awardEarly(mission.address, [0], 0, auth), "NothingToAward");
      await mission.bid(0, 0);
      await market.awardEarly(mission.address, [0], 0, auth);
      expect(await executors(0)).to.deep.equal([0]);
      await refused(market.awardEarly(mission.address, [0], 0, auth), "InvalidSignature");
    });

    it("does not outlive the attempt that was decided about", async () => {
      await open({ nodes: [TASK] });
      await mission.bid(0, 0);
      const unused = await decide([0]);
      await mission.closeMarket();
      await market.award(mission.address, [0]);
      await mission.route(0);
      await networkHelpers.time.increase(60);
      await mission.contract.timeout(0);
      await mission.contract.reopen(0);
      await mission.bid(0, 1);
      // In the second of the reopening the award writes the node's clock as it is; estimated then, it would lack gas a second later.
      await networkHelpers.time.increase(1);
      await refused(market.awardEarly(mission.address, [0], 0, unused), "WrongAttempt");
      await market.awardEarly(mission.address, [0], 1, await decide([0], 1));
      expect(await executors(0)).to.deep.equal([1]);
    });
  });

  describe("settleSlot", () => {
    it("belongs to genuine missions, within the slot's lock or the greatest fixed slash, once", async () => {
      await open();
      await mission.awardAll();
      const { agent } = await mission.executorOf(0);
      const asMission = market.connect(await mission.city.as(mission.address));
      const settle = (release: bigint, slash: bigint) => asMission.settleSlot(penaltyOf(agent.address, { release, slash }));
      await refused(market.settleSlot(penaltyOf(agent.address)), "NotMission");
      await refused(settle(tokens(151), 0n), "LockExceeded");
      await refused(settle(tokens(150), tokens(500) + 1n), "LockExceeded");
      await settle(tokens(150), tokens(500));
      await refused(settle(0n, 0n), "NoBid");
      expect((await mission.city.producers.stakeOf(agent.address)).held).to.equal(tokens(9500));
    });
  });

  describe("accuse", () => {
    it("is a mission's, counts a slot once, and passes over one that is settled", async () => {
      await open();
      await mission.awardAll();
      const { agent } = await mission.executorOf(0);
      const asMission = market.connect(await mission.city.as(mission.address));
      await refused(market.accuse(0, [agent.address]), "NotMission");
      await asMission.accuse(0, [agent.address, agent.address]);
      const openFaults = () => mission.city.producers.openFaultsOf(agent.address);
      expect(await openFaults()).to.equal(1n);
      await asMission.settleSlot(penaltyOf(agent.address, { release: tokens(50) }));
      expect(await openFaults()).to.equal(1n);
      await asMission.settleSlot(penaltyOf(agent.address, { release: tokens(100) }));
      expect(await openFaults()).to.equal(0n);
      await asMission.accuse(0, [agent.address]);
      expect(await openFaults()).to.equal(0n);
    });
  });

  describe("settleVerifier and recordVerifiers", () => {
    it("charge only verifiers of a recorded panel, 50 at most", async () => {
      await open();
      const [verifier] = [...mission.city.verifiers.keys()];
      const asMission = market.connect(await mission.city.as(mission.address));
      const settle = (slash: bigint) => asMission.settleVerifier(verifier ?? ZeroAddress, slash, id("why"));
      await refused(market.settleVerifier(verifier ?? ZeroAddress, 0, id("why")), "NotMission");
      await refused(market.recordVerifiers([]), "NotMission");
      await refused(settle(1n), "NotOnPanel");
      await asMission.recordVerifiers([await seatOf(mission.city, verifier ?? ZeroAddress)]);
      await refused(settle(tokens(50) + 1n), "SlashExceeded");
      await settle(tokens(50));
      await refused(market.reopenMarket(0, 1, []), "NotMission");
    });

    const judged = async (principal: string) => (await market.participationOf(mission.address, principal)).verifier;

    it("mark a principal, of whichever verifier, and no other's", async () => {
      const { city } = await open();
      const [first = "", other = "", same = ""] = city.verifiers.keys();
      const [house, another] = [await city.producers.principalOf(first), await city.producers.principalOf(other)];
      expect(await city.producers.principalOf(same)).to.equal(house);
      await seatVerifier(city, mission.address, same);
      expect([await judged(house), await judged(another)]).to.deep.equal([true, false]);
      // Its other verifier answers in this mission too.
      await market.connect(await city.as(mission.address)).settleVerifier(first, 1n, id("why"));
      const later = await openMissionIn(city, {}, 2n);
      expect((await market.participationOf(later.address, house)).verifier).to.equal(false);
    });

    it("mark for good whose verifiers left, and returned under another account", async () => {
      const { city } = await open();
      const [first = "", , same = ""] = city.verifiers.keys();
      const principal = await city.account("verifying principal 0");
      await seatVerifier(city, mission.address, first);
      for (const verifier of [...city.verifiers.keys()]) await city.evidence.revoke(verifier);
      expect(await judged(principal.address)).to.equal(true);
      const { agent } = await city.register("returned", { kind: Kind.VERIFIER, principal });
      await city.evidence.registerVerifier(agent.address, 100);
      expect(await judged(principal.address)).to.equal(true);
      await market.connect(await city.as(mission.address)).settleVerifier(same, 1n, id("why"));
    });

    it("mark who came after the mission began, and an executor beside its work", async () => {
      const { city } = await open();
      await mission.awardAll();
      const { agent } = await mission.executorOf(0);
      const executor = await city.producers.principalOf(agent.address);
      const index = city.workers.findIndex((worker) => worker.agent.address === agent.address);
      const before = await market.participationOf(mission.address, executor);
      expect([before.executor, before.verifier]).to.deep.equal([true, false]);
      await seatPrincipal(city, mission.address, await city.account(`principal ${index % 4}`));
      const after = await market.participationOf(mission.address, executor);
      expect([after.executor, after.bid, after.verifier, after.assignments]).to.deep.equal([true, true, true, before.assignments]);
    });

    it("mark numbers beyond a word's bits, and none that ends in the same ones", async () => {
      const { city } = await open();
      const [first = ""] = city.verifiers.keys();
      const low = await city.producers.principalOf(first);
      // Numbers are given again to nobody: one verifier that comes and goes uses them up.
      const { agent: fleeting } = await city.register("fleeting", { kind: Kind.VERIFIER });
      for (let number = 6; number < 257; number++) {
        await city.evidence.registerVerifier(fleeting.address, 100);
        await city.evidence.revoke(fleeting.address);
      }
      const { agent, principal } = await city.register("beyond", { kind: Kind.VERIFIER });
      await city.evidence.registerVerifier(agent.address, 100);
      expect([await city.evidence.houseOf(low), await city.evidence.houseOf(principal.address)]).to.deep.equal([1n, 257n]);
      await seatVerifier(city, mission.address, agent.address);
      expect([await judged(principal.address), await judged(low)]).to.deep.equal([true, false]);
      await seatVerifier(city, mission.address, first);
      expect([await judged(principal.address), await judged(low)]).to.deep.equal([true, true]);
    });

    it("mark nobody by no number", async () => {
      const { city } = await open();
      await market.connect(await city.as(mission.address)).recordVerifiers([seatWord(keyOf("nobody").address, 0n)]);
      expect(await judged(keyOf("nobody").address)).to.equal(false);
      expect(await judged(mission.city.sponsor.address)).to.equal(false);
    });
  });

  describe("hold", () => {
    it("is a mission's that a human ended, and lasts for a node's appeal window", async () => {
      await (await open()).awardAll();
      await refused(market.hold(), "NotMission");
      expect(await market.heldUntil(mission.address, 0)).to.equal(0n);
      await market.connect(await mission.city.as(mission.address)).hold();
      expect(await market.heldUntil(mission.address, 0)).to.equal((await mission.city.now()) + HOUR);
    });
  });

  describe("settleSlots", () => {
    it("ends the locks of a mission's slots and scores them, once, and takes no stake", async () => {
      await (await open({ nodes: [TASK, TASK] })).awardAll();
      const [first, second] = [await mission.executorOf(0), await mission.executorOf(1)];
      const { producers } = mission.city;
      const asMission = market.connect(await mission.city.as(mission.address));
      const outcomes = [
        { node: 0, agent: first.agent.address, score: 10_000, reason: id("good") },
        { node: 1, agent: second.agent.address, score: 0, reason: id("bad") },
      ];
      const before = await Promise.all(outcomes.map(({ agent }) => producers.stakeOf(agent)));
      await refused(market.settleSlots(outcomes), "NotMission");
      await refused(asMission.settleSlots([{ node: 0, agent: mission.worker(7).agent.address, score: 0, reason: id("why") }]), "NoBid");
      await asMission.settleSlots(outcomes);
      await refused(asMission.settleSlots(outcomes), "NoBid");
      for (const [i, { agent }] of outcomes.entries()) {
        const { held, locked } = await producers.stakeOf(agent);
        expect([held, locked]).to.deep.equal([before[i]?.held, (before[i]?.locked ?? 0n) - tokens(150)]);
      }
      // λ = 0.9 of what everybody begins with.
      expect(await producers.reputationOf(first.agent.address)).to.equal(550n);
      expect(await producers.reputationOf(second.agent.address)).to.equal(450n);
    });
  });

  describe("approvePredicate", () => {
    it("names a predicate once, by the governor", async () => {
      await open();
      await refused(market.connect(mission.city.sponsor).approvePredicate(1, keyOf("p").address), "NotGovernor");
      await refused(market.approvePredicate(0, keyOf("p").address), "PredicateTaken");
      await market.approvePredicate(1, keyOf("p").address);
      await refused(market.approvePredicate(1, keyOf("q").address), "PredicateTaken");
      expect(await market.predicateOf(1)).to.equal(keyOf("p").address);
    });
  });
});
