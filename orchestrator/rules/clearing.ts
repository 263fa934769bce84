/** Twin of `contracts/libraries/Clearing.sol`, where Γ is tabled: the clearing of one node (RAILS 5.3, decisions 21 and 23). */
import { BASIS_POINTS } from "../primitives/amounts.ts";
import { EvidenceClass, geq, ITEMS_PER_SLOT, join, meetOver, REFUTED } from "./admissibility.ts";

export const Question = { PERFORMANCE: 0, POLICY: 1 } as const;
export type Question = (typeof Question)[keyof typeof Question];
export const VerdictResult = { ABSTAIN: 0, PASS: 1, FAIL: 2 } as const;
export type VerdictResult = (typeof VerdictResult)[keyof typeof VerdictResult];
export const ClearingResult = { NONE: 0, PASS: 1, FAIL: 2, DISPUTED: 3, UNVERIFIABLE: 4 } as const;
export type ClearingResult = (typeof ClearingResult)[keyof typeof ClearingResult];

/** One verifier's answer, after its signature and classes were verified. */
export interface WeighedVerdict {
  readonly question: Question;
  readonly result: VerdictResult;
  /** Prior weight, > 0. */
  readonly weight: number;
  /** Basis points. */
  readonly confidence: number;
  /** Basis points. */
  readonly score: number;
  /** Item i of slot s is bit 32·s + i. */
  readonly basis: bigint;
  /** Executor slots found in agreement, bit per slot. */
  readonly agreeing: number;
}

export interface ClearingDecision {
  readonly result: ClearingResult;
  /** Basis points. */
  readonly confidence: number;
  /** Basis points; zero unless PASS. */
  readonly score: number;
  /** Join over the survivors: reported, never relied on. */
  readonly class: EvidenceClass;
  readonly basis: bigint;
  /** Zero unless PASS. */
  readonly agreeing: number;
}

export interface ClearingTerms {
  /** Effective classes, one word per executor slot. */
  readonly classWords: readonly bigint[];
  readonly floor: EvidenceClass;
  /** Bitmap of asked questions. */
  readonly questions: number;
  /** Basis points. */
  readonly minConfidence: number;
  /** Executor slots, ≤ 8. */
  readonly slots: number;
  /** Weight of the whole panel, at least that of the verdicts: a side, or an agreeing slot, needs more than half of it. */
  readonly drawn: number;
  /** Members of the whole panel: a side, or an agreeing slot, needs more than half of them as well. */
  readonly seats: number;
}

/** The parts of an admissible verdict that Γ weighs. */
export type Vote = Pick<WeighedVerdict, "result" | "weight" | "confidence">;

/**
 * Maximum weight of a seat; also the weight in the majority's threshold of a member that lost its weight after the draw
 * (`libraries/PanelDraw.sol`).
 */
export const MOST_WEIGHT = 133;

/** Weight of a panel as drawn: a member that lost its weight since counts for neither side, without lowering the majority. */
export function drawnWeight(weights: readonly number[]): number {
  return weights.reduce((sum, weight) => sum + (weight === 0 ? MOST_WEIGHT : weight), 0);
}

export interface Answer {
  readonly result: ClearingResult;
  readonly confidence: number;
}

/** The decision over all verdicts of a node, at most one per verifier and question. */
export function decide(verdicts: readonly WeighedVerdict[], terms: ClearingTerms): ClearingDecision {
  const survivors = verdicts.filter((v) => survives(v, terms));
  const answers = Object.values(Question)
    .filter((question) => asks(terms.questions, question))
    .map((question) =>
      answerTo(
        survivors.filter((v) => v.question === question),
        terms.minConfidence,
        { drawn: terms.drawn, seats: terms.seats },
      ),
    );
  const { result, confidence } = overall(answers);
  const passing =
    result === ClearingResult.PASS ? survivors.filter((v) => v.result === VerdictResult.PASS && v.confidence >= terms.minConfidence) : [];
  return {
    result,
    confidence,
    score: lowerMedian(passing, (v) => v.score),
    class: survivors.map((v) => meetOver(v.basis, terms.classWords)).reduce(join, EvidenceClass.SELF),
    basis: survivors.reduce((union, v) => union | v.basis, 0n),
    agreeing: agreement(
      passing.filter((v) => isFirst(terms.questions, v.question)),
      terms,
    ),
  };
}

/**
 * Twin of `Dockets.temper`: the effect of a refutation on a verdict that cites it. A PASS that rests on a refutation has no basis. If the
 * work has an admissible item of its own, issuers contradict each other, and the verdict loses its confidence.
 */
export function temper(v: WeighedVerdict, { shown }: { readonly shown: boolean }): WeighedVerdict {
  if ((v.basis & REFUTED) === 0n) return v;
  if (v.result === VerdictResult.PASS) return { ...v, basis: 0n };
  return shown ? { ...v, confidence: 0 } : v;
}

