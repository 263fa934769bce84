import { type Agreement, type KeyOf, readAgreement, sameIdentity } from "../../orchestrator/agreements/index.ts";
import { sha256Bytes } from "../../orchestrator/primitives/hash.ts";
import { signerOf } from "../../orchestrator/primitives/signing.ts";

const keyOfName = (name: string, algorithm: "ed25519" | "secp256k1" = "ed25519") =>
  signerOf(algorithm, sha256Bytes(new TextEncoder().encode(name)));

export const signers = { client: keyOfName("client"), provider: keyOfName("provider", "secp256k1"), stranger: keyOfName("stranger") };

/** The example of ASA: every field it has, its ellipses written out. */
export const EXAMPLE = {
  asa_version: "1.0.0",
  agreement_id: "asa-2026-03-26-a1b2c3d4",
  created_at: "2026-03-26T14:30:00Z",
  expires_at: "2026-03-27T14:30:00Z",
  status: "proposed",
  parties: {
    client: { identity: { scheme: "coc", value: "sha256:abc123" }, display_name: "Agent Alpha" },
    provider: { identity: { scheme: "erc8004", value: "0x742d" }, display_name: "Agent Beta" },
    evaluator: {
      identity: { scheme: "api_key", value: "eval-key-789" },
      type: "agent_as_judge",
      config: { model: "claude-sonnet-4-6", rubric_id: "research-v2" },
    },
  },
  service: {
    type: "research_synthesis",
    description: "Recent literature on privacy guarantees of federated learning",
    deliverable_format: "markdown",
    constraints: { max_tokens: 50_000, max_duration_seconds: 3600, max_cost_usd: 5 },
  },
  quality_criteria: {
    dimensions: [
      {
        name: "accuracy",
        weight: 0.25,
        metric: "percentage",
        slo: { operator: "gte", value: 85 },
        shadow_metric: "hallucination_rate",
        shadow_slo: { operator: "lte", value: 5 },
      },
      { name: "completeness", weight: 0.2, metric: "percentage", slo: { operator: "gte", value: 80 } },
      { name: "relevance", weight: 0.2, metric: "percentage", slo: { operator: "gte", value: 90 } },
      { name: "source_quality", weight: 0.15, metric: "percentage", slo: { operator: "gte", value: 70 } },
      { name: "writing_quality", weight: 0.1, metric: "percentage", slo: { operator: "gte", value: 75 } },
      { name: "timeliness", weight: 0.1, metric: "boolean", slo: { operator: "eq", value: true } },
    ],
    composite_threshold: 75,
    composite_method: "weighted_average",
    guarantee_type: "deterministic",
  },
  verification: {
    strategy: "optimistic",
    challenge_window_seconds: 7200,
    evaluator_timeout_seconds: 600,
    canary_tasks: { enabled: true, frequency: "1_per_5_deliveries", failure_action: "flag_and_continue" },
  },
  escrow: {
    enabled: true,
    binding: { type: "erc8183", contract_address: "0xdef456", chain: "base" },
    payment: {
      amount: "5.00",
      currency: "USDC",
      graduated_release: {
        enabled: true,
        tiers: [
          { composite_score_gte: 90, release_percent: 100 },
          { composite_score_gte: 75, release_percent: 85 },
          { composite_score_gte: 60, release_percent: 50 },
          { composite_score_lt: 60, release_percent: 0 },
        ],
      },
    },
    dead_mans_switch: {
      client_timeout_seconds: 86_400,
      provider_timeout_seconds: 86_400,
      evaluator_timeout_seconds: 3600,
      timeout_action: "hold_for_backup_evaluator",
    },
  },
  dispute: {
    protocol: "ajp",
    auto_file_on: "verification_failure_below_threshold",
    threshold: 60,
    evidence_includes: ["agreement", "deliverable_hash", "verification_result"],
  },
} as const;

export const proposal: Agreement = readAgreement(EXAMPLE);

export const keyOf: KeyOf = (identity) => {
  const party = (["client", "provider"] as const).find((each) => sameIdentity(identity, proposal.parties[each].identity));
  return party === undefined ? undefined : signers[party].publicKey;
};
