import { join } from "node:path";
import type { TransactionReceipt } from "viem";
import { formatEther, keccak256, numberToHex, TransactionReceiptNotFoundError } from "viem";
import { z } from "zod";
import type { WorkClock } from "../primitives/clock.ts";
import { InvalidValue, messageOf } from "../primitives/errors.ts";
import { makeFolder, writeFileAtomic } from "../primitives/files.ts";
import { type Hash, type Hex, hashSchema } from "../primitives/hex.ts";
import { canonicalJson } from "../primitives/json.ts";
import { readStateFile } from "../primitives/state-file.ts";
import { type BlockName, type CityChain, type Fees, publicClientOf, type Request } from "./chain.ts";
import { dataFeeOf } from "./data-fee.ts";
import { ChainClosed, ChainDisagrees, isUnreachable, NoDataFee, ReceiptTimeout } from "./errors.ts";
import type { CallFrame } from "./inner-calls.ts";
import { connectRpcChain, type RpcOptions } from "./rpc.ts";
import type { SilenceRetry } from "./silence-retry.ts";

/** A network independent of the city, which neither mines nor moves its time. */
export interface LiveNetwork {
  /** Display name. */
  readonly name: string;
  readonly chainId: number;
  /** Depth of a block from which its transactions count: 1 is the last block. Default: 2. */
  readonly confirmations?: number | undefined;
  /** Largest fee per gas that is signed, wei. Default: whatever the network asks. */
  readonly maxFeePerGas?: bigint | undefined;
}

export interface LiveOptions {
  readonly network: LiveNetwork;
  readonly url: string;
  readonly wall: RpcOptions["wall"];
  /** The city's folder, which records the chain and the block since when the city exists. Without it that ends with the process. */
  readonly dir?: string;
  readonly silenceRetry?: SilenceRetry | undefined;
  readonly log?: (line: string) => void;
  readonly receiptTimeoutMillis?: number;
}

const CONFIRMATIONS = 2;
/** Interval of polling the chain's head, milliseconds. */
const LOOK = 250;
const RECEIPT_TIMEOUT = 120_000;
/** A network that makes blocks only for transactions counts as idle after this time, milliseconds; then the machine's clock counts. */
const IDLE = 30_000;
/** Blocks per event query that public nodes accept. */
const LOG_RANGE = 2_000n;

/** Size of a typical transaction, bytes; incompressible, since repetitive data costs less. */
const SAMPLE_BYTES = 1_000;
const SAMPLE: Hex = `0x${Buffer.from(Array.from({ length: SAMPLE_BYTES }, (_, at) => (at * 167 + (at >> 8) * 59) & 0xff)).toString("hex")}`;

const RESIDENCE_FILE = "chain.json";
const residenceSchema = z.strictObject({ chainId: z.int().positive(), genesis: hashSchema, from: z.int().nonnegative() });
/** Where a city lives: the chain by its block 0, and the first block that can concern the city. */
export type Residence = z.infer<typeof residenceSchema>;

const blockSchema = z.object({ number: z.coerce.bigint(), hash: hashSchema, timestamp: z.coerce.bigint() });
const feesSchema = z.object({ baseFeePerGas: z.coerce.bigint().optional() });
const dataFeeSchema = z.object({ l1Fee: z.coerce.bigint().catch(0n) });
const filterSchema = z.looseObject({ fromBlock: z.string().optional(), toBlock: z.string().optional(), blockHash: hashSchema.optional() });

/**
 * A chain in real time: its clock is that of its blocks, and a receipt counts once its block is deep enough. If a block is replaced before
 * that, its transactions are sent again, byte for byte.
 */
export async function openLiveChain({ network, url, wall, dir, silenceRetry, log = () => {}, ...more }: LiveOptions): Promise<CityChain> {
  const { chainId } = network;
  if (network.confirmations !== undefined && !(network.confirmations >= 1))
    throw new InvalidValue("confirmations", "must be at least one block");
  const node = await connectRpcChain({ url, chainId, wall });
  const look = async (tag: string) => blockSchema.parse(await node.request({ method: "eth_getBlockByNumber", params: [tag, false] }));
  const residence = await residenceOf(dir, chainId, look);
  const chain = new Live({ network, node, wall, silenceRetry, log, residence, timeout: more.receiptTimeoutMillis ?? RECEIPT_TIMEOUT });
  await chain.start();
  return chain;
}

/** Compares the chain with the one recorded in this folder, or records it. */
async function residenceOf(dir: string | undefined, chainId: number, look: (tag: string) => Promise<Block>): Promise<Residence> {
  const path = dir === undefined ? undefined : join(dir, RESIDENCE_FILE);
  const known = path === undefined ? undefined : readStateFile(path, residenceSchema, "restore it from a copy of the folder");
  const { hash } = await look("0x0");
  if (known !== undefined) {
    if (known.genesis !== hash || known.chainId !== chainId)
      throw new ChainDisagrees(hash, `its block 0 is not the ${known.genesis} of the chain that this city lives on`);
    return known;
  }
  const { number } = await look("latest");
  const residence = { chainId, genesis: hash, from: Number(number) + 1 };
  if (dir !== undefined && path !== undefined) {
    makeFolder(dir);
    writeFileAtomic(path, `${canonicalJson(residence)}\n`);
  }
  return residence;
}

