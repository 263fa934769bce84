/** How a node's work is checked: re-executed, compared between executors, or reviewed by a human. Numbered as in `enum Tier`. */
export const TIER = { RERUN: 1, CONSENSUS: 2, HUMAN: 3 } as const;
export type Tier = (typeof TIER)[keyof typeof TIER];
