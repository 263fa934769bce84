import { z } from "zod";

/** How one task is legislated. */
export const taskShapeSchema = z.strictObject({
  task: z.string().min(1),
  /** Number of nodes that the task is split into. */
  shards: z.int().min(1).max(256),
  redundancy: z.int().min(1).max(5),
  threshold: z.int().min(1).max(5),
  /** Weakest evidence that counts. PROOF is missing: no issuer here proves outputs, so such a law could not be executed. */
  floor: z.enum(["SELF", "SIGN", "WIT", "REC", "ATT"]),
  panel: z.int().min(1).max(7),
  /** Time limit of an executor, seconds. */
  timeout: z.int().positive(),
  /** Time limit of a human review, seconds. */
  review: z.int().positive(),
  /** Share of the unallocated budget, in proportion to the other tasks' weights. */
  weight: z.int().positive(),
});

/** The structure of a law before compilation, in which candidates differ. */
export const lawShapeSchema = z.strictObject({
  /** The candidate's name on the ballot: "4 shards, 3 classifiers". */
  title: z.string().min(1).max(120),
  tasks: z.array(taskShapeSchema).min(1),
});

export type TaskShape = z.infer<typeof taskShapeSchema>;
export type LawShape = z.infer<typeof lawShapeSchema>;