type Block = z.infer<typeof blockSchema>;

interface LiveParts extends Required<Pick<LiveOptions, "network" | "wall" | "log">> {
  readonly node: Awaited<ReturnType<typeof connectRpcChain>>;
  readonly silenceRetry: SilenceRetry | undefined;
  readonly residence: Residence;
  readonly timeout: number;
}

class Live implements CityChain {
  readonly kind = "rpc";
  readonly isLive = true;
  readonly name: string;
  readonly id: number;
  readonly feeCap: bigint | undefined;
  readonly firstBlock: bigint;
  readonly publicClient;
  readonly request: Request;
  readonly simulation?: Request;
  readonly clock: WorkClock;
  readonly #parts: LiveParts;
  readonly #depth: bigint;
  /** Submitted transactions that do not count yet. */
  readonly #sent = new Map<Hash, Hex>();
  /** Cost of this process's transactions, wei. */
  readonly #paid = { transactions: 0, wei: 0n, forData: 0n };
  #latest: Block = { number: 0n, hash: "0x", timestamp: 0n };
  #deep: Block = this.#latest;
  #seenAt = 0;
  #closed = false;
  #following: Promise<void> = Promise.resolve();

  constructor(parts: LiveParts) {
    this.#parts = parts;
    const { network, node, silenceRetry, residence } = parts;
    this.name = network.name;
    this.id = node.id;
    this.feeCap = network.maxFeePerGas;
    this.firstBlock = BigInt(residence.from);
    this.#depth = BigInt(network.confirmations ?? CONFIRMATIONS) - 1n;
    this.request = (call) => (call.method === "eth_getLogs" ? this.#logs(call) : node.request(call));
    if (node.simulation !== undefined) this.simulation = node.simulation;
    const withRetry: Request = (call) => (silenceRetry === undefined ? this.request(call) : silenceRetry.through(() => this.request(call)));
    this.publicClient = publicClientOf(node.id, network.name, withRetry, LOOK);
    this.clock = { now: () => this.#now(), sleepUntil: (time) => this.#sleepUntil(time), run: (work) => work(), hold: (work) => work() };
  }

  async start(): Promise<void> {
    await this.#look();
    await this.#sayDataFee();
    this.#following = this.#follow();
  }

  /** Informs the payer before the first transaction. */
  async #sayDataFee(): Promise<void> {
    try {
      const fee = await dataFeeOf(this.publicClient, this.name, SAMPLE);
      this.#parts.log(`${this.name} charges for L1 data in addition to gas: ${formatEther(fee)} ether for ${SAMPLE_BYTES} bytes now`);
    } catch (error) {
      if (isUnreachable(error)) throw error;
      if (!(error instanceof NoDataFee)) this.#parts.log(`the L1 data fee of ${this.name} is unknown: ${messageOf(error)}`);
    }
  }

  head(): BlockName {
    return this.#deep;
  }

  transcript({ number, hash }: BlockName = this.#deep): string {
    const { residence, network } = this.#parts;
    return `${canonicalJson({ live: 1, name: network.name, ...residence, head: { number: Number(number), hash } })}\n`;
  }

  async broadcast(transactions: readonly Hex[]): Promise<void> {
    for (const raw of transactions) this.#sent.set(keccak256(raw), raw);
    await this.#parts.node.broadcast(transactions);
  }

  async receipt(hash: Hash): Promise<TransactionReceipt> {
    const { wall, timeout } = this.#parts;
    for (const since = wall.millis(); ; await wall.sleep(LOOK)) {
      await this.#look();
      const receipt = await this.#receiptNow(hash);
      if (receipt !== undefined) {
        if (this.#sent.delete(hash)) this.#count(receipt);
        return receipt;
      }
      if (wall.millis() - since >= timeout) throw new ReceiptTimeout(hash, timeout / 1_000);
    }
  }

  readonly callTrace = (hash: Hash): Promise<CallFrame | undefined> => this.#parts.node.callTrace(hash);

  async revertData(hash: Hash): Promise<Hex | undefined> {
    return this.#parts.node.revertData(hash);
  }

  /** Twice the last base fee, within the cap. Waits while the network asks for more. */
  async fees(): Promise<Fees> {
    const { node, wall, log } = this.#parts;
    const cap = this.feeCap;
    for (let reported = false; ; await wall.sleep(1_000)) {
      const { baseFeePerGas: base = 0n } = feesSchema.parse(
        await node.request({ method: "eth_getBlockByNumber", params: ["latest", false] }),
      );
      const tip = await this.publicClient.estimateMaxPriorityFeePerGas().catch(() => 0n);
      if (cap === undefined) return { maxFeePerGas: 2n * base + tip, maxPriorityFeePerGas: tip };
      if (base <= cap) {
        const most = 2n * base + tip < cap ? 2n * base + tip : cap;
        return { maxFeePerGas: most, maxPriorityFeePerGas: tip < most ? tip : most };
      }
      if (!reported) log(`${this.name} asks ${base} wei per gas, above the cap of ${cap}: waiting`);
      reported = true;
      if (this.#closed) throw new ChainClosed("waiting for the network's fee to fall below the cap");
    }
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#following;
    const { transactions, wei, forData } = this.#paid;
    const data = forData === 0n ? "" : `, ${formatEther(forData)} of it for L1 data`;
    if (transactions > 0) this.#parts.log(`gas: ${transactions} transactions on ${this.name} cost ${formatEther(wei)} ether${data}`);
  }

  /** Rollups charge for data in addition to gas, and state it in the receipt. */
  #count(receipt: TransactionReceipt): void {
    const { l1Fee } = dataFeeSchema.parse(receipt);
    this.#paid.transactions += 1;
    this.#paid.wei += receipt.gasUsed * receipt.effectiveGasPrice + l1Fee;
    this.#paid.forData += l1Fee;
  }

  /** The receipt, if its block is deep enough and still canonical. A transaction that the network forgot is sent again. */
  async #receiptNow(hash: Hash): Promise<TransactionReceipt | undefined> {
    const receipt = await this.publicClient.getTransactionReceipt({ hash }).catch((error: unknown) => {
      if (error instanceof TransactionReceiptNotFoundError) return undefined;
      throw error;
    });
    if (receipt === undefined) return this.#sendAgain(hash);
    if (this.#latest.number < receipt.blockNumber + this.#depth) return undefined;
    const block = await this.#block(numberToHex(receipt.blockNumber));
    return block.hash === receipt.blockHash ? receipt : undefined;
  }

  async #sendAgain(hash: Hash): Promise<undefined> {
    const { node, log } = this.#parts;
    const raw = this.#sent.get(hash);
    if (raw === undefined || (await node.request({ method: "eth_getTransactionByHash", params: [hash] })) !== null) return;
    log(`${this.name} replaced a block before it counted: its transaction ${hash} is sent again`);
    await node.broadcast([raw]);
  }

  async #follow(): Promise<void> {
    for (const { wall, log } = this.#parts; !this.#closed; await wall.sleep(LOOK)) {
      try {
        await this.#look();
      } catch (error) {
        // The next request meets the outage, and waits for its end.
        if (!isUnreachable(error)) log(`${this.name} cannot be followed: ${messageOf(error)}`);
      }
    }
  }

