/** The underwriting example of Pramana 4.7 over fixed documents: real oracles, a fixed clock, keys derived from names. */

import { recordingFetcher } from "../../orchestrator/attestation/bundle.ts";
import type { ClaimAttestation } from "../../orchestrator/attestation/claims.ts";
import { AttestationDesk } from "../../orchestrator/attestation/desk.ts";
import { fixedMetricSimilarity, recordMeasurements, ruleOracle } from "../../orchestrator/attestation/oracles.ts";
import type { SourceFetcher, VerifierDeps } from "../../orchestrator/attestation/ports.ts";
import { type ClaimEnvelope, envelope } from "../../orchestrator/attestation/wire.ts";
import { sha256Bytes } from "../../orchestrator/primitives/hash.ts";
import { type SignatureAlgorithm, signerOf } from "../../orchestrator/primitives/signing.ts";

export const START = Date.UTC(2026, 0, 1);
export const RULES = "https://rules.example/";

export const keyFor = (name: string, algorithm: SignatureAlgorithm = "ed25519") =>
  signerOf(algorithm, sha256Bytes(new TextEncoder().encode(name)));

/** Documents by URI; other URIs cannot be fetched. */
export function library(documents: Readonly<Record<string, unknown>>): SourceFetcher {
  return {
    fetch: (uri) => {
      const found = documents[uri];
      if (found === undefined) return Promise.reject(new Error(`nothing at ${uri}`));
      return Promise.resolve(new TextEncoder().encode(typeof found === "string" ? found : JSON.stringify(found)));
    },
  };
}

export function depsOver(sources: SourceFetcher, changes: Partial<VerifierDeps> = {}): VerifierDeps {
  return {
    verifierId: "verifier-1",
    signer: keyFor("verifier-1"),
    now: () => START,
    sources,
    measurements: recordMeasurements(sources),
    similarity: fixedMetricSimilarity(sources),
    inference: ruleOracle(sources, (method) => `${RULES}${method}`),
    ...changes,
  };
}

export function openDesk(documents: Readonly<Record<string, unknown>>, changes: Partial<VerifierDeps> = {}) {
  const sources = recordingFetcher(library(documents));
  const deps = depsOver(sources, changes);
  return { sources, deps, desk: new AttestationDesk(deps) };
}

export const sent = (attestation: ClaimAttestation, fields: Partial<ClaimEnvelope> = {}): ClaimEnvelope =>
  envelope({
    attestation,
    verify_endpoint_hint: "https://verifier.example/verify",
    sla_window_ms: 60_000,
    signature_alg: "ed25519",
    ...fields,
  });

const said = { attester_id: "agent-1", attested_at: "2026-01-01T00:00:00.000Z" };

/** One claim of each kind, all true according to `DOCUMENTS`. */
export const CLAIMS = {
  measurement: {
    claim_type: "measurement",
    claim_id: "m-1",
    claim: "the applicant's record",
    ...said,
    measured_value: { dti: 0.31, fico: 742, claims: 0 },
    unit: "record",
    method: "read",
    measurement_source: "https://records.example/applicant-7",
    uncertainty: 0,
  },
  inference: {
    claim_type: "inference",
    claim_id: "i-1",
    claim: "applicant qualifies for tier 2 pricing",
    ...said,
    premises: ["DTI < 0.40", "FICO >= 700", "no claims in 3 years"],
    conclusion: "tier 2",
    inference_method: "tier_2_eligibility_rule_v1.2",
  },
  analogy: {
    claim_type: "analogy",
    claim_id: "a-1",
    claim: "a quiet year without losses",
    ...said,
    reference_case: "https://cases.example/2019-14",
    similarity_method: "word-jaccard/v1",
    similarity_score: 0.6,
  },
  citation: {
    claim_type: "citation",
    claim_id: "c-1",
    claim: "policy for tier 2",
    ...said,
    source_uri: "policy://underwriting/v1.2#section-3",
    source_excerpt: "Tier 2 pricing applies when DTI < 0.40",
    retrieved_at: "2026-01-01T00:00:00.000Z",
  },
} as const satisfies Record<string, ClaimAttestation>;

export const DOCUMENTS: Readonly<Record<string, unknown>> = {
  "https://records.example/applicant-7": { dti: 0.31, fico: 742, claims: 0, name: "not asked for" },
  [`${RULES}tier_2_eligibility_rule_v1.2`]: {
    rule: "tier_2_eligibility_rule_v1.2",
    conditions: ["DTI < 0.40", "FICO >= 700", "no claims in 3 years"],
    conclusion: "tier 2",
  },
  "https://cases.example/2019-14": "a quiet year",
  "policy://underwriting/v1.2#section-3": "Section 3. Tier 2 pricing applies when DTI < 0.40 AND FICO >= 700.",
};
