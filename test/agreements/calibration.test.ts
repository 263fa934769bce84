/** Golden items: what an evaluator makes of work whose score is known, and what its word weighs for it. */
import { expect } from "chai";
import fc from "fast-check";
import { calibrated, calibrationOf, consensus, type EvaluatorRecord, isQualified } from "../../orchestrator/agreements/index.ts";

const readings = (count: number, off: number) =>
  Array.from({ length: count }, (_, n) => ({ known: 50, scored: 50 + (n % 2 ? off : -off) }));
const record: EvaluatorRecord = {
  ...{ identity: { scheme: "uri", value: "e" }, domains: ["general"], price: 1, available: true },
  ...{ evaluations: 60, canaries: 20, canaries_passed: 19, deviation: 4 },
};
const reading = fc.record({
  known: fc.integer({ min: 0, max: 100 }),
  scored: fc.option(fc.integer({ min: 0, max: 100 }), { nil: undefined }),
});

describe("the calibration of an evaluator", () => {
  it("weighs nobody above the least who is unknown, far off, or silent", () => {
    const silent = Array.from({ length: 20 }, () => ({ known: 80 }));
    expect([[], readings(40, 20), silent].map((each) => calibrationOf(each).weight)).to.deep.equal([100, 100, 100]);
    expect(calibrationOf(silent)).to.deep.include({ items: 20, passed: 0, bias: 0, deviation: 0 });
  });

  it("weighs more with each exact answer, and needs many", () => {
    const weights = [1, 8, 72, 1000].map((count) => calibrationOf(readings(count, 0)).weight);
    expect(weights).to.deep.equal([103, 116, 129, 132]);
  });

  it("tells bias from spread", () => {
    const generous = Array.from({ length: 10 }, (_, n) => ({ known: 5 * n, scored: 5 * n + 6 }));
    expect(calibrationOf(generous)).to.deep.include({ bias: 6, deviation: 6, passed: 10 });
    expect(calibrationOf(readings(10, 6))).to.deep.include({ bias: 0, deviation: 6 });
  });

  it("stays in its bounds, whatever the order, and never falls when an answer comes closer", () => {
    fc.assert(
      fc.property(fc.array(reading, { maxLength: 30 }), reading, (others, one) => {
        const { weight } = calibrationOf([...others, one]);
        expect(weight).to.be.within(100, 133);
        expect(calibrationOf([one, ...others.toReversed()]).weight).to.be.closeTo(weight, 1);
        expect(calibrationOf([...others, { known: one.known, scored: one.known }]).weight).to.be.at.least(weight);
      }),
      { seed: 7, numRuns: 300 },
    );
  });

  it("takes an evaluator out of the draw that fails golden items, though it agrees with the others", () => {
    expect([isQualified(record), isQualified(calibrated(record, readings(8, 2)))]).to.deep.equal([true, true]);
    expect(isQualified(calibrated(record, readings(30, 12)))).to.equal(false);
    expect(calibrated(record, readings(8, 2))).to.deep.include({ canaries: 28, canaries_passed: 27, deviation: 4 });
  });
});

describe("calibrated weights among several evaluators", () => {
  const of = (values: readonly (number | boolean)[], weights?: readonly number[]) =>
    consensus(
      values.map((accuracy) => ({ accuracy })),
      weights,
    );

  it("decide between two numbers that are near, and never outvote heads", () => {
    expect(of([88, 92]).measured).to.deep.equal({ accuracy: 88 });
    expect(of([88, 92], [100, 133]).measured).to.deep.equal({ accuracy: 92 });
    expect(of([80, 80, 92], [100, 100, 133]).measured).to.deep.equal({ accuracy: 80 });
    expect(of([80, 80, 80, 92, 92, 92, 92], [133, 133, 133, 100, 100, 100, 100]).measured).to.deep.equal({ accuracy: 92 });
  });

  it("break no tie of truths: that stays disputed", () => {
    expect(of([true, false], [133, 100])).to.deep.equal({ measured: { accuracy: false }, disputed: ["accuracy"] });
    expect(of([true, true, false], [100, 100, 133])).to.deep.equal({ measured: { accuracy: true }, disputed: [] });
  });
});
