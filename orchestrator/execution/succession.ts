import { isBranch, type NodeView, viewNodes } from "./chain-view.ts";
import { endingOf } from "./ending.ts";
import { isVouchable } from "./stages/orchestrate.ts";
import type { Mission, World } from "./world.ts";

/**
 * Nodes that wait only for these, which a clearing is about to complete, and that can start in its transaction: as many as fit into one.
 * None under a law with checkpoints, which accept only nodes that have not started on chain.
 */
export async function freedBy(world: World, mission: Mission, completing: readonly number[]): Promise<readonly NodeView[]> {
  const { nodes: laws, anchorInterval } = mission.document;
  const isWaitedFor = laws.some(({ after }) => after.some((node) => completing.includes(node)));
  if (!isWaitedFor || anchorInterval !== undefined || (await endingOf(world, mission)) !== undefined) return [];
  const nodes = await viewNodes(world, mission);
  const done = new Set([...completing, ...nodes.flatMap(({ law, state }) => (state === "COMPLETED" ? [law.number] : []))]);
  const isFreed = ({ law, state }: NodeView) => state === "WAITING" && law.after.every((node) => done.has(node));
  return nodes.filter((view) => isFreed(view) && !isBranch(view) && isVouchable(world, view)).slice(0, world.nodesPerTransaction);
}
