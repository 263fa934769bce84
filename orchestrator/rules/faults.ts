import { TIER } from "../primitives/tier.ts";
import type { Reason } from "./reasons.ts";

/** Twin of `contracts/libraries/Faults.sol`: the type and class of a failed attempt's fault (AgentCity B.11.4). */

/** In the order of `enum FaultType`. */
export const faultTypes = [
  "POP_REJECTED",
  "FREEZE_REASSIGN",
  "TIMEOUT",
  "CODEHASH_MISMATCH",
  "STATE_TRANSITION_FAILURE",
  "CONSENSUS_FAILED",
] as const;
export type FaultTypeName = (typeof faultTypes)[number];

/** In the order of `enum FaultClass`. */
export const faultClasses = ["SERVICE", "BEHAVIOUR", "SPECIFICATION"] as const;
export type FaultClassName = (typeof faultClasses)[number];

const BY_REASON: Readonly<Record<string, FaultTypeName>> = {
  CODE_HASH_MISMATCH: "CODEHASH_MISMATCH",
  FREEZE_CONFIRMED: "FREEZE_REASSIGN",
  FREEZE_EXPIRED: "FREEZE_REASSIGN",
  REJECTED: "POP_REJECTED",
  NOT_ROUTED: "STATE_TRANSITION_FAILURE",
  CHILD_FAILED: "STATE_TRANSITION_FAILURE",
} satisfies Partial<Record<Reason, FaultTypeName>>;

/** `reason` as text, as in the chain's events; `tier` of the failed node. */
export function faultType(reason: string, tier: number): FaultTypeName {
  if (reason === "CLEARED_FAIL" || reason === "UNVERIFIABLE") return tier === TIER.CONSENSUS ? "CONSENSUS_FAILED" : "POP_REJECTED";
  return BY_REASON[reason] ?? "TIMEOUT";
}

export function faultClass(fault: FaultTypeName, tier: number): FaultClassName {
  if (fault === "CONSENSUS_FAILED") return "SPECIFICATION";
  return fault === "FREEZE_REASSIGN" || (fault === "POP_REJECTED" && tier !== TIER.RERUN) ? "BEHAVIOUR" : "SERVICE";
}
