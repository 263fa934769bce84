import { expect } from "chai";
import type { Wallet } from "ethers";
import { randomStream } from "../../../../orchestrator/primitives/random.ts";
import { packRanking } from "../../../../orchestrator/rules/condorcet.ts";
import { networkHelpers, Office } from "../../../support/city-fixture.ts";
import { hash, type Legislature, loadLegislature, PROPOSAL, State, setParameter } from "../../../support/legislature.ts";

const { time } = networkHelpers;
const [A, B] = [hash("A"), hash("B")];

let house: Legislature;
async function fresh(): Promise<void> {
  house = await loadLegislature();
}
const voter = (index: number): Wallet => house.voters[index] as Wallet;
const speaker = () => house.offices.SPEAKER[0] as Wallet;

describe("LegislativeProcedure.openDebate", () => {
  beforeEach(fresh);

  /** Proposing, with a candidate of five sponsors. */
  async function proposing(): Promise<bigint> {
    const session = await house.steps.toProposing();
    await house.steps.propose(session, 0, A);
    return session;
  }

  describe("when the caller is not a Speaker, or its envelope does not list the call", () => {
    it("it should revert with NotClerk or OutsideEnvelope", async () => {
      const { legislation, clerks } = house;
      const session = await proposing();
      await expect(legislation.connect(voter(0)).openDebate(session)).to.be.revertedWithCustomError(clerks, "NotClerk");
      await clerks.setEnvelope(Office.SPEAKER, [legislation.interface.getFunction("openVoting").selector], 8);
      await expect(legislation.connect(speaker()).openDebate(session)).to.be.revertedWithCustomError(clerks, "OutsideEnvelope");
    });
  });

  describe("when the session is not in PROPOSING, or proposing is over", () => {
    it("it should revert with WrongState or TooLate", async () => {
      const { legislation, steps } = house;
      const debated = await steps.toDebate([A]);
      await expect(legislation.connect(speaker()).openDebate(debated))
        .to.be.revertedWithCustomError(legislation, "WrongState")
        .withArgs(debated, State.DELIBERATING, 1 << State.PROPOSING);
      const session = await proposing();
      const { deadline } = await legislation.sessionOf(session);
      await time.increaseTo(deadline + 1n);
      await expect(legislation.connect(speaker()).openDebate(session))
        .to.be.revertedWithCustomError(legislation, "TooLate")
        .withArgs(session, deadline);
    });
  });

  describe("when no candidate qualifies", () => {
    it("it should revert with NoCandidates", async () => {
      const { legislation, steps } = house;
      const session = await steps.toProposing();
      await steps.propose(session, 0, A, 4);
      await expect(legislation.connect(speaker()).openDebate(session))
        .to.be.revertedWithCustomError(legislation, "NoCandidates")
        .withArgs(session);
    });
  });

  describe("given qualified candidates", () => {
    it("it should fix the ballot and enter DELIBERATING for the proposal timeout", async () => {
      const { legislation } = house;
      const session = await proposing();
      const call = legislation.connect(speaker()).openDebate(session);
      await expect(call).to.emit(legislation, "StateChanged").withArgs(session, State.PROPOSING, State.DELIBERATING, speaker().address);
      const deadline = BigInt(await time.latest()) + PROPOSAL;
      await expect(call).to.emit(legislation, "DebateOpened").withArgs(session, [0, 1], deadline);
      expect(await legislation.ballotOf(session)).to.deep.equal([0n, 1n]);
      expect((await legislation.sessionOf(session)).deadline).to.equal(deadline);
    });

    it("it should refuse proposals, sponsorships and ballots during the debate", async () => {
      const { legislation, steps, direct } = house;
      const session = await steps.toDebate([A]);
      const refused = (call: Promise<unknown>) => expect(call).to.be.revertedWithCustomError(legislation, "WrongState");
      await refused(legislation.connect(voter(6)).propose(session, B, B, direct(voter(6))));
      await refused(legislation.connect(voter(6)).sponsor(session, 1, direct(voter(6))));
      await refused(legislation.castBallots(session, [await steps.ballot(session, voter(0), [1, 0])]));
      await refused(legislation.expire(session));
    });

    it("it should let the Speaker open the vote on the same ballot, and anyone once the debate is over", async () => {
      const { legislation, clerks, steps, account } = house;
      const anyone = await account("anyone");
      const [early, late] = [await steps.toDebate([A, B]), await steps.toDebate([A, B])];
      await expect(legislation.connect(anyone).openVoting(early)).to.be.revertedWithCustomError(clerks, "NotClerk");
      await legislation.connect(speaker()).openVoting(early);
      const { deadline } = await legislation.sessionOf(late);
      await time.increaseTo(deadline + 1n);
      await legislation.connect(anyone).openVoting(late);
      for (const session of [early, late]) {
        const { state, tieSeed } = await legislation.sessionOf(session);
        expect(state).to.equal(State.VOTING);
        expect(BigInt(tieSeed)).to.not.equal(0n);
        expect(await legislation.ballotOf(session)).to.deep.equal([0n, 1n, 2n]);
      }
    });

    it("it should let the sponsor cancel", async () => {
      const { legislation, sponsor, steps } = house;
      const session = await steps.toDebate([A]);
      await legislation.connect(sponsor).cancel(session);
      expect((await legislation.sessionOf(session)).state).to.equal(State.CANCELLED);
    });
  });
});

