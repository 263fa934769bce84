import { expect } from "chai";
import { timeOf } from "../../orchestrator/clearing/fields.ts";
import {
  belowBand,
  bindObligation,
  type ClearingInput,
  clear,
  DEFAULT_EXPOSURE,
  deployment,
  emitted,
  evaluateFinality,
  type HumanDeed,
  hashOf,
  ingest,
  intensityFor,
  itemHash,
  marginFor,
  type Obligation,
  type ObligationTerms,
  openDocket,
  type RailAppeal,
  raisedTo,
  recordOverride,
  registryOf,
  type Scorer,
  type SettlementInstruction,
  sealEnvelope,
  settle,
  settleOverride,
  signer,
  signObligation,
  signOutput,
  TERMINAL_STATES,
  terminalStatesOf,
} from "../../orchestrator/clearing/index.ts";
import type { Checked } from "../../orchestrator/clearing/refusal.ts";
import { sha256 } from "../../orchestrator/primitives/hash.ts";
import { randomStream } from "../../orchestrator/primitives/random.ts";

/** Two who do the same work for prices of their own, a panel that is drawn afterwards, and an obligation that nobody signed. */
const NAMES = ["buyer", "ann", "bob", "lab", "v1", "v2", "v3", "engine"] as const;
const keys = Object.fromEntries(NAMES.map((name) => [name, signer(name, "ed25519", Buffer.from(sha256(name).slice(2), "hex"))])) as Record<
  (typeof NAMES)[number],
  ReturnType<typeof signer>
>;
const registry = registryOf(
  NAMES.map((id) => ({
    id,
    principal: `house of ${id}`,
    key: keys[id].key,
    ...(id === "lab" ? { issues: ["ATT", "WIT"] } : {}),
    ...(id.startsWith("v") ? { role: "constraint" as const } : id === "engine" ? { role: "engine" as const } : {}),
  })),
);
const TERMS: ObligationTerms = {
  obligation_id: hashOf({ deal: "shared" }),
  parties: { requestor: "buyer", provider: "ann" },
  agents: ["bob"],
  task: {},
  scope: {},
  prohibitions: [],
  required_actions: [],
  acceptance_criteria: [],
  admissibility_floors: { fee_release: "ATT" },
  verifier_policy: { verifiers: [], count: 3, drawn_by: "lot", questions: ["performance"], confidence_form: "mean" },
  economic_terms: { fee: 3_000_001, collateral: 500, currency: "units" },
  deadlines: { execution_window_hours: 1, appeal_window_hours: 24 },
  settlement_policy: {
    execution_rail: { name: "vault" },
    release: {
      protocol_fee_bps: 200,
      insurance_bps: 100,
      agreeing_only: true,
      promises: [
        { payee: "ann", price: 1_000_000, items: "0/" },
        { payee: "bob", price: 2_000_001, items: "1/" },
      ],
    },
  },
};
const OBLIGATION = signObligation(TERMS, {});
const isBid = (one: Obligation) => one.obligation_hash === OBLIGATION.obligation_hash;
const world = deployment(registry, { undertook: isBid });
const NOW = 1_800_000_000n;
const PANEL = ["v1", "v2", "v3"];
const bound = granted(bindObligation(OBLIGATION, world));
/** The rail's appeal against an instruction. */
const against = (standing?: SettlementInstruction): RailAppeal => ({
  ...{ obligation_hash: bound.obligation_hash, instruction_id: standing?.instruction_id ?? "0x", receipt: "heard" },
});
const itemOf = (slot: number, grade = "ATT") =>
  emitted(
    OBLIGATION.obligation_hash,
    { id: `${slot}/0`, type: "re-execution", content: { slot } },
    { signer: keys.lab, class: grade, issuedAt: "2027-01-15T07:00:00Z" },
  );
const both = [itemOf(0), itemOf(1)];
type Said = Partial<Parameters<typeof signOutput>[1]>;

