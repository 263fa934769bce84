/** The ten capability dimensions of agents and services (decision 12), in on-chain order. */
export declare const CAPABILITIES: readonly ["retrieval", "parsing", "classification", "estimation", "aggregation", "ordering", "hashing", "text", "numbers", "law"];
export type Capability = (typeof CAPABILITIES)[number];
/** The vector of the named levels; every other dimension is 0. */
export declare function capabilities(levels: Partial<Record<Capability, number>>): number[];
