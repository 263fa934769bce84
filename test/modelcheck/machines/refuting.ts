/**
 * What issuers can make of the work of an only executor (decision 57): two honest ones, who refute what is wrong or are silent, and two that lie,
 * one of them with two faces. The executor hands in its evidence, keeps it to itself, or has none; whoever clears chooses which words are handed
 * in. Three of the panel are honest: they go by what they know, and what they signed before more was shown still counts. The decision is the real
 * `decide`, after the real `temper`.
 */
import { EvidenceClass, packClasses, REFUTATION, REFUTED } from "../../../orchestrator/rules/admissibility.ts";
import { ClearingResult, decide, Question, temper, VerdictResult, type WeighedVerdict } from "../../../orchestrator/rules/clearing.ts";
import type { Machine, Move } from "../explore.ts";

export const REFUTING_RULES = [
  "a FAIL may rest on what issuers refute",
  "two principals refute, not two issuers",
  "issuer against issuer is undecided",
  "an executor has its time to show something",
  "a refutation that a verdict names is handed in",
] as const;
export type RefutingRule = (typeof REFUTING_RULES)[number];

const FLOOR = EvidenceClass.ATT;
const [HONEST, COLLUDING] = [3, 2];
/** Whole tokens: what a cleared FAIL, a human's rejection and a missed deadline cost. */
const [STAKE, REJECTED, LATE] = [1000, 100, 50];

interface Issuer {
  readonly name: string;
  readonly principal: string;
  readonly honest: boolean;
}

const ISSUERS: readonly Issuer[] = [
  { name: "Ann", principal: "Ann", honest: true },
  { name: "Ben", principal: "Ben", honest: true },
  { name: "a liar", principal: "a liar", honest: false },
  { name: "its second face", principal: "a liar", honest: false },
  { name: "another liar", principal: "another liar", honest: false },
];

interface State {
  readonly stage: "choosing" | "judged" | "reviewed" | "ended";
  readonly right: boolean;
  /** An item at the floor: handed in, its executor's alone, or none. */
  readonly evidence: "handed in" | "kept" | "none";
  /** The executor posted it. */
  readonly shown: boolean;
  /** Bit per issuer that spoke against the work. */
  readonly words: number;
  /** The last fifth of the panel's time. */
  readonly closing: boolean;
  readonly condemned: boolean;
  readonly paid: boolean;
  readonly lost: number;
  readonly human: "unasked" | "ruled" | "absent";
}

const BEGIN: State = {
  ...{ stage: "choosing", right: true, evidence: "none", shown: false, words: 0, closing: false },
  ...{ condemned: false, paid: false, lost: 0, human: "unasked" },
};

const speaking = (words: number) => ISSUERS.filter((_, place) => ((words >> place) & 1) === 1);
const principalsIn = (words: number) => new Set(speaking(words).map(({ principal }) => principal)).size;
const subsets = (words: number) => Array.from({ length: 1 << ISSUERS.length }, (_, some) => some).filter((some) => (some & ~words) === 0);

function verdict(result: VerdictResult, basis: bigint): WeighedVerdict {
  const passes = result === VerdictResult.PASS;
  return {
    question: Question.PERFORMANCE,
    result,
    weight: 1,
    confidence: 9000,
    score: passes ? 10_000 : 0,
    basis,
    agreeing: passes ? 1 : 0,
  };
}

