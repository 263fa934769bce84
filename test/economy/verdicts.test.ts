import { expect } from "chai";
import { compareOthers, judge } from "../../orchestrator/economy/hypotheses.ts";
import { type GovernanceSummary, type RunSummary, TOKENS_A_GAS } from "../../orchestrator/economy/metrics.ts";
import type { Configuration } from "../../orchestrator/economy/parameters.ts";
import { randomStream } from "../../orchestrator/primitives/random.ts";

/** Of a governed run, what the verdicts below look at; anything else that is asked for fails the test. */
function governed(known: Partial<GovernanceSummary>): GovernanceSummary {
  return new Proxy(known as GovernanceSummary, { get: (all, name) => Reflect.get(all, name) ?? null });
}

function run(configuration: Configuration, agents: number, seed: number, known: Partial<RunSummary>): RunSummary {
  return { configuration, agents, seed, variant: "as written", gorFirst: 0, gorLast: 0, ...known } as RunSummary;
}

const verdictOf = (runs: readonly RunSummary[], id: string, agents = 200) =>
  judge(runs, 2, agents, randomStream(7)).find((finding) => finding.id === id);

describe("a hypothesis", () => {
  it("on rules that were changed is told of both readings, more than three and at least three", () => {
    const runs = [3, 4, 4, 3].map((rec, seed) => run("full", 200, seed, { governance: governed({ rec }) }));
    const found = verdictOf(runs, "H2a");
    expect(found?.because).to.contain("2 of 4 seeds above 3, 4 of 4 at least 3");
    expect(found?.verdict).to.equal("inconclusive");
  });

  it("on the break-even is supported only where all of its interval lies between 20 and 50 agents", () => {
    const scales = [10, 20, 30, 40, 50, 100];
    /** Cost is ten tokens; a seed's benefit begins at a scale of its own. */
    const campaign = (begins: readonly number[]) =>
      scales.flatMap((agents) =>
        begins.flatMap((from, seed) => [
          run("baseline", agents, seed, { failures: agents >= from ? 2 : 0, worth: 10 }),
          run("full", agents, seed, { failures: 0, worth: 10, governance: governed({ gas: 10 / TOKENS_A_GAS }) }),
        ]),
      );
    const agreed = verdictOf(campaign([30, 30, 30]), "H4c");
    expect([agreed?.verdict, agreed?.mean, agreed?.interval]).to.deep.equal(["supported", 30, { low: 30, high: 30 }]);
    const spread = verdictOf(campaign([20, 40, 100]), "H4c");
    expect(spread?.verdict, "one seed in three pays from a hundred on").to.equal("inconclusive");
    const never = verdictOf(campaign([1000, 1000, 1000]), "H4c");
    expect([never?.verdict, never?.because]).to.deep.equal(["falsified", "B does not exceed G at any scale"]);
  });

  it("on confidence that holds needs as many seeds as a decline would need to show", () => {
    const held = (seeds: number) =>
      verdictOf(
        Array.from({ length: seeds }, (_, seed) => run("full", 200, seed, { governance: governed({ ict: 0 }) })),
        "H3e",
      )?.verdict;
    // Experiment 2 corrects for twelve comparisons: 1/256 is below 0.05/12, 1/128 is not.
    expect([1, 7, 8].map(held)).to.deep.equal(["inconclusive", "inconclusive", "supported"]);
  });

  it("has supplementary pairs beside the planned ones, corrected alike", () => {
    const runs = (["baseline", "full"] as const).flatMap((configuration) =>
      Array.from({ length: 10 }, (_, seed) =>
        run(configuration, 200, seed, { csr: seed / 100 + (configuration === "full" ? 0.5 : 0), dr: 0 }),
      ),
    );
    const [csr, dr] = compareOthers(runs, 200).filter(({ from, to }) => from === "baseline" && to === "full");
    expect(csr).to.include({ measured: true, w: 0, significant: true });
    expect(csr?.corrected, "six times 2/1024").to.equal(12 / 1024);
    expect(dr).to.include({ significant: false });
    expect(compareOthers(runs, 200).filter(({ measured }) => !measured)).to.have.length(4);
  });
});
