import { partsOf } from "../primitives/lists.ts";
import type { World } from "./world.ts";

/** Maximum number of nodes per transaction: eight of the most expensive fit into any state (test/long/largest.test.ts). */
export const NODES_PER_TRANSACTION = 8;

/** Splits intents into transactions, in order. */
export function batched<Item>(
  { nodesPerTransaction: most }: Pick<World, "nodesPerTransaction">,
  items: readonly Item[],
): readonly Item[][] {
  return partsOf(items, most);
}