/** A clearing of what was handed in, by what each of the panel says. */
function cleared(said: readonly (Said | undefined)[], items = both, change: Partial<ClearingInput> = {}) {
  const body = { obligation_hash: OBLIGATION.obligation_hash, submitted_at: "2027-01-15T08:00:00Z", items };
  const envelope = granted(ingest(sealEnvelope(keys.ann, body), bound, world));
  const outputs = said.flatMap((one, at) =>
    one === undefined
      ? []
      : [
          signOutput(keys[PANEL[at] as "v1"], {
            role: "constraint",
            obligation_hash: OBLIGATION.obligation_hash,
            envelope_id: envelope.envelope.envelope_id,
            answers: [{ question: "performance" }],
            class_of_basis: "ATT",
            basis: items.filter((item) => item.class === "ATT").map(itemHash),
            verdict: "PASS",
            confidence: 1,
            score: 1,
            agreeing: ["ann", "bob"],
            ...one,
          }),
        ],
  );
  const input = { obligation: bound, envelope, outputs, deployment: world, panel: PANEL, drawn: 15_000, engine: keys.engine, now: NOW };
  return { ...clear({ ...input, ...change }), envelope };
}
const EVEN = { ann: 1000, bob: 1000 };
const feeOf = (found: ReturnType<typeof cleared>, multipliers: Record<string, number> = EVEN) =>
  granted(settle(found, keys.engine, openDocket(), multipliers))?.fee_action;
const linesOf = (...args: Parameters<typeof feeOf>) => {
  const action = feeOf(...args);
  return action !== undefined && "distribution" in action ? (action.distribution ?? []) : [];
};

