/** Exact tests for few seeds. Every p is one-sided for "greater" unless stated otherwise. */
import { InvalidValue } from "../../primitives/errors.ts";

export interface SignedRank {
  /** Pairs with a difference. */
  readonly pairs: number;
  /** Sum of the ranks of positive differences. */
  readonly positive: number;
  readonly negative: number;
  /** P(W⁺ at least this large) if differences are symmetric about zero. */
  readonly greater: number;
  readonly twoSided: number;
}

/**
 * Wilcoxon's signed-rank test with its exact distribution; ties share their mean rank, and the distribution is that of the shared ranks.
 * Pairs without a difference are left out.
 */
export function signedRank(differences: readonly number[]): SignedRank {
  const all = differences.filter((difference) => difference !== 0);
  if (all.some((difference) => !Number.isFinite(difference))) throw new InvalidValue("differences", "each is a finite number");
  // Doubled, so that mean ranks are integers.
  const ranks = midRanks(all.map(Math.abs)).map((rank) => Math.round(2 * rank));
  const total = ranks.reduce((sum, rank) => sum + rank, 0);
  const positive = ranks.reduce((sum, rank, at) => ((all[at] ?? 0) > 0 ? sum + rank : sum), 0);
  let ways: number[] = [1, ...Array.from({ length: total }, () => 0)];
  for (const rank of ranks) ways = ways.map((count, sum) => (count + (sum < rank ? 0 : (ways[sum - rank] ?? 0))) / 2);
  const atLeast = (sum: number) => ways.slice(sum).reduce((whole, chance) => whole + chance, 0);
  const greater = Math.min(1, atLeast(positive));
  const less = Math.min(1, atLeast(total - positive));
  return {
    pairs: all.length,
    positive: positive / 2,
    negative: (total - positive) / 2,
    greater,
    twoSided: Math.min(1, 2 * Math.min(greater, less)),
  };
}

/** Ranks from 1; ties share their mean rank. */
export function midRanks(values: readonly number[]): number[] {
  const order = values.map((value, at) => ({ value, at })).sort((one, other) => one.value - other.value);
  const ranks = values.map(() => 0);
  for (let from = 0; from < order.length; ) {
    let to = from;
    while (to < order.length && order[to]?.value === order[from]?.value) to += 1;
    for (const { at } of order.slice(from, to)) ranks[at] = (from + 1 + to) / 2;
    from = to;
  }
  return ranks;
}

/** P(at least `hits` of `trials`) if each succeeds with probability `chance`. */
export function binomialAtLeast(hits: number, trials: number, chance: number): number {
  let sum = 0;
  for (let k = Math.max(0, hits); k <= trials; k++)
    sum += Math.exp(logChoose(trials, k) + k * Math.log(chance) + (trials - k) * Math.log1p(-chance));
  return Math.min(1, sum);
}

/** Minimum hits of `trials` that are significant against `chance` at `alpha`; undefined if not even all are. */
export function criticalHits(trials: number, chance: number, alpha: number): number | undefined {
  for (let hits = 0; hits <= trials; hits++) if (binomialAtLeast(hits, trials, chance) <= alpha) return hits;
  return undefined;
}

function logChoose(n: number, k: number): number {
  let sum = 0;
  for (let i = 1; i <= Math.min(k, n - k); i++) sum += Math.log((n - i + 1) / i);
  return sum;
}
