/** Obligations that end without finality: what ends them, what does not, and what becomes of the money. */
import { expect } from "chai";
import {
  applyExit,
  bindObligation,
  cancellationHash,
  clear,
  deployment,
  type ExitCause,
  emitted,
  exitRecordSchema,
  hashOf,
  historyRisk,
  ingest,
  isExitSigned,
  itemHash,
  newPassport,
  type ObligationTerms,
  openDocket,
  type RailEnd,
  recordExit,
  refusalHash,
  SETTLEMENT_TEMPLATES,
  sealEnvelope,
  settle,
  signHash,
  signObligation,
  signOutput,
  subjectsOf,
} from "../../orchestrator/clearing/index.ts";
import type { Checked } from "../../orchestrator/clearing/refusal.ts";
import { castOf } from "../../scripts/clearing/cast.ts";
import { granted } from "../../scripts/clearing/scenario.ts";

const { signers, registry } = castOf("exits", {
  buyer: { principal: "buyer-inc" },
  agent: { principal: "agent-labs" },
  lab: { principal: "ci-house", issues: ["ATT"] },
  judge: { principal: "mesh", role: "constraint" },
  engine: { principal: "clearing-house", role: "engine" },
});
const world = deployment(registry, { appealed: () => true });
const BOUND_AT = 1_800_000_000n;
const HOUR = 3600n;
const TERMS: ObligationTerms = {
  ...{ obligation_id: hashOf({ deal: "exits" }), parties: { requestor: "buyer", provider: "agent" }, task: {}, scope: {} },
  ...{ prohibitions: [], required_actions: [], acceptance_criteria: [], admissibility_floors: { fee_release: "ATT" } },
  verifier_policy: { verifiers: ["judge"], count: 1, questions: ["performance"] },
  economic_terms: { fee: 900, collateral: 400, currency: "USD" },
  deadlines: { execution_window_hours: 2, appeal_window_hours: 24 },
  bound_at: "2027-01-15T08:00:00Z",
};
const boundTo = (change: Partial<ObligationTerms> = {}) =>
  granted(bindObligation(signObligation({ ...TERMS, ...change }, { requestor: signers.buyer, provider: signers.agent }), world));
const obligation = boundTo();

const item = emitted(
  obligation.obligation_hash,
  { id: "log", type: "log", content: {} },
  { signer: signers.lab, class: "ATT", issuedAt: "2027-01-15T08:30:00Z" },
);
const envelope = granted(
  ingest(
    sealEnvelope(signers.agent, { obligation_hash: obligation.obligation_hash, submitted_at: "2027-01-15T09:00:00Z", items: [item] }),
    obligation,
    world,
  ),
);

function cleared(verdict: "PASS" | "ABSTAIN") {
  const output = signOutput(signers.judge, {
    ...{ role: "constraint", obligation_hash: obligation.obligation_hash, envelope_id: envelope.envelope.envelope_id, verdict },
    ...{ answers: [{ question: "performance" }], class_of_basis: "ATT", basis: [itemHash(item)], confidence: 1 },
  });
  return clear({ obligation, envelope, outputs: [output], deployment: world, engine: signers.engine, now: BOUND_AT + HOUR });
}

const AFTERWARDS = { now: BOUND_AT + 26n * HOUR };
const signed = (by: "buyer" | "agent", hash = obligation.obligation_hash) => signHash(signers[by], "cancellation", cancellationHash(hash));
const BOTH: ExitCause = { exit: "CANCELLED", requestor: signed("buyer"), provider: signed("agent") };
const leave = (cause: ExitCause, { docket = openDocket(), now = BOUND_AT + HOUR, engine = signers.engine } = {}) =>
  recordExit({ obligation, cause, deployment: world, engine, docket, now });
const refusals = (checked: Checked<unknown>) => (checked.ok ? [] : checked.refusals.map(({ guard }) => guard));

