import { expect } from "chai";
import * as clearing from "../../orchestrator/clearing/index.ts";
import { castOf } from "../../scripts/clearing/cast.ts";
import { granted } from "../../scripts/clearing/scenario.ts";

/** What stands between a party and money that the evidence does not give it: who clears, what is required, how many, how often. */
const { signers, registry } = castOf("gates", {
  buyer: { principal: "buyer-inc" },
  "buyers-other-account": { principal: "buyer-inc" },
  agent: { principal: "agent-labs" },
  lab: { principal: "lab", issues: ["REC", "ATT"] },
  v1: { principal: "mesh-1", role: "constraint" },
  v2: { principal: "mesh-2", role: "constraint" },
  v3: { principal: "mesh-3", role: "constraint" },
  engine: { principal: "clearing-house", role: "engine" },
  "second-engine": { principal: "clearing-house", role: "engine" },
  "agents-engine": { principal: "agent-labs", role: "engine" },
});
type Name = keyof typeof signers;
const world = clearing.deployment(registry, { appealed: (_, { receipt }) => receipt === "heard" });
const NOW = BigInt(Date.parse("2026-05-01T12:00:00Z") / 1000);
const DAY = 86_400n;
const QUIET = { appealsFiledAt: [], resolvedConflicts: [] };
const VERIFIERS = ["v1", "v2", "v3"] as const;

const TERMS: clearing.ObligationTerms = {
  obligation_id: clearing.hashOf({ gates: 1 }),
  parties: { requestor: "buyer", provider: "agent" },
  task: { description: "Build it." },
  scope: {},
  prohibitions: [],
  required_actions: [],
  acceptance_criteria: [],
  admissibility_floors: { fee_release: "ATT" },
  verifier_policy: { verifiers: VERIFIERS, count: 3, questions: ["performance"] },
  economic_terms: { fee: 1000, collateral: 0, currency: "USD" },
  deadlines: { execution_window_hours: 24, appeal_window_hours: 24 },
};

interface Deal {
  readonly terms?: Partial<clearing.ObligationTerms>;
  readonly verdicts?: readonly { readonly verdict: "PASS" | "FAIL" | "ABSTAIN"; readonly confidence: number }[];
  readonly engine?: Name;
}
const SURE = { verdict: "PASS", confidence: 0.9 } as const;
const ALL = VERIFIERS.map(() => SURE);

/** A deal that clears, bent in one place. */
function cleared({ terms = {}, verdicts = ALL, engine = "engine" }: Deal = {}): clearing.Cleared {
  const document = clearing.signObligation({ ...TERMS, ...terms }, { requestor: signers.buyer, provider: signers.agent });
  const obligation = granted(clearing.bindObligation(document, world));
  const hash = obligation.obligation_hash;
  const by = { signer: signers.lab, class: "ATT", issuedAt: "2026-05-01T10:00:00Z" };
  const log = clearing.emitted(hash, { id: "log", type: "ci_log", content: "green" }, by);
  const sealed = clearing.sealEnvelope(signers.agent, { obligation_hash: hash, submitted_at: "2026-05-01T11:00:00Z", items: [log] });
  const envelope = granted(clearing.ingest(sealed, obligation, world));
  const outputs = verdicts.map((verdict, index) =>
    clearing.signOutput(signers[VERIFIERS[index] ?? "v1"], {
      role: "constraint",
      obligation_hash: hash,
      envelope_id: sealed.envelope_id,
      answers: [{ question: "performance" }],
      class_of_basis: "ATT",
      basis: [clearing.itemHash(log)],
      ...verdict,
    }),
  );
  return clearing.clear({ obligation, envelope, outputs, deployment: world, engine: signers[engine], now: NOW });
}

/** A deal with its instruction and the docket that knows of it. */
function settled(deal: Deal = {}) {
  const docket = clearing.openDocket();
  const done = cleared(deal);
  const instruction = granted(clearing.settle(done, signers.engine, docket));
  if (instruction === undefined) throw new Error("the deal settles");
  return { ...done, instruction, docket };
}

/** The rail's appeal against the deal's instruction. */
const appealOf = ({ obligation, instruction }: ReturnType<typeof settled>, receipt = "heard"): clearing.RailAppeal => ({
  ...{ obligation_hash: obligation.obligation_hash, instruction_id: instruction.instruction_id, receipt },
});

