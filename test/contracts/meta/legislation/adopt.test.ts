import { expect } from "chai";
import { type Wallet, ZeroAddress } from "ethers";
import { networkHelpers } from "../../../support/city-fixture.ts";
import {
  APPROVAL,
  billOf,
  DEPOSIT,
  GOAL,
  type Legislature,
  lawOf,
  loadLegislature,
  node,
  REVIEW,
  State,
} from "../../../support/legislature.ts";

const BILL = billOf(lawOf());

describe("LegislativeProcedure.adopt", () => {
  let house: Legislature;
  beforeEach(async () => {
    house = await loadLegislature();
    const { legislation, steps, voters } = house;
    await legislation.petition(GOAL, ZeroAddress, await Promise.all(voters.slice(0, 2).map((agent) => steps.backer(agent, GOAL))));
  });

  /** The petitioned session, number 1, up to its tally. */
  async function tallied(bill = BILL): Promise<void> {
    const { legislation, offices, steps, voters } = house;
    await legislation.connect(offices.REGISTRAR[0] as Wallet).confirmIdentities(1, GOAL);
    await steps.propose(1n, 0, bill.specHash);
    await legislation.connect(offices.SPEAKER[0] as Wallet).openVoting(1);
    await steps.vote(
      1n,
      voters.map(() => [1, 0]),
    );
    await legislation.tally(1);
  }

  /** A stranger's call. */
  const adopt = (session = 1n, bill = BILL) => house.legislation.connect(house.sponsor).adopt(session, bill.law, bill.docHash);

  describe("when the caller is an agent of the city", () => {
    it("it should revert with NotEligible", async () => {
      await tallied();
      for (const agent of [house.voters[0], house.offices.SPEAKER[0]] as Wallet[]) {
        await expect(house.legislation.connect(agent).adopt(1, BILL.law, BILL.docHash))
          .to.be.revertedWithCustomError(house.legislation, "NotEligible")
          .withArgs(agent.address);
      }
    });
  });

  describe("when the session has a sponsor", () => {
    it("it should revert with AlreadyAdopted", async () => {
      const { legislation, sponsor, steps } = house;
      await tallied();
      await adopt();
      for (const session of [1n, await steps.toTallied(BILL)]) {
        await expect(adopt(session)).to.be.revertedWithCustomError(legislation, "AlreadyAdopted").withArgs(session, sponsor.address);
      }
    });
  });

  describe("when the law is not the one that won, or spends nothing", () => {
    it("it should revert with SpecMismatch or ZeroDeposit", async () => {
      const { legislation } = house;
      await tallied();
      const cheap = billOf(lawOf(undefined, { budget: 1n }));
      await expect(adopt(1n, cheap)).to.be.revertedWithCustomError(legislation, "SpecMismatch").withArgs(1, BILL.specHash, cheap.specHash);
      await expect(adopt(1n, { ...BILL, docHash: cheap.specHash })).to.be.revertedWithCustomError(legislation, "SpecMismatch");

      const nothing = billOf(lawOf([node({ budget: 0n })], { budget: 0n }));
      house = await loadLegislature();
      const { steps, voters } = house;
      await house.legislation.petition(GOAL, ZeroAddress, await Promise.all(voters.slice(0, 2).map((agent) => steps.backer(agent, GOAL))));
      await tallied(nothing);
      await expect(adopt(1n, nothing)).to.be.revertedWithCustomError(house.legislation, "ZeroDeposit");
    });
  });

  describe("when no law has won yet, or it is too late", () => {
    it("it should revert with WrongState or TooLate", async () => {
      const { legislation } = house;
      await expect(adopt())
        .to.be.revertedWithCustomError(legislation, "WrongState")
        .withArgs(1, State.IDENTIFYING, 1 << State.TALLIED);
      await tallied();
      const { deadline } = await legislation.sessionOf(1);
      await networkHelpers.time.increase(REVIEW + 1n);
      await expect(adopt()).to.be.revertedWithCustomError(legislation, "TooLate").withArgs(1, deadline);
    });
  });

  describe("given a law that won and that nobody pays for", () => {
    it("it should pull the law's budget, make the caller the sponsor, and leave time to validate", async () => {
      const { legislation, sponsor, token, addresses } = house;
      await tallied();
      await networkHelpers.time.increase(REVIEW - 1n);
      await expect(adopt()).to.emit(legislation, "SessionAdopted").withArgs(1, sponsor.address, DEPOSIT);
      const info = await legislation.sessionOf(1);
      expect([info.sponsor, info.deposit, info.adopted]).to.deep.equal([sponsor.address, DEPOSIT, true]);
      expect(info.deadline).to.equal((await house.now()) + APPROVAL);
      expect(await token.balanceOf(addresses.LEGISLATION)).to.equal(DEPOSIT);
    });

    it("it should let the session become a mission of that sponsor", async () => {
      const { legislation, steps, offices, token } = house;
      await tallied();
      await adopt();
      await legislation.validate(1, BILL.law, BILL.docHash, steps.witnesses());
      await legislation.connect(offices.CODIFIER[0] as Wallet).codify(1, [await steps.delegate(1n, BILL.specHash)]);
      const signers = [
        ["SPEAKER", offices.SPEAKER[0]],
        ["REGULATOR", offices.REGULATOR[0]],
        ["REGULATOR", offices.REGULATOR[1]],
      ] as ["SPEAKER" | "REGULATOR", Wallet][];
      await legislation.approve(1, BILL.law, BILL.docHash, await steps.approvals(1n, BILL.specHash, signers));
      const { state, mission } = await legislation.sessionOf(1);
      expect(state).to.equal(State.DEPLOYED);
      expect(await token.balanceOf(mission)).to.equal(DEPOSIT);
    });

    it("it should not let the sponsor cancel what producers made; what comes to nothing is given back whole", async () => {
      const { legislation, sponsor, token } = house;
      await tallied();
      await adopt();
      await expect(legislation.connect(sponsor).cancel(1)).to.be.revertedWithCustomError(legislation, "NotSponsor");
      const had = await token.balanceOf(sponsor.address);
      await networkHelpers.time.increase(REVIEW + APPROVAL + 1n);
      await legislation.expire(1);
      await legislation.withdraw(1);
      expect(await token.balanceOf(sponsor.address)).to.equal(had + DEPOSIT);
    });
  });
});