describe("an obligation with a release rule", () => {
  it("binds those who undertook it otherwise, and nobody else", () => {
    expect(refusals(bindObligation(OBLIGATION, deployment(registry)))).to.deep.equal(["PARTY_SIGNATURE", "PARTY_SIGNATURE"]);
    const cheaper = signObligation({ ...TERMS, admissibility_floors: { fee_release: "SELF" } }, {});
    expect(refusals(bindObligation(cheaper, world)), "not what they bid on").to.include("PARTY_SIGNATURE");
  });

  it("takes verdicts of those who were drawn, and of no more than it has seats for", () => {
    const others = cleared([{}, {}, {}], both, { panel: ["v2", "v3"] });
    expect(others.decision.surviving_verifiers).to.deep.equal(["v2", "v3"]);
    expect(others.refusals.map(({ guard }) => guard)).to.deep.equal(["NOT_EMPANELLED"]);
    expect(cleared([{}, {}, {}], both, { panel: ["x", "y", "z", ...PANEL] }).decision.performance).to.equal("unverifiable");
    expect(cleared([{}, {}, {}]).decision.panel).to.deep.equal(PANEL);
  });

  it("pays by the weighted lower median of the scores, to the unit", () => {
    const { decision } = cleared([{ score: 0.9 }, { score: 0.5 }, { score: 0.8 }]);
    expect(decision.score).to.equal(0.8);
    const [ann, bob] = linesOf(cleared([{ score: 0.9 }, { score: 0.5 }, { score: 0.8 }]), { ann: 900, bob: 1200 });
    // base 970,000; released 776,000; ψ 0.9 pays 698,400.
    expect(ann).to.deep.equal({
      ...{ payee: "ann", price: 1_000_000, multiplier: 900, paid: 698_400, premium: 0, fee: 20_000, insurance: 10_000 },
      ...{ discount: 77_600, returned: 194_000 },
    });
    // base 1,940,000 of 1,940,000.97; ψ 1.2 asks a fifth of 1,552,000 of the treasury.
    expect(bob).to.deep.include({ paid: 1_552_000, premium: 310_400, fee: 40_000, insurance: 20_000, discount: 0, returned: 388_001 });
  });

  it("loses no unit, whatever score, multipliers and dissent", () => {
    const random = randomStream(11, "release rule");
    for (let k = 0; k < 60; k += 1) {
      const scores = PANEL.map(() => ({ score: random.int(10_001) / 10_000, agreeing: random.int(2) === 0 ? ["ann"] : ["ann", "bob"] }));
      const lines = linesOf(cleared(scores), { ann: random.int(3000), bob: random.int(3000) });
      for (const { price, paid, fee, insurance, discount, returned } of lines)
        expect(paid + fee + insurance + discount + returned, `case ${k}`).to.equal(price);
      expect(lines.reduce((sum, { price }) => sum + price, 0)).to.equal(TERMS.economic_terms.fee);
    }
  });

  it("does not pay a dissenter, nor work that nobody shows above the floor", () => {
    const dissent = cleared([{ agreeing: ["ann"] }, { agreeing: ["ann"] }, {}]);
    expect(dissent.decision).to.deep.include({ agreeing: ["ann"], payees: ["ann"] });
    expect(linesOf(dissent)[1]).to.deep.include({ payee: "bob", paid: 0, returned: 2_000_001 });
    const weak = cleared([{}, {}, {}], [itemOf(0), itemOf(1, "WIT")]);
    expect(weak.decision).to.deep.include({ agreeing: ["ann", "bob"], payees: ["ann"] });
  });

  it("tells the passport of each who performs it: cleared, if it is paid", () => {
    const deltaOf = (found: ReturnType<typeof cleared>) =>
      granted(settle(found, keys.engine, openDocket(), EVEN))?.reputation_action?.passport_delta;
    expect(deltaOf(cleared([{}, {}, {}]))).to.deep.equal({ "ann.cleared_obligations": 1, "bob.cleared_obligations": 1 });
    const dissent = cleared([{ agreeing: ["bob"] }, { agreeing: ["bob"] }, {}]);
    expect(deltaOf(dissent), "the provider dissents").to.deep.equal({ "ann.failed_obligations": 1, "bob.cleared_obligations": 1 });
    const failed = { "ann.failed_obligations": 1, "bob.failed_obligations": 1 };
    expect(deltaOf(cleared([{ verdict: "FAIL" }, { verdict: "FAIL" }, undefined]))).to.deep.equal(failed);
  });

  it("refunds what failed whole, and slashes what was held", () => {
    const failed = cleared([{ verdict: "FAIL" }, { verdict: "FAIL" }, undefined]);
    const instruction = granted(settle(failed, keys.engine, openDocket()));
    expect(instruction?.fee_action).to.deep.equal({ type: "refund", refund_amount: 3_000_001, currency: "units" });
    const slashed = { type: "slash", amount: 500, return_amount: 0 };
    expect(instruction?.collateral_action).to.have.property("on_final").that.deep.equals(slashed);
  });

  it("does not guess a multiplier", () => {
    expect(refusals(settle(cleared([{}, {}, {}]), keys.engine, openDocket(), { ann: 1000 }))).to.deep.equal(["MULTIPLIER_UNKNOWN"]);
  });

  it("takes the engine's envelope for an actor who is gone, and no stranger's", () => {
    const body = { obligation_hash: OBLIGATION.obligation_hash, submitted_at: "2027-01-15T08:00:00Z", items: both };
    expect(granted(ingest(sealEnvelope(keys.engine, body), bound, world)).items.size).to.equal(2);
    for (const stranger of [keys.v1, keys.lab, keys.buyer])
      expect(refusals(ingest(sealEnvelope(stranger, body), bound, world))).to.deep.equal(["SUBMITTER_NOT_AUTHORISED"]);
  });
});

