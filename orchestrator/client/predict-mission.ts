import { concatHex, getContractAddress, keccak256, numberToHex, size } from "viem";
import type { Address, Hash, Hex } from "../primitives/hex.ts";

/** Runtime code of a minimal proxy followed by its immutable arguments (EIP-1167, in the layout of OpenZeppelin's Clones). */
export function cloneRuntime(implementation: Address, args: Hex): Hex {
  return concatHex(["0x363d3d373d3d3d363d73", implementation, "0x5af43d82803e903d91602b57fd5bf3", args]);
}

/** Creation code that the template registry passes to CREATE2. */
export function cloneCreationCode(implementation: Address, args: Hex): Hex {
  const runtime = cloneRuntime(implementation, args);
  return concatHex(["0x61", numberToHex(size(runtime), { size: 2 }), "0x3d81600a3d39f3", runtime]);
}

/**
 * The address of a mission: CREATE2 of implementation, arguments and session. An equal address proves that the clone is this implementation
 * with exactly these arguments (decision 14).
 */
export function predictMission(registry: Address, implementation: Address, args: Hex, session: bigint): Address {
  const salt: Hash = numberToHex(session, { size: 32 });
  return getContractAddress({ opcode: "CREATE2", from: registry, salt, bytecodeHash: keccak256(cloneCreationCode(implementation, args)) });
}
