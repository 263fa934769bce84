/** Appeals of the parties: with new evidence, judged again, in place of the first instruction; and what an appeal does not get. */
import { expect } from "chai";
import {
  type AdmittedEnvelope,
  type Appeal,
  type AppealInput,
  appealRecordSchema,
  bindObligation,
  type Cleared,
  clear,
  clearingDecisionSchema,
  type DocketRecord,
  deltasOf,
  deployment,
  type EvidenceItem,
  emitted,
  evaluateFinality,
  hashOf,
  ingest,
  type ObligationTerms,
  openDocket,
  recordAppeal,
  recordExit,
  type SettlementInstruction,
  sealEnvelope,
  selfReport,
  settle,
  settlementInstructionSchema,
  signAppeal,
  signObligation,
  signOutput,
} from "../../orchestrator/clearing/index.ts";
import type { Checked } from "../../orchestrator/clearing/refusal.ts";
import type { Hash } from "../../orchestrator/primitives/hex.ts";
import { castOf } from "../../scripts/clearing/cast.ts";
import { granted } from "../../scripts/clearing/scenario.ts";

const { signers, registry } = castOf("appeals", {
  buyer: { principal: "buyer-inc" },
  agent: { principal: "agent-labs" },
  second: { principal: "second-labs" },
  third: { principal: "third-labs" },
  clerk: { principal: "buyer-inc" },
  stranger: { principal: "stranger" },
  lab: { principal: "ci-house", issues: ["ATT"] },
  judge: { principal: "mesh", role: "constraint" },
  engine: { principal: "clearing-house", role: "engine" },
});
type Name = keyof typeof signers;
const world = deployment(registry);
const DECIDED = 1_800_003_600n;
const LATER = DECIDED + 72_000n;
const CLOSES = DECIDED + 86_400n;
const TERMS: ObligationTerms = {
  ...{ obligation_id: hashOf({ deal: "appeals" }), parties: { requestor: "buyer", provider: "agent" }, task: {}, scope: {} },
  ...{ prohibitions: [], required_actions: [], acceptance_criteria: [], admissibility_floors: { fee_release: "ATT" } },
  evidence_requirements: [{ type: "log", class: "ATT", max_age_seconds: 3_600 }],
  verifier_policy: { verifiers: ["judge"], count: 1, questions: ["performance"] },
  economic_terms: { fee: 900, collateral: 400, currency: "USD" },
  deadlines: { execution_window_hours: 2, appeal_window_hours: 24 },
  bound_at: "2027-01-15T08:00:00Z",
};
const boundTo = (terms: ObligationTerms) =>
  granted(bindObligation(signObligation(terms, { requestor: signers.buyer, provider: signers.agent }), world));
const obligation = boundTo(TERMS);
const hash = obligation.obligation_hash;

const attested = (id: string, issuedAt: string, type = id, about = hash) =>
  emitted(about, { id, type, content: { id } }, { signer: signers.lab, class: "ATT", issuedAt });
const LOG = attested("log", "2027-01-15T08:30:00Z");
const RECEIPT = attested("receipt", "2027-01-15T08:40:00Z");
/** Claims a class that nobody vouches for. */
const FORGED: EvidenceItem = { ...selfReport("proof", "proof", {}), class: "ATT" };
/** What nobody has judged yet: found in production, long after the work. */
const DEFECT = attested("defect", "2027-01-16T05:00:00Z");

const envelopeOf = (items: readonly EvidenceItem[], by: Name = "agent", submitted_at = "2027-01-15T09:00:00Z", about = hash) =>
  sealEnvelope(signers[by], { obligation_hash: about, submitted_at, items: [...items] });
const DECIDED_ON = granted(ingest(envelopeOf([LOG, RECEIPT, FORGED]), obligation, world));

