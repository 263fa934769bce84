/**
 * Named points between two effects, at which a test can kill the process (decision 49). A test visits each of them in turn and fails on one
 * that is never reached.
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

/** Reached only by sessions that start or end in an unusual way. */
const DETOUR_BOUNDARIES = [
  "legislature:petitioned",
  "legislature:adopted",
  "legislature:refused",
  "legislature:expired",
  "legislature:reintroduced",
  "legislature:office-drafted",
] as const;

/** Reached only by laws of HIGH risk. */
export const AUDIT_BOUNDARIES = ["legislature:audit-awaited", "legislature:audited"] as const;

/** Reached by every sender. */
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

/** Reached only by missions with a frozen node. */
const FREEZE_BOUNDARIES = ["execution:halted", "execution:frozen"] as const;

/** Reached only by missions in hybrid mode. */
export const HYBRID_BOUNDARIES = ["execution:worked", "execution:checkpointed"] as const;

/** Reached only by missions with child missions. */
const BRANCH_BOUNDARIES = ["execution:descended", "execution:concluded"] as const;

/** Points that a job of an escrow passes before its panel: what its members said is known and not handed in, it is, the job is ended. */
export const HEARING_BOUNDARIES = ["hearing:judged", "hearing:evaluated", "hearing:finalised"] as const;

/** Reached by an order whose law was at fault: that mission's accounts are closed and bundled, and no other session is open yet. */
export const ORDER_BOUNDARIES = ["city:books-closed"] as const;

export type ExecutionBoundary = (
  | typeof EXECUTION_BOUNDARIES
  | typeof FREEZE_BOUNDARIES
  | typeof HYBRID_BOUNDARIES
  | typeof BRANCH_BOUNDARIES
)[number];

export type BoundaryName =
  | LegislatureBoundary
  | ExecutionBoundary
  | (typeof ORDER_BOUNDARIES | typeof SENDER_BOUNDARIES | typeof HEARING_BOUNDARIES)[number];