const evaluate = (
  { obligation, decision, instruction, docket }: ReturnType<typeof settled>,
  change: Partial<clearing.FinalityInput> = {},
): clearing.Checked<clearing.FinalityEvaluation> =>
  clearing.evaluateFinality({
    obligation,
    decision,
    instruction,
    docket,
    deployment: world,
    environment: QUIET,
    engine: signers.engine,
    now: NOW + DAY,
    ...change,
  });
const guardOf = (checked: clearing.Checked<unknown>) => (checked.ok ? "accepted" : checked.refusals[0].guard);

/** The same document, signed by somebody else under his own name. */
function decisionBy(
  name: Name,
  { decision }: clearing.Cleared,
  change: Partial<clearing.ClearingDecision> = {},
): clearing.ClearingDecision {
  const body = { ...decision, ...change, clearing_engine: name };
  const hash = clearing.decisionHash(body);
  const signature = clearing.signHash(signers[name], "clearing-decision", hash);
  return { ...body, clearing_decision_hash: hash, clearing_engine_signature: signature };
}
function instructionBy(name: Name, instruction: clearing.SettlementInstruction): clearing.SettlementInstruction {
  const body = { ...instruction, clearing_engine: name };
  const id = clearing.instructionId(body);
  return { ...body, instruction_id: id, clearing_engine_signature: clearing.signHash(signers[name], "settlement-instruction", id) };
}

describe("verifiers in conflict", () => {
  const split = [SURE, SURE, { verdict: "FAIL", confidence: 0.9 }] as const;
  const under = (conflict?: "majority" | "arbiter", verdicts: Deal["verdicts"] = split) =>
    cleared({ verdicts, terms: { verifier_policy: { ...TERMS.verifier_policy, ...(conflict === undefined ? {} : { conflict }) } } });

  it("are outvoted, unless the parties leave their conflict to an arbiter", () => {
    for (const majority of [under(), under("majority")]) expect(majority.decision.performance).to.equal("cleared");
    const left = under("arbiter");
    expect(left.decision.performance).to.equal("disputed");
    expect(granted(clearing.settle(left, signers.engine, clearing.openDocket()))).to.equal(undefined);
    expect(under("arbiter", ALL).decision.performance, "no conflict").to.equal("cleared");
    const failing = [
      { verdict: "FAIL", confidence: 0.9 },
      { verdict: "ABSTAIN", confidence: 0 },
      { verdict: "FAIL", confidence: 0.9 },
    ] as const;
    expect(under("arbiter", failing).decision.performance, "who abstains is in no conflict").to.equal("failed");
  });

  it("of a drawn panel are the majority's, as on chain", () => {
    const policy = { verifiers: [], count: 3, drawn_by: "lot", conflict: "arbiter" } as const;
    const document = clearing.signObligation({ ...TERMS, verifier_policy: policy }, { requestor: signers.buyer, provider: signers.agent });
    expect(guardOf(clearing.bindObligation(document, world))).to.equal("POLICY_CONFLICT");
  });
});

describe("the clearing engine", () => {
  it("is registered as one: nobody else's decision, instruction or evaluation is signed", () => {
    const deal = settled();
    const { decision, instruction } = deal;
    const evaluation = granted(evaluate(deal));
    expect(clearing.isSigned(decision, world), "the engine's").to.be.true;
    expect(clearing.isInstructionSigned(instruction, world)).to.be.true;
    expect(clearing.isEvaluationSigned(evaluation, world)).to.be.true;
    for (const name of ["agent", "buyer", "lab", "v1"] as const) {
      const own = { ...evaluation, clearing_engine: name };
      const id = clearing.evaluationId(own);
      const signed = { ...own, finality_evaluation_id: id, clearing_engine_signature: clearing.signHash(signers[name], "finality", id) };
      expect(clearing.isSigned(decisionBy(name, deal), world), `${name}'s decision`).to.be.false;
      expect(clearing.isInstructionSigned(instructionBy(name, instruction), world), `${name}'s instruction`).to.be.false;
      expect(clearing.isEvaluationSigned(signed, world), `${name}'s evaluation`).to.be.false;
    }
  });

  it("belongs to no party of what it clears", () => {
    expect(() => cleared({ engine: "agents-engine" })).to.throw("agents-engine");
    expect(() => cleared({ engine: "v1" })).to.throw("v1");
    const deal = settled();
    expect(guardOf(evaluate(deal, { decision: decisionBy("agents-engine", deal) }))).to.equal("DECISION_ANCHOR");
  });

  it("writes into no passport of its own house, and nobody writes who is no engine", () => {
    const deal = settled();
    const evaluation = granted(evaluate(deal));
    const [delta] = clearing.deltasOf(deal.instruction, deal.decision, signers.engine);
    if (delta === undefined) throw new Error("the deal announces a delta");
    expect(clearing.applyDelta(clearing.newPassport("agent"), delta, evaluation, world).ok).to.be.true;
    for (const name of ["agent", "agents-engine"] as const) {
      const body = { ...delta, clearing_engine: name, fields: { cleared_obligations: "+99999999" } };
      const id = clearing.deltaId(body);
      const forged = { ...body, delta_id: id, clearing_engine_signature: clearing.signHash(signers[name], "passport-delta", id) };
      expect(clearing.applyDelta(clearing.newPassport("agent"), forged, evaluation, world).ok, name).to.be.false;
    }
  });

  it("is the one that the parties named, if they named one", () => {
    const terms = { clearing_engine: "engine" };
    expect(cleared({ terms }).decision.clearing_engine).to.equal("engine");
    expect(() => cleared({ terms, engine: "second-engine" })).to.throw("second-engine");
    const named = clearing.signObligation(
      { ...TERMS, clearing_engine: "agents-engine" },
      { requestor: signers.buyer, provider: signers.agent },
    );
    expect(guardOf(clearing.bindObligation(named, world))).to.equal("NOT_THE_ENGINE");
  });
});

