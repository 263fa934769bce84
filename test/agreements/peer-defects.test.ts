import { expect } from "chai";
import {
  AgreementStore,
  advance,
  agreementHash,
  applyChanges,
  checkSignatures,
  contentHash,
  determine,
  divide,
  dueAt,
  evaluateDelivery,
  filesDispute,
  isOver,
  lifecycleTerms,
  type Measured,
  messageBytes,
  negotiate,
  openNegotiation,
  PROPOSED,
  readAgreement,
  readResult,
  runClock,
  say,
  settle,
  signAgreement,
  TEMPLATES,
  unitsOf,
} from "../../orchestrator/agreements/index.ts";
import { NotJson, parseJson } from "../../orchestrator/primitives/json.ts";
import { EXAMPLE, keyOf, proposal, signers } from "./example.ts";
import { refusalOf } from "./refusals.ts";

const TERMS = lifecycleTerms(proposal);
const AT = "2026-03-26T14:31:00Z";
const both = () => signAgreement(signAgreement(proposal, "client", signers.client, keyOf), "provider", signers.provider, keyOf);
const evaluator = EXAMPLE.parties.evaluator.identity;
const through = (...names: ("fund" | "deliver" | "result" | "timeout" | "challenge")[]) =>
  names.reduce(
    (state, name) => advance(state, { name }, TERMS),
    [
      { name: "accept", by: "provider" } as const,
      { name: "sign", by: "client" } as const,
      { name: "sign", by: "provider" } as const,
    ].reduce((state, event) => advance(state, event, TERMS), PROPOSED),
  );

