/** Breakers as a fold: each player who would open one for somebody else, or keep one open. */
import { expect } from "chai";
import {
  type Attempt,
  BREAKER_LIMITS,
  BREAKERS,
  type BreakerOutcome,
  breakerName,
  EXITS,
  openBreakers,
  type PartyIdentity,
  readAgreement,
  requireClosed,
  stoppedBy,
} from "../../orchestrator/agreements/index.ts";
import { identityOf, people, proposing } from "./acts.ts";

const NOW = 1_800_000_000;
const DAY = 86_400;
const terms = readAgreement(proposing().document);
const nameOf = (identity: PartyIdentity) => breakerName(identity);
const [client, provider, evaluator, stranger] = [
  nameOf(identityOf(people.client)),
  nameOf(identityOf(people.provider)),
  nameOf(identityOf(people.evaluator)),
  "w3c_did:did:key:stranger",
];
const attempt = (begins: Attempt["begins"] = "agreement", by: Attempt["by"] = "client"): Attempt => ({
  ...{ begins, by, terms },
  judges: [{ identity: identityOf(people.evaluator) }, { identity: identityOf(people.backup) }],
});
const stops = (outcomes: readonly BreakerOutcome[], tried = attempt(), now = NOW) => stoppedBy(openBreakers(outcomes, now), tried)?.breaker;
const times = (count: number, outcome: (place: number) => BreakerOutcome) => Array.from({ length: count }, (_, place) => outcome(place));

describe("breakers of agreements", () => {
  const silent = (before: readonly string[], at = NOW - 100): BreakerOutcome => ({ what: "silent", at, evaluator, before });

  it("keep a silent evaluator from those whom it left waiting three times, until it judges or a day has passed", () => {
    const thrice = times(3, (place) => silent([client, stranger], NOW - 300 + place));
    expect(stops(thrice.slice(1))).to.equal(undefined);
    expect(stops(thrice)).to.equal("silence");
    expect(stops(thrice, attempt("funding")), "money of what was signed before").to.equal(undefined);
    expect(stops([...thrice, { what: "judged", at: NOW - 1, evaluator, before: [client] }])).to.equal(undefined);
    expect(stops([...thrice, { what: "judged", at: NOW - 1, evaluator, before: ["another"] }]), "for another").to.equal("silence");
    expect(stops(thrice, attempt(), NOW + DAY)).to.equal(undefined);
    // The first silence after that shuts it again.
    expect(stops([...thrice, silent([client], NOW + DAY)], attempt(), NOW + DAY + 1)).to.equal("silence");
  });

  it("are not opened against an evaluator by strangers who name it to each other", () => {
    expect(stops(times(50, () => silent([stranger, "another stranger"])))).to.equal(undefined);
  });

  it("keep out who fails its canaries, and nobody for one failure", () => {
    const canary = (passed: boolean, at = NOW - 1): BreakerOutcome => ({ what: "canary", at, evaluator, passed });
    expect(stops([canary(false)])).to.equal(undefined);
    expect(stops([...times(9, () => canary(true)), canary(false)]), "nine of ten").to.equal(undefined);
    const failing = [...times(8, () => canary(true)), canary(false), canary(false)];
    expect(stops(failing)).to.equal("canaries");
    expect(stops(failing, attempt(), NOW + BREAKER_LIMITS.canaryWindow)).to.equal(undefined);
    expect(stops([...failing, ...times(10, () => canary(true))])).to.equal(undefined);
  });

  it("count a party's own proposals and disputes, and none that others make about it", () => {
    const { proposals, disputes } = BREAKER_LIMITS;
    expect(stops(times(proposals, () => ({ what: "proposed", at: NOW - 10, client: stranger })))).to.equal(undefined);
    const own = times(proposals, (place) => ({ what: "proposed" as const, at: NOW - 3_000 + place, client }));
    expect(stops(own)).to.equal("rate");
    expect(stops(own, attempt("agreement", "provider")), "whom it proposed to may sign").to.equal(undefined);
    expect(stops(own, attempt(), NOW - 3_000 + 3_600), "with the hour").to.equal(undefined);
    const filed = (by: string, isOpen: boolean) => times(disputes, () => ({ what: "disputed" as const, at: NOW - DAY, by, isOpen }));
    expect(stops(filed(provider, true)), "those that the other filed").to.equal(undefined);
    expect(stops(filed(provider, true), attempt("agreement", "provider"))).to.equal("disputes");
    expect(stops(filed(client, false)), "ruled on").to.equal(undefined);
  });

  it("keep a client from what its evaluators charge, in one agreement and in an hour", () => {
    const charged = (agreement: string, dollars: number, whose = client): BreakerOutcome => ({
      ...{ what: "charged", at: NOW - 60, agreement, dollars },
      client: whose,
    });
    expect(stops([charged("one", 25), charged("one", 25)])).to.equal(undefined);
    expect(stops([charged("one", 25), charged("one", 26)], attempt("funding"))).to.equal("spend");
    expect(stops(times(4, (place) => charged(`${place}`, 50)))).to.equal(undefined);
    expect(stops(times(5, (place) => charged(`${place}`, 50)))).to.equal("spend");
    expect(stops(times(5, (place) => charged(`${place}`, 50, provider))), "another's").to.equal(undefined);
    expect(stops([charged("one", 51)], attempt(), NOW + 3_600)).to.equal(undefined);
  });

  it("put no money into an escrow while payments are lost, and let agreements without it go on", () => {
    const lost = (count: number) => times(count, () => ({ what: "unknown" as const, at: NOW }));
    expect(stops(lost(2), attempt("funding"))).to.equal(undefined);
    expect(stops(lost(3), attempt("funding"))).to.equal("rail");
    expect(stops(lost(3))).to.equal(undefined);
  });

  it("stop everybody's beginnings by an adjudicator's word, until its second or the next word", () => {
    const stopped: BreakerOutcome = { what: "stopped", at: NOW - 5, by: "0xa", until: NOW + 10 };
    expect(() => requireClosed(openBreakers([stopped], NOW), attempt()))
      .to.throw()
      .with.property("refusal", "BreakerOpen");
    expect(stops([stopped], attempt("funding"))).to.equal("stop");
    expect(stops([stopped, { what: "resumed", at: NOW, by: "0xb" }])).to.equal(undefined);
    expect(stops([stopped], attempt(), NOW + 10)).to.equal(undefined);
  });

  it("have a row each, and no row stops an exit", () => {
    expect(new Set(BREAKERS.map(({ breaker }) => breaker)).size).to.equal(BREAKERS.length);
    const beginnings = BREAKERS.flatMap((each) => each.stops);
    for (const exit of EXITS) expect(beginnings).not.to.include(exit);
  });
});
