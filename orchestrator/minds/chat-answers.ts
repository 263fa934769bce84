import { z } from "zod";
import { reasonsSchema } from "../protocol/debate.ts";
import { taskShapeSchema } from "../protocol/law-shape.ts";

/** Answers of a chat model, per question. Plain JSON: amounts are decimal text. */

/** A plan: each task with its inputs. Options are JSON as text, since a structure whose keys depend on the service cannot be requested. */
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

/** Tasks in the mission's order; the model does not choose their names. */
export const draftAnswer = z.strictObject({
  tasks: z
    .array(taskShapeSchema.omit({ task: true }))
    .min(1)
    .max(64),
});

/** The text is for people; other models see only ground and evidence. */
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
