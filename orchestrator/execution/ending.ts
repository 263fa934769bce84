import { z } from "zod";
import { disagreementSchema } from "../protocol/disagreement.ts";
import type { Mission, World } from "./world.ts";

/** Why a mission cannot reach its goal under any law and with any executors; recorded once, before it is ended. */
export const endingSchema = z.strictObject({
  /** The finding: a service fails for every executor, services inherently disagree, or none of the input is readable. */
  code: z.enum(["ServiceFails", "ServicesDisagree", "NothingUsable"]),
  /** Label of the node, or of the task, where it was found. */
  node: z.string(),
  /** One line for display. */
  reason: z.string(),
  /** What the sponsor can do. */
  action: z.string(),
  disagreement: disagreementSchema.nullable(),
});
export type Ending = z.infer<typeof endingSchema>;

const keyOf = ({ address }: Pick<Mission, "address">) => ["ending", address] as const;

/** Why the mission has to end; undefined while work on it makes sense. */
export function endingOf(world: Pick<World, "recall">, mission: Pick<Mission, "address">): Promise<Ending | undefined> {
  return world.recall(keyOf(mission), endingSchema);
}

/** Records and reports why a mission has to end. The first finding stands. */
export async function noteEnding(world: World, mission: Mission, ending: Ending): Promise<void> {
  if ((await endingOf(world, mission)) !== undefined) return;
  await world.remember(keyOf(mission), endingSchema, async () => ending);
  world.progress(`${ending.node}: ${ending.reason}`);
}
