import { partsOf } from "../primitives/lists.ts";
import type { World } from "./world.ts";

/** How many nodes one transaction handles at most: eight of the dearest fit, whatever waits for them (test/long/largest.test.ts). */
export const NODES_PER_TRANSACTION = 8;

/** Cuts what is to be sent into transactions, in order. */
export function batched<Item>(
  { nodesPerTransaction: most }: Pick<World, "nodesPerTransaction">,
  items: readonly Item[],
): readonly Item[][] {
  return partsOf(items, most);
}
