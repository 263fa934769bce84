import { expect } from "chai";
import fc from "fast-check";
import { InvalidValue } from "../../orchestrator/primitives/errors.ts";
import {
  briberyTarget,
  coalition,
  detection,
  deterredProfit,
  deterringStake,
  effectiveDetection,
  insuranceCover,
  largestFairShare,
  leastPrice,
  malice,
  recoversFrom,
  reputationFactor,
  reward,
  treasurySides,
} from "../../orchestrator/rules/deterrence.ts";
import { fairnessOf } from "../../orchestrator/rules/fairness.ts";
import { split } from "../../orchestrator/rules/payout.ts";
import { multiplier } from "../../orchestrator/rules/reputation.ts";
import { near } from "../support/near.ts";
import { thrown } from "../support/rejection.ts";

const share = fc.double({ min: 0, max: 1, noNaN: true });
const redundancy = fc
  .record({ executors: fc.integer({ min: 1, max: 15 }), part: share, notices: share, correlation: share })
  .map(({ executors, part, ...rest }) => ({ executors, agreeing: 1 + Math.floor(part * (executors - 1)), ...rest }));
const check = <Values extends [unknown, ...unknown[]]>(property: fc.IPropertyWithHooks<Values>) =>
  fc.assert(property, { seed: 7, numRuns: 500 });
const NEAR = 1e-9;