describe("the terminal states of a settlement-risk standard", () => {
  const open = deployment(registry, { undertook: () => true });
  const reached = (change: Partial<ObligationTerms>, verdict: "PASS" | "FAIL", score = 1) => {
    const obligation = granted(bindObligation(signObligation({ ...TERMS, ...change }, {}), open));
    const items = [0, 1].map((slot) =>
      emitted(
        obligation.obligation_hash,
        { id: `${slot}/0`, type: "re-execution", content: { slot } },
        { signer: keys.lab, class: "ATT", issuedAt: "2027-01-15T07:00:00Z" },
      ),
    );
    const sealed = sealEnvelope(keys.ann, { obligation_hash: obligation.obligation_hash, submitted_at: "2027-01-15T08:00:00Z", items });
    const envelope = granted(ingest(sealed, obligation, open));
    const outputs = PANEL.map((name) =>
      signOutput(keys[name as "v1"], {
        ...{ role: "constraint", obligation_hash: obligation.obligation_hash, envelope_id: envelope.envelope.envelope_id },
        ...{ answers: [{ question: "performance" }], class_of_basis: "ATT", basis: items.map(itemHash) },
        ...{ verdict, confidence: 1, score, agreeing: ["ann", "bob"] },
        ...(verdict === "FAIL" ? { loss_estimate: { point: 400, currency: "units" } } : {}),
      }),
    );
    const docket = openDocket();
    const found = clear({ obligation, envelope, outputs, deployment: open, panel: PANEL, engine: keys.engine, now: NOW });
    const instruction = granted(settle(found, keys.engine, docket, EVEN));
    if (instruction === undefined) throw new Error("nothing was decided");
    const environment = { appealsFiledAt: [], resolvedConflicts: [] };
    const final = { obligation, decision: found.decision, instruction, docket, deployment: open, environment, engine: keys.engine };
    const evaluation = granted(evaluateFinality({ ...final, now: NOW + 86_400n }));
    const early = granted(evaluateFinality({ ...final, now: NOW }));
    return { instruction, evaluation, early, states: granted(terminalStatesOf(instruction, evaluation, open)) };
  };
  const claimed = { economic_terms: { ...TERMS.economic_terms, claim_ceiling: 700 } };

  it("are all reached by some instruction, each with its money", () => {
    const passed = reached({}, "PASS", 0.5).states;
    expect(passed.map(({ state }) => state)).to.deep.equal(["released", "refunded"]);
    expect(passed.reduce((sum, { amount }) => sum + amount, 0)).to.equal(TERMS.economic_terms.fee);
    expect(reached({}, "FAIL").states).to.deep.equal([
      { state: "refunded", amount: 3_000_001 },
      { state: "slashed", amount: 400 },
    ]);
    const whole = { settlement_policy: { execution_rail: { name: "vault" } } };
    expect(reached(whole, "PASS").states).to.deep.equal([{ state: "released", amount: 3_000_001 }]);
    expect(reached(claimed, "FAIL").states.at(-1), "the loss that was found").to.deep.equal({ state: "claimed", amount: 400 });
    expect(TERMINAL_STATES).to.deep.equal(["released", "refunded", "slashed", "claimed"]);
  });

  it("are reached by nothing that is not final, or not what its engine signed", () => {
    const { instruction, evaluation, early } = reached({}, "PASS");
    const other = reached({}, "FAIL");
    const refused = (...of: Parameters<typeof terminalStatesOf>) => refusals(terminalStatesOf(...of));
    expect(refused(instruction, early, open)).to.deep.equal(["NOT_FINAL"]);
    expect(refused(instruction, other.evaluation, open)).to.deep.equal(["NOT_FINAL"]);
    expect(refused({ ...instruction, clearing_decision_hash: other.instruction.clearing_decision_hash }, evaluation, open)).to.deep.equal([
      "NOT_FINAL",
    ]);
    expect(refused(instruction, { ...early, phi_result: true }, open)).to.deep.equal(["NOT_FINAL"]);
  });
});

