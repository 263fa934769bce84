/** Twin of `contracts/libraries/PanelDraw.sol`, the unlimited sequence of draws for a node's panel (decision 22), and of the selection. */
import { type Address, encodeAbiParameters, getAddress, type Hex, keccak256, numberToHex } from "viem";
import { RuleError } from "./rule-error.ts";

const SEED = [{ type: "bytes32" }, { type: "address" }, { type: "uint8" }, { type: "uint8" }] as const;
const DRAW = [{ type: "bytes32" }, { type: "uint256" }] as const;

/** The seed of a node's panel, from the hash of the commit's block. */
export function panelSeed(blockHash: Hex, mission: Address, node: number, attempt: number): Hex {
  return keccak256(encodeAbiParameters(SEED, [blockHash, mission, node, attempt]));
}

/** Index of draw number `draw` among `n`; the caller skips ineligible indexes. */
export function nextDraw(seed: Hex, draw: number | bigint, n: number | bigint): bigint {
  if (BigInt(n) === 0n) throw new RuleError("EmptyPool");
  return BigInt(keccak256(encodeAbiParameters(DRAW, [seed, BigInt(draw)]))) % BigInt(n);
}

/** Fields of a seat, as the registry hands it out. Twin of `contracts/libraries/Seat.sol`. */
export function readSeat(word: bigint): {
  readonly verifier: Address;
  readonly weight: number;
  readonly serial: number;
  readonly house: number;
} {
  const verifier = getAddress(numberToHex(BigInt.asUintN(160, word), { size: 20 }));
  const field = (from: bigint) => Number(BigInt.asUintN(16, word >> from));
  return { verifier, weight: field(160n), serial: field(176n), house: field(192n) };
}

/** A verifier on a roster. */
export interface Seat {
  readonly address: Address;
  readonly principal: Address;
}

const FEW_SEATS = 32;
const TRIES_PER_SEAT = 4;

/**
 * The panel that `EvidenceRegistry.drawPanel` draws from a roster: distinct verifiers, none of an excluded principal, and no principal twice
 * while another is available.
 */
export function drawPanel(seed: Hex, size: number, roster: readonly Seat[], excluded: readonly Address[]): readonly Address[] {
  const panel: Seat[] = [];
  const take = (seat: Seat | undefined, most: number) => {
    if (seat === undefined || panel.length === size || panel.includes(seat) || excluded.includes(seat.principal)) return;
    if (panel.filter(({ principal }) => principal === seat.principal).length < most) panel.push(seat);
  };
  const tries = roster.length > FEW_SEATS ? TRIES_PER_SEAT * size : 0;
  let draw = 0;
  for (; draw < tries && panel.length < size; draw += 1) take(roster[Number(nextDraw(seed, draw, roster.length))], 1);
  const left = [...roster];
  const order: Seat[] = [];
  for (; left.length > 0 && panel.length < size; draw += 1) {
    const pick = Number(nextDraw(seed, draw, left.length));
    const [drawn, last] = [left[pick], left.pop()];
    if (drawn === undefined || last === undefined) break;
    if (pick < left.length) left[pick] = last;
    order.push(drawn);
    take(drawn, 1);
  }
  for (let most = 2; panel.length < size; most += 1) {
    if (most > size) throw new RuleError("PanelUnavailable", size, panel.length);
    for (const seat of order) take(seat, most);
  }
  return panel.map(({ address }) => address);
}
