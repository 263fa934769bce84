import { concatHex, type Hex, size, toEventSelector, toHex } from "viem";
import type { Address } from "../../orchestrator/primitives/hex.ts";
import { type CityAddresses, cityContracts } from "../../orchestrator/protocol/addresses.ts";

/** Emits Transfer(caller, this, value sent) whatever it is called with: a contract small enough to write by hand. */
const runtime: Hex = concatHex([
  "0x34600052", // memory 0: the value sent
  "0x3033", // this, caller
  "0x7f",
  toEventSelector("Transfer(address,address,uint256)"),
  "0x60206000a300", // log with three topics; stop
]);

/** Deploys the emitter. */
export const emitterCode: Hex = concatHex(["0x60", toHex(size(runtime), { size: 1 }), "0x80600b6000396000f3", runtime]);

/** A city whose token is the emitter; its other contracts are nowhere. */
export function cityOf(token: Address): CityAddresses {
  const others = cityContracts.map((contract, at) => [contract, toHex(0xc0de00 + at, { size: 20 })]);
  return { ...Object.fromEntries(others), CityToken: token } as CityAddresses;
}