describe("finality", () => {
  it("ends only what its own decision brought about", () => {
    const [deal, other] = [settled(), settled({ terms: { obligation_id: clearing.hashOf({ gates: 2 }) } })];
    expect(granted(evaluate(deal)).phi_result).to.be.true;
    expect(guardOf(evaluate(deal, { instruction: other.instruction }))).to.equal("INSTRUCTION_ANCHOR");
    expect(guardOf(evaluate(deal, { decision: other.decision }))).to.equal("DECISION_ANCHOR");
    expect(guardOf(evaluate(deal, { obligation: other.obligation }))).to.equal("DECISION_ANCHOR");
  });

  it("ends nothing on a decision that was touched, or an instruction that was", () => {
    const failed = settled({ verdicts: ALL.map(() => ({ verdict: "FAIL", confidence: 0.9 })) });
    const forged = { ...failed.decision, performance: "cleared", appeal_window_closes_at: "2020-01-01T00:00:00Z" } as const;
    expect(guardOf(evaluate(failed, { decision: forged }))).to.equal("DECISION_ANCHOR");
    const early = decisionBy("engine", failed, { appeal_window_closes_at: "2020-01-01T00:00:00Z" });
    expect(guardOf(evaluate(failed, { decision: early }))).to.equal("DECISION_ANCHOR");
    const paid = { ...failed.instruction, fee_action: { type: "release", release_amount: 1000, currency: "USD" } } as const;
    expect(guardOf(evaluate(failed, { instruction: paid }))).to.equal("INSTRUCTION_ANCHOR");
    expect(guardOf(evaluate(failed, { instruction: instructionBy("agent", failed.instruction) }))).to.equal("INSTRUCTION_ANCHOR");
  });
});

describe("required evidence", () => {
  const requires = (requirement: object) =>
    cleared({ terms: { evidence_requirements: [{ type: "ci_log" }, { type: "ci_log", ...requirement }] } });

  it("is required: without it nothing is released, whatever the panel says", () => {
    const { decision, aggregates } = cleared({ terms: { evidence_requirements: [{ type: "security_scan", class: "ATT" }] } });
    expect([decision.performance, decision.floor_met, decision.missing_evidence]).to.deep.equal(["unverifiable", false, ["security_scan"]]);
    expect(clearing.floorMet(aggregates.fee_release)).to.be.false;
  });

  it("counts at its class and from its source", () => {
    expect(requires({ class: "ATT", source: "lab" }).decision.performance).to.equal("cleared");
    expect(requires({ class: "PROOF" }).decision.missing_evidence).to.deep.equal(["ci_log"]);
    expect(requires({ source: "another lab" }).decision.missing_evidence).to.deep.equal(["ci_log"]);
  });

  it("shields no failure: a provider that withholds it has still failed", () => {
    const evidence_requirements = [{ type: "security_scan" }];
    const { decision } = cleared({ terms: { evidence_requirements }, verdicts: ALL.map(() => ({ verdict: "FAIL", confidence: 0.9 })) });
    expect([decision.performance, decision.floor_met]).to.deep.equal(["failed", true]);
  });
});

