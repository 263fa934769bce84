/** Twin of `contracts/libraries/PanelDraw.sol`, the endless sequence of draws for a node's panel (decision 22), and of who is drawn. */
import { type Address, encodeAbiParameters, type Hex, keccak256 } from "viem";
import { RuleError } from "./rule-error.ts";

const SEED = [{ type: "bytes32" }, { type: "address" }, { type: "uint8" }, { type: "uint8" }] as const;
const DRAW = [{ type: "bytes32" }, { type: "uint256" }] as const;

/** The seed of a node's panel, from the hash of the commit's block. */
export function panelSeed(blockHash: Hex, mission: Address, node: number, attempt: number): Hex {
  return keccak256(encodeAbiParameters(SEED, [blockHash, mission, node, attempt]));
}

/** Index of draw number `draw` among `n`; the caller skips indexes it must refuse. */
export function nextDraw(seed: Hex, draw: number | bigint, n: number | bigint): bigint {
  if (BigInt(n) === 0n) throw new RuleError("EmptyPool");
  return BigInt(keccak256(encodeAbiParameters(DRAW, [seed, BigInt(draw)]))) % BigInt(n);
}

/** A verifier on a roster. */
export interface Seat {
  readonly address: Address;
  readonly principal: Address;
}

const TRIES_PER_SEAT = 32;

/**
 * The panel that `EvidenceRegistry.drawPanel` draws from a roster: distinct verifiers, none of an excluded principal, and no principal twice
 * while another is left.
 */
export function drawPanel(seed: Hex, size: number, roster: readonly Seat[], excluded: readonly Address[]): readonly Address[] {
  const panel: Seat[] = [];
  const sits = (who: Address) => panel.filter(({ principal }) => principal === who).length;
  const isFree = (seat: Seat, most: number) => !panel.includes(seat) && sits(seat.principal) < most && !excluded.includes(seat.principal);
  const tries = roster.length === 0 ? 0 : TRIES_PER_SEAT * size;
  const settled = new Set<number>();
  let draw = 0;
  for (; draw < tries && panel.length < size && settled.size < roster.length; draw += 1) {
    const index = Number(nextDraw(seed, draw, roster.length));
    const drawn = roster[index];
    if (drawn !== undefined && isFree(drawn, 1)) panel.push(drawn);
    settled.add(index);
  }
  for (let most = 1; panel.length < size; most += 1) {
    if (most > size) throw new RuleError("PanelUnavailable", size, panel.length);
    const pool = roster.filter((seat) => isFree(seat, most));
    for (; pool.length > 0 && panel.length < size; draw += 1) {
      const pick = Number(nextDraw(seed, draw, pool.length));
      const chosen = pool[pick];
      const last = pool.pop();
      if (chosen === undefined || last === undefined) break;
      if (sits(chosen.principal) < most) panel.push(chosen);
      if (pick < pool.length) pool[pick] = last;
    }
  }
  return panel.map(({ address }) => address);
}
