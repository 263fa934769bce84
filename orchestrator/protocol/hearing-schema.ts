/** What is read from outside of a job before a panel of the city. Apart, since who only signs needs no schemas. */
import { z } from "zod";
import { addressSchema } from "../primitives/address.ts";
import { hashSchema } from "../primitives/hex.ts";
import { evidenceClasses } from "./evidence.ts";
import { PANEL_KINDS } from "./verifier-kinds.ts";

const seconds = z.int().nonnegative();
const share = z.int().min(0).max(10_000);

/** What both parties sign, as JSON. */
export const hearingTermsSchema = z.strictObject({
  escrow: addressSchema,
  /** As decimal text. */
  jobId: z.string().regex(/^(?:0|[1-9]\d{0,77})$/),
  client: addressSchema,
  provider: addressSchema,
  clientPrincipal: addressSchema,
  providerPrincipal: addressSchema,
  agreementHash: hashSchema,
  /** Number of an evidence class. */
  floor: z
    .int()
    .min(0)
    .max(evidenceClasses.length - 1),
  questions: z.int().min(1).max(3),
  minConfidence: share,
  passScore: share,
  panelSize: z.int().min(1).max(7),
  graduated: z.boolean(),
  layout: z.int().min(0).max(0xff_ff_ff_ff),
  deliverBy: seconds,
  hearing: seconds,
  deadline: seconds,
  /** Of a challenge, in the city's token, smallest unit, as decimal text; "0": nobody challenges. */
  bond: z.string().regex(/^(?:0|[1-9]\d{0,27})$/),
});
export type HearingTerms = z.infer<typeof hearingTermsSchema>;

/** Characters. */
const MAX_RUBRIC = 8_000;

/**
 * By what a panel judges a job: kinds as under a law, the JSON Schema that work has to meet, and the rubric by which a model reads it. Its
 * SHA-256 is the terms' `agreementHash`, so both parties have signed it.
 */
export const commissionSchema = z
  .strictObject({
    version: z.literal(1),
    kinds: z.array(z.enum(PANEL_KINDS)).min(1),
    schema: z.record(z.string(), z.json()).optional(),
    rubric: z.string().min(1).max(MAX_RUBRIC).optional(),
  })
  .refine(({ kinds }) => new Set(kinds).size === kinds.length, "each kind once")
  .refine(({ kinds, schema }) => kinds.includes("constraint") === (schema !== undefined), "a schema, for the kind `constraint` alone")
  .refine(({ kinds, rubric }) => kinds.includes("semantic") === (rubric !== undefined), "a rubric, for the kind `semantic` alone");
export type Commission = z.infer<typeof commissionSchema>;
