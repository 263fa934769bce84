import { decodeEventLog, decodeFunctionData, encodeFunctionData, isAddressEqual, numberToHex } from "viem";
import { z } from "zod";
import type { Party } from "../agreements/index.ts";
import { agreementEscrowAbi } from "../chain/abi/AgreementEscrow.ts";
import { cityTokenAbi } from "../chain/abi/CityToken.ts";
import type { Chain } from "../chain/chain.ts";
import { type Address, type Hash, type Hex, hashSchema, hexSchema } from "../primitives/hex.ts";
import { JOB_STATUSES, type JobStatus } from "./escrow.ts";
import type { Cancellation, EscrowTerms } from "./terms.ts";

/** Steps of parties, evaluators and arbiter on a job, each a transaction of their own account. */
export const STEPS = ["fund", "submit", "settle", "challenge", "rule", "cancel", "finalise", "withdraw"] as const;
export type Step = (typeof STEPS)[number];

/** A call for an account to sign and send. */
export interface StepCall {
  readonly what: string;
  readonly to: Address;
  readonly data: Hex;
  readonly gas: bigint;
}

/** Above what each call uses: later calls of several cannot be estimated before the first is mined. */
const GAS = { approve: 100_000n, open: 400_000n, call: 200_000n } as const;

const escrowCall = (escrow: Address, what: string, data: Hex, gas: bigint = GAS.call): StepCall => ({ what, to: escrow, data, gas });
const abi = agreementEscrowAbi;

export const stepCalls = {
  approve: (token: Address, escrow: Address, amount: bigint): StepCall => ({
    what: "approve",
    to: token,
    data: encodeFunctionData({ abi: cityTokenAbi, functionName: "approve", args: [escrow, amount] }),
    gas: GAS.approve,
  }),
  open: (escrow: Address, terms: EscrowTerms, client: Hex, provider: Hex) =>
    escrowCall(escrow, "open", encodeFunctionData({ abi, functionName: "open", args: [terms, client, provider] }), GAS.open),
  fund: (escrow: Address, job: bigint, amount: bigint) =>
    escrowCall(escrow, "fund", encodeFunctionData({ abi, functionName: "fund", args: [job, amount, "0x"] })),
  submit: (escrow: Address, job: bigint, deliverable: Hash) =>
    escrowCall(escrow, "submit", encodeFunctionData({ abi, functionName: "submit", args: [job, deliverable, "0x"] })),
  settle: (escrow: Address, job: bigint, share: number, reason: Hash) =>
    escrowCall(escrow, "settle", encodeFunctionData({ abi, functionName: "settle", args: [job, share, reason] })),
  challenge: (escrow: Address, job: bigint, reason: Hash) =>
    escrowCall(escrow, "challenge", encodeFunctionData({ abi, functionName: "challenge", args: [job, reason] })),
  rule: (escrow: Address, job: bigint, share: number, reason: Hash) =>
    escrowCall(escrow, "rule", encodeFunctionData({ abi, functionName: "rule", args: [job, share, reason] })),
  /** Sent by one party, with the other's signature. */
  cancel: (
    escrow: Address,
    { jobId, share, deadline }: Cancellation,
    { by, signature }: { readonly by: Party; readonly signature: Hex },
  ) => {
    const signatures = by === "client" ? [signature, "0x" as const] : ["0x" as const, signature];
    const [client = "0x", provider = "0x"] = signatures;
    return escrowCall(
      escrow,
      "cancel",
      encodeFunctionData({ abi, functionName: "cancel", args: [jobId, share, deadline, client, provider] }),
    );
  },
  finalise: (escrow: Address, job: bigint) =>
    escrowCall(escrow, "finalise", encodeFunctionData({ abi, functionName: "finalise", args: [job] })),
  withdraw: (escrow: Address, token: Address, account: Address) =>
    escrowCall(escrow, "withdraw", encodeFunctionData({ abi, functionName: "withdraw", args: [token, account] })),
} as const;

