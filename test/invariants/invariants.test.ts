import { expect } from "chai";
import { sweep } from "../support/sweep.ts";
import { INVARIANTS, titleOf } from "./invariants.ts";
import { type Findings, walk } from "./walk.ts";

const SEEDS = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];
const STEPS = 120;
const told = (name: string): number | undefined => (process.env[name] === undefined ? undefined : Number(process.env[name]));
/** Mutants are about one invariant each: a walk that looks for it stops when it is found, and goes first where it was found before. */
const SOUGHT = told("INVARIANT");
const FIRST = told("SEED");
const WALKS = SOUGHT === undefined ? SEEDS.slice(0, sweep(SEEDS.length, 4)) : SEEDS;
/** Who tries mutants has a limit of its own, and other work on the machine. */
const LIMIT_MS = process.env["UNHURRIED"] === undefined ? 300_000 : 3_000_000;

describe("any calls of anybody, in any order", () => {
  let findings: Findings;

  before(async function () {
    this.timeout(LIMIT_MS);
    findings = await walk(FIRST === undefined ? WALKS : [FIRST, ...SEEDS.filter((seed) => seed !== FIRST)], STEPS, SOUGHT);
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
