import { deployment } from "../../orchestrator/clearing/deployment.ts";
import { emitted, itemHash, sealEnvelope, selfReport } from "../../orchestrator/clearing/evidence-envelope.ts";
import { type ObligationTerms, signObligation } from "../../orchestrator/clearing/obligation.ts";
import { hashOf } from "../../orchestrator/clearing/seal.ts";
import { atMost, constraintVerifier, equals, onlyApproved, pathsWithin } from "../../orchestrator/clearing/verifiers/constraint.ts";
import { humanVerifier, signHumanAct } from "../../orchestrator/clearing/verifiers/human.ts";
import { policyVerifier } from "../../orchestrator/clearing/verifiers/policy.ts";
import { receiptVerifier } from "../../orchestrator/clearing/verifiers/receipt.ts";
import { type Judge, semanticVerifier } from "../../orchestrator/clearing/verifiers/semantic.ts";
import type { Seed } from "../../orchestrator/primitives/random.ts";
import { castOf, type Secrets } from "./cast.ts";
import type { Scenario } from "./scenario.ts";

const SUBMITTED = "2026-05-27T14:32:00Z";
const EVERY_CHECK = ["v1_scope", "v2_dependency", "v3_ci_receipt", "v4_semantic_llm", "v5_policy_authority", "v6_human_reviewer"] as const;

export const WEBHOOK_CAST = {
  "acme-corp": { principal: "acme" },
  "acme-engineer": { principal: "acme", issues: ["WIT"] },
  "coder-v2": { principal: "coder-labs" },
  "marketplace-M": { principal: "marketplace" },
  "ci-runner": { principal: "ci-house", issues: ["REC", "ATT"] },
  v1_scope: { principal: "mesh-1", role: "constraint" },
  v2_dependency: { principal: "mesh-2", role: "constraint" },
  v3_ci_receipt: { principal: "mesh-3", role: "receipt" },
  v4_semantic_llm: { principal: "mesh-4", role: "semantic" },
  v5_policy_authority: { principal: "mesh-5", role: "policy" },
  v6_human_reviewer: { principal: "acme", role: "human" },
  "clearing-engine": { principal: "clearing-house", role: "engine" },
} as const;

export const WEBHOOK_TERMS: ObligationTerms = {
  obligation_id: hashOf({ scenario: "webhook" }),
  parties: { requestor: "acme-corp", provider: "coder-v2", marketplace_witness: "marketplace-M" },
  task: {
    description:
      "Fix webhook idempotency bug in services/payments/*; duplicate deliveries currently double-charge customers when a retry occurs within a 5-second window.",
    target_file: "services/payments/webhook_handler.py",
  },
  scope: { permitted_paths: ["services/payments/*"] },
  prohibitions: ["no new third-party dependencies without explicit approval", "no merges to main", "no modifications outside scope"],
  required_actions: ["existing test suite remains green", "new regression test added covering the duplicate-delivery case"],
  acceptance_criteria: ["CI green", "static security scan severity <= medium", "reviewer approval from an Acme engineer"],
  admissibility_floors: { fee_release: "ATT", collateral_hold: "WIT", final_settlement: "ATT" },
  verifier_policy: {
    verifiers: EVERY_CHECK,
    count: EVERY_CHECK.length,
    confidence_form: "mean",
    clauses: { performance: ["acceptance_tests", "review"], policy: ["scope", "dependency_policy", "authority"] },
  },
  economic_terms: { fee: 1500, collateral: 500, currency: "USD" },
  deadlines: { execution_window_hours: 24, appeal_window_hours: 24 },
  settlement_policy: {
    execution_rail: { name: "escrow", mode: "fee_only" },
    receipt_requirement: { type: "settlement_attestation", target: "rails_envelope" },
  },
  finality_policy: { confidence_threshold: 0.8 },
};

/** A judge that believes the agent's own report. */
const credulous: Judge = (_, reader) => {
  reader.open("e1");
  const report = reader.open("e4");
  return { verdict: "PASS", confidence: 7800, rationale: `the agent says: ${JSON.stringify(report)}` };
};

