import type { Abi, PublicClient, TransactionReceipt, Transport, Chain as ViemChain } from "viem";
import { createPublicClient, custom, defineChain } from "viem";
import type { WorkClock } from "../primitives/clock.ts";
import type { Hash, Hex } from "../primitives/hex.ts";
import { inHalves } from "./gathered.ts";

/** One JSON-RPC call (EIP-1193). The answer is unknown data: whoever reads it checks it. */
export type Request = (call: { readonly method: string; readonly params?: readonly unknown[] | undefined }) => Promise<unknown>;

export interface Fees {
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
}

/** A chain as everybody above sees it, whether it lives in this process or behind a URL. */
export interface Chain {
  readonly kind: "embedded" | "rpc";
  readonly id: number;
  /** Reads: viem's client, nothing cached. */
  readonly publicClient: PublicClient<Transport, ViemChain>;
  /** What views answered since the last block, by question. Absent where somebody else may mine between two questions. */
  readonly answers?: Map<string, Promise<unknown>>;
  /** Reads and `eth_sendRawTransaction` only; what `POST /rpc` serves. */
  readonly request: Request;
  /** What would come of a call, by the node's own means (allow-list.ts): which of them it has, it says when it is asked. Absent where there is no node to ask. */
  readonly simulation?: Request;
  /** Chain time in seconds; on a devnet it jumps when all work waits. */
  readonly clock: WorkClock;
  /** Hands over signed transactions in this order. Embedded: one block, unless they exceed the block's gas. */
  broadcast(transactions: readonly Hex[]): Promise<void>;
  /** Waits for a transaction that was handed over. */
  receipt(hash: Hash): Promise<TransactionReceipt>;
  /** What a reverted transaction returned, where the node can tell. */
  revertData(hash: Hash): Promise<Hex | undefined>;
  /** Fees for the next transaction; on the embedded chain a function of the chain alone. */
  fees(): Promise<Fees>;
  /** The most that may be paid for a unit of gas, wei. Default: no limit. */
  readonly feeCap?: bigint | undefined;
  close(): Promise<void>;
}

/** A block by number and hash. */
export interface BlockName {
  readonly number: bigint;
  readonly hash: Hash;
}

/** A chain that a city lives on. */
export interface CityChain extends Chain {
  /** For people: "embedded L2", "base-sepolia". */
  readonly name: string;
  /** The first block that can be about the city. */
  readonly firstBlock: bigint;
  /** Nobody here mines or moves time. */
  readonly isLive: boolean;
  /** The last block that counts. */
  head(): BlockName;
  /** What a bundle keeps of it, `chain.ndjson`: all blocks of a devnet; of a live chain its name, and the block that `head` is. */
  transcript(head?: BlockName): string;
}

/** Bytes of calls that go together: of 33 views with one argument, whose answers of up to 600 bytes each fit into one (gathered.ts). */
const TOGETHER = 1_200;

/** A viem client over a request function. Retries belong to the transport below, not here. `gathers`: views asked at once are one request. */
export function publicClientOf(
  id: number,
  name: string,
  request: Request,
  pollingMillis: number,
  { gathers = false }: { readonly gathers?: boolean | undefined } = {},
): PublicClient<Transport, ViemChain> {
  return createPublicClient({
    ...(gathers ? { batch: { multicall: { deployless: true, batchSize: TOGETHER } } } : {}),
    chain: viemChain(id, name),
    transport: transportOf({ request: gathers ? inHalves(request) : request }),
    cacheTime: 0,
    pollingInterval: pollingMillis,
  });
}

/** A chain in this process as a viem transport, for wallets. */
export function transportOf(chain: { readonly request: Request }): Transport {
  return custom({ request: chain.request }, { retryCount: 0 });
}

export function viemChain(id: number, name: string): ViemChain {
  return defineChain({
    id,
    name,
    nativeCurrency: { name: "Ether", symbol: "ETH", decimals: 18 },
    rpcUrls: { default: { http: [] } },
  });
}

/** The errors of several ABIs as one, for decoding reverts. */
export function errorsOf(abis: readonly Abi[]): Abi {
  return abis.flatMap((abi) => abi.filter((item) => item.type === "error"));
}
