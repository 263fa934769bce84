import { expect } from "chai";
import { clear, cosign, decisionHash, isSigned } from "../../orchestrator/clearing/clearing-decision.ts";
import { openDocket } from "../../orchestrator/clearing/docket.ts";
import { DEFAULT_DRIFT, flagDrift, isDrifting } from "../../orchestrator/clearing/drift.ts";
import {
  BANDS,
  DEFAULT_EXPOSURE,
  EXPOSURE_INPUTS,
  type Exposure,
  escalate,
  exposureScore,
  historyRisk,
  intensityFor,
  marginFor,
} from "../../orchestrator/clearing/exposure.ts";
import { type Environment, evaluateFinality, isEvaluationSigned } from "../../orchestrator/clearing/finality.ts";
import {
  advance,
  allowedIn,
  EVENTS,
  EXITS,
  IllegalTransition,
  isOver,
  LIMITS,
  type LifecycleEvent,
  type LifecycleState,
  STAGES,
  START,
  TRANSITIONS,
} from "../../orchestrator/clearing/lifecycle.ts";
import type { ObligationTerms } from "../../orchestrator/clearing/obligation.ts";
import { drawPanel } from "../../orchestrator/clearing/panel.ts";
import {
  applyDelta,
  audited,
  compared,
  deltasOf,
  newPassport,
  type Passport,
  priorWeight,
  weightsFrom,
} from "../../orchestrator/clearing/passport.ts";
import { hashOf, signHash } from "../../orchestrator/clearing/seal.ts";
import { isInstructionSigned, type SettlementInstruction, settle } from "../../orchestrator/clearing/settlement-instruction.ts";
import { randomStream } from "../../orchestrator/primitives/random.ts";
import { castOf } from "../../scripts/clearing/cast.ts";
import { granted, type Played, play } from "../../scripts/clearing/scenario.ts";
import { webhook } from "../../scripts/clearing/webhook.ts";

const SCENARIO = webhook("afterwards");
const HOUR = 3600n;
const HERE = { deployment: SCENARIO.deployment, engine: SCENARIO.engine };
const quiet: Environment = { appealsFiledAt: [], resolvedConflicts: [] };

async function settled(bend?: (terms: ObligationTerms) => ObligationTerms): Promise<Played & { instruction: SettlementInstruction }> {
  const played = await play(webhook("afterwards", bend));
  if (played.instruction === undefined) throw new Error("the scenario settles");
  return { ...played, instruction: played.instruction };
}

/** The same decision with a conflict in it, and its instruction, both as the engine would have signed them. */
function conflict(played: Played & { instruction: SettlementInstruction }, clause: string) {
  const body = { ...played.decision, unresolved_conflicts: [clause] };
  const hash = decisionHash(body);
  const signature = signHash(SCENARIO.engine, "clearing-decision", hash);
  const decision = { ...body, clearing_decision_hash: hash, clearing_engine_signature: signature };
  const docket = openDocket();
  const instruction = granted(settle({ ...played, decision }, SCENARIO.engine, docket));
  if (instruction === undefined) throw new Error("it still settles");
  return { decision, instruction, docket };
}

