import { expect } from "chai";
import fc from "fast-check";
import type { Hex } from "viem";
import { randomStream } from "../../orchestrator/primitives/random.ts";
import { packRanking, tally, unpackRanking } from "../../orchestrator/rules/condorcet.ts";
import { ballots, permutations, relabelled, TEXTBOOK } from "../support/elections.ts";

const SEED: Hex = `0x${"07".repeat(32)}`;

function orderOf(rankings: readonly bigint[], candidates: string, seed = SEED): string {
  return tally(rankings, candidates.length, seed)
    .order.map((c) => candidates[c])
    .join("");
}

describe("Condorcet: elections from the textbooks", () => {
  for (const { name, candidates, rankings, pairwise, order } of TEXTBOOK) {
    it(name, () => {
      expect(orderOf(rankings, candidates)).to.equal(order);
      if (pairwise !== undefined) expect(tally(rankings, candidates.length, SEED).pairwise).to.deep.equal(pairwise);
    });
  }

  it("say the same whatever the candidates' numbers are", () => {
    for (const election of TEXTBOOK) {
      const { candidates, order } = election;
      for (const names of permutations(candidates.length)) {
        const winners = tally(relabelled(election, names), candidates.length, SEED).order.map((now) => candidates[names.indexOf(now)]);
        expect(winners.join(""), `${election.name}, ${names}`).to.equal(order);
      }
    }
  });

  it("say the same in whatever order the ballots come", () => {
    const random = randomStream(7, "voters");
    for (const { rankings, candidates } of TEXTBOOK) {
      const counted = tally(rankings, candidates.length, SEED);
      for (let k = 0; k < 20; k += 1) expect(tally(random.shuffle(rankings), candidates.length, SEED)).to.deep.equal(counted);
    }
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
