/** Twin of `contracts/libraries/BidScore.sol`: equation 1 of the market (AgentCity 3.5). */

const DIMENSIONS = 10;
const FULL_MATCH = 1000;

/** A newcomer's assumed capability in every dimension: 0.6 of the scale, which is 602 ‰ of any requirement (decision 103). */
export const MAX_CLAIMED = 39_322;

/** Match of an agent's capabilities with the required ones, 0–1000: ten 16-bit levels against ten 8-bit levels × 256. */
export function matchOf(capabilities: bigint, required: bigint): bigint {
  return BigInt(matchOfLevels(levelsOf(capabilities, 16), levelsOf(required, 8)));
}

/** The same for unpacked levels, dimension 0 first; a missing one is zero. */
export function matchOfLevels(capabilities: readonly number[], required: readonly number[]): number {
  let [held, asked] = [0, 0];
  for (let d = 0; d < DIMENSIONS; d += 1) {
    const want = 256 * (required[d] ?? 0);
    asked += want;
    held += Math.min(capabilities[d] ?? 0, want);
  }
  return asked === 0 ? FULL_MATCH : Math.floor((FULL_MATCH * held) / asked);
}

function levelsOf(word: bigint, bits: number): number[] {
  return Array.from({ length: DIMENSIONS }, (_, d) => Number(BigInt.asUintN(bits, word >> BigInt(bits * d))));
}

export interface Offer {
  /** Points, 0–1000. */
  readonly reputation: bigint;
  /** Result of `matchOf`. */
  readonly fit: bigint;
  /** Per slot, smallest unit. */
  readonly price: bigint;
  /** Smallest unit. */
  readonly slotBudget: bigint;
}

/** Score of a bid, 0–1,000,000; weights are × 1000 and sum to 1000. */
export function bidScore(offer: Offer, wq: bigint, wp: bigint): bigint {
  const quality = (wq * offer.reputation * offer.fit) / 1000n;
  const saving = offer.price < offer.slotBudget ? (wp * 1000n * (offer.slotBudget - offer.price)) / offer.slotBudget : 0n;
  return quality + saving;
}
