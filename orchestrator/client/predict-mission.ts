import { concatHex, getContractAddress, keccak256, numberToHex, size } from "viem";
import type { Address, Hash, Hex } from "../primitives/hex.ts";

/** Code of a minimal proxy with immutable arguments behind it (EIP-1167, as OpenZeppelin's Clones lays it out). */
export function cloneRuntime(implementation: Address, args: Hex): Hex {
  return concatHex(["0x363d3d373d3d3d363d73", implementation, "0x5af43d82803e903d91602b57fd5bf3", args]);
}

/** What the template registry's CREATE2 runs. */
export function cloneCreationCode(implementation: Address, args: Hex): Hex {
  const runtime = cloneRuntime(implementation, args);
  return concatHex(["0x61", numberToHex(size(runtime), { size: 2 }), "0x3d81600a3d39f3", runtime]);
}

/**
 * Where a mission must be: the CREATE2 address of implementation, arguments and session. Whoever computes the same address knows
 * that the clone is that implementation with exactly those arguments (decision 14).
 */
export function predictMission(registry: Address, implementation: Address, args: Hex, session: bigint): Address {
  const salt: Hash = numberToHex(session, { size: 32 });
  return getContractAddress({ opcode: "CREATE2", from: registry, salt, bytecodeHash: keccak256(cloneCreationCode(implementation, args)) });
}
