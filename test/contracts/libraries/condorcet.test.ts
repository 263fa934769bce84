import { expect } from "chai";
import type { Hex } from "viem";
import { bytesToHex } from "../../../orchestrator/primitives/hex.ts";
import { type RandomStream, randomStream } from "../../../orchestrator/primitives/random.ts";
import { packRanking, requireRanking, tally } from "../../../orchestrator/rules/condorcet.ts";
import { RuleError } from "../../../orchestrator/rules/rule-error.ts";
import { permutations, relabelled, TEXTBOOK } from "../../support/elections.ts";
import { sweep } from "../../support/sweep.ts";
import { batches, DIFFERENTIAL_TIMEOUT, harnessOf } from "../harness.ts";

interface Election {
  rankings: bigint[];
  m: number;
  seed: Hex;
}

/** Few voters over few candidates tie often; now and then all sixteen fill every word of counters. */
function election(random: RandomStream): Election {
  const m = 1 + random.int(random.pick([4, 4, 6, 16]));
  const voters = random.int(random.pick([3, 5, 9]));
  const candidates = Array.from({ length: m }, (_, c) => c);
  const rankings = Array.from({ length: voters }, () => packRanking(random.shuffle(candidates)));
  return { rankings, m, seed: bytesToHex(random.bytes(32)) };
}

describe("Condorcet agrees with its twin", function () {
  this.timeout(DIFFERENTIAL_TIMEOUT);
  const harness = harnessOf("CondorcetHarness");

  it("on random elections: winner, whole order, all pairs", async () => {
    const random = randomStream(7, "condorcet");
    for (let batch = 0; batch < sweep(1000); batch += 1) {
      const elections = Array.from({ length: 10 }, () => election(random));
      const outcomes = await harness.call<{ winner: number; order: number[]; pairwise: bigint[] }[]>("tally", elections);
      elections.forEach(({ rankings, m, seed }, k) => {
        const expected = tally(rankings, m, seed);
        const { winner, order, pairwise } = outcomes[k]!;
        expect({ winner, order, pairwise: pairwise.map(Number) }).to.deep.equal({
          winner: expected.winner,
          order: expected.order,
          pairwise: expected.pairwise.flat(),
        });
      });
    }
  });

  it("on the textbooks' elections, under every numbering of the candidates", async () => {
    const seed = bytesToHex(randomStream(7, "textbook").bytes(32));
    for (const election of TEXTBOOK) {
      const { name, candidates, order, pairwise } = election;
      const m = candidates.length;
      const numberings = permutations(m);
      for (const batch of batches(numberings, 24)) {
        const elections = batch.map((names) => ({ rankings: relabelled(election, names), m, seed }));
        const outcomes = await harness.call<{ order: number[]; pairwise: bigint[] }[]>("tally", elections);
        batch.forEach((names, k) => {
          const outcome = outcomes[k]!;
          expect(outcome.order.map((now) => candidates[names.indexOf(now)]).join(""), `${name}, ${names}`).to.equal(order);
          if (pairwise === undefined) return;
          pairwise.forEach((row, i) => {
            row.forEach((votes, j) => {
              expect(Number(outcome.pairwise[names[i]! * m + names[j]!]), name).to.equal(votes);
            });
          });
        });
      }
    }
  });

  it("whatever order the ballots come in", async () => {
    const random = randomStream(7, "voters");
    const seed = bytesToHex(random.bytes(32));
    for (const { rankings, candidates } of TEXTBOOK) {
      const elections = Array.from({ length: 10 }, () => ({ rankings: random.shuffle(rankings), m: candidates.length, seed }));
      const [first, ...others] = await harness.call<unknown[]>("tally", elections);
      for (const other of others) expect(other).to.deep.equal(first);
    }
  });

  it("on which words are rankings", async () => {
    const random = randomStream(7, "rankings");
    const words = Array.from({ length: sweep(10_000) }, () => {
      const m = random.int(18);
      const order = random.shuffle(Array.from({ length: Math.min(m, 16) }, (_, c) => c));
      let word = order.reduce((sum, c, k) => sum | (BigInt(c) << BigInt(4 * k)), 0n);
      if (random.int(2) === 1) word ^= 1n << BigInt(random.int(64));
      return { word, m };
    });
    const chain: boolean[] = [];
    for (const batch of batches(words, 200)) {
      const [rankings, sizes] = [batch.map(({ word }) => word), batch.map(({ m }) => m)];
      chain.push(...(await harness.call<boolean[]>("valid", rankings, sizes)));
    }
    const here = words.map(({ word, m }) => {
      try {
        requireRanking(word, m);
        return true;
      } catch (error) {
        expect(error).to.be.instanceOf(RuleError);
        return false;
      }
    });
    expect(chain).to.deep.equal(here);
    expect(chain.filter(Boolean).length).to.be.within(0.3 * words.length, 0.7 * words.length);
  });

  it("on the error and its values", async () => {
    for (const [ranking, m] of [
      [0x110n, 3],
      [0x3210n, 3],
      [0x3n, 2],
      [0x0n, 0],
      [0x10n, 17],
    ] as const) {
      expect(() => requireRanking(ranking, m)).to.throw(RuleError, `InvalidRanking(${ranking}, ${m})`);
      expect(await harness.refusal("requireRanking", ranking, m)).to.deep.equal({ code: "InvalidRanking", values: [ranking, BigInt(m)] });
    }
  });

  it("counts the last ballot that fits without touching neighbours", async () => {
    const full = (lanes: number, value: bigint) => Array.from({ length: lanes }, (_, k) => value << BigInt(16 * k)).reduce((a, b) => a | b);
    const identity = packRanking([0, 1, 2, 3, 4, 5, 6, 7]);
    const counters = await harness.call<bigint[]>("add", [full(16, 65_534n), full(12, 65_534n)], identity, 8);
    expect(counters).to.deep.equal([full(16, 65_535n), full(12, 65_535n)]);
  });
});
