/**
 * What players can make of the rules who want something: two executors that choose what they hand in and what they show for it, a panel of
 * five of whom two collude with them and may leave with their stakes, somebody who chooses which verdicts and whose evidence are handed in,
 * a monitor that is their friend and freezes what it can, and a successor that hurries. The three other members are honest: they sign the truth at once, as far as there is evidence that it can
 * rest on, or are unsure. What is signed and shown is posted by whom it is about before the hearing closes. Humans are honest where they
 * are asked, and need not be there. The decision is the real `decide` of rules/clearing.ts.
 */
import { EvidenceClass, packClasses } from "../../../orchestrator/rules/admissibility.ts";
import { ClearingResult, decide, Question, VerdictResult, type WeighedVerdict } from "../../../orchestrator/rules/clearing.ts";
import type { Machine, Move } from "../explore.ts";

export const GAME_RULES = [
  "a side needs more than half of all that were drawn",
  "nobody stops a verdict on itself",
  "a freeze ends where it began",
  "a verdict is held up once",
  "an appeal names its attempt",
  "a slot is paid for an item of its own",
  "work that shows nothing costs what being late costs",
  "who posted was there",
  "what was posted is not left out",
  "who left has no say",
  "a silent panel fails nobody",
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
  readonly stage: "choosing" | "judged" | "frozen" | "held up" | "reviewed" | "reopened" | "ended";
  /** How often a monitor has held the verdict up; two is often. */
  readonly holds: number;
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
  /** The colluding members took their stakes away after they were drawn. */
  readonly left: boolean;
  /** An honest member was charged for an absence; a slot for evidence that it had shown; a word counted that nothing stands behind. */
  readonly wronged: "nobody" | "member" | "executor" | "city";
}

const BEGIN: State = {
  stage: "choosing",
  holds: 0,
  work: [],
  overdue: false,
  redraws: 0,
  slash: "none",
  windowOpen: false,
  successor: "none",
  paid: [false, false],
  lost: 0,
  human: "unasked",
  left: false,
  wronged: "nobody",
};

const CHOICES: readonly Work[] = [true, false].flatMap((right) => [true, false].map((shown) => ({ right, shown })));

/** Item 0 of each slot. */
const itemOf = (slot: number) => 1n << BigInt(32 * slot);
const maskOf = (holds: readonly boolean[]) => holds.reduce((mask, it, slot) => (it ? mask | (1 << slot) : mask), 0);

