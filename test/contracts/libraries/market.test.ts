import { expect } from "chai";
import { bytesToHex } from "../../../orchestrator/primitives/hex.ts";
import { type RandomStream, randomStream } from "../../../orchestrator/primitives/random.ts";
import { bidScore, matchOf } from "../../../orchestrator/rules/bid-score.ts";
import { fairnessScore } from "../../../orchestrator/rules/fairness.ts";
import { split } from "../../../orchestrator/rules/payout.ts";
import { adjust, burdened, ema, multiplier, points } from "../../../orchestrator/rules/reputation.ts";
import { batches, DIFFERENTIAL_TIMEOUT, harnessOf } from "../harness.ts";

const CASES = 10_000;
const BATCH = 500;

/** Bytes of random length, so that small and huge values are equally likely; zero and one too. */
function amount(random: RandomStream, bytes = 8): bigint {
  const length = random.int(bytes + 1);
  return length === 0 ? BigInt(random.int(2)) : BigInt(bytesToHex(random.bytes(length)));
}

describe("the market's rules agree with their twins", function () {
  this.timeout(DIFFERENTIAL_TIMEOUT);
  const harness = harnessOf("MarketHarness");

  async function agree<Case>(functionName: string, make: (random: RandomStream) => Case, twin: (c: Case) => unknown): Promise<void> {
    const random = randomStream(7, functionName);
    const cases = Array.from({ length: CASES }, () => make(random));
    for (const batch of batches(cases, BATCH)) {
      expect(await harness.call(functionName, batch)).to.deep.equal(batch.map(twin));
    }
  }

  it("BidScore: match", async () => {
    await agree(
      "matchOf",
      (random) => ({ capabilities: amount(random, 20), required: amount(random, 10) }),
      ({ capabilities, required }) => matchOf(capabilities, required),
    );
  });

  it("BidScore: score", async () => {
    await agree(
      "score",
      (random) => {
        const wq = BigInt(random.int(1001));
        const slotBudget = amount(random);
        const price = random.int(4) === 0 ? amount(random) : (slotBudget * BigInt(random.int(1001))) / 1000n;
        return { reputation: BigInt(random.int(1001)), fit: BigInt(random.int(1001)), price, slotBudget, wq, wp: 1000n - wq };
      },
      (c) => bidScore(c, c.wq, c.wp),
    );
  });

  it("Fairness", async () => {
    await agree(
      "fairness",
      (random) => {
        const counts = Array.from({ length: random.int(8) }, () => BigInt(random.int(6)));
        const sumSquares = counts.reduce((sum, n) => sum + n * n, 0n) + BigInt(random.int(20) === 0 ? 1000 : 0);
        return { sumSquares, total: counts.reduce((sum, n) => sum + n, 0n), p: BigInt(random.int(9)) };
      },
      (c) => fairnessScore(c.sumSquares, c.total, c.p),
    );
  });

  it("Reputation", async () => {
    await agree(
      "reputation",
      (random) => ({
        current: BigInt(random.int(1_000_001)),
        score: BigInt(random.int(10_001)),
        lambda: BigInt(random.int(1001)),
        delta: (random.int(2) === 0 ? 1n : -1n) * (random.int(20) === 0 ? amount(random, 30) : BigInt(random.int(1500))),
        alpha: BigInt(random.int(4001)),
        faults: random.int(10) === 0 ? 255 : random.int(6),
      }),
      (c) => ({
        ema: ema(c.current, c.score, c.lambda),
        adjusted: adjust(c.current, c.delta),
        points: points(c.current),
        multiplier: multiplier(points(c.current), c.alpha),
        burdened: burdened(c.current, c.faults, c.lambda),
      }),
    );
  });

  it("Payout", async () => {
    await agree(
      "payout",
      (random) => ({
        price: amount(random),
        feeBps: random.int(random.pick([1001, 5001])),
        insuranceBps: random.int(random.pick([501, 5000])),
        shareBps: random.int(5) === 0 ? random.pick([0, 10_000]) : random.int(10_001),
        psi: BigInt(random.int(2001)),
      }),
      (c) => split(c.price, BigInt(c.feeBps), BigInt(c.insuranceBps), BigInt(c.shareBps), c.psi),
    );
  });

  it("Payout: rates that exceed the whole are refused, with their values", async () => {
    const refused = [{ price: 1n, feeBps: 9000, insuranceBps: 1001, shareBps: 1, psi: 1000n }];
    expect(await harness.refusal("payout", refused)).to.deep.equal({ code: "InvalidRates", values: [9000, 1001, 1] });
    expect(() => split(1n, 9000n, 1001n, 1n, 1000n)).to.throw("InvalidRates(9000, 1001, 1)");
    const share = [{ price: 1n, feeBps: 0, insuranceBps: 0, shareBps: 10_001, psi: 1000n }];
    expect(await harness.refusal("payout", share)).to.deep.equal({ code: "InvalidRates", values: [0, 0, 10_001] });
  });
});
