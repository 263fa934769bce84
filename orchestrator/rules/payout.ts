/** Twin of `contracts/libraries/Payout.sol`: the division of one awarded price (equation 9, decision 5). Amounts in the smallest unit. */
import { BASIS_POINTS } from "../primitives/amounts.ts";
import { RuleError } from "./rule-error.ts";

export interface Split {
  /** To the treasury. */
  readonly fee: bigint;
  /** To the insurance pool. */
  readonly insurance: bigint;
  /** Release of a full share, before reputation. */
  readonly base: bigint;
  /** base × share. */
  readonly released: bigint;
  /** To the agent, from escrow. */
  readonly paid: bigint;
  /** released − paid: to the treasury. */
  readonly discount: bigint;
  /** Requested from the treasury in addition, never from escrow. */
  readonly premium: bigint;
  /** The rest, with all rounding. */
  readonly toSponsor: bigint;
}

const WHOLE = BigInt(BASIS_POINTS);
const NEUTRAL = 1000n;

/** Rates and share in basis points; ψ × 1000 from the reputation before this outcome. A zero share charges no fees. */
export function split(price: bigint, feeBps: bigint, insuranceBps: bigint, shareBps: bigint, psi: bigint): Split {
  const fees = feeBps + insuranceBps;
  if (fees > WHOLE || shareBps > WHOLE) throw new RuleError("InvalidRates", feeBps, insuranceBps, shareBps);
  const base = (price * (WHOLE - fees)) / WHOLE;
  const fee = shareBps === 0n ? 0n : (price * feeBps) / WHOLE;
  const insurance = shareBps === 0n ? 0n : (price * insuranceBps) / WHOLE;
  const released = (base * shareBps) / WHOLE;
  const paid = psi < NEUTRAL ? (released * psi) / NEUTRAL : released;
  return {
    fee,
    insurance,
    base,
    released,
    paid,
    discount: released - paid,
    premium: psi > NEUTRAL ? (released * (psi - NEUTRAL)) / NEUTRAL : 0n,
    toSponsor: price - fee - insurance - released,
  };
}
