/** Twin of `contracts/libraries/Fairness.sol`: how evenly a mission's work is spread over principals (decision 16). */

const PERFECT = 1000n;

/**
 * 0–1000 from Σ of squared counts, Σ of counts and the number of bidding principals. Nothing assigned is 1000; one bidder with
 * work is 0; more holders than bidders is capped at 1000.
 */
export function fairnessScore(sumSquares: bigint, total: bigint, p: bigint): bigint {
  if (total === 0n) return PERFECT;
  const square = total * total;
  if (p <= 1n || sumSquares >= square) return 0n;
  const value = (PERFECT * p * (square - sumSquares)) / ((p - 1n) * square);
  return value < PERFECT ? value : PERFECT;
}

/** The same from the counts. */
export function fairnessOf(counts: readonly number[], p: number): number {
  const wide = counts.map(BigInt);
  const sumSquares = wide.reduce((sum, n) => sum + n * n, 0n);
  const total = wide.reduce((sum, n) => sum + n, 0n);
  return Number(fairnessScore(sumSquares, total, BigInt(p)));
}
