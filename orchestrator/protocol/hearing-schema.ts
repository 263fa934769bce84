/** Schemas of jobs before a city panel. A separate file: clients that only sign need no schemas. */
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
  /** Decimal text. */
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
  /** Bond for a challenge, in the city's token, smallest unit, as decimal text; "0" disables challenges. */
  bond: z.string().regex(/^(?:0|[1-9]\d{0,27})$/),
});
export type HearingTerms = z.infer<typeof hearingTermsSchema>;

/** Characters. */
const MAX_RUBRIC = 8_000;

/**
 * What a panel judges a job by: kinds of check as under a law, the JSON Schema that the work must meet, and the rubric for a model. Its
 * SHA-256 is the terms' `agreementHash`, so both parties have signed it.
 */
export const commissionSchema = z
  .strictObject({
    version: z.literal(1),
    kinds: z.array(z.enum(PANEL_KINDS)).min(1),
    schema: z.record(z.string(), z.json()).optional(),
    rubric: z.string().min(1).max(MAX_RUBRIC).optional(),
  })
  .refine(({ kinds }) => new Set(kinds).size === kinds.length, "expected each kind once")
  .refine(
    ({ kinds, schema }) => kinds.includes("constraint") === (schema !== undefined),
    "expected a schema exactly if `constraint` is among the kinds",
  )
  .refine(
    ({ kinds, rubric }) => kinds.includes("semantic") === (rubric !== undefined),
    "expected a rubric exactly if `semantic` is among the kinds",
  );
export type Commission = z.infer<typeof commissionSchema>;
