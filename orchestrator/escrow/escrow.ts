import type { Account, ContractFunctionArgs, ContractFunctionName, TransactionReceipt, Transport, Chain as ViemChain } from "viem";
import { createPublicClient, createWalletClient, parseEventLogs, WaitForTransactionReceiptTimeoutError } from "viem";
import { agreementEscrowAbi } from "../chain/abi/AgreementEscrow.ts";
import { decodeRevert, revertOf } from "../chain/revert.ts";
import type { Address, Hash } from "../primitives/hex.ts";

type Writes = ContractFunctionName<typeof agreementEscrowAbi, "nonpayable">;

/**
 * What became of a call. `settled`: it is on chain, with what it credited, in smallest units. `rejected`: the contract refused, nothing
 * happened. `unknown`: it was sent and nobody saw its fate; `reconcile` asks again, and it is never sent twice meanwhile.
 */
export type Outcome =
  | { readonly kind: "settled"; readonly reference: Hash; readonly gas: bigint; readonly provider: bigint; readonly client: bigint }
  | { readonly kind: "rejected"; readonly reason: string }
  | { readonly kind: "unknown"; readonly handle: Hash };

/** As `getJob` has them, in order. */
export const JOB_STATUSES = ["open", "funded", "submitted", "completed", "rejected", "expired", "judged", "disputed"] as const;
export type JobStatus = (typeof JOB_STATUSES)[number];

export interface EscrowOptions {
  readonly chain: ViemChain;
  readonly transport: Transport;
  readonly address: Address;
  /** Milliseconds for a receipt, after which the fate is unknown. */
  readonly patience?: number;
}

const PATIENCE = 60_000;

/** One escrow as its callers see it; every call is made by an account of its own. */
export function connectEscrow({ chain, transport, address, patience = PATIENCE }: EscrowOptions) {
  const reader = createPublicClient({ chain, transport, cacheTime: 0, pollingInterval: 50 });
  const contract = { abi: agreementEscrowAbi, address } as const;

  async function fateOf(hash: Hash): Promise<Outcome> {
    try {
      return outcomeOf(await reader.waitForTransactionReceipt({ hash, timeout: patience }));
    } catch (error) {
      if (error instanceof WaitForTransactionReceiptTimeoutError) return { kind: "unknown", handle: hash };
      throw error;
    }
  }

  return {
    address,
    /** Sends a call of the escrow, simulated first. Throws what is no answer of the contract: a node that is not there. */
    async call<Name extends Writes>(
      account: Account,
      functionName: Name,
      args: ContractFunctionArgs<typeof agreementEscrowAbi, "nonpayable", Name>,
    ): Promise<Outcome> {
      const call = { ...contract, functionName, args, account };
      try {
        await reader.simulateContract(call as never);
      } catch (thrown) {
        const revert = revertOf(thrown);
        if (revert === undefined) throw thrown;
        return { kind: "rejected", reason: decodeRevert(revert.data, agreementEscrowAbi).reason };
      }
      const hash = await createWalletClient({ account, chain, transport }).writeContract({ ...call, chain } as never);
      return fateOf(hash);
    },
    /** What became of a call whose fate was unknown. */
    reconcile: fateOf,
    async statusOf(job: bigint): Promise<JobStatus> {
      const { status } = await reader.readContract({ ...contract, functionName: "getJob", args: [job] });
      const name = JOB_STATUSES[status];
      if (name === undefined) throw new RangeError(`no status ${status}`);
      return name;
    },
    creditOf: (token: Address, account: Address): Promise<bigint> =>
      reader.readContract({ ...contract, functionName: "creditOf", args: [token, account] }),
  };
}
export type Escrow = ReturnType<typeof connectEscrow>;

function outcomeOf({ status, transactionHash, gasUsed, logs }: TransactionReceipt): Outcome {
  if (status === "reverted") return { kind: "rejected", reason: "the state changed after simulation" };
  const sum = (eventName: "PaymentReleased" | "Refunded") =>
    parseEventLogs({ abi: agreementEscrowAbi, eventName, logs }).reduce((total, { args }) => total + args.amount, 0n);
  return { kind: "settled", reference: transactionHash, gas: gasUsed, provider: sum("PaymentReleased"), client: sum("Refunded") };
}
