import { type Exposure, exposureScore, intensityFor, valueAtRisk } from "../../orchestrator/clearing/exposure.ts";
import { evaluateFinality } from "../../orchestrator/clearing/finality.ts";
import { deltasOf } from "../../orchestrator/clearing/passport.ts";
import type { Seed } from "../../orchestrator/primitives/random.ts";
import { CHARGER_TERMS, charger } from "./charger.ts";
import { type Report, type Row, same } from "./report.ts";
import { granted, type Played, play, type Scenario } from "./scenario.ts";
import { WEBHOOK_TERMS, webhook } from "./webhook.ts";

const HOUR = 3600n;

/** The two worked scenarios of RAILS 8, with real signatures, including details that the text leaves open. */
export async function scenarios(seed: Seed): Promise<Report> {
  const [code, payment] = [await play(webhook(seed)), await play(charger(seed))];
  return {
    title: "RAILS 8: worked scenarios",
    rows: [...(await webhookRows(seed, code)), ...(await chargerRows(seed, payment)), await boundaryRow(seed)],
    notes: [
      "The verifiers really read the envelope; no output is hard-coded. The credulous judge is scripted to believe the self-report.",
      "A verifier answers a clause of a question (scope, dependencies, authority …); clauses combine as questions do on chain. With a bare " +
        "weighted majority per question neither scenario gives the paper's verdict: see the rows 'one clause per question'.",
    ],
    data: {
      webhook: { decision: code.decision, instruction: code.instruction },
      charger: { decision: payment.decision, instruction: payment.instruction },
    },
  };
}

async function webhookRows(seed: Seed, played: Played): Promise<Row[]> {
  const { decision, instruction, outputs } = played;
  const fee = instruction?.fee_action;
  const loss = decision.loss_estimate;
  const hold = instruction?.collateral_action;
  const one = await play(oneClause(webhook, seed));
  const { engine, deployment } = webhook(seed);
  const phi = (hours: bigint, appealsFiledAt: readonly string[] = []) => {
    if (instruction === undefined) return "nothing to settle";
    const now = webhook(seed).now + hours * HOUR;
    const environment = { appealsFiledAt, resolvedConflicts: [] };
    const { obligation, docket } = played;
    const input = { obligation, decision, instruction, docket, deployment, environment, engine, now };
    return granted(evaluateFinality(input)).transition ?? "PROVISIONAL";
  };
  const deltas = instruction === undefined ? [] : deltasOf(instruction, decision, engine);
  const exposure: Exposure = {
    authority_risk: 0.3,
    value_at_risk: valueAtRisk(WEBHOOK_TERMS.economic_terms.fee + WEBHOOK_TERMS.economic_terms.collateral, 1_000_000),
    intent_ambiguity: 0.4,
    irreversibility: 0.2,
    agent_history: 0.5,
    domain_sensitivity: 0.5,
  };
  return [
    same("webhook: performance", "cleared", decision.performance),
    same("webhook: policy", "violated", decision.policy),
    same("webhook: fault", "provider_agent", decision.fault),
    same(
      "webhook: excluded",
      "v4_semantic_llm (SELF)",
      `${decision.excluded_verifiers.join()} (${outputs.find(({ role }) => role === "semantic")?.class_of_basis})`,
    ),
    same("webhook: surviving verifiers", "5", String(decision.surviving_verifiers.length)),
    same("webhook: class of basis, floor met", "ATT, true", `${decision.class_of_basis}, ${decision.floor_met}`),
    same("webhook: loss estimate", "200 (150–300)", `${loss?.point} (${loss?.calibration_range_low}–${loss?.calibration_range_high})`),
    {
      figure: "webhook: aggregate confidence",
      paper: "0.92",
      closedForm: "(1 + 1 + .95 + 1 + .85) / 5 = 0.96",
      ours: decision.aggregate_confidence.toFixed(2),
      verdict: decision.aggregate_confidence === 0.96 ? "paper differs" : "NOT REPRODUCED",
      note: "0.92 does not follow from A.4.2 over the five survivors with equal priors, nor over six (0.93).",
    },
    same(
      "webhook: fee",
      "1300 released, 200 retained",
      fee?.type === "partial_release" ? `${fee.release_amount} released, ${fee.retain_amount} retained` : String(fee?.type),
    ),
    same(
      "webhook: collateral",
      "hold 500 until 2026-05-28T14:32:00Z",
      `${hold?.type} ${hold?.amount} until ${hold?.type === "hold" ? hold.until : "now"}`,
    ),
    same(
      "webhook: passport delta",
      "cleared_obligations +1, dependency_policy_compliance -1, policy_violations +1",
      deltas
        .flatMap(({ fields }) => Object.entries(fields))
        .map(([field, step]) => `${field} ${step}`)
        .sort()
        .join(", "),
    ),
    same("webhook: finality after 23 h / 24 h", "PROVISIONAL / PROVISIONAL -> FINAL", `${phi(23n)} / ${phi(24n)}`),
    same("webhook: finality with an appeal", "PROVISIONAL", phi(24n, ["2026-05-28T10:00:00Z"])),
    same("webhook: exposure band", "MODERATE", intensityFor(exposureScore(exposure)).band),
    {
      figure: "webhook: policy, one clause per question",
      paper: "violated",
      closedForm: "PASS 1.0 : FAIL 0.5",
      ours: one.decision.policy,
      verdict: one.decision.policy === "complied" ? "paper differs" : "NOT REPRODUCED",
      note: "scope and authority outvote the dependency check two to one under 5.3's majority; the paper nevertheless reports the violation.",
    },
  ];
}

