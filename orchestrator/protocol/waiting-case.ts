import { z } from "zod";
import { addressSchema } from "../primitives/address.ts";
import { hashSchema, hexSchema } from "../primitives/hex.ts";
import { petitionSchema } from "./calls.ts";

const decimal = z.string().regex(/^(0|[1-9]\d*)$/);

/** Where the signature is valid, and the state that it judges. */
const common = { chainId: z.int().positive(), adjudication: addressSchema, caseHash: hashSchema };

/** A node that waits for a human: to approve or reject its work, or to release it from a freeze. */
const reviewSchema = z.strictObject({
  kind: z.literal("review"),
  ...common,
  mission: addressSchema,
  node: z.int().nonnegative(),
  label: z.string(),
  reason: z.enum(["human tier", "disputed", "vetoed", "frozen"]),
  /** The mesh's score, 0–1; 0 if it reached none. */
  quality: z.number().min(0).max(1),
  /** 1 − the mesh's confidence, 0–1. */
  risk: z.number().min(0).max(1),
  /** The law's criteria for the work. */
  rubric: z.string().exactOptional(),
  excerpt: z.string(),
  /** Arguments of APPROVE_POP, which is refused below the law's floor regardless of the signers. */
  approval: hexSchema,
  /** Chain time at which it goes to the backup pool, or fails. */
  deadline: z.int().nonnegative(),
  /** With the backup pool: every seat except the one whose turn it was. */
  escalated: z.boolean(),
});

/** Appeals against a clearing, all on one attempt at a node: one ruling decides them. */
const appealSchema = z.strictObject({
  kind: z.literal("appeal"),
  ...common,
  mission: addressSchema,
  node: z.int().nonnegative(),
  label: z.string(),
  /** From 0. */
  attempt: z.int().nonnegative(),
  /** By position; null if the records lack the text. */
  appeals: z.array(z.strictObject({ appellant: z.string(), bond: decimal, evidence: z.string().nullable() })),
  quality: z.number().min(0).max(1),
  risk: z.number().min(0).max(1),
  excerpt: z.string(),
});

/** A law delayed because voters ranked alike. */
const blocSchema = z.strictObject({
  kind: z.literal("bloc"),
  ...common,
  session: decimal,
  blocs: z.array(z.array(z.string())),
  flagged: z.int().nonnegative(),
  ballots: z.int().nonnegative(),
  winner: z.string(),
  otherwise: z.string().nullable(),
});

/** A mission that was suspended after the chain was unreachable. */
const suspensionSchema = z.strictObject({
  kind: z.literal("suspension"),
  ...common,
  mission: addressSchema,
  facts: z.array(z.string()),
  divergences: z.array(z.string()),
});

/** A petition for an evidence office, as both parties signed it. `value`: an issuer's classes, or a verifier's initial weight. */
const petitionCaseSchema = z.strictObject({ kind: z.literal("petition"), ...common, ...petitionSchema.shape, value: z.int().positive() });

/** A case that a running mission leaves for adjudicators, as a file: sufficient to judge and to sign. */
export const waitingCaseSchema = z.discriminatedUnion("kind", [
  reviewSchema,
  appealSchema,
  blocSchema,
  suspensionSchema,
  petitionCaseSchema,
]);
export type WaitingCase = z.infer<typeof waitingCaseSchema>;
