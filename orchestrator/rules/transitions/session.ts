// Made by scripts/dev/export-transitions.ts from contracts/libraries/SessionTransitions.sol. Do not edit.
import type { TransitionTable } from "../arcs.ts";

export const sessionTransitions = {
  states: ["NONE", "IDENTIFYING", "PROPOSING", "VOTING", "TALLIED", "VALIDATED", "CODIFIED", "DEPLOYED", "FAILED", "EXPIRED", "CANCELLED"],
  arcs: {
    NONE: ["IDENTIFYING"],
    IDENTIFYING: ["PROPOSING", "FAILED", "EXPIRED", "CANCELLED"],
    PROPOSING: ["VOTING", "FAILED", "EXPIRED", "CANCELLED"],
    VOTING: ["PROPOSING", "TALLIED", "FAILED", "EXPIRED", "CANCELLED"],
    TALLIED: ["PROPOSING", "VALIDATED", "FAILED", "EXPIRED", "CANCELLED"],
    VALIDATED: ["CODIFIED", "EXPIRED", "CANCELLED"],
    CODIFIED: ["DEPLOYED", "EXPIRED", "CANCELLED"],
    DEPLOYED: [],
    FAILED: [],
    EXPIRED: [],
    CANCELLED: [],
  },
  table: 0x680064007240714070807040002n,
} as const satisfies TransitionTable<string>;

export type SessionStateName = (typeof sessionTransitions)["states"][number];
