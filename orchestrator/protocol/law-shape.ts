import { z } from "zod";

/** How one task is legislated. */
export const taskShapeSchema = z.strictObject({
  task: z.string().min(1),
  /** Nodes the task is divided into. */
  shards: z.int().min(1).max(256),
  redundancy: z.int().min(1).max(5),
  threshold: z.int().min(1).max(5),
  /** Weakest evidence that counts. Nobody here proves outputs: a law that asks for PROOF could not be executed. */
  floor: z.enum(["SELF", "SIGN", "WIT", "REC", "ATT"]),
  panel: z.int().min(1).max(7),
  /** Seconds an executor has. */
  timeout: z.int().positive(),
  /** Seconds a human has. */
  review: z.int().positive(),
  /** Part of what the mission file leaves to be divided, in proportion to the other tasks' weights. */
  weight: z.int().positive(),
});

/** The structure of a law before it is compiled: what candidates differ in. */
export const lawShapeSchema = z.strictObject({
  /** Plain words, the candidate's name on the ballot: "4 shards, 3 classifiers". */
  title: z.string().min(1).max(120),
  tasks: z.array(taskShapeSchema).min(1),
});

export type TaskShape = z.infer<typeof taskShapeSchema>;
export type LawShape = z.infer<typeof lawShapeSchema>;
