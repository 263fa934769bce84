import { expect } from "chai";
import { type Wallet, ZeroAddress } from "ethers";
import { networkHelpers } from "../../../support/city-fixture.ts";
import {
  billOf,
  GOAL,
  type Legislature,
  lawOf,
  loadLegislature,
  outOfOffice,
  PROPOSAL,
  REVIEW,
  State,
  setParameter,
} from "../../../support/legislature.ts";

const { time } = networkHelpers;
const BILL = billOf(lawOf());
const voter = (house: Legislature, index: number): Wallet => house.voters[index] as Wallet;

describe("LegislativeProcedure.petition", () => {
  let house: Legislature;
  beforeEach(async () => {
    house = await loadLegislature();
  });

  const sign = (...indices: number[]) => Promise.all(indices.map((i) => house.steps.backer(voter(house, i), GOAL)));
  const round = async () => house.legislation.petitionOf(GOAL, ZeroAddress);

  describe("when a backer is not eligible, or registered in the round's own block", () => {
    it("it should revert with NotEligible", async () => {
      const { legislation, producers, offices } = house;
      const refused = async (agent: Wallet) =>
        expect(legislation.petition(GOAL, ZeroAddress, [await house.steps.backer(agent, GOAL)]))
          .to.be.revertedWithCustomError(legislation, "NotEligible")
          .withArgs(agent.address);
      await refused(offices.SPEAKER[0] as Wallet);
      await refused((await house.register("verifier", { kind: 4 })).agent);
      await producers.ban(voter(house, 3).address, GOAL);
      await refused(voter(house, 3));
      await legislation.petition(GOAL, ZeroAddress, await sign(0));
      await refused((await house.register("late")).agent);
    });
  });

  describe("when nobody backs it", () => {
    it("it should revert with NotEligible, and begin no round", async () => {
      const { legislation, deployer } = house;
      await expect(legislation.petition(GOAL, ZeroAddress, []))
        .to.be.revertedWithCustomError(legislation, "NotEligible")
        .withArgs(deployer.address);
      expect(await round()).to.deep.equal([1n, 0n, 0n, 0n, 0n, 0n]);
    });
  });

  describe("when a backer's signature is not over goal, parent, round and deadline, or is late", () => {
    it("it should revert with InvalidSignature or Expired", async () => {
      const { legislation } = house;
      const [good] = await sign(0);
      if (good === undefined) throw new Error("no signature");
      const refused = (given: object, goal: string = GOAL) =>
        expect(legislation.petition(goal, ZeroAddress, [{ ...good, ...given }])).to.be.revertedWithCustomError(
          legislation,
          "InvalidSignature",
        );
      await refused({}, BILL.specHash);
      await refused({ deadline: 2n ** 40n - 2n });
      await refused({ signature: "0x" });
      await refused({ agent: voter(house, 1).address });
      const { address } = await house.probe(77);
      await expect(legislation.petition(GOAL, address, [good])).to.be.revertedWithCustomError(legislation, "InvalidSignature");
      const late = await house.steps.backer(voter(house, 0), GOAL, ZeroAddress, 5);
      await expect(legislation.petition(GOAL, ZeroAddress, [late]))
        .to.be.revertedWithCustomError(legislation, "Expired")
        .withArgs(5);
    });
  });

  describe("when a backer backed this round already", () => {
    it("it should revert with AlreadyPetitioned", async () => {
      const { legislation } = house;
      const twice = await sign(0, 0);
      const refused = (backers: typeof twice) =>
        expect(legislation.petition(GOAL, ZeroAddress, backers))
          .to.be.revertedWithCustomError(legislation, "AlreadyPetitioned")
          .withArgs(GOAL, ZeroAddress, voter(house, 0).address);
      await refused(twice);
      await legislation.petition(GOAL, ZeroAddress, twice.slice(1));
      await refused(twice.slice(1));
      await expect(
        legislation.connect(voter(house, 0)).petition(GOAL, ZeroAddress, [house.direct(voter(house, 0))]),
      ).to.be.revertedWithCustomError(legislation, "AlreadyPetitioned");
    });
  });

  describe("when the parent is no genuine mission, or the procedure is not in office", () => {
    it("it should revert with UnknownParent or ProcedureRetired once the share is reached", async () => {
      const { legislation, constitution, sponsor } = house;
      const about = (i: number) => house.steps.backer(voter(house, i), GOAL, sponsor.address);
      await legislation.petition(GOAL, sponsor.address, [await about(0)]);
      await expect(legislation.petition(GOAL, sponsor.address, [await about(1)]))
        .to.be.revertedWithCustomError(legislation, "UnknownParent")
        .withArgs(sponsor.address);
      const outsider = await outOfOffice(constitution);
      await outsider.connect(voter(house, 0)).petition(GOAL, ZeroAddress, [house.direct(voter(house, 0))]);
      await expect(
        outsider.connect(voter(house, 1)).petition(GOAL, ZeroAddress, [house.direct(voter(house, 1))]),
      ).to.be.revertedWithCustomError(outsider, "ProcedureRetired");
    });
  });

  describe("given fewer backers than the share of the producers active when the round began", () => {
    it("it should record them and open nothing", async () => {
      const { legislation } = house;
      expect(await round()).to.deep.equal([1n, 0n, 0n, 0n, 0n, 0n]);
      const call = legislation.petition(GOAL, ZeroAddress, await sign(4));
      await expect(call).to.emit(legislation, "Petitioned").withArgs(GOAL, ZeroAddress, 1, voter(house, 4).address);
      const [at, block] = [BigInt(await time.latest()), BigInt(await time.latestBlock())];
      // 20 % of eight is 1.6: two.
      expect(await round()).to.deep.equal([1n, 1n, 2n, at + PROPOSAL, block, 100n]);
      expect(await legislation.sessionCount()).to.equal(0);
    });

    it("it should keep the goal of the round whatever the constitution says meanwhile", async () => {
      const { legislation } = house;
      await setParameter(house, "PETITION_SHARE", 5000);
      await legislation.petition(GOAL, ZeroAddress, await sign(0));
      await setParameter(house, "PETITION_SHARE", 500);
      await legislation.petition(GOAL, ZeroAddress, await sign(1, 2));
      expect(await legislation.sessionCount()).to.equal(0);
      await legislation.petition(GOAL, ZeroAddress, await sign(3));
      expect(await legislation.sessionCount()).to.equal(1);
    });
  });

  describe("given the share, signed or called, in one call or several", () => {
    it("it should open a session in IDENTIFYING without sponsor or deposit", async () => {
      const { legislation, constitution, token, addresses } = house;
      await legislation.connect(voter(house, 0)).petition(GOAL, ZeroAddress, [house.direct(voter(house, 0))]);
      const call = legislation.petition(GOAL, ZeroAddress, await sign(5));
      await expect(call).to.emit(legislation, "PetitionGranted").withArgs(1, GOAL, 1, 2);
      await expect(call)
        .to.emit(legislation, "SessionOpened")
        .withArgs(1, ZeroAddress, GOAL, 0, 8, await constitution.missionParams());
      const info = await legislation.sessionOf(1);
      expect([info.state, info.electorate, info.sponsor, info.deposit, info.goalHash]).to.deep.equal([
        BigInt(State.IDENTIFYING),
        8n,
        ZeroAddress,
        0n,
        GOAL,
      ]);
      expect(await token.balanceOf(addresses.LEGISLATION)).to.equal(0);

      const other = billOf(lawOf(), "other").specHash;
      const both = await Promise.all([0, 1].map((i) => house.steps.backer(voter(house, i), other)));
      expect(await legislation.petition.staticCall(other, ZeroAddress, both)).to.equal(2);
      await legislation.petition(other, ZeroAddress, both);
      expect((await legislation.sessionOf(2)).goalHash).to.equal(other);
    });

    it("it should let the session run to its tally, expire unadopted, and owe nothing", async () => {
      const { legislation, offices, steps, voters } = house;
      await legislation.petition(GOAL, ZeroAddress, await sign(0, 1));
      await legislation.connect(offices.REGISTRAR[0] as Wallet).confirmIdentities(1, GOAL);
      await steps.propose(1n, 0, BILL.specHash);
      await legislation.connect(offices.SPEAKER[0] as Wallet).openVoting(1);
      await steps.vote(
        1n,
        voters.map(() => [1, 0]),
      );
      await legislation.tally(1);
      await expect(legislation.validate(1, BILL.law, BILL.docHash, steps.witnesses()))
        .to.be.revertedWithCustomError(legislation, "NotAdopted")
        .withArgs(1);
      await time.increase(REVIEW + 1n);
      await legislation.expire(1);
      await expect(legislation.withdraw(1)).to.be.revertedWithCustomError(legislation, "NothingToWithdraw");
    });

    it("it should begin the next round, in which no former signature holds", async () => {
      const { legislation } = house;
      const [first, second, third] = await sign(0, 1, 2);
      if (!first || !second || !third) throw new Error("no signatures");
      await legislation.petition(GOAL, ZeroAddress, [first, second]);
      expect(await round()).to.deep.equal([2n, 0n, 0n, 0n, 0n, 0n]);
      for (const former of [first, third]) {
        await expect(legislation.petition(GOAL, ZeroAddress, [former])).to.be.revertedWithCustomError(legislation, "InvalidSignature");
      }
      await legislation.petition(GOAL, ZeroAddress, await sign(0, 1));
      expect(await legislation.sessionCount()).to.equal(2);
    });
  });

  describe("given a round that is over", () => {
    it("it should begin the next, in which no former signature holds", async () => {
      const { legislation } = house;
      const [first, second] = await sign(0, 1);
      if (!first || !second) throw new Error("no signatures");
      await legislation.petition(GOAL, ZeroAddress, [first]);
      const { deadline } = await round();
      await time.increaseTo(deadline + 1n);
      await expect(legislation.petition(GOAL, ZeroAddress, [second])).to.be.revertedWithCustomError(legislation, "InvalidSignature");
      await legislation.petition(GOAL, ZeroAddress, await sign(0));
      const { round: number, backers } = await round();
      expect([number, backers]).to.deep.equal([2n, 1n]);
      expect(await legislation.sessionCount()).to.equal(0);
    });
  });
});
