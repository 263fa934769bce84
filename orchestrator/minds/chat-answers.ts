import { z } from "zod";
import { reasonsSchema } from "../protocol/debate.ts";
import { taskShapeSchema } from "./shape.ts";

/** What a chat model may answer, question by question. Plain JSON: amounts are decimal text. */

/** Tasks in the mission's order; their names are not the model's to write. */
export const draftAnswer = z.strictObject({
  tasks: z
    .array(taskShapeSchema.omit({ task: true }))
    .min(1)
    .max(64),
});

/** The text is for people; other models are told the ground and the evidence. */
export const speechAnswer = reasonsSchema.extend({ text: z.string().trim().min(1).max(500) });

export const rankingAnswer = z.strictObject({ ranking: z.array(z.int().min(0).max(255)).min(1).max(16) });

export const bidsAnswer = z.strictObject({
  offers: z
    .array(
      z.strictObject({
        node: z.int().min(0).max(255),
        service: z.string().min(1).max(64),
        /** Tokens. */
        price: z.string().regex(/^(0|[1-9]\d*)(\.\d{1,6})?$/),
      }),
    )
    .max(256),
});
