/** Admissibility classes in the order of `enum EvidenceClass` (RAILS 4). */
export const evidenceClasses = ["SELF", "SIGN", "WIT", "REC", "ATT", "PROOF"] as const;
export type EvidenceClassName = (typeof evidenceClasses)[number];

/** Kind of an evidence item's payload. The number goes on chain. */
export const evidenceKinds = {
  /** Hash of the output that an independent issuer obtained by running the same bundle on the same input (decision 43). */
  REEXECUTION: 1,
  /** Hash of the output that an issuer received from the executor. */
  RECEIPT: 2,
  /** Commitment that an issuer re-executed with a different result (decision 57). */
  REFUTATION: 3,
} as const;
export type EvidenceKind = (typeof evidenceKinds)[keyof typeof evidenceKinds];

/** `enum Question` and `enum VerdictResult`. */
export const questions = ["PERFORMANCE", "POLICY"] as const;
export type QuestionName = (typeof questions)[number];
export const verdictResults = ["ABSTAIN", "PASS", "FAIL"] as const;
export type VerdictResultName = (typeof verdictResults)[number];

/** Items per executor slot; item i of slot s is bit 32·s + i of a basis. */
export const ITEMS_PER_SLOT = 32;