describe("finality", () => {
  const evaluate = (
    { obligation, decision, instruction, docket }: Played & { instruction: SettlementInstruction },
    hours: bigint,
    environment = quiet,
  ) => granted(evaluateFinality({ ...HERE, obligation, decision, instruction, docket, environment, now: SCENARIO.now + hours * HOUR }));

  it("fires when all conjuncts hold, and is signed", async () => {
    const evaluation = evaluate(await settled(), 24n);
    expect(evaluation.transition).to.equal("PROVISIONAL -> FINAL");
    expect(Object.values(evaluation.predicate_clauses)).to.deep.equal([true, true, true, true, true]);
    expect(isEvaluationSigned(evaluation, SCENARIO.deployment)).to.be.true;
    expect(isEvaluationSigned({ ...evaluation, evaluated_at: "2026-05-28T14:32:01Z" }, SCENARIO.deployment)).to.be.false;
  });

  it("is held open by each conjunct alone", async () => {
    const played = await settled();
    const open = (evaluation: ReturnType<typeof evaluate>) => {
      expect([evaluation.phi_result, evaluation.transition]).to.deep.equal([false, undefined]);
      return Object.entries(evaluation.predicate_clauses).flatMap(([clause, holds]) => (holds ? [] : [clause]));
    };
    expect(open(evaluate(played, 23n))).to.deep.equal(["appeal_window_elapsed"]);
    expect(open(evaluate(played, 24n, { ...quiet, appealsFiledAt: ["2026-05-28T14:32:00Z"] }))).to.deep.equal(["no_appeal_filed"]);
    expect(evaluate(played, 25n, { ...quiet, appealsFiledAt: ["2026-05-28T14:32:01Z"] }).phi_result).to.be.true;
    const strict = await settled((terms) => ({ ...terms, admissibility_floors: { fee_release: "ATT", final_settlement: "PROOF" } }));
    expect(open(evaluate(strict, 24n))).to.deep.equal(["admissibility_floor_met"]);
    const sure = await settled((terms) => ({ ...terms, finality_policy: { confidence_threshold: 0.9 } }));
    // Aggregate 0.96, performance 0.85: the surer question does not carry the other.
    expect(open(evaluate(sure, 24n))).to.deep.equal(["confidence_above_threshold"]);
    const conflicting = { ...played, ...conflict(played, "review") };
    expect(open(evaluate(conflicting, 24n))).to.deep.equal(["no_unresolved_verifier_conflict"]);
    expect(evaluate(conflicting, 24n, { ...quiet, resolvedConflicts: ["review"] }).phi_result).to.be.true;
  });
});

describe("several floors", () => {
  it("let weak evidence hold collateral that it cannot release a fee on", async () => {
    const floors = { fee_release: "PROOF", collateral_hold: "ATT", final_settlement: "PROOF" };
    const { decision, instruction } = await settled((terms) => ({ ...terms, admissibility_floors: floors }));
    expect([decision.performance, decision.policy, decision.floor_met]).to.deep.equal(["unverifiable", "unverifiable", false]);
    expect(decision.outcomes.collateral_hold.floor_met).to.be.true;
    expect(instruction.fee_action).to.equal(undefined);
    expect(instruction.reputation_action).to.equal(undefined);
    expect(instruction.collateral_action?.type).to.equal("hold");
  });

  it("emit nothing where none is met", async () => {
    const { instruction, decision } = await play(
      webhook("afterwards", (terms) => ({ ...terms, admissibility_floors: { fee_release: "PROOF" } })),
    );
    expect(instruction).to.equal(undefined);
    expect(decision.exclusion_reasons["v1_scope"]).to.equal("cls(B) = ATT below the policy floor PROOF");
  });
});

describe("a decision", () => {
  it("is co-signed by survivors only, and no signature holds over another decision", async () => {
    const { decision, instruction } = await settled();
    const signers = [...SCENARIO.mesh.map(({ signer }) => signer), SCENARIO.engine];
    const cosigned = cosign(decision, signers);
    expect(Object.keys(cosigned.verifier_cosignatures)).to.deep.equal([...decision.surviving_verifiers]);
    expect(isSigned(cosigned, SCENARIO.deployment)).to.be.true;
    expect(isSigned({ ...cosigned, performance: "failed" }, SCENARIO.deployment)).to.be.false;
    expect(isInstructionSigned(instruction, SCENARIO.deployment)).to.be.true;
    expect(isInstructionSigned({ ...instruction, clearing_engine: "ci-runner" }, SCENARIO.deployment)).to.be.false;
  });
});

