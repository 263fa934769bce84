/** Twin of `contracts/libraries/RankCorrelation.sol`: similarity of two complete strict rankings (AgentCity 3.4, 3.6). */
import { BASIS_POINTS } from "../primitives/amounts.ts";
import { unpackRanking } from "./condorcet.ts";
import { RuleError } from "./rule-error.ts";

/** An unpacked ranking, to be compared with many others. */
export interface Ranked {
  /** Candidates, best first. */
  readonly order: readonly number[];
  /** Place of each candidate. */
  readonly places: readonly number[];
}

/** Throws unless this is a complete strict ranking of at least two candidates. */
export function ranked(ranking: bigint, m: number): Ranked {
  if (m < 2) throw new RuleError("NothingToCompare", m);
  const order = unpackRanking(ranking, m);
  const places = new Array<number>(m).fill(0);
  for (const [place, candidate] of order.entries()) places[candidate] = place;
  return { order, places };
}

/** Number of pairs that the two rankings order differently. */
export function discordant(a: bigint, b: bigint, m: number): number {
  return opposed(ranked(a, m), ranked(b, m));
}

/** The same for unpacked rankings. */
export function opposed({ order }: Ranked, { places }: Ranked): number {
  let pairs = 0;
  for (let ahead = 0; ahead < order.length; ahead += 1) {
    const place = places[order[ahead] ?? 0] ?? 0;
    for (let behind = ahead + 1; behind < order.length; behind += 1) if ((places[order[behind] ?? 0] ?? 0) < place) pairs += 1;
  }
  return pairs;
}

/** Kendall's τ in ten-thousandths, rounded toward zero: 10,000 the same order, −10,000 the reverse. */
export function tau(a: bigint, b: bigint, m: number): number {
  const against = discordant(a, b, m);
  const pairs = pairsOf(m);
  // Adding zero turns −0 into 0.
  return Math.trunc(((pairs - 2 * against) * BASIS_POINTS) / pairs) + 0;
}

/** Jaccard index of the two sets of first k in ten-thousandths, rounded down. */
export function jaccard(a: bigint, b: bigint, m: number, k: number): number {
  const common = commonOf(ranked(a, m), ranked(b, m), k);
  return Math.floor((common * BASIS_POINTS) / (2 * k - common));
}

/** The k that is compared for m candidates: half of them, at most three, at least one. */
export function depth(m: number): number {
  return Math.max(1, Math.min(3, Math.floor(m / 2)));
}

/** Whether both measures reach their thresholds, in hundredths. Exact, without rounding. */
export function isCorrelated(a: bigint, b: bigint, m: number, minTau: number, minJaccard: number): boolean {
  return areAlike(ranked(a, m), ranked(b, m), minTau, minJaccard);
}

/** The same for unpacked rankings. */
export function areAlike(a: Ranked, b: Ranked, minTau: number, minJaccard: number): boolean {
  const m = a.order.length;
  const k = depth(m);
  const common = commonOf(a, b, k);
  if (100 * common < minJaccard * (2 * k - common)) return false;
  return 100 * (pairsOf(m) - 2 * opposed(a, b)) >= minTau * pairsOf(m);
}

function commonOf({ order }: Ranked, { places }: Ranked, k: number): number {
  if (k < 1 || k > order.length) throw new RuleError("InvalidDepth", k, order.length);
  let common = 0;
  for (let place = 0; place < k; place += 1) if ((places[order[place] ?? 0] ?? k) < k) common += 1;
  return common;
}

function pairsOf(m: number): number {
  return (m * (m - 1)) / 2;
}
