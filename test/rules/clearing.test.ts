import { expect } from "chai";
import { randomStream } from "../../orchestrator/primitives/random.ts";
import {
  classAt,
  EvidenceClass,
  geq,
  itemsOf,
  join,
  meet,
  meetOver,
  packClasses,
  REFUTATION,
  REFUTED,
} from "../../orchestrator/rules/admissibility.ts";
import {
  ClearingResult,
  type ClearingTerms,
  decide,
  Question,
  survives,
  temper,
  VerdictResult,
  type WeighedVerdict,
  weightOf,
} from "../../orchestrator/rules/clearing.ts";
import { clearingCase } from "../contracts/libraries/clearing-cases.ts";

const { SELF, SIGN, WIT, REC, ATT, PROOF } = EvidenceClass;
const CLASSES = [SELF, SIGN, WIT, REC, ATT, PROOF] as const;
const TRIPLES = CLASSES.flatMap((a) => CLASSES.flatMap((b) => CLASSES.map((c) => [a, b, c] as const)));

/** One slot with an ATT, a REC and a SELF item; performance asked; REC floor. */
const terms: ClearingTerms = {
  classWords: [packClasses([ATT, REC, SELF, WIT])],
  floor: REC,
  questions: 1,
  minConfidence: 6000,
  slots: 1,
  drawn: 0,
  seats: 0,
};
const pass: WeighedVerdict = {
  question: Question.PERFORMANCE,
  result: VerdictResult.PASS,
  weight: 500,
  confidence: 9000,
  score: 8000,
  basis: 0b1n,
  agreeing: 1,
};
const fail = { ...pass, result: VerdictResult.FAIL };

describe("a refutation", () => {
  const against = { ...fail, basis: REFUTED };
  const refuted = { ...terms, classWords: [packClasses([SELF]) | (BigInt(REC) << BigInt(3 * REFUTATION))] };

  it("is what a FAIL may rest on, unless something was shown: then the verdict is sure of neither side", () => {
    const result = (shown: boolean) => decide([temper(against, { shown })], { ...refuted, drawn: 500 }).result;
    expect([result(false), result(true)]).to.deep.equal([ClearingResult.FAIL, ClearingResult.DISPUTED]);
    expect(temper(fail, { shown: true })).to.equal(fail);
  });

  it("is nothing that praise could rest on, alone or beside an item", () => {
    for (const basis of [REFUTED, REFUTED | 1n])
      for (const shown of [false, true]) {
        const praise = temper({ ...pass, basis }, { shown });
        expect(decide([praise], refuted).result).to.equal(ClearingResult.UNVERIFIABLE);
      }
  });
});

describe("Admissibility", () => {
  it("is the order of RAILS 5.1", () => {
    expect([geq(WIT, REC), geq(REC, WIT)]).to.deep.equal([false, false]);
    expect([meet(WIT, REC), join(WIT, REC)]).to.deep.equal([SIGN, ATT]);
    for (const c of CLASSES) expect([geq(PROOF, c), geq(c, SELF), geq(c, c)]).to.deep.equal([true, true, true]);
    expect(geq(ATT, WIT) && geq(ATT, REC) && geq(WIT, SIGN) && geq(REC, SIGN)).to.be.true;
  });

  it("is a lattice: meet and join commute, associate, absorb and agree with the order", () => {
    for (const [a, b, c] of TRIPLES) {
      expect(meet(a, b)).to.equal(meet(b, a));
      expect(join(a, b)).to.equal(join(b, a));
      expect(meet(a, meet(b, c))).to.equal(meet(meet(a, b), c));
      expect(join(a, join(b, c))).to.equal(join(join(a, b), c));
      expect(meet(a, join(a, b))).to.equal(a);
      expect(geq(a, b)).to.equal(meet(a, b) === b);
      if (geq(a, b) && geq(b, c)) expect(geq(a, c)).to.be.true;
    }
  });

  it("makes 'the meet is ⪰ the floor' and 'every item is' one rule (decisions 21)", () => {
    for (const [a, b, floor] of TRIPLES) expect(geq(meet(a, b), floor)).to.equal(geq(a, floor) && geq(b, floor));
  });

  it("rests an empty basis, and one beyond the slots, on nothing", () => {
    const words = [packClasses([PROOF, PROOF])];
    expect(meetOver(0n, words)).to.equal(SELF);
    expect(meetOver(1n << 32n, words)).to.equal(SELF);
    expect(meetOver(0b11n, words)).to.equal(PROOF);
    expect(itemsOf(0b1001n)).to.deep.equal([0, 3]);
  });

  it("takes a code without a class for a self-report", () => {
    expect([classAt(6n, 0), classAt(7n << 93n, 31)]).to.deep.equal([SELF, SELF]);
  });
});

