import { expect } from "chai";
import { bytesToHex } from "../../../orchestrator/primitives/hex.ts";
import { type RandomStream, randomStream } from "../../../orchestrator/primitives/random.ts";
import { divideLoss } from "../../../orchestrator/rules/loss-shares.ts";
import { batches, DIFFERENTIAL_TIMEOUT, harnessOf } from "../harness.ts";

const CASES = 10_000;
const BATCH = 25;
const MOST = 2n ** 64n - 1n;

interface Loss {
  readonly loss: bigint;
  readonly contributions: readonly bigint[];
}

/** Small ones, so that remainders are often equal; huge ones; now and then as many as a pool may have. */
function lossOf(random: RandomStream): Loss {
  const most = random.pick([3n, 100n, 10_000_000n, MOST]);
  const one = () => BigInt(bytesToHex(random.bytes(8))) % (most + 1n);
  const alike = one();
  const contributions = Array.from({ length: 1 + random.int(random.int(100) === 0 ? 50 : 6) }, () => (random.int(3) === 0 ? alike : one()));
  const total = contributions.reduce((sum, part) => sum + part, 0n);
  const loss = random.int(8) === 0 ? total : (total * BigInt(random.int(1001))) / 1000n;
  return { loss: loss > MOST ? MOST : loss, contributions };
}

describe("LossShares", function () {
  this.timeout(DIFFERENTIAL_TIMEOUT);
  const harness = harnessOf("LossSharesHarness");

  it("agrees with its twin; no unit is lost, nobody bears more than it has or a unit off its exact share", async () => {
    const random = randomStream(7, "loss-shares");
    const cases = Array.from({ length: CASES }, () => lossOf(random));
    for (const batch of batches(cases, BATCH)) {
      const answers = await harness.call<bigint[][]>("divide", batch);
      expect(answers).to.deep.equal(batch.map(({ loss, contributions }) => divideLoss(loss, contributions)));
      batch.forEach(({ loss, contributions }, k) => {
        const total = contributions.reduce((sum, part) => sum + part, 0n);
        const shares = answers[k] ?? [];
        expect(shares.reduce((sum, share) => sum + share, 0n)).to.equal(loss);
        expect(shares.every((share, i) => share <= (contributions[i] ?? 0n))).to.be.true;
        expect(shares.every((share, i) => near(share * total, loss * (contributions[i] ?? 0n), total))).to.be.true;
      });
    }
  });

  it("is Hamilton's: the units left over go to the largest fractions, of equals to the first", async () => {
    const cases: Loss[] = [
      { loss: 10n, contributions: [5n, 3n, 1n, 6n] },
      { loss: 1n, contributions: [7n, 7n, 7n] },
      { loss: 0n, contributions: [0n, 0n] },
      { loss: 5n, contributions: [0n, 5n] },
    ];
    // Quotas of the first: 3⅓, 2, ⅔, 4.
    expect(await harness.call("divide", cases)).to.deep.equal([
      [3n, 2n, 1n, 4n],
      [1n, 0n, 0n],
      [0n, 0n],
      [0n, 5n],
    ]);
  });

  it("refuses a loss above the total, with both", async () => {
    expect(await harness.refusal("divide", [{ loss: 6n, contributions: [2n, 3n] }])).to.deep.equal({
      code: "LossExceedsTotal",
      values: [6n, 5n],
    });
    expect(() => divideLoss(6n, [2n, 3n])).to.throw("LossExceedsTotal(6, 5)");
    expect(() => divideLoss(1n, [])).to.throw("LossExceedsTotal(1, 0)");
  });
});

/** Within less than one unit, both sides times `unit`. */
const near = (a: bigint, b: bigint, unit: bigint): boolean => (a - b < unit && b - a < unit) || a === b;
