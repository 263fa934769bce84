import { expect } from "chai";
import fc from "fast-check";
import { mean } from "simple-statistics";
import { krippendorff } from "../../orchestrator/economy/statistics/agreement.ts";
import { bootstrap, cohensD, effectiveSeeds, gini, spearman } from "../../orchestrator/economy/statistics/description.ts";
import { akaikeWeights, fitCurve, powerLaw, SHAPES, SHAPES_OF_BENEFIT } from "../../orchestrator/economy/statistics/fits.ts";
import { binomialAtLeast, criticalHits, midRanks, signedRank } from "../../orchestrator/economy/statistics/significance.ts";
import { randomStream } from "../../orchestrator/primitives/random.ts";
import { near } from "../support/near.ts";

describe("statistics", () => {
  it("signed ranks: Darwin's maize, as SciPy documents it, and Hollander and Wolfe's depression data, as R does", () => {
    const maize = [6, 8, 14, 16, 23, 24, 28, 29, 41, -48, 49, 56, 60, -67, 75];
    const found = signedRank(maize);
    expect(found).to.include({ pairs: 15, positive: 96, negative: 24 });
    expect(found.twoSided).to.be.within(...near(0.041259765625, 1e-12));
    expect(found.greater).to.be.within(...near(0.0206298828125, 1e-12));
    const before = [1.83, 0.5, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.3];
    const after = [0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29];
    const depression = signedRank(before.map((value, at) => value - (after[at] ?? 0)));
    expect(depression.positive).to.equal(40);
    expect(depression.greater).to.be.within(...near(0.01953, 0.000005));
  });

  it("signed ranks: the same as counting every way to place the signs, ties included", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -4, max: 4 }), { minLength: 1, maxLength: 9 }), (differences) => {
        const all = differences.filter((difference) => difference !== 0);
        const ranks = midRanks(all.map(Math.abs));
        const sum = (signs: number) => ranks.reduce((whole, rank, at) => (signs & (1 << at) ? whole + rank : whole), 0);
        const observed = ranks.reduce((whole, rank, at) => ((all[at] ?? 0) > 0 ? whole + rank : whole), 0);
        const ways = Array.from({ length: 2 ** all.length }, (_, signs) => sum(signs));
        const share = ways.filter((way) => way >= observed - 1e-9).length / ways.length;
        expect(signedRank(differences).greater).to.be.within(...near(share, 1e-12));
      }),
      { seed: 7, numRuns: 200 },
    );
  });

  it("ten pairs of one sign are the least p there is: 1/1024, 2/1024 on two sides", () => {
    const ten = signedRank([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(ten.greater).to.equal(1 / 1024);
    expect(ten.twoSided).to.equal(2 / 1024);
    expect(signedRank([0, 0])).to.deep.equal({ pairs: 0, positive: 0, negative: 0, greater: 1, twoSided: 1 });
  });

  it("binomial: unsafe cars, as SciPy documents it", () => {
    expect(binomialAtLeast(3, 15, 0.1)).to.be.within(...near(0.18406106910639114, 1e-12));
  });

  it("binomial: what ten, twenty and thirty seeds can show of detection", () => {
    const alpha = 0.05 / 6;
    expect([10, 20, 30].map((seeds) => criticalHits(seeds, 0.5, alpha))).to.deep.equal([10, 16, 22]);
    const power = (seeds: number, rate: number) => binomialAtLeast(criticalHits(seeds, 0.5, alpha) ?? seeds + 1, seeds, rate);
    expect(power(10, 0.9)).to.be.within(...near(0.35, 0.005));
    expect(power(10, 0.8)).to.be.within(...near(0.11, 0.005));
    expect(power(20, 0.9)).to.be.within(...near(0.96, 0.005));
    expect(power(20, 0.8)).to.be.within(...near(0.63, 0.005));
    expect(binomialAtLeast(9, 10, 0.5)).to.be.within(...near(11 / 1024, 1e-12));
    expect(binomialAtLeast(0, 10, 0.5)).to.be.within(...near(1, 1e-12));
  });

  it("Gini, Spearman and Cohen's d of numbers that can be reckoned by hand", () => {
    expect(gini([1, 2, 3, 4, 5])).to.be.within(...near(4 / 15, 1e-12));
    expect(gini([0, 0, 0, 10])).to.be.within(...near(0.75, 1e-12));
    expect([gini([7, 7, 7]), gini([0, 0])]).to.deep.equal([0, 0]);
    expect(spearman([1, 2, 3, 4], [10, 20, 30, 25])).to.be.within(...near(0.8, 1e-12));
    // Means 3 and 5, both of standard deviation √2.5.
    expect(cohensD([1, 2, 3, 4, 5], [3, 4, 5, 6, 7])).to.be.within(...near(2 / Math.sqrt(2.5), 1e-12));
  });

  it("bootstrap: seeded, and about two standard errors wide", () => {
    const sample = Array.from({ length: 50 }, (_, at) => at);
    const interval = () => bootstrap(sample, (values) => mean([...values]), randomStream(7), { resamples: 2000 });
    const { low, high } = interval();
    expect(interval()).to.deep.equal({ low, high });
    const error = Math.sqrt((50 ** 2 - 1) / 12 / 50);
    expect(low).to.be.within(...near(24.5 - 1.96 * error, 0.5));
    expect(high).to.be.within(...near(24.5 + 1.96 * error, 0.5));
  });

  it("bootstrap: the standard error of Efron and Tibshirani's seven treated mice, which they give as 23.36", () => {
    const mice = [94, 197, 16, 38, 99, 141, 23];
    const { low, high } = bootstrap(mice, (values) => mean([...values]), randomStream(7), { level: 0.6827 });
    expect((high - low) / 2).to.be.within(...near(23.36, 0.7));
  });

  it("fits: each shape finds its own curve again, and Akaike prefers it", () => {
    const xs = [10, 20, 30, 50, 100, 200, 500, 750, 1000];
    const noise = randomStream(7, "noise");
    const curves = {
      constant: () => 4,
      linear: (x: number) => 3 + 2 * x,
      logarithmic: (x: number) => 5 + 40 * Math.log(x),
      "square root": (x: number) => 7 + 30 * Math.sqrt(x),
      power: (x: number) => 0.5 * x ** 1.3,
      quadratic: (x: number) => 300 - x + 0.02 * x * x,
    } as const;
    for (const shape of SHAPES) {
      const points = xs.map((x) => ({ x, y: curves[shape](x) * (1 + 0.002 * (noise.next() - 0.5)) }));
      const fits = SHAPES.map((one) => fitCurve(one, points));
      const weights = akaikeWeights(fits.map(({ aic }) => aic));
      const best = SHAPES[weights.indexOf(Math.max(...weights))];
      expect(best, shape).to.equal(shape);
      for (const { x, y } of points) expect(fitCurve(shape, points).at(x)).to.be.within(...near(y, 0.01 * Math.abs(y)));
    }
    const law = powerLaw(xs.map((x) => ({ x, y: 0.5 * x ** 1.3 })));
    expect(law.exponent).to.be.within(...near(1.3, 1e-9));
    expect(law.factor).to.be.within(...near(0.5, 1e-9));
  });

  it("fits: an S over the logarithm is found among the curves of a benefit", () => {
    const points = [10, 20, 40, 80, 160, 320, 640, 1280].map((x) => ({ x, y: 50 / (1 + Math.exp(-2 * (Math.log(x) - 4.6))) }));
    const fits = SHAPES_OF_BENEFIT.map((shape) => fitCurve(shape, points)).sort((one, other) => one.aic - other.aic);
    expect(fits[0]?.shape).to.equal("logistic");
    for (const { x, y } of points) expect(fits[0]?.at(x)).to.be.within(...near(y, 0.5));
  });

  it("Akaike's weights: Burnham and Anderson's models of the heat of cement, from their residuals' variance", () => {
    // Thirteen mixtures; parameters with the variance, and the variance, of models {12}, {124}, {123}, {14}, {134}, {234} and {1234}.
    const models = [
      [4, 4.45],
      [5, 3.69],
      [5, 3.7],
      [4, 5.75],
      [5, 3.91],
      [5, 5.68],
      [6, 3.68],
    ] as const;
    const corrected = models.map(([k, variance]) => 13 * Math.log(variance) + 2 * k + (2 * k * (k + 1)) / (13 - k - 1));
    const weights = akaikeWeights(corrected);
    for (const [at, weight] of [0.567, 0.119, 0.117, 0.107, 0.081, 0.007, 0.003].entries())
      expect(weights[at]).to.be.within(...near(weight, 0.0015));
    // A line through points whose residuals are known has that criterion.
    const points = [1, 2, 3, 4, 5, 6, 7, 8].map((x) => ({ x, y: 2 * x + (x % 2 === 0 ? 1 : -1) }));
    const { rss, aic } = fitCurve("linear", points);
    expect(aic).to.be.within(...near(8 * Math.log(rss / 8) + 2 * 3 + (2 * 3 * 4) / 4, 1e-9));
  });

  it("Akaike's weights: differences of 0, 2 and 4", () => {
    const weights = akaikeWeights([100, 102, 104]);
    for (const [at, weight] of [0.665, 0.245, 0.09].entries()) expect(weights[at]).to.be.within(...near(weight, 0.0005));
    expect(akaikeWeights([Number.POSITIVE_INFINITY, 1])).to.deep.equal([0, 1]);
  });

  it("effective seeds: equal runs count once", () => {
    expect(
      effectiveSeeds([
        [1, 2],
        [1, 2],
        [1, 3],
      ]),
    ).to.equal(2);
  });

  it("agreement: Krippendorff's own examples of nominal data, with two raters and with four and answers missing", () => {
    const units = (raters: readonly string[]) =>
      Array.from({ length: raters[0]?.length ?? 0 }, (_, unit) =>
        raters.map((answers) => answers[unit] ?? ".").filter((one) => one !== "."),
      );
    expect(krippendorff(units(["0100000010", "1110010000"]))).to.be.within(...near(0.095, 0.0005));
    const four = units(["123321412...", "1233224125.3", ".3332342251.", "12332441251."]);
    expect(krippendorff(four)).to.be.within(...near(0.743, 0.0005));
    expect(krippendorff(units(["0011", "0011"]))).to.equal(1);
    expect(krippendorff(units(["0000", "0000"])), "one answer alone says nothing").to.be.NaN;
  });
});
