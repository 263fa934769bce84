import { expect } from "chai";
import { randomStream } from "../../../orchestrator/primitives/random.ts";
import { packRanking } from "../../../orchestrator/rules/condorcet.ts";
import { depth, discordant, isCorrelated, jaccard, tau } from "../../../orchestrator/rules/rank-correlation.ts";
import { RuleError } from "../../../orchestrator/rules/rule-error.ts";
import { sweep } from "../../support/sweep.ts";
import { batches, DIFFERENTIAL_TIMEOUT, harnessOf } from "../harness.ts";

const CASES = sweep(10_000);
const THRESHOLDS = [50, 60, 67, 80, 90, 100];

interface Measures {
  readonly discordant: bigint;
  readonly tau: bigint;
  readonly jaccard: bigint;
  readonly depth: bigint;
  readonly correlated: boolean;
}

describe("RankCorrelation: chain and orchestrator agree", function () {
  this.timeout(DIFFERENTIAL_TIMEOUT);
  const harness = harnessOf("RankCorrelationHarness");

  it(`on ${CASES} pairs of rankings`, async () => {
    const random = randomStream(7, "correlations");
    const pairs = Array.from({ length: CASES }, () => {
      const m = 2 + random.int(15);
      const order = random.shuffle(Array.from({ length: m }, (_, c) => c));
      const other = [...order];
      // Near neighbours as often as strangers, so that thresholds are met and missed.
      if (random.int(2) === 0) other.splice(0, m, ...random.shuffle(other));
      for (let swaps = random.int(4); swaps > 0; swaps -= 1) {
        const at = random.int(m - 1);
        other.splice(at, 2, other[at + 1] as number, other[at] as number);
      }
      const [a, b] = [packRanking(order), packRanking(other)];
      return { a, b, m, k: 1 + random.int(m), minTau: random.pick(THRESHOLDS), minJaccard: random.pick(THRESHOLDS) };
    });
    let correlated = 0;
    for (const batch of batches(pairs, 50)) {
      const chain = await harness.call<Measures[]>("measure", batch);
      batch.forEach(({ a, b, m, k, minTau, minJaccard }, i) => {
        const expected = {
          discordant: BigInt(discordant(a, b, m)),
          tau: BigInt(tau(a, b, m)),
          jaccard: BigInt(jaccard(a, b, m, k)),
          depth: BigInt(depth(m)),
          correlated: isCorrelated(a, b, m, minTau, minJaccard),
        };
        expect(chain[i]).to.deep.equal(expected);
        correlated += Number(expected.correlated);
      });
    }
    expect(correlated).to.be.within(CASES / 10, 0.9 * CASES);
  });

  it("on the errors and their values", async () => {
    const refusals: [string, bigint[], () => unknown, string, bigint[]][] = [
      ["tau", [0n, 0n, 1n], () => tau(0n, 0n, 1), "NothingToCompare", [1n]],
      ["tau", [0x110n, 0x210n, 3n], () => tau(0x110n, 0x210n, 3), "InvalidRanking", [272n, 3n]],
      ["tau", [0x210n, 0x10n, 3n], () => tau(0x210n, 0x10n, 3), "InvalidRanking", [16n, 3n]],
      ["jaccard", [0x10n, 0x01n, 2n, 0n], () => jaccard(0x10n, 0x01n, 2, 0), "InvalidDepth", [0n, 2n]],
      ["jaccard", [0x10n, 0x01n, 2n, 3n], () => jaccard(0x10n, 0x01n, 2, 3), "InvalidDepth", [3n, 2n]],
    ];
    for (const [name, args, here, code, values] of refusals) {
      expect(here).to.throw(RuleError, `${code}(${values.join(", ")})`);
      expect(await harness.refusal(name, ...args)).to.deep.equal({ code, values });
    }
  });
});
