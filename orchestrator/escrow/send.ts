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
 * What became of a call. `settled`: it is on chain. `rejected`: the contract refused, nothing happened. `unknown`: it was sent and nobody
 * saw its fate; `fateOf` asks again, and it is never sent twice meanwhile.
 */
export type Fate =
  | { readonly kind: "settled"; readonly receipt: TransactionReceipt }
  | { readonly kind: "rejected"; readonly reason: string }
  | { readonly kind: "unknown"; readonly handle: Hash };

export interface SendOptions {
  readonly chain: ViemChain;
  readonly transport: Transport;
  /** Milliseconds for a receipt, after which the fate is unknown. */
  readonly patience?: number;
}

const PATIENCE = 60_000;

/** Calls of contracts that are not the city's own, each by an account of its own. */
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
    /** Sends a call, simulated first. Throws what is no answer of the contract: a node that is not there. */
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
