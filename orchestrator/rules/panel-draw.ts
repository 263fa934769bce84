/** Twin of `contracts/libraries/PanelDraw.sol`: the endless sequence of draws for a node's panel (decision 22). */
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
