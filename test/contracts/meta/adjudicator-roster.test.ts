import { expect } from "chai";
import { id, type Wallet, ZeroAddress } from "ethers";
import { actionNumber } from "../../../orchestrator/protocol/actions.ts";
import { parameterIndex } from "../../../orchestrator/protocol/parameters.ts";
import { type City, ethers, INSTITUTIONS, Kind, keyOf, loadCity, networkHelpers, tokens } from "../../support/city-fixture.ts";
import { Action, type Mission, NodeState, openMission, TASK } from "../../support/mission-fixture.ts";

const STAKE = tokens(5000);
const UNBONDING = 1_209_600;

describe("AdjudicatorRoster", () => {
  let city: City;
  let contract: City["roster"];
  const principal = keyOf("principal").address;

  beforeEach(async () => {
    city = await loadCity();
    contract = city.roster;
  });

  async function funded(name: string): Promise<Wallet> {
    const adjudicator = await city.account(name);
    await city.fund(adjudicator, city.addresses.ROSTER, STAKE);
    return adjudicator;
  }

  describe("seat", () => {
    it("takes the stake and enrolls the adjudicator", async () => {
      const adjudicator = await funded("a");
      await expect(contract.seat(adjudicator.address, principal))
        .to.emit(contract, "Seated")
        .withArgs(adjudicator.address, principal, STAKE);
      expect(await contract.isActive(adjudicator.address)).to.equal(true);
      expect(await contract.principalOf(adjudicator.address)).to.equal(principal);
      expect(await contract.activeCount()).to.equal(1);
      expect(await city.token.balanceOf(city.addresses.ROSTER)).to.equal(STAKE);
      expect((await city.producers.agentOf(adjudicator.address)).kind).to.equal(Kind.ADJUDICATOR);
    });

    it("gives one seat to an adjudicator and one to a principal", async () => {
      const [a, b] = [await funded("a"), await funded("b")];
      await city.seatAdjudicators(2);
      await contract.seat(a.address, principal);
      await expect(contract.seat(a.address, keyOf("x").address))
        .to.be.revertedWithCustomError(contract, "AlreadySeated")
        .withArgs(a.address);
      await expect(contract.seat(b.address, principal))
        .to.be.revertedWithCustomError(contract, "PrincipalAlreadySeated")
        .withArgs(principal);
      await contract.connect(a).resign();
      await contract.seat(b.address, principal);
    });

    it("has twenty seats", async () => {
      await city.seatAdjudicators(20);
      const late = await funded("late");
      await expect(contract.seat(late.address, principal)).to.be.revertedWithCustomError(contract, "TooManySeats").withArgs(20);
    });

    it("refuses producers, and belongs to the governor", async () => {
      const { agent, principal: owner } = await city.register("producer");
      await city.fund(agent, city.addresses.ROSTER, STAKE);
      await expect(contract.seat(agent.address, owner.address)).to.be.revertedWithCustomError(city.producers, "AlreadyRegistered");
      await expect(contract.connect(agent).seat(agent.address, owner.address))
        .to.be.revertedWithCustomError(contract, "NotGovernor")
        .withArgs(agent.address);
    });
  });

  describe("resign and withdrawStake", () => {
    /** Whoever leaves leaves two behind. */
    beforeEach(async () => {
      await city.seatAdjudicators(2);
    });

    it("end the seat at once and return the stake after unbonding", async () => {
      const adjudicator = await funded("a");
      await contract.seat(adjudicator.address, principal);
      const own = contract.connect(adjudicator);
      await expect(own.withdrawStake()).to.be.revertedWithCustomError(contract, "NothingToWithdraw").withArgs(adjudicator.address);
      await expect(own.resign()).to.emit(contract, "Resigned");
      const until = (await city.now()) + BigInt(UNBONDING);
      expect(await contract.isActive(adjudicator.address)).to.equal(false);
      expect(await contract.activeCount()).to.equal(2);
      await expect(own.resign()).to.be.revertedWithCustomError(contract, "NotSeated").withArgs(adjudicator.address);
      await expect(own.withdrawStake()).to.be.revertedWithCustomError(contract, "StillUnbonding").withArgs(adjudicator.address, until);
      await expect(contract.seat(adjudicator.address, principal)).to.be.revertedWithCustomError(contract, "StillUnbonding");
      await networkHelpers.time.increaseTo(until);
      await expect(own.withdrawStake()).to.emit(contract, "StakeWithdrawn").withArgs(adjudicator.address, STAKE);
      expect(await city.token.balanceOf(adjudicator.address)).to.equal(STAKE);
      await expect(own.withdrawStake()).to.be.revertedWithCustomError(contract, "NothingToWithdraw");
    });

    it("let an adjudicator return for the same principal", async () => {
      const adjudicator = await funded("a");
      await contract.seat(adjudicator.address, principal);
      await contract.connect(adjudicator).resign();
      await networkHelpers.time.increase(UNBONDING);
      await contract.connect(adjudicator).withdrawStake();
      await city.token.connect(adjudicator).approve(city.addresses.ROSTER, STAKE);
      await expect(contract.seat(adjudicator.address, keyOf("other").address)).to.be.revertedWithCustomError(
        city.producers,
        "AlreadyRegistered",
      );
      await contract.seat(adjudicator.address, principal);
      expect(await contract.isActive(adjudicator.address)).to.equal(true);
    });
  });

  it("resign keeps the last two seats, until a third is filled", async () => {
    const [first, second] = await city.seatAdjudicators(2);
    for (const seated of [first, second]) {
      await expect(contract.connect(seated).resign()).to.be.revertedWithCustomError(contract, "LastSeats").withArgs(2);
    }
    await contract.seat((await funded("third")).address, principal);
    await contract.connect(first).resign();
    await expect(contract.connect(second).resign()).to.be.revertedWithCustomError(contract, "LastSeats");
  });

  describe("impeach", () => {
    it("takes seat and stake, half to the treasury, the odd unit to insurance, and seats nobody again", async () => {
      const [a, b] = [await funded("a"), await funded("b")];
      await contract.seat(a.address, principal);
      await contract.seat(b.address, keyOf("other").address);
      await expect(contract.impeach(a.address, id("why")))
        .to.emit(contract, "Impeached")
        .withArgs(a.address, STAKE, id("why"));
      expect(await contract.seats()).to.deep.equal([b.address]);
      expect([await contract.isActive(a.address), await contract.stakeOf(a.address)]).to.deep.equal([false, 0n]);
      expect([await city.treasury.freeBalance(), await city.treasury.insuranceBalance()]).to.deep.equal([STAKE / 2n, STAKE / 2n]);
      await expect(contract.impeach(a.address, id("why")))
        .to.be.revertedWithCustomError(contract, "NothingAtStake")
        .withArgs(a.address);
      await city.fund(a, city.addresses.ROSTER, STAKE);
      await expect(contract.seat(a.address, principal)).to.be.revertedWithCustomError(contract, "WasImpeached").withArgs(a.address);
      // The principal may send somebody else.
      const c = await funded("c");
      await contract.seat(c.address, principal);
      await expect(contract.connect(c).impeach(b.address, id("why")))
        .to.be.revertedWithCustomError(contract, "NotGovernor")
        .withArgs(c.address);
    });

    it("reaches what a former adjudicator still has here, and never what was paid out", async () => {
      const a = await funded("a");
      await city.seatAdjudicators(2);
      await contract.seat(a.address, principal);
      await contract.connect(a).resign();
      await contract.impeach(a.address, id("why"));
      await networkHelpers.time.increase(UNBONDING);
      await expect(contract.connect(a).withdrawStake()).to.be.revertedWithCustomError(contract, "NothingToWithdraw");
      const b = await funded("b");
      await contract.seat(b.address, principal);
      await contract.connect(b).resign();
      await networkHelpers.time.increase(UNBONDING);
      await contract.connect(b).withdrawStake();
      await expect(contract.impeach(b.address, id("why"))).to.be.revertedWithCustomError(contract, "NothingAtStake");
    });
  });

  describe("countCase", () => {
    const { APPROVE_POP, REJECT_POP, RESOLVE_APPEAL, VETO_OUTPUT } = Action;
    const [HUMAN, DEAR] = [
      { ...TASK, tier: 3 },
      { ...TASK, tier: 3, budget: tokens(10_000) },
    ];
    let mission: Mission;
    let judges: string[];
    const inReview = async (node: number) => {
      await mission.run(node);
      expect(await mission.stateOf(node)).to.equal(NodeState.PENDING_REVIEW);
    };
    const open = async (...nodes: (typeof TASK)[]) => {
      mission = await (await (await openMission({ nodes })).activate()).awardAll();
      city = mission.city;
      contract = city.roster;
      judges = (await city.seatAdjudicators(3)).map(({ address }) => address);
    };
    const count = (what: number, node: number, ...by: string[]) => contract.countCase(what, mission.address, node, 0, by);
    const due = (index: number) => contract.dueTo(judges[index] ?? "");

    it("counts a review once, whatever the answer, and splits what it is worth among who signed", async () => {
      await open(DEAR, HUMAN);
      const [one = "", two = ""] = judges;
      await expect(count(REJECT_POP, 0, one)).to.not.emit(contract, "CaseDecided");
      await inReview(0);
      await expect(count(REJECT_POP, 0, one, two)).to.emit(contract, "CaseDecided");
      for (const answer of [APPROVE_POP, REJECT_POP]) await expect(count(answer, 0, one)).to.not.emit(contract, "CaseDecided");
      expect([await due(0), await due(1), await due(2)]).to.deep.equal([tokens(25), tokens(25), 0n]);
      await count(RESOLVE_APPEAL, 0, two);
      await expect(count(RESOLVE_APPEAL, 0, two)).to.not.emit(contract, "CaseDecided");
      expect(await due(1)).to.equal(tokens(75));
    });

    it("is worth no more, all cases of a mission together, than its protocol fee", async () => {
      await open(HUMAN, HUMAN);
      const [one = "", two = ""] = judges;
      for (const node of [0, 1]) await inReview(node);
      // Two per cent of two hundred.
      await count(APPROVE_POP, 0, one);
      await count(APPROVE_POP, 1, two);
      expect([await due(0), await due(1)]).to.deep.equal([tokens(4), 0n]);
    });

    it("does not count what an adjudicator's own veto opened", async () => {
      await open(HUMAN, HUMAN);
      const [one = ""] = judges;
      await inReview(1);
      // In review already, this is the chain's case.
      await count(VETO_OUTPUT, 1, one);
      await count(VETO_OUTPUT, 0, one);
      await inReview(0);
      await expect(count(APPROVE_POP, 0, one)).to.not.emit(contract, "CaseDecided");
      await expect(count(APPROVE_POP, 1, one)).to.emit(contract, "CaseDecided");
    });

    it("counts twenty of a seat in thirty days", async () => {
      await open(...Array(2).fill(DEAR));
      const [one = ""] = judges;
      const probes = [];
      for (let i = 0; i < 22; i++) probes.push((await city.probe(100 + i)).address);
      for (const probe of probes.slice(0, 19)) await contract.countCase(APPROVE_POP, probe, 0, 0, [one]);
      await inReview(0);
      await inReview(1);
      await count(APPROVE_POP, 0, one);
      expect(await due(0)).to.equal(tokens(50));
      await count(APPROVE_POP, 1, one);
      expect(await due(0)).to.equal(tokens(50));
      await networkHelpers.time.increase(30 * 86_400);
      await count(RESOLVE_APPEAL, 0, one);
      expect(await due(0)).to.equal(tokens(100));
    });

    it("counts a flagged vote by its session's budget, and no audit that no law asks for", async () => {
      await open(HUMAN);
      const sponsor = await city.account("session's sponsor");
      await city.fund(sponsor, city.addresses.LEGISLATION, tokens(1000));
      await city.legislation.connect(sponsor).openSession(id("goal"), tokens(1000), ZeroAddress);
      const session = await city.legislation.sessionCount();
      const [one = ""] = judges;
      const about = (action: "RULE_ON_BLOC" | "APPROVE_CODIFICATION") =>
        contract.countCase(actionNumber(action), ZeroAddress, 0, session, [one]);
      await expect(about("APPROVE_CODIFICATION")).to.not.emit(contract, "CaseDecided");
      for (let i = 0; i < 2; i++) await about("RULE_ON_BLOC");
      expect(await due(0)).to.equal(((await city.legislation.sessionOf(session)).deposit * 200n) / 10_000n);
    });

    it("is the governor's", async () => {
      await open(HUMAN);
      await expect(contract.connect(mission.city.sponsor).countCase(APPROVE_POP, mission.address, 0, 0, judges))
        .to.be.revertedWithCustomError(contract, "NotGovernor")
        .withArgs(mission.city.sponsor.address);
    });

    describe("and collect", () => {
      const give = async (amount: bigint) => {
        const giver = await city.account("giver");
        await city.fund(giver, city.addresses.TREASURY, amount);
        await city.treasury.connect(giver).deposit(amount, 0, id("fees"));
      };
      /** Spends what may pay for governance. */
      const spend = async () => {
        const [inflow, , governance] = await city.treasury.inflowAt(await city.now());
        for (let left = inflow / 5n - governance; left > 0n; left -= tokens(50)) {
          await city.treasury.disburse(0, keyOf("someone").address, left < tokens(50) ? left : tokens(50), id("why"));
        }
      };
      const decided = async () => {
        await open(DEAR);
        await inReview(0);
        await count(APPROVE_POP, 0, judges[0] ?? "");
      };

      it("pays what the treasury may, to the seat, whoever asks; the rest stays due", async () => {
        await decided();
        const [one = "", two = ""] = judges;
        await expect(contract.collect(two)).to.be.revertedWithCustomError(contract, "NothingToCollect").withArgs(two);
        await spend();
        await expect(contract.collect(one)).to.be.revertedWithCustomError(city.treasury, "NothingToPay");
        await give(tokens(100));
        await expect(contract.collect(one)).to.emit(contract, "Collected").withArgs(one, tokens(20), tokens(30));
        expect(await city.token.balanceOf(one)).to.equal(tokens(20));
        await give(tokens(400));
        await contract.collect(one);
        expect([await city.token.balanceOf(one), await due(0)]).to.deep.equal([tokens(50), 0n]);
      });

      it("pays who resigned, and nobody who was impeached", async () => {
        await decided();
        await give(tokens(1000));
        const [one = ""] = judges;
        await contract.connect(await city.account("adjudicator 0")).resign();
        expect(await due(0)).to.equal(tokens(50));
        await contract.impeach(one, id("why"));
        await expect(contract.collect(one)).to.be.revertedWithCustomError(contract, "NothingToCollect");
      });
    });
  });

  describe("recordParty", () => {
    it("is for a market of the city, in office or retired, and tells once", async () => {
      const root = keyOf("root").address;
      await expect(contract.recordParty(root, principal))
        .to.be.revertedWithCustomError(contract, "NotExecution")
        .withArgs(city.deployer.address);
      const market = contract.connect(await city.as("EXECUTION"));
      await expect(market.recordParty(root, principal)).to.emit(contract, "PartyRecorded").withArgs(root, principal);
      await expect(market.recordParty(root, principal)).to.not.emit(contract, "PartyRecorded");
      const execution = INSTITUTIONS.indexOf("EXECUTION");
      await city.constitution.amend(execution, await ethers.deployContract("MissionProbe"), id("why"));
      await networkHelpers.time.increaseTo((await city.constitution.amendmentOf(execution)).effectiveFrom);
      await city.constitution.enact(execution);
      await expect(market.recordParty(root, keyOf("later").address)).to.emit(contract, "PartyRecorded");
    });
  });

  describe("isInterested", () => {
    it("is true of itself, its principal, and every agent, clerk and evidence account of that principal", async () => {
      const judge = await funded("judge");
      const owner = await city.account("owner");
      await contract.seat(judge.address, owner.address);
      const { agent } = await city.register("agent", { principal: owner });
      await city.clerks.appoint(0, keyOf("clerk").address, owner.address);
      await city.evidence.registerRunner(keyOf("runner").address, owner.address);
      const { agent: stranger } = await city.register("stranger");
      const interested = (account: string) => contract.isInterested(judge.address, account);
      for (const account of [judge.address, owner.address, agent.address, keyOf("clerk").address, keyOf("runner").address])
        expect(await interested(account)).to.equal(true);
      expect([await interested(stranger.address), await interested(keyOf("nobody").address)]).to.deep.equal([false, false]);
    });
  });

  describe("hasQuorum", () => {
    it("follows the seats and the parameter", async () => {
      const [first] = await city.seatAdjudicators(7);
      if (first === undefined) throw new Error("nobody seated");
      expect(await contract.hasQuorum()).to.equal(true);
      await contract.connect(first).resign();
      expect(await contract.hasQuorum()).to.equal(false);
      await city.constitution.setParam(parameterIndex("ADJUDICATOR_QUORUM"), 5, id("why"));
      expect(await contract.hasQuorum()).to.equal(true);
    });
  });
});
