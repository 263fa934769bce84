/** Descriptive statistics of small samples, with intervals. */
import { mean, quantileSorted, sampleCorrelation, sampleStandardDeviation } from "simple-statistics";
import { contentIdOf } from "../../primitives/hash.ts";
import { canonicalJson } from "../../primitives/json.ts";
import type { RandomStream } from "../../primitives/random.ts";
import { midRanks } from "./significance.ts";

export interface Interval {
  readonly low: number;
  readonly high: number;
}

export const RESAMPLES = 10_000;

/** Percentile bootstrap: the interval that contains `statistic` of samples drawn with replacement with probability `level`. */
export function bootstrap<Item>(
  items: readonly Item[],
  statistic: (sample: readonly Item[]) => number,
  stream: RandomStream,
  { resamples = RESAMPLES, level = 0.95 }: { readonly resamples?: number; readonly level?: number } = {},
): Interval {
  const found = Array.from({ length: resamples }, () => statistic(items.map(() => stream.pick(items))))
    .filter(Number.isFinite)
    .sort((one, other) => one - other);
  if (found.length === 0) return { low: Number.NaN, high: Number.NaN };
  return { low: quantileSorted(found, (1 - level) / 2), high: quantileSorted(found, (1 + level) / 2) };
}

/** Cohen's d: the difference of two means in units of their pooled standard deviation. Positive if the second is higher. */
export function cohensD(first: readonly number[], second: readonly number[]): number {
  const [n, m] = [first.length, second.length];
  if (n < 2 || m < 2) return Number.NaN;
  const squares = (values: readonly number[]) => sampleStandardDeviation([...values]) ** 2 * (values.length - 1);
  const pooled = Math.sqrt((squares(first) + squares(second)) / (n + m - 2));
  const difference = mean([...second]) - mean([...first]);
  return difference === 0 ? 0 : difference / pooled;
}

/** Gini coefficient of non-negative amounts: 0 if all are equal, towards 1 if one holds everything. */
export function gini(amounts: readonly number[]): number {
  const sorted = [...amounts].sort((one, other) => one - other);
  const total = sorted.reduce((sum, amount) => sum + amount, 0);
  if (total === 0) return 0;
  const weighted = sorted.reduce((sum, amount, at) => sum + (at + 1) * amount, 0);
  return (2 * weighted) / (sorted.length * total) - (sorted.length + 1) / sorted.length;
}

/** Spearman's rank correlation; ties share their mean rank. */
export const spearman = (first: readonly number[], second: readonly number[]): number =>
  sampleCorrelation(midRanks(first), midRanks(second));

/** Number of different outcomes among the seeds: identical runs count once. */
export const effectiveSeeds = (runs: readonly (readonly number[])[]): number =>
  new Set(runs.map((rounds) => contentIdOf(new TextEncoder().encode(canonicalJson(rounds))))).size;

/** A smaller share of effective seeds is reported. */
export const MIN_EFFECTIVE_SHARE = 0.8;
