import { expect } from "chai";
import { INVARIANTS, titleOf } from "../invariants/invariants.ts";
import { type Findings, walk } from "../invariants/walk.ts";

const SEEDS = Array.from({ length: 40 }, (_, index) => 100 + index);
const STEPS = 400;

describe("any calls of anybody, in any order, for long", () => {
  let findings: Findings;

  before(async function () {
    this.timeout(3_600_000);
    findings = await walk(SEEDS, STEPS);
  });

  it("leaves nothing unexplained: every refusal has a name, every event its cause", () => {
    expect(findings.oddities).to.deep.equal([]);
  });

  for (const invariant of INVARIANTS) {
    it(titleOf(invariant), () => {
      expect(findings.broken.get(invariant.number) ?? []).to.deep.equal([]);
      expect(findings.trials.get(invariant.number) ?? 0, "times put to the test").to.be.at.least(10);
    });
  }
});
