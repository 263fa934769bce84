import { type Account, type ContractFunctionArgs, type ContractFunctionName, parseEventLogs } from "viem";
import { agreementEscrowAbi } from "../chain/abi/AgreementEscrow.ts";
import type { Address, Hash } from "../primitives/hex.ts";
import { type Fate, type SendOptions, sending } from "./send.ts";

type Writes = ContractFunctionName<typeof agreementEscrowAbi, "nonpayable">;

/** The result of a call, with the credited amount (smallest unit) once settled. */
export type Outcome =
  | { readonly kind: "settled"; readonly reference: Hash; readonly gas: bigint; readonly provider: bigint; readonly client: bigint }
  | Exclude<Fate, { readonly kind: "settled" }>;

/** In the order of `getJob`. */
export const JOB_STATUSES = ["open", "funded", "submitted", "completed", "rejected", "expired", "judged", "disputed"] as const;
export type JobStatus = (typeof JOB_STATUSES)[number];

export interface EscrowOptions extends SendOptions {
  readonly address: Address;
}

/** A client of one escrow; the caller passes the account for every call. */
export function connectEscrow({ address, ...options }: EscrowOptions) {
  const { reader, send, fateOf } = sending(options);
  const contract = { abi: agreementEscrowAbi, address } as const;
  return {
    address,
    /** Simulates and sends a call to the escrow. Throws errors that are not the contract's, such as an unreachable node. */
    async call<Name extends Writes>(
      account: Account,
      functionName: Name,
      args: ContractFunctionArgs<typeof agreementEscrowAbi, "nonpayable", Name> & readonly unknown[],
    ): Promise<Outcome> {
      return outcomeOf(await send(account, { ...contract, functionName, args }));
    },
    /** The result of a call whose fate was unknown. */
    reconcile: async (hash: Hash): Promise<Outcome> => outcomeOf(await fateOf(hash)),
    async statusOf(job: bigint): Promise<JobStatus> {
      const { status } = await reader.readContract({ ...contract, functionName: "getJob", args: [job] });
      const name = JOB_STATUSES[status];
      if (name === undefined) throw new RangeError(`unknown job status ${status}`);
      return name;
    },
    creditOf: (token: Address, account: Address): Promise<bigint> =>
      reader.readContract({ ...contract, functionName: "creditOf", args: [token, account] }),
  };
}
export type Escrow = ReturnType<typeof connectEscrow>;

function outcomeOf(fate: Fate): Outcome {
  if (fate.kind !== "settled") return fate;
  const { transactionHash, gasUsed, logs } = fate.receipt;
  const sum = (eventName: "PaymentReleased" | "Refunded") =>
    parseEventLogs({ abi: agreementEscrowAbi, eventName, logs }).reduce((total, { args }) => total + args.amount, 0n);
  return { kind: "settled", reference: transactionHash, gas: gasUsed, provider: sum("PaymentReleased"), client: sum("Refunded") };
}
