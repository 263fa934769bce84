import { expect } from "chai";
import fc from "fast-check";
import { type ClaimAttestation, claimAttestationSchema, claimDigest } from "../../orchestrator/attestation/claims.ts";
import {
  agentExtension,
  claimEnvelopeSchema,
  claimsOf,
  PRAMANA_EXTENSION,
  serviceRefOf,
  withClaims,
} from "../../orchestrator/attestation/wire.ts";
import { canonicalJson, parseJson } from "../../orchestrator/primitives/json.ts";
import { isSignedBy, SIGNATURE_ALGORITHMS } from "../../orchestrator/primitives/signing.ts";
import { CLAIMS, keyFor, sent } from "../../scripts/attestation/underwriting.ts";

const SERVICE = {
  verify_endpoint: "https://verifier.example/verify",
  audit_endpoint: "https://verifier.example/audit",
  claim_types: ["measurement", "citation"] as ("measurement" | "citation")[],
  source_schemes: ["https"],
  signature_alg: "ed25519" as const,
  sla_window_ms: 60_000,
};
const SEED = 20_261_121;

const words = fc.string({ minLength: 1, maxLength: 40, unit: "grapheme" });
const common = { claim_id: words, claim: words, attester_id: words, attested_at: fc.constant("2026-01-01T00:00:00.000Z") };
const fits = (value: number) => !Number.isInteger(value) || Number.isSafeInteger(value);
const scalar = fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }).filter(fits), words, fc.boolean());
const anyClaim: fc.Arbitrary<ClaimAttestation> = fc.oneof(
  fc.record({
    claim_type: fc.constant("measurement" as const),
    ...common,
    measured_value: fc.oneof(scalar, fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), scalar)),
    unit: words,
    method: words,
    measurement_source: fc.webUrl(),
    uncertainty: fc.double({ min: 0, max: 1e6, noNaN: true }),
  }),
  fc.record({
    claim_type: fc.constant("inference" as const),
    ...common,
    premises: fc.array(words, { minLength: 1, maxLength: 5 }),
    conclusion: words,
    inference_method: words,
  }),
  fc.record(
    {
      claim_type: fc.constant("analogy" as const),
      ...common,
      reference_case: fc.webUrl(),
      similarity_method: words,
      similarity_score: fc.double({ min: 0, max: 1, noNaN: true }),
    },
    { requiredKeys: ["claim_type", "claim_id", "claim", "attester_id", "attested_at", "reference_case", "similarity_method"] },
  ),
  fc.record({
    claim_type: fc.constant("citation" as const),
    ...common,
    source_uri: fc.webUrl(),
    source_excerpt: words,
    retrieved_at: fc.constant("2026-01-01T00:00:00.000Z"),
  }),
);

describe("attestation/wire", () => {
  it("carries any claim through JSON and back", () => {
    fc.assert(
      fc.property(anyClaim, (claim) => {
        const back = claimAttestationSchema.parse(parseJson(canonicalJson(claim)));
        expect(claimDigest(back)).to.equal(claimDigest(claimAttestationSchema.parse(claim)));
      }),
      { seed: SEED, numRuns: 500 },
    );
  });

  it("tells claims of one type from those of another, and refuses fields it does not know", () => {
    const { claim_type, ...untyped } = CLAIMS.citation;
    expect(claimAttestationSchema.safeParse(untyped).success).to.equal(false);
    expect(claimAttestationSchema.safeParse({ ...untyped, claim_type: "inference" }).success).to.equal(false);
    expect(claimAttestationSchema.safeParse({ ...CLAIMS.citation, confidence: 1 }).success).to.equal(false);
  });

  it("stands in an A2A card as an extension that deserializes to the service reference", () => {
    const card = {
      name: "underwriter",
      capabilities: { streaming: true, extensions: [{ uri: "https://other.example" }, agentExtension(SERVICE)] },
    };
    expect(serviceRefOf(JSON.parse(JSON.stringify(card)))).to.deep.include(SERVICE);
    for (const silent of [{}, { capabilities: {} }, { capabilities: { extensions: [{ uri: PRAMANA_EXTENSION, params: 7 }] } }, null])
      expect(serviceRefOf(silent)).to.equal(undefined);
  });

  it("rides beside an MCP result, whose content stays as it is", () => {
    const result = { content: [{ type: "text", text: "tier 2" }], structuredContent: { tier: 2 } };
    for (const where of ["structuredContent", "_meta"] as const) {
      const carried = withClaims(result, [sent(CLAIMS.citation), sent(CLAIMS.inference)], where);
      expect(carried.content).to.equal(result.content);
      expect(carried.structuredContent).to.deep.include({ tier: 2 });
      expect(claimsOf(JSON.parse(JSON.stringify(carried)))).to.deep.equal([sent(CLAIMS.citation), sent(CLAIMS.inference)]);
    }
    expect(claimsOf(result)).to.deep.equal([]);
    expect(claimsOf({ content: [], _meta: { pramana: "nonsense" } })).to.deep.equal([]);
  });

  it("has no envelope without a place and a time (CA-1, CA-2)", () => {
    for (const field of ["verify_endpoint_hint", "sla_window_ms"] as const)
      expect(claimEnvelopeSchema.safeParse({ ...sent(CLAIMS.citation), [field]: undefined }).success).to.equal(false);
    expect(claimEnvelopeSchema.safeParse({ ...sent(CLAIMS.citation), verify_endpoint_hint: "file:///etc/passwd" }).success).to.equal(false);
  });

  for (const algorithm of SIGNATURE_ALGORITHMS) {
    it(`knows an ${algorithm} signature from anything else`, () => {
      const { publicKey, sign } = keyFor("somebody", algorithm);
      const message = new TextEncoder().encode("message");
      const signature = sign(message);
      expect(isSignedBy(publicKey, message, signature)).to.equal(true);
      expect(isSignedBy(publicKey, new TextEncoder().encode("massage"), signature)).to.equal(false);
      expect(isSignedBy(keyFor("another", algorithm).publicKey, message, signature)).to.equal(false);
      expect(isSignedBy(publicKey, message, "0x")).to.equal(false);
      expect(isSignedBy({ algorithm, key: "0x1234" }, message, signature)).to.equal(false);
    });
  }
});
