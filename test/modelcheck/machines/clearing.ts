import { EvidenceClass, geq, packClasses } from "../../../orchestrator/rules/admissibility.ts";
import {
  type ClearingDecision,
  ClearingResult,
  type ClearingTerms,
  decide,
  Question,
  VerdictResult,
  type WeighedVerdict,
} from "../../../orchestrator/rules/clearing.ts";
import type { Machine, Move } from "../explore.ts";

/** One item below the floor, one on it, one beside it in the order, one above. */
const CLASSES = [EvidenceClass.SIGN, EvidenceClass.REC, EvidenceClass.WIT, EvidenceClass.ATT] as const;
const FLOOR = EvidenceClass.REC;
const VERIFIERS = 3;
const TERMS: ClearingTerms = {
  classWords: [packClasses(CLASSES)],
  floor: FLOOR,
  questions: 1 << Question.PERFORMANCE,
  minConfidence: 6000,
  slots: 1,
  // Each has a weight of one.
  drawn: VERIFIERS,
  seats: VERIFIERS,
};

export type Decide = typeof decide;

interface State {
  readonly verdicts: readonly WeighedVerdict[];
  readonly decision: ClearingDecision;
}

/** Every answer a verifier could give: either way, sure or not, resting on any items. */
const ANSWERS: readonly WeighedVerdict[] = [VerdictResult.PASS, VerdictResult.FAIL].flatMap((result) =>
  [9000, 4000].flatMap((confidence) =>
    Array.from({ length: 2 ** CLASSES.length - 1 }, (_, index) => ({
      question: Question.PERFORMANCE,
      result,
      weight: 1,
      confidence,
      score: result === VerdictResult.PASS ? 10_000 : 0,
      basis: BigInt(index + 1),
      agreeing: 1,
    })),
  ),
);

/** Whether each item is on the floor or above, looked up one by one: not how `decide` does it. */
function standsOnFloor({ basis }: WeighedVerdict): boolean {
  return CLASSES.every((kind, item) => ((basis >> BigInt(item)) & 1n) === 0n || geq(kind, FLOOR));
}

function shareOf({ verdicts }: State, result: VerdictResult): number {
  return verdicts.filter((verdict) => verdict.result === result && standsOnFloor(verdict)).length;
}

const decided = ({ decision: { result } }: State) => result === ClearingResult.PASS || result === ClearingResult.FAIL;

/** Γ over every panel of three (RAILS 5.3); the real `decide` of rules/clearing.ts. */
export const clearing = (rule: Decide = decide): Machine<State> => ({
  name: "clearing",
  about: "verdicts of three verifiers on four items; the real `decide` of rules/clearing.ts",
  initial: { verdicts: [], decision: rule([], TERMS) },
  *moves({ verdicts }): Iterable<Move<State>> {
    if (verdicts.length === VERIFIERS) return;
    for (const answer of ANSWERS) {
      const all = [...verdicts, answer];
      const { result, confidence, basis } = answer;
      const label = `${result === VerdictResult.PASS ? "PASS" : "FAIL"} at ${confidence} on ${basis.toString(2)}`;
      yield { label, next: { verdicts: all, decision: rule(all, TERMS) } };
    }
  },
  // Verifiers of one weight: who said what makes no difference.
  key: ({ verdicts }) =>
    verdicts
      .map((verdict) => `${verdict.result},${verdict.confidence},${verdict.basis}`)
      .sort()
      .join(";"),
  invariants: [
    {
      name: "a decision rests on nothing below the floor",
      holds: ({ decision: { basis } }) => CLASSES.every((kind, item) => ((basis >> BigInt(item)) & 1n) === 0n || geq(kind, FLOOR)),
    },
    { name: "no decision without a verdict on the floor", holds: (state) => !decided(state) || state.verdicts.some(standsOnFloor) },
    {
      name: "a decision has the majority",
      holds: (state) => {
        const [pass, fail] = [shareOf(state, VerdictResult.PASS), shareOf(state, VerdictResult.FAIL)];
        return !decided(state) || (state.decision.result === ClearingResult.PASS ? pass > fail : fail > pass);
      },
    },
    {
      name: "what some decide the others cannot undo",
      holds: (state) => {
        if (!decided(state)) return true;
        const backing = shareOf(state, state.decision.result === ClearingResult.PASS ? VerdictResult.PASS : VerdictResult.FAIL);
        return 2 * backing > VERIFIERS;
      },
    },
    { name: "a decision is sure enough", holds: (state) => !decided(state) || state.decision.confidence >= TERMS.minConfidence },
    {
      name: "what nobody can say is unverifiable, not disputed",
      holds: (state) => (state.decision.result === ClearingResult.UNVERIFIABLE) === !state.verdicts.some(standsOnFloor),
    },
    {
      name: "more than half of the panel, sure and on the floor, decide",
      holds: (state) => {
        const sure = state.verdicts.filter(standsOnFloor).every(({ confidence }) => confidence >= TERMS.minConfidence);
        const most = Math.max(shareOf(state, VerdictResult.PASS), shareOf(state, VerdictResult.FAIL));
        return !sure || 2 * most <= VERIFIERS || decided(state);
      },
    },
  ],
});

/** `decide` as it would be with one guard dropped. */
export const CLEARING_MUTANTS: Readonly<Record<string, Decide>> = {
  "the floor is not asked for": (verdicts, terms) => decide(verdicts, { ...terms, floor: EvidenceClass.SELF }),
  "a basis counts for its best item": (verdicts, terms) => decide(verdicts.map(onBestItem), terms),
  "a tie passes": (verdicts, terms) => {
    const decision = decide(verdicts, terms);
    return decision.result === ClearingResult.DISPUTED ? { ...decision, result: ClearingResult.PASS, confidence: 9000 } : decision;
  },
  "unsure is sure enough": (verdicts, terms) => decide(verdicts, { ...terms, minConfidence: 0 }),
  "silence is a dispute": (verdicts, terms) => {
    const decision = decide(verdicts, terms);
    return decision.result === ClearingResult.UNVERIFIABLE ? { ...decision, result: ClearingResult.DISPUTED } : decision;
  },
  "whoever hands verdicts in chooses whom the law hears": (verdicts, terms) => decide(verdicts, { ...terms, drawn: 0, seats: 0 }),
  "a higher floor than the law's": (verdicts, terms) => decide(verdicts, { ...terms, floor: EvidenceClass.ATT }),
};

/** The join where the law has the meet. */
function onBestItem(verdict: WeighedVerdict): WeighedVerdict {
  const items = CLASSES.map((kind, item) => ({ kind, bit: 1n << BigInt(item) })).filter(({ bit }) => (verdict.basis & bit) !== 0n);
  const best = items.reduce((top, item) => (geq(item.kind, top.kind) ? item : top));
  return { ...verdict, basis: best.bit };
}
