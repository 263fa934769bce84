// Made by scripts/dev/export-transitions.ts from contracts/libraries/SessionTransitions.sol. Do not edit.
import type { TransitionTable } from "../arcs.ts";

export const sessionTransitions = {
  states: [
    "NONE",
    "IDENTIFYING",
    "PROPOSING",
    "DELIBERATING",
    "VOTING",
    "TALLIED",
    "VALIDATED",
    "CODIFIED",
    "DEPLOYED",
    "FAILED",
    "EXPIRED",
    "CANCELLED",
  ],
  arcs: {
    NONE: ["IDENTIFYING"],
    IDENTIFYING: ["PROPOSING", "EXPIRED", "CANCELLED"],
    PROPOSING: ["DELIBERATING", "VOTING", "FAILED", "CANCELLED"],
    DELIBERATING: ["VOTING", "CANCELLED"],
    VOTING: ["TALLIED", "FAILED", "CANCELLED"],
    TALLIED: ["VALIDATED", "FAILED", "EXPIRED", "CANCELLED"],
    VALIDATED: ["CODIFIED", "FAILED", "EXPIRED", "CANCELLED"],
    CODIFIED: ["DEPLOYED", "FAILED", "EXPIRED", "CANCELLED"],
    DEPLOYED: [],
    FAILED: [],
    EXPIRED: [],
    CANCELLED: [],
  },
  table: 0xf000e800e400a2008100a180c040002n,
} as const satisfies TransitionTable<string>;

export type SessionStateName = (typeof sessionTransitions)["states"][number];
