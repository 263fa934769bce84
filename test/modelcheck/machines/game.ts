/**
 * What players can make of the rules who want something: two executors that choose what they hand in and what they show for it, a panel of
 * five of whom two collude with them, somebody who chooses which verdicts are handed in, and a successor that hurries. The three other
 * members are honest: they sign the truth at once, as far as there is evidence that it can rest on. Humans are honest where they are asked,
 * and need not be there. The decision is the real `decide` of rules/clearing.ts.
 */
import { EvidenceClass, packClasses } from "../../../orchestrator/rules/admissibility.ts";
import { ClearingResult, decide, Question, VerdictResult, type WeighedVerdict } from "../../../orchestrator/rules/clearing.ts";
import type { Machine, Move } from "../explore.ts";

export const GAME_RULES = [
  "a side needs more than half of all that were drawn",
  "nobody stops a verdict on itself",
  "an appeal names its attempt",
  "a slot is paid for an item of its own",
  "work that shows nothing costs what being late costs",
] as const;
export type GameRule = (typeof GAME_RULES)[number];

const HONEST = 3;
const COLLUDING = 2;
const PANEL = HONEST + COLLUDING;
const FLOOR = EvidenceClass.REC;
/** Whole tokens: what a cleared FAIL, a human's rejection and a missed deadline cost. */
const STAKE = 1000;
const REJECTED = 100;
const LATE = 50;

/** What an executor handed in, and whether it showed an item on the floor for it. */
interface Work {
  readonly right: boolean;
  readonly shown: boolean;
}

interface State {
  readonly stage: "choosing" | "judged" | "frozen" | "reviewed" | "reopened" | "ended";
  readonly work: readonly Work[];
  /** The panel's time is over. */
  readonly overdue: boolean;
  readonly redraws: number;
  /** Of a condemned attempt. */
  readonly slash: "none" | "waits" | "appealed" | "taken" | "lifted";
  readonly windowOpen: boolean;
  readonly successor: "none" | "running" | "over";
  readonly paid: readonly boolean[];
  /** Of each executor. */
  readonly lost: number;
  /** Whether a human was asked to review the work, and came. */
  readonly human: "unasked" | "ruled" | "absent";
}

const BEGIN: State = {
  stage: "choosing",
  work: [],
  overdue: false,
  redraws: 0,
  slash: "none",
  windowOpen: false,
  successor: "none",
  paid: [false, false],
  lost: 0,
  human: "unasked",
};

const CHOICES: readonly Work[] = [true, false].flatMap((right) => [true, false].map((shown) => ({ right, shown })));

/** Item 0 of each slot. */
const itemOf = (slot: number) => 1n << BigInt(32 * slot);
const maskOf = (holds: readonly boolean[]) => holds.reduce((mask, it, slot) => (it ? mask | (1 << slot) : mask), 0);

function verdict(result: VerdictResult, basis: bigint, agreeing: number): WeighedVerdict {
  return {
    question: Question.PERFORMANCE,
    result,
    weight: 1,
    confidence: 9000,
    score: result === VerdictResult.PASS ? 10_000 : 0,
    basis,
    agreeing,
  };
}

/** The truth, resting on what was shown. */
function truth(work: readonly Work[]): WeighedVerdict {
  const anyRight = work.some(({ right }) => right);
  const basis = work.reduce((all, { right, shown }, slot) => (shown && right === anyRight ? all | itemOf(slot) : all), 0n);
  return verdict(
    basis === 0n ? VerdictResult.ABSTAIN : anyRight ? VerdictResult.PASS : VerdictResult.FAIL,
    basis,
    maskOf(work.map(({ right }) => right)),
  );
}

/** What colluders may say: that all is well, or that nothing is, resting on whatever was shown. */
const lies = (work: readonly Work[]): readonly WeighedVerdict[] => {
  const basis = work.reduce((all, { shown }, slot) => (shown ? all | itemOf(slot) : all), 0n);
  return [verdict(VerdictResult.PASS, basis, 3), verdict(VerdictResult.FAIL, basis, 0)];
};

