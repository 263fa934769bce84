// @long
import { expect } from "chai";
import { parseFoundingFile } from "../../deploy/founding-file.ts";
import { largestValue, MODERATE, NotDeterrable, production, productionStakes, StakeOutsideRange } from "../../deploy/production-preset.ts";
import { PROTOTYPE, parameter, parameterFaults, parameterIndex } from "../../orchestrator/protocol/parameters.ts";
import { foundingFile } from "../../scripts/deterrence/founding-file.ts";
import { agrees, figures } from "../../scripts/deterrence/printed.ts";
import { runCli } from "../support/cli.ts";
import { thrown } from "../support/rejection.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";

/** What the paper prints and its own formulas do not give. */
const DIFFERENT = [
  ["AgentCity 4", ["power of H2h at CDR 0.90, percent", "power of H2h at CDR 0.80, percent"]],
  ["Table 12", ["least detection, type 2"]],
  ["Table 15", ["P_eff, π₀ = 0.5, scale 500", "its change from scale 500, percent"]],
  ["EQ-4", ["deterred profit of 150 units, units"]],
  [
    "Table 16",
    [
      "MEDIUM, three times",
      "HIGH, three times",
      "bribery, prototype at 100 units a seat, dollars",
      "bribery, production",
      "bribery, three times",
      "adjudicator, prototype, units",
    ],
  ],
  ["EQ-11, a month", ["a unit in them, dollars"]],
  ["AgentCity B.8", ["adversarial failures a round", "pool after 72 rounds, an agent"]],
  [
    "Table S1",
    [
      ...[200, 500, 800].map((rho) => `fee 0.01, value 100000, ρ = ${rho}`),
      "fee 0.02, value 10000, ρ = 500",
      ...[200, 500, 800].map((rho) => `fee 0.02, value 100000, ρ = ${rho}`),
      ...[200, 500, 800].map((rho) => `fee 0.03, value 100000, ρ = ${rho}`),
    ],
  ],
] as const;

describe("the paper's figures on deterrence", function () {
  this.timeout(120_000);
  const directory = suiteDirectory();
  const all = figures();

  for (const where of new Set(all.map((figure) => figure.where)))
    it(`${where}: each follows to the printed digit, or is known not to`, () => {
      for (const figure of all.filter((one) => one.where === where)) {
        const { what, paper, ours, differs } = figure;
        expect(agrees(figure), `${what}: the paper has ${paper}, the formula gives ${ours}`).to.equal(differs === undefined);
      }
    });

  it("differ where they are known to", () => {
    for (const [where, known] of DIFFERENT) {
      const found = all.filter((figure) => figure.where === where && !agrees(figure)).map(({ what }) => what);
      expect(found, where).to.have.members(known);
    }
    const counted = (where: string) => all.filter((figure) => figure.where === where && !agrees(figure)).length;
    expect(counted("Fairness")).to.equal(4);
    expect(all.every(({ ours }) => Number.isFinite(ours))).to.equal(true);
  });

  it("give a city stakes that it can be founded with", () => {
    // What the paper's own missions are worth (Table 16); at HIGH risk three of five agree.
    const stakes = productionStakes(100_000);
    expect(stakes).to.deep.equal({
      REGISTRATION_STAKE: 10_000n,
      MIN_STAKE_LOW: 28_220n,
      MIN_STAKE_MEDIUM: 94_065n,
      MIN_STAKE_HIGH: 324_293n,
      ADJUDICATOR_STAKE: 14_286n,
    });
    expect(production(100_000)).to.deep.equal({ ...PROTOTYPE, ...stakes });
    const plan = parseFoundingFile(foundingFile(100_000, stakes), "city.yaml", true);
    expect(plan.parameters[parameterIndex("MIN_STAKE_HIGH")]).to.equal(324_293n);
    expect(plan.parameters[parameterIndex("BIDDING_WINDOW")]).to.equal(PROTOTYPE.BIDDING_WINDOW);
  });

  it("are held to the ranges of the constitution: the largest value fits, the next does not", () => {
    const largest = largestValue();
    expect(parameterFaults(production(largest))).to.deep.equal([]);
    const error = thrown(() => productionStakes(largest + 1));
    expect(error).to.be.instanceOf(StakeOutsideRange);
    expect((error as StakeOutsideRange).details).to.contain(`MIN_STAKE_MEDIUM = ${parameter("MIN_STAKE_MEDIUM").max + 1n}`);
    expect(largestValue({ ...MODERATE, executors: 7, agreeing: 4 })).to.be.above(largest);
    expect(productionStakes(1000, { ...MODERATE, executors: 5, agreeing: 3 }), "what a law needs at HIGH risk is assumed").to.include({
      MIN_STAKE_HIGH: productionStakes(1000).MIN_STAKE_HIGH,
    });
    expect(largestValue({ ...MODERATE, margin: 3 })).to.be.below(largest);
    expect(thrown(() => productionStakes(1000, { ...MODERATE, notices: 0 }))).to.be.instanceOf(NotDeterrable);
  });

  it("are printed by a command, as one document with --json", async () => {
    const run = (...args: string[]) => runCli(["deterrence", ...args, "--json"], { home: directory(), cwd: directory() });
    const whole = await run();
    expect(whole.code, whole.stderr).to.equal(0);
    expect(JSON.parse(whole.stdout)).to.include({ differ: all.filter((figure) => !agrees(figure)).length });
    const blind = await run("--vm", "1000", "--p", "0");
    expect(JSON.parse(blind.stdout)).to.include({ deterrable: false });
    const refused = await run("--vm", "10000000", "--preset");
    expect({ code: refused.code, ...JSON.parse(refused.stdout) }).to.deep.include({ code: 1, status: "error" });
    for (const words of [["--k", "2", "--t", "3"], ["--slash", "0"], ["--preset"], ["--vm", "100", "--pi", "0.1", "--pi0", "0.9"]])
      expect((await run(...words)).code, words.join(" ")).to.equal(2);
  });
});
