// Made by scripts/dev/export-transitions.ts from contracts/libraries/MissionTransitions.sol. Do not edit.
import type { TransitionTable } from "../arcs.ts";

export const missionTransitions = {
  states: ["PENDING", "ACTIVE", "EXECUTING", "VERIFICATION", "DEGRADED", "COMPLETED", "FAILED", "ABORTED"],
  arcs: {
    PENDING: ["ACTIVE", "ABORTED"],
    ACTIVE: ["EXECUTING", "ABORTED"],
    EXECUTING: ["VERIFICATION", "DEGRADED", "FAILED", "ABORTED"],
    VERIFICATION: ["COMPLETED", "FAILED", "ABORTED"],
    DEGRADED: ["EXECUTING", "ABORTED"],
    COMPLETED: [],
    FAILED: [],
    ABORTED: [],
  },
  table: 0x8400e000d800840082n,
} as const satisfies TransitionTable<string>;

export type MissionStateName = (typeof missionTransitions)["states"][number];
