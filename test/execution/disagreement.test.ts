import { expect } from "chai";
import { judgeConsensus } from "../../orchestrator/clearing/judgement.ts";
import { disagreementOf } from "../../orchestrator/execution/disagreement.ts";
import { evidenceKinds } from "../../orchestrator/protocol/evidence.ts";

const outputOf = (by: string, values: Record<string, string | number>) => ({
  by,
  output: { items: Object.entries(values).map(([id, value]) => ({ id, estimate: value })) },
});
const TERMS = { on: "estimate", atLeastBps: 6_000, threshold: 2 };

describe("execution/disagreement", () => {
  it("names field, share reached, share needed, and every item with who said what", () => {
    const outputs = [
      outputOf("pert", { bath: 100, hall: 10, roof: 50 }),
      outputOf("triangle", { bath: 140, hall: 20, roof: 51 }),
      outputOf("median", { bath: 200, hall: 30 }),
    ];
    expect(disagreementOf(outputs, TERMS)).to.deep.equal({
      field: "estimate",
      share: 3_333,
      needed: 6_000,
      compared: 3,
      items: [
        { id: "bath", answers: [100, 140, 200].map((value, index) => ({ by: ["pert", "triangle", "median"][index], value })) },
        { id: "hall", answers: [10, 20, 30].map((value, index) => ({ by: ["pert", "triangle", "median"][index], value })) },
        { id: "roof", answers: [50, 51, null].map((value, index) => ({ by: ["pert", "triangle", "median"][index], value })) },
      ],
    });
  });

  it("takes numbers within the panel's tolerance for the same, and tells of two that are not though a third is near both", () => {
    const near = [outputOf("a", { x: 100 }), outputOf("b", { x: 109 })];
    expect(disagreementOf(near, TERMS)).to.include({ share: 10_000, compared: 1 });
    expect(disagreementOf(near, TERMS).items).to.deep.equal([]);
    const chain = disagreementOf([...near, outputOf("c", { x: 118 })], { ...TERMS, threshold: 3 });
    expect(chain.items.map(({ id }) => id)).to.deep.equal(["x"]);
    expect(chain.share).to.equal(0);
  });

  it("tells of a spread what all reach at once, as the panel measures it, and not two by two", () => {
    const outputs = [outputOf("a", { x: 94.9 }), outputOf("b", { x: 100 }), outputOf("c", { x: 105.1 })];
    expect(disagreementOf(outputs, { ...TERMS, threshold: 3 })).to.include({ share: 0 });
    const spread = disagreementOf(outputs, { ...TERMS, threshold: 3, as: "spread" });
    expect(spread).to.include({ share: 10_000 });
    expect(spread.items.map(({ id }) => id)).to.deep.equal(["x"]);
  });

  it("reaches a share exactly where the panel passes, whatever the executors say", () => {
    const words = [
      [{ a: "x", b: "x", c: "x" }, { a: "x", b: "x", c: "y" }, { a: "z" }],
      [
        { a: "x", b: "y" },
        { a: "x", b: "z" },
        { a: "q", b: "y" },
      ],
      [{ a: 1 }, { a: "1" }],
      [{}, {}],
    ];
    for (const said of words) {
      const outputs = said.map((values, slot) => outputOf(`s${slot}`, values));
      const submissions = outputs.map(({ output }, slot) => {
        const outputHash = `0x${String(slot + 1).repeat(64)}` as const;
        return {
          slot,
          outputHash,
          handed: outputHash,
          output,
          exhibits: [{ slot, index: 0, kind: evidenceKinds.RECEIPT, payload: outputHash }],
        };
      });
      const { share } = disagreementOf(outputs, TERMS);
      expect(share >= TERMS.atLeastBps, JSON.stringify(said)).to.equal(judgeConsensus(submissions, TERMS).result === "PASS");
    }
  });

  it("has nothing to compare when fewer revealed than must agree, and compares whole items that lack the field", () => {
    expect(disagreementOf([outputOf("a", { x: 1 })], TERMS).share).to.equal(0);
    const whole = (by: string, note: string) => ({ by, output: { items: [{ id: "x", note }] } });
    const { items } = disagreementOf([whole("a", "yes"), whole("b", "no")], TERMS);
    expect(items[0]?.answers.map(({ value }) => value)).to.deep.equal(['{"id":"x","note":"yes"}', '{"id":"x","note":"no"}']);
  });
});
