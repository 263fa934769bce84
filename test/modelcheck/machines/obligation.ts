import {
  advance,
  allowedIn,
  isOver,
  LIMITS,
  type LifecycleEvent,
  type LifecycleState,
  START,
} from "../../../orchestrator/clearing/lifecycle.ts";
import type { Machine, Move } from "../explore.ts";

/** The stage, and what an onlooker remembers beside it. */
interface State {
  readonly life: LifecycleState;
  /** An instruction stands: emitted, and not reopened since. */
  readonly instructed: boolean;
  readonly appealOpen: boolean;
  /** Arbiters asked since the verdicts came in. */
  readonly arbiters: number;
}

/** What may happen, and what comes of it: the two halves of clearing/lifecycle.ts. */
export interface Steps {
  readonly allowedIn: typeof allowedIn;
  readonly advance: typeof advance;
}

/** Ten stages, two reversals, two loops, three exits (RAILS 6); the real `advance` of clearing/lifecycle.ts. */
export const obligation = (steps: Steps = { allowedIn, advance }): Machine<State> => ({
  name: "obligation",
  about: "an obligation from discovery to finality or an exit; the real `advance` of clearing/lifecycle.ts",
  initial: { life: START, instructed: false, appealOpen: false, arbiters: 0 },
  *moves({ life, instructed, appealOpen, arbiters }): Iterable<Move<State>> {
    for (const event of steps.allowedIn(life)) {
      yield {
        label: event,
        next: {
          life: steps.advance(life, event),
          instructed: event === "INSTRUCTION_EMITTED" || (instructed && event !== "REOPEN"),
          appealOpen: event === "APPEAL" || (appealOpen && event !== "REOPEN"),
          arbiters: event === "ESCALATE" ? arbiters + 1 : event === "REOPEN" ? 0 : arbiters,
        },
      };
    }
  },
  key: (state) => JSON.stringify(state),
  // Loops that do not end are seen before they fill the memory.
  within: ({ life }) => life.appeals <= LIMITS.appeals + 1,
  invariants: [
    { name: "final, therefore instructed", holds: ({ life, instructed }) => life.stage !== "FINALITY" || instructed },
    { name: "nothing is final under an open appeal", holds: ({ life, appealOpen }) => life.stage !== "FINALITY" || !appealOpen },
    { name: "nobody cancels what is instructed", holds: ({ life, instructed }) => life.stage !== "CANCELLED" || !instructed },
    { name: "the loops end", holds: ({ life, arbiters }) => life.appeals <= LIMITS.appeals && arbiters <= LIMITS.escalations },
  ],
  end: ({ life }) => isOver(life),
});

/** The lifecycle with one more arc, or with one limit lifted. */
function withArc(stage: LifecycleState["stage"], event: LifecycleEvent, to: LifecycleState["stage"]): Steps {
  return {
    allowedIn: (life) => (life.stage === stage ? [...allowedIn(life), event] : allowedIn(life)),
    advance: (life, what) => (life.stage === stage && what === event ? { ...life, stage: to } : advance(life, what)),
  };
}

export const OBLIGATION_MUTANTS: Readonly<Record<string, Steps>> = {
  "finality does not wait for an appeal": withArc("APPEAL_WINDOW", "PHI_FIRED", "FINALITY"),
  "an instruction is cancelled": withArc("SETTLEMENT_INSTRUCTION", "CANCEL", "CANCELLED"),
  "a decision is final without an instruction": withArc("ADJUDICATION", "PHI_FIRED", "FINALITY"),
  "appeals are not counted": {
    allowedIn: (life) => allowedIn({ ...life, appeals: 0 }),
    advance: (life, event) => ({ ...advance({ ...life, appeals: 0 }, event), appeals: life.appeals + (event === "APPEAL" ? 1 : 0) }),
  },
  "arbiters are asked again and again": {
    allowedIn: (life) => allowedIn({ ...life, escalations: 0 }),
    advance: (life, event) => advance({ ...life, escalations: 0 }, event),
  },
};
