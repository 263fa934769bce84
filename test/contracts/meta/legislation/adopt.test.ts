import { expect } from "chai";
import { type Wallet, ZeroAddress } from "ethers";
import { DEVNET } from "../../../../orchestrator/protocol/parameters.ts";
import { tokens } from "../../../support/city-fixture.ts";
import { billOf, DEPOSIT, GOAL, type Legislature, lawOf, loadLegislature, State } from "../../../support/legislature.ts";

const BILL = billOf(lawOf());

describe("LegislativeProcedure.adopt", () => {
  let house: Legislature;
  beforeEach(async () => {
    house = await loadLegislature();
    const { legislation, steps, voters } = house;
    await legislation.petition(GOAL, ZeroAddress, await Promise.all(voters.slice(0, 2).map((agent) => steps.backer(agent, GOAL))));
  });

  /** The petitioned session, number 1, up to a stage. */
  async function tallied(): Promise<void> {
    const { legislation, offices, steps, voters } = house;
    await legislation.connect(offices.REGISTRAR[0] as Wallet).confirmIdentities(1, GOAL);
    await steps.propose(1n, 0, BILL.specHash);
    await legislation.connect(offices.SPEAKER[0] as Wallet).openVoting(1);
    await steps.vote(
      1n,
      voters.map(() => [1, 0]),
    );
    await legislation.tally(1);
  }

  describe("when the caller is an agent of the city", () => {
    it("it should revert with NotEligible", async () => {
      for (const agent of [house.voters[0], house.offices.SPEAKER[0]] as Wallet[]) {
        await expect(house.legislation.connect(agent).adopt(1, DEPOSIT))
          .to.be.revertedWithCustomError(house.legislation, "NotEligible")
          .withArgs(agent.address);
      }
    });
  });

  describe("when the session has a sponsor", () => {
    it("it should revert with AlreadyAdopted", async () => {
      const { legislation, sponsor, steps } = house;
      await legislation.connect(sponsor).adopt(1, DEPOSIT);
      for (const session of [1n, await steps.open()]) {
        await expect(legislation.connect(sponsor).adopt(session, DEPOSIT))
          .to.be.revertedWithCustomError(legislation, "AlreadyAdopted")
          .withArgs(session, sponsor.address);
      }
    });
  });

  describe("when the deposit is zero", () => {
    it("it should revert with ZeroDeposit", async () => {
      const { legislation, sponsor } = house;
      await expect(legislation.connect(sponsor).adopt(1, 0)).to.be.revertedWithCustomError(legislation, "ZeroDeposit");
    });
  });

  describe("when the law is validated already, or the session over", () => {
    it("it should revert with WrongState", async () => {
      const { legislation, sponsor, steps } = house;
      const validated = await steps.toValidated(BILL, 2);
      const cancelled = await steps.open();
      await legislation.connect(sponsor).cancel(cancelled);
      const mask = [State.IDENTIFYING, State.PROPOSING, State.DELIBERATING, State.VOTING, State.TALLIED].reduce(
        (sum, s) => sum | (1 << s),
        0,
      );
      for (const [session, state] of [
        [validated, State.VALIDATED],
        [cancelled, State.CANCELLED],
      ] as const) {
        await expect(legislation.connect(sponsor).adopt(session, DEPOSIT))
          .to.be.revertedWithCustomError(legislation, "WrongState")
          .withArgs(session, state, mask);
      }
    });
  });

  describe("given a session that nobody sponsors, up to its tally", () => {
    it("it should pull the deposit and make the caller the sponsor", async () => {
      const { legislation, sponsor, token, addresses } = house;
      await expect(legislation.connect(sponsor).adopt(1, DEPOSIT))
        .to.emit(legislation, "SessionAdopted")
        .withArgs(1, sponsor.address, DEPOSIT);
      const info = await legislation.sessionOf(1);
      expect([info.sponsor, info.deposit]).to.deep.equal([sponsor.address, DEPOSIT]);
      expect(await token.balanceOf(addresses.LEGISLATION)).to.equal(DEPOSIT);
    });

    it("it should let the session become a mission of that sponsor", async () => {
      const { legislation, sponsor, steps, offices, token } = house;
      await tallied();
      await legislation.connect(sponsor).adopt(1, DEPOSIT);
      await legislation.validate(1, BILL.law, BILL.docHash, steps.witnesses(2));
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

    it("it should give the sponsor the right to cancel and have the rest back", async () => {
      const { legislation, sponsor, token } = house;
      await expect(legislation.connect(sponsor).cancel(1)).to.be.revertedWithCustomError(legislation, "NotSponsor");
      await legislation.connect(sponsor).adopt(1, DEPOSIT);
      await legislation.connect(sponsor).cancel(1);
      const had = await token.balanceOf(sponsor.address);
      await legislation.withdraw(1);
      expect(await token.balanceOf(sponsor.address)).to.equal(had + DEPOSIT - tokens(DEVNET.SESSION_FEE));
    });
  });
});
