import {
  type Abi,
  type Account,
  createPublicClient,
  createWalletClient,
  type TransactionReceipt,
  type Transport,
  type Chain as ViemChain,
  WaitForTransactionReceiptTimeoutError,
} from "viem";
import { decodeRevert, revertOf } from "../chain/revert.ts";
import type { Address, Hash } from "../primitives/hex.ts";

/**
 * The fate of a call. `settled`: it is on chain. `rejected`: the contract refused it, nothing happened. `unknown`: it was sent and its
 * receipt is missing; `fateOf` asks again, and it is never sent twice meanwhile.
 */
export type Fate =
  | { readonly kind: "settled"; readonly receipt: TransactionReceipt }
  | { readonly kind: "rejected"; readonly reason: string }
  | { readonly kind: "unknown"; readonly handle: Hash };

export interface SendOptions {
  readonly chain: ViemChain;
  readonly transport: Transport;
  /** Time to wait for a receipt, milliseconds; afterwards the fate is unknown. */
  readonly patience?: number;
}

const PATIENCE = 60_000;

/** Sends calls to contracts outside the city; each has its own account. */
export function sending({ chain, transport, patience = PATIENCE }: SendOptions) {
  const reader = createPublicClient({ chain, transport, cacheTime: 0, pollingInterval: 50 });

  async function fateOf(hash: Hash): Promise<Fate> {
    try {
      const receipt = await reader.waitForTransactionReceipt({ hash, timeout: patience });
      return receipt.status === "reverted"
        ? { kind: "rejected", reason: "the state changed after simulation" }
        : { kind: "settled", receipt };
    } catch (error) {
      if (error instanceof WaitForTransactionReceiptTimeoutError) return { kind: "unknown", handle: hash };
      throw error;
    }
  }

  return {
    reader,
    fateOf,
    /** Simulates and sends a call. Throws errors that are not the contract's, such as an unreachable node. */
    async send(
      account: Account,
      call: { readonly abi: Abi; readonly address: Address; readonly functionName: string; readonly args: readonly unknown[] },
    ): Promise<Fate> {
      try {
        await reader.simulateContract({ ...call, account });
      } catch (thrown) {
        const revert = revertOf(thrown);
        if (revert === undefined) throw thrown;
        return { kind: "rejected", reason: decodeRevert(revert.data, call.abi).reason };
      }
      return fateOf(await createWalletClient({ account, chain, transport }).writeContract({ ...call, account, chain }));
    },
  };
}
