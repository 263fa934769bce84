import { AgentCityError } from "../primitives/errors.ts";

/** Ten stages in order (RAILS 6.1). */
export const STAGES = [
  "DISCOVERY",
  "NEGOTIATION",
  "OBLIGATION_BINDING",
  "PRE_CLEARANCE",
  "EXECUTION",
  "EVIDENCE_SUBMISSION",
  "VERIFICATION",
  "ADJUDICATION",
  "SETTLEMENT_INSTRUCTION",
  "FINALITY",
] as const;
/** Nodes besides the stages, for the two loops. */
export const SIDE_NODES = ["HUMAN_ARBITER", "APPEAL_WINDOW"] as const;
/** Ends other than finality (RAILS 6.3). */
export const EXITS = ["CANCELLED", "EXPIRED", "UNVERIFIABLE"] as const;

export type Stage = (typeof STAGES)[number] | (typeof SIDE_NODES)[number] | (typeof EXITS)[number];

export const EVENTS = [
  "COUNTERPARTY_FOUND",
  "TERMS_AGREED",
  "RENEGOTIATE",
  "SIGNED",
  "MARGIN_POSTED",
  "PAUSE",
  "WORK_DONE",
  "ENVELOPE_SUBMITTED",
  "OUTPUTS_COMPLETE",
  "ESCALATE",
  "ARBITER_RULED",
  "INSTRUCTION_EMITTED",
  "APPEAL",
  "REOPEN",
  "PHI_FIRED",
  "CANCEL",
  "DEADLINE_PASSED",
  "UNRESOLVED",
] as const;
export type LifecycleEvent = (typeof EVENTS)[number];

/** All transitions; any other is illegal. */
export const TRANSITIONS: Readonly<Record<Stage, Readonly<Partial<Record<LifecycleEvent, Stage>>>>> = {
  DISCOVERY: { COUNTERPARTY_FOUND: "NEGOTIATION", CANCEL: "CANCELLED" },
  NEGOTIATION: { TERMS_AGREED: "OBLIGATION_BINDING", CANCEL: "CANCELLED" },
  OBLIGATION_BINDING: { RENEGOTIATE: "NEGOTIATION", SIGNED: "PRE_CLEARANCE", CANCEL: "CANCELLED" },
  PRE_CLEARANCE: { MARGIN_POSTED: "EXECUTION", CANCEL: "CANCELLED", DEADLINE_PASSED: "EXPIRED" },
  EXECUTION: { PAUSE: "PRE_CLEARANCE", WORK_DONE: "EVIDENCE_SUBMISSION", CANCEL: "CANCELLED", DEADLINE_PASSED: "EXPIRED" },
  EVIDENCE_SUBMISSION: { ENVELOPE_SUBMITTED: "VERIFICATION", CANCEL: "CANCELLED", DEADLINE_PASSED: "EXPIRED" },
  VERIFICATION: { OUTPUTS_COMPLETE: "ADJUDICATION", ESCALATE: "HUMAN_ARBITER", CANCEL: "CANCELLED" },
  HUMAN_ARBITER: { ARBITER_RULED: "ADJUDICATION", UNRESOLVED: "UNVERIFIABLE", CANCEL: "CANCELLED" },
  ADJUDICATION: {
    INSTRUCTION_EMITTED: "SETTLEMENT_INSTRUCTION",
    ESCALATE: "HUMAN_ARBITER",
    UNRESOLVED: "UNVERIFIABLE",
    CANCEL: "CANCELLED",
  },
  SETTLEMENT_INSTRUCTION: { APPEAL: "APPEAL_WINDOW", PHI_FIRED: "FINALITY", UNRESOLVED: "UNVERIFIABLE" },
  APPEAL_WINDOW: { REOPEN: "VERIFICATION" },
  FINALITY: {},
  CANCELLED: {},
  EXPIRED: {},
  UNVERIFIABLE: {},
};

/** An obligation's stage, and the number of its loops. */
export interface LifecycleState {
  readonly stage: Stage;
  /** Human arbiters involved since the last appeal. */
  readonly escalations: number;
  readonly appeals: number;
}

export const START: LifecycleState = { stage: "DISCOVERY", escalations: 0, appeals: 0 };

/** The loops are bounded: one arbiter per round, and one appeal for the requestor and one for the performers. */
export const LIMITS = { escalations: 1, appeals: 2 } as const;

/** The stage does not allow the event. */
export class IllegalTransition extends AgentCityError {
  constructor(state: LifecycleState, event: LifecycleEvent, allowed: readonly LifecycleEvent[]) {
    super("IllegalTransition", `${event} is not allowed in ${state.stage}.`, {
      details: `allowed: ${allowed.join(", ") || "nothing, it has ended"}; escalations ${state.escalations}, appeals ${state.appeals}`,
    });
  }
}

/** Events allowed now. */
export function allowedIn({ stage, escalations, appeals }: LifecycleState): LifecycleEvent[] {
  return EVENTS.filter(
    (event) =>
      TRANSITIONS[stage][event] !== undefined &&
      (event !== "ESCALATE" || escalations < LIMITS.escalations) &&
      (event !== "APPEAL" || appeals < LIMITS.appeals),
  );
}

/** The state after an event. Pure: driven by the engine or a model checker. */
export function advance(state: LifecycleState, event: LifecycleEvent): LifecycleState {
  const allowed = allowedIn(state);
  const stage = TRANSITIONS[state.stage][event];
  if (stage === undefined || !allowed.includes(event)) throw new IllegalTransition(state, event, allowed);
  return {
    stage,
    escalations: event === "ESCALATE" ? state.escalations + 1 : event === "REOPEN" ? 0 : state.escalations,
    appeals: event === "APPEAL" ? state.appeals + 1 : state.appeals,
  };
}

export function isOver({ stage }: LifecycleState): boolean {
  return Object.keys(TRANSITIONS[stage]).length === 0;
}
