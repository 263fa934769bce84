/** An obligation's stage is what its signed records make of it, from the binding on: a history that no record supports is worth nothing. */
import { expect } from "chai";
import {
  applyBinding,
  applyExit,
  bindingRecordSchema,
  bindObligation,
  cancellationHash,
  clear,
  type DocketRecord,
  deployment,
  emitted,
  evaluateFinality,
  type FinalityEvaluation,
  hashOf,
  historyRisk,
  ingest,
  isBindingSigned,
  itemHash,
  MalformedDocket,
  newPassport,
  type ObligationTerms,
  openDocket,
  type RailAppeal,
  recordBinding,
  recordExit,
  type SettlementInstruction,
  sealEnvelope,
  settle,
  signHash,
  signObligation,
  signOutput,
  subjectsOf,
  without,
} from "../../orchestrator/clearing/index.ts";
import type { Checked } from "../../orchestrator/clearing/refusal.ts";
import type { Hash } from "../../orchestrator/primitives/hex.ts";
import { castOf } from "../../scripts/clearing/cast.ts";
import { granted } from "../../scripts/clearing/scenario.ts";

const { signers, registry } = castOf("docket", {
  buyer: { principal: "buyer-inc" },
  agent: { principal: "agent-labs" },
  lab: { principal: "ci-house", issues: ["ATT"] },
  judge: { principal: "mesh", role: "constraint" },
  engine: { principal: "clearing-house", role: "engine" },
  "buyers-engine": { principal: "buyer-inc", role: "engine" },
});
const world = deployment(registry, { appealed: (_, { receipt }) => receipt === "heard" });
const NOW = 1_800_003_600n;
const DAY = 86_400n;
const TERMS: ObligationTerms = {
  ...{ obligation_id: hashOf({ deal: "docket" }), parties: { requestor: "buyer", provider: "agent" }, task: {}, scope: {} },
  ...{ prohibitions: [], required_actions: [], acceptance_criteria: [], admissibility_floors: { fee_release: "ATT" } },
  verifier_policy: { verifiers: ["judge"], count: 1, questions: ["performance"] },
  economic_terms: { fee: 900, collateral: 400, currency: "USD" },
  deadlines: { execution_window_hours: 2, appeal_window_hours: 24 },
  bound_at: "2027-01-15T08:00:00Z",
};
const parties = { requestor: signers.buyer, provider: signers.agent };
const obligation = granted(bindObligation(signObligation(TERMS, parties), world));
const hash = obligation.obligation_hash;

const item = emitted(
  hash,
  { id: "log", type: "log", content: {} },
  { signer: signers.lab, class: "ATT", issuedAt: "2027-01-15T08:30:00Z" },
);
const sealed = sealEnvelope(signers.agent, { obligation_hash: hash, submitted_at: "2027-01-15T09:00:00Z", items: [item] });
const envelope = granted(ingest(sealed, obligation, world));

function cleared(verdict: "PASS" | "FAIL") {
  const output = signOutput(signers.judge, {
    ...{ role: "constraint", obligation_hash: hash, envelope_id: sealed.envelope_id, verdict },
    ...{ answers: [{ question: "performance" }], class_of_basis: "ATT", basis: [itemHash(item)], confidence: 1 },
  });
  return clear({ obligation, envelope, outputs: [output], deployment: world, engine: signers.engine, now: NOW });
}

/** A docket over a store that somebody may have written. */
function holding(...records: readonly DocketRecord[]) {
  const store = new Map<Hash, readonly DocketRecord[]>([[hash, records]]);
  return { docket: openDocket(store), store };
}
const refusals = (checked: Checked<unknown>) => (checked.ok ? [] : checked.refusals.map(({ guard }) => guard));
const bind = (docket = openDocket(), now = NOW, engine = signers.engine) =>
  recordBinding({ obligation, deployment: world, engine, docket, now });
const stageIn = (docket: ReturnType<typeof openDocket>) => docket.entry(hash)?.state.stage;