describe("an obligation's exposure", () => {
  const exposed = (score: number, scorers?: readonly Scorer[]) =>
    deployment(registry, { undertook: () => true, exposure: { of: () => score, config: DEFAULT_EXPOSURE }, scorers });
  const boundAt = (terms: ObligationTerms, score: number) => bindObligation(signObligation(terms, {}), exposed(score));
  const poor: Scorer = { name: "profile", weight: 100, score: () => 0.1 };

  it("binds no terms below its band, and any that are raised to it: quorum, appeal window and collateral together", () => {
    const low = boundAt(TERMS, 0.1);
    expect(low.ok, "nothing is demanded of little").to.equal(true);
    for (const [score, lacks] of [
      [0.3, 1],
      [0.6, 3],
      [0.9, 3],
    ] as const) {
      const refused = boundAt(TERMS, score);
      expect(refusals(refused), `${score}`).to.deep.equal(Array.from({ length: lacks }, () => "BELOW_BAND"));
      const intensity = intensityFor(score);
      const raised = raisedTo(TERMS, intensity);
      expect(boundAt(raised, score).ok, `${score}`).to.equal(true);
      expect(belowBand(raised, intensity)).to.deep.equal([]);
      expect(raisedTo(raised, intensity), "raised once").to.deep.equal(raised);
      expect(raised.economic_terms.collateral).to.be.at.least(marginFor(TERMS.economic_terms.fee, intensity));
      expect(raised.verifier_policy.quorum).to.be.at.least(intensity.quorum);
    }
    const patient = { ...TERMS, deadlines: { ...TERMS.deadlines, appeal_window_hours: 1_000 } };
    expect(raisedTo(patient, intensityFor(0.9)).deadlines.appeal_window_hours, "never less than agreed").to.equal(1_000);
  });

  it("is decided by its band's quorum, and by the next band's after a poor triage score", () => {
    const terms = raisedTo({ ...TERMS, verifier_policy: { ...TERMS.verifier_policy, quorum: 2 } }, intensityFor(0.3));
    const decide = (voices: number, scorers?: readonly Scorer[]) => {
      const place = exposed(0.3, scorers);
      const obligation = granted(bindObligation(signObligation(terms, {}), place));
      const items = both.map((_, slot) =>
        emitted(
          obligation.obligation_hash,
          { id: `${slot}/0`, type: "re-execution", content: { slot } },
          { signer: keys.lab, class: "ATT", issuedAt: "2027-01-15T07:00:00Z" },
        ),
      );
      const sealed = sealEnvelope(keys.ann, { obligation_hash: obligation.obligation_hash, submitted_at: "2027-01-15T08:00:00Z", items });
      const envelope = granted(ingest(sealed, obligation, place));
      const outputs = PANEL.slice(0, voices).map((name) =>
        signOutput(keys[name as "v1"], {
          ...{ role: "constraint", obligation_hash: obligation.obligation_hash, envelope_id: envelope.envelope.envelope_id },
          ...{ answers: [{ question: "performance" }], class_of_basis: "ATT", basis: items.map(itemHash) },
          ...{ verdict: "PASS", confidence: 1, score: 1, agreeing: ["ann", "bob"] },
        }),
      );
      const input = { obligation, envelope, outputs, deployment: place, panel: PANEL, engine: keys.engine, now: NOW };
      const { band, quorum, performance, triage_score } = clear(input).decision;
      return { band, required: quorum.required, performance, triage_score };
    };
    expect(decide(2)).to.deep.equal({ band: "MODERATE", required: 2, performance: "cleared", triage_score: 1 });
    const escalated = decide(2, [poor]);
    expect(escalated).to.deep.equal({ band: "ELEVATED", required: 3, performance: "disputed", triage_score: 0.1 });
    expect(decide(3, [poor])).to.include({ band: "ELEVATED", performance: "cleared" });
    expect(cleared([{}, {}, {}]).decision, "where exposures are not known").to.not.have.property("band");
  });
});

