import { partsOf } from "../primitives/lists.ts";
import type { World } from "./world.ts";

/**
 * How many nodes one transaction handles at most. The most expensive call takes 1,450,000 gas a node (`clear`: five executors, seven verifiers, two
 * questions), and whatever completes the last of a wave takes 27,000 for each node that can start then. So eight nodes take no more than
 * half of a block of 30,000,000 while they free up to a hundred others, and with all 248 others of the longest law still fit into one.
 */
export const NODES_PER_TRANSACTION = 8;

/** Cuts what is to be sent into transactions, in order. */
export function batched<Item>(
  { nodesPerTransaction: most }: Pick<World, "nodesPerTransaction">,
  items: readonly Item[],
): readonly Item[][] {
  return partsOf(items, most);
}