describe("Clearing", () => {
  const results = (verdicts: WeighedVerdict[], t: ClearingTerms = terms) => decide(verdicts, t).result;

  it("passes on the weight of survivors, averages confidence by weight where no panel was drawn and takes the lower median of scores", () => {
    const decision = decide(
      [pass, { ...pass, weight: 1000, confidence: 6000, score: 5000, basis: 0b10n }, { ...fail, weight: 200 }],
      terms,
    );
    expect(decision).to.deep.equal({ result: ClearingResult.PASS, confidence: 7000, score: 5000, class: ATT, basis: 0b11n, agreeing: 1 });
  });

  it("fails by weight, not by heads", () => {
    expect(results([pass, pass, { ...fail, weight: 1001 }])).to.equal(ClearingResult.FAIL);
  });

  it("gives a basis with one item below the floor no weight at all", () => {
    expect(survives({ ...pass, basis: 0b101n }, terms)).to.be.false;
    expect(survives({ ...pass, basis: 0b11n }, terms)).to.be.true;
    // ATT and WIT together: WIT does not satisfy a REC floor.
    expect(survives({ ...pass, basis: 0b1001n }, terms)).to.be.false;
    expect(results([{ ...fail, weight: 60_000, basis: 0b101n }, pass])).to.equal(ClearingResult.PASS);
  });

  it("never promotes: WIT and REC survivors under a SIGN floor join to ATT in the report only", () => {
    const low = { ...terms, floor: SIGN };
    const decision = decide(
      [
        { ...pass, basis: 0b10n },
        { ...pass, basis: 0b1000n },
      ],
      low,
    );
    expect(decision.class).to.equal(ATT);
    expect(survives({ ...pass, basis: 0b1010n }, terms)).to.be.false;
  });

  it("takes no survivors for unverifiable, whatever the floor", () => {
    for (const floor of CLASSES) {
      expect(results([{ ...pass, basis: 0n }], { ...terms, floor })).to.equal(ClearingResult.UNVERIFIABLE);
      expect(results([{ ...pass, result: VerdictResult.ABSTAIN }], { ...terms, floor })).to.equal(ClearingResult.UNVERIFIABLE);
    }
    expect(results([])).to.equal(ClearingResult.UNVERIFIABLE);
    expect(results([pass], { ...terms, questions: 0 })).to.equal(ClearingResult.UNVERIFIABLE);
    expect(results([pass], { ...terms, questions: 0b10 })).to.equal(ClearingResult.UNVERIFIABLE);
  });

  it("lets a side decide only with more than half of what was drawn, absent or abstaining members included", () => {
    const of = (drawn: number) => decide([pass, pass, fail], { ...terms, drawn }).result;
    expect([of(0), of(1999), of(2000), of(2500)]).to.deep.equal([
      ClearingResult.PASS,
      ClearingResult.PASS,
      ClearingResult.DISPUTED,
      ClearingResult.DISPUTED,
    ]);
    expect(decide([], { ...terms, drawn: 2500 }).result).to.equal(ClearingResult.UNVERIFIABLE);
  });

  it("lets a side decide only with more than half of the heads as well, and finds agreement so", () => {
    const heavy = { ...pass, weight: 60_000 };
    const of = (...verdicts: WeighedVerdict[]) => decide(verdicts, { ...terms, drawn: 61_000, seats: 3 });
    expect(of(heavy, fail, fail).result).to.equal(ClearingResult.DISPUTED);
    expect(of({ ...heavy, result: VerdictResult.FAIL }, pass, pass).result).to.equal(ClearingResult.DISPUTED);
    expect(of(heavy).result).to.equal(ClearingResult.DISPUTED);
    expect(of(heavy, pass)).to.deep.include({ result: ClearingResult.PASS, agreeing: 1 });
    expect(of(heavy, { ...pass, agreeing: 0 })).to.deep.include({ result: ClearingResult.PASS, agreeing: 0 });
  });

  it("takes the score that half of the passing weight does not exceed", () => {
    const scored = (...scores: [number, number][]) =>
      decide(
        scores.map(([score, weight]) => ({ ...pass, score, weight })),
        terms,
      ).score;
    expect(scored([9000, 1], [0, 1], [8000, 1])).to.equal(8000);
    expect(scored([9000, 1], [7000, 1])).to.equal(7000);
    expect(scored([9000, 3], [7000, 1], [0, 1])).to.equal(9000);
    expect(scored([9000, 1], [0, 1], [8000, 1], [7000, 1])).to.equal(7000);
    expect(decide([pass, pass, { ...pass, confidence: 5999, score: 0, agreeing: 0 }], terms)).to.deep.include({ score: 8000, agreeing: 1 });
  });

  it("disputes a tie, and hears who is unsure without counting it for either side", () => {
    expect(results([pass, fail])).to.equal(ClearingResult.DISPUTED);
    expect(decide([{ ...pass, confidence: 5999 }], terms)).to.deep.include({
      result: ClearingResult.DISPUTED,
      confidence: 0,
      score: 0,
      agreeing: 0,
    });
    expect(results([pass, pass, { ...fail, confidence: 5999 }])).to.equal(ClearingResult.PASS);
    expect(results([pass, { ...pass, confidence: 0 }], { ...terms, drawn: 1000 })).to.equal(ClearingResult.DISPUTED);
    expect(results([{ ...fail, confidence: 5999 }])).to.equal(ClearingResult.DISPUTED);
    expect(results([{ ...pass, confidence: 6000 }])).to.equal(ClearingResult.PASS);
  });

  it("ignores verdicts beyond their scales", () => {
    expect(results([{ ...pass, confidence: 10_001 }])).to.equal(ClearingResult.UNVERIFIABLE);
    expect(results([{ ...pass, score: 10_001 }])).to.equal(ClearingResult.UNVERIFIABLE);
  });

  it("lets questions decide in the order FAIL, UNVERIFIABLE, DISPUTED, PASS", () => {
    const both = { ...terms, questions: 0b11 };
    const policy = (v: WeighedVerdict) => ({ ...v, question: Question.POLICY });
    expect(results([pass, policy(pass)], both)).to.equal(ClearingResult.PASS);
    expect(results([pass, policy(fail)], both)).to.equal(ClearingResult.FAIL);
    expect(results([policy(fail)], both)).to.equal(ClearingResult.FAIL);
    expect(results([pass], both)).to.equal(ClearingResult.UNVERIFIABLE);
    expect(results([pass, fail], both)).to.equal(ClearingResult.UNVERIFIABLE);
    expect(results([pass, policy(pass), policy(fail)], both)).to.equal(ClearingResult.DISPUTED);
    expect(decide([pass, policy({ ...pass, confidence: 7000 })], both).confidence).to.equal(7000);
    expect(decide([fail, policy({ ...fail, confidence: 7000 })], both).confidence).to.equal(9000);
  });

  it("finds the slots that more than half of what was drawn agrees on, whoever is heard", () => {
    const three = { ...terms, slots: 3, drawn: 1500 };
    const votes = [
      { ...pass, agreeing: 0b011 },
      { ...pass, agreeing: 0b111 },
      { ...pass, agreeing: 0b001 },
    ];
    expect(decide(votes, three).agreeing).to.equal(0b011);
    expect(decide(votes.slice(0, 2), { ...three, drawn: 1000 }).agreeing).to.equal(0b011);
  });

  it("never decides PASS or FAIL on an item below the floor: 20,000 random decisions, checked item by item", () => {
    const random = randomStream(7, "floor");
    for (let k = 0; k < 20_000; k += 1) {
      const c = clearingCase(random);
      const { result, basis } = decide(c.verdicts, c);
      if (result !== ClearingResult.PASS && result !== ClearingResult.FAIL) continue;
      const items = itemsOf(basis);
      expect(items.length).to.be.greaterThan(0);
      for (const bit of items) expect(geq(classAt(c.classWords[Math.floor(bit / 32)]!, bit % 32), c.floor)).to.be.true;
    }
  });

  it("never lets a stronger item weaken the weight behind a verdict", () => {
    const random = randomStream(7, "monotone");
    const weight = (c: ClearingTerms, verdicts: readonly WeighedVerdict[]) =>
      verdicts.filter((v) => survives(v, c)).reduce((sum, v) => sum + v.weight, 0);
    for (let k = 0; k < 5000; k += 1) {
      const c = clearingCase(random);
      const [slot, item] = [random.int(c.slots), random.int(32)];
      const classWords = c.classWords.map((word, s) => {
        if (s !== slot) return word;
        const stronger = join(classAt(word, item), random.pick(CLASSES));
        return (word & ~(7n << BigInt(3 * item))) | (BigInt(stronger) << BigInt(3 * item));
      });
      expect(weight({ ...c, classWords }, c.verdicts)).to.be.at.least(weight(c, c.verdicts));
    }
  });

  it("keeps a decision and its confidence when items are proven better (RAILS 5.3)", () => {
    const random = randomStream(7, "confidence");
    const decided: ClearingResult[] = [ClearingResult.PASS, ClearingResult.FAIL];
    let lifted = 0;
    for (let k = 0; k < 20_000; k += 1) {
      const given = clearingCase(random);
      const c = { ...given, drawn: Math.max(...[0, 1].map((question) => weightOf(given.verdicts.filter((v) => v.question === question)))) };
      const before = decide(c.verdicts, c);
      if (!decided.includes(before.result)) continue;
      const proven = packClasses(Array.from({ length: 32 }, () => PROOF));
      const slot = random.int(c.slots);
      const classWords = c.classWords.map((word, s) => (s === slot ? proven : word));
      const after = decide(c.verdicts, { ...c, classWords });
      expect(after.result, `case ${k}`).to.equal(before.result);
      expect(after.confidence, `case ${k}`).to.be.at.least(before.confidence);
      if (after.confidence > before.confidence) lifted += 1;
    }
    expect(lifted).to.be.greaterThan(3);
  });

  it("gives a doubter who is admitted to a drawn panel what it adds, and takes nothing of what the others said", () => {
    const doubter = { ...pass, confidence: 6000, basis: 0b100n };
    const raised = { ...terms, classWords: [packClasses([ATT, REC, ATT, WIT])] };
    const confidences = (drawn: number) => [terms, raised].map((t) => decide([pass, pass, doubter], { ...t, drawn }).confidence);
    expect(confidences(1500)).to.deep.equal([6000, 8000]);
    // Of the weight that answered, as A.4.2 has it, the doubter lowers it.
    expect(confidences(0)).to.deep.equal([9000, 8000]);
  });
});
