import { z } from "zod";
import {
  type ClaimEnvelope,
  claimEnvelopeSchema,
  digestSchema,
  extensionManifest,
  OUTCOME_STATUSES,
  trailEntrySchema,
  type VerificationOutcome,
} from "../../attestation/index.ts";
import { canonicalJson, parseJson } from "../../primitives/json.ts";
import { CLAIMS_PATH, type ClaimDesk } from "../claim-desk.ts";
import { type CityWorld, type Command, cityCommand, command } from "../command.ts";
import { Refused } from "../errors.ts";
import { count } from "../wire.ts";

const hex = z.string().regex(/^0x[0-9a-f]*$/);
const claimId = z.string().min(1).max(500).meta({ description: "<attester's address>:<anything>" });
/** What an attester sends; the seal is added by the check. */
const emitted = claimEnvelopeSchema.omit({ artifact_signature: true, verification_artifact_id: true });

const outcomeOutput = z.strictObject({
  status: z.enum(OUTCOME_STATUSES),
  method: z.string(),
  evidence: z.record(z.string(), z.json()),
  verifier_id: z.string().meta({ description: "did:key that the signature is checked with; get_city names it" }),
  verified_at: z.string(),
  /** Both are null only if nothing was read that could be sealed. */
  source_digest: digestSchema.nullable(),
  artifact_signature: hex.nullable(),
});

function deskOf({ claims }: CityWorld): ClaimDesk {
  if (claims === undefined) throw new Refused("NotFound", "This city does not keep claims", { action: "ask its operator" });
  return claims;
}

const shown = (outcome: VerificationOutcome): z.input<typeof outcomeOutput> => ({ ...outcome, evidence: { ...outcome.evidence } });

/** Claims and their checks, under the paths of the package's `attestationHandlers`. */
export const claimCommands: readonly Command[] = [
  cityCommand({
    name: "emit_claim",
    method: "POST",
    path: `${CLAIMS_PATH}/claims`,
    group: "Claims",
    doc: "Accepts a typed claim (claim-attestation/v1) of the member that signs the request, permanently. It is public.",
    access: "signed",
    cost: 50,
    input: emitted,
    output: z.strictObject({ claim_id: z.string() }),
    async run(world, envelope, { key }) {
      if (key === undefined) throw new Refused("SignatureMissing", "Authenticate before emitting a claim");
      await deskOf(world).emit(envelope, key);
      return { claim_id: envelope.attestation.claim_id };
    },
  }),
  cityCommand({
    name: "verify_claim",
    method: "POST",
    path: `${CLAIMS_PATH}/verify`,
    group: "Claims",
    doc: "Checks a claim that was emitted here against its source, once and within its window; repeated requests return the same signed outcome. Sources are public payloads of this city (urn:agentcity:block:<cid>) and the operator's allowed origins.",
    access: "open",
    waits: true,
    cost: 50,
    input: z.strictObject({ claim_id: claimId }),
    output: outcomeOutput,
    run: async (world, { claim_id }, { from = "" }) => shown(await deskOf(world).verify(claim_id, from)),
  }),
  cityCommand({
    name: "get_claim",
    method: "GET",
    path: `${CLAIMS_PATH}/audit/{claim_id}`,
    group: "Claims",
    doc: "The complete record of a claim: its envelope, the outcome of its check, its trail entries, and the signed end of the trail.",
    access: "open",
    cost: 5,
    input: z.strictObject({ claim_id: claimId }),
    output: z.strictObject({
      envelope: emitted,
      outcome: outcomeOutput.nullable(),
      trail: z.array(trailEntrySchema),
      head: z.strictObject({ length: count, digest: digestSchema, signature: hex }),
    }),
    claims: ({ envelope }) => (envelope === undefined ? [] : [envelope]),
    async run(world, { claim_id }) {
      const { envelope, outcome, trail, head } = await deskOf(world).record(claim_id);
      return { envelope: asEmitted(envelope), outcome: outcome === undefined ? null : shown(outcome), trail: [...trail], head };
    },
  }),
  command({
    name: "get_claim_manifest",
    method: "GET",
    path: `${CLAIMS_PATH}/manifest.json`,
    group: "Claims",
    doc: "JSON Schemas of the claim formats (claim-attestation/v1): the extension's manifest.",
    access: "open",
    cost: 1,
    input: z.strictObject({}),
    output: z.looseObject({ uri: z.string(), version: z.string() }),
    run: async () => z.looseObject({ uri: z.string(), version: z.string() }).parse(parseJson(canonicalJson(extensionManifest()))),
  }),
];

const asEmitted = ({ artifact_signature: _, verification_artifact_id: __, ...envelope }: ClaimEnvelope) => envelope;