/** Which step of this job a call is, or prepares; undefined for an unrelated call. */
export function stepOf(
  { to, data }: { readonly to: Address; readonly data: Hex },
  { escrow, job, terms }: { readonly escrow: Address; readonly job: bigint; readonly terms: EscrowTerms },
): string | undefined {
  try {
    if (isAddressEqual(to, terms.token)) {
      const { functionName, args } = decodeFunctionData({ abi: cityTokenAbi, data });
      const isOurs = functionName === "approve" && isAddressEqual(args[0], escrow) && args[1] <= terms.amount;
      return isOurs ? functionName : undefined;
    }
    if (!isAddressEqual(to, escrow)) return undefined;
    const { functionName, args } = decodeFunctionData({ abi, data });
    if (functionName === "open") return args[0].agreementHash === terms.agreementHash ? functionName : undefined;
    if (functionName === "withdraw") return isAddressEqual(args[0], terms.token) ? functionName : undefined;
    const isStep = (STEPS as readonly string[]).includes(functionName);
    return isStep && args?.[0] === job ? functionName : undefined;
  } catch {
    return undefined;
  }
}

/** A job as the chain records it. */
export interface JobView {
  readonly status: JobStatus;
  /** When the current step times out, unix seconds. */
  readonly dueAt: number;
  readonly deliverable: Hash | undefined;
  readonly judged: { readonly by: Address; readonly share: number; readonly reason: Hash } | undefined;
  /** The party that filed a dispute. */
  readonly challenged: Address | undefined;
  /** Provider's share as ruled, basis points. */
  readonly ruled: number | undefined;
  /** Provider's share as both parties agreed, basis points. */
  readonly agreed: number | undefined;
  /** Credited to each, smallest unit; undefined before the split. */
  readonly paid: { readonly provider: bigint; readonly client: bigint } | undefined;
}

/** Undefined for a job that was not opened. */
export async function readJob(
  { publicClient, request }: Pick<Chain, "publicClient" | "request">,
  { escrow, job, fromBlock }: { readonly escrow: Address; readonly job: bigint; readonly fromBlock: bigint },
): Promise<JobView | undefined> {
  const filter = { address: escrow, fromBlock: numberToHex(fromBlock), toBlock: "latest", topics: [null, numberToHex(job, { size: 32 })] };
  const logs = logsSchema.parse(await request({ method: "eth_getLogs", params: [filter] }));
  if (logs.length === 0) return undefined;
  const { status, dueAt } = await publicClient.readContract({ abi, address: escrow, functionName: "getJob", args: [job] });
  const name = JOB_STATUSES[status];
  if (name === undefined) throw new RangeError(`unknown job status ${status}`);
  let view: JobView = {
    status: name,
    dueAt,
    deliverable: undefined,
    judged: undefined,
    challenged: undefined,
    ruled: undefined,
    agreed: undefined,
    paid: undefined,
  };
  for (const { topics, data } of logs) {
    const { eventName, args } = decodeEventLog({ abi, topics, data });
    const { provider = 0n, client = 0n } = view.paid ?? {};
    if (eventName === "JobSubmitted") view = { ...view, deliverable: args.deliverable };
    if (eventName === "JobJudged") view = { ...view, judged: { by: args.evaluator, share: args.share, reason: args.reason } };
    if (eventName === "JobChallenged") view = { ...view, challenged: args.party };
    if (eventName === "JobRuled") view = { ...view, ruled: args.share };
    if (eventName === "JobCancelled") view = { ...view, agreed: args.share };
    if (eventName === "PaymentReleased") view = { ...view, paid: { provider: provider + args.amount, client } };
    if (eventName === "Refunded") view = { ...view, paid: { provider, client: client + args.amount } };
  }
  return view;
}

const logsSchema = z.array(z.object({ topics: z.tuple([hashSchema], hashSchema), data: hexSchema }));
