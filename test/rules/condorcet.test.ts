import { expect } from "chai";
import fc from "fast-check";
import type { Hex } from "viem";
import { packRanking, tally, unpackRanking } from "../../orchestrator/rules/condorcet.ts";

const SEED: Hex = `0x${"07".repeat(32)}`;

/** `5 ACBED` → five ballots. */
function ballots(lines: string, candidates: string): bigint[] {
  return lines
    .trim()
    .split(/\s*\n\s*/)
    .flatMap((line) => {
      const [times, order] = line.split(" ");
      return new Array<bigint>(Number(times)).fill(packRanking([...order!].map((name) => candidates.indexOf(name))));
    });
}

function orderOf(rankings: readonly bigint[], candidates: string, seed = SEED): string {
  return tally(rankings, candidates.length, seed)
    .order.map((c) => candidates[c])
    .join("");
}

describe("Condorcet: elections from the textbooks", () => {
  const tennessee = ballots("42 MNCK\n26 NCKM\n15 CKNM\n17 KCNM", "MNCK");
  const schulze = ballots("5 ACBED\n5 ADECB\n8 BEDAC\n3 CABED\n7 CAEBD\n2 CBADE\n7 DCEBA\n8 EBADC", "ABCDE");

  it("Tennessee: Nashville beats every other city", () => {
    expect(orderOf(tennessee, "MNCK")).to.equal("NCKM");
    expect(tally(tennessee, 4, SEED).pairwise).to.deep.equal([
      [0, 42, 42, 42],
      [58, 0, 68, 68],
      [58, 32, 0, 83],
      [58, 32, 17, 0],
    ]);
  });

  it("Schulze's 45 voters: E by Copeland, A, C, B tied and parted by Minimax", () => {
    expect(tally(schulze, 5, SEED).pairwise).to.deep.equal([
      [0, 20, 26, 30, 22],
      [25, 0, 16, 33, 18],
      [19, 29, 0, 17, 24],
      [15, 12, 28, 0, 14],
      [23, 27, 21, 31, 0],
    ]);
    expect(orderOf(schulze, "ABCDE")).to.equal("EACBD");
  });

  it("a cycle of unequal defeats goes to the smallest worst defeat", () => {
    expect(orderOf(ballots("4 ABC\n3 BCA\n2 CAB", "ABC"), "ABC")).to.equal("ABC");
    expect(orderOf(ballots("4 CBA\n3 BAC\n2 ACB", "ABC"), "ABC")).to.equal("CBA");
  });

  it("a perfect cycle goes to the seed, and no place in the list is favoured", () => {
    const cycle = ballots("1 ABC\n1 BCA\n1 CAB", "ABC");
    const wins = new Map<number, number>();
    for (let k = 0; k < 900; k += 1) {
      const { winner } = tally(cycle, 3, `0x${k.toString(16).padStart(64, "0")}`);
      wins.set(winner, (wins.get(winner) ?? 0) + 1);
    }
    for (const candidate of [0, 1, 2]) expect(wins.get(candidate)).to.be.within(250, 350);
  });

  it("without ballots the seed orders everybody", () => {
    expect([...tally([], 5, SEED).order].sort()).to.deep.equal([0, 1, 2, 3, 4]);
  });
});

describe("Condorcet: properties", () => {
  const election = fc.integer({ min: 2, max: 7 }).chain((m) =>
    fc.record({
      m: fc.constant(m),
      orders: fc.array(
        fc.shuffledSubarray(
          Array.from({ length: m }, (_, c) => c),
          { minLength: m, maxLength: m },
        ),
        { maxLength: 9 },
      ),
      relabel: fc.shuffledSubarray(
        Array.from({ length: m }, (_, c) => c),
        { minLength: m, maxLength: m },
      ),
    }),
  );

  it("ballots come back as they were packed", () => {
    fc.assert(
      fc.property(election, ({ m, orders }) => {
        for (const order of orders) expect(unpackRanking(packRanking(order), m)).to.deep.equal(order);
      }),
      { seed: 7 },
    );
  });

  it("who is counted first does not matter", () => {
    fc.assert(
      fc.property(election, ({ m, orders }) => {
        const rankings = orders.map(packRanking);
        expect(tally([...rankings].reverse(), m, SEED)).to.deep.equal(tally(rankings, m, SEED));
      }),
      { seed: 7 },
    );
  });

  it("a candidate that beats all others wins whatever the seed, and keeps winning under other numbers", () => {
    fc.assert(
      fc.property(election, ({ m, orders, relabel }) => {
        const { pairwise } = tally(orders.map(packRanking), m, SEED);
        const champion = pairwise.findIndex((row, c) => row.every((n, rival) => rival === c || 2 * n > orders.length));
        if (champion < 0) return;
        const renamed = orders.map((order) => packRanking(order.map((c) => relabel[c]!)));
        expect(tally(orders.map(packRanking), m, `0x${"09".repeat(32)}`).winner).to.equal(champion);
        expect(tally(renamed, m, SEED).winner).to.equal(relabel[champion]);
      }),
      { seed: 7, numRuns: 500 },
    );
  });

  it("each pair's counts sum to the ballots", () => {
    fc.assert(
      fc.property(election, ({ m, orders }) => {
        const { pairwise } = tally(orders.map(packRanking), m, SEED);
        for (let i = 0; i < m; i += 1) for (let j = 0; j < i; j += 1) expect(pairwise[i]![j]! + pairwise[j]![i]!).to.equal(orders.length);
      }),
      { seed: 7 },
    );
  });
});
