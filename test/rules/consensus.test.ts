import { expect } from "chai";
import fc from "fast-check";
import { agreeOnItems, answerAgreement, jaccardAgreement, type SlotAnswers, withinTolerance } from "../../orchestrator/rules/consensus.ts";

const slot = (number: number, values: Record<string, string | number>): SlotAnswers => ({
  slot: number,
  answers: Object.entries(values).map(([id, value]) => ({ id, value })),
});
const two = { atLeastBps: 8_500, quorum: 2 };

describe("rules/consensus", () => {
  it("takes the majority's label and lists where executors differ", () => {
    const result = answerAgreement(
      [slot(0, { a: "MIT", b: "ISC", c: "MIT" }), slot(1, { a: "MIT", b: "ISC", c: "GPL" }), slot(2, { a: "MIT", b: "BSD", c: "MIT" })],
      { atLeastBps: 6_600, quorum: 2 },
    );
    expect(result.reached).to.equal(true);
    expect(result.pairs.map(({ shareBps }) => shareBps)).to.deep.equal([6_666, 6_666, 3_333]);
    expect(result.slots).to.deep.equal([0, 1]);
    expect(result.dissenters).to.deep.equal([2]);
    expect(result.merged).to.deep.equal([
      { id: "a", value: "MIT" },
      { id: "b", value: "ISC" },
      { id: "c", value: "MIT" },
    ]);
    expect(result.disagreements.map(({ id, chosen }) => [id, chosen])).to.deep.equal([
      ["b", "ISC"],
      ["c", "MIT"],
    ]);
    expect(result.disagreements[0]?.answers).to.deep.equal([
      { slot: 0, value: "ISC" },
      { slot: 1, value: "ISC" },
      { slot: 2, value: "BSD" },
    ]);
  });

  it("is reached exactly at the threshold, not one answer below it", () => {
    const ids = Array.from({ length: 20 }, (_, index) => `i${index}`);
    const of = (wrong: number) => Object.fromEntries(ids.map((id, index) => [id, index < wrong ? "y" : "x"]));
    expect(answerAgreement([slot(0, of(0)), slot(1, of(3))], two).reached).to.equal(true);
    expect(answerAgreement([slot(0, of(0)), slot(1, of(4))], two).reached).to.equal(false);
  });

  it("counts an answer that one executor lacks as a disagreement", () => {
    const result = answerAgreement([slot(0, { a: "x", b: "x" }), slot(1, { a: "x" })], two);
    expect(result.reached).to.equal(false);
    expect(result.pairs[0]?.shareBps).to.equal(5_000);
    expect(result.disagreements).to.deep.equal([
      {
        id: "b",
        chosen: "x",
        answers: [
          { slot: 0, value: "x" },
          { slot: 1, value: undefined },
        ],
      },
    ]);
  });

  it("does not let an executor answer twice for one id", () => {
    const twice: SlotAnswers = {
      slot: 1,
      answers: [
        { id: "a", value: "no" },
        { id: "a", value: "yes" },
      ],
    };
    expect(answerAgreement([slot(0, { a: "yes" }), twice], two).reached).to.equal(false);
  });

  it("agrees when there was nothing to answer", () => {
    expect(answerAgreement([slot(0, {}), slot(1, {})], two)).to.include({ reached: true });
  });

  it("compares numbers by their spread around the mean, and takes the median", () => {
    const result = answerAgreement([slot(0, { a: 100, b: 10 }), slot(1, { a: 104, b: 10 }), slot(2, { a: 150, b: 30 })], two, 5);
    expect(result.slots).to.deep.equal([0, 1]);
    expect(result.merged).to.deep.equal([
      { id: "a", value: 100 },
      { id: "b", value: 10 },
    ]);
    expect(withinTolerance([95, 105], 5)).to.equal(true);
    expect(withinTolerance([94.9, 105.1], 5)).to.equal(false);
    expect(withinTolerance([Number.NaN, 1], 5)).to.equal(false);
  });

  it("compares all estimates at once by their standard deviation when asked to", () => {
    const item = (value: number | string, id = "a") => ({ id, value });
    const outputs = [
      { slot: 0, items: [item(95), item("x", "b")] },
      { slot: 1, items: [item(100), item("x", "b")] },
      { slot: 2, items: [item(107), item("x", "b")] },
    ];
    const spread = agreeOnItems(outputs, { on: "value", as: "spread" }, two);
    // 95 and 107 are further from each other than two may be, but the three lie within 5 % of 100.7.
    expect(spread).to.deep.include({ reached: true, slots: [0, 1, 2], dissenters: [] });
    expect(spread.items).to.deep.equal([item(100), item("x", "b")]);
    expect(agreeOnItems(outputs, { on: "value" }, two).slots).to.deep.equal([0, 1]);
    const wide = outputs.map((output, index) => ({ ...output, items: [item([91, 100, 112][index] ?? 0), item("x", "b")] }));
    expect(agreeOnItems(wide, { on: "value", as: "spread" }, two)).to.deep.include({ slots: [0, 1], dissenters: [2] });
    expect(agreeOnItems(wide, { on: "value", as: "spread" }, { atLeastBps: 5_000, quorum: 2 }).slots).to.deep.equal([0, 1, 2]);
    expect(agreeOnItems(wide, { on: "value", as: "spread", tolerance: 9 }, two).slots, "a law may allow more").to.deep.equal([0, 1, 2]);
    expect(agreeOnItems(outputs, { on: "value", tolerance: 2 }, two).reached, "or less").to.equal(false);
  });

  it("compares sets by Jaccard similarity at the constitution's 85 %", () => {
    const members = Array.from({ length: 17 }, (_, index) => `m${index}`);
    const more = [...members, "x", "y", "z"];
    expect(
      jaccardAgreement(
        [
          { slot: 0, members },
          { slot: 1, members: more },
        ],
        two,
      ),
    ).to.include({ reached: true });
    expect(
      jaccardAgreement(
        [
          { slot: 0, members },
          { slot: 1, members: [...more, "w"] },
        ],
        two,
      ),
    ).to.include({ reached: false });
  });

  it("compares lists and objects of all items as one set, and takes the output closest to the others", () => {
    const entities = (...names: string[]) => ({ names, dates: ["2026-03-08"] });
    const slots: { slot: number; items: { id: string; entities?: object; by?: number }[] }[] = [
      {
        slot: 0,
        items: [
          { id: "p", entities: entities("Ada", "Bo", "Cleo"), by: 0 },
          { id: "q", entities: {}, by: 0 },
        ],
      },
      {
        slot: 1,
        items: [
          { id: "q", by: 1 },
          { id: "p", entities: entities("Cleo", "Bo", "Ada", "Ada"), by: 1 },
        ],
      },
      { slot: 2, items: [{ id: "p", entities: entities("Ada", "Bo", "Dan"), by: 2 }] },
    ];
    const result = agreeOnItems(slots, { on: "entities", as: "sets" }, two);
    expect(result.pairs.map(({ shareBps }) => shareBps)).to.deep.equal([10_000, 6_000, 6_000]);
    expect(result).to.deep.include({ reached: true, slots: [0, 1], dissenters: [2], items: slots[0]?.items });
    expect(result.disagreements).to.deep.equal([
      {
        id: "p",
        chosen: "dates: 2026-03-08 · names: Ada · names: Bo · names: Cleo",
        answers: [
          { slot: 0, value: "dates: 2026-03-08 · names: Ada · names: Bo · names: Cleo" },
          { slot: 1, value: "dates: 2026-03-08 · names: Ada · names: Bo · names: Cleo" },
          { slot: 2, value: "dates: 2026-03-08 · names: Ada · names: Bo · names: Dan" },
        ],
      },
      {
        id: "q",
        chosen: "",
        answers: [
          { slot: 0, value: "" },
          { slot: 1, value: "" },
          { slot: 2, value: undefined },
        ],
      },
    ]);
    // The same entity of another item is another member; no answer at all agrees with nobody who has one.
    const other = { slot: 1, items: [{ id: "q", entities: entities("Ada", "Bo", "Cleo") }] };
    expect(agreeOnItems([slots[0]!, other], { on: "entities", as: "sets" }, two).pairs[0]?.shareBps).to.equal(0);
    expect(agreeOnItems([slots[0]!, { slot: 1, items: [] }], { on: "entities", as: "sets" }, two).reached).to.equal(false);
  });

  it("merges outputs item by item and compares whole items where the field is absent", () => {
    const a = [
      { id: "p", label: "MIT", note: "first" },
      { id: "q", size: 1 },
    ];
    const b = [
      { id: "q", size: 1 },
      { id: "p", label: "MIT", note: "second" },
    ];
    const c = [
      { id: "p", label: "GPL", note: "third" },
      { id: "q", size: 2 },
    ];
    const outputs = [
      { slot: 2, items: c },
      { slot: 0, items: a },
      { slot: 1, items: b },
    ];
    const result = agreeOnItems<{ id: string }>(outputs, { on: "label" }, two);
    expect(result.slots).to.deep.equal([0, 1]);
    expect(result.items).to.deep.equal(a);
  });

  it("does not depend on the order in which executors or answers arrive", () => {
    const answers = fc.uniqueArray(fc.record({ id: fc.constantFrom("a", "b", "c", "d"), value: fc.constantFrom("x", "y", "z") }), {
      selector: ({ id }) => id,
    });
    fc.assert(
      fc.property(fc.array(answers, { minLength: 2, maxLength: 5 }), fc.nat(), (all, turn) => {
        const outputs = all.map((given, index) => ({ slot: index, answers: given }));
        const turned = outputs.map(({ slot: number, answers: given }) => ({ slot: number, answers: given.toReversed() }));
        const shuffled = [...turned.slice(turn % turned.length), ...turned.slice(0, turn % turned.length)];
        expect(answerAgreement(shuffled, two)).to.deep.equal(answerAgreement(outputs, two));
      }),
      { seed: 41, numRuns: 300 },
    );
  });

  it("never counts a slot as agreeing that differs from another agreeing one by more than the threshold", () => {
    const answers = fc.array(fc.constantFrom("x", "y"), { minLength: 6, maxLength: 6 });
    fc.assert(
      fc.property(fc.array(answers, { minLength: 2, maxLength: 5 }), (all) => {
        const outputs = all.map((given, index) => slot(index, Object.fromEntries(given.map((value, item) => [`i${item}`, value]))));
        const result = answerAgreement(outputs, two);
        for (const { a, b, shareBps } of result.pairs) {
          if (result.slots.includes(a) && result.slots.includes(b)) expect(shareBps).to.be.at.least(8_500);
        }
        expect([...result.slots, ...result.dissenters].sort()).to.deep.equal(outputs.map(({ slot: number }) => number));
      }),
      { seed: 42, numRuns: 300 },
    );
  });
});
