import { expect } from "chai";
import { type RandomStream, randomStream } from "../../../orchestrator/primitives/random.ts";
import {
  addFreeze,
  dismissFreeze,
  escalationThreshold,
  escalationWindow,
  type FreezeLog,
  recentFreezes,
  totalFreezes,
} from "../../../orchestrator/rules/escalation.ts";
import { RuleError } from "../../../orchestrator/rules/rule-error.ts";
import { sweep } from "../../support/sweep.ts";
import { batches, DIFFERENTIAL_TIMEOUT, harnessOf } from "../harness.ts";

const CASES = sweep(10_000);
const EMPTY: FreezeLog = [0n, 0n, 0n];
const HORIZON = 1000;

interface Case {
  base: bigint;
  bonus: bigint;
  rho: bigint;
  cleared: bigint;
  since: bigint;
  log: FreezeLog;
  times: bigint[];
  dismissed: bigint[];
}

const filled = (log: FreezeLog, times: readonly bigint[]): FreezeLog => times.reduce(addFreeze, log);

function caseOf(random: RandomStream): Case {
  const some = (most: number) => Array.from({ length: random.int(most) }, () => BigInt(random.int(HORIZON)));
  const log = filled(EMPTY, some(random.int(10) === 0 ? 300 : 30));
  const times = some(10);
  const total = totalFreezes(filled(log, times));
  const kept = Array.from({ length: Number(total < 23n ? total : 23n) }, (_, k) => total - 1n - BigInt(k));
  return {
    base: BigInt(2 + random.int(9)),
    bonus: BigInt(random.int(8)),
    rho: BigInt(random.int(1001)),
    cleared: BigInt(random.int(40)),
    since: BigInt(random.int(HORIZON)),
    log,
    times,
    dismissed: kept.filter(() => random.int(4) === 0),
  };
}

describe("the escalation of freezes", function () {
  this.timeout(DIFFERENTIAL_TIMEOUT);
  const harness = harnessOf("EscalationHarness");

  it("agrees with its twin", async () => {
    const random = randomStream(7, "escalation");
    const cases = Array.from({ length: CASES }, () => caseOf(random));
    for (const batch of batches(cases, 250)) {
      const expected = batch.map((c) => {
        // A log whose freezes were dismissed one by one, as the contract does it.
        const log = c.dismissed.reduce(dismissFreeze, filled(c.log, c.times));
        return {
          threshold: escalationThreshold(c.base, c.bonus, c.rho),
          window: escalationWindow(c.base, c.cleared),
          recent: recentFreezes(log, c.since),
          log: [...log],
        };
      });
      expect(await harness.call("play", batch)).to.deep.equal(expected);
    }
  });

  it("counts what a list of times would", () => {
    const random = randomStream(7, "escalation against a list");
    for (let round = 0; round < 500; round++) {
      const times = Array.from({ length: random.int(60) }, () => BigInt(random.int(HORIZON)));
      const since = BigInt(random.int(HORIZON));
      const listed = times.slice(-23).filter((time) => time >= since).length;
      expect(recentFreezes(filled(EMPTY, times), since)).to.equal(BigInt(listed));
    }
  });

  it("has the paper's thresholds: 3 at no reputation, 4 at half, 6 at all of it", () => {
    expect([0n, 500n, 900n, 1000n].map((rho) => escalationThreshold(3n, 3n, rho))).to.deep.equal([3n, 4n, 5n, 6n]);
    expect([0n, 1n, 2n].map((cleared) => escalationWindow(1200n, cleared))).to.deep.equal([1200n, 2400n, 4800n]);
  });

  it("knows the last 23 freezes, each classified once", async () => {
    const log = filled(
      EMPTY,
      Array.from({ length: 30 }, (_, k) => BigInt(k)),
    );
    const base = { base: 3n, bonus: 3n, rho: 0n, cleared: 0n, since: 0n, log, times: [] };
    for (const [dismissed, code, values] of [
      [[30n], "UnknownFreeze", [30n, 30n]],
      [[6n], "UnknownFreeze", [6n, 30n]],
      [[7n, 7n], "AlreadyClassified", [7n]],
    ] as const) {
      expect(await harness.refusal("play", [{ ...base, dismissed }])).to.deep.equal({ code, values });
      expect(() => dismissed.reduce(dismissFreeze, log))
        .to.throw(RuleError)
        .that.includes({ code });
    }
  });
});