describe("an acceptance criterion over evidence", () => {
  const asks = (rule: clearing.Criterion["rule"], evidence = "ci_report") => ({ criterion: "few failures", evidence, rule });
  /** A deal whose provider hands in these reports, each of this class. */
  function reported(reports: readonly (readonly [object, string])[], rule: clearing.Criterion["rule"], verdict: "PASS" | "FAIL" = "PASS") {
    const terms = { ...TERMS, acceptance_criteria: ["as agreed", asks(rule)] };
    const document = clearing.signObligation(terms, { requestor: signers.buyer, provider: signers.agent });
    const obligation = granted(clearing.bindObligation(document, world));
    const hash = obligation.obligation_hash;
    const items = reports.map(([content, grade], index) =>
      clearing.emitted(
        hash,
        { id: `report-${index}`, type: "ci_report", content: JSON.parse(JSON.stringify(content)) },
        { signer: grade === "SIGN" ? signers.agent : signers.lab, class: grade, issuedAt: "2026-05-01T10:00:00Z" },
      ),
    );
    const sealed = clearing.sealEnvelope(signers.agent, { obligation_hash: hash, submitted_at: "2026-05-01T11:00:00Z", items });
    const envelope = granted(clearing.ingest(sealed, obligation, world));
    const outputs = VERIFIERS.map((name) =>
      clearing.signOutput(signers[name], {
        ...{ role: "constraint", obligation_hash: hash, envelope_id: sealed.envelope_id, answers: [{ question: "performance" }] },
        ...{ class_of_basis: "ATT", basis: items.filter((item) => item.class === "ATT").map(clearing.itemHash), verdict, confidence: 0.9 },
      }),
    );
    const { decision } = clearing.clear({ obligation, envelope, outputs, deployment: world, engine: signers.engine, now: NOW });
    return [decision.performance, decision.unmet_criteria ?? []];
  }
  const MET = ["cleared", []];
  const UNMET = ["unverifiable", ["few failures"]];
  const few = { is: "at_most", path: "tests.failed", limit: 2 } as const;
  const report = (failed: unknown) => ({ tests: { failed }, suite: "unit", files: ["services/payments/a.ts"], added: ["zod"] });

  it("is met by the evidence or nothing passes, whatever the panel says", () => {
    expect(reported([[report(2), "ATT"]], few)).to.deep.equal(MET);
    expect(reported([[report(3), "ATT"]], few)).to.deep.equal(UNMET);
    expect(reported([[report("none"), "ATT"]], few)).to.deep.equal(UNMET);
    expect(reported([[{}, "ATT"]], few)).to.deep.equal(UNMET);
  });

  it("is not met by a report below the floor, nor by a better one beside a bad one", () => {
    expect(
      reported(
        [
          [report(3), "ATT"],
          [report(0), "ATT"],
        ],
        few,
      ),
    ).to.deep.equal(UNMET);
    expect(
      reported(
        [
          [report(0), "ATT"],
          [report(9), "SIGN"],
        ],
        few,
      ),
      "a weak one spoils nothing",
    ).to.deep.equal(MET);
    expect(reported([[report(0), "SIGN"]], few)[1]).to.deep.equal(["few failures"]);
  });

  it("shields no failure", () => {
    expect(reported([[report(3), "ATT"]], few, "FAIL")[0]).to.equal("failed");
  });

  it("is one of a closed list of rules", () => {
    const rules: readonly (readonly [clearing.Criterion["rule"], clearing.Criterion["rule"]])[] = [
      [
        { is: "equal_to", path: "tests.failed", value: 1 },
        { is: "equal_to", path: "tests.failed", value: "1" },
      ],
      [
        { is: "one_of", path: "suite", allowed: ["unit", "all"] },
        { is: "one_of", path: "suite", allowed: ["all"] },
      ],
      [
        { is: "paths_within", path: "files", trees: ["services/payments/*"] },
        { is: "paths_within", path: "files", trees: ["docs/*"] },
      ],
      [
        { is: "only_approved", path: "added", approved: ["zod"] },
        { is: "only_approved", path: "added", approved: [] },
      ],
    ];
    for (const [held, broken] of rules) {
      expect(reported([[report(1), "ATT"]], held), held.is).to.deep.equal(MET);
      expect(reported([[report(1), "ATT"]], broken), broken.is).to.deep.equal(UNMET);
    }
    const acceptance_criteria = [asks({ is: "about", path: "tests", limit: 3 } as never)];
    const document = clearing.signObligation({ ...TERMS, acceptance_criteria }, { requestor: signers.buyer, provider: signers.agent });
    expect(guardOf(clearing.bindObligation(document, world))).to.equal("OBLIGATION_SHAPE");
  });
});

