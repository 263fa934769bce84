import { expect } from "chai";
import { type Calibration, calibrate, calibrationSchema } from "../../../orchestrator/execution/guardian/calibrate.ts";
import { MANIPULATIONS } from "../../../orchestrator/execution/guardian/manipulations.ts";
import { openScorerPair } from "../../../orchestrator/execution/guardian/scorers.ts";
import { correlation, jarqueBera, momentsOf, quantile } from "../../../orchestrator/execution/guardian/statistics.ts";
import type { JsonObject } from "../../../orchestrator/primitives/json.ts";
import { randomStream } from "../../../orchestrator/primitives/random.ts";
import { honestTraces } from "../../../scripts/calibrate/traces.ts";
import { expectNear, expectOrder } from "../../support/fractions.ts";

const ANSCOMBE_X = [10, 8, 13, 9, 11, 14, 6, 4, 12, 7, 5];
const ANSCOMBE_Y = [8.04, 6.95, 7.58, 8.81, 8.33, 9.96, 7.24, 4.26, 10.84, 4.82, 5.68];

describe("execution/guardian/statistics", () => {
  it("has the published correlation and moments of Anscombe's first set", () => {
    expectNear(correlation(ANSCOMBE_X, ANSCOMBE_Y), 0.81642, 5e-6);
    const { mean, deviation } = momentsOf(ANSCOMBE_X);
    expect([mean, deviation ** 2]).to.deep.equal([9, 11]);
  });

  it("has the Jarque–Bera statistic of a discrete uniform sample, worked out on paper", () => {
    const n = 100;
    const kurtosis = (3 / 5) * ((3 * n ** 2 - 7) / (n ** 2 - 1));
    const { statistic, p } = jarqueBera(Array.from({ length: n }, (_, index) => index));
    expectNear(statistic, (n / 24) * (kurtosis - 3) ** 2, 1e-9);
    expectNear(p, 0.0497, 5e-4);
  });

  it("rejects a skewed sample and not a normal one", () => {
    const random = randomStream(7, "normal");
    const normal = Array.from({ length: 400 }, () => Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next()));
    expectOrder(jarqueBera(normal).p, ">", 0.05);
    expectOrder(jarqueBera(normal.map((value) => Math.exp(value))).p, "<", 1e-6);
  });

  it("interpolates quantiles as R's default does", () => {
    const sample = [10, 1, 9, 2, 8, 3, 7, 4, 6, 5];
    expect([0, 0.25, 0.5, 0.9772, 1].map((share) => Number(quantile(sample, share).toFixed(6)))).to.deep.equal([1, 3.25, 5.5, 9.7948, 10]);
  });
});

describe("execution/guardian/manipulations", () => {
  const output: JsonObject = {
    items: [
      { id: "a", label: "MIT", value: 2, text: "a longer text" },
      { id: "b", label: "ISC", value: 3, text: "text" },
      { id: "c", label: "GPL", value: 5, text: "words" },
    ],
  };
  const bend = (name: string, given: JsonObject = output): JsonObject | undefined =>
    MANIPULATIONS.find((each) => each.name === name)!.bend(given, { random: randomStream(7, name), foreign: { items: [] } });
  const column = (name: string, field: string) => (bend(name)!["items"] as JsonObject[]).map((item) => item[field]);

  it("change an output and keep its form and ids", () => {
    for (const { name } of MANIPULATIONS) expect(JSON.stringify(bend(name)), name).to.not.equal(JSON.stringify(output));
    expect(column("half", "id")).to.deep.equal(["a", "c"]);
    expect(column("one", "id")).to.deep.equal(["b", "c"]);
    expect([column("constant", "id"), column("constant", "label")]).to.deep.equal([
      ["a", "b", "c"],
      ["MIT", "MIT", "MIT"],
    ]);
    expect(column("swapped", "id")).to.deep.equal(["a", "b", "c"]);
    expect(column("swapped", "label")).to.have.members(["MIT", "ISC", "GPL"]);
    expect(column("numbers", "value")).to.deep.equal([6, 9, 15]);
    expect(column("flood", "text")[0]).to.equal("a longer text".repeat(50));
    expect(column("prose", "id")).to.deep.equal(["a", "b", "c"]);
  });

  it("do not count where there is nothing to bend", () => {
    expect(bend("numbers", { items: [{ id: "a" }, { id: "b" }] })).to.equal(undefined);
    expect(bend("half", { items: [{ id: "a" }] })).to.equal(undefined);
    expect(bend("injection", { items: [] })).to.equal(undefined);
  });
});

describe("execution/guardian/calibrate", () => {
  const ONLY = ["fetch-and-parse over estimates", "classify over contracts"];
  const TASKS = 12;
  const run = async (threshold: number): Promise<Calibration> =>
    calibrate(await honestTraces("11", TASKS, ONLY), await openScorerPair(["char-ngrams", "word-projection"], {}), {
      threshold,
      seed: "11",
    });
  let usual: Calibration;
  before(async () => {
    usual = await run(200);
  });

  it("says the same again for the same seed, and fits its schema", async () => {
    expect(await run(200)).to.deep.equal(usual);
    expect(calibrationSchema.parse(usual)).to.deep.equal(usual);
    expect(usual.honest).to.equal(ONLY.length * (TASKS - 5));
    expect(usual.traces.map(({ name }) => name)).to.deep.equal(ONLY);
  }).timeout(30_000);

  it("misses more, and accuses less, the higher the threshold; two scorers never accuse more than one", async () => {
    const [low, high] = [await run(100), await run(500)];
    expectOrder(high.falsePositives, "<=", low.falsePositives);
    for (const [index, each] of low.manipulated.entries()) {
      expectOrder(high.manipulated[index]!.missedByBoth, ">=", each.missedByBoth);
      expectOrder(each.missedByBoth, ">=", Math.max(each.missed.first, each.missed.second));
    }
    expectOrder(low.falsePositives, "<=", Math.min(...low.spread.map(({ falsePositives }) => falsePositives)));
    const sum = (of: Calibration) => of.manipulated.reduce((all, { missedByBoth }) => all + missedByBoth, 0);
    expectOrder(sum(high), ">", sum(low));
  }).timeout(30_000);

  it("finds prose in the place of work, and not the same answers in another order", () => {
    const missed = (name: string) => usual.manipulated.find((each) => each.name === name)!.missedByBoth;
    expectOrder(missed("prose"), "<", 0.3);
    expectOrder(missed("swapped"), ">", 0.7);
  });
});
