import { type Hex, stringToHex } from "viem";

/** Twin of `contracts/libraries/Reasons.sol`, in its order: reasons for changes of stake, reputation, money or nodes. */
export const REASONS = [
  "TIMEOUT",
  "CODE_HASH_MISMATCH",
  "CLEARED_FAIL",
  "UNVERIFIABLE",
  "REJECTED",
  "REVIEW_EXPIRED",
  "FREEZE_CONFIRMED",
  "FREEZE_EXPIRED",
  "NOT_ROUTED",
  "NO_BIDS",
  "CHILD_FAILED",
  "OUTCOME",
  "DISSENT",
  "RELEASED",
  "BID_RELEASED",
  "APPEAL",
  "VERIFICATION_NO_SHOW",
  "EQUIVOCATION",
  "IMPEACHED",
  "TERMINATED",
  "SETTLEMENT",
  "SESSION_FEE",
  "MANUAL_OVERRIDE",
] as const;
export type Reason = (typeof REASONS)[number];

/** The reason of an event; undefined if this version does not know it. */
export const reasonOf = (code: Hex): Reason | undefined => REASONS.find((reason) => reasonCode(reason) === code.toLowerCase());

/** A reason as encoded in events. */
export function reasonCode(reason: Reason): Hex {
  return stringToHex(reason, { size: 32 });
}