/** The first instruction, with what it follows from. */
function settled(verdict: "PASS" | "FAIL" = "PASS", docket = openDocket()) {
  const found = cleared(verdict);
  const instruction = granted(settle(found, signers.engine, docket));
  if (instruction === undefined) throw new Error("it settles");
  const final = (in_ = docket, now = NOW + DAY) =>
    evaluateFinality({
      ...{ obligation, decision: found.decision, instruction, docket: in_, deployment: world, engine: signers.engine, now },
      environment: { appealsFiledAt: [], resolvedConflicts: [] },
    });
  return { ...found, instruction, docket, final };
}
const appealOf = ({ instruction_id }: SettlementInstruction, receipt = "heard"): RailAppeal => ({
  ...{ obligation_hash: hash, instruction_id, receipt },
});

describe("a docket's records", () => {
  it("are an obligation's stages from its binding on", () => {
    const { docket, store } = holding();
    expect(docket.entry(hash)).to.equal(undefined);
    const binding = granted(bind(docket));
    expect(stageIn(docket)).to.equal("PRE_CLEARANCE");
    const { instruction, final } = settled("PASS", docket);
    expect(stageIn(docket)).to.equal("SETTLEMENT_INSTRUCTION");
    const evaluation = granted(final());
    granted(docket.close(evaluation, world));
    expect(stageIn(docket)).to.equal("FINALITY");
    expect(store.get(hash)?.map(({ kind }) => kind)).to.deep.equal(["binding", "instruction", "finality"]);
    // Another process with the same store knows as much; so does one that reads it from a file.
    const read = JSON.parse(JSON.stringify(store.get(hash)));
    expect(holding(...read).docket.entry(hash)).to.deep.equal({
      state: { stage: "FINALITY", escalations: 0, appeals: 0 },
      instruction: instruction.instruction_id,
      margin: { paused: 0 },
    });
    expect(holding(...read).docket.problem(obligation, world)).to.equal(undefined);
    expect(granted(bind(docket, NOW + 1n)), "once").to.deep.equal(binding);
    expect(refusals(bind(settled().docket)), "after it was settled").to.deep.equal(["SETTLED_ALREADY"]);
  });

  it("support no finality of an instruction that no engine of the obligation signed", () => {
    const { instruction, decision } = settled();
    const bent: SettlementInstruction = { ...instruction, fee_action: { type: "release", release_amount: 9_000, currency: "USD" } };
    const own = { ...without(instruction, "instruction_id", "clearing_engine_signature"), clearing_engine: "buyers-engine" };
    const id = hashOf(own);
    const partial: SettlementInstruction = {
      ...{ ...own, instruction_id: id, clearing_engine_signature: signHash(signers["buyers-engine"], "settlement-instruction", id) },
    };
    for (const forged of [bent, partial]) {
      const { docket } = holding({ kind: "instruction", record: forged });
      const common = { obligation, decision, docket, deployment: world, engine: signers.engine, now: NOW + DAY };
      const environment = { appealsFiledAt: [], resolvedConflicts: [] };
      expect(refusals(evaluateFinality({ ...common, instruction: forged, environment }))).to.deep.equal(["DOCKET_UNSUPPORTED"]);
    }
  });

  it("do not let the first instruction be final once a second stands, whoever leaves out the appeal between them", () => {
    const first = settled();
    granted(first.docket.appeal(appealOf(first.instruction)));
    expect(refusals(first.final()), "reopened").to.deep.equal(["INSTRUCTION_ANCHOR"]);
    const second = settled("FAIL", first.docket);
    expect(granted(second.final()).phi_result).to.equal(true);
    const [one, two] = [first.instruction, second.instruction].map((record) => ({ kind: "instruction", record }) as const);
    if (one === undefined || two === undefined) throw new Error("two instructions");
    for (const records of [
      [one, two],
      [two, one],
      [one, one],
    ] as const) {
      const { docket, store } = holding(...records);
      expect(docket.entry(hash), "no entry").to.equal(undefined);
      expect(refusals(first.final(docket))).to.deep.equal(["DOCKET_UNSUPPORTED"]);
      // Nor is anything added to it, as to an empty one.
      expect(refusals(settle(cleared("FAIL"), signers.engine, docket))).to.deep.equal(["SETTLED_ALREADY"]);
      expect(refusals(docket.appeal(appealOf(first.instruction)))).to.deep.equal(["SETTLED_ALREADY"]);
      expect(store.get(hash)).to.deep.equal(records);
    }
  });

  it("reopen nothing by an appeal that the rail knows nothing of, or against another instruction", () => {
    const first = settled();
    expect(refusals(first.docket.appeal({ ...appealOf(first.instruction), instruction_id: hash }))).to.deep.equal(["SETTLED_ALREADY"]);
    granted(first.docket.appeal(appealOf(first.instruction, "hearsay")));
    const second = settled("FAIL", first.docket);
    expect(refusals(second.final())).to.deep.equal(["DOCKET_UNSUPPORTED"]);
  });

  it("are of one obligation, and end it by no evaluation that did not fire, nor by an exit that nobody signed", () => {
    const { instruction, final, docket } = settled();
    const other = granted(bindObligation(signObligation({ ...TERMS, obligation_id: hashOf({ deal: 2 }) }, parties), world));
    const foreign = new Map([[other.obligation_hash, [{ kind: "instruction", record: instruction } as const]]]);
    expect(openDocket(foreign).problem(other, world)).to.equal("its records do not follow from each other");
    const open = granted(final(docket, NOW));
    const fired: FinalityEvaluation = { ...open, phi_result: true };
    for (const record of [open, fired]) {
      const ended = holding({ kind: "instruction", record: instruction }, { kind: "finality", record });
      expect(ended.docket.problem(obligation, world)).to.equal("the finality is not what an engine signed");
    }
    const both = { requestor: signHash(signers.buyer, "cancellation", cancellationHash(hash)) };
    const cause = { exit: "CANCELLED", ...both, provider: signHash(signers.agent, "cancellation", cancellationHash(hash)) } as const;
    const leave = (docket: ReturnType<typeof openDocket>) =>
      recordExit({ obligation, cause, deployment: world, engine: signers.engine, docket, now: NOW });
    const record = granted(leave(openDocket()));
    const unsigned = holding({ kind: "exit", record: { ...record, exit: "UNVERIFIABLE" } });
    expect(unsigned.docket.problem(obligation, world)).to.equal("the exit is not what an engine signed");
    expect(refusals(leave(unsigned.docket))).to.deep.equal(["DOCKET_UNSUPPORTED"]);
  });
});

