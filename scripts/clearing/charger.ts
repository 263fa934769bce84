import { deployment } from "../../orchestrator/clearing/deployment.ts";
import { type EvidenceItem, emitted, sealEnvelope, selfReport } from "../../orchestrator/clearing/evidence-envelope.ts";
import { type ObligationTerms, signObligation } from "../../orchestrator/clearing/obligation.ts";
import { hashOf } from "../../orchestrator/clearing/seal.ts";
import { constraintVerifier, equals } from "../../orchestrator/clearing/verifiers/constraint.ts";
import { policyVerifier } from "../../orchestrator/clearing/verifiers/policy.ts";
import { receiptVerifier } from "../../orchestrator/clearing/verifiers/receipt.ts";
import { semanticVerifier } from "../../orchestrator/clearing/verifiers/semantic.ts";
import type { Seed } from "../../orchestrator/primitives/random.ts";
import { castOf, type Secrets } from "./cast.ts";
import type { Scenario } from "./scenario.ts";

const SUBMITTED = "2026-05-28T09:00:00Z";
const ISSUED = "2026-05-28T08:55:00Z";
const VERIFIERS = ["v_authority", "v_receipt", "v_constraint", "v_semantic"] as const;

export const CHARGER_CAST = {
  user: { principal: "user" },
  "shopping-agent": { principal: "agent-vendor" },
  "payment-network": { principal: "network", issues: ["WIT"], scheme: "secp256k1" },
  merchant: { principal: "merchant", issues: ["REC"], scheme: "secp256k1" },
  catalogue: { principal: "manufacturer", issues: ["REC"] },
  v_authority: { principal: "mesh-1", role: "policy" },
  v_receipt: { principal: "mesh-2", role: "receipt" },
  v_constraint: { principal: "mesh-3", role: "constraint" },
  v_semantic: { principal: "mesh-4", role: "semantic" },
  "clearing-engine": { principal: "clearing-house", role: "engine" },
} as const;

/** Amounts in US dollars. The fee is the agent's, the principal the price of the goods. */
export const CHARGER_TERMS: ObligationTerms = {
  obligation_id: hashOf({ scenario: "charger" }),
  parties: { requestor: "user", provider: "shopping-agent" },
  task: { description: "Replace the laptop charger: a 100W USB-C model-X unit from an approved merchant, at most $60." },
  scope: { merchants: ["merchant"], ceiling: 60 },
  prohibitions: ["no purchase above $60", "no merchant that is not approved"],
  required_actions: ["purchase completed and shipped"],
  acceptance_criteria: ["model X", "delivered wattage 100"],
  admissibility_floors: { fee_release: { performance: "REC", policy: "WIT" } },
  verifier_policy: {
    verifiers: VERIFIERS,
    count: VERIFIERS.length,
    confidence_form: "mean",
    clauses: { performance: ["fulfilment", "specification"], policy: ["authority"] },
  },
  economic_terms: { fee: 3, collateral: 10, principal: 45, currency: "USD" },
  deadlines: { execution_window_hours: 48, appeal_window_hours: 72 },
  settlement_policy: { execution_rail: { name: "payment-network", mode: "hold_or_reverse" }, on_failure: "reverse" },
};

/** RAILS 8.6: authorized, paid and shipped, but the wrong unit. Each question clears against its own floor. */
export function charger(
  seed: Seed,
  bend: (terms: ObligationTerms) => ObligationTerms = (terms) => terms,
  secrets: Secrets<keyof typeof CHARGER_CAST> = {},
): Scenario {
  const { signers, registry } = castOf(seed, CHARGER_CAST, secrets);
  const obligation = signObligation(bend(CHARGER_TERMS), { requestor: signers.user, provider: signers["shopping-agent"] });
  const item = (
    id: string,
    type: string,
    content: NonNullable<EvidenceItem["content"]>,
    issuer: "payment-network" | "merchant" | "catalogue",
    claimed: "WIT" | "REC",
  ) => emitted(obligation.obligation_hash, { id, type, content }, { signer: signers[issuer], class: claimed, issuedAt: ISSUED });
  const credential = {
    mandate: { actions: ["purchase"], counterparties: ["merchant"], ceiling: 60 },
    action: "purchase",
    counterparty: "merchant",
    amount: 45,
  };
  const envelope = sealEnvelope(signers["shopping-agent"], {
    obligation_hash: obligation.obligation_hash,
    submitted_at: SUBMITTED,
    items: [
      item("e1", "verifiable_intent_chain", credential, "payment-network", "WIT"),
      item("e2", "fulfillment_receipt", { captured: true, shipped: true, amount: 45 }, "merchant", "REC"),
      item("e3", "product_specification", { model: "X", connector: "USB-C", wattage: 65 }, "catalogue", "REC"),
      selfReport("e4", "agent_self_report", "order completed, charger matches request"),
    ],
  });
  return {
    deployment: deployment(registry),
    obligation,
    envelope,
    engine: signers["clearing-engine"],
    now: BigInt(Date.parse(SUBMITTED) / 1000),
    mesh: [
      policyVerifier({
        signer: signers.v_authority,
        answers: [{ question: "policy", clause: "authority" }],
        authority: "verifiable_intent_chain",
        actions: ["verifiable_intent_chain"],
      }),
      receiptVerifier({
        signer: signers.v_receipt,
        answers: [{ question: "performance", clause: "fulfilment" }],
        issuers: ["merchant"],
        rules: { fulfillment_receipt: [equals("captured", true), equals("shipped", true)] },
      }),
      constraintVerifier({
        signer: signers.v_constraint,
        answers: [{ question: "performance", clause: "specification" }],
        rules: { product_specification: [equals("model", "X"), equals("wattage", 100)] },
        loss: { point: 52, calibration_range_low: 45, calibration_range_high: 60, currency: "USD" },
      }),
      semanticVerifier({
        signer: signers.v_semantic,
        answers: [{ question: "performance", clause: "specification" }],
        judge: (_, reader) => ({ verdict: "PASS", confidence: 9000, rationale: JSON.stringify(reader.open("e4") ?? null) }),
      }),
    ],
  };
}