describe("the lifecycle", () => {
  const through = (...events: readonly LifecycleEvent[]) => events.reduce(advance, START);
  const TO_EXECUTION = ["COUNTERPARTY_FOUND", "TERMS_AGREED", "SIGNED", "MARGIN_POSTED"] as const;
  const TO_VERIFICATION = [...TO_EXECUTION, "WORK_DONE", "ENVELOPE_SUBMITTED"] as const;
  const TO_INSTRUCTION = [...TO_VERIFICATION, "OUTPUTS_COMPLETE", "INSTRUCTION_EMITTED"] as const;

  it("runs through its ten stages in order", () => {
    const states = [START];
    for (const event of [...TO_INSTRUCTION, "PHI_FIRED"] as const) states.push(advance(states.at(-1) ?? START, event));
    expect(states.map(({ stage }) => stage)).to.deep.equal([...STAGES]);
  });

  it("reverses in two places", () => {
    expect(through("COUNTERPARTY_FOUND", "TERMS_AGREED", "RENEGOTIATE").stage).to.equal("NEGOTIATION");
    expect(through(...TO_EXECUTION, "PAUSE").stage).to.equal("PRE_CLEARANCE");
    const order: readonly string[] = STAGES;
    const back = Object.entries(TRANSITIONS).flatMap(([from, arcs]) =>
      Object.entries(arcs).flatMap(([event, to]) =>
        order.includes(from) && order.includes(to) && order.indexOf(to) < order.indexOf(from) ? [event] : [],
      ),
    );
    expect(back).to.deep.equal(["RENEGOTIATE", "PAUSE"]);
  });

  it("loops through an arbiter once a round, and through an appeal once a side", () => {
    const asked = through(...TO_VERIFICATION, "OUTPUTS_COMPLETE", "ESCALATE", "ARBITER_RULED");
    expect(() => advance(asked, "ESCALATE")).to.throw(IllegalTransition, "escalations 1");
    let state = advance(asked, "INSTRUCTION_EMITTED");
    for (let appeal = 0; appeal < LIMITS.appeals; appeal += 1) {
      state = ["APPEAL", "REOPEN", "ESCALATE", "ARBITER_RULED", "INSTRUCTION_EMITTED"].reduce(
        (at, event) => advance(at, event as LifecycleEvent),
        state,
      );
    }
    expect(() => advance(state, "APPEAL")).to.throw(IllegalTransition);
    expect(allowedIn(state)).to.deep.equal(["PHI_FIRED", "UNRESOLVED"]);
  });

  it("has three exits, and nothing revives what has ended", () => {
    expect(through(...TO_EXECUTION, "CANCEL").stage).to.equal("CANCELLED");
    expect(through(...TO_EXECUTION, "DEADLINE_PASSED").stage).to.equal("EXPIRED");
    expect(through(...TO_VERIFICATION, "OUTPUTS_COMPLETE", "UNRESOLVED").stage).to.equal("UNVERIFIABLE");
    for (const stage of ["FINALITY", ...EXITS] as const) {
      expect(isOver({ ...START, stage })).to.be.true;
      for (const event of EVENTS) expect(() => advance({ ...START, stage }, event)).to.throw(IllegalTransition);
    }
  });

  it("can end from every state that it can reach, and only in finality or an exit", () => {
    const key = (state: LifecycleState) => JSON.stringify(state);
    const reached = new Map([[key(START), START]]);
    for (const state of reached.values())
      for (const event of allowedIn(state)) reached.set(key(advance(state, event)), advance(state, event));
    expect(new Set([...reached.values()].map(({ stage }) => stage)).size).to.equal(Object.keys(TRANSITIONS).length);
    const ends = (state: LifecycleState, seen = new Set<string>()): boolean =>
      isOver(state) || (!seen.has(key(state)) && allowedIn(state).some((event) => ends(advance(state, event), seen.add(key(state)))));
    for (const state of reached.values()) {
      expect(ends(state), key(state)).to.be.true;
      if (!isOver(state)) expect(allowedIn(state), key(state)).to.not.deep.equal([]);
    }
  });
});

