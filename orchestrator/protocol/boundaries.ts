/**
 * Named points between two effects, where a test can stop the process for good (decision 49). Data: a test asks for each of
 * them in turn, and one that is never reached fails it.
 */
export const LEGISLATURE_BOUNDARIES = [
  "legislature:session-opened",
  "legislature:attestations-signed",
  "legislature:identities-confirmed",
  "legislature:drafted",
  "legislature:proposals-signed",
  "legislature:proposed",
  "legislature:sponsored",
  "legislature:briefing-signed",
  "legislature:debate-opened",
  "legislature:straws-signed",
  "legislature:mid-straws",
  "legislature:polled",
  "legislature:speeches-signed",
  "legislature:reconsidered",
  "legislature:voting-opened",
  "legislature:ballots-signed",
  "legislature:mid-ballots",
  "legislature:tallied",
  "legislature:blocs-flagged",
  "legislature:validated",
  "legislature:delegated",
  "legislature:codified",
  "legislature:approval-signed",
  "legislature:deployed",
] as const;

/** Points that a session passes only when it comes about, or ends, in another way than most. */
export const DETOUR_BOUNDARIES = [
  "legislature:petitioned",
  "legislature:adopted",
  "legislature:refused",
  "legislature:expired",
  "legislature:reintroduced",
  "legislature:office-drafted",
] as const;

/** Points that only a law of HIGH risk passes. */
export const AUDIT_BOUNDARIES = ["legislature:audit-awaited", "legislature:audited"] as const;

/** Points of every sender, whatever it sends. */
export const SENDER_BOUNDARIES = ["sender:signed", "sender:broadcast"] as const;

export type LegislatureBoundary = (typeof LEGISLATURE_BOUNDARIES | typeof DETOUR_BOUNDARIES | typeof AUDIT_BOUNDARIES)[number];

/** The end of each of a wave's seven stages. */
export const EXECUTION_BOUNDARIES = [
  "execution:routed",
  "execution:invoked",
  "execution:committed",
  "execution:guarded",
  "execution:cleared",
  "execution:gated",
  "execution:recorded",
] as const;

/** Points that only a mission whose node is frozen passes. */
export const FREEZE_BOUNDARIES = ["execution:halted", "execution:frozen"] as const;

/** Points that only a mission in hybrid mode passes. */
export const HYBRID_BOUNDARIES = ["execution:worked", "execution:checkpointed"] as const;

/** Points that only a mission passes whose nodes are missions. */
export const BRANCH_BOUNDARIES = ["execution:descended", "execution:concluded"] as const;

/** Where an order is whose law was at fault: that mission's books are closed and in a bundle, no other session is open. */
export const ORDER_BOUNDARIES = ["city:books-closed"] as const;

export type ExecutionBoundary = (
  | typeof EXECUTION_BOUNDARIES
  | typeof FREEZE_BOUNDARIES
  | typeof HYBRID_BOUNDARIES
  | typeof BRANCH_BOUNDARIES
)[number];

export type BoundaryName = LegislatureBoundary | ExecutionBoundary | (typeof ORDER_BOUNDARIES | typeof SENDER_BOUNDARIES)[number];
