import type { Hex, LocalAccount } from "viem";

/** A signed transfer of one wei. */
export function transfer(from: LocalAccount, nonce: number): Promise<Hex> {
  return from.signTransaction({
    type: "eip1559",
    chainId: 31337,
    nonce,
    to: "0x00000000000000000000000000000000000000aa",
    value: 1n,
    gas: 21_000n,
    maxFeePerGas: 20_000_000_000n,
    maxPriorityFeePerGas: 0n,
  });
}