describe("deterrence", () => {
  it("detects with a probability that falls with every colluder and with correlation, and never once they are the majority", () => {
    check(
      fc.property(redundancy, (r) => {
        for (let c = 0; c <= r.executors; c++) {
          const found = detection(c, r);
          expect(found).to.be.within(-NEAR, 1 + NEAR);
          expect(detection(c + 1, { ...r, executors: r.executors + 1 })).to.be.within(...near(found, NEAR));
          if (c < r.executors) expect(detection(c + 1, r)).to.be.at.most(found + NEAR);
          if (r.executors - c < r.agreeing) expect(found).to.equal(0);
          expect(found).to.be.at.most(detection(c, { ...r, correlation: 0 }) + NEAR);
          expect(found).to.be.at.least(detection(c, { ...r, correlation: 1 }) - NEAR);
        }
      }),
    );
  });

  it("counts coalitions as a distribution whose mean is k·π", () => {
    check(
      fc.property(fc.integer({ min: 1, max: 30 }), share, (k, p) => {
        const chances = Array.from({ length: k + 1 }, (_, c) => coalition(c, k, p));
        expect(chances.reduce((sum, chance) => sum + chance, 0)).to.be.within(...near(1, NEAR));
        expect(chances.reduce((sum, chance, c) => sum + c * chance, 0)).to.be.within(...near(k * p, 1e-7));
      }),
    );
  });

  it("asks for the stake at which exactly the profit is deterred, or says that none does", () => {
    check(
      fc.property(redundancy, share, share, fc.double({ min: 0, max: 1e9, noNaN: true }), (r, p, slashed, profit) => {
        const detected = effectiveDetection(r, p);
        const answer = deterringStake(profit, Math.min(1, detected), slashed);
        if (!answer.deterrable) expect(detected * slashed).to.equal(0);
        else if (Number.isFinite(answer.stake))
          expect(deterredProfit(answer.stake, Math.min(1, detected), slashed)).to.be.within(...near(profit, 1e-6 * (1 + profit)));
      }),
    );
    expect(deterringStake(1, 0, 0.33)).to.deep.equal({ deterrable: false, because: "nobody can notice this attack, whatever is staked" });
    expect(deterringStake(1, 0.8, 0)).to.deep.equal({ deterrable: false, because: "nothing is slashed" });
  });

  it("has fewer colluders the more registering costs", () => {
    check(
      fc.property(
        share,
        fc.double({ min: 0, max: 1e6, noNaN: true }),
        fc.double({ min: 0, max: 1e6, noNaN: true }),
        (unstaked, one, more) => {
          const at = (registration: number) => malice({ unstaked, registration, scale: 500 });
          expect(at(one + more)).to.be.at.most(at(one));
          expect(at(0)).to.equal(unstaked);
        },
      ),
    );
  });

  it("pays what the contracts pay, to the rounding of their integers", () => {
    const whole = (from: number, to: number) => fc.integer({ min: from, max: to });
    check(
      fc.property(whole(0, 1e9), whole(0, 1000), whole(0, 500), whole(0, 1000), whole(0, 2000), (price, fee, insurance, rho, alpha) => {
        const psi = multiplier(BigInt(rho), BigInt(alpha));
        const factor = reputationFactor(rho, alpha / 1000);
        expect(Number(psi) / 1000).to.be.within(...near(factor, 0.001));
        const paid = split(BigInt(price), BigInt(fee), BigInt(insurance), 10_000n, psi);
        const ours = reward(price, { protocol: fee / 10_000, insurance: insurance / 10_000 }, Number(psi) / 1000);
        expect(Number(paid.paid)).to.be.within(...near(ours.escrow, 2));
        expect(Number(paid.premium)).to.be.within(...near(ours.treasury, 2));
      }),
    );
  });

  it("names the least price: paid that, locking and work are covered to the unit", () => {
    const fees = { protocol: 0.02, insurance: 0.01 };
    check(
      fc.property(fc.double({ min: 0.01, max: 1e6, noNaN: true }), fc.integer({ min: 0, max: 1000 }), (cost, rho) => {
        const factor = reputationFactor(rho, 0.5);
        const paid = reward(leastPrice(cost / 2, cost / 2, fees, factor), fees, factor);
        expect(paid.escrow + paid.treasury).to.be.within(...near(cost, 1e-6 * cost));
      }),
    );
    expect(leastPrice(1, 1, fees, 0)).to.equal(Number.POSITIVE_INFINITY);
  });

  it("lets nobody hold more than the share at which fairness is the floor", () => {
    for (const producers of [2, 5, 10, 15, 50]) {
      const held = Math.round(1e6 * largestFairShare(producers, 600));
      const others = Array.from({ length: producers - 1 }, () => Math.round((1e6 - held) / (producers - 1)));
      expect(fairnessOf([held, ...others], producers)).to.be.within(...near(600, 1));
      expect(fairnessOf([held + 10_000, ...others], producers)).to.be.below(600);
    }
  });

  it("weighs a treasury's two sides, and an insurance pool against its claims", () => {
    const period = { fees: 10, slashed: 4, adjudicators: 5, insurancePayouts: 1, gasSubsidies: 1, premiums: 5 };
    expect(treasurySides(period)).to.deep.equal({ inflow: 12, outflow: 12, sustainable: false });
    expect(treasurySides({ ...period, fees: 10.5 })).to.include({ sustainable: true });
    expect(insuranceCover(1000, 2, 250)).to.equal(2);
    expect(insuranceCover(0, 0, 250)).to.equal(Number.POSITIVE_INFINITY);
  });

  it("counts adjudicators: two thirds decide, and 3f + 1 recover from f", () => {
    expect([3, 5, 7, 9, 13].map(briberyTarget)).to.deep.equal([2, 4, 5, 6, 9]);
    expect([6, 7].map((quorum) => recoversFrom(2, quorum))).to.deep.equal([false, true]);
  });

  it("refuses what is no probability, no amount or no count", () => {
    const calls = [
      () => coalition(1, 3, 1.1),
      () => coalition(0.5, 3, 0.1),
      () => detection(0, { executors: 3, agreeing: 2, notices: -0.1, correlation: 0 }),
      () => malice({ unstaked: 0.9, registration: 1, scale: 0 }),
      () => deterredProfit(Number.NaN, 0.5, 0.5),
      () => briberyTarget(0),
      () => largestFairShare(1, 600),
    ];
    for (const call of calls) expect(thrown(call)).to.be.instanceOf(InvalidValue);
  });
});