/** `without`: rules that are taken out. */
export function refuting(without: readonly RefutingRule[] = []): Machine<State> {
  const has = (rule: RefutingRule) => !without.includes(rule);
  const isRefuted = (words: number) => (has("two principals refute, not two issuers") ? principalsIn(words) : speaking(words).length) > 1;

  /** What an honest member signs, by what it was handed and what issuers said. */
  const honest = ({ evidence, words }: State): WeighedVerdict => {
    if (evidence === "handed in") return verdict(VerdictResult.PASS, 1n);
    const refutes = has("a FAIL may rest on what issuers refute") && isRefuted(words);
    return refutes ? verdict(VerdictResult.FAIL, REFUTED) : verdict(VerdictResult.ABSTAIN, 0n);
  };

  /** What `clear` makes of these words; undefined where it reverts. */
  function cleared(before: State, lie: WeighedVerdict, words: number, item: boolean): State | undefined {
    const shown = before.shown || item;
    const refuted = has("a FAIL may rest on what issuers refute") && isRefuted(words);
    const own = honest(before);
    const named = [own, lie].some(({ basis }) => (basis & REFUTED) !== 0n);
    if (named && !refuted && has("a refutation that a verdict names is handed in")) return undefined;
    const heard = [...Array.from({ length: HONEST }, () => own), ...Array.from({ length: COLLUDING }, () => lie)];
    const tempered = has("issuer against issuer is undecided") ? heard.map((each) => temper(each, { shown })) : heard;
    const classWords = [packClasses(shown ? [FLOOR] : []) | (refuted ? BigInt(FLOOR) << BigInt(3 * REFUTATION) : 0n)];
    const terms = {
      classWords,
      floor: FLOOR,
      questions: 1,
      minConfidence: 6000,
      slots: 1,
      drawn: HONEST + COLLUDING,
      seats: HONEST + COLLUDING,
    };
    const { result } = decide(tempered, terms);
    if (!before.closing && !shown && has("an executor has its time to show something")) return undefined;
    const ended = { ...before, stage: "ended" } as const;
    if (result === ClearingResult.PASS) return { ...ended, paid: shown };
    if (result === ClearingResult.FAIL) return { ...ended, condemned: true, lost: STAKE };
    return shown || result === ClearingResult.DISPUTED ? { ...before, stage: "reviewed" } : { ...ended, lost: LATE };
  }

  function* judged(state: State): Generator<Move<State>> {
    for (const [place, { name, honest: isHonest }] of ISSUERS.entries())
      if (((state.words >> place) & 1) === 0 && !(isHonest && state.right))
        yield { label: `${name}: refute`, next: { ...state, words: state.words | (1 << place) } };
    if (state.evidence !== "none" && !state.shown) yield { label: "executor: post its evidence", next: { ...state, shown: true } };
    if (!state.closing) yield { label: "time: the last fifth begins", next: { ...state, closing: true } };
    const lies = [verdict(VerdictResult.PASS, 1n), verdict(VerdictResult.FAIL, REFUTED), verdict(VerdictResult.ABSTAIN, 0n)];
    for (const words of subsets(state.words))
      for (const item of state.evidence === "handed in" ? [true, false] : [false])
        for (const lie of lies) {
          const next = cleared(state, lie, words, item);
          const said = speaking(words).map(({ name }) => name);
          const by = said.length === 0 ? "nobody's word" : `the word of ${said.join(", ")}`;
          if (next !== undefined) yield { label: `clear with ${by}${item ? " and the evidence" : ""}`, next };
        }
  }

  return {
    name: "players: refutations",
    about: "an only executor, honest issuers and two that lie, one with two faces, a submitter who chooses; the real `decide` and `temper`",
    initial: BEGIN,
    *moves(state) {
      if (state.stage === "choosing")
        // An issuer that confirms what is wrong is believed: that is what a class of evidence is worth.
        for (const right of [true, false])
          for (const evidence of ["handed in", "kept", "none"] as const)
            if (right || evidence !== "handed in")
              yield {
                label: `hand in ${right ? "right" : "wrong"} work, evidence ${evidence}`,
                next: { ...state, stage: "judged", right, evidence },
              };
      if (state.stage === "judged") yield* judged(state);
      if (state.stage === "reviewed") {
        const ruled = state.right ? { paid: true } : { lost: REJECTED };
        yield { label: "a human rules", next: { ...state, stage: "ended", human: "ruled", ...ruled } };
        yield { label: "time: no human came", next: { ...state, stage: "ended", human: "absent" } };
      }
    },
    key: (state) => JSON.stringify(state),
    end: ({ stage }) => stage === "ended",
    invariants: [
      { name: "nobody is paid for wrong work", holds: ({ right, paid }) => right || !paid },
      { name: "one liar condemns nobody", holds: ({ right, condemned, words }) => !right || !condemned || principalsIn(words) > 1 },
      {
        name: "right work that was shown is condemned by no issuer: a human decides",
        holds: ({ right, condemned, shown }) => !right || !condemned || !shown,
      },
      {
        name: "right work is condemned only after its executor had its time to show something",
        holds: ({ right, condemned, closing }) => !right || !condemned || closing,
      },
      {
        name: "wrong work that two honest issuers refute, and nothing is shown for, costs its stake",
        holds: ({ stage, right, shown, words, lost }) =>
          stage !== "ended" || right || shown || speaking(words).filter(({ honest: isHonest }) => isHonest).length < 2 || lost >= STAKE,
      },
    ],
  };
}
