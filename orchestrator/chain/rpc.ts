import type { TransactionReceipt } from "viem";
import { BaseError, HttpRequestError, http, keccak256, TimeoutError, WaitForTransactionReceiptTimeoutError } from "viem";
import { z } from "zod";
import type { WorkClock } from "../primitives/clock.ts";
import { JumpingClock, systemClock } from "../primitives/clock.ts";
import { InvalidValue, messageOf } from "../primitives/errors.ts";
import type { Hash, Hex } from "../primitives/hex.ts";
import { onlyAllowed, SIMULATIONS } from "./allow-list.ts";
import type { Chain, Fees, Request } from "./chain.ts";
import { publicClientOf } from "./chain.ts";
import { DEVNET_CHAIN_ID } from "./devnet.ts";
import { ReceiptTimeout, RpcUnreachable, TransactionRefused, WrongChain } from "./errors.ts";
import { type CallFrame, callTraceOf } from "./inner-calls.ts";
import { revertDataOf } from "./revert-data.ts";

export interface RpcOptions extends NodeOptions {
  readonly url: string;
  /** Refuses any other chain id. */
  readonly chainId?: number;
  readonly timeoutMillis?: number;
}

export interface NodeOptions {
  /** A devnet with time travel (Anvil); refused for other chain ids than 31337. */
  readonly travel?: boolean;
  /** Concurrent views share one request. Default: one request each. */
  readonly gathers?: boolean;
  readonly receiptTimeoutMillis?: number;
  /** Wall time, for a chain without time travel. */
  readonly wall: { readonly millis: () => number; readonly sleep: (millis: number) => Promise<void> };
}

const REQUEST_TIMEOUT = 10_000;
const RECEIPT_TIMEOUT = 120_000;
const POLLING = 250;
const RETRIES = 2;

const headSchema = z.object({ timestamp: z.coerce.bigint() });

/** Connects to any EVM chain by URL: Anvil, an L2, or another process's city. */
export async function connectRpcChain(options: RpcOptions): Promise<Chain> {
  const node = requestOver(options.url, options.timeoutMillis ?? REQUEST_TIMEOUT);
  const chain = await chainOver(node, options);
  if (options.chainId !== undefined && options.chainId !== chain.id) throw new WrongChain(options.url, options.chainId, chain.id);
  return chain;
}

/** A chain whose node is reached by other means than a URL, such as another thread. */
export async function chainOver(node: Request, options: NodeOptions): Promise<Chain> {
  const id = z.coerce
    .number()
    .int()
    .parse(await node({ method: "eth_chainId" }));
  if (options.travel === true && id !== DEVNET_CHAIN_ID) {
    throw new InvalidValue("time travel", `is for devnets (chain id ${DEVNET_CHAIN_ID}) only`, { details: `chain id ${id}` });
  }
  return new Rpc(id, node, options, await headTime(node));
}

class Rpc implements Chain {
  readonly kind = "rpc";
  readonly id: number;
  readonly publicClient;
  readonly request: Request;
  readonly simulation: Request;
  readonly clock: WorkClock;
  readonly #node: Request;
  readonly #receiptTimeout: number;
  readonly #travels: JumpingClock | undefined;

  constructor(id: number, node: Request, options: NodeOptions, start: bigint) {
    this.id = id;
    this.#node = node;
    this.#receiptTimeout = options.receiptTimeoutMillis ?? RECEIPT_TIMEOUT;
    this.request = onlyAllowed(node);
    this.simulation = onlyAllowed(node, SIMULATIONS.foreign);
    this.publicClient = publicClientOf(id, `chain ${id}`, this.request, POLLING, options);
    this.#travels = options.travel === true ? new JumpingClock(start, (time) => this.#jump(time)) : undefined;
    this.clock = this.#travels ?? systemClock(options.wall);
  }

  async broadcast(transactions: readonly Hex[]): Promise<void> {
    for (const raw of transactions) {
      try {
        await this.#node({ method: "eth_sendRawTransaction", params: [raw] });
      } catch (cause) {
        if (cause instanceof RpcUnreachable) throw cause;
        const hash = keccak256(raw);
        if ((await this.#node({ method: "eth_getTransactionByHash", params: [hash] })) === null) {
          throw new TransactionRefused(hash, saidBy(cause), cause);
        }
      }
    }
    await this.#follow();
  }

  async receipt(hash: Hash): Promise<TransactionReceipt> {
    try {
      const receipt = await this.publicClient.waitForTransactionReceipt({
        hash,
        checkReplacement: false,
        timeout: this.#receiptTimeout,
        pollingInterval: POLLING,
      });
      await this.#follow();
      return receipt;
    } catch (cause) {
      if (cause instanceof WaitForTransactionReceiptTimeoutError) throw new ReceiptTimeout(hash, this.#receiptTimeout / 1000, cause);
      throw cause;
    }
  }

  readonly callTrace = (hash: Hash): Promise<CallFrame | undefined> => callTraceOf(this.#node, hash);

  async revertData(hash: Hash): Promise<Hex | undefined> {
    return revertDataOf(this, hash);
  }

  async fees(): Promise<Fees> {
    const { maxFeePerGas, maxPriorityFeePerGas } = await this.publicClient.estimateFeesPerGas();
    return { maxFeePerGas, maxPriorityFeePerGas };
  }

  async close(): Promise<void> {}

  async #jump(time: bigint): Promise<void> {
    await this.#node({ method: "evm_setNextBlockTimestamp", params: [Number(time)] });
    await this.#node({ method: "evm_mine" });
  }

  /** A devnet's blocks have their own time: the clock is never behind them. */
  async #follow(): Promise<void> {
    if (this.#travels === undefined) return;
    const time = await headTime(this.#node);
    if (time > this.#travels.now()) this.#travels.advanceTo(time);
  }
}

async function headTime(node: Request): Promise<bigint> {
  return headSchema.parse(await node({ method: "eth_getBlockByNumber", params: ["latest", false] })).timestamp;
}

export interface RequestOptions {
  readonly retries?: number;
  /** Accepts answers of any size, from a node of our own. Default: viem's limit. */
  readonly isTrusted?: boolean;
}

/** viem's transport, with one named error for all kinds of missing answers. `timeout` in milliseconds. */
export function requestOver(url: string, timeout: number, { retries = RETRIES, isTrusted = false }: RequestOptions = {}): Request {
  if (!URL.canParse(url) || !/^https?:/.test(url)) {
    throw new RpcUnreachable(url, "this is not an http(s) URL");
  }
  const bound = isTrusted ? { maxResponseBodySize: false as const } : {};
  const transport = http(url, { timeout, retryCount: retries, retryDelay: 100, ...bound })({});
  return async (call) => {
    try {
      const answer: unknown = await transport.request(call);
      return answer;
    } catch (cause) {
      if (cause instanceof HttpRequestError || cause instanceof TimeoutError) throw new RpcUnreachable(url, reasonOf(cause), cause);
      throw cause;
    }
  };
}

/** The node's own message: viem replaces it with one per error code. */
function saidBy(error: unknown): string {
  return error instanceof BaseError && error.details !== "" ? error.details : messageOf(error);
}

function reasonOf(error: HttpRequestError | TimeoutError): string {
  if (error instanceof HttpRequestError && error.status !== undefined) return `HTTP status ${error.status}`;
  return error.details === "" ? error.shortMessage : error.details;
}
