/** Wire format of attestations (Pramana 3.2, 3.3): in A2A cards and MCP results, which peers without support can ignore. */
import { z } from "zod";
import { hexSchema } from "../primitives/hex.ts";
import { SIGNATURE_ALGORITHMS } from "../primitives/signing.ts";
import { CLAIM_TYPES, claimAttestationSchema, digestSchema } from "./claims.ts";

/** Names the extension in `capabilities.extensions`. */
export const PRAMANA_EXTENSION = "https://ravikiran438.github.io/pramana-attestation/v1";
const WIRE_VERSION = "claim-attestation/v1";
/** Key of MCP's `structuredContent` and `_meta`. */
const MCP_KEY = "pramana";

const httpUrl = z.url({ protocol: /^https?$/ });

/** A claim in transit: where it can be checked (CA-1), by when (CA-2), and what seals the check (CA-3). */
export const claimEnvelopeSchema = z.strictObject({
  version: z.literal(WIRE_VERSION),
  attestation: claimAttestationSchema,
  verify_endpoint_hint: httpUrl,
  /** Milliseconds from emission until the claim becomes unverifiable. */
  sla_window_ms: z.int().positive(),
  signature_alg: z.enum(SIGNATURE_ALGORITHMS),
  /** Digest of the source when the claim was made. */
  source_digest: digestSchema.optional(),
  verification_artifact_id: z.string().min(1).optional(),
  artifact_signature: hexSchema.optional(),
});
export type ClaimEnvelope = z.infer<typeof claimEnvelopeSchema>;

/** The description of an agent that checks claims. */
export const pramanaServiceRefSchema = z.strictObject({
  version: z.literal(WIRE_VERSION),
  verify_endpoint: httpUrl,
  audit_endpoint: httpUrl,
  claim_types: z.array(z.enum(CLAIM_TYPES)).min(1),
  source_schemes: z.array(z.string().regex(/^[a-z][a-z0-9+.-]*$/)).min(1),
  signature_alg: z.enum(SIGNATURE_ALGORITHMS),
  sla_window_ms: z.int().positive(),
});
export type PramanaServiceRef = z.infer<typeof pramanaServiceRefSchema>;

/** Adds the version. Throws a ZodError if a field is missing (CA-1). */
export function envelope(fields: Omit<ClaimEnvelope, "version">): ClaimEnvelope {
  return claimEnvelopeSchema.parse({ version: WIRE_VERSION, ...fields });
}

/** The extension entry of an A2A card. Not required, so that agents without support are unaffected. */
export function agentExtension(ref: Omit<PramanaServiceRef, "version">) {
  return {
    uri: PRAMANA_EXTENSION,
    description: "Checks typed claims against their sources and keeps the record.",
    required: false,
    params: pramanaServiceRefSchema.parse({ version: WIRE_VERSION, ...ref }),
  };
}

/**
 * The document behind the extension's URI: its params, what travels with a claim, and where. Its schemas are generated from those that
 * validate; they leave open what JSON Schema cannot express (digests, keys).
 */
export function extensionManifest() {
  const schemaOf = (schema: z.ZodType) => z.toJSONSchema(schema, { target: "draft-2020-12", unrepresentable: "any" });
  return {
    uri: PRAMANA_EXTENSION,
    version: WIRE_VERSION,
    required: false,
    a2a: { where: "capabilities.extensions[].params", params: schemaOf(pramanaServiceRefSchema) },
    mcp: { where: ["structuredContent", "_meta"], key: MCP_KEY },
    envelope: schemaOf(claimEnvelopeSchema),
  };
}

const cardSchema = z.looseObject({
  capabilities: z.looseObject({ extensions: z.array(z.looseObject({ uri: z.string(), params: z.unknown().optional() })).default([]) }),
});

/** A card's entry on checking claims; undefined if it is missing or unreadable. */
export function serviceRefOf(card: unknown): PramanaServiceRef | undefined {
  const parsed = cardSchema.safeParse(card);
  const entry = parsed.data?.capabilities.extensions.find(({ uri }) => uri === PRAMANA_EXTENSION);
  return pramanaServiceRefSchema.safeParse(entry?.params).data;
}

/** The part of an MCP tool result that concerns attestations. */
export interface ToolResult {
  readonly content: readonly unknown[];
  readonly structuredContent?: Readonly<Record<string, unknown>>;
  readonly _meta?: Readonly<Record<string, unknown>>;
}

/** Adds claims to a result without changing its content. `where`: `_meta` suits tools with an output schema. */
export function withClaims<Result extends ToolResult>(
  result: Result,
  claims: readonly ClaimEnvelope[],
  where: "structuredContent" | "_meta" = "structuredContent",
): Result {
  return { ...result, [where]: { ...result[where], [MCP_KEY]: claims } };
}

/** The claims of a result; empty if missing or unreadable. */
export function claimsOf(result: ToolResult): readonly ClaimEnvelope[] {
  const found = result.structuredContent?.[MCP_KEY] ?? result._meta?.[MCP_KEY];
  return z.array(claimEnvelopeSchema).safeParse(found).data ?? [];
}
