import { z } from "zod";
import { type Hex, hexSchema } from "../primitives/hex.ts";
import { canonicalBytes } from "../primitives/json.ts";
import { type ByteSigner, isSignedBy, keyBehind, type PublicKey } from "../primitives/signing.ts";
import { digestSchema, instantSchema } from "./claims.ts";

/** Facts for repeating the check; JSON scalars and lists of text. */
const evidenceSchema = z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null(), z.array(z.string())]));
export type Evidence = z.infer<typeof evidenceSchema>;

const common = {
  /** `measurement/record-match`: the check and how it ended. Never empty. */
  method: z.string().min(1),
  evidence: evidenceSchema,
  verifier_id: z.string().min(1),
  verified_at: instantSchema,
};

/**
 * Outcome of a check (Pramana 2.2). Only "unverifiable" may lack a source and a signature (CA-3): nothing was read that could be sealed.
 * Everything except `verifier_id`, `verified_at` and the signature over them depends on claim and source alone.
 */
export const verificationOutcomeSchema = z.discriminatedUnion("status", [
  z.strictObject({
    status: z.enum(["verified", "rejected"]),
    ...common,
    source_digest: digestSchema,
    artifact_signature: hexSchema,
  }),
  z.strictObject({
    status: z.literal("unverifiable"),
    ...common,
    source_digest: digestSchema.nullable(),
    artifact_signature: hexSchema.nullable(),
  }),
]);

export type VerificationOutcome = z.infer<typeof verificationOutcomeSchema>;
export type OutcomeStatus = VerificationOutcome["status"];
export const OUTCOME_STATUSES = ["verified", "rejected", "unverifiable"] as const satisfies readonly OutcomeStatus[];

type Unsigned<Outcome> = Outcome extends unknown ? Omit<Outcome, "artifact_signature"> : never;
/** An outcome before its verifier signed it. */
export type UnsignedOutcome = Unsigned<VerificationOutcome>;

/** Domain separation: a signed outcome cannot pass for another message. */
const DOMAIN = new TextEncoder().encode("claim-attestation/v1 outcome\n");

function signedBytes(outcome: UnsignedOutcome): Uint8Array {
  const body = canonicalBytes(outcome);
  const bytes = new Uint8Array(DOMAIN.length + body.length);
  bytes.set(DOMAIN);
  bytes.set(body, DOMAIN.length);
  return bytes;
}

/** Adds the verifier's signature over the whole outcome. */
export function signOutcome(outcome: UnsignedOutcome, signer: ByteSigner): VerificationOutcome {
  return verificationOutcomeSchema.parse({ ...outcome, artifact_signature: signer.sign(signedBytes(outcome)) });
}

/** Whether the key signed this outcome. */
export function isOutcomeSignedBy({ artifact_signature, ...outcome }: VerificationOutcome, key: PublicKey): boolean {
  return artifact_signature !== null && isSignedBy(key, signedBytes(outcome as UnsignedOutcome), artifact_signature);
}

/**
 * Recovers the account's secp256k1 key that signed this outcome; undefined if it did not. `isIts` tests an uncompressed key against the
 * account.
 */
export function outcomeKey(
  { artifact_signature, ...outcome }: VerificationOutcome,
  isIts: (uncompressed: Hex) => boolean,
): PublicKey | undefined {
  return artifact_signature === null ? undefined : keyBehind(signedBytes(outcome as UnsignedOutcome), artifact_signature, isIts);
}

/** Whether repeating the check must give the same answer. A model oracle can only be queried again and compared. */
export function isReplayOnly({ evidence }: VerificationOutcome): boolean {
  return evidence["determinism"] === "replayable";
}
