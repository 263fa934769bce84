import { z } from "zod";
import { reasonsSchema } from "../protocol/debate.ts";
import { taskShapeSchema } from "../protocol/law-shape.ts";

/** What a chat model may answer, question by question. Plain JSON: amounts are decimal text. */

/** A plan: each task with what it works on. Options are JSON as text: a structure whose keys depend on the service cannot be asked for. */
export const planAnswer = z.strictObject({
  tasks: z
    .array(
      z.strictObject({
        name: z.string().min(1).max(64),
        services: z.array(z.string().min(1).max(64)).min(1).max(5),
        overInput: z.boolean(),
        after: z.array(z.string().min(1).max(64)).max(64),
        tier: z.union([z.literal(1), z.literal(2), z.literal(3)]),
        options: z.string().max(4_000),
      }),
    )
    .min(1)
    .max(64),
  output: z.string().min(1).max(64),
});

/** Tasks in the mission's order; their names are not the model's to write. */
export const draftAnswer = z.strictObject({
  tasks: z
    .array(taskShapeSchema.omit({ task: true }))
    .min(1)
    .max(64),
});

/** The text is for people; other models see the ground and the evidence. */
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
