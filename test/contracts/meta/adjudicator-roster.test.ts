import { expect } from "chai";
import { id, type Wallet } from "ethers";
import { parameterIndex } from "../../../orchestrator/protocol/parameters.ts";
import { type City, ethers, INSTITUTIONS, Kind, keyOf, loadCity, networkHelpers, tokens } from "../../support/city-fixture.ts";

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