describe("exposure", () => {
  const calm: Exposure = {
    authority_risk: 0,
    value_at_risk: 0,
    intent_ambiguity: 0,
    irreversibility: 0,
    agent_history: 0,
    domain_sensitivity: 0,
  };

  it("is a normalized sum, monotone in each input", () => {
    const random = randomStream(7, "exposure");
    const draw = () =>
      Object.fromEntries(EXPOSURE_INPUTS.map((input) => [input, random.next()])) as Record<(typeof EXPOSURE_INPUTS)[number], number>;
    for (let trial = 0; trial < 500; trial += 1) {
      const exposure = draw();
      const input = random.pick(EXPOSURE_INPUTS);
      const raised = { ...exposure, [input]: exposure[input] + (1 - exposure[input]) * random.next() };
      expect(exposureScore(raised)).to.be.at.least(exposureScore(exposure));
      expect(exposureScore(exposure)).to.be.within(0, 1);
      expect(BANDS.indexOf(intensityFor(exposureScore(raised)).band)).to.be.at.least(
        BANDS.indexOf(intensityFor(exposureScore(exposure)).band),
      );
    }
    const all = Object.fromEntries(EXPOSURE_INPUTS.map((input) => [input, 1])) as Record<(typeof EXPOSURE_INPUTS)[number], number>;
    expect([exposureScore(calm), exposureScore(all)]).to.deep.equal([0, 1]);
    expect(() => exposureScore({ ...calm, authority_risk: 2 })).to.throw("authority_risk must be in [0, 1]");
    expect(() => exposureScore({ ...calm, authority_risk: Number.NaN })).to.throw("authority_risk");
  });

  it("chooses verifiers, timing and margin together, by steps", () => {
    expect([0, 0.2499, 0.25, 0.4999, 0.5, 0.75, 1].map((x) => intensityFor(x).band)).to.deep.equal([
      "LOW",
      "LOW",
      "MODERATE",
      "MODERATE",
      "ELEVATED",
      "CRITICAL",
      "CRITICAL",
    ]);
    const levels = BANDS.map((band) => DEFAULT_EXPOSURE.bands[band]);
    for (const [index, level] of levels.entries()) {
      expect(level.verifiers).to.include("triage");
      const below = levels[index - 1];
      if (below === undefined) continue;
      expect(level.verifiers).to.include.members([...below.verifiers]);
      expect([level.margin > below.margin, level.appealWindowHours > below.appealWindowHours, level.quorum > below.quorum]).to.deep.equal([
        true,
        true,
        true,
      ]);
    }
    expect(intensityFor(1).verifiers).to.include("human");
    expect([marginFor(1500, intensityFor(0.3)), marginFor(1, intensityFor(0.3)), marginFor(10, intensityFor(1))]).to.deep.equal([
      501, 1, 10,
    ]);
  });

  it("is lifted one band by a poor triage score", () => {
    expect([escalate("LOW", 5999), escalate("LOW", 6000), escalate("CRITICAL", 0)]).to.deep.equal(["MODERATE", "LOW", "CRITICAL"]);
  });

  it("takes a stranger for even odds, and a forger for worse", () => {
    const risk = (fields: Passport["fields"], change: Partial<Passport> = {}) => historyRisk({ ...newPassport("x"), fields, ...change });
    expect(risk({})).to.equal(0.5);
    expect(risk({ cleared_obligations: 8 })).to.equal(0.1);
    expect(risk({ cleared_obligations: 8, forge_up_attempts: 5 })).to.equal(0.55);
    expect(risk({ cleared_obligations: 7, upheld_disputes: 1 }), "a dispute that it lost").to.equal(0.2);
    const audited = { agreed: 90, disagreed: 2, audits: 9, mismatches: 1 };
    expect(risk({ cleared_obligations: 7 }, { record: audited }), "a basis that it did not rest on").to.equal(0.2);
    expect(risk({ cleared_obligations: 7 }, { record: audited, flagged: true }), "and dissent that is drift").to.equal(1 / 3);
  });

  it("takes an agent for no safer after anything that speaks against it, nor for riskier after work that cleared", () => {
    const random = randomStream(7, "history");
    const FIELDS = ["cleared_obligations", "failed_obligations", "policy_violations", "upheld_disputes", "forge_up_attempts"] as const;
    const draw = (): Passport => {
      const audits = random.int(9);
      const record = { agreed: random.int(20), disagreed: random.int(20), audits, mismatches: random.int(audits + 1) };
      const fields = Object.fromEntries(FIELDS.map((field) => [field, random.int(6) - 1]));
      return { ...newPassport("x"), fields, record, flagged: random.int(2) === 0 };
    };
    for (let trial = 0; trial < 500; trial += 1) {
      const before = draw();
      const risk = historyRisk(before);
      expect(risk).to.be.within(0, 1);
      const [good, ...bad] = FIELDS.map((field) => ({ ...before, fields: { ...before.fields, [field]: (before.fields[field] ?? 0) + 1 } }));
      const { record } = before;
      const worse = [
        ...bad,
        audited(before, false),
        compared(before, false),
        { ...before, flagged: true },
        flagDrift({ ...before, record: { ...record, disagreed: record.disagreed + 20 } }),
      ];
      for (const passport of worse) expect(historyRisk(passport), JSON.stringify(passport)).to.be.at.least(risk);
      expect(historyRisk(good ?? before)).to.be.at.most(risk);
      for (const passport of [audited(before, true), compared(before, true)]) expect(historyRisk(passport)).to.equal(risk);
      const exposure = { ...calm, agent_history: risk };
      for (const passport of worse)
        expect(exposureScore({ ...calm, agent_history: historyRisk(passport) })).to.be.at.least(exposureScore(exposure));
    }
  });
});

