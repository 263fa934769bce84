import { expect } from "chai";
import fc from "fast-check";
import { bidScore, matchOf } from "../../orchestrator/rules/bid-score.ts";
import { fairnessOf, fairnessScore } from "../../orchestrator/rules/fairness.ts";
import { split } from "../../orchestrator/rules/payout.ts";
import { adjust, ema, INITIAL_REPUTATION, multiplier, points } from "../../orchestrator/rules/reputation.ts";

const levels = (values: readonly number[], bits: number) => values.reduce((word, v, d) => word | (BigInt(v) << BigInt(bits * d)), 0n);

describe("Payout", () => {
  it("is the paper's example: 1,000 at 2 % and 1 % releases 970", () => {
    const at = (psi: bigint) => split(1000n, 200n, 100n, 10_000n, psi);
    expect(at(1000n)).to.deep.equal({
      fee: 20n,
      insurance: 10n,
      base: 970n,
      released: 970n,
      paid: 970n,
      discount: 0n,
      premium: 0n,
      toSponsor: 0n,
    });
    expect(at(1250n)).to.deep.include({ paid: 970n, premium: 242n, discount: 0n });
    expect(at(750n)).to.deep.include({ paid: 727n, premium: 0n, discount: 243n });
  });

  it("releases a share, charges full fees on it, and none when nothing is released", () => {
    expect(split(1000n, 200n, 100n, 5000n, 1000n)).to.deep.include({ fee: 20n, insurance: 10n, released: 485n, toSponsor: 485n });
    expect(split(1000n, 200n, 100n, 0n, 1250n)).to.deep.equal({
      fee: 0n,
      insurance: 0n,
      base: 970n,
      released: 0n,
      paid: 0n,
      discount: 0n,
      premium: 0n,
      toSponsor: 1000n,
    });
  });

  it("conserves every unit and never goes below zero", () => {
    const bps = fc.integer({ min: 0, max: 10_000 }).map(BigInt);
    fc.assert(
      fc.property(
        fc.bigInt(0n, 2n ** 64n - 1n),
        fc.integer({ min: 0, max: 1000 }).map(BigInt),
        fc.integer({ min: 0, max: 500 }).map(BigInt),
        bps,
        fc.bigInt(0n, 2000n),
        (price, fee, ins, share, psi) => {
          const s = split(price, fee, ins, share, psi);
          expect(s.fee + s.insurance + s.paid + s.discount + s.toSponsor).to.equal(price);
          expect(Object.values(s).every((part) => part >= 0n)).to.be.true;
          expect(s.released <= s.base && s.paid <= s.released && s.premium <= s.released).to.be.true;
        },
      ),
      { seed: 7, numRuns: 1000 },
    );
  });
});

describe("Reputation", () => {
  it("has ψ of the paper's table at α = 0.5", () => {
    expect([0n, 200n, 500n, 800n, 1000n].map((rho) => multiplier(rho, 500n))).to.deep.equal([750n, 850n, 1000n, 1150n, 1250n]);
    expect([0n, 1000n].map((rho) => multiplier(rho, 1000n))).to.deep.equal([500n, 1500n]);
    expect(multiplier(137n, 0n)).to.equal(1000n);
    expect([multiplier(0n, 2000n), multiplier(0n, 3000n)]).to.deep.equal([0n, 0n]);
    expect(multiplier(499n, 500n)).to.equal(999n);
  });

  it("moves a tenth of the way to an outcome at λ = 0.9", () => {
    expect(ema(INITIAL_REPUTATION, 10_000n, 900n)).to.equal(550_000n);
    expect(ema(INITIAL_REPUTATION, 0n, 900n)).to.equal(450_000n);
    expect(ema(1_000_000n, 10_000n, 900n)).to.equal(1_000_000n);
  });

  it("is kept within 0 and 1000 points by sanctions", () => {
    expect(adjust(INITIAL_REPUTATION, -20n)).to.equal(480_000n);
    expect([adjust(INITIAL_REPUTATION, -501n), adjust(INITIAL_REPUTATION, 501n)]).to.deep.equal([0n, 1_000_000n]);
    expect(points(499_999n)).to.equal(499n);
  });
});

describe("Fairness", () => {
  it("is 960 for shares of 3/5 and 2/5, 1000 when even, 0 for a monopoly", () => {
    expect(fairnessOf([3, 2], 2)).to.equal(960);
    expect(fairnessOf([2, 2, 2], 3)).to.equal(1000);
    expect(fairnessOf([6], 3)).to.equal(0);
  });

  it("is defined at its edges", () => {
    expect([fairnessOf([], 0), fairnessOf([], 5)]).to.deep.equal([1000, 1000]);
    expect([fairnessOf([4], 1), fairnessOf([4], 0), fairnessOf([2, 2], 1)]).to.deep.equal([0, 0, 0]);
    expect(fairnessOf([1, 1, 1], 2)).to.equal(1000);
    expect(fairnessScore(26n, 5n, 2n)).to.equal(0n);
  });

  it("crosses the constitutional 600 where the derivation says", () => {
    // p = 2: HHI ≤ 1/2 + 0.4/2 ⇔ s ≤ 0.816.
    expect(fairnessOf([816, 184], 2)).to.be.at.least(600);
    expect(fairnessOf([817, 183], 2)).to.be.below(600);
  });
});

describe("BidScore", () => {
  it("matches what is required, dimension by dimension", () => {
    expect(matchOf(0n, 0n)).to.equal(1000n);
    expect(matchOf(levels([256 * 100, 0], 16), levels([100, 0], 8))).to.equal(1000n);
    expect(matchOf(levels([65_535, 0], 16), levels([100, 100], 8))).to.equal(500n);
    expect(matchOf(levels([128 * 100], 16), levels([100], 8))).to.equal(500n);
    expect(matchOf(levels([0, 0, 0, 0, 0, 0, 0, 0, 0, 256 * 255], 16), levels([0, 0, 0, 0, 0, 0, 0, 0, 0, 255], 8))).to.equal(1000n);
  });

  it("is equation 1: quality against price", () => {
    const offer = { reputation: 800n, fit: 1000n, price: 75n, slotBudget: 100n };
    expect(bidScore(offer, 600n, 400n)).to.equal(480_000n + 100_000n);
    expect(bidScore({ ...offer, reputation: 1000n, price: 0n }, 600n, 400n)).to.equal(1_000_000n);
    expect(bidScore({ ...offer, price: 100n }, 600n, 400n)).to.equal(480_000n);
    expect(bidScore({ ...offer, price: 101n }, 600n, 400n)).to.equal(480_000n);
    expect(bidScore({ ...offer, price: 0n, slotBudget: 0n }, 600n, 400n)).to.equal(480_000n);
  });
});
