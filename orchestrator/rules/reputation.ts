/** Twin of `contracts/libraries/Reputation.sol`: one ledger in milli-points, 0–1,000,000. */

const MAX_REPUTATION = 1_000_000n;
/** Initial reputation, at which ψ = 1. */
export const INITIAL_REPUTATION = 500_000n;
const PER_POINT = 1000n;
const NEUTRAL_POINTS = 500n;

/** ρ' = λ·ρ + (1 − λ)·S: `score` in basis points, `lambda` × 1000 (AgentCity equation 2). */
export function ema(current: bigint, score: bigint, lambda: bigint): bigint {
  return (lambda * current + (1000n - lambda) * (score * 100n)) / 1000n;
}

/** ρ·λⁿ: the remaining reputation if each of n unsettled outcomes counts as zero (decision 88). */
export function burdened(current: bigint, faults: number, lambda: bigint): bigint {
  let left = current;
  for (let open = faults; open > 0 && left > 0n; open -= 1) left = ema(left, 0n, lambda);
  return left;
}

/** ρ moved by whole points, kept within 0 and 1000. */
export function adjust(current: bigint, delta: bigint): bigint {
  const moved = current + delta * PER_POINT;
  if (moved < 0n) return 0n;
  return moved < MAX_REPUTATION ? moved : MAX_REPUTATION;
}

/** Whole points, rounded down. */
export function points(milli: bigint): bigint {
  return milli / PER_POINT;
}

/** ψ(ρ) × 1000 from whole points and α × 1000, rounded down, never below zero (AgentCity B.6). */
export function multiplier(rho: bigint, alpha: bigint): bigint {
  const plus = 1_000_000n + alpha * rho;
  const minus = alpha * NEUTRAL_POINTS;
  return plus > minus ? (plus - minus) / 1000n : 0n;
}
