/**
 * The sets of nodes that reach each other (Tarjan's strongly connected components) of more than one node, and nodes that reach
 * themselves at once. Each set is in order, and the sets by their first node. Not recursive: a chain may be thousands long.
 */
export declare function cyclesIn(edges: ReadonlyMap<string, readonly string[]>): string[][];
