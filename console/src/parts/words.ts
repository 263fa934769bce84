import type { EventType } from "../../../orchestrator/hub/event-types.ts";

/** The system's terms as explained to a newcomer. */

export interface StateWords {
  readonly word: string;
  /** Which colours, and which outline. */
  readonly look: "done" | "failed" | "frozen" | "working" | "waiting";
  readonly means: string;
}

const STATES: Readonly<Record<string, StateWords>> = {
  COMPLETED: { word: "done", look: "done", means: "its work was checked, cleared and paid" },
  FAILED: { word: "failed", look: "failed", means: "no attempt at it was cleared" },
  FROZEN: { word: "frozen", look: "frozen", means: "suspicious: an adjudicator has to decide" },
  EXECUTING: { word: "at work", look: "working", means: "its executors were at work when the mission ended" },
  PENDING_VERIFICATION: { word: "being checked", look: "working", means: "verifiers had not decided when the mission ended" },
  PENDING_REVIEW: { word: "under review", look: "working", means: "a human had not decided when the mission ended" },
  ELIGIBLE: { word: "ready", look: "waiting", means: "what it needs was there; it never began" },
  WAITING: { word: "waiting", look: "waiting", means: "waiting for what comes before it" },
};

export function stateWords(state: string | undefined): StateWords {
  return STATES[state ?? "WAITING"] ?? { word: (state ?? "").toLowerCase().replaceAll("_", " "), look: "working", means: "" };
}

export const TIERS: Readonly<Record<number, string>> = {
  1: "run again by an issuer",
  2: "several executors, compared",
  3: "signed off by a human",
};

export const CLASSES: Readonly<Record<string, string>> = {
  SELF: "the executor's own statement",
  SIGN: "the executor's signed statement",
  WIT: "a witness's word",
  REC: "a record by an independent party",
  ATT: "attested by an independent party",
  PROOF: "proven",
};

export const DECISIONS: Readonly<Record<string, string>> = {
  cleared: "cleared",
  complied: "kept to the rules",
  failed: "did not clear: the work is wrong",
  violated: "did not clear: it breaks the rules",
  disputed: "disputed: the verifiers contradict each other",
  unverifiable: "did not clear: no one could verify it",
  not_asked: "was not asked",
};

export const QUESTIONS: Readonly<Record<string, string>> = {
  performance: "Is the work right?",
  policy: "Does it keep to the mission's rules?",
};

export const VERDICTS: Readonly<Record<string, string>> = { PASS: "yes", FAIL: "no", ABSTAIN: "cannot tell" };

export const RESULTS: Readonly<Record<string, string>> = {
  agreed: "its answer was accepted",
  dissented: "its answer differed from the accepted one",
  failed: "its attempt failed",
  absent: "handed in nothing",
  stopped: "was cut off by the mission's end",
};

export const STATUSES: Readonly<Record<string, StateWords>> = {
  completed: { word: "completed", look: "done", means: "" },
  failed: { word: "failed", look: "failed", means: "" },
  aborted: { word: "stopped by adjudicators", look: "failed", means: "" },
  "no-law": { word: "no law was made", look: "waiting", means: "" },
};

/** Of a whole of one, with at most one digit after the point. */
export function percent(share: number): string {
  return `${Number((share * 100).toFixed(1))} %`;
}

const LIVE: Readonly<Record<string, string>> = {
  FAILED: "its last attempt was not cleared",
  EXECUTING: "its executors are at work",
  PENDING_VERIFICATION: "verifiers look at it",
  PENDING_REVIEW: "a human has to decide",
  ELIGIBLE: "what it needs is there; it begins with the next wave",
};

/** The same while the mission runs. */
export function liveStateWords(state: string | undefined): StateWords {
  const words = stateWords(state);
  return { ...words, means: LIVE[state ?? ""] ?? words.means };
}

const MISSION_STATES: Readonly<Record<string, StateWords>> = {
  PENDING: { word: "bids are taken", look: "waiting", means: "executors bid for the work" },
  ACTIVE: { word: "about to begin", look: "waiting", means: "all work is awarded" },
  EXECUTING: { word: "at work", look: "working", means: "agents work" },
  VERIFICATION: { word: "being checked", look: "working", means: "the last work is checked" },
  DEGRADED: { word: "suspended", look: "frozen", means: "the chain was silent; adjudicators decide whether it continues" },
  COMPLETED: { word: "completed", look: "done", means: "all work was cleared; money moves after the appeal window" },
  FAILED: { word: "failed", look: "failed", means: "a part failed for good; what is left goes back to the sponsor" },
  ABORTED: { word: "ended by adjudicators", look: "failed", means: "what is left goes back to the sponsor" },
};

const SESSION_STATES: Readonly<Record<string, StateWords>> = {
  IDENTIFYING: { word: "identifying", look: "waiting", means: "producers name their principals" },
  PROPOSING: { word: "proposing", look: "working", means: "producers draft laws for the goal" },
  DELIBERATING: { word: "debating", look: "working", means: "producers talk about the drafts" },
  VOTING: { word: "voting", look: "working", means: "each producer ranks all drafts" },
  TALLIED: { word: "tallied", look: "working", means: "the winner is compared with the constitution" },
  VALIDATED: { word: "validated", look: "working", means: "the winner is made into code" },
  CODIFIED: { word: "codified", look: "working", means: "two offices sign" },
  DEPLOYED: { word: "law deployed", look: "done", means: "the law is a contract that holds the deposit" },
  FAILED: { word: "no law", look: "failed", means: "no draft could become law" },
  EXPIRED: { word: "too late", look: "failed", means: "its time ran out" },
  CANCELLED: { word: "cancelled", look: "failed", means: "the sponsor took it back" },
};

