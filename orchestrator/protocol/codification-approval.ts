import { z } from "zod";
import { addressSchema } from "../primitives/address.ts";
import { hashSchema, hexSchema } from "../primitives/hex.ts";
import { missionDocumentSchema } from "./mission-document.ts";

const decimal = z.string().regex(/^(0|[1-9]\d*)$/);

/** What a session of HIGH risk waits for: a codified law that an adjudicator has to read. Enough to sign without a network. */
export const codificationRequestSchema = z.strictObject({
  kind: z.literal("codification"),
  chainId: z.int().positive(),
  /** The contract that takes the signature. */
  adjudication: addressSchema,
  legislation: addressSchema,
  session: decimal,
  /** What the ballot chose and the signature is about. */
  specHash: hashSchema,
  /** Hash of the Codification Audit's report, as it is on chain; it found nothing. */
  audit: hashSchema,
  document: missionDocumentSchema,
  /** Unix seconds of chain time: the session ends then, and the signature with it. */
  until: z.int(),
  /** Why the last signature was not taken. */
  refused: z.string().nullable(),
});
export type CodificationRequest = z.infer<typeof codificationRequestSchema>;

/** An adjudicator's answer. What was signed follows from the request and the justification. */
export const codificationApprovalSchema = z.strictObject({
  session: decimal,
  specHash: hashSchema,
  adjudicator: addressSchema,
  /** Why, in the adjudicator's words, which are signed and go on chain. */
  justification: z.string().min(1),
  signature: hexSchema,
});
export type CodificationApproval = z.infer<typeof codificationApprovalSchema>;