describe("a quorum", () => {
  const one = { verdicts: [{ verdict: "PASS", confidence: 0.01 }] } as const;

  it("is more than half of the panel unless the parties say otherwise", () => {
    expect(cleared(one).decision).to.deep.include({ performance: "disputed", floor_met: false, quorum: { required: 2, surviving: 1 } });
    expect(cleared({ verdicts: ALL.slice(1) }).decision.performance).to.equal("cleared");
    const quorum = (n: number) => ({ verifier_policy: { ...TERMS.verifier_policy, quorum: n } });
    expect(cleared({ ...one, terms: quorum(1) }).decision.performance).to.equal("cleared");
    expect(cleared({ verdicts: ALL.slice(1), terms: quorum(3) }).decision.performance).to.equal("disputed");
  });

  it("is not made of those who abstain, nor of those less sure than the least confidence", () => {
    expect(cleared({ verdicts: [SURE, { verdict: "ABSTAIN", confidence: 1 }] }).decision.performance).to.equal("disputed");
    const verifier_policy = { ...TERMS.verifier_policy, min_confidence: 0.5 };
    const unsure = { verdict: "PASS", confidence: 0.1 } as const;
    expect(cleared({ verdicts: [SURE, unsure, unsure], terms: { verifier_policy } }).decision.performance).to.equal("disputed");
  });

  it("cannot be larger than the panel", () => {
    const verifier_policy = { ...TERMS.verifier_policy, quorum: 4 };
    const document = clearing.signObligation({ ...TERMS, verifier_policy }, { requestor: signers.buyer, provider: signers.agent });
    expect(guardOf(clearing.bindObligation(document, world))).to.equal("VERIFIER_COUNT");
  });
});

describe("a docket", () => {
  it("settles an obligation once: the same decision again gives the same instruction, another one nothing", () => {
    const deal = settled();
    const again = clearing.settle(deal, signers.engine, deal.docket);
    expect(granted(again)).to.deep.equal(deal.instruction);
    const other = cleared({ verdicts: ALL.slice(1) });
    expect(other.obligation.obligation_hash).to.equal(deal.obligation.obligation_hash);
    expect(guardOf(clearing.settle(other, signers.engine, deal.docket))).to.equal("SETTLED_ALREADY");
  });

  it("lets a second decision replace the first on appeal only, and the first never becomes final then", () => {
    const deal = settled();
    granted(deal.docket.appeal(appealOf(deal)));
    const second = cleared({ verdicts: ALL.slice(1) });
    const instruction = granted(clearing.settle(second, signers.engine, deal.docket));
    if (instruction === undefined) throw new Error("the second decision settles");
    expect(guardOf(evaluate(deal))).to.equal("INSTRUCTION_ANCHOR");
    expect(granted(evaluate({ ...deal, ...second, instruction })).phi_result).to.be.true;
  });

  it("ends with finality: nothing is settled or appealed after it", () => {
    const deal = settled();
    const evaluation = granted(evaluate(deal));
    granted(deal.docket.close(evaluation, world));
    expect(guardOf(clearing.settle(cleared({ verdicts: ALL.slice(1) }), signers.engine, deal.docket))).to.equal("SETTLED_ALREADY");
    expect(guardOf(deal.docket.appeal(appealOf(deal)))).to.equal("SETTLED_ALREADY");
  });

  it("closes on nothing but a signed evaluation that fired", () => {
    const deal = settled();
    const open = granted(evaluate(deal, { now: NOW }));
    expect(guardOf(deal.docket.close(open, world))).to.equal("NOT_FINAL");
    expect(guardOf(deal.docket.close({ ...open, phi_result: true }, world))).to.equal("NOT_FINAL");
  });
});

describe("the parties", () => {
  it("are two: nobody orders from himself, under one name or two", () => {
    const bind = (requestor: Name, provider: Name) => {
      const terms = { ...TERMS, parties: { requestor, provider } };
      return guardOf(
        clearing.bindObligation(clearing.signObligation(terms, { requestor: signers[requestor], provider: signers[provider] }), world),
      );
    };
    expect([bind("buyer", "agent"), bind("agent", "agent"), bind("buyer", "buyers-other-account")]).to.deep.equal([
      "accepted",
      "ONE_PARTY",
      "ONE_PARTY",
    ]);
  });
});
