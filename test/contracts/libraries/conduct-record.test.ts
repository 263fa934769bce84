import { expect } from "chai";
import { type RandomStream, randomStream } from "../../../orchestrator/primitives/random.ts";
import {
  addConduct,
  approvesTooMuch,
  type Conduct,
  type ConductLimits,
  type ConductWarnings,
  judgeConduct,
  keepConduct,
  NOTHING,
  sumConduct,
  warningStands,
  weakensTooMuch,
} from "../../../orchestrator/rules/conduct-record.ts";
import { batches, DIFFERENTIAL_TIMEOUT, harnessOf } from "../harness.ts";

const CASES = 5_000;
const DEFAULTS: ConductLimits = { window: 30n, rate: 95n, consecutive: 20n, weakenings: 3n };

interface Case {
  word: bigint;
  entries: (Conduct & { day: bigint })[];
  kept: bigint;
  done: bigint;
  first: bigint;
  last: bigint;
  run: bigint;
  limits: ConductLimits;
  standing: ConductWarnings;
  approval: boolean;
  weakening: boolean;
  day: bigint;
}

/** Counts near every limit, lanes near full, warnings around the edges of one and two windows. */
function caseOf(random: RandomStream): Case {
  const flip = () => random.int(2) === 1;
  const lanes = Array.from({ length: 8 }, () => {
    const decisions = random.pick([0, random.int(8), 4094 + random.int(2)]);
    const approvals = Math.min(decisions, random.pick([decisions, random.int(decisions + 1)]));
    return BigInt(approvals) | (BigInt(decisions) << 12n) | (BigInt(random.pick([0, random.int(3), 255])) << 24n);
  });
  const kept = random.int(8);
  const word = lanes.reduce((all, lane, day) => (day === kept ? all : all | (lane << BigInt(32 * day))), 0n);
  const first = random.int(8);
  const window = BigInt(7 + random.int(84));
  const day = 20_000n + BigInt(random.int(365));
  const ago = () => random.pick([0n, day - window * random.pick([1n, 2n]) + BigInt(random.int(3) - 1), day - BigInt(random.int(200))]);
  return {
    word,
    entries: Array.from({ length: random.int(6) }, () => ({
      day: BigInt(random.int(16)),
      decided: flip(),
      approved: flip(),
      weakened: flip(),
    })),
    kept: BigInt(kept),
    done: lanes[kept] ?? 0n,
    first: BigInt(first),
    last: BigInt(first + random.int(8 - first)),
    run: BigInt(random.int(60)),
    limits: {
      window,
      rate: BigInt(50 + random.int(51)),
      consecutive: BigInt(5 + random.int(30)),
      weakenings: BigInt(1 + random.int(5)),
    },
    standing: { approval: ago(), weakening: ago() },
    approval: flip(),
    weakening: flip(),
    day,
  };
}

describe("the conduct of adjudicators", function () {
  this.timeout(DIFFERENTIAL_TIMEOUT);
  const harness = harnessOf("ConductRecordHarness");

  it("is judged as its twin judges it", async () => {
    const random = randomStream(7, "conduct");
    const cases = Array.from({ length: CASES }, () => caseOf(random));
    for (const batch of batches(cases, 250)) {
      const expected = batch.map((c) => {
        const word = c.entries.reduce((now, entry) => addConduct(now, entry.day, entry), keepConduct(c.word, c.kept, c.done));
        const tally = sumConduct(NOTHING, word, c.first, c.last);
        const found = judgeConduct(c.standing, c, c.day, c.limits.window);
        const warnings = { approval: Number(found.warnings.approval), weakening: Number(found.warnings.weakening) };
        return {
          word,
          tally,
          approvesTooMuch: approvesTooMuch(tally, c.run, c.limits),
          weakensTooMuch: weakensTooMuch(tally, c.limits),
          finding: { ...found, warnings },
          stands: warningStands(c.standing.approval, c.day, c.limits.window),
        };
      });
      expect(await harness.call("play", batch)).to.deep.equal(expected);
    }
  });

  it("needs twenty decisions for a rate, and more than twenty approvals for a run", () => {
    const of = (approvals: bigint, decisions: bigint) => ({ approvals, decisions, weakenings: 0n });
    expect(approvesTooMuch(of(19n, 19n), 19n, DEFAULTS)).to.equal(false);
    expect(approvesTooMuch(of(20n, 20n), 0n, DEFAULTS)).to.equal(true);
    // 19 of 20 are 95 %, which is not more than 95 %; 20 of 21 are.
    expect(approvesTooMuch(of(19n, 20n), 0n, DEFAULTS)).to.equal(false);
    expect(approvesTooMuch(of(20n, 21n), 0n, DEFAULTS)).to.equal(true);
    expect(approvesTooMuch(of(30n, 60n), 20n, DEFAULTS)).to.equal(false);
    expect(approvesTooMuch(of(30n, 60n), 21n, DEFAULTS)).to.equal(true);
    // Of a long run only what lies in the window counts.
    expect(approvesTooMuch(of(15n, 15n), 400n, DEFAULTS)).to.equal(false);
  });

  it("warns once, freezes on the second family or in the next window, and forgets after two", () => {
    const on = { approval: true, weakening: false };
    const first = judgeConduct({ approval: 0n, weakening: 0n }, on, 100n, 30n);
    expect(first).to.deep.equal({ warnings: { approval: 100n, weakening: 0n }, approval: true, weakening: false, freezes: false });
    expect(judgeConduct(first.warnings, on, 129n, 30n)).to.include({ approval: false, freezes: false });
    expect(judgeConduct(first.warnings, on, 130n, 30n)).to.include({ approval: false, freezes: true });
    expect(judgeConduct(first.warnings, { approval: false, weakening: true }, 159n, 30n)).to.include({ weakening: true, freezes: true });
    expect(judgeConduct(first.warnings, { approval: true, weakening: false }, 160n, 30n)).to.include({ approval: true, freezes: false });
  });
});
