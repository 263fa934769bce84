/** How attestations travel (Pramana 3.2, 3.3): inside A2A cards and MCP results, where a peer that does not know them loses nothing. */
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

/** A claim on its way: where anybody can have it checked (CA-1), by when (CA-2), and what seals the check (CA-3). */
export const claimEnvelopeSchema = z.strictObject({
  version: z.literal(WIRE_VERSION),
  attestation: claimAttestationSchema,
  verify_endpoint_hint: httpUrl,
  /** Milliseconds from emission until the claim counts as unverifiable. */
  sla_window_ms: z.int().positive(),
  signature_alg: z.enum(SIGNATURE_ALGORITHMS),
  /** Digest of the source when the claim was made. */
  source_digest: digestSchema.optional(),
  verification_artifact_id: z.string().min(1).optional(),
  artifact_signature: hexSchema.optional(),
});
export type ClaimEnvelope = z.infer<typeof claimEnvelopeSchema>;

/** What an agent that checks claims says of itself. */
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

/** Fills in the version. Throws a ZodError when a field is missing (CA-1). */
export function envelope(fields: Omit<ClaimEnvelope, "version">): ClaimEnvelope {
  return claimEnvelopeSchema.parse({ version: WIRE_VERSION, ...fields });
}

/** The entry of an A2A card. Not required: agents that do not know it go on as before. */
export function agentExtension(ref: Omit<PramanaServiceRef, "version">) {
  return {
    uri: PRAMANA_EXTENSION,
    description: "Checks typed claims against their sources and keeps the record.",
    required: false,
    params: pramanaServiceRefSchema.parse({ version: WIRE_VERSION, ...ref }),
  };
}

/**
 * What stands behind the extension's URI, for whoever meets it in a card: what its params are, what travels with a claim, and where. The
 * schemas are made of those that check; what a schema cannot say (digests, keys) they leave open.
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

/** What a card says about checking claims; undefined when it says nothing that can be read. */
export function serviceRefOf(card: unknown): PramanaServiceRef | undefined {
  const parsed = cardSchema.safeParse(card);
  const entry = parsed.data?.capabilities.extensions.find(({ uri }) => uri === PRAMANA_EXTENSION);
  return pramanaServiceRefSchema.safeParse(entry?.params).data;
}

/** An MCP tool result, as far as it concerns attestations. */
export interface ToolResult {
  readonly content: readonly unknown[];
  readonly structuredContent?: Readonly<Record<string, unknown>>;
  readonly _meta?: Readonly<Record<string, unknown>>;
}

/** The result with its claims beside the content, which stays as it is. `where`: `_meta` suits tools with an output schema. */
export function withClaims<Result extends ToolResult>(
  result: Result,
  claims: readonly ClaimEnvelope[],
  where: "structuredContent" | "_meta" = "structuredContent",
): Result {
  return { ...result, [where]: { ...result[where], [MCP_KEY]: claims } };
}

/** The claims beside a result; none when there are none, or none that can be read. */
export function claimsOf(result: ToolResult): readonly ClaimEnvelope[] {
  const found = result.structuredContent?.[MCP_KEY] ?? result._meta?.[MCP_KEY];
  return z.array(claimEnvelopeSchema).safeParse(found).data ?? [];
}
