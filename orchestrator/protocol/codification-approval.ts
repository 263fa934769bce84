import { z } from "zod";
import { addressSchema } from "../primitives/address.ts";
import { hashSchema, hexSchema } from "../primitives/hex.ts";
import { missionDocumentSchema } from "./mission-document.ts";

const decimal = z.string().regex(/^(0|[1-9]\d*)$/);

/** What a session of HIGH risk waits for: an adjudicator's review of a codified law. Sufficient for signing offline. */
export const codificationRequestSchema = z.strictObject({
  kind: z.literal("codification"),
  chainId: z.int().positive(),
  /** The contract that accepts the signature. */
  adjudication: addressSchema,
  legislation: addressSchema,
  session: decimal,
  /** The ballot's choice, which the signature is about. */
  specHash: hashSchema,
  /** On-chain hash of the Codification Audit's report, which has no findings. */
  audit: hashSchema,
  document: missionDocumentSchema,
  /** Unix seconds of chain time: session and signature expire then. */
  until: z.int(),
  /** Why the last signature was rejected. */
  refused: z.string().nullable(),
});
export type CodificationRequest = z.infer<typeof codificationRequestSchema>;

/** An adjudicator's answer. The signed message follows from request and justification. */
export const codificationApprovalSchema = z.strictObject({
  session: decimal,
  specHash: hashSchema,
  adjudicator: addressSchema,
  /** The adjudicator's reason, which is signed and goes on chain. */
  justification: z.string().min(1),
  signature: hexSchema,
});
export type CodificationApproval = z.infer<typeof codificationApprovalSchema>;