  async #look(): Promise<void> {
    const latest = await this.#block("latest");
    if (latest.hash === this.#latest.hash) return;
    const isYoung = latest.number < this.#depth;
    const deep = this.#depth === 0n ? latest : await this.#block(numberToHex(isYoung ? 0n : latest.number - this.#depth));
    const now = this.#now();
    this.#latest = latest.timestamp < now ? { ...latest, timestamp: now } : latest;
    this.#deep = deep;
    this.#seenAt = this.#parts.wall.millis();
  }

  async #block(tag: string): Promise<Block> {
    return blockSchema.parse(await this.#parts.node.request({ method: "eth_getBlockByNumber", params: [tag, false] }));
  }

  /** The last block's time; on an idle network plus the time that has passed since. Never goes back. */
  #now(): bigint {
    const idle = this.#parts.wall.millis() - this.#seenAt;
    return this.#latest.timestamp + (idle < IDLE || this.#seenAt === 0 ? 0n : BigInt(Math.floor((idle - IDLE) / 1_000)));
  }

  async #sleepUntil(time: bigint): Promise<void> {
    while (this.#now() < time && !this.#closed) await this.#parts.wall.sleep(LOOK);
    if (this.#closed) throw new ChainClosed("waiting for chain time");
  }

  /** Queries events in ranges that public nodes accept, none from before the city. */
  async #logs(call: Parameters<Request>[0]): Promise<unknown> {
    const { node } = this.#parts;
    const parsed = filterSchema.safeParse(call.params?.[0]);
    if (!parsed.success || parsed.data.blockHash !== undefined) return node.request(call);
    const { fromBlock, toBlock, ...filter } = parsed.data;
    const place = (tag: string | undefined) => (tag?.startsWith("0x") === true ? BigInt(tag) : this.#latest.number);
    const asked = fromBlock === "earliest" ? 0n : place(fromBlock);
    const to = place(toBlock);
    const logs: unknown[] = [];
    for (let first = asked < this.firstBlock ? this.firstBlock : asked; first <= to; first += LOG_RANGE) {
      const last = first + LOG_RANGE - 1n < to ? first + LOG_RANGE - 1n : to;
      const range = { ...filter, fromBlock: numberToHex(first), toBlock: numberToHex(last) };
      logs.push(...z.array(z.unknown()).parse(await node.request({ method: call.method, params: [range] })));
    }
    return logs;
  }
}
