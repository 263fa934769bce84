/** Every guard that can reject something, by stage. A test plays at least one attack on each. */
export const GUARDS = {
  obligation: [
    "OBLIGATION_SHAPE",
    "OBLIGATION_HASH",
    "UNKNOWN_CLASS",
    "VERIFIER_COUNT",
    "UNKNOWN_PARTY",
    "PARTY_SIGNATURE",
    "FLOOR_BELOW_TEMPLATE",
    "UNVETTED_TEMPLATE",
    "BELOW_BAND",
    "ONE_PARTY",
    "NOT_THE_ENGINE",
    "RELEASE_RULE",
    "POLICY_CONFLICT",
    "NOT_A_CHILD",
    "FLOOR_BELOW_PARENT",
  ],
  envelope: [
    "ENVELOPE_SHAPE",
    "ENVELOPE_ID",
    "OTHER_OBLIGATION",
    "SUBMITTER_NOT_AUTHORISED",
    "SUBMISSION_SIGNATURE",
    "SUBMITTED_TOO_LATE",
    "DUPLICATE_ITEM",
  ],
  item: [
    "UNKNOWN_ITEM_CLASS",
    "CONTENT_MISMATCH",
    "NO_PROVENANCE",
    "CHAIN_TOO_LONG",
    "UNKNOWN_EMITTER",
    "HOP_UNSIGNED",
    "HOP_SIGNATURE",
    "NOT_REGISTERED_FOR_CLASS",
    "REGISTRATION_NOT_IN_FORCE",
    "INTERESTED_ISSUER",
    "HOP_IN_THE_FUTURE",
    "STALE",
    "PROOF_NOT_CHECKED",
    "CLASS_ABOVE_PROVENANCE",
  ],
  output: [
    "OUTPUT_SHAPE",
    "OUTPUT_OF_OTHER_OBLIGATION",
    "OUTPUT_OF_OTHER_ENVELOPE",
    "NOT_EMPANELLED",
    "VERIFIER_UNKNOWN",
    "VERIFIER_ROLE",
    "VERIFIER_INTERESTED",
    "VERIFIER_SIGNATURE",
    "DUPLICATE_OUTPUT",
    "BASIS_NOT_IN_ENVELOPE",
    "BASIS_CLASS_MISSTATED",
    "LOSS_CURRENCY",
    "AGREEING_STRANGER",
    "KIND_MISSING",
    "KINDS_CONTRADICT",
  ],
  exit: ["EXIT_NOT_DUE"],
  override: ["OVERRIDE_BELOW_FLOOR", "OVERRIDE_OF_STRANGER"],
  settlement: [
    "SETTLED_ALREADY",
    "OVERRIDE_ANCHOR",
    "MULTIPLIER_UNKNOWN",
    "HUMAN_AWAITED",
    "DOCKET_UNSUPPORTED",
    "APPEAL_UNHEARD",
    "MARGIN_OWED",
  ],
  margin: ["MARGIN_NOT_DUE"],
  appeal: ["APPEAL_NOT_DUE", "OTHER_ENVELOPE", "EVIDENCE_LEFT_OUT"],
  finality: ["DECISION_ANCHOR", "INSTRUCTION_ANCHOR", "NOT_FINAL"],
  passport: ["DELTA_NOT_DUE"],
} as const;

export type Guard = (typeof GUARDS)[keyof typeof GUARDS][number];

/** A rejection: its guard, its subject, and the facts. */
export interface Refusal {
  readonly guard: Guard;
  /** The name of the obligation, item, verifier, … */
  readonly subject: string;
  readonly details: string;
}

export type Checked<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly refusals: readonly [Refusal, ...Refusal[]] };

export function accept<Value>(value: Value): Checked<Value> {
  return { ok: true, value };
}

export function refuse(guard: Guard, subject: string, details: string): Checked<never> & { ok: false } {
  return { ok: false, refusals: [{ guard, subject, details }] };
}
