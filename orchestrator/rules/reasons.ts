import { type Hex, stringToHex } from "viem";

/** Twin of `contracts/libraries/Reasons.sol`: why stake, reputation, money or a node changed, in its order. */
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

/** The reason of an event; undefined for one that this edition of the law does not know. */
export const reasonOf = (code: Hex): Reason | undefined => REASONS.find((reason) => reasonCode(reason) === code.toLowerCase());

/** A reason as events carry it. */
export function reasonCode(reason: Reason): Hex {
  return stringToHex(reason, { size: 32 });
}
