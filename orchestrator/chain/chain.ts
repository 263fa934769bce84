import type { Abi, PublicClient, TransactionReceipt, Transport, Chain as ViemChain } from "viem";
import { createPublicClient, custom, defineChain } from "viem";
import type { WorkClock } from "../primitives/clock.ts";
import type { Hash, Hex } from "../primitives/hex.ts";
import { inHalves } from "./gathered.ts";
import type { CallFrame } from "./inner-calls.ts";

/** One JSON-RPC call (EIP-1193). The answer is unknown data: its reader validates it. */
export type Request = (call: { readonly method: string; readonly params?: readonly unknown[] | undefined }) => Promise<unknown>;

export interface Fees {
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
}

/** A chain, whether it runs in this process or behind a URL. */
export interface Chain {
  readonly kind: "embedded" | "rpc";
  readonly id: number;
  /** viem's client for reads, without cache. */
  readonly publicClient: PublicClient<Transport, ViemChain>;
  /** Answers of views since the last block, by question. Absent if others may mine between two questions. */
  readonly answers?: Map<string, Promise<unknown>>;
  /** Reads and `eth_sendRawTransaction` only; what `POST /rpc` serves. */
  readonly request: Request;
  /** Simulates a call with the node's own methods (allow-list.ts), which may or may not be available. Absent if there is no node. */
  readonly simulation?: Request;
  /** Chain time in seconds; on a devnet it jumps when all work waits. */
  readonly clock: WorkClock;
  /** Submits signed transactions in this order. Embedded: in one block, unless they exceed its gas limit. */
  broadcast(transactions: readonly Hex[]): Promise<void>;
  /** Waits for a submitted transaction. */
  receipt(hash: Hash): Promise<TransactionReceipt>;
  /** A mined transaction's calls, if the node traces them: other processes cannot ask for it. */
  readonly callTrace: (hash: Hash) => Promise<CallFrame | undefined>;
  /** Data returned by a reverted transaction, if the node has it. */
  revertData(hash: Hash): Promise<Hex | undefined>;
  /** Fees for the next transaction; deterministic on the embedded chain. */
  fees(): Promise<Fees>;
  /** Largest acceptable fee per gas, wei. Default: no limit. */
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
  /** Display name: "embedded L2", "base-sepolia". */
  readonly name: string;
  /** The first block that can concern the city. */
  readonly firstBlock: bigint;
  /** A live network: this process neither mines nor moves time. */
  readonly isLive: boolean;
  /** The last block that counts. */
  head(): BlockName;
  /** The chain's part of a bundle, `chain.ndjson`: all blocks of a devnet; for a live chain its name and the block `head`. */
  transcript(head?: BlockName): string;
}

/**
 * Calldata per gathered request, bytes: 33 views with one argument, whose answers of up to 600 bytes each fit into one answer
 * (gathered.ts).
 */
const TOGETHER = 1_200;

/**
 * A viem client over a request function. Retries belong to the transport below. `gathers`: concurrent views share one request. Views that
 * share a request too large for the node are asked again in halves, whoever gathered them.
 */
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
    transport: transportOf({ request: inHalves(request) }),
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

/** The errors of several ABIs combined, for decoding reverts. */
export function errorsOf(abis: readonly Abi[]): Abi {
  return abis.flatMap((abi) => abi.filter((item) => item.type === "error"));
}
