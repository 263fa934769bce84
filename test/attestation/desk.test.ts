import { expect } from "chai";
import { AttestationDesk, UnknownClaim } from "../../orchestrator/attestation/desk.ts";
import { LifecycleRefused } from "../../orchestrator/attestation/lifecycle.ts";
import { checkTrail, TrailBroken } from "../../orchestrator/attestation/trail.ts";
import { InvalidValue } from "../../orchestrator/primitives/errors.ts";
import { CLAIMS, DOCUMENTS, depsOver, library, openDesk, START, sent } from "../../scripts/attestation/underwriting.ts";
import { rejection, thrown } from "../support/rejection.ts";

const told = (desk: AttestationDesk) => desk.trail.map(({ event }) => event.action);
const untrue = { ...CLAIMS.citation, source_excerpt: "Tier 2 is free" };

describe("attestation/desk", () => {
  it("leads a claim from its emission to the eyes of a principal, each step on record", async () => {
    const { desk } = openDesk(DOCUMENTS);
    desk.emit(sent(CLAIMS.citation));
    expect(await desk.verify("c-1")).to.include({ status: "verified" });
    expect(desk.show("c-1", "examiner")).to.deep.equal(CLAIMS.citation);
    expect(desk.file("c-1").record).to.deep.include({ status: "verified", shownTo: ["examiner"] });
    expect(told(desk)).to.deep.equal(["emit", "verify", "show"]);
    checkTrail(desk.trail);
  });

  it("refuses what a claim's life has no place for, and records nothing of it", async () => {
    const { desk } = openDesk(DOCUMENTS);
    expect(thrown(() => desk.suppress("c-1"))).to.be.instanceOf(UnknownClaim);
    const { verify_endpoint_hint: _, ...nowhere } = sent(CLAIMS.citation);
    const refusal = thrown(() => desk.emit(JSON.parse(JSON.stringify(nowhere))));
    expect(refusal).to.be.instanceOf(InvalidValue);
    expect(refusal.message).to.include("verify_endpoint_hint");
    expect(desk.trail).to.have.length(0);
    desk.emit(sent(CLAIMS.citation));
    for (const refused of [() => desk.emit(sent(CLAIMS.citation)), () => desk.show("c-1", "examiner"), () => desk.suppress("c-1")])
      expect(thrown(refused)).to.be.instanceOf(LifecycleRefused);
    await desk.verify("c-1");
    expect(thrown(() => desk.suppress("c-1"))).to.be.instanceOf(LifecycleRefused);
    expect(told(desk)).to.deep.equal(["emit", "verify"]);
  });

  it("suppresses what did not hold, and shows it to nobody", async () => {
    const { desk } = openDesk(DOCUMENTS);
    desk.emit(sent(untrue));
    expect(await desk.verify("c-1")).to.include({ status: "rejected" });
    expect(thrown(() => desk.show("c-1", "examiner"))).to.be.instanceOf(LifecycleRefused);
    desk.suppress("c-1");
    expect(thrown(() => desk.suppress("c-1"))).to.be.instanceOf(LifecycleRefused);
  });

  it("checks a claim once, however many ask at a time, and answers the same ever after", async () => {
    let reads = 0;
    const sources = library(DOCUMENTS);
    const counting = {
      fetch: (uri: string) => {
        reads += 1;
        return sources.fetch(uri);
      },
    };
    const desk = new AttestationDesk(depsOver(counting));
    desk.emit(sent(CLAIMS.citation));
    const [first, second] = await Promise.all([desk.verify("c-1"), desk.verify("c-1")]);
    expect(second).to.equal(first);
    expect(await desk.verify("c-1")).to.equal(first);
    expect([reads, told(desk)]).to.deep.equal([1, ["emit", "verify"]]);
  });

  it("ends a claim as unverifiable when its window closes first (CA-2)", async () => {
    let now = START;
    const { desk } = openDesk(DOCUMENTS, { now: () => now });
    desk.emit(sent(CLAIMS.citation, { sla_window_ms: 1000 }));
    desk.emit(sent(CLAIMS.analogy, { sla_window_ms: 5000 }));
    now += 1000;
    expect(desk.expire()).to.deep.equal([]);
    now += 1;
    expect(desk.expire()).to.deep.equal(["c-1"]);
    expect(await desk.verify("c-1")).to.include({ status: "unverifiable", method: "sla-window-closed" });
    expect(await desk.verify("a-1")).to.include({ status: "verified" });
  });

  it("takes no answer that comes after the window", async () => {
    let now = START;
    const sources = library(DOCUMENTS);
    const slow = {
      fetch: (uri: string) => {
        now += 60_001;
        return sources.fetch(uri);
      },
    };
    const desk = new AttestationDesk(depsOver(slow, { now: () => now }));
    desk.emit(sent(CLAIMS.citation));
    expect(await desk.verify("c-1")).to.include({ status: "unverifiable", method: "sla-window-closed" });
  });

  it("takes no claim in without a place to verify it (CA-1)", async () => {
    const { desk } = openDesk(DOCUMENTS);
    const { verify_endpoint_hint, ...nowhere } = sent(CLAIMS.citation);
    const refused = await rejection((async () => desk.emit(nowhere as typeof nowhere & { verify_endpoint_hint: string }))());
    expect(refused.message).to.include("verify_endpoint_hint");
    expect(desk.trail).to.have.length(0);
  });

  it("knows a trail that was touched: any entry changed, dropped or moved", async () => {
    const { desk } = openDesk(DOCUMENTS);
    desk.emit(sent(CLAIMS.citation));
    desk.emit(sent(CLAIMS.analogy));
    await desk.verify("c-1");
    const [a, b, c] = desk.trail;
    if (!a || !b || !c) throw new Error("three entries");
    const touched = [
      [a, c],
      [b, a, c],
      [a, b, { ...c, at: "2026-01-02T00:00:00.000Z" }],
      [{ ...a, event: { ...a.event, claim: "x" } }, b, c],
      [a, b, { ...c, digest: a.digest }],
    ];
    checkTrail([a, b, c]);
    checkTrail([a, b]);
    for (const trail of touched) expect(thrown(() => checkTrail(trail))).to.be.instanceOf(TrailBroken);
  });
});