const OTHER: StateWords = { word: "unknown", look: "waiting", means: "" };
export const missionWords = (state: string): StateWords => MISSION_STATES[state] ?? OTHER;
export const sessionWords = (state: string): StateWords => SESSION_STATES[state] ?? OTHER;

const EVENTS: Readonly<Record<EventType, string>> = {
  AGENT_REGISTERED: "agent registered",
  SERVICE_REGISTERED: "service registered",
  AGENT_BANNED: "agent banned",
  SESSION_INITIATED: "session opened",
  IDENTITY_VERIFIED: "identities confirmed",
  DAG_PROPOSED: "law proposed",
  BID_SUBMITTED: "bid placed",
  BID_APPROVED: "work awarded",
  BID_REJECTED: "no bid was accepted",
  REGULATORY_SIGNED: "law approved by an office",
  CODIFICATION_COMPILED: "law compiled",
  LEGISLATIVE_APPROVED: "law approved",
  DAG_DEPLOYED: "law deployed",
  TASK_ROUTED: "work handed out",
  TASK_EXECUTING: "work started",
  TASK_COMPLETED: "work completed",
  TASK_FAILED: "work failed for good",
  TASK_TIMEOUT: "time ran out",
  CODEHASH_MISMATCH: "other code than registered",
  CODEHASH_VERIFIED: "code verified",
  POP_SUBMITTED: "output committed",
  POP_APPROVED: "output cleared",
  POP_REJECTED: "output refused by its verifiers",
  DELEGATED_REVIEW_REQUESTED: "human review requested",
  DELEGATED_APPROVED: "approved by an adjudicator",
  DELEGATED_REJECTED: "rejected by an adjudicator",
  ANOMALY_REPORTED: "anomaly reported",
  FREEZE_TRIGGERED: "node frozen",
  UNFREEZE_APPROVED: "freeze lifted",
  FALSE_POSITIVE_CLASSIFIED: "freeze ruled a false positive",
  EMERGENCY_STOP: "emergency stop",
  EMERGENCY_STOP_CLEARED: "emergency stop cleared",
  PENDING_FINALIZATION: "output recorded, payment pending",
  ESCROW_RELEASED: "payment released",
  DEGRADED_MODE_ENTERED: "mission suspended: the chain was silent",
  DEGRADED_MODE_EXITED: "mission resumed",
  RECONCILIATION_PASSED: "records match the chain",
  RECONCILIATION_FAILED: "records do not match the chain",
  DIVERGENCE_DETECTED: "records and chain diverged",
  FAULT_SIGNAL: "attempt failed",
  PARTIAL_RELEGISLATION_INITIATED: "work reopened under the same law",
  FULL_RELEGISLATION_INITIATED: "new law requested",
  MAX_REFINEMENT_EXCEEDED: "no further law allowed",
  OUTPUT_RELEASED: "output released",
  OUTPUT_VETOED: "output vetoed",
  MISSION_COMPLETED: "mission completed",
  MISSION_ABORTED: "mission ended early",
  PARAMETER_UPDATED: "parameter changed",
  OVERRIDE_ACTION: "adjudicators acted",
  UNILATERAL_OVERRIDE: "one adjudicator acted alone",
  REPUTATION_ADJUSTED: "reputation changed",
  STAKE_SLASHED: "stake slashed",
};

/** An event in a line of news: a phrase for each of the paper's types; others by their own name, `Contract.EventName` or a record's `kind.of`. */
export function eventWords(type: EventType | null, name: string): string {
  if (type !== null) return EVENTS[type];
  const own = /^[A-Z]/.test(name) ? (name.split(".").at(-1) ?? name) : name;
  return own
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replace(".", ": ")
    .toLowerCase();
}

/** 0x1234…abcd */
export function short(text: string): string {
  return text.length > 14 ? `${text.slice(0, 6)}…${text.slice(-4)}` : text;
}

/** The same for every account and hash that a text names. */
export const shortened = (text: string): string => text.replaceAll(/0x[0-9a-fA-F]{40,}/g, short);

/** Chain time as a person reads it; seconds. */
export function moment(seconds: number): string {
  return new Date(seconds * 1_000).toISOString().replace("T", " ").slice(0, 19);
}

/** When an event happened; its time is in milliseconds. */
export const eventMoment = ({ timestamp }: { readonly timestamp: number }): string => moment(timestamp / 1_000);

/** No mission, no account: the contracts' zero. */
export const isNone = (hex: string): boolean => /^0x0+$/.test(hex);

/** How long, in the two largest units. */
export function span(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 60) return `${whole} s`;
  if (whole < 3_600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  if (whole < 86_400) return `${Math.floor(whole / 3_600)} h ${Math.floor((whole % 3_600) / 60)} min`;
  return `${Math.floor(whole / 86_400)} d ${Math.floor((whole % 86_400) / 3_600)} h`;
}
