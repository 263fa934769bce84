import { z } from "zod";
import type { NodeView } from "../chain-view.ts";
import { attemptKey } from "../work.ts";
import type { Mission, World } from "../world.ts";

/**
 * Stage 6: the law's predicates decide on chain, inside `clear` (AgentCity 3.5, Gate). This stage records each decision, once; a vetoed
 * node waits for a human.
 */
export async function gate(world: World, mission: Mission, nodes: readonly NodeView[]): Promise<void> {
  for (const view of nodes) {
    const decided = await gateDecision(world, mission, view);
    if (decided === undefined) continue;
    await world.remember(["gate", ...attemptKey(mission, view)], z.strictObject({ allowed: z.boolean() }), async () => {
      if (!decided) world.progress(`${view.law.label}: rejected by the law's gate`);
      return { allowed: decided };
    });
  }
}

/** The gate's decision on the node's current attempt, if any. */
export async function gateDecision(world: World, mission: Mission, { law, state }: NodeView): Promise<boolean | undefined> {
  if (state !== "COMPLETED" && state !== "PENDING_REVIEW") return undefined;
  const events = await world.client.mission(mission.address).history("GateDecided", { node: law.number });
  return events.at(-1)?.args.allowed;
}
