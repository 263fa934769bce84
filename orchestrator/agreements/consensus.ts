import { BASIS_POINTS } from "../primitives/amounts.ts";
import { answerTo, ClearingResult, lowerMedian, VerdictResult, type Vote } from "../rules/clearing.ts";
import { type Agreement, judgesAsked } from "./schema.ts";
import type { Determination, Measured } from "./score.ts";
import { determinationOf, type VerificationResult } from "./verification.ts";

/** Difference between evaluators that makes a dispute, points; smaller ones are noise. */
const SPREAD = 20;

/** All evaluators of an agreement have the same weight. */
const vote = (result: VerdictResult): Vote => ({ result, weight: 1, confidence: BASIS_POINTS });
const answerOf = (truths: readonly boolean[]) =>
  answerTo(
    truths.map((each) => vote(each ? VerdictResult.PASS : VerdictResult.FAIL)),
    0,
  ).result;

/**
 * Combines several evaluators' measurements by the rules of the clearing: the lower median of numbers, the majority of booleans, false at a
 * tie. Values measured by less than half are dropped. `disputed` names those that differ too much.
 */
export function consensus(measurements: readonly Measured[]): { readonly measured: Measured; readonly disputed: readonly string[] } {
  const measured: Record<string, number | boolean> = {};
  const disputed: string[] = [];
  for (const name of new Set(measurements.flatMap((one) => Object.keys(one)))) {
    const values = measurements.flatMap((one) => (Object.hasOwn(one, name) ? [one[name]] : []));
    if (values.length * 2 < measurements.length) continue;
    const numbers = values.filter((each) => typeof each === "number");
    if (numbers.length === values.length) {
      const votes = numbers.map((value) => ({ ...vote(VerdictResult.PASS), value }));
      measured[name] = lowerMedian(votes, ({ value }) => value);
      if (Math.max(...numbers) - Math.min(...numbers) > SPREAD) disputed.push(name);
      continue;
    }
    const answer = answerOf(values.map((each) => each === true));
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
  const { measured, disputed } = consensus(results.map((each) => each.measured));
  const isSound = answerOf(results.map(({ problems }) => problems.length === 0)) === ClearingResult.PASS;
  const problems = isSound ? [] : results.flatMap((each) => each.problems);
  const noiseSeed = results.find(({ noise_seed }) => noise_seed !== undefined)?.noise_seed;
  const determining = { history: last.history ?? [], ...(noiseSeed === undefined ? {} : { noiseSeed }) };
  return { determination: determinationOf(agreement, { measured, problems }, determining), measured, disputed };
}
