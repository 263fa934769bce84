/** Twin of `contracts/libraries/BidScore.sol`: equation 1 of the market (AgentCity 3.5). */

const DIMENSIONS = 10;
const FULL_MATCH = 1000n;

/** How much of the required capabilities an agent holds, 0–1000: ten 16-bit levels against ten 8-bit levels × 256. */
export function matchOf(capabilities: bigint, required: bigint): bigint {
  let held = 0n;
  let asked = 0n;
  for (let d = 0; d < DIMENSIONS; d += 1) {
    const want = 256n * ((required >> BigInt(8 * d)) & 0xffn);
    const have = (capabilities >> BigInt(16 * d)) & 0xffffn;
    asked += want;
    held += have < want ? have : want;
  }
  return asked === 0n ? FULL_MATCH : (FULL_MATCH * held) / asked;
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