function verdict(result: VerdictResult, basis: bigint, agreeing: number, weight = 1): WeighedVerdict {
  return {
    question: Question.PERFORMANCE,
    result,
    weight,
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
const lies = (work: readonly Work[], weight: number): readonly WeighedVerdict[] => {
  const basis = work.reduce((all, { shown }, slot) => (shown ? all | itemOf(slot) : all), 0n);
  return [verdict(VerdictResult.PASS, basis, 3, weight), verdict(VerdictResult.FAIL, basis, 0, weight)];
};

const SILENCE = verdict(VerdictResult.ABSTAIN, 0n, 0);
const times = <T>(count: number, each: T): readonly T[] => Array.from({ length: count }, () => each);

/** Whose evidence whoever calls may hand in: all that was shown, or, where some may be left out, any part of it. */
const handings = (work: readonly Work[], mayLeaveOut: boolean): readonly (readonly boolean[])[] => {
  const all = work.map(({ shown }) => shown);
  return mayLeaveOut ? [all, ...all.flatMap((shown, slot) => (shown ? [all.map((it, i) => it && i !== slot)] : []))] : [all];
};

/** `without`: rules that are put back to what they were before. */
export function game(without: readonly GameRule[] = []): Machine<State> {
  const has = (rule: GameRule) => !without.includes(rule);
  const mayAppeal = ({ slash, windowOpen, successor }: State) =>
    slash === "waits" && windowOpen && (has("an appeal names its attempt") || successor !== "over");

  function* judged(state: State): Generator<Move<State>> {
    const weight = hasSay(state) ? 1 : 0;
    for (const shown of handings(state.work, !has("what was posted is not left out"))) {
      const some = shown.every((it, slot) => it === state.work[slot]?.shown) ? "" : ", without what one slot showed";
      const silent = cleared(state, times(PANEL, SILENCE), shown);
      if (silent !== undefined) yield { label: `clear with ${PANEL} abstentions${some}`, next: silent };
      for (let honest = 0; honest <= HONEST; honest++) {
        for (let colluding = 0; colluding <= COLLUDING; colluding++) {
          for (const lie of lies(state.work, weight)) {
            const next = cleared(state, [...times(honest, truth(state.work)), ...times(colluding, lie)], shown);
            const side = lie.result === VerdictResult.PASS ? "PASS" : "FAIL";
            if (next !== undefined) yield { label: `clear with ${honest} honest verdicts and ${colluding} colluding ${side}${some}`, next };
          }
        }
      }
    }
    if (state.holds === 0 || (state.holds === 1 && !has("a verdict is held up once"))) {
      yield { label: "a friend's monitor: freeze", next: { ...state, stage: "held up", holds: state.holds + 1 } };
    }
    if (!state.left) yield { label: "colluding members: leave with their stakes", next: { ...state, left: true } };
    if (!state.overdue) yield { label: "time: the panel's time is over", next: { ...state, overdue: true } };
    else {
      const wronged = has("who posted was there") ? state.wronged : "member";
      if (state.redraws === 0) yield { label: "anybody: redraw", next: { ...state, overdue: false, redraws: 1, left: false, wronged } };
      else yield { label: "anybody: timeout", next: { ...state, stage: "reviewed", wronged } };
    }
    if (!has("nobody stops a verdict on itself")) yield { label: "executor: report its own node", next: { ...state, stage: "frozen" } };
  }

  const hasSay = ({ left }: State) => !left || !has("who left has no say");

  /** What `clear` makes of these verdicts and this evidence; undefined where it reverts. */
  function cleared(before: State, verdicts: readonly WeighedVerdict[], shown: readonly boolean[]): State | undefined {
    const whole = verdicts.length === PANEL;
    const classes = shown.map((it) => packClasses(it ? [FLOOR] : []));
    // Of a weight of one each, and who left keeps its place.
    const drawn = has("a side needs more than half of all that were drawn") ? PANEL : 0;
    const decision = decide(verdicts, {
      classWords: classes,
      floor: FLOOR,
      questions: 1,
      minConfidence: 6000,
      slots: 2,
      drawn,
      seats: drawn,
    });
    const decides = decision.result === ClearingResult.PASS || decision.result === ClearingResult.FAIL;
    if (!whole && !(before.overdue && decides && 2 * verdicts.length > PANEL)) return undefined;
    const robbed = before.work.some((work, slot) => work.right && work.shown && shown[slot] === false);
    const unstaked = decides && before.left && hasSay(before) && verdicts.length > HONEST;
    const state: State = { ...before, wronged: robbed ? "executor" : unstaked ? "city" : before.wronged };
    if (decision.result === ClearingResult.PASS) {
      const own = state.work.map((_, slot) => (decision.basis & itemOf(slot)) !== 0n || !has("a slot is paid for an item of its own"));
      return { ...state, stage: "ended", paid: own.map((it, slot) => it && ((decision.agreeing >> slot) & 1) === 1) };
    }
    if (decision.result === ClearingResult.FAIL) return { ...state, stage: "reopened", slash: "waits", windowOpen: true };
    if (decision.result === ClearingResult.DISPUTED) return { ...state, stage: "reviewed" };
    // Where nobody showed anything no panel can help.
    const hopeless = !shown.some(Boolean);
    if (!hopeless && state.redraws === 0) return { ...state, overdue: false, redraws: 1, left: false };
    if (!hopeless && has("a silent panel fails nobody")) return { ...state, stage: "reviewed" };
    const lost = has("work that shows nothing costs what being late costs") && shown.includes(false) ? LATE : 0;
    if (hopeless && lost === 0 && state.redraws === 0) return { ...state, overdue: false, redraws: 1, left: false };
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
    about: "executors that hand in anything, two of five colluding, members that leave, a submitter who chooses; the real `decide`",
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
        yield { label: "a human lifts the freeze", next: { ...state, stage: "judged", overdue: false, redraws: 0, left: false } };
      }
      if (state.stage === "held up") {
        const after = has("a freeze ends where it began") ? "judged" : "ended";
        yield { label: "time: no human lifted the monitor's freeze", next: { ...state, stage: after } };
        yield { label: "a human lifts the monitor's freeze", next: { ...state, stage: "judged" } };
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
      { name: "no honest member is charged as absent", holds: ({ wronged }) => wronged !== "member" },
      { name: "nobody loses for evidence that it showed", holds: ({ wronged }) => wronged !== "executor" },
      { name: "whoever decides has something to lose", holds: ({ wronged }) => wronged !== "city" },
      {
        name: "right work that was shown fails only where a human was asked",
        holds: ({ stage, work, paid, human }) =>
          stage !== "ended" || human !== "unasked" || paid.some(Boolean) || !work.some(({ right, shown }) => right && shown),
      },
      { name: "a verdict is not held up for ever", holds: ({ holds }) => holds < 2 },
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
