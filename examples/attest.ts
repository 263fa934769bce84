/**
 * A claim, checked against its source by somebody else, and again by anybody who has the signed outcome and the source.
 *
 * usage: node attest.ts
 */
import {
  type ClaimAttestation,
  fixedMetricSimilarity,
  isOutcomeSignedBy,
  recordMeasurements,
  ruleOracle,
  signerOf,
  verify,
} from "agentcity/attestation";

const sources = { fetch: async () => new TextEncoder().encode("Section 3. Tier 2 applies when DTI < 0.40.") };
const verifier = signerOf("ed25519", new Uint8Array(32).fill(1)); // a key of your own in place of this
const deps = {
  verifierId: "verifier-1",
  signer: verifier,
  now: Date.now,
  sources,
  measurements: recordMeasurements(sources),
  similarity: fixedMetricSimilarity(sources),
  inference: ruleOracle(sources, (rule) => `https://rules.example/${rule}`),
};
const claim: ClaimAttestation = {
  claim_type: "citation",
  claim_id: "c-1",
  claim: "the policy allows tier 2",
  attester_id: "agent-1",
  attested_at: "2026-01-01T00:00:00Z",
  source_uri: "https://policies.example/v1.2",
  source_excerpt: "Tier 2 applies when DTI < 0.40",
  retrieved_at: "2026-01-01T00:00:00Z",
};
for (const said of [claim, { ...claim, source_excerpt: "Tier 2 is for everybody" }]) {
  const outcome = await verify(said, deps);
  console.log(`${outcome.status}, ${outcome.method}, signed: ${isOutcomeSignedBy(outcome, verifier.publicKey)}`);
}
