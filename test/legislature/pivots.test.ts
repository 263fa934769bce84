import { expect } from "chai";
import { pivotsOf } from "../../orchestrator/legislature/pivots.ts";
import type { CastBallot } from "../../orchestrator/legislature/result.ts";
import { randomStream } from "../../orchestrator/primitives/random.ts";
import { packRanking, tally } from "../../orchestrator/rules/condorcet.ts";
import { address } from "../support/goals.ts";

const SEED = `0x${"5e".repeat(32)}` as const;

const cast = (rankings: readonly (readonly number[])[]): CastBallot[] =>
  rankings.map((ranking, index) => ({ agent: address(index + 1), ranking }));
const winnerOf = (ballots: readonly CastBallot[], m: number) =>
  tally(
    ballots.map(({ ranking }) => packRanking(ranking)),
    m,
    SEED,
  ).winner;

describe("who was pivotal", () => {
  it("names exactly the voters without whose ballot another candidate wins", () => {
    let decisive = 0;
    for (let seed = 0; seed < 60; seed += 1) {
      const stream = randomStream(seed, "pivots");
      const m = 3 + stream.int(3);
      const ballots = cast(Array.from({ length: 3 + stream.int(6) }, () => stream.shuffle(Array.from({ length: m }, (_, c) => c))));
      const winner = winnerOf(ballots, m);
      const expected = ballots.filter(
        (ballot) =>
          winnerOf(
            ballots.filter((other) => other !== ballot),
            m,
          ) !== winner,
      );
      expect(pivotsOf(ballots, m, SEED).alone).to.deep.equal(expected.map(({ agent }) => agent));
      decisive += expected.length;
    }
    expect(decisive).to.be.greaterThan(0);
  });

  it("finds the fewest voters who could have made a rival win, and who of them could by one exchange", () => {
    // 6 : 4 for A over B, C last: two of A's six tie the duel, a third turns it.
    const ballots = cast([...Array.from({ length: 6 }, () => [0, 1, 2]), ...Array.from({ length: 4 }, () => [1, 0, 2])]);
    const { alone, swing } = pivotsOf(ballots, 3, SEED);
    expect(alone).to.deep.equal([]);
    expect(swing).to.include({ rival: 1, adjacent: 6 });
    const exchanged = (count: number) => cast(ballots.map(({ ranking }, index) => (index < count ? [1, 0, 2] : [...ranking])));
    expect(winnerOf(exchanged(swing!.voters), 3)).to.equal(1);
    expect(winnerOf(exchanged(swing!.voters - 1), 3)).to.equal(0);
  });

  it("says so when no rival can be lifted over a winner that nobody else could replace", () => {
    expect(pivotsOf(cast([[0]]), 1, SEED)).to.deep.equal({ alone: [], swing: null });
  });
});
