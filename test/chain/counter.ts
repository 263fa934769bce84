import type { Abi, Address, Hex } from "viem";
import { concatHex, encodeAbiParameters, padHex, size, toFunctionSelector, toHex } from "viem";
import { z } from "zod";
import type { Chain } from "../../orchestrator/chain/chain.ts";

/** What the counter reverts with: called with a time that has not come. */
export const counterAbi = [{ type: "error", name: "Early", inputs: [{ name: "now", type: "uint256" }] }] as const satisfies Abi;

const COUNT: Hex = "0x60016000540160005500"; // slot 0 += 1; stop

/**
 * A contract small enough to write by hand. Called with nothing, or with a time that has come: slot 0 grows by one.
 * Called with a later time: reverts with Early(block.timestamp).
 */
const runtime: Hex = concatHex([
  "0x36600e57", // any call data: jump to 14
  COUNT,
  "0x5b4260003511602157", // 14: argument > timestamp: jump to 33
  COUNT,
  concatHex(["0x5b63", toFunctionSelector("Early(uint256)"), "0x60e01b60005242600452602460", "0x00fd"]), // 33: revert
]);

/** Deploys the counter. */
export const counterCode: Hex = concatHex(["0x60", toHex(size(runtime), { size: 1 }), "0x80600b6000396000f3", runtime]);

/** Slot 0 grows by one; with every call but the first, five more words are written. */
const dearer: Hex = concatHex(["0x5f54806001015f55801560335760031b", ...Array<Hex>(5).fill("0x60010160018155"), "0x5b00"]);

/** Deploys a counter whose later calls take more gas than its first. */
export const dearerCode: Hex = concatHex(["0x60", toHex(size(dearer), { size: 1 }), "0x80600b6000396000f3", dearer]);

/** Call data: count, unless chain time is before `seconds`. */
export function notBefore(seconds: bigint): Hex {
  return encodeAbiParameters([{ type: "uint256" }], [seconds]);
}

export async function countOf(chain: Chain, counter: Address): Promise<number> {
  return z.coerce.number().parse(await chain.request({ method: "eth_getStorageAt", params: [counter, padHex("0x0"), "latest"] }));
}
