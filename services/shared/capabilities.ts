/** The ten capability dimensions of agents and services (decision 12), in on-chain order. */
export const CAPABILITIES = [
  "retrieval",
  "parsing",
  "classification",
  "estimation",
  "aggregation",
  "ordering",
  "hashing",
  "text",
  "numbers",
  "law",
] as const;

export type Capability = (typeof CAPABILITIES)[number];

/** The vector of the named levels; every other dimension is 0. */
export function capabilities(levels: Partial<Record<Capability, number>>): number[] {
  return CAPABILITIES.map((name) => levels[name] ?? 0);
}
