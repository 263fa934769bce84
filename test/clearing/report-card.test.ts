/** Report cards: the record of a model over all verifiers built on it, and what a new one inherits. */
import { expect } from "chai";
import {
  deployment,
  isReportCardSigned,
  NO_RECORD,
  newPassport,
  type Passport,
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
const CARDS = [reportCard("good-model", GOOD, signers.engine), reportCard("poor-model", POOR, signers.engine)];
const modelOf = (verifier: string) => (verifier.endsWith("good") ? "good-model" : verifier.endsWith("poor") ? "poor-model" : undefined);
const weights = (passports: readonly Passport[] = [], cards = CARDS) => weightsOverCards(passports, cards, modelOf, world);

describe("a report card", () => {
  it("is the sum of its verifiers' records, signed by an engine", () => {
    const [card] = CARDS;
    expect(card?.record).to.deep.equal({ agreed: 40, disagreed: 3, audits: 9, mismatches: 1 });
    expect(card?.verifiers).to.deep.equal(["a", "b"]);
    expect(reportCard("good-model", [...GOOD, ...GOOD], signers.engine), "handed in twice").to.deep.equal(card);
    expect(reportCardSchema.parse(JSON.parse(JSON.stringify(card)))).to.deep.equal(card);
    expect(card !== undefined && isReportCardSigned(card, world)).to.equal(true);
    for (const forged of [{ ...CARDS[1], record: { ...NO_RECORD, agreed: 99 } }, reportCard("poor-model", GOOD, signers.v1)])
      expect(isReportCardSigned(reportCardSchema.parse(forged), world)).to.equal(false);
  });

  it("is what a verifier begins with that is built on the model, in place of an even prior", () => {
    expect(["new good", "new poor", "of no model"].map(weights())).to.deep.equal([9074, 2272, 5000]);
    expect(["new good", "new poor"].map(weights([], [reportCard("good-model", GOOD, signers.v1)])), "no engine's").to.deep.equal([
      5000, 5000,
    ]);
  });

  it("is outweighed by a record of its own, and frees nobody who is flagged", () => {
    const own = [passport("able poor", { agreed: 20 }), passport("unable good", { disagreed: 20 }), passport("flagged good", {}, true)];
    const [able = 0, unable = 0, flagged] = own.map(({ subject }) => weights(own)(subject));
    expect(able > 9000 && unable < 1000 && flagged === 0, String([able, unable, flagged])).to.equal(true);
    // Without cards it is what passports alone come to.
    for (const { subject } of own) expect(weights(own, [])(subject)).to.equal(weightsFrom(own)(subject));
  });
});
