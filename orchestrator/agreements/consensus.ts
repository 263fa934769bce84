import { BASIS_POINTS } from "../primitives/amounts.ts";
import { answerTo, ClearingResult, lowerMedian, VerdictResult, type Vote } from "../rules/clearing.ts";
import { type Agreement, judgesAsked, LEAST_WEIGHT, type PartyIdentity, sameIdentity } from "./schema.ts";
import type { Determination, Measured } from "./score.ts";
import { determinationOf, type VerificationResult } from "./verification.ts";

/** Difference between evaluators that makes a dispute, points; smaller ones are noise. */
const SPREAD = 20;

/** One evaluator's value, with the evaluator's weight. */
interface Weighed<Value> {
  readonly value: Value;
  readonly weight: number;
}

const vote = (result: VerdictResult, weight: number): Vote => ({ result, weight, confidence: BASIS_POINTS });
/** More than half of the heads, whatever they weigh. */
const answerOf = (truths: readonly Weighed<boolean>[]) =>
  answerTo(
    truths.map(({ value, weight }) => vote(value ? VerdictResult.PASS : VerdictResult.FAIL, weight)),
    0,
    { seats: truths.length },
  ).result;

/**
 * Combines several evaluators' measurements by the rules of the clearing: the weighted lower median of numbers, the majority of booleans,
 * false at a tie. Values measured by less than half are dropped. `disputed` names those that differ too much. `weights`: one for each
 * measurement, by calibration; equal if there are none.
 */
export function consensus(
  measurements: readonly Measured[],
  weights: readonly number[] = [],
): { readonly measured: Measured; readonly disputed: readonly string[] } {
  const measured: Record<string, number | boolean> = {};
  const disputed: string[] = [];
  for (const name of new Set(measurements.flatMap((one) => Object.keys(one)))) {
    const values = measurements.flatMap((one, place) =>
      Object.hasOwn(one, name) ? [{ value: one[name], weight: weights[place] ?? LEAST_WEIGHT }] : [],
    );
    if (values.length * 2 < measurements.length) continue;
    const numbers = values.flatMap(({ value, weight }) =>
      typeof value === "number" ? [{ ...vote(VerdictResult.PASS, weight), value }] : [],
    );
    if (numbers.length === values.length) {
      measured[name] = lowerMedian(numbers, ({ value }) => value);
      const found = numbers.map(({ value }) => value);
      if (Math.max(...found) - Math.min(...found) > SPREAD) disputed.push(name);
      continue;
    }
    const answer = answerOf(values.map(({ value, weight }) => ({ value: value === true, weight })));
    measured[name] = answer === ClearingResult.PASS;
    if (answer === ClearingResult.DISPUTED) disputed.push(name);
  }
  return { measured, disputed };
}

/** The outcome so far: a single evaluator's own, or what follows from the medians of several. */
export interface Verdict {
  readonly determination: Determination;
  readonly measured: Measured;
  /** Measurements on which the evaluators differ too much. */
  readonly disputed: readonly string[];
}

/** Each accepted result with its own determination. */
export function verdictOf(
  agreement: Agreement,
  results: readonly { readonly document: VerificationResult; readonly determination: Determination }[],
): Verdict | undefined {
  const last = results.at(-1);
  if (judgesAsked(agreement) > 1)
    return combined(
      agreement,
      results.map(({ document }) => document),
    );
  return last === undefined ? undefined : { determination: last.determination, measured: last.document.measured, disputed: [] };
}

/** Combines several evaluators' results. */
export function combined(agreement: Agreement, results: readonly VerificationResult[]): Verdict | undefined {
  const last = results.at(-1);
  if (last === undefined) return undefined;
  const weights = results.map(({ evaluator }) => weightIn(agreement, evaluator));
  const measurements = results.map((each) => each.measured);
  const { measured, disputed } = consensus(measurements, weights);
  const sound = results.map(({ problems }, place) => ({ value: problems.length === 0, weight: weights[place] ?? LEAST_WEIGHT }));
  const isSound = answerOf(sound) === ClearingResult.PASS;
  const problems = isSound ? [] : results.flatMap((each) => each.problems);
  const noiseSeed = results.find(({ noise_seed }) => noise_seed !== undefined)?.noise_seed;
  const determining = { history: last.history ?? [], ...(noiseSeed === undefined ? {} : { noiseSeed }) };
  return { determination: determinationOf(agreement, { measured, problems }, determining), measured, disputed };
}

/** An evaluator's weight by the signed register; those named without one weigh the same. */
function weightIn({ parties }: Agreement, evaluator: PartyIdentity): number {
  const record = parties.evaluator.selection?.register?.find(({ identity }) => sameIdentity(identity, evaluator));
  return record?.weight ?? LEAST_WEIGHT;
}