describe("a docket's store", () => {
  it("holds records: anything else is said, and is no empty docket", () => {
    const { instruction } = settled();
    for (const junk of [[null], [{}], [{ kind: "settled", record: instruction }], [{ kind: "appeal", record: instruction }], "settled"]) {
      const store = new Map([[hash, JSON.parse(JSON.stringify(junk))]]);
      const docket = openDocket(store);
      expect(() => docket.entry(hash)).to.throw(MalformedDocket, hash);
      expect(() => settle(cleared("PASS"), signers.engine, docket)).to.throw(MalformedDocket);
      expect(store.get(hash)).to.deep.equal(junk);
    }
  });
});

describe("a docket that lost its last records", () => {
  /** Settled, appealed and settled anew; then its store forgets all but so many records. */
  function rolledBack(kept: number, shown: (records: readonly DocketRecord[]) => readonly unknown[]) {
    const { docket, store } = holding();
    granted(bind(docket));
    const first = settled("PASS", docket);
    granted(docket.appeal(appealOf(first.instruction)));
    const second = settled("FAIL", docket);
    const all = store.get(hash) ?? [];
    store.set(hash, JSON.parse(JSON.stringify(all.slice(0, kept))));
    const seen = JSON.parse(JSON.stringify(shown(all)));
    return { first, second, again: openDocket(store, () => seen), store };
  }
  const recordsOf = (records: readonly DocketRecord[]) => records.map(({ record }) => record);

  it("makes nothing final against a record that somebody shows", () => {
    for (const kept of [0, 1, 2, 3]) {
      const { first, again } = rolledBack(kept, recordsOf);
      expect(again.problem(obligation, world), String(kept)).to.match(
        kept === 0 ? /lacks a record of kind binding/ : /lacks a record of kind instruction/,
      );
      expect(refusals(first.final(again)), String(kept)).to.deep.equal(["DOCKET_UNSUPPORTED"]);
    }
    const { again, second } = rolledBack(4, recordsOf);
    expect(again.problem(obligation, world)).to.equal(undefined);
    expect(granted(second.final(again)).phi_result).to.equal(true);
  });

  it("cannot tell by itself: what nobody shows is gone", () => {
    const { first, again } = rolledBack(2, () => []);
    expect(granted(first.final(again)).phi_result).to.equal(true);
  });

  it("is not made up by anybody: only what an engine of the obligation signed counts, in any spelling of its signature", () => {
    const own = settled();
    const { clearing_engine_signature, ...unsigned } = own.instruction;
    const other = granted(bindObligation(signObligation({ ...TERMS, obligation_id: hashOf({ deal: 2 }) }, parties), world));
    const elsewhere = granted(
      recordBinding({ obligation: other, deployment: world, engine: signers.engine, docket: openDocket(), now: NOW }),
    );
    const open = granted(own.final(own.docket, NOW));
    const fired = granted(own.final());
    const shown: readonly unknown[] = [
      ...[
        null,
        "junk",
        {},
        "\ud800",
        { ...own.instruction, currency: "\ud800" },
        unsigned,
        { ...own.instruction, fee_action: { type: "release", release_amount: 9_000, currency: "USD" } },
      ],
      ...[appealOf(own.instruction), elsewhere, open, fired, { ...open, phi_result: true }],
      { ...own.instruction, clearing_engine_signature: clearing_engine_signature.toUpperCase().replace("ED25519:0X", "ed25519:0x") },
    ];
    const docket = openDocket(new Map([[hash, [{ kind: "instruction", record: own.instruction } as const]]]), () => shown);
    expect(docket.problem(obligation, world)).to.equal(undefined);
    expect(granted(own.final(docket)).phi_result).to.equal(true);
  });

  it("ends by no exit that a record speaks against, and knows a finality that it forgot", () => {
    const { first, again } = rolledBack(0, (records) => recordsOf(records).slice(1, 2));
    const exit = () =>
      recordExit({ obligation, cause: { exit: "EXPIRED" }, deployment: world, engine: signers.engine, docket: again, now: NOW + DAY });
    expect(refusals(exit())).to.deep.equal(["DOCKET_UNSUPPORTED"]);
    const fired = granted(first.final(openDocket(new Map([[hash, [{ kind: "instruction", record: first.instruction } as const]]]))));
    expect(openDocket(new Map(), () => [fired]).problem(obligation, world)).to.match(/lacks a record of kind finality/);
  });
});

