import { expect } from "chai";
import { bytesToHex } from "../../../orchestrator/primitives/hex.ts";
import { randomStream } from "../../../orchestrator/primitives/random.ts";
import { classAt, EvidenceClass, geq, join, meet, meetOver } from "../../../orchestrator/rules/admissibility.ts";
import { ClearingResult, decide } from "../../../orchestrator/rules/clearing.ts";
import { sweep } from "../../support/sweep.ts";
import { batches, DIFFERENTIAL_TIMEOUT, harnessOf } from "../harness.ts";
import { clearingCase } from "./clearing-cases.ts";

describe("Clearing and Admissibility agree with their twins", function () {
  this.timeout(DIFFERENTIAL_TIMEOUT);
  const harness = harnessOf("ClearingHarness");

  it("on geq, meet and join of every pair", async () => {
    const pairs = Array.from({ length: 36 }, (_, k) => [Math.floor(k / 6), k % 6] as [EvidenceClass, EvidenceClass]);
    expect(await harness.call("order")).to.deep.equal([
      pairs.map(([a, b]) => geq(a, b)),
      pairs.map(([a, b]) => meet(a, b)),
      pairs.map(([a, b]) => join(a, b)),
    ]);
  });

  it("on every code of a class word", async () => {
    for (let item = 0; item < 32; item += 1) {
      const word = BigInt(item % 8) << BigInt(3 * item);
      expect(await harness.call("classAt", word, item)).to.equal(classAt(word, item));
    }
  });

  it("on the meet over random bases", async () => {
    const random = randomStream(7, "meet");
    const cases = Array.from({ length: sweep(10_000) }, () => {
      const slots = random.int(6);
      const classWords = Array.from({ length: slots }, () => BigInt(bytesToHex(random.bytes(12))));
      let basis = 0n;
      for (let items = random.int(4); items > 0; items -= 1) basis |= 1n << BigInt(random.int(32 * slots + 2));
      return { basis, classWords };
    });
    for (const batch of batches(cases)) {
      const bases = batch.map(({ basis }) => basis);
      const words = batch.map(({ classWords }) => classWords);
      expect(await harness.call("meetOver", bases, words)).to.deep.equal(batch.map((c) => meetOver(c.basis, c.classWords)));
    }
  });

  it("on whether what an opening claims reaches the floor", async () => {
    const random = randomStream(7, "claims");
    const cases = Array.from({ length: sweep(3000) }, () => {
      const low = random.int(2) === 0;
      const codes = Array.from({ length: 32 }, () => (low ? random.int(3) : random.int(8)));
      return { word: codes.reduce((word, code, item) => word | (BigInt(code) << BigInt(3 * item)), 0n), items: random.int(33) };
    });
    for (const floor of Object.values(EvidenceClass)) {
      const expected = cases.map(
        ({ word, items }) =>
          floor === EvidenceClass.SELF || Array.from({ length: items }, (_, i) => i).some((i) => geq(classAt(word, i), floor)),
      );
      const words = cases.map(({ word }) => word);
      expect(
        await harness.call(
          "reaches",
          words,
          cases.map(({ items }) => items),
          floor,
        ),
        `${floor}`,
      ).to.deep.equal(expected);
    }
  });

  it("on random decisions, of every result", async () => {
    const random = randomStream(7, "clearing");
    const seen = new Map<number, number>();
    const cases = Array.from({ length: sweep(10_000) }, () => clearingCase(random));
    for (const batch of batches(cases)) {
      const expected = batch.map((c) => decide(c.verdicts, c));
      expect(await harness.call("decide", batch)).to.deep.equal(expected);
      for (const { result } of expected) seen.set(result, (seen.get(result) ?? 0) + 1);
    }
    for (const result of [ClearingResult.PASS, ClearingResult.FAIL, ClearingResult.DISPUTED, ClearingResult.UNVERIFIABLE]) {
      expect(seen.get(result) ?? 0, `decisions with result ${result}`).to.be.greaterThan(cases.length / 34);
    }
    expect(seen.has(ClearingResult.NONE)).to.be.false;
  });

  it("on random decisions of drawn panels, whose heads decide some of them", async () => {
    const random = randomStream(7, "heads");
    const cases = Array.from({ length: sweep(5000) }, () => ({ ...clearingCase(random), seats: random.int(6) }));
    let byHeads = 0;
    for (const batch of batches(cases)) {
      const expected = batch.map((c) => decide(c.verdicts, c));
      expect(await harness.call("decide", batch)).to.deep.equal(expected);
      byHeads += batch.filter((c, k) => decide(c.verdicts, { ...c, seats: 0 }).result !== expected[k]?.result).length;
    }
    expect(byHeads).to.be.greaterThan(cases.length / 100);
  });
});