/** Whether the answer has weight, is on scale, concerns an asked question, and rests on a basis at or above the floor. */
export function survives(v: WeighedVerdict, terms: ClearingTerms): boolean {
  if (!asks(terms.questions, v.question) || v.result === VerdictResult.ABSTAIN || v.weight === 0) return false;
  if (v.confidence > BASIS_POINTS || v.score > BASIS_POINTS) return false;
  if (v.basis === 0n || v.basis >> BigInt(ITEMS_PER_SLOT * terms.classWords.length) !== 0n) return false;
  return geq(meetOver(v.basis, terms.classWords), terms.floor);
}

/**
 * Γ over the admissible verdicts of one question: the heavier side, if it has more than half of the `drawn` weight and of the `seats`. Its
 * confidence is taken over that weight, so absent members and other sides add nothing. Without a drawn panel it is the side's own mean
 * (A.4.2). `contested` weight supports neither side, nor does a vote below the minimum confidence.
 */
export function answerTo(survivors: readonly Vote[], minConfidence: number, { contested = 0, drawn = 0, seats = 0 } = {}): Answer {
  if (survivors.length === 0 && contested === 0) return { result: ClearingResult.UNVERIFIABLE, confidence: 0 };
  const pass = sideOf(survivors, VerdictResult.PASS, minConfidence);
  const fail = sideOf(survivors, VerdictResult.FAIL, minConfidence);
  if (Math.abs(pass.weight - fail.weight) <= contested) return { result: ClearingResult.DISPUTED, confidence: 0 };
  const passed = pass.weight > fail.weight;
  const { weight, heads, stated } = passed ? pass : fail;
  if (2 * weight <= drawn || 2 * heads <= seats) return { result: ClearingResult.DISPUTED, confidence: 0 };
  return { result: passed ? ClearingResult.PASS : ClearingResult.FAIL, confidence: Math.floor(stated / Math.max(weight, drawn)) };
}

/** A side's weight, heads and ΣW·c, over its votes of at least the minimum confidence. */
function sideOf(votes: readonly Vote[], result: VerdictResult, minConfidence: number): { weight: number; heads: number; stated: number } {
  let [weight, heads, stated] = [0, 0, 0];
  for (const vote of votes) {
    if (vote.result !== result || vote.confidence < minConfidence) continue;
    weight += vote.weight;
    heads += 1;
    stated += vote.weight * vote.confidence;
  }
  return { weight, heads, stated };
}

const PRECEDENCE = [ClearingResult.FAIL, ClearingResult.UNVERIFIABLE, ClearingResult.DISPUTED, ClearingResult.PASS] as const;

/** The first applicable result decides: any FAIL, any UNVERIFIABLE, any DISPUTED, PASS. */
export function overall(answers: readonly Answer[]): Answer {
  for (const result of PRECEDENCE) {
    let figure: number | undefined;
    for (const answer of answers) {
      if (answer.result !== result) continue;
      const choose = result === ClearingResult.FAIL ? Math.max : Math.min;
      figure = figure === undefined ? answer.confidence : choose(figure, answer.confidence);
    }
    if (figure !== undefined) return { result, confidence: figure };
  }
  return { result: ClearingResult.UNVERIFIABLE, confidence: 0 };
}

/** Whether no earlier question is asked, so that a member that answers two confirms a slot only once. */
function isFirst(questions: number, question: Question): boolean {
  return (questions & ((1 << question) - 1)) === 0;
}

function agreement(passing: readonly WeighedVerdict[], { slots, drawn, seats }: ClearingTerms): number {
  let agreeing = 0;
  for (let s = 0; s < slots; s += 1) {
    const finding = passing.filter((v) => (v.agreeing >> s) & 1);
    if (2 * weightOf(finding) > drawn && 2 * finding.length > seats) agreeing |= 1 << s;
  }
  return agreeing;
}

/** The weighted lower median; zero without weight. */
export function lowerMedian<V extends Vote>(verdicts: readonly V[], of: (v: V) => number): number {
  const weight = weightOf(verdicts);
  const reaches = (x: number) => 2 * weightOf(verdicts.filter((v) => of(v) <= x)) >= weight;
  return verdicts.length === 0 ? 0 : Math.min(...verdicts.map(of).filter(reaches));
}

/** ⌊ΣW·x⌋ over their weight, or over `whole` if that is larger; zero without weight. Sums stay far below 2⁵³. */
export function average<V extends Vote>(verdicts: readonly V[], of: (v: V) => number, whole = 0): number {
  const weight = Math.max(weightOf(verdicts), whole);
  return weight === 0 ? 0 : Math.floor(verdicts.reduce((sum, v) => sum + v.weight * of(v), 0) / weight);
}

export function weightOf(verdicts: readonly Vote[]): number {
  return verdicts.reduce((sum, v) => sum + v.weight, 0);
}

function asks(questions: number, question: number): boolean {
  return ((questions >> question) & 1) === 1;
}