function decide(envelope: AdmittedEnvelope, verdict: "PASS" | "FAIL" | "ABSTAIN", now: bigint, about = obligation): Cleared {
  const basis = [...envelope.items.keys()];
  const output = signOutput(signers.judge, {
    ...{
      role: "constraint",
      obligation_hash: about.obligation_hash,
      envelope_id: envelope.envelope.envelope_id,
      verdict,
      basis,
      confidence: 1,
    },
    ...{ answers: [{ question: "performance" }], class_of_basis: "ATT" },
  });
  return clear({ obligation: about, envelope, outputs: [output], deployment: world, engine: signers.engine, now });
}

function settled(found: Cleared, docket: ReturnType<typeof openDocket>): SettlementInstruction {
  const multipliers = { agent: 10_000, second: 10_000, third: 10_000, clerk: 10_000 };
  const instruction = granted(settle(found, signers.engine, docket, multipliers));
  if (instruction === undefined) throw new Error("it settles");
  return instruction;
}

/** An obligation that was settled once, by this verdict. */
function first(verdict: "PASS" | "FAIL" = "PASS") {
  const store = new Map<Hash, readonly DocketRecord[]>();
  const docket = openDocket(store);
  const found = decide(DECIDED_ON, verdict, DECIDED);
  return { store, docket, found, instruction: settled(found, docket) };
}
type First = ReturnType<typeof first>;

interface Filing {
  readonly by?: Name;
  readonly items?: readonly EvidenceItem[];
  readonly change?: Partial<AppealInput>;
  readonly bent?: (appeal: Appeal) => Appeal;
}

function file(
  { found, docket, instruction }: First,
  { by = "buyer", items = [LOG, RECEIPT, DEFECT], change, bent = (own) => own }: Filing = {},
) {
  const envelope = envelopeOf(items, by, "2027-01-16T05:00:00Z");
  const appeal = bent(signAppeal(signers[by], instruction, envelope, "It lost an order."));
  const about = {
    obligation,
    decided: DECIDED_ON,
    decision: found.decision,
    docket,
    deployment: world,
    engine: signers.engine,
    now: LATER,
  };
  return recordAppeal({ appeal, envelope, ...about, ...change });
}

const refusals = (checked: Checked<unknown>) => (checked.ok ? [] : checked.refusals.map(({ guard }) => guard));
const final = ({ decision }: Cleared, instruction: SettlementInstruction, docket: First["docket"], now: bigint) =>
  evaluateFinality({
    ...{ obligation, decision, instruction, docket, deployment: world, engine: signers.engine, now },
    environment: { appealsFiledAt: [], resolvedConflicts: [] },
  });

