import { z } from "zod";
import { sha256 } from "../primitives/hash.ts";
import { canonicalBytes } from "../primitives/json.ts";

/** `sha256:` and 64 hex digits: the wire format of digests. */
export const digestSchema = z.templateLiteral(["sha256:", z.string().regex(/^[0-9a-f]{64}$/)]);
export type Digest = z.infer<typeof digestSchema>;

/** Digest of bytes in wire format. */
export function digestOf(bytes: Uint8Array): Digest {
  return `sha256:${sha256(bytes).slice(2)}`;
}

/** An instant, ISO 8601, UTC. */
export const instantSchema = z.iso.datetime({ offset: false });

const text = z.string().min(1).max(20_000);
const name = z.string().min(1).max(500);
/** Absolute, of any scheme; the fetcher decides which ones it can fetch. */
const uri = z
  .string()
  .max(2000)
  .regex(/^[a-z][a-z0-9+.-]*:\S+$/i, "expected an absolute URI");
/** Integers that a JSON number cannot hold travel as text. */
const number = z.number().refine((value) => !Number.isInteger(value) || Number.isSafeInteger(value), "write so large an integer as text");
const scalar = z.union([number, z.string().max(20_000), z.boolean()]);

/** One value, or several that were recorded together, by field. */
export const measuredValueSchema = z.union([scalar, z.record(z.string().min(1), scalar)]);
export type MeasuredValue = z.infer<typeof measuredValueSchema>;

const common = {
  claim_id: name,
  /** The assertion, in words. */
  claim: text,
  attester_id: name,
  attested_at: instantSchema,
};

/** Direct observation, or a structured record of one. */
export const measurementClaimSchema = z.strictObject({
  claim_type: z.literal("measurement"),
  ...common,
  measured_value: measuredValueSchema,
  unit: name,
  method: name,
  measurement_source: uri,
  /** Largest deviation from the recorded number, in `unit`. */
  uncertainty: z.number().nonnegative(),
});

/** A conclusion from named premises by a named rule. */
export const inferenceClaimSchema = z.strictObject({
  claim_type: z.literal("inference"),
  ...common,
  premises: z.array(text).min(1).max(256),
  conclusion: text,
  inference_method: name,
});

/** Similarity to a known case. Without a score the outcome only documents that a similarity could be computed. */
export const analogyClaimSchema = z.strictObject({
  claim_type: z.literal("analogy"),
  ...common,
  reference_case: uri,
  similarity_method: name,
  similarity_score: z.number().min(0).max(1).optional(),
});

/** A quotation of an authority. */
export const citationClaimSchema = z.strictObject({
  claim_type: z.literal("citation"),
  ...common,
  source_uri: uri,
  source_excerpt: text,
  retrieved_at: instantSchema,
});

/** A statement of an agent, by the ground of its knowledge (Pramana 2.1). */
export const claimAttestationSchema = z.discriminatedUnion("claim_type", [
  measurementClaimSchema,
  inferenceClaimSchema,
  analogyClaimSchema,
  citationClaimSchema,
]);

export type MeasurementClaim = z.infer<typeof measurementClaimSchema>;
export type InferenceClaim = z.infer<typeof inferenceClaimSchema>;
export type AnalogyClaim = z.infer<typeof analogyClaimSchema>;
export type CitationClaim = z.infer<typeof citationClaimSchema>;
export type ClaimAttestation = z.infer<typeof claimAttestationSchema>;

export const CLAIM_TYPES = ["measurement", "inference", "analogy", "citation"] as const satisfies readonly ClaimAttestation["claim_type"][];
export type ClaimType = (typeof CLAIM_TYPES)[number];

/** Identifies a claim: SHA-256 of its RFC 8785 bytes. */
export function claimDigest(claim: ClaimAttestation): Digest {
  return digestOf(canonicalBytes(claim));
}
