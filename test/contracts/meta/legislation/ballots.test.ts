import { expect } from "chai";
import { type Wallet, ZeroHash } from "ethers";
import { randomStream } from "../../../../orchestrator/primitives/random.ts";
import { packRanking, tally } from "../../../../orchestrator/rules/condorcet.ts";
import { networkHelpers } from "../../../support/city-fixture.ts";
import { APPROVAL, hash, type Legislature, loadLegislature, PROPOSAL, State, setParameter } from "../../../support/legislature.ts";

const { time } = networkHelpers;
const NO_SEED = `0x${"0".repeat(64)}` as const;
const [A, B, C] = [hash("A"), hash("B"), hash("C")];

const voter = (house: Legislature, index: number): Wallet => house.voters[index] as Wallet;

/** A session whose ballot is: no law, A, B. */
async function voting() {
  const house = await loadLegislature();
  return { ...house, house, session: await house.steps.toVoting([A, B]) };
}

describe("LegislativeProcedure: ballots", () => {
  describe("castBallots", () => {
    it("records each ranking, tells it, and counts every pair", async () => {
      const { house, legislation, steps, session } = await voting();
      const orders = [
        [1, 2, 0],
        [2, 1, 0],
        [0, 1, 2],
      ];
      const ballots = await Promise.all(orders.map((order, i) => steps.ballot(session, voter(house, i), order)));
      const cast = await legislation.castBallots(session, ballots);
      for (const { agent, ranking } of ballots) {
        await expect(cast).to.emit(legislation, "BallotCast").withArgs(session, agent, ranking);
        expect(await legislation.rankingOf(session, agent)).to.equal(ranking);
      }
      expect((await legislation.sessionOf(session)).ballots).to.equal(3);
      expect(await legislation.rankingOf(session, voter(house, 3).address)).to.equal(0);
      const expected = tally(
        ballots.map(({ ranking }) => ranking),
        3,
        NO_SEED,
      ).pairwise;
      for (const i of [0, 1, 2]) {
        for (const j of [0, 1, 2]) expect(await legislation.pairwise(session, i, j)).to.equal(expected[i]?.[j]);
      }
      expect(await legislation.pairwise(session, 0, 3)).to.equal(0);
    });

    it("adds batches up, several to a word and over its edge", async () => {
      const house = await loadLegislature();
      for (let i = 8; i < 20; i++)
        house.voters.push((await house.register(`producer ${i}`, { principal: await house.account(`principal ${i % 4}`) })).agent);
      const { legislation, steps } = house;
      const session = await steps.toVoting([A, B]);
      const random = randomStream(7, "batches");
      const all = await Promise.all(house.voters.map((agent) => steps.ballot(session, agent, random.shuffle([0, 1, 2]))));
      // Indices 0–19; every batch shares words of eight with the others.
      for (const batch of [[6, 7, 8, 15], [0], [1, 9, 16, 19], [2, 3, 4, 5, 10, 11, 12, 13, 14, 17, 18]]) {
        await legislation.castBallots(
          session,
          batch.map((i) => all[i] as (typeof all)[number]),
        );
      }
      for (const { agent, ranking } of all) expect(await legislation.rankingOf(session, agent)).to.equal(ranking);
      const { pairwise } = tally(
        all.map(({ ranking }) => ranking),
        3,
        NO_SEED,
      );
      for (const [i, j] of [
        [0, 1],
        [0, 2],
        [1, 2],
        [2, 1],
      ] as const) {
        expect(await legislation.pairwise(session, i, j)).to.equal(pairwise[i]?.[j]);
      }
      expect((await legislation.sessionOf(session)).ballots).to.equal(20);
    });

    it("keeps wide ballots too: sixteen entries, four to a word", async () => {
      const house = await loadLegislature();
      await setParameter(house, "MIN_SPONSORS", 3);
      for (let i = 8; i < 16; i++)
        house.voters.push((await house.register(`producer ${i}`, { principal: await house.account(`principal ${i % 4}`) })).agent);
      const { legislation, steps, offices } = house;
      const session = await steps.toProposing();
      for (let i = 0; i < 15; i++) await steps.propose(session, i, hash(`spec ${i}`), 3);
      await legislation.connect(offices.SPEAKER[0] as Wallet).openVoting(session);
      const random = randomStream(7, "wide");
      const entries = Array.from({ length: 16 }, (_, entry) => entry);
      const all = await Promise.all(house.voters.map((agent) => steps.ballot(session, agent, random.shuffle(entries))));
      await legislation.castBallots(session, all.slice(0, 6));
      await legislation.castBallots(session, all.slice(6));
      for (const { agent, ranking } of all) expect(await legislation.rankingOf(session, agent)).to.equal(ranking);
      const { tieSeed } = await legislation.sessionOf(session);
      const expected = tally(
        all.map(({ ranking }) => ranking),
        16,
        tieSeed as `0x${string}`,
      );
      for (const i of entries)
        for (const j of [0, 7, 15]) expect(await legislation.pairwise(session, i, j)).to.equal(expected.pairwise[i]?.[j]);
      await legislation.tally(session);
      const [tallied] = await legislation.queryFilter(legislation.filters.Tallied(session));
      expect(tallied?.args.order.map(Number)).to.deep.equal(expected.order);
    });

    it("refuses a second ballot, in one batch and in another", async () => {
      const { house, legislation, steps, session } = await voting();
      const first = await steps.ballot(session, voter(house, 0), [0, 1, 2]);
      const second = await steps.ballot(session, voter(house, 0), [2, 1, 0]);
      await expect(legislation.castBallots(session, [first, second]))
        .to.be.revertedWithCustomError(legislation, "BallotsUnsorted")
        .withArgs(0, 0);
      await legislation.castBallots(session, [first]);
      for (const again of [first, second]) {
        await expect(legislation.castBallots(session, [again]))
          .to.be.revertedWithCustomError(legislation, "AlreadyVoted")
          .withArgs(session, first.agent);
      }
    });

    it("refuses a batch out of order", async () => {
      const { house, legislation, steps, session } = await voting();
      const ballots = await Promise.all([3, 1].map((i) => steps.ballot(session, voter(house, i), [0, 1, 2])));
      await expect(legislation.castBallots(session, ballots)).to.be.revertedWithCustomError(legislation, "BallotsUnsorted").withArgs(3, 1);
    });

    it("refuses what is no complete strict ranking", async () => {
      const { house, legislation, steps, session } = await voting();
      for (const ranking of [0n, 0x010n, 0x100n, 0x310n, 0x1210n, 0x1_0210n, 0x22_1n]) {
        await expect(legislation.castBallots(session, [await steps.ballot(session, voter(house, 0), ranking)]))
          .to.be.revertedWithCustomError(legislation, "InvalidRanking")
          .withArgs(ranking, 3);
      }
    });

    it("binds a signature to agent, session, ranking, time and this contract", async () => {
      const { house, legislation, steps, session, sign, addresses } = await voting();
      const agent = voter(house, 0);
      const ballot = await steps.ballot(session, agent, [1, 2, 0]);
      const refused = (changed: object) =>
        expect(legislation.castBallots(session, [{ ...ballot, ...changed }])).to.be.revertedWithCustomError(
          legislation,
          "InvalidSignature",
        );
      await refused({ ranking: packRanking([0, 1, 2]) });
      await refused({ deadline: 2n ** 40n - 2n });
      await refused({ agent: voter(house, 1).address });
      await refused({ signature: "0x" });
      await refused({ signature: ballot.signature.slice(0, -2) });
      await refused({ signature: (await steps.ballot(session + 1n, agent, [1, 2, 0])).signature });
      const { agent: from, ranking, deadline } = ballot;
      await refused({ signature: await sign("Ballot", addresses.EXECUTION, { session, agent: from, ranking, deadline }, agent) });
      await expect(legislation.castBallots(session, [await steps.ballot(session, agent, [1, 2, 0], 5n)]))
        .to.be.revertedWithCustomError(legislation, "Expired")
        .withArgs(5);
    });

    it("takes a signature until the second it names, and not after", async () => {
      const { house, legislation, steps, session, now } = await voting();
      const until = (await now()) + 10n;
      const [last, late] = await Promise.all([0, 1].map((index) => steps.ballot(session, voter(house, index), [1, 2, 0], until)));
      if (last === undefined || late === undefined) throw new Error("no ballots");
      await time.setNextBlockTimestamp(until);
      await legislation.castBallots(session, [last]);
      await time.setNextBlockTimestamp(until + 1n);
      await expect(legislation.castBallots(session, [late]))
        .to.be.revertedWithCustomError(legislation, "Expired")
        .withArgs(until);
    });

    it("takes an unsigned ballot from the voter itself", async () => {
      const { house, legislation, session } = await voting();
      const agent = voter(house, 2);
      const ballot = { agent: agent.address, ranking: packRanking([2, 0, 1]), deadline: 2n ** 40n - 1n, signature: "0x" };
      await legislation.connect(agent).castBallots(session, [ballot]);
      expect(await legislation.rankingOf(session, agent.address)).to.equal(ballot.ranking);
    });

    it("belongs to producers that were counted before the session, unless they are banned or their house is frozen", async () => {
      const { house, legislation, steps, session, producers, offices } = await voting();
      const late = (await house.register("late")).agent;
      const verifier = (await house.register("verifier", { kind: 4 })).agent;
      const [banned, leaving, lapsed, frozen, poor] = [0, 1, 2, 3, 4].map((i) => voter(house, i)) as [
        Wallet,
        Wallet,
        Wallet,
        Wallet,
        Wallet,
      ];
      const legislature = await house.as("LEGISLATION");
      await producers.ban(banned.address, ZeroHash);
      await producers.connect(leaving).deregister(leaving.address);
      await producers.connect(legislature).lapse(lapsed.address);
      await producers.freezePrincipal(await producers.principalOf(frozen.address), true);
      await producers.adjustReputation(poor.address, -1000, ZeroHash);
      for (const agent of [late, verifier, banned, frozen, offices.SPEAKER[0] as Wallet]) {
        await expect(legislation.castBallots(session, [await steps.ballot(session, agent, [0, 1, 2])]))
          .to.be.revertedWithCustomError(legislation, "NotEligible")
          .withArgs(agent.address);
      }
      // To lapse, to attend again, to leave and to lose reputation is for later sessions; a freeze that is over takes no vote that the
      // session had counted.
      await producers.connect(lapsed).attend(lapsed.address);
      for (const agent of [leaving, lapsed, poor]) {
        await legislation.castBallots(session, [await steps.ballot(session, agent, [0, 1, 2])]);
        expect(await legislation.rankingOf(session, agent.address)).to.equal(packRanking([0, 1, 2]));
      }
      await producers.freezePrincipal(await producers.principalOf(frozen.address), false);
      await legislation.castBallots(session, [await steps.ballot(session, frozen, [0, 1, 2])]);
    });

    it("belongs to nobody who was frozen when the session opened, however often since", async () => {
      const house = await loadLegislature();
      const { legislation, producers, steps } = house;
      const { agent: frozen, principal: owner } = await house.register("ninth");
      const principal = owner.address;
      await producers.freezePrincipal(principal, true);
      const session = await steps.toVoting([A, B]);
      for (const now of [false, true, false]) await producers.freezePrincipal(principal, now);
      await expect(legislation.castBallots(session, [await steps.ballot(session, frozen, [0, 1, 2])])).to.be.revertedWithCustomError(
        legislation,
        "NotEligible",
      );
    });

    it("asks what reputation was when the session opened, by the floor of that day", async () => {
      const house = await loadLegislature();
      const { legislation, producers, steps } = house;
      // Who proposes and supports the bill is others.
      const [risen, fallen, near] = [5, 6, 7].map((i) => voter(house, i)) as [Wallet, Wallet, Wallet];
      await producers.adjustReputation(risen.address, -450, ZeroHash);
      await producers.adjustReputation(near.address, -350, ZeroHash);
      const former = await steps.toVoting([A]);
      await producers.adjustReputation(risen.address, 900, ZeroHash);
      // It falls twice and recovers, so that its last change alone would not tell.
      for (const points of [-450, 300, -300]) await producers.adjustReputation(fallen.address, points, ZeroHash);
      await setParameter(house, "REPUTATION_FLOOR", 200);
      const later = await steps.toVoting([A]);
      await producers.adjustReputation(fallen.address, 450, ZeroHash);
      const votes = async (session: bigint, agent: Wallet) =>
        legislation.castBallots.staticCall(session, [await steps.ballot(session, agent, [0, 1])]).then(
          () => true,
          () => false,
        );
      const [inFormer, inLater] = await Promise.all(
        [former, later].map((session) => Promise.all([risen, fallen, near].map((agent) => votes(session, agent)))),
      );
      expect([inFormer, inLater]).to.deep.equal([
        [false, true, true],
        [true, false, false],
      ]);
    });

    it("happens while voting is open", async () => {
      const { house, legislation, steps, session } = await voting();
      const proposing = await steps.toProposing();
      await expect(legislation.castBallots(proposing, [await steps.ballot(proposing, voter(house, 0), [0, 1])]))
        .to.be.revertedWithCustomError(legislation, "WrongState")
        .withArgs(proposing, State.PROPOSING, 1 << State.VOTING);
      const { deadline } = await legislation.sessionOf(session);
      await time.setNextBlockTimestamp(deadline + 1n);
      await expect(legislation.castBallots(session, [await steps.ballot(session, voter(house, 0), [0, 1, 2])]))
        .to.be.revertedWithCustomError(legislation, "TooLate")
        .withArgs(session, deadline);
    });
  });

  describe("tally", () => {
    it("names the Condorcet winner by candidate number and opens validation", async () => {
      const { house, legislation, steps, offices } = await voting();
      // Candidate 2 does not qualify, so that entries and candidates differ.
      const session = await steps.toProposing();
      await steps.propose(session, 0, A, 5);
      await steps.propose(session, 1, B, 4);
      await steps.propose(session, 5, C, 5);
      await legislation.connect(offices.SPEAKER[0] as Wallet).openVoting(session);
      await steps.vote(
        session,
        house.voters.map((_, i) => (i < 5 ? [2, 1, 0] : [1, 2, 0])),
      );
      await expect(legislation.tally(session)).to.emit(legislation, "Tallied").withArgs(session, 3, 8, [3, 1, 0]);
      const info = await legislation.sessionOf(session);
      expect([info.state, info.winner]).to.deep.equal([BigInt(State.TALLIED), 3n]);
      expect(info.deadline).to.equal(BigInt(await time.latest()) + APPROVAL);
      expect((await legislation.candidateOf(session, info.winner)).specHash).to.equal(C);
    });

    it("breaks what Copeland and Minimax leave by the seed fixed before the first ballot", async () => {
      const { legislation, steps, session } = await voting();
      // Four cyclic pairs cancel out: every comparison is a tie.
      const orders = [
        [0, 1, 2],
        [2, 1, 0],
        [1, 0, 2],
        [2, 0, 1],
        [0, 2, 1],
        [1, 2, 0],
      ];
      await steps.vote(session, orders);
      await time.increase(PROPOSAL + 1n);
      const { tieSeed } = await legislation.sessionOf(session);
      await legislation.tally(session);
      const expected = tally(orders.map(packRanking), 3, tieSeed as `0x${string}`);
      const [event] = await legislation.queryFilter(legislation.filters.Tallied(session));
      expect(event?.args.order.map(Number)).to.deep.equal(expected.order);
    });

    it("waits until all have voted or voting is over", async () => {
      const { legislation, steps, session } = await voting();
      await steps.vote(
        session,
        Array.from({ length: 7 }, () => [1, 2, 0]),
      );
      const { deadline } = await legislation.sessionOf(session);
      await expect(legislation.tally(session)).to.be.revertedWithCustomError(legislation, "NotYet").withArgs(session, deadline);
      await time.increaseTo(deadline + 1n);
      await legislation.tally(session);
      await expect(legislation.tally(session)).to.be.revertedWithCustomError(legislation, "WrongState");
    });

    it("fails below the turnout, rounded up, and not at it", async () => {
      // 60 % of eight is 4.8: four are too few, five suffice.
      for (const [ballots, state] of [
        [4, State.FAILED],
        [5, State.TALLIED],
      ] as const) {
        const { legislation, steps, session } = await voting();
        await steps.vote(
          session,
          Array.from({ length: ballots }, () => [1, 2, 0]),
        );
        await time.increase(PROPOSAL + 1n);
        const order = state === State.TALLIED ? [1, 2, 0] : [];
        await expect(legislation.tally(session))
          .to.emit(legislation, "Tallied")
          .withArgs(session, order[0] ?? 0, ballots, order);
        expect((await legislation.sessionOf(session)).state).to.equal(state);
      }
    });

    it("fails without a ballot", async () => {
      const { legislation, session, deployer } = await voting();
      await time.increase(PROPOSAL + 1n);
      await expect(legislation.tally(session))
        .to.emit(legislation, "StateChanged")
        .withArgs(session, State.VOTING, State.FAILED, deployer.address);
    });

    it("fails when agents prefer no law", async () => {
      const { house, legislation, steps, session } = await voting();
      await steps.vote(
        session,
        house.voters.map(() => [0, 2, 1]),
      );
      await expect(legislation.tally(session)).to.emit(legislation, "Tallied").withArgs(session, 0, 8, [0, 2, 1]);
      expect((await legislation.sessionOf(session)).state).to.equal(State.FAILED);
      await legislation.withdraw(session);
    });
  });

  describe("rankingOf", () => {
    it("is nobody's but a producer's", async () => {
      const { house, legislation, steps, session, offices, account } = await voting();
      await steps.vote(session, [[1, 2, 0]]);
      expect(await legislation.rankingOf(session, voter(house, 0).address)).to.equal(packRanking([1, 2, 0]));
      // Index 0 is what an unregistered address and a clerk read as well.
      for (const other of [offices.SPEAKER[0] as Wallet, await account("stranger")]) {
        expect(await legislation.rankingOf(session, other.address)).to.equal(0);
      }
    });
  });
});
