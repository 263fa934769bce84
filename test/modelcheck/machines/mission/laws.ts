/** Missions to look at: each small, with what it is about. Two attempts per node. */
import type { Feature, Law, NodeLaw } from "./state.ts";

const leaf = (tier: NodeLaw["tier"], over: Partial<NodeLaw> = {}): NodeLaw => ({
  tier,
  redundancy: 1,
  threshold: 1,
  predecessors: 0,
  ...over,
});

const lawOf = (nodes: readonly NodeLaw[], features: readonly Feature[], over: Partial<Law> = {}): Law => ({
  nodes,
  releases: true,
  refinements: 1,
  features: new Set<Feature>(["expiry", "terminate", ...features]),
  ...over,
});

const TWO_IN_SEQUENCE = [leaf(1), leaf(1, { predecessors: 1 })];

export const LAWS = {
  "two nodes in sequence": lawOf(TWO_IN_SEQUENCE, ["stop"]),
  "everything that watches a node": lawOf([leaf(1)], ["reports", "stop", "silence", "veto", "checkpoint", "mismatch", "doubt"]),
  "a node of two executors": lawOf([leaf(2, { redundancy: 2, threshold: 2 })], ["reports", "stop", "mismatch", "checkpoint", "doubt"]),
  "executors whose mandate is amended": lawOf([leaf(2, { redundancy: 2, threshold: 1 })], ["reports", "amendment"]),
  "a human's node, an output that is vetoed": lawOf([leaf(3)], ["veto", "doubt"], { releases: false }),
  "decisions under appeal": lawOf([leaf(1)], ["appeals"]),
} as const satisfies Record<string, Law>;

/** Without a clock of its own: what is left is the will to work. */
export const WORKED_ON: Law = { ...lawOf(TWO_IN_SEQUENCE, []), features: new Set<Feature>(["reports"]) };

/** Without a clock of its own: what is left is that of the review. */
export const REVIEWED: Law = { ...lawOf([leaf(3)], [], { releases: false }), features: new Set<Feature>(["veto"]) };

/** Too many states for every run. */
export const WATCHED_SEQUENCE: Law = lawOf(TWO_IN_SEQUENCE, ["reports", "stop"]);

export type LawName = keyof typeof LAWS;