/** `without`: rules that are put back to what they were before. */
export function game(without: readonly GameRule[] = []): Machine<State> {
  const has = (rule: GameRule) => !without.includes(rule);
  const mayAppeal = ({ slash, windowOpen, successor }: State) =>
    slash === "waits" && windowOpen && (has("an appeal names its attempt") || successor !== "over");

  function* judged(state: State): Generator<Move<State>> {
    for (let honest = 0; honest <= HONEST; honest++) {
      for (let colluding = 0; colluding <= COLLUDING; colluding++) {
        for (const lie of lies(state.work)) {
          const verdicts = [...Array.from({ length: honest }, () => truth(state.work)), ...Array.from({ length: colluding }, () => lie)];
          const next = cleared(state, verdicts);
          const side = lie.result === VerdictResult.PASS ? "PASS" : "FAIL";
          if (next !== undefined) yield { label: `clear with ${honest} honest verdicts and ${colluding} colluding ${side}`, next };
        }
      }
    }
    if (!state.overdue) yield { label: "time: the panel's time is over", next: { ...state, overdue: true } };
    else if (state.redraws === 0) yield { label: "anybody: redraw", next: { ...state, overdue: false, redraws: 1 } };
    else yield { label: "anybody: timeout", next: { ...state, stage: "reviewed" } };
    if (!has("nobody stops a verdict on itself")) yield { label: "executor: report its own node", next: { ...state, stage: "frozen" } };
  }

  /** What `clear` makes of these verdicts; undefined where it reverts. */
  function cleared(state: State, verdicts: readonly WeighedVerdict[]): State | undefined {
    const whole = verdicts.length === PANEL;
    const classes = state.work.map(({ shown }) => packClasses(shown ? [FLOOR] : []));
    const drawn = has("a side needs more than half of all that were drawn") ? PANEL : 0;
    const decision = decide(verdicts, { classWords: classes, floor: FLOOR, questions: 1, minConfidence: 6000, slots: 2, drawn });
    const decides = decision.result === ClearingResult.PASS || decision.result === ClearingResult.FAIL;
    if (!whole && !(state.overdue && decides && 2 * verdicts.length > PANEL)) return undefined;
    if (decision.result === ClearingResult.PASS) {
      const own = state.work.map((_, slot) => (decision.basis & itemOf(slot)) !== 0n || !has("a slot is paid for an item of its own"));
      return { ...state, stage: "ended", paid: own.map((it, slot) => it && ((decision.agreeing >> slot) & 1) === 1) };
    }
    if (decision.result === ClearingResult.FAIL) return { ...state, stage: "reopened", slash: "waits", windowOpen: true };
    if (decision.result === ClearingResult.DISPUTED) return { ...state, stage: "reviewed" };
    // Where nobody showed anything no panel can help.
    const lost = has("work that shows nothing costs what being late costs") && state.work.some(({ shown }) => !shown) ? LATE : 0;
    if (state.redraws === 0 && (lost === 0 || state.work.some(({ shown }) => shown))) return { ...state, overdue: false, redraws: 1 };
    return { ...state, stage: "ended", lost };
  }

  function* reopened(state: State): Generator<Move<State>> {
    if (state.successor === "none") yield { label: "anybody: reopen", next: { ...state, successor: "running" } };
    if (state.successor === "running") yield { label: "the successor is recorded, or fails", next: { ...state, successor: "over" } };
    if (mayAppeal(state)) yield { label: "executor: appeal", next: { ...state, slash: "appealed" } };
    if (state.slash === "appealed") {
      const wronged = state.work.some(({ right }) => right);
      yield {
        label: "a human resolves the appeal",
        next: { ...state, stage: "ended", human: "ruled", slash: wronged ? "lifted" : "taken", lost: wronged ? 0 : STAKE },
      };
    }
    if (state.windowOpen) yield { label: "time: the appeal window is over", next: { ...state, windowOpen: false } };
    else if (state.slash === "waits") yield { label: "anybody: claim", next: { ...state, stage: "ended", slash: "taken", lost: STAKE } };
  }

  return {
    name: "players",
    about: "executors that hand in anything, two of five colluding, a submitter who chooses; the real `decide`",
    initial: BEGIN,
    *moves(state) {
      if (state.stage === "choosing") {
        for (const one of CHOICES)
          for (const two of CHOICES)
            yield { label: `hand in ${nameOf(one)}, and ${nameOf(two)}`, next: { ...state, stage: "judged", work: [one, two] } };
      }
      if (state.stage === "judged") yield* judged(state);
      if (state.stage === "frozen") {
        yield { label: "time: no human lifted the freeze", next: { ...state, stage: "ended" } };
        yield { label: "a human lifts the freeze", next: { ...state, stage: "judged", overdue: false, redraws: 0 } };
      }
      if (state.stage === "reviewed") {
        const paid = state.work.map(({ right, shown }) => right && shown);
        const approved = paid.some(Boolean);
        yield {
          label: "a human rules",
          next: { ...state, stage: "ended", human: "ruled", paid: approved ? paid : [false, false], lost: approved ? 0 : REJECTED },
        };
        yield { label: "time: no human came", next: { ...state, stage: "ended", human: "absent" } };
      }
      if (state.stage === "reopened") yield* reopened(state);
    },
    key: (state) => JSON.stringify(state),
    end: ({ stage }) => stage === "ended",
    invariants: [
      { name: "nobody is paid for wrong work", holds: ({ work, paid }) => work.every(({ right }, slot) => right || paid[slot] !== true) },
      {
        name: "who is paid showed an item of its own",
        holds: ({ work, paid }) => work.every(({ shown }, slot) => shown || paid[slot] !== true),
      },
      {
        name: "nobody whose work is right is condemned by a panel with an honest majority",
        holds: ({ work, slash }) => slash === "none" || work.every(({ right }) => !right),
      },
      {
        name: "who is condemned can appeal for its whole window",
        holds: (state) => state.slash !== "waits" || !state.windowOpen || mayAppeal(state),
      },
      {
        name: "wrong work ends no cheaper than being late, unless a human was asked and did not come",
        holds: ({ stage, work, lost, human }) => {
          const wrong = work.every(({ right }) => !right);
          return stage !== "ended" || human === "absent" || lost >= LATE || !wrong;
        },
      },
    ],
  };
}

const nameOf = ({ right, shown }: Work) => `${right ? "right" : "wrong"} work ${shown ? "with" : "without"} evidence`;