/** What goes wrong in the public Python package, one test each. */
describe("what the public package of ASA gets wrong", () => {
  it("1: a template that nothing can pass, or that nothing can fail", () => {
    for (const { dimensions, composite_threshold } of TEMPLATES) {
      const agreement = readAgreement({ ...EXAMPLE, quality_criteria: { ...EXAMPLE.quality_criteria, dimensions, composite_threshold } });
      const all = (good: boolean): Measured =>
        Object.fromEntries(dimensions.map(({ name, metric }) => [name, metric === "boolean" ? good : good ? 100 : 0]));
      expect([determine(agreement, all(true)).result, determine(agreement, all(false)).result]).to.deep.equal(["PASS", "FAIL"]);
    }
  });

  it("2: timeliness as a number that never meets a boolean SLO", () => {
    const late: Measured = { accuracy: 99, completeness: 99, relevance: 99, source_quality: 99, writing_quality: 99, timeliness: false };
    expect(determine(proposal, { ...late, timeliness: true }).result).to.equal("PASS");
    expect(determine(proposal, late).result).to.equal("FAIL");
  });

  it("3: a change limit that is written down and not enforced", () => {
    const refused = (path: string, value: string | number) => refusalOf(() => applyChanges(proposal, { [path]: value }));
    expect(refused("quality_criteria.composite_threshold", 5)).to.equal("ChangeTooLarge");
    expect(refused("escrow.payment.amount", "500000.00")).to.equal("ChangeTooLarge");
    expect(refused("quality_criteria.dimensions[0].slo.value", 5)).to.equal("ChangeTooLarge");
  });

  it("4: a party accepts its own counter-offer, or no party does", () => {
    const start = openNegotiation(proposal);
    const body = { action: "counter", rationale_code: "capacity", timestamp: AT } as const;
    const countered = negotiate(
      start,
      say(start, signers.provider, { ...body, by: "provider", changes: { "/escrow/payment/amount": "4.50" } }),
      {
        keyOf,
      },
    );
    const own = say(countered, signers.provider, { by: "provider", action: "accept", rationale_code: "other", timestamp: AT });
    expect(refusalOf(() => negotiate(countered, own, { keyOf }))).to.equal("NotYourTurn");
    const stranger = { ...own, sender: { scheme: "uri", value: "stranger" } };
    expect(refusalOf(() => negotiate(countered, stranger, { keyOf }))).to.equal("WrongSender");
  });

  it("5: signing revives what has ended, and expiry ends what was paid", () => {
    const closed = readAgreement({ ...EXAMPLE, status: "closed" });
    expect(refusalOf(() => signAgreement(closed, "client", signers.client, keyOf))).to.equal("Frozen");
    const paid = advance(through("fund", "deliver", "result"), { name: "timeout" }, TERMS);
    expect(paid.status).to.equal("closed");
    expect(refusalOf(() => advance(paid, { name: "timeout" }, TERMS))).to.equal("IllegalTransition");
  });

  it("6: terms that still change once they are signed", () => {
    const lines: string[] = [];
    const store = new AgreementStore({ read: () => lines, append: (line) => lines.push(line) });
    store.put({ agreement: both(), facts: {} });
    const cheaper = { ...both(), expires_at: "2026-03-28T14:30:00Z" };
    expect(refusalOf(() => store.put({ agreement: cheaper, facts: {} }))).to.equal("Frozen");
    expect(refusalOf(() => checkSignatures(cheaper, keyOf))).to.equal("BadSignature");
    expect(refusalOf(() => store.put({ agreement: { ...both(), status: "active" }, facts: {} }))).to.equal("accepted");
  });

  it("7: a hash that leaves terms out", () => {
    const hashes = [
      EXAMPLE,
      { ...EXAMPLE, parties: { ...EXAMPLE.parties, evaluator: { ...EXAMPLE.parties.evaluator, type: "panel" } } },
      { ...EXAMPLE, verification: { ...EXAMPLE.verification, strategy: "immediate" } },
      { ...EXAMPLE, dispute: { ...EXAMPLE.dispute, threshold: 10 } },
      { ...EXAMPLE, expires_at: "2026-03-28T14:30:00Z" },
      { ...EXAMPLE, escrow: { ...EXAMPLE.escrow, dead_mans_switch: { timeout_action: "release_to_provider" } } },
    ].map((document) => agreementHash(readAgreement(document)));
    expect(new Set(hashes).size).to.equal(hashes.length);
    const start = openNegotiation(proposal);
    const said = say(start, signers.provider, { by: "provider", action: "accept", rationale_code: "other", timestamp: AT });
    expect(refusalOf(() => negotiate(start, { ...said, rationale_code: "risk" }, { keyOf }))).to.equal("BadSignature");
  });

  it("8: signatures that nobody verifies", () => {
    const signed = both();
    expect(refusalOf(() => checkSignatures(signed, keyOf))).to.equal("accepted");
    const forged = { ...signed, signatures: { ...signed.signatures, client: { scheme: "ed25519" as const, value: "signed" } } };
    expect(refusalOf(() => checkSignatures(forged, keyOf))).to.equal("BadSignature");
    expect(signed.signatures?.client).to.have.all.keys("scheme", "key", "value");
  });

  it("9: another deliverable than the one judged, and one result for two", async () => {
    const agreement = readAgreement({ ...EXAMPLE, verification: { ...EXAMPLE.verification, depth: "structural" } });
    const content = new TextEncoder().encode("the work");
    const deliverableHash = contentHash({ content });
    const at = { verification_id: "v", timestamp: AT, startedAt: AT, deliverableHash, signer: signers.stranger, identity: evaluator };
    const result = await evaluateDelivery(agreement, { content, delivered_at: AT }, at);
    const keyOfEvaluator = () => signers.stranger.publicKey;
    const checks = { keyOf: keyOfEvaluator, assigned: evaluator, deliverableHash };
    expect(refusalOf(() => readResult(agreement, result, checks))).to.equal("accepted");
    const other = contentHash({ content: new TextEncoder().encode("worse") });
    expect(refusalOf(() => readResult(agreement, result, { ...checks, deliverableHash: other }))).to.equal("DeliverableMismatch");
    expect(new TextDecoder().decode(messageBytes("result", deliverableHash))).to.not.equal(
      new TextDecoder().decode(messageBytes("agreement", deliverableHash)),
    );
  });

  it("10: an average that hides a missed SLO", () => {
    const measured: Measured = {
      accuracy: 100,
      completeness: 100,
      relevance: 100,
      source_quality: 0,
      writing_quality: 100,
      timeliness: true,
    };
    const done = determine(proposal, measured);
    expect(done.composite).to.be.greaterThan(7500);
    expect(done.result).to.equal("FAIL");
  });

  it("11: one party in two roles, weights and amounts that are none", () => {
    const parties = (change: Record<string, unknown>) =>
      refusalOf(() => readAgreement({ ...EXAMPLE, parties: { ...EXAMPLE.parties, ...change } }));
    expect(parties({ provider: EXAMPLE.parties.client })).to.equal("OneParty");
    expect(parties({ evaluator: { ...EXAMPLE.parties.evaluator, identity: EXAMPLE.parties.provider.identity } })).to.equal("OneParty");
    for (const amount of ["-5.00", "5e3", "NaN", "5.0000001", "0", "five"])
      expect(
        refusalOf(() => readAgreement({ ...EXAMPLE, escrow: { ...EXAMPLE.escrow, payment: { ...EXAMPLE.escrow.payment, amount } } })),
        amount,
      ).to.be.oneOf(["BadAmount", "MalformedAgreement"]);
    expect(unitsOf("0.1", "USDC") + unitsOf("0.2", "USDC")).to.equal(unitsOf("0.3", "USDC"));
  });

  it("12: money held for ever", () => {
    const start = { state: through("fund", "deliver"), since: 0 };
    const end = runClock(proposal, start, 10 ** 9);
    expect([end.state.status, end.state.division]).to.deep.equal(["closed", "switch"]);
    expect(settle(proposal, end.state)).to.deep.equal({ provider: 0n, client: 5_000_000n });
  });

  it("13: a store that returns an old record, skips a broken one, and searches from the start", () => {
    const lines: string[] = [];
    const port = { read: () => lines, append: (line: string) => lines.push(line) };
    const store = new AgreementStore(port);
    store.put({ agreement: proposal, facts: {} });
    store.put({ agreement: both(), facts: { deliverable: "0x00" } });
    const again = new AgreementStore(port);
    expect(again.get(proposal.agreement_id)?.facts).to.deep.equal({ deliverable: "0x00" });
    expect(again.of("coc", "sha256:abc123")).to.deep.equal([proposal.agreement_id]);
    for (const broken of [lines[0]?.replace("5.00", "9.00") ?? "", "{", lines[1]?.slice(0, -1) ?? ""])
      expect(refusalOf(() => new AgreementStore({ ...port, read: () => [...lines, broken] }))).to.equal("BrokenRecord");
  });

  it("14: it does not read the paper's own example", () => {
    expect(refusalOf(() => readAgreement(JSON.parse(JSON.stringify(EXAMPLE))))).to.equal("accepted");
  });

  it("15: one document, two hashes in two languages", () => {
    const fixed = (description: string, value: number) =>
      agreementHash(
        readAgreement({
          ...EXAMPLE,
          service: { ...EXAMPLE.service, description },
          quality_criteria: { ...EXAMPLE.quality_criteria, composite_threshold: value },
        }),
      );
    expect(fixed("x", JSON.parse("75.0"))).to.equal(fixed("x", 75));
    // Not normalised: the signer's bytes are what is signed.
    expect(fixed("é", 75)).to.not.equal(fixed("e\u0301", 75));
    expect(() => parseJson('{"max_tokens":9007199254740993}')).to.throw(NotJson);
  });

  it("16: expiry, switches and shadow metrics that are written down and never act", () => {
    const offer = { state: PROPOSED, since: Date.parse(EXAMPLE.expires_at) / 1000 - 10 };
    expect(dueAt(proposal, offer)).to.equal(Date.parse(EXAMPLE.expires_at) / 1000);
    expect(runClock(proposal, offer, offer.since + 10).state.status).to.equal("expired");
    const scores: Measured = { accuracy: 88, completeness: 82, relevance: 91, source_quality: 80, writing_quality: 84, timeliness: true };
    expect(determine(proposal, { ...scores, hallucination_rate: 9 }).flags).to.deep.equal(["accuracy"]);
    expect([filesDispute(proposal, { composite: 5999 }), filesDispute(proposal, { composite: 6000 })]).to.deep.equal([true, false]);
    const states = [through(), through("fund"), through("fund", "deliver"), through("fund", "deliver", "result")];
    for (const state of [...states, through("fund", "deliver", "result", "challenge")]) {
      const [early, late] = [runClock(proposal, { state, since: 7 }, 8), runClock(proposal, { state, since: 7 }, 10 ** 9)];
      expect([early.state, isOver(late.state)]).to.deep.equal([state, true]);
      const { provider, client } = settle(proposal, late.state, { determination: { release_percent: 85 } });
      expect(provider + client).to.equal(state.funded ? 5_000_000n : 0n);
      expect(runClock(proposal, late, 2 * 10 ** 9)).to.deep.equal(late);
    }
    expect(divide(proposal, 85).provider).to.equal(4_250_000n);
  });
});
