import { type Account, type ContractFunctionArgs, type ContractFunctionName, parseEventLogs } from "viem";
import { agreementEscrowAbi } from "../chain/abi/AgreementEscrow.ts";
import type { Address, Hash } from "../primitives/hex.ts";
import { type Fate, type SendOptions, sending } from "./send.ts";

type Writes = ContractFunctionName<typeof agreementEscrowAbi, "nonpayable">;

/** What became of a call, with what it credited in smallest units where it is settled. */
export type Outcome =
  | { readonly kind: "settled"; readonly reference: Hash; readonly gas: bigint; readonly provider: bigint; readonly client: bigint }
  | Exclude<Fate, { readonly kind: "settled" }>;

/** As `getJob` has them, in order. */
export const JOB_STATUSES = ["open", "funded", "submitted", "completed", "rejected", "expired", "judged", "disputed"] as const;
export type JobStatus = (typeof JOB_STATUSES)[number];

export interface EscrowOptions extends SendOptions {
  readonly address: Address;
}

/** One escrow as its callers see it; every call is made by an account of its own. */
export function connectEscrow({ address, ...options }: EscrowOptions) {
  const { reader, send, fateOf } = sending(options);
  const contract = { abi: agreementEscrowAbi, address } as const;
  return {
    address,
    /** Sends a call of the escrow, simulated first. Throws what is no answer of the contract: a node that is not there. */
    async call<Name extends Writes>(
      account: Account,
      functionName: Name,
      args: ContractFunctionArgs<typeof agreementEscrowAbi, "nonpayable", Name> & readonly unknown[],
    ): Promise<Outcome> {
      return outcomeOf(await send(account, { ...contract, functionName, args }));
    },
    /** What became of a call whose fate was unknown. */
    reconcile: async (hash: Hash): Promise<Outcome> => outcomeOf(await fateOf(hash)),
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

function outcomeOf(fate: Fate): Outcome {
  if (fate.kind !== "settled") return fate;
  const { transactionHash, gasUsed, logs } = fate.receipt;
  const sum = (eventName: "PaymentReleased" | "Refunded") =>
    parseEventLogs({ abi: agreementEscrowAbi, eventName, logs }).reduce((total, { args }) => total + args.amount, 0n);
  return { kind: "settled", reference: transactionHash, gas: gasUsed, provider: sum("PaymentReleased"), client: sum("Refunded") };
}
