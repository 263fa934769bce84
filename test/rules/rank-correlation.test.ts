import { expect } from "chai";
import fc from "fast-check";
import { BASIS_POINTS } from "../../orchestrator/primitives/amounts.ts";
import { packRanking } from "../../orchestrator/rules/condorcet.ts";
import { depth, discordant, isCorrelated, jaccard, tau } from "../../orchestrator/rules/rank-correlation.ts";

const rank = (names: string, candidates = [...names].sort().join("")) => packRanking([...names].map((name) => candidates.indexOf(name)));

describe("rank correlation", () => {
  it("is 1 for the same order, −1 for the reverse, and falls by 2 / pairs with each neighbours' swap", () => {
    expect(tau(rank("ABCDE"), rank("ABCDE"), 5)).to.equal(BASIS_POINTS);
    expect(tau(rank("ABCDE"), rank("EDCBA"), 5)).to.equal(-BASIS_POINTS);
    expect(tau(rank("ABCDE"), rank("BACDE"), 5)).to.equal(8000);
    expect(tau(rank("ABCDE"), rank("BADCE"), 5)).to.equal(6000);
    expect(tau(rank("ABC"), rank("BAC"), 3)).to.equal(3333);
    expect(tau(rank("ABC"), rank("CAB"), 3)).to.equal(-3333);
  });

  it("counts what one counts by hand: five people by height, and by weight 3 4 1 2 5", () => {
    const weight = packRanking([2, 3, 0, 1, 4]);
    expect(discordant(rank("ABCDE"), weight, 5)).to.equal(4);
    expect(tau(rank("ABCDE"), weight, 5)).to.equal(2000);
  });

  it("compares the first k as sets", () => {
    expect(jaccard(rank("ABCDE"), rank("BADCE"), 5, 2)).to.equal(BASIS_POINTS);
    expect(jaccard(rank("ABCDE"), rank("ACBDE"), 5, 2)).to.equal(3333);
    expect(jaccard(rank("ABCDE"), rank("EDCBA"), 5, 2)).to.equal(0);
    expect(jaccard(rank("ABCDE"), rank("EDCBA"), 5, 3)).to.equal(2000);
    expect([1, 2, 3, 4, 5, 6, 7, 16].map(depth)).to.deep.equal([1, 1, 1, 2, 2, 3, 3, 3]);
  });

  it("needs both measures", () => {
    // One neighbours' swap of seven: τ = 19/21 ≥ 0.9. Over the edge of the first three it changes that set (Jaccard 0.5).
    expect(isCorrelated(rank("ABCDEFG"), rank("BACDEFG"), 7, 90, 80)).to.equal(true);
    expect(isCorrelated(rank("ABCDEFG"), rank("ABDCEFG"), 7, 90, 80)).to.equal(false);
    expect(isCorrelated(rank("ABCDEFG"), rank("ABDCEFG"), 7, 90, 50)).to.equal(true);
    expect(isCorrelated(rank("ABCDEFG"), rank("ABCGFED"), 7, 90, 80)).to.equal(false);
    // At the threshold counts: τ = 0.8 exactly.
    expect(isCorrelated(rank("ABCDE"), rank("BACDE"), 5, 80, 100)).to.equal(true);
    expect(isCorrelated(rank("ABCDE"), rank("BACDE"), 5, 81, 100)).to.equal(false);
  });

  it("does not depend on who comes first nor on the candidates' numbers", () => {
    const pair = fc.integer({ min: 2, max: 16 }).chain((m) => {
      const order = fc.shuffledSubarray(
        Array.from({ length: m }, (_, c) => c),
        { minLength: m, maxLength: m },
      );
      return fc.tuple(fc.constant(m), order, order, order);
    });
    fc.assert(
      fc.property(pair, ([m, first, second, names]) => {
        const [a, b] = [packRanking(first), packRanking(second)];
        const [ra, rb] = [first, second].map((order) => packRanking(order.map((c) => names[c] as number))) as [bigint, bigint];
        expect(tau(b, a, m)).to.equal(tau(a, b, m));
        expect(tau(ra, rb, m)).to.equal(tau(a, b, m));
        for (let k = 1; k <= m; k += 1) expect(jaccard(ra, rb, m, k)).to.equal(jaccard(b, a, m, k));
        expect(tau(packRanking([...first].reverse()), b, m)).to.equal(0 - tau(a, b, m));
      }),
      { seed: 7, numRuns: 300 },
    );
  });
});