describe("LegislativeProcedure.strawPoll", () => {
  beforeEach(fresh);

  describe("when the session is not in DELIBERATING, or the debate is over", () => {
    it("it should revert with WrongState or TooLate", async () => {
      const { legislation, steps } = house;
      const voting = await steps.toVoting([A]);
      await expect(legislation.strawPoll(voting, [await steps.straw(voting, voter(0), [1, 0])]))
        .to.be.revertedWithCustomError(legislation, "WrongState")
        .withArgs(voting, State.VOTING, 1 << State.DELIBERATING);
      const session = await steps.toDebate([A]);
      const { deadline } = await legislation.sessionOf(session);
      await time.increaseTo(deadline + 1n);
      await expect(legislation.strawPoll(session, [await steps.straw(session, voter(0), [1, 0])]))
        .to.be.revertedWithCustomError(legislation, "TooLate")
        .withArgs(session, deadline);
    });
  });

  describe("when the voter is not of the electorate", () => {
    it("it should revert with NotEligible", async () => {
      const { legislation, steps, producers } = house;
      const session = await steps.toDebate([A]);
      const late = (await house.register("late")).agent;
      await producers.ban(voter(0).address, A);
      for (const agent of [late, voter(0), speaker()]) {
        await expect(legislation.strawPoll(session, [await steps.straw(session, agent, [1, 0])]))
          .to.be.revertedWithCustomError(legislation, "NotEligible")
          .withArgs(agent.address);
      }
    });
  });

  describe("when the voter was polled already", () => {
    it("it should revert with AlreadyPolled", async () => {
      const { legislation, steps } = house;
      const session = await steps.toDebate([A]);
      const [first, second] = [await steps.straw(session, voter(0), [1, 0]), await steps.straw(session, voter(0), [0, 1])];
      const refused = (...given: (typeof first)[]) =>
        expect(legislation.strawPoll(session, given))
          .to.be.revertedWithCustomError(legislation, "AlreadyPolled")
          .withArgs(session, voter(0).address);
      await refused(first, second);
      await legislation.strawPoll(session, [first]);
      await refused(first);
      await refused(second);
    });
  });

  describe("when the ranking is not complete and strict", () => {
    it("it should revert with InvalidRanking", async () => {
      const { legislation, steps } = house;
      const session = await steps.toDebate([A, B]);
      const good = await steps.straw(session, voter(0), [0, 1, 2]);
      for (const ranking of [0n, 0x10n, 0x110n, 0x3210n]) {
        await expect(legislation.strawPoll(session, [{ ...good, ranking }]))
          .to.be.revertedWithCustomError(legislation, "InvalidRanking")
          .withArgs(ranking, 3);
      }
    });
  });

  describe("when the signature is not the voter's over session, ranking and deadline, is late, or is a ballot's", () => {
    it("it should revert with InvalidSignature or Expired", async () => {
      const { legislation, steps } = house;
      const session = await steps.toDebate([A]);
      const good = await steps.straw(session, voter(0), [1, 0]);
      const refused = (changed: object) =>
        expect(legislation.strawPoll(session, [{ ...good, ...changed }])).to.be.revertedWithCustomError(legislation, "InvalidSignature");
      await refused({ ranking: packRanking([0, 1]) });
      await refused({ deadline: 2n ** 40n - 2n });
      await refused({ agent: voter(1).address });
      await refused({ signature: "0x" });
      await refused({ signature: (await steps.straw(session + 1n, voter(0), [1, 0])).signature });
      await refused({ signature: (await steps.ballot(session, voter(0), [1, 0])).signature });
      await expect(legislation.strawPoll(session, [await steps.straw(session, voter(0), [1, 0], 5n)]))
        .to.be.revertedWithCustomError(legislation, "Expired")
        .withArgs(5);
      await legislation.connect(speaker()).openVoting(session);
      await expect(legislation.castBallots(session, [good])).to.be.revertedWithCustomError(legislation, "InvalidSignature");
    });
  });

  describe("given rankings by signature or by the voter itself", () => {
    /** Polls everybody in two batches and the last voter by its own call. */
    async function poll(session: bigint, m: number): Promise<void> {
      const { legislation, steps, voters } = house;
      const random = randomStream(7, "straws", m);
      const entries = Array.from({ length: m }, (_, entry) => entry);
      const given = await Promise.all(voters.map((agent) => steps.straw(session, agent, random.shuffle(entries))));
      const own = { ...(given.at(-1) as (typeof given)[number]), signature: "0x" };
      // In no order: a poll counts nothing, so it may come as it comes.
      await expect(legislation.strawPoll(session, given.slice(1, 4).reverse()))
        .to.emit(legislation, "StrawPollCast")
        .withArgs(session, voter(2).address, given[2]?.ranking);
      await legislation.strawPoll(session, [given[0] as (typeof given)[number], ...given.slice(4, -1)]);
      expect(await legislation.strawRankingOf(session, own.agent)).to.equal(0);
      await legislation.connect(voters.at(-1) as Wallet).strawPoll(session, [own]);
      for (const { agent, ranking } of given) expect(await legislation.strawRankingOf(session, agent)).to.equal(ranking);
      expect(await legislation.strawRankingOf(session, speaker().address)).to.equal(0);
    }

    it("it should record and tell them, several to a word, narrow ballots and wide", async () => {
      await poll(await house.steps.toDebate([A, B]), 3);
      await setParameter(house, "MIN_SPONSORS", 3);
      for (let i = 8; i < 12; i++) {
        const { agent } = await house.register(`producer ${i}`, { principal: await house.account(`principal ${i % 4}`) });
        house.voters.push(agent);
      }
      const session = await house.steps.toProposing();
      for (let i = 0; i < 9; i++) await house.steps.propose(session, i, hash(`spec ${i}`), 3);
      await house.legislation.connect(speaker()).openDebate(session);
      await poll(session, 10);
    });

    it("it should count them for nothing: the vote starts without a ballot, and each voter still has one", async () => {
      const { legislation, steps, voters } = house;
      const session = await steps.toDebate([A]);
      await legislation.strawPoll(session, await Promise.all(voters.map((agent) => steps.straw(session, agent, [0, 1]))));
      await legislation.connect(speaker()).openVoting(session);
      expect((await legislation.sessionOf(session)).ballots).to.equal(0);
      expect(await legislation.rankingOf(session, voter(0).address)).to.equal(0);
      await steps.vote(
        session,
        voters.map(() => [1, 0]),
      );
      await expect(legislation.tally(session)).to.emit(legislation, "Tallied").withArgs(session, 1, 8, [1, 0]);
      expect(await legislation.strawRankingOf(session, voter(0).address)).to.equal(packRanking([0, 1]));
    });
  });
});