describe("a human act", () => {
  const disputed = cleared([{ verdict: "FAIL" }, {}, undefined]);
  const DEED: HumanDeed = {
    act: "APPROVE_POP",
    acted_by: ["judge"],
    justification: hashOf({ why: "read it" }),
    receipt: "0xact",
    decision: disputed.decision.clearing_decision_hash,
    ruling: { score: 0.5, payees: ["ann"], basis: [itemHash(itemOf(0))] },
    at: NOW + 10n,
    appealsUntil: NOW + 100n,
  };
  const write = (change: Partial<HumanDeed> = {}) =>
    recordOverride({
      obligation: bound,
      envelope: disputed.envelope,
      deed: { ...DEED, ...change },
      deployment: world,
      engine: keys.engine,
    });
  const ruling = (change: Partial<NonNullable<HumanDeed["ruling"]>>) => ({ ruling: { score: 0.5, payees: ["ann"], basis: [], ...change } });

  it("settles what the panel could not, and is final when its own window is over", () => {
    expect(granted(settle(disputed, keys.engine, openDocket(), EVEN)), "disputed: nothing moves").to.equal(undefined);
    const override = granted(write());
    const docket = openDocket();
    const instruction = granted(settleOverride(override, bound, keys.engine, docket, EVEN));
    expect(instruction).to.deep.include({ override_id: override.override_id, clearing_decision_hash: override.override_id });
    expect(instruction?.fee_action).to.deep.include({ release_amount: 485_000, retain_amount: 2_515_001 });
    if (instruction === undefined) throw new Error("it moved nothing");
    const environment = { appealsFiledAt: [], resolvedConflicts: [] };
    const final = { obligation: bound, decision: override, instruction, docket, deployment: world, environment, engine: keys.engine };
    expect(granted(evaluateFinality({ ...final, now: NOW + 99n })).phi_result).to.equal(false);
    expect(granted(evaluateFinality({ ...final, now: NOW + 100n })).phi_result).to.equal(true);
    expect(refusals(evaluateFinality({ ...final, decision: disputed.decision, now: NOW + 100n }))).to.deep.equal(["INSTRUCTION_ANCHOR"]);
    const later = { ...override, acted_by: ["somebody else"] };
    expect(refusals(evaluateFinality({ ...final, decision: later, now: NOW + 100n }))).to.deep.equal(["DECISION_ANCHOR"]);
  });

  it("says what becomes of the collateral where the rail says what it took: held in its window, final without one", () => {
    const actionOf = (slashed: Readonly<Record<string, number>> | undefined, appealsUntil = DEED.appealsUntil) => {
      const act = write({ appealsUntil, ...ruling(slashed === undefined ? {} : { slashed }) });
      return granted(settleOverride(granted(act), bound, keys.engine, openDocket(), EVEN))?.collateral_action;
    };
    expect(actionOf(undefined), "nothing is said of it").to.equal(undefined);
    const until = timeOf(DEED.appealsUntil);
    expect(actionOf({})).to.deep.equal({ type: "hold", amount: 500, until, on_final: { type: "return", amount: 500 } });
    expect(actionOf({}, DEED.at)).to.deep.equal({ type: "return", amount: 500 });
    expect(actionOf({ ann: 100, bob: 50 }, DEED.at)).to.deep.equal({ type: "slash", amount: 150, return_amount: 350 });
    expect(actionOf({ ann: 600 }, DEED.at)).to.deep.equal({ type: "slash", amount: 600, return_amount: 0 });
    expect(refusals(write(ruling({ slashed: { lab: 1 } })))).to.deep.equal(["OVERRIDE_OF_STRANGER"]);
  });

  it("takes no collateral on less than its floor", () => {
    const strict = granted(
      bindObligation(
        signObligation({ ...TERMS, admissibility_floors: { ...TERMS.admissibility_floors, collateral_hold: "PROOF" } }, {}),
        deployment(registry, { undertook: () => true }),
      ),
    );
    const deed = (slashed?: Readonly<Record<string, number>>) => ({
      ...DEED,
      ...ruling({ basis: [itemHash(itemOf(0))], ...(slashed === undefined ? {} : { slashed }) }),
    });
    const write = (of: HumanDeed) =>
      recordOverride({ obligation: strict, envelope: disputed.envelope, deed: of, deployment: world, engine: keys.engine });
    expect(write(deed()).ok, "a fee on an item of class ATT").to.equal(true);
    expect(refusals(write(deed({})))).to.deep.equal(["OVERRIDE_BELOW_FLOOR"]);
  });

  it("takes the place of an instruction only after an appeal", () => {
    const passed = cleared([{}, {}, {}]);
    const docket = openDocket();
    const standing = granted(settle(passed, keys.engine, docket, EVEN));
    const override = granted(write({ act: "RESOLVE_APPEAL", ...ruling({ score: 0.25, payees: ["ann", "bob"] }) }));
    expect(refusals(settleOverride(override, bound, keys.engine, docket, EVEN))).to.deep.equal(["SETTLED_ALREADY"]);
    granted(docket.appeal(against(standing)));
    const second = granted(settleOverride(override, bound, keys.engine, docket, EVEN));
    expect(docket.entry(bound.obligation_hash)?.instruction).to.equal(second?.instruction_id);
  });

  it("counts for every performer: whom it pays has cleared the obligation, the others have failed", () => {
    const deltaOf = (change: Partial<NonNullable<HumanDeed["ruling"]>>) =>
      granted(settleOverride(granted(write(ruling(change))), bound, keys.engine, openDocket(), EVEN))?.reputation_action?.passport_delta;
    const failed = { "ann.failed_obligations": 1, "bob.failed_obligations": 1 };
    expect(deltaOf({})).to.deep.equal({ "ann.cleared_obligations": 1, "bob.failed_obligations": 1 });
    expect(deltaOf({ score: 0 }), "passed at nothing").to.deep.equal(failed);
    expect(deltaOf({ score: 0, payees: [] }), "rejected").to.deep.equal(failed);
  });

  it("is a dispute for everyone whom it pays less than the clearing, and else leaves what was announced", () => {
    const announced = (score: number) => {
      const docket = openDocket();
      const first = granted(settle(cleared([{ score: 0.5 }, { score: 0.5 }, {}]), keys.engine, docket, EVEN));
      granted(docket.appeal(against(first)));
      const override = granted(write({ act: "RESOLVE_APPEAL", ...ruling({ score, payees: ["ann", "bob"] }) }));
      return granted(settleOverride(override, bound, keys.engine, docket, EVEN, first))?.reputation_action?.passport_delta;
    };
    const lost = { "ann.upheld_disputes": 1, "bob.upheld_disputes": 1 };
    const kept = { "ann.cleared_obligations": 1, "bob.cleared_obligations": 1 };
    expect([0, 0.49].map(announced)).to.deep.equal([lost, lost]);
    expect([0.5, 0.9].map(announced)).to.deep.equal([kept, kept]);
    const standing = granted(settle(cleared([{}, {}, {}]), keys.engine, openDocket(), EVEN));
    if (standing === undefined) throw new Error("nothing was settled");
    const foreign = { ...standing, obligation_hash: hashOf({ deal: 2 }) };
    const act = granted(write());
    expect(refusals(settleOverride(act, bound, keys.engine, openDocket(), EVEN, foreign))).to.deep.equal(["OVERRIDE_ANCHOR"]);
  });

  it("decides disputes, never admissibility: what it rests on is above the floor", () => {
    const witnessed = itemOf(1, "WIT");
    const low = cleared([{}, {}, {}], [itemOf(0), witnessed]);
    const deed = { ...DEED, ...ruling({ basis: [itemHash(witnessed)] }) };
    const input = { obligation: bound, deployment: world, engine: keys.engine, deed };
    expect(refusals(recordOverride({ ...input, envelope: low.envelope }))).to.deep.equal(["OVERRIDE_BELOW_FLOOR"]);
    expect(refusals(recordOverride(input)), "nothing was admitted").to.deep.equal(["OVERRIDE_BELOW_FLOOR"]);
    expect(refusals(write(ruling({ payees: ["lab"] })))).to.deep.equal(["OVERRIDE_OF_STRANGER"]);
    expect(refusals(write({ exonerated: ["ann", "lab"] }))).to.deep.equal(["OVERRIDE_OF_STRANGER"]);
    expect(granted(write({ exonerated: ["bob"] })).exonerated).to.deep.equal(["bob"]);
    expect(granted(write())).to.not.have.property("exonerated");
  });

  it("refunds what it passes at a score of nothing, by nobody's multiplier", () => {
    const instruction = granted(settleOverride(granted(write(ruling({ score: 0 }))), bound, keys.engine, openDocket()));
    expect(instruction?.fee_action).to.deep.equal({ type: "refund", refund_amount: 3_000_001, currency: "units" });
  });

  it("is about one obligation, and pays by known multipliers", () => {
    const override = granted(write());
    expect(refusals(settleOverride(override, bound, keys.engine, openDocket()))).to.deep.equal(["MULTIPLIER_UNKNOWN"]);
    const other = signObligation({ ...TERMS, obligation_id: hashOf({ deal: 2 }) }, {});
    const open = deployment(registry, { undertook: () => true });
    const elsewhere = granted(bindObligation(other, open));
    expect(refusals(settleOverride(override, elsewhere, keys.engine, openDocket(), EVEN))).to.deep.equal(["OVERRIDE_ANCHOR"]);
  });
});

function granted<Value>(checked: Checked<Value>): Value {
  if (!checked.ok) throw new Error(JSON.stringify(checked.refusals));
  return checked.value;
}

function refusals(checked: Checked<unknown>): string[] {
  return checked.ok ? [] : checked.refusals.map(({ guard }) => guard);
}
