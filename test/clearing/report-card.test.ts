/** Report cards: the record of a model over all verifiers built on it, and what a new one inherits. */
import { expect } from "chai";
import {
  deployment,
  hashOf,
  InvalidPassportCard,
  InvalidReportCard,
  isPassportCardSigned,
  isReportCardSigned,
  NO_RECORD,
  newPassport,
  type Passport,
  passportCard,
  passportCardSchema,
  priorWeight,
  reportCard,
  reportCardSchema,
  type TrackRecord,
  weightsFrom,
  weightsOverCards,
} from "../../orchestrator/clearing/index.ts";
import { castOf } from "../../scripts/clearing/cast.ts";

const { signers, registry } = castOf("cards", {
  engine: { principal: "clearing-house", role: "engine" },
  v1: { principal: "mesh-1", role: "semantic" },
});
const world = deployment(registry);
const passport = (subject: string, record: Partial<TrackRecord>, flagged = false): Passport => ({
  ...newPassport(subject),
  record: { ...NO_RECORD, ...record },
  flagged,
});
const GOOD = [
  passport("a", { agreed: 30, disagreed: 2, audits: 6 }),
  passport("b", { agreed: 10, disagreed: 1, audits: 3, mismatches: 1 }),
];
const POOR = [passport("c", { agreed: 4, disagreed: 16 }, true)];
const NOW = 1_800_000_000n;
const DAY = 86_400n;
const CARDS = [reportCard("good-model", GOOD, signers.engine, NOW), reportCard("poor-model", POOR, signers.engine, NOW)];
const modelOf = (verifier: string) => (verifier.endsWith("good") ? "good-model" : verifier.endsWith("poor") ? "poor-model" : undefined);
const MONTH = { from: NOW - 30n * DAY, until: NOW };
const weights = (passports: readonly Passport[] = [], cards = CARDS, period = MONTH) =>
  weightsOverCards(passports, cards, modelOf, world, period);

describe("a report card", () => {
  it("is the sum of its verifiers' records, signed by an engine", () => {
    const [card] = CARDS;
    expect(card?.record).to.deep.equal({ agreed: 40, disagreed: 3, audits: 9, mismatches: 1 });
    expect(card?.verifiers).to.deep.equal(["a", "b"]);
    expect(reportCard("good-model", [...GOOD, ...GOOD], signers.engine, NOW), "handed in twice").to.deep.equal(card);
    expect(reportCardSchema.parse(JSON.parse(JSON.stringify(card)))).to.deep.equal(card);
    expect(card !== undefined && isReportCardSigned(card, world)).to.equal(true);
    for (const forged of [
      { ...CARDS[1], record: { ...NO_RECORD, agreed: 99 } },
      { ...CARDS[1], as_of: "2027-01-16T08:00:00Z" },
      reportCard("poor-model", GOOD, signers.v1, NOW),
    ])
      expect(isReportCardSigned(reportCardSchema.parse(forged), world)).to.equal(false);
  });

  it("is what a verifier begins with that is built on the model, in place of an even prior", () => {
    expect(["new good", "new poor", "of no model"].map(weights())).to.deep.equal([9074, 2272, 5000]);
    expect(["new good", "new poor"].map(weights([], [reportCard("good-model", GOOD, signers.v1, NOW)])), "no engine's").to.deep.equal([
      5000, 5000,
    ]);
  });

  it("is chosen by its date, not by whoever hands it in", () => {
    const dated = (record: Partial<TrackRecord>, now: bigint) => reportCard("good-model", [passport("a", record)], signers.engine, now);
    const better = dated({ agreed: 98 }, NOW - 40n * DAY);
    const recent = dated({ agreed: 50, disagreed: 48 }, NOW - DAY);
    const newest = dated({ agreed: 50, disagreed: 98 }, NOW);
    const rated = (...cards: ReturnType<typeof dated>[]) => weights([], cards)("new good");
    expect([rated(recent), rated(newest)]).to.deep.equal([5100, 3400]);
    for (const handedIn of [
      [newest, recent],
      [recent, newest, better],
      [better, newest],
    ])
      expect(rated(...handedIn)).to.equal(3400);
    expect(rated(better), "too old by itself").to.equal(5000);
    expect(weights([], [better], { from: NOW - 40n * DAY, until: NOW })("new good"), "the reader names the bound").to.equal(9900);
    const undated = { ...newest, as_of: "yesterday" };
    expect(rated(undated, newest), "not a time, and signed by nobody").to.equal(3400);
    const ahead = dated({ agreed: 98 }, NOW + 1n);
    expect([rated(ahead), rated(ahead, newest)], "of tomorrow").to.deep.equal([5000, 3400]);
    const twin = dated({ agreed: 98 }, NOW);
    for (const handedIn of [
      [twin, newest],
      [newest, twin],
    ])
      expect(rated(...handedIn), "of one time the worse").to.equal(3400);
  });

  it("is of a named model and at least one verifier", () => {
    for (const [model, passports] of [
      ["good-model", []],
      ["", GOOD],
    ] as const)
      expect(() => reportCard(model, passports, signers.engine, NOW)).to.throw(InvalidReportCard, "There is no report card of");
  });

  it("is outweighed by a record of its own, and frees nobody who is flagged", () => {
    const own = [passport("able poor", { agreed: 20 }), passport("unable good", { disagreed: 20 }), passport("flagged good", {}, true)];
    const [able = 0, unable = 0, flagged] = own.map(({ subject }) => weights(own)(subject));
    expect(able > 9000 && unable < 1000 && flagged === 0, String([able, unable, flagged])).to.equal(true);
    // Without cards it is what passports alone come to.
    for (const { subject } of own) expect(weights(own, [])(subject)).to.equal(weightsFrom(own)(subject));
  });
});

describe("the card of a passport", () => {
  const own: Passport = {
    ...passport("a", { agreed: 30, disagreed: 2 }),
    fields: { cleared_obligations: 2, forge_up_attempts: -1 },
    history: [hashOf({ n: 1 }), hashOf({ n: 2 })].map((each) => ({ source_clearing_decision: each, delta_id: each })),
  };
  const card = passportCard(own, MONTH, signers.engine);

  it("says what the passport says, for a period, without the decisions that it counts", () => {
    expect(card).to.deep.include({ subject: "a", fields: own.fields, record: own.record, flagged: false, counted: 2 });
    expect([card.passport_digest, card.period]).to.deep.equal([
      hashOf(own),
      { from: "2026-12-16T08:00:00Z", until: "2027-01-15T08:00:00Z" },
    ]);
    expect(passportCardSchema.parse(JSON.parse(JSON.stringify(card)))).to.deep.equal(card);
    expect(weightsFrom([card])("a"), "it weighs what the passport weighs").to.equal(priorWeight(own));
    expect(() => passportCard(own, { from: NOW, until: NOW - 1n }, signers.engine)).to.throw(InvalidPassportCard, "ends before it begins");
  });

  it("is an engine's", () => {
    expect(isPassportCardSigned(card, world)).to.equal(true);
    for (const forged of [
      { ...card, flagged: true },
      { ...card, period: { ...card.period, until: "2027-02-15T08:00:00Z" } },
      passportCard(own, MONTH, signers.v1),
    ])
      expect(isPassportCardSigned(passportCardSchema.parse(forged), world)).to.equal(false);
  });
});