describe("an obligation that ends without finality", () => {
  it("is cancelled by both parties, and leaves the event alone", () => {
    const record = granted(leave(BOTH));
    expect(record).to.deep.include({
      exit: "CANCELLED",
      fee_action: { type: "refund", refund_amount: 900, currency: "USD" },
      collateral_action: { type: "return", amount: 400 },
      passport_delta: { "agent.cancelled_obligations": 1 },
    });
    expect(exitRecordSchema.parse(JSON.parse(JSON.stringify(record)))).to.deep.equal(record);
    expect([isExitSigned(record, world), isExitSigned({ ...record, exit: "EXPIRED" }, world)]).to.deep.equal([true, false]);
  });

  it("is not cancelled by one party, twice, nor by a cancellation of another deal", () => {
    const other = hashOf({ deal: "another" });
    const attempts = [
      { ...BOTH, requestor: signed("agent") },
      { ...BOTH, provider: signed("buyer") },
      { ...BOTH, requestor: signed("buyer", other), provider: signed("agent", other) },
      { ...BOTH, provider: signHash(signers.agent, "obligation", cancellationHash(obligation.obligation_hash)) },
    ];
    for (const attempt of attempts) expect(refusals(leave(attempt))).to.deep.equal(["EXIT_NOT_DUE"]);
  });

  it("is refused by its requestor alone, before execution begins, where the terms give it time to look at what was bound", () => {
    const watched = boundTo({ deadlines: { ...TERMS.deadlines, refusal_window_hours: 1 } });
    const by = (name: "buyer" | "agent", hash = refusalHash(watched.obligation_hash)) => signHash(signers[name], "cancellation", hash);
    const refuse = (refused = by("buyer"), now = BOUND_AT + HOUR - 1n, own = watched) =>
      recordExit({
        ...{ obligation: own, cause: { exit: "CANCELLED", refused }, deployment: world, engine: signers.engine },
        ...{ docket: openDocket(), now },
      });
    const record = granted(refuse());
    expect(record).to.deep.include({ exit: "CANCELLED", passport_delta: { "buyer.refused_obligations": 1 } });
    expect(record).to.deep.include({ refused_by: by("buyer"), collateral_action: { type: "return", amount: 400 } });
    expect(isExitSigned(record, world)).to.equal(true);
    const half = signHash(signers.buyer, "cancellation", cancellationHash(watched.obligation_hash));
    for (const attempt of [
      refuse(by("agent")),
      refuse(half),
      refuse(by("buyer"), BOUND_AT + HOUR),
      refuse(by("buyer"), BOUND_AT, obligation),
    ])
      expect(refusals(attempt)).to.deep.equal(["EXIT_NOT_DUE"]);
    // Execution begins when it can no longer be refused.
    const submitted = (submitted_at: string) =>
      refusals(ingest(sealEnvelope(signers.agent, { obligation_hash: watched.obligation_hash, submitted_at, items: [] }), watched, world));
    expect(submitted("2027-01-15T08:59:59Z")).to.deep.equal(["SUBMITTED_TOO_LATE"]);
    expect(submitted("2027-01-15T11:00:00Z")).to.deep.equal([]);
    const expire = (now: bigint) =>
      recordExit({
        ...{ obligation: watched, cause: { exit: "EXPIRED" }, deployment: world, engine: signers.engine },
        ...{ docket: openDocket(), now },
      });
    expect([expire(BOUND_AT + 3n * HOUR).ok, expire(BOUND_AT + 3n * HOUR + 1n).ok]).to.deep.equal([false, true]);
    const endless = { ...TERMS, deadlines: { ...TERMS.deadlines, refusal_window_hours: 1e12 } };
    const sealed = signObligation(endless, { requestor: signers.buyer, provider: signers.agent });
    expect(refusals(bindObligation(sealed, world)), "in 100 million years").to.deep.equal(["OBLIGATION_SHAPE"]);
    const clocked = { ...TERMS.deadlines, refusal_window_hours: 1, execution_begins: "the award" };
    const unbound = signObligation({ ...TERMS, deadlines: clocked }, { requestor: signers.buyer, provider: signers.agent });
    expect(refusals(bindObligation(unbound, world))).to.deep.equal(["POLICY_CONFLICT"]);
  });

  it("is refused at nobody's cost but in the refuser's own name, however often it binds and refuses", () => {
    let [buyer, agent] = [newPassport("buyer"), newPassport("agent")];
    for (let deal = 0; deal < 5; deal += 1) {
      const own = boundTo({ obligation_id: hashOf({ deal }), deadlines: { ...TERMS.deadlines, refusal_window_hours: 1 } });
      const refused = signHash(signers.buyer, "cancellation", refusalHash(own.obligation_hash));
      const cause = { exit: "CANCELLED", refused } as const;
      const record = granted(
        recordExit({ obligation: own, cause, deployment: world, engine: signers.engine, docket: openDocket(), now: BOUND_AT }),
      );
      expect(subjectsOf(record)).to.deep.equal(["buyer"]);
      expect(refusals(applyExit(agent, record, world)), "the engine would publish it to the provider").to.deep.equal(["DELTA_NOT_DUE"]);
      const forged = { ...record, passport_delta: { "agent.refused_obligations": 1 } };
      expect(refusals(applyExit(agent, forged, world))).to.deep.equal(["DELTA_NOT_DUE"]);
      buyer = granted(applyExit(buyer, record, world));
    }
    expect([buyer.fields, agent.fields]).to.deep.equal([{ refused_obligations: 5 }, {}]);
    // A provider that renders what its buyers must refuse smears none of them: to refuse is a right, and no risk.
    expect([historyRisk(buyer), historyRisk(agent)]).to.deep.equal([0.5, 0.5]);
  });

  it("expires when its window is over, not in its last second, and the provider has not performed", () => {
    const ends = BOUND_AT + 2n * HOUR;
    expect(refusals(leave({ exit: "EXPIRED" }, { now: ends }))).to.deep.equal(["EXIT_NOT_DUE"]);
    // Where `bound_at` keeps the window, nobody states another beginning.
    expect(refusals(leave({ exit: "EXPIRED", began: 0n }, { now: ends }))).to.deep.equal(["EXIT_NOT_DUE"]);
    expect(granted(leave({ exit: "EXPIRED" }, { now: ends + 1n }))).to.deep.include({
      collateral_action: { type: "slash", amount: 400, return_amount: 0 },
      passport_delta: { "agent.failed_obligations": 1 },
    });
  });

  it("is unverifiable by a signed decision of its own that decides nothing", () => {
    const undecided = cleared("ABSTAIN");
    expect(refusals(leave({ exit: "UNVERIFIABLE", cleared: undecided })), "it can be escalated").to.deep.equal(["EXIT_NOT_DUE"]);
    const record = granted(leave({ exit: "UNVERIFIABLE", cleared: undecided }, AFTERWARDS));
    expect(record).to.deep.include({
      collateral_action: { type: "return", amount: 400 },
      passport_delta: { "agent.unverifiable_obligations": 1 },
    });
    expect(record.clearing_decision_hash).to.equal(undecided.decision.clearing_decision_hash);
    const forged = { ...undecided, decision: { ...undecided.decision, decided_at: "2027-01-15T09:59:59Z" } };
    for (const unfit of [cleared("PASS"), forged])
      expect(refusals(leave({ exit: "UNVERIFIABLE", cleared: unfit }, AFTERWARDS))).to.deep.equal(["EXIT_NOT_DUE"]);
  });

  it("is not settled afterwards, and what is settled ends no other way but after an appeal", () => {
    const passed = cleared("PASS");
    const ended = openDocket();
    const record = granted(leave(BOTH, { docket: ended }));
    expect(granted(leave(BOTH, { docket: ended })), "again").to.deep.equal(record);
    expect(ended.entry(obligation.obligation_hash)?.state.stage).to.equal("CANCELLED");
    expect(refusals(settle(passed, signers.engine, ended))).to.deep.equal(["SETTLED_ALREADY"]);
    const settled = openDocket();
    const instruction = granted(settle(passed, signers.engine, settled));
    const late = { docket: settled, ...AFTERWARDS };
    expect(refusals(leave(BOTH, late))).to.deep.equal(["SETTLED_ALREADY"]);
    expect(refusals(leave({ exit: "EXPIRED" }, late))).to.deep.equal(["SETTLED_ALREADY"]);
    const appeal = { obligation_hash: obligation.obligation_hash, instruction_id: instruction?.instruction_id ?? "0x", receipt: "rail" };
    granted(settled.appeal(appeal));
    expect(refusals(leave({ exit: "EXPIRED" }, late)), "there is evidence").to.deep.equal(["EXIT_NOT_DUE"]);
    granted(leave({ exit: "UNVERIFIABLE", cleared: cleared("ABSTAIN") }, late));
    expect(settled.entry(obligation.obligation_hash)?.state.stage).to.equal("UNVERIFIABLE");
  });

  it("gives back principal as after a failure, pays no claim, and takes the collateral that a failure would cost", () => {
    const economic_terms = { ...TERMS.economic_terms, principal: 4_500, claim_ceiling: 700 };
    const execution_rail = { name: "escrow" };
    const expired = (settlement_policy: NonNullable<ObligationTerms["settlement_policy"]>) => {
      const own = boundTo({ economic_terms, settlement_policy });
      const cause = { exit: "EXPIRED" } as const;
      return granted(
        recordExit({ obligation: own, cause, deployment: world, engine: signers.engine, docket: openDocket(), ...AFTERWARDS }),
      );
    };
    expect(expired({ execution_rail })).to.deep.include({
      principal_action: { type: "refund", amount: 4_500, currency: "USD" },
      claim_action: { type: "deny", amount: 0, currency: "USD" },
      collateral_action: { type: "slash", amount: 400, return_amount: 0 },
    });
    expect(expired({ execution_rail, on_failure: "reverse" }).principal_action?.type).to.equal("reverse");
    const { passed } = SETTLEMENT_TEMPLATES.standard;
    const paidAnyway = { passed, violated: passed, failed: passed };
    expect(expired({ execution_rail, outcomes: paidAnyway }).principal_action?.type, "nothing is released without a clearing").to.equal(
      "refund",
    );
    expect(expired({ execution_rail, outcomes: SETTLEMENT_TEMPLATES.lenient }).collateral_action).to.deep.equal({
      type: "return",
      amount: 400,
    });
    expect(granted(leave(BOTH)), "where there is none").to.not.have.any.keys("principal_action", "claim_action", "slashed");
  });

  it("is ended by its rail only if the deployment knows of it, and only at the cost of who performs it", () => {
    const end: RailEnd = { reason: "TIMEOUT", receipt: "0xtx", atFault: ["agent"], slashed: { agent: 50 } };
    const knows = deployment(registry, {
      ended: (one, by) => one.obligation_hash === obligation.obligation_hash && by.reason === "TIMEOUT",
    });
    const endedBy = (change: Partial<RailEnd> = {}, place = knows) =>
      recordExit({
        ...{ obligation, cause: { exit: "EXPIRED", ended: { ...end, ...change } }, deployment: place, engine: signers.engine },
        ...{ docket: openDocket(), now: BOUND_AT },
      });
    expect(granted(endedBy())).to.deep.include({
      ended_by: { reason: "TIMEOUT", receipt: "0xtx" },
      collateral_action: { type: "slash", amount: 50, return_amount: 350 },
      slashed: { agent: 50 },
      passport_delta: { "agent.failed_obligations": 1 },
    });
    expect(granted(endedBy({ atFault: [], slashed: {} })).passport_delta, "nobody's fault").to.deep.equal({
      "agent.released_obligations": 1,
    });
    expect(refusals(endedBy({}, world)), "nobody knows of it").to.deep.equal(["EXIT_NOT_DUE"]);
    expect(refusals(endedBy({ reason: "FREEZE" }))).to.deep.equal(["EXIT_NOT_DUE"]);
    for (const stranger of [{ atFault: ["buyer"] }, { slashed: { judge: 1 } }])
      expect(refusals(endedBy(stranger))).to.deep.equal(["EXIT_NOT_DUE"]);
  });

  it("changes the passport of who performs it, once, by its engine's signature", () => {
    const record = granted(leave(BOTH));
    const after = granted(applyExit(newPassport("agent"), record, world));
    expect(after.fields).to.deep.equal({ cancelled_obligations: 1 });
    const forged = { ...record, passport_delta: { "agent.cleared_obligations": 9 } };
    for (const refused of [
      applyExit(after, record, world),
      applyExit(newPassport("buyer"), record, world),
      applyExit(newPassport("agent"), forged, world),
      applyExit(newPassport("agent"), { ...record, clearing_engine: "judge" }, world),
    ])
      expect(refusals(refused)).to.deep.equal(["DELTA_NOT_DUE"]);
  });

  it("is closed by its engine alone", () => {
    expect(() => leave(BOTH, { engine: signers.judge }))
      .to.throw()
      .with.property("code", "NotTheEngine");
  });
});