describe("an appeal", () => {
  it("returns the obligation to verification, and what is decided then takes the place of the first instruction", () => {
    const deal = first();
    const { docket, found, instruction, store } = deal;
    expect(instruction.fee_action?.type).to.equal("release");
    const { record, envelope } = granted(file(deal));
    expect(appealRecordSchema.parse(JSON.parse(JSON.stringify(record)))).to.deep.equal(record);
    expect(docket.entry(hash)?.state).to.deep.equal({ stage: "VERIFICATION", escalations: 0, appeals: 1 });
    expect(refusals(final(found, instruction, docket, CLOSES)), "the first").to.deep.equal(["INSTRUCTION_ANCHOR"]);

    const again = decide(envelope, "FAIL", LATER);
    const second = settled(again, docket);
    expect(again.decision.appeal_id).to.equal(record.appeal_id);
    expect(second).to.deep.include({
      supersedes: instruction.instruction_id,
      fee_action: { type: "refund", refund_amount: 900, currency: "USD" },
    });
    expect(clearingDecisionSchema.safeParse(again.decision).success && settlementInstructionSchema.safeParse(second).success).to.equal(
      true,
    );
    expect(granted(settle(again, signers.engine, docket)), "again").to.deep.equal(second);
    expect(granted(final(again, second, docket, CLOSES)).phi_result, "its own window is open").to.equal(false);
    const evaluation = granted(final(again, second, docket, LATER + 86_400n));
    expect(evaluation.phi_result).to.equal(true);
    granted(docket.close(evaluation, world));
    expect(refusals(final(found, instruction, docket, LATER + 86_400n))).to.deep.equal(["INSTRUCTION_ANCHOR"]);
    expect(openDocket(new Map([[hash, JSON.parse(JSON.stringify(store.get(hash)))]])).problem(obligation, world)).to.equal(undefined);
  });

  it("costs a provider that is paid less a lost dispute, and one that is paid more nothing; forgeries before it stay", () => {
    const deltas = (was: "PASS" | "FAIL", by: Name, is: "PASS" | "FAIL") => {
      const deal = first(was);
      const { envelope } = granted(file(deal, { by }));
      const again = decide(envelope, is, LATER);
      return deltasOf(settled(again, deal.docket), again.decision, signers.engine).map(({ agent_id, fields }) => [agent_id, fields]);
    };
    const forged = { forge_up_attempts: "+1" };
    expect(deltas("PASS", "buyer", "FAIL")).to.deep.equal([["agent", { upheld_disputes: "+1", ...forged }]]);
    expect(deltas("FAIL", "agent", "PASS")).to.deep.equal([["agent", { cleared_obligations: "+1", ...forged }]]);
    expect(deltas("PASS", "buyer", "PASS"), "a vain one").to.deep.equal([["agent", { cleared_obligations: "+1", ...forged }]]);
  });

  it("adds evidence, and neither drops what was admitted nor outlasts it", () => {
    const squatted = { ...selfReport("receipt", "receipt", {}) };
    for (const items of [
      [LOG, DEFECT],
      [LOG, squatted, RECEIPT, DEFECT],
    ])
      expect(refusals(file(first("FAIL"), { by: "agent", items }))).to.deep.equal(["EVIDENCE_LEFT_OUT"]);
    // The log may be an hour old, and it was when it was handed in; twenty hours later it still is required evidence that was shown.
    const { envelope } = granted(file(first()));
    const { decision } = decide(envelope, "PASS", LATER);
    expect([decision.performance, decision.missing_evidence]).to.deep.equal(["cleared", []]);
    const old = attested("old", "2027-01-15T08:30:00Z", "log");
    expect(refusals(file(first(), { items: [LOG, RECEIPT, old] })), "new evidence is judged as ever").to.deep.equal(["APPEAL_NOT_DUE"]);
  });

  it("is none without new evidence at the floor: nobody delays a payment by talk", () => {
    const word = selfReport("word", "word", "It is bad.");
    const signed = emitted(
      hash,
      { id: "word", type: "word", content: "It is bad." },
      { signer: signers.buyer, class: "SIGN", issuedAt: "2027-01-16T05:00:00Z" },
    );
    const deal = first();
    for (const more of [[], [word], [signed], [{ ...word, class: "ATT" }]])
      expect(refusals(file(deal, { items: [LOG, RECEIPT, ...more] }))).to.deep.equal(["APPEAL_NOT_DUE"]);
    expect(granted(final(deal.found, deal.instruction, deal.docket, CLOSES)).phi_result, "it stands").to.equal(true);
  });

  it("is a party's own, in its window, about what stands and what was decided", () => {
    const deal = first();
    const other = boundTo({ ...TERMS, obligation_id: hashOf({ deal: 2 }) });
    const elsewhere = decide(granted(ingest(envelopeOf([LOG, RECEIPT]), obligation, world)), "PASS", DECIDED);
    const filings: readonly Filing[] = [
      { by: "stranger" },
      { by: "lab" },
      { bent: (appeal) => ({ ...appeal, filed_by: "agent" }) },
      { bent: (appeal) => ({ ...appeal, grounds: "Another reason." }) },
      { bent: (appeal) => signAppeal(signers.buyer, { obligation_hash: hash, instruction_id: hash }, appeal, "It does not stand.") },
      { bent: (appeal) => ({ ...appeal, signature: signAppeal(signers.agent, appeal, appeal, appeal.grounds).signature }) },
      { change: { appeal: "appeal" } },
      { change: { now: CLOSES + 1n } },
      { change: { decision: elsewhere.decision } },
      { change: { decision: { ...deal.found.decision, appeal_window_closes_at: "2099-01-01T00:00:00Z" }, now: CLOSES + 1n } },
      { change: { obligation: other } },
      { change: { docket: openDocket() } },
    ];
    for (const [index, filing] of filings.entries()) expect(refusals(file(deal, filing)), String(index)).to.deep.equal(["APPEAL_NOT_DUE"]);
    const swapped = envelopeOf([LOG, RECEIPT, DEFECT], "buyer", "2027-01-16T04:00:00Z");
    expect(refusals(file(deal, { change: { envelope: swapped } }))).to.deep.equal(["OTHER_ENVELOPE"]);
    const byAnother = envelopeOf([LOG, RECEIPT, DEFECT], "agent", "2027-01-16T05:00:00Z");
    expect(refusals(file(deal, { change: { envelope: byAnother } }))).to.deep.equal(["SUBMITTER_NOT_AUTHORISED"]);
    expect(refusals(file(deal, { change: { now: DECIDED } })), "of tomorrow").to.deep.equal(["SUBMITTED_TOO_LATE"]);
    expect(() => file(deal, { change: { engine: signers.judge } }))
      .to.throw()
      .with.property("code", "NotTheEngine");
    expect(deal.docket.entry(hash)?.state.stage, "nothing of it happened").to.equal("SETTLEMENT_INSTRUCTION");
    granted(file(deal, { change: { now: CLOSES } }));
  });

  it("is one for each side: neither uses up the other's, nor delays for ever", () => {
    const deal = first();
    let { envelope } = granted(file(deal));
    expect(refusals(file(deal, { by: "agent" })), "nothing stands").to.deep.equal(["APPEAL_NOT_DUE"]);
    let found = decide(envelope, "FAIL", LATER);
    let instruction = settled(found, deal.docket);
    const next = (by: Name, id: string) => {
      const more = attested(id, "2027-01-16T05:00:00Z");
      const items = [LOG, RECEIPT, DEFECT, more];
      return file({ ...deal, found, instruction }, { by, items, change: { decided: envelope } });
    };
    expect(refusals(next("buyer", "more"))).to.deep.equal(["APPEAL_NOT_DUE"]);
    ({ envelope } = granted(next("agent", "rebuttal")));
    found = decide(envelope, "PASS", LATER);
    const before = instruction;
    instruction = settled(found, deal.docket);
    expect([instruction.supersedes, deal.docket.entry(hash)?.state.appeals]).to.deep.equal([before.instruction_id, 2]);
    for (const by of ["buyer", "agent"] as const) expect(refusals(next(by, "more"))).to.deep.equal(["APPEAL_NOT_DUE"]);
    expect(granted(final(found, instruction, deal.docket, LATER + 86_400n)).phi_result).to.equal(true);
  });

  it("is one for the requestor and one for the performers, however many there are of either", () => {
    const payees = ["agent", "second", "third", "clerk"] as const;
    const promises = payees.map((payee) => ({ payee, price: 225, items: "log" }));
    const release = { protocol_fee_bps: 0, insurance_bps: 0, agreeing_only: false, promises };
    const shared = boundTo({
      ...{ ...TERMS, obligation_id: hashOf({ deal: "shared" }), agents: payees.slice(1) },
      settlement_policy: { execution_rail: { name: "rail" }, release },
    });
    const about = shared.obligation_hash;
    const log = attested("log", "2027-01-15T08:30:00Z", "log", about);
    const found = (id: string) => attested(id, "2027-01-16T05:00:00Z", id, about);
    const decided = granted(ingest(envelopeOf([log], "agent", "2027-01-15T09:00:00Z", about), shared, world));
    const opened = () => {
      const docket = openDocket();
      const cleared = decide(decided, "PASS", DECIDED, shared);
      return { docket, found: cleared, instruction: settled(cleared, docket), envelope: decided };
    };
    type Round = ReturnType<typeof opened>;
    const appealed = ({ docket, found: before, instruction, envelope: last }: Round, by: Name, items: readonly EvidenceItem[]) => {
      const envelope = envelopeOf(items, by, "2027-01-16T05:00:00Z", about);
      const appeal = signAppeal(signers[by], instruction, envelope, "Once more.");
      return recordAppeal({
        ...{ appeal, envelope, obligation: shared, decided: last, decision: before.decision },
        ...{ docket, deployment: world, engine: signers.engine, now: LATER },
      });
    };
    const decidedAgain = ({ docket }: Round, { envelope }: { envelope: AdmittedEnvelope }): Round => {
      const cleared = decide(envelope, "PASS", LATER, shared);
      return { docket, found: cleared, instruction: settled(cleared, docket), envelope };
    };
    for (const [[one, others], [its, ours]] of [
      [
        ["agent", ["second", "third"]],
        ["buyer", ["clerk"]],
      ],
      [
        ["clerk", ["buyer"]],
        ["third", ["agent", "second"]],
      ],
    ] as const) {
      const trifle = [log, found("trifle")];
      const first = opened();
      const second = decidedAgain(first, granted(appealed(first, one, trifle)));
      const more = [...trifle, found("more")];
      for (const other of others)
        expect(refusals(appealed(second, other, more)), `${other} after ${one}`).to.deep.equal(["APPEAL_NOT_DUE"]);
      const third = decidedAgain(second, granted(appealed(second, its, more)));
      expect(third.instruction.supersedes).to.equal(second.instruction.instruction_id);
      for (const other of [...others, ...ours, one, its])
        expect(refusals(appealed(third, other, [...more, found("last")])), `${other} at last`).to.deep.equal(["APPEAL_NOT_DUE"]);
    }
  });

  it("is heard: nothing settles or ends the obligation but a decision on its evidence", () => {
    const deal = first();
    const { record, envelope } = granted(file(deal));
    expect(refusals(settle(deal.found, signers.engine, deal.docket)), "the first once more").to.deep.equal(["APPEAL_UNHEARD"]);
    const deaf = decide(DECIDED_ON, "FAIL", LATER);
    expect(refusals(settle(deaf, signers.engine, deal.docket)), "another look at the old").to.deep.equal(["APPEAL_UNHEARD"]);
    const heard = decide(envelope, "FAIL", LATER);
    expect(refusals(settle(heard, signers.engine, openDocket())), "where nobody appealed").to.deep.equal(["APPEAL_UNHEARD"]);
    const leave = (cleared: Cleared) =>
      recordExit({
        ...{ obligation, cause: { exit: "UNVERIFIABLE", cleared }, deployment: world, engine: signers.engine, docket: deal.docket },
        now: LATER + 90_000n,
      });
    expect(refusals(leave(decide(DECIDED_ON, "ABSTAIN", LATER)))).to.deep.equal(["EXIT_NOT_DUE"]);
    expect(granted(leave(decide(envelope, "ABSTAIN", LATER))).exit).to.equal("UNVERIFIABLE");

    // A store that tells of another appeal than its party filed, or than the engine received.
    const records = [{ kind: "instruction", record: deal.instruction }] as const;
    for (const told of [
      { ...record, grounds: "None." },
      { ...record, filed_by: "agent" },
      { ...record, received_at: "2027-01-16T04:00:00Z" },
      { ...record, clearing_engine: "judge" },
    ]) {
      const docket = openDocket(new Map<Hash, readonly DocketRecord[]>([[hash, [...records, { kind: "appeal", record: told }]]]));
      expect(docket.problem(obligation, world)).to.match(/^the appeal is /);
      expect(refusals(file({ ...deal, docket }))).to.deep.equal(["DOCKET_UNSUPPORTED"]);
    }
  });
});