/** RAILS 8 and A.3: the bug is fixed, an unapproved dependency was added, and one judge is fooled. */
export function webhook(
  seed: Seed,
  bend: (terms: ObligationTerms) => ObligationTerms = (terms) => terms,
  secrets: Secrets<keyof typeof WEBHOOK_CAST> = {},
  judge: Judge = credulous,
): Scenario {
  const { signers, registry } = castOf(seed, WEBHOOK_CAST, secrets);
  const obligation = signObligation(bend(WEBHOOK_TERMS), {
    requestor: signers["acme-corp"],
    provider: signers["coder-v2"],
    marketplace_witness: signers["marketplace-M"],
  });
  const attested = (id: string, type: string, content: Parameters<typeof selfReport>[2]) =>
    emitted(
      obligation.obligation_hash,
      { id, type, content },
      { signer: signers["ci-runner"], class: "ATT", issuedAt: "2026-05-27T14:30:00Z" },
    );
  const diff = attested("e1", "git_diff", {
    action: "patch",
    paths: ["services/payments/webhook_handler.py", "services/payments/test_webhook_handler.py", "services/payments/package.json"],
    merged_into: null,
  });
  const envelope = sealEnvelope(signers["coder-v2"], {
    obligation_hash: obligation.obligation_hash,
    submitted_at: SUBMITTED,
    items: [
      diff,
      attested("e2", "ci_build_log", { status: "green", tests_failed: 0, regression_test_added: true }),
      attested("e3", "static_security_scan", { severity_rank: 1 }),
      selfReport("e4", "agent_self_report", "Issue resolved, no breaking changes."),
      emitted(
        obligation.obligation_hash,
        { id: "e5", type: "human_reviewer_comment", content: "Approved." },
        { signer: signers["acme-engineer"], class: "WIT", issuedAt: "2026-05-27T14:31:00Z" },
      ),
      attested("e6", "package_json_delta", { added: ["lodash.clonedeep"] }),
    ],
  });
  const world = deployment(registry);
  const loss = { point: 200, calibration_range_low: 150, calibration_range_high: 300, confidence_interval: 0.95, currency: "USD" };
  return {
    deployment: world,
    obligation,
    envelope,
    engine: signers["clearing-engine"],
    now: BigInt(Date.parse(SUBMITTED) / 1000),
    mesh: [
      constraintVerifier({
        signer: signers.v1_scope,
        answers: [{ question: "policy", clause: "scope" }],
        rules: { git_diff: [pathsWithin("paths", ["services/payments/*"])] },
      }),
      constraintVerifier({
        signer: signers.v2_dependency,
        answers: [{ question: "policy", clause: "dependency_policy" }],
        rules: { package_json_delta: [onlyApproved("added")] },
        loss,
      }),
      receiptVerifier({
        signer: signers.v3_ci_receipt,
        answers: [{ question: "performance", clause: "acceptance_tests" }],
        issuers: ["ci-runner"],
        rules: {
          ci_build_log: [equals("status", "green"), equals("regression_test_added", true)],
          static_security_scan: [atMost("severity_rank", 2)],
        },
        confidence: 9500,
      }),
      semanticVerifier({ signer: signers.v4_semantic_llm, answers: [{ question: "performance", clause: "review" }], judge }),
      policyVerifier({
        signer: signers.v5_policy_authority,
        answers: [{ question: "policy", clause: "authority" }],
        authority: () => ({ actions: ["patch"] }),
        actions: ["git_diff"],
      }),
      humanVerifier({
        signer: signers.v6_human_reviewer,
        answers: [{ question: "performance", clause: "review" }],
        deployment: world,
        act: () =>
          signHumanAct(signers["acme-engineer"], {
            obligation_hash: obligation.obligation_hash,
            envelope_id: envelope.envelope_id,
            shown: [itemHash(diff)],
            verdict: "PASS",
            confidence: 0.85,
          }),
      }),
    ],
  };
}
