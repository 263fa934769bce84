import { z } from "zod";
import { BASIS_POINTS } from "../primitives/amounts.ts";

/** One executor's answer, labelled with its service; null if it gave none. */
export const answerBySchema = z.strictObject({ by: z.string(), value: z.union([z.string(), z.number(), z.null()]) });

/** Where redundant executors of one node disagree, and how far they missed the agreement that the law requires. */
export const disagreementSchema = z.strictObject({
  /** The compared field of items with the same id. */
  field: z.string(),
  /** Agreement of the closest group of executors that the law requires to agree; basis points. */
  share: z.int().min(0).max(BASIS_POINTS),
  /** Agreement that the law requires; basis points. */
  needed: z.int().min(0).max(BASIS_POINTS),
  /** Number of items that any executor answered. */
  compared: z.int().min(0),
  /** Items on which two executors disagree, by ascending id. Numbers within the law's tolerance agree. */
  items: z.array(z.strictObject({ id: z.string(), answers: z.array(answerBySchema) })),
});
export type Disagreement = z.infer<typeof disagreementSchema>;
