/** Twin of `contracts/libraries/RankCorrelation.sol`: how alike two complete strict rankings are (AgentCity 3.4, 3.6). */
import { unpackRanking } from "./condorcet.ts";
import { RuleError } from "./rule-error.ts";

/** The same order in every pair, and the same set. */
export const FULL = 10_000;

/** Pairs of candidates that the two rankings put in opposite order. */
export function discordant(a: bigint, b: bigint, m: number): number {
  const [here, there] = orders(a, b, m);
  const places = here.map((candidate) => there.indexOf(candidate));
  return places.reduce((sum, place, k) => sum + places.slice(0, k).filter((earlier) => earlier > place).length, 0);
}

/** Kendall's τ in ten-thousandths, rounded toward zero: 10,000 the same order, −10,000 the reverse. */
export function tau(a: bigint, b: bigint, m: number): number {
  const opposed = discordant(a, b, m);
  const pairs = pairsOf(m);
  // Adding zero turns −0 into 0.
  return Math.trunc(((pairs - 2 * opposed) * FULL) / pairs) + 0;
}

/** Jaccard index of the two sets of first k in ten-thousandths, rounded down. */
export function jaccard(a: bigint, b: bigint, m: number, k: number): number {
  const common = commonOf(a, b, m, k);
  return Math.floor((common * FULL) / (2 * k - common));
}

/** The k that is compared of m candidates: half of them, at most three, at least one. */
export function depth(m: number): number {
  return Math.max(1, Math.min(3, Math.floor(m / 2)));
}

/** Whether both measures reach their thresholds, in hundredths. Exact: nothing is rounded. */
export function isCorrelated(a: bigint, b: bigint, m: number, minTau: number, minJaccard: number): boolean {
  const pairs = pairsOf(m);
  if (100 * (pairs - 2 * discordant(a, b, m)) < minTau * pairs) return false;
  const k = depth(m);
  const common = commonOf(a, b, m, k);
  return 100 * common >= minJaccard * (2 * k - common);
}

function commonOf(a: bigint, b: bigint, m: number, k: number): number {
  const [here, there] = orders(a, b, m);
  if (k < 1 || k > m) throw new RuleError("InvalidDepth", k, m);
  const first = new Set(there.slice(0, k));
  return here.slice(0, k).filter((candidate) => first.has(candidate)).length;
}

function pairsOf(m: number): number {
  return (m * (m - 1)) / 2;
}

function orders(a: bigint, b: bigint, m: number): [number[], number[]] {
  if (m < 2) throw new RuleError("NothingToCompare", m);
  return [unpackRanking(a, m), unpackRanking(b, m)];
}
