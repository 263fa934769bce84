import { expect } from "chai";
import { INVARIANTS, titleOf } from "./invariants.ts";
import { type Findings, walk } from "./walk.ts";

const SEEDS = [0, 1, 2, 3, 4, 5, 6, 7];
const STEPS = 120;

describe("any calls of anybody, in any order", () => {
  let findings: Findings;

  before(async function () {
    this.timeout(300_000);
    findings = await walk(SEEDS, STEPS);
  });

  for (const invariant of INVARIANTS) {
    it(titleOf(invariant), () => {
      expect(findings.broken.get(invariant.number) ?? []).to.deep.equal([]);
      expect(findings.trials.get(invariant.number) ?? 0, "times put to the test").to.be.at.least(1);
    });
  }
});