async function chargerRows(seed: Seed, { decision, instruction }: Played): Promise<Row[]> {
  const one = await play(oneClause(charger, seed));
  return [
    same("charger: performance", "failed", decision.performance),
    same("charger: policy", "complied", decision.policy),
    same("charger: fault", "provider_agent", decision.fault),
    same("charger: excluded", "v_semantic", decision.excluded_verifiers.join()),
    same(
      "charger: rail and action",
      "payment-network: reverse 45",
      `${instruction?.execution_rail.name}: ${instruction?.principal_action?.type} ${instruction?.principal_action?.amount}`,
    ),
    same("charger: floors", "REC for performance, WIT for policy", floorsOf(CHARGER_TERMS.admissibility_floors.fee_release)),
    {
      figure: "charger: performance, one clause per question",
      paper: "failed",
      closedForm: "PASS 0.5 : FAIL 0.5",
      ours: one.decision.performance,
      verdict: one.decision.performance === "disputed" ? "paper differs" : "NOT REPRODUCED",
      note: "the shipping receipt's PASS ties with the wattage check's FAIL under 5.3's majority; the paper reports FAIL.",
    },
  ];
}

/** RAILS 11.7: a judge finds the defect, in a note that nobody signed; it counts for nothing, and nothing is settled. */
async function boundaryRow(seed: Seed): Promise<Row> {
  const scenario = webhook(seed, undefined, undefined, (_, reader) => {
    reader.open("e4");
    return { verdict: "FAIL", confidence: 10_000, rationale: "the note names a new dependency" };
  });
  const clause = { question: "policy", clause: "dependency_policy" } as const;
  const mesh = scenario.mesh
    .filter(({ answers }) => answers.every((answer) => answer.clause !== clause.clause))
    .map((verifier) => (verifier.role === "semantic" ? { ...verifier, answers: [clause] } : verifier));
  const { decision, instruction } = await play({ ...scenario, mesh });
  return same(
    "webhook: a defect that only an unsigned note reports",
    "unverifiable, nothing settled",
    `${decision.policy}, ${instruction === undefined ? "nothing settled" : "settled"}`,
  );
}

function floorsOf(floor: (typeof CHARGER_TERMS)["admissibility_floors"]["fee_release"]): string {
  return typeof floor === "string" ? floor : `${floor.performance} for performance, ${floor.policy} for policy`;
}

/** The scenario under the paper's bare majority: verifiers name no clause, and none is required. */
function oneClause(make: typeof webhook, seed: Seed): Scenario {
  const scenario = make(seed, ({ verifier_policy: { clauses: _, ...policy }, ...terms }) => ({ ...terms, verifier_policy: policy }));
  const mesh = scenario.mesh.map((verifier) => ({ ...verifier, answers: verifier.answers.map(({ question }) => ({ question })) }));
  return { ...scenario, mesh };
}
