import { RuleError } from "./rule-error.ts";

/**
 * Twin of `contracts/libraries/LossShares.sol`: a loss divided in proportion to contributions, by largest remainders; of equal
 * remainders the first listed bears the unit. Amounts in the smallest unit; the shares add up to the loss.
 */
export function divideLoss(loss: bigint, contributions: readonly bigint[]): bigint[] {
  const total = contributions.reduce((sum, part) => sum + part, 0n);
  if (loss > total) throw new RuleError("LossExceedsTotal", loss, total);
  if (loss === 0n) return contributions.map(() => 0n);
  const shares = contributions.map((part) => (loss * part) / total);
  const left = Number(loss - shares.reduce((sum, share) => sum + share, 0n));
  const byRemainder = contributions.map((part, place) => ({ place, remainder: (loss * part) % total }));
  byRemainder.sort((a, b) => (a.remainder === b.remainder ? a.place - b.place : a.remainder > b.remainder ? -1 : 1));
  const rounded = new Set(byRemainder.slice(0, left).map(({ place }) => place));
  return shares.map((share, place) => (rounded.has(place) ? share + 1n : share));
}
