/** The system's words as a newcomer reads them, each once. */

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
  SELF: "the executor's own word",
  SIGN: "the executor's signed word",
  WIT: "a witness's word",
  REC: "a record kept by somebody independent",
  ATT: "attested by somebody independent",
  PROOF: "proven",
};

export const DECISIONS: Readonly<Record<string, string>> = {
  cleared: "cleared",
  complied: "kept to the rules",
  failed: "did not clear: the work is wrong",
  violated: "did not clear: it breaks the rules",
  disputed: "disputed: the verifiers contradict each other",
  unverifiable: "did not clear: nobody could verify it",
  not_asked: "was not asked",
};

export const QUESTIONS: Readonly<Record<string, string>> = {
  performance: "Is the work right?",
  policy: "Does it keep to the mission's rules?",
};

export const VERDICTS: Readonly<Record<string, string>> = { PASS: "yes", FAIL: "no", ABSTAIN: "cannot tell" };

export const RESULTS: Readonly<Record<string, string>> = {
  agreed: "its answer was taken",
  dissented: "its answer differed from what was taken",
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
