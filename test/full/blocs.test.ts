import { expect } from "chai";
import { electionOf, findingsIn } from "../support/bloc-study.ts";
import { expectOrder } from "../support/fractions.ts";

/** Rates that docs/blocs.md states for the constitution's thresholds. */
describe("full: a bloc of five among a hundred honest voters", function () {
  this.timeout(1_200_000);

  it("is caught in at least 99 of 100 seeded elections, with at most 1 % of the honest pairs flagged in any", async () => {
    let caughtAll = 0;
    for (let seed = 1; seed <= 100; seed += 1) {
      const { caught, honestPairs } = findingsIn(
        await electionOf({ seed, honest: 100, bloc: 5, candidates: 8, misjudgement: 0.1 }),
        "identical",
      );
      if (caught === 5) caughtAll += 1;
      expectOrder(honestPairs, "<=", 0.01);
    }
    expect(caughtAll).to.be.at.least(99);
  });
});
