import { expect } from "chai";
import { type Wallet, ZeroAddress } from "ethers";
import { networkHelpers } from "../../../support/city-fixture.ts";
import { billOf, GOAL, hash, type Legislature, lawOf, loadLegislature, PROPOSAL, State } from "../../../support/legislature.ts";

const { time } = networkHelpers;
const BILL = billOf(lawOf());
const OTHER = hash("other");
const CHANGED = billOf(lawOf(), "changed");
const CID = hash("cid");

describe("LegislativeProcedure.reintroduce", () => {
  let house: Legislature;
  let author: Wallet;
  beforeEach(async () => {
    house = await loadLegislature();
    author = house.voters[0] as Wallet;
  });

  /** A session with candidates 1 (by voter 0) and 2 (by voter 5), tallied with as many ballots. */
  async function tallied(ballots: number, order: readonly number[] = [1, 2, 0]): Promise<bigint> {
    const { legislation, steps } = house;
    const session = await steps.toVoting([BILL.specHash, OTHER]);
    await steps.vote(session, Array(ballots).fill(order));
    await time.increase(PROPOSAL + 1n);
    await legislation.tally(session);
    return session;
  }

  async function auth(session: bigint, agent = author, candidate = 1, specHash: string = CHANGED.specHash) {
    const deadline = 2n ** 40n - 1n;
    const message = { session, agent: agent.address, candidate, specHash, cid: CID, deadline };
    return { agent: agent.address, deadline, signature: await house.sign("Reintroduce", house.addresses.LEGISLATION, message, agent) };
  }
  const reintroduce = async (session: bigint, agent = author, candidate = 1, specHash: string = CHANGED.specHash) =>
    house.legislation.reintroduce(session, candidate, specHash, CID, await auth(session, agent, candidate, specHash));

  describe("when the session did not fail, or not for want of turnout", () => {
    it("it should revert with WrongState or NotReintroducible", async () => {
      const { legislation, steps } = house;
      const voting = await steps.toVoting([BILL.specHash]);
      await expect(reintroduce(voting))
        .to.be.revertedWithCustomError(legislation, "WrongState")
        .withArgs(voting, State.VOTING, 1 << State.FAILED);
      const noLaw = await tallied(8, [0, 1, 2]);
      const empty = await steps.toProposing();
      await time.increase(PROPOSAL + 1n);
      await legislation.openVoting(empty);
      for (const session of [noLaw, empty]) {
        expect((await legislation.sessionOf(session)).state).to.equal(State.FAILED);
        await expect(reintroduce(session)).to.be.revertedWithCustomError(legislation, "NotReintroducible").withArgs(session);
      }
    });
  });

  describe("when something of the session returned already, or the session is itself a return", () => {
    it("it should revert with NotReintroducible", async () => {
      const { legislation, offices, steps } = house;
      const session = await tallied(4);
      await reintroduce(session);
      await expect(reintroduce(session, house.voters[5], 2)).to.be.revertedWithCustomError(legislation, "NotReintroducible");
      const successor = await legislation.sessionCount();
      await legislation.connect(offices.REGISTRAR[0] as Wallet).confirmIdentities(successor, GOAL);
      for (const voter of house.voters.slice(1, 5)) await legislation.connect(voter).sponsor(successor, 1, house.direct(voter));
      await legislation.connect(offices.SPEAKER[0] as Wallet).openVoting(successor);
      await steps.vote(successor, [[1, 0]]);
      await time.increase(PROPOSAL + 1n);
      await legislation.tally(successor);
      await expect(reintroduce(successor, author, 1, hash("changed again")))
        .to.be.revertedWithCustomError(legislation, "NotReintroducible")
        .withArgs(successor);
    });
  });

  describe("when the candidate was not on the ballot", () => {
    it("it should revert with NotOnBallot", async () => {
      const { legislation, steps, offices, voters } = house;
      const session = await steps.toProposing();
      await steps.propose(session, 0, BILL.specHash);
      await steps.propose(session, 5, OTHER, 2);
      await legislation.connect(offices.SPEAKER[0] as Wallet).openVoting(session);
      await time.increase(PROPOSAL + 1n);
      await legislation.tally(session);
      for (const candidate of [0, 2, 3]) {
        await expect(reintroduce(session, voters[5], candidate))
          .to.be.revertedWithCustomError(legislation, "NotOnBallot")
          .withArgs(session, candidate);
      }
    });
  });

  describe("when the agent is not the candidate's proposer, not eligible, or did not authorise the call", () => {
    it("it should revert with NotProposer, NotEligible or InvalidSignature", async () => {
      const { legislation, producers, voters } = house;
      const session = await tallied(4);
      const other = voters[5] as Wallet;
      await expect(reintroduce(session, other))
        .to.be.revertedWithCustomError(legislation, "NotProposer")
        .withArgs(session, 1, other.address);
      const signed = await auth(session);
      const refused = (given: object, candidate = 1, specHash: string = CHANGED.specHash, cid = CID) =>
        expect(legislation.reintroduce(session, candidate, specHash, cid, { ...signed, ...given })).to.be.revertedWithCustomError(
          legislation,
          "InvalidSignature",
        );
      await refused({ signature: "0x" });
      await refused({}, 2);
      await refused({}, 1, OTHER);
      await refused({}, 1, CHANGED.specHash, GOAL);
      await refused({ deadline: 2n ** 40n - 2n });
      await producers.ban(author.address, GOAL);
      await expect(reintroduce(session)).to.be.revertedWithCustomError(legislation, "NotEligible").withArgs(author.address);
    });
  });

  describe("when the proposal stood in the failed session", () => {
    it("it should revert with UnchangedProposal, then and in the new session", async () => {
      const { legislation, offices, voters, direct } = house;
      const session = await tallied(4);
      for (const specHash of [BILL.specHash, OTHER]) {
        await expect(reintroduce(session, author, 1, specHash))
          .to.be.revertedWithCustomError(legislation, "UnchangedProposal")
          .withArgs(session, specHash);
      }
      await reintroduce(session);
      const successor = await legislation.sessionCount();
      await legislation.connect(offices.REGISTRAR[0] as Wallet).confirmIdentities(successor, GOAL);
      const second = voters[5] as Wallet;
      await expect(legislation.connect(second).propose(successor, OTHER, CID, direct(second)))
        .to.be.revertedWithCustomError(legislation, "UnchangedProposal")
        .withArgs(session, OTHER);
      await legislation.connect(second).propose(successor, hash("new"), CID, direct(second));
      expect((await legislation.candidateOf(successor, 2)).specHash).to.equal(hash("new"));
    });
  });

  describe("given the proposer of a candidate on a ballot without turnout", () => {
    it("it should open a session about the same goal, without sponsor, with the changed proposal as candidate 1", async () => {
      const { legislation, producers } = house;
      const session = await tallied(0);
      const call = legislation.connect(author).reintroduce(session, 1, CHANGED.specHash, CID, house.direct(author));
      const successor = session + 1n;
      await expect(call).to.emit(legislation, "Reintroduced").withArgs(successor, session, 1);
      await expect(call).to.emit(legislation, "Proposed").withArgs(successor, 1, author.address, CHANGED.specHash, CID);
      const info = await legislation.sessionOf(successor);
      expect([info.state, info.sponsor, info.deposit, info.goalHash, info.origin, info.candidates]).to.deep.equal([
        BigInt(State.IDENTIFYING),
        ZeroAddress,
        0n,
        GOAL,
        session,
        2n,
      ]);
      expect((await legislation.sessionOf(session)).successor).to.equal(successor);
      const principal = await producers.principalOf(author.address);
      expect(await legislation.candidateOf(successor, 1)).to.deep.equal([CHANGED.specHash, principal, author.address, 1n, false]);
    });

    it("it should carry no sponsorship, ballot or signature over, and leave the former deposit to its sponsor", async () => {
      const { legislation, sponsor, steps, offices, voters } = house;
      const session = await steps.toVoting([BILL.specHash]);
      const ballots = await Promise.all(voters.slice(0, 4).map((agent) => steps.ballot(session, agent, [1, 0])));
      await legislation.castBallots(session, ballots);
      await time.increase(PROPOSAL + 1n);
      await legislation.tally(session);
      await reintroduce(session);
      const successor = session + 1n;
      await legislation.withdraw(session);
      await legislation.connect(offices.REGISTRAR[0] as Wallet).confirmIdentities(successor, GOAL);
      for (const voter of voters.slice(1, 5)) await legislation.connect(voter).sponsor(successor, 1, house.direct(voter));
      await legislation.connect(offices.SPEAKER[0] as Wallet).openVoting(successor);
      await expect(legislation.castBallots(successor, ballots)).to.be.revertedWithCustomError(legislation, "InvalidSignature");
      await steps.vote(
        successor,
        voters.map(() => [1, 0]),
      );
      await legislation.tally(successor);
      await legislation.connect(sponsor).adopt(successor, CHANGED.law, CHANGED.docHash);
      await legislation.validate(successor, CHANGED.law, CHANGED.docHash, steps.witnesses());
      expect((await legislation.sessionOf(successor)).state).to.equal(State.VALIDATED);
    });
  });
});
