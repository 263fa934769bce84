import { z } from "zod";
import { BASIS_POINTS } from "../primitives/amounts.ts";

/** One executor's answer, by the name of the service that gave it; null where it gave none. */
export const answerBySchema = z.strictObject({ by: z.string(), value: z.union([z.string(), z.number(), z.null()]) });

/** Where redundant executors of one node differ, and by how much they missed what the law asks. */
export const disagreementSchema = z.strictObject({
  /** What was compared: this field of items with the same id. */
  field: z.string(),
  /** Share of equal answers that the closest executors reached, as many as the law asks to agree; basis points. */
  share: z.int().min(0).max(BASIS_POINTS),
  /** Share that the law asks for; basis points. */
  needed: z.int().min(0).max(BASIS_POINTS),
  /** Items that any executor answered. */
  compared: z.int().min(0),
  /** Items on which two executors differ, ids ascending. Numbers within the law's tolerance of each other do not differ. */
  items: z.array(z.strictObject({ id: z.string(), answers: z.array(answerBySchema) })),
});
export type Disagreement = z.infer<typeof disagreementSchema>;
