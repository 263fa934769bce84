import { expect } from "chai";
import { INVARIANTS, titleOf } from "./invariants.ts";
import { type Findings, walk } from "./walk.ts";

const SEEDS = [0, 1, 2, 3, 4, 5, 6, 7];
const STEPS = 120;
/** Mutants are about one invariant each: a walk that looks for it may stop when it is found. */
const SOUGHT = process.env["INVARIANT"] === undefined ? undefined : Number(process.env["INVARIANT"]);
/** Who tries mutants has a limit of its own, and other work on the machine. */
const LIMIT_MS = process.env["UNHURRIED"] === undefined ? 300_000 : 3_000_000;

describe("any calls of anybody, in any order", () => {
  let findings: Findings;

  before(async function () {
    this.timeout(LIMIT_MS);
    findings = await walk(SEEDS, STEPS, SOUGHT);
  });

  it("leaves nothing unexplained: every refusal has a name, every event its cause", () => {
    expect(findings.oddities).to.deep.equal([]);
  });

  for (const invariant of INVARIANTS) {
    it(titleOf(invariant), () => {
      expect(findings.broken.get(invariant.number) ?? []).to.deep.equal([]);
      expect(findings.trials.get(invariant.number) ?? 0, "times put to the test").to.be.at.least(1);
    });
  }
});