describe("a panel", () => {
  const roles = ["constraint", "receipt", "semantic", "policy", "human", "attestation", "triage"] as const;
  const { signers, registry } = castOf("panel", {
    agent: { principal: "agent" },
    "agents-own": { principal: "agent", role: "human" },
    ...Object.fromEntries(roles.flatMap((role) => [1, 2, 3].map((n) => [`${role}-${n}`, { principal: `${role}-${n}`, role }]))),
  });
  const candidates = Object.keys(signers).flatMap((id) => registry.identity(id) ?? []);
  const draw = (n: number, weightOf: (id: string) => number = () => 5000) =>
    drawPanel(
      candidates,
      intensityFor(1),
      { obligation_id: hashOf({ n }), parties: { requestor: "x", provider: "agent" } },
      { registry, weightOf, seed: "s" },
    );

  it("has one verifier for each role of its band, in other seats for another obligation, the same for the same", () => {
    expect(draw(1).verifiers.map(({ role }) => role)).to.have.members([...roles]);
    expect(draw(1)).to.deep.equal(draw(1));
    const seats = Array.from({ length: 40 }, (_, n) => draw(n).verifiers.find(({ role }) => role === "human")?.id);
    expect(new Set(seats)).to.deep.equal(new Set(["human-1", "human-2", "human-3"]));
  });

  it("leaves out who weighs nothing, and says which role is empty", () => {
    expect(draw(1, (id) => (id.startsWith("receipt") ? 0 : 1)).missing).to.deep.equal(["receipt"]);
  });
});

