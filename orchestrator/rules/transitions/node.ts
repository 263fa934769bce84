// Made by scripts/dev/export-transitions.ts from contracts/libraries/NodeTransitions.sol. Do not edit.
import type { TransitionTable } from "../arcs.ts";

export const nodeTransitions = {
  states: ["WAITING", "ELIGIBLE", "EXECUTING", "PENDING_VERIFICATION", "PENDING_REVIEW", "FROZEN", "COMPLETED", "FAILED"],
  arcs: {
    WAITING: ["ELIGIBLE"],
    ELIGIBLE: ["EXECUTING", "FROZEN", "FAILED"],
    EXECUTING: ["PENDING_VERIFICATION", "PENDING_REVIEW", "FROZEN", "FAILED"],
    PENDING_VERIFICATION: ["PENDING_REVIEW", "FROZEN", "COMPLETED", "FAILED"],
    PENDING_REVIEW: ["COMPLETED", "FAILED"],
    FROZEN: ["ELIGIBLE", "PENDING_VERIFICATION", "FAILED"],
    COMPLETED: [],
    FAILED: ["ELIGIBLE"],
  },
  table: 0x20000008a00c000f000b800a40002n,
} as const satisfies TransitionTable<string>;

export type NodeStateName = (typeof nodeTransitions)["states"][number];
