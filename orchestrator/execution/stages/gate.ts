import type { NodeView } from "../chain-view.ts";
import type { Mission, World } from "../world.ts";

/**
 * Stage 6: the law's predicates decide on chain, inside `clear`; here the society hears of a veto. A vetoed node waits for a human
 * (AgentCity 3.5, Gate).
 */
export function gate(world: World, _mission: Mission, nodes: readonly NodeView[]): readonly NodeView[] {
  const waiting = nodes.filter(({ state }) => state === "PENDING_REVIEW");
  for (const { law } of waiting) world.tell(`${law.label}: waits for a human`);
  return waiting;
}