describe("passports", () => {
  it("take a delta when its decision is final, once, and only their own", async () => {
    const { decision, instruction, obligation, docket } = await settled();
    const [delta] = deltasOf(instruction, decision, SCENARIO.engine);
    const agent = delta?.agent_id ?? "";
    const forged = { passport_delta: { [`${agent}.failed_obligations`]: 1, [`${agent}.forge_up_attempts`]: 2 } };
    const freed = deltasOf({ ...instruction, penalty_action: undefined, reputation_action: forged }, decision, SCENARIO.engine, [agent]);
    expect(
      freed.map(({ fields }) => fields),
      "an appeal frees of a failure, not of forgeries",
    ).to.deep.equal([{ forge_up_attempts: "+2" }]);
    expect(deltasOf(instruction, decision, SCENARIO.engine, [agent])).to.deep.equal([]);
    if (delta === undefined) throw new Error("the scenario announces a delta");
    expect(delta.fields).to.deep.equal({ dependency_policy_compliance: "-1", cleared_obligations: "+1", policy_violations: "+1" });
    const at = (hours: bigint) =>
      granted(
        evaluateFinality({ ...HERE, obligation, decision, instruction, docket, environment: quiet, now: SCENARIO.now + hours * HOUR }),
      );
    const apply = (change: object, evaluation = at(24n), passport = newPassport("coder-v2")) =>
      applyDelta(passport, { ...delta, ...change }, evaluation, SCENARIO.deployment);
    const written = apply({});
    if (!written.ok) throw new Error("due");
    expect(written.value.fields).to.deep.equal({ dependency_policy_compliance: -1, cleared_obligations: 1, policy_violations: 1 });
    expect(written.value.history).to.deep.equal([{ source_clearing_decision: decision.clearing_decision_hash, delta_id: delta.delta_id }]);
    expect(apply({}, at(24n), written.value).ok).to.be.false;
    expect(apply({}, at(23n)).ok).to.be.false;
    expect(apply({}, at(24n), newPassport("another")).ok).to.be.false;
    expect(apply({ fields: { cleared_obligations: "+9" } }).ok).to.be.false;
    expect(apply({}, { ...at(23n), phi_result: true }).ok).to.be.false;
    expect(apply({ clearing_engine: "ci-runner" }).ok).to.be.false;
  });

  it("give a newcomer half a weight, and more or less by its record", () => {
    const withRecord = (agreed: number, disagreed: number) => {
      let passport = newPassport("v");
      for (let k = 0; k < agreed; k += 1) passport = compared(passport, true);
      for (let k = 0; k < disagreed; k += 1) passport = compared(passport, false);
      return passport;
    };
    expect([withRecord(0, 0), withRecord(8, 0), withRecord(0, 8)].map(priorWeight)).to.deep.equal([5000, 9000, 1000]);
    expect(priorWeight(audited(audited(withRecord(0, 0), true), false))).to.equal(5000);
    expect(priorWeight({ ...withRecord(8, 0), flagged: true })).to.equal(0);
  });

  it("decide what a verdict weighs: a flagged verifier's counts for nothing", async () => {
    const { envelope, obligation, outputs } = await settled();
    const passports = [{ ...newPassport("v2_dependency"), flagged: true }];
    const cleared = clear({
      obligation,
      envelope,
      outputs,
      deployment: SCENARIO.deployment,
      weightOf: weightsFrom(passports),
      engine: SCENARIO.engine,
      now: SCENARIO.now,
    });
    expect(cleared.decision.policy).to.equal("unverifiable");
    expect(cleared.decision.exclusion_reasons["v2_dependency"]).to.equal("has no weight");
  });

  it("are flagged for drift: more than a quarter of eight verdicts", () => {
    const record = (agreed: number, disagreed: number) => ({
      ...newPassport("v"),
      record: { agreed, disagreed, audits: 0, mismatches: 0 },
    });
    expect([record(6, 2), record(5, 3), record(0, 7), record(0, 8)].map((passport) => isDrifting(passport))).to.deep.equal([
      false,
      true,
      false,
      true,
    ]);
    expect(flagDrift(record(5, 3)).flagged).to.be.true;
    expect(flagDrift({ ...record(100, 0), flagged: true }, DEFAULT_DRIFT).flagged).to.be.true;
  });
});