describe("a binding", () => {
  it("is published to both parties' passports, once, whoever publishes it again", () => {
    const record = granted(bind());
    expect(bindingRecordSchema.parse(JSON.parse(JSON.stringify(record)))).to.deep.equal(record);
    expect(isBindingSigned(record, world)).to.equal(true);
    expect(subjectsOf(record)).to.deep.equal(["buyer", "agent"]);
    const again = granted(bind(openDocket(), NOW + 1n));
    expect(again.binding_id).to.not.equal(record.binding_id);
    for (const name of ["buyer", "agent"]) {
      const bound = granted(applyBinding(newPassport(name), record, world));
      expect(bound.fields).to.deep.equal({ bound_obligations: 1 });
      expect(refusals(applyBinding(bound, again, world)), "in another docket").to.deep.equal(["DELTA_NOT_DUE"]);
      expect(historyRisk(bound), "having work is no risk").to.equal(0.5);
    }
    for (const refused of [
      applyBinding(newPassport("judge"), record, world),
      applyBinding(newPassport("agent"), { ...record, passport_delta: { "agent.cleared_obligations": 9 } }, world),
    ])
      expect(refusals(refused)).to.deep.equal(["DELTA_NOT_DUE"]);
    expect(() => bind(openDocket(), NOW, signers["buyers-engine"]))
      .to.throw()
      .with.property("code", "NotTheEngine");
  });

  it("leaves its end to count beside it", () => {
    const docket = openDocket();
    const bound = granted(applyBinding(newPassport("agent"), granted(bind(docket)), world));
    const cause = { exit: "EXPIRED" } as const;
    const exit = granted(recordExit({ obligation, cause, deployment: world, engine: signers.engine, docket, now: NOW + DAY }));
    expect(stageIn(docket)).to.equal("EXPIRED");
    expect(granted(applyExit(bound, exit, world)).fields).to.deep.equal({ bound_obligations: 1, failed_obligations: 1 });
  });
});
