import { join } from "node:path";
import type { TransactionReceipt } from "viem";
import { keccak256, numberToHex, parseTransaction } from "viem";
import { z } from "zod";
import { JumpingClock } from "../primitives/clock.ts";
import { InvalidValue, messageOf } from "../primitives/errors.ts";
import type { Hash, Hex } from "../primitives/hex.ts";
import { hashSchema, hexSchema } from "../primitives/hex.ts";
import { canonicalJson } from "../primitives/json.ts";
import { Mutex } from "../primitives/mutex.ts";
import { recoverSender } from "../primitives/recovery.ts";
import { onlyAllowed, SIMULATIONS } from "./allow-list.ts";
import type { BlockName, Chain, CityChain, Fees, Request } from "./chain.ts";
import { publicClientOf } from "./chain.ts";
import {
  ChainClosed,
  ChainDisagrees,
  isTooHeavy,
  isUnreachable,
  RpcUnreachable,
  TransactionRefused,
  TranscriptDamaged,
  TranscriptMismatch,
} from "./errors.ts";
import { type CallFrame, callTraceOf } from "./inner-calls.ts";
import { atBlock, isUnknownBlock, notBefore } from "./pinned.ts";
import { revertDataOf } from "./revert-data.ts";
import type { SilenceRetry } from "./silence-retry.ts";
import type { Genesis, TranscriptBlock, TranscriptFile } from "./transcript.ts";
import { baseOf, blockLine, headerLine, openTranscriptFile, parseTranscript } from "./transcript.ts";

export const TRANSCRIPT_FILE = "chain.ndjson";

export interface DrivenOptions {
  /** Folder of `chain.ndjson`. Without it the transcript is in memory and ends with the process. */
  readonly dir?: string;
  /** A transcript to replay, which gives an audit a chain from a bundle. Excludes `dir`. */
  readonly transcript?: string;
  /** Block 0 of a new chain. An existing transcript must have the same. */
  readonly genesis?: Genesis;
  /** Receives messages for the operator, such as about a torn line. */
  readonly log?: (line: string) => void;
  /** Waits while an external node does not answer. Without it that is an error at once. */
  readonly silenceRetry?: SilenceRetry | undefined;
}

/** A node whose methods are all available: this process alone drives it. */
export interface Engine {
  readonly request: Request;
  /** Saves its state, so that the next one need not replay all blocks. */
  keep?(): Promise<void>;
  close(): Promise<void>;
}

/** An L2 that is driven block by block, recorded as a transcript that replays byte for byte. */
export interface DrivenChain extends CityChain {
  readonly genesis: Genesis;
  /** The last block. */
  head(): TranscriptBlock;
  /** The blocks after this one, if all of them are still held; undefined for an unknown block or one too long ago. */
  since(block: TranscriptBlock): readonly TranscriptBlock[] | undefined;
  /**
   * Mines these signed transactions, in order, into one block. All or none; `timestamp` in seconds, never back. `rehearse` runs just
   * before, on the same head; if it throws, nothing is mined.
   */
  mine(transactions: readonly Hex[], timestamp?: bigint, rehearse?: (timestamp: bigint) => Promise<void>): Promise<TranscriptBlock>;
  /** Moves chain time by an empty block and wakes everything that slept until then. */
  advanceTo(timestamp: bigint): Promise<void>;
  /** The transcript up to a block, or all of it: the text of `chain.ndjson`. Throws InvalidValue for a block of another chain. */
  transcript(head?: BlockName): string;
}

const blockSchema = z.object({
  hash: hashSchema,
  parentHash: hashSchema,
  timestamp: z.coerce.bigint(),
  number: z.coerce.bigint(),
  baseFeePerGas: z.coerce.bigint(),
  transactions: z.array(hashSchema),
});
type NodeBlock = z.infer<typeof blockSchema>;

/** A node's self-description, which a cache in front of it cannot answer. */
const nodeInfoSchema = z.object({ currentBlockNumber: z.coerce.bigint() });

/**
 * Largest gas limit of a transaction, as on networks with EIP-7825. The city's largest uses a third of it, and a stranger's, which every
 * replay of the transcript executes again, may use no more.
 */
export const MAX_TRANSACTION_GAS = 16_777_216n;

/** Blocks kept for followers of the chain. */
const RECENT_BLOCKS = 64;

/** Few enough to be mined again in about a second: the state is not saved for their sake. */
const FEW_BLOCKS = 256n;

/** The state is saved when the chain is at least this many times as long as what would be mined again. */
const KEEPS_EVERY = 8n;

/** Blocks read from a node concurrently. */
const READ_AT_ONCE = 32;

/** Number of past states that Anvil keeps (anvil.ts). */
const DEEPEST_REORGANIZATION = 64n;

/** What differs between nodes. */
export interface Drive {
  readonly kind: Chain["kind"];
  readonly name: string;
  /** Genesis of a new chain by default. */
  readonly genesis: Genesis;
  /** `recorded`: the blocks that the engine must have, or will be given. */
  readonly connect: (genesis: Genesis, recorded: readonly TranscriptBlock[]) => Promise<Engine>;
}

/** Opens a chain: blocks of the transcript that the node lacks are mined again, and those it has are compared. */
export async function openDrivenChain(drive: Drive, options: DrivenOptions): Promise<DrivenChain> {
  if (options.dir !== undefined && options.transcript !== undefined) {
    throw new InvalidValue(drive.name, "give a directory or a transcript, not both");
  }
  const log = options.log ?? (() => {});
  const path = options.dir === undefined ? undefined : join(options.dir, TRANSCRIPT_FILE);
  const opened = path === undefined ? undefined : openTranscriptFile(path, log);
  try {
    const text = opened?.text() ?? options.transcript ?? "";
    const recorded = text === "" ? undefined : parseTranscript(text, path);
    const genesis = recorded?.genesis ?? options.genesis ?? drive.genesis;
    if (recorded !== undefined && options.genesis !== undefined && canonicalJson(options.genesis) !== canonicalJson(genesis)) {
      throw new TranscriptDamaged(1, "its genesis is not the requested one", path);
    }
    const blocks = recorded?.blocks ?? [];
    const engine = await drive.connect(genesis, blocks);
    const chain = new Driven(drive, genesis, engine, { file: opened, path, log, silenceRetry: options.silenceRetry });
    try {
      await chain.start(recorded?.hash);
      const mined = await chain.catchUp(blocks);
      // The embedded chain never keeps blocks, so this is no loss there.
      if (mined.lost > 0 && drive.kind === "rpc")
        log(`the node had lost ${mined.lost} of ${blocks.length} blocks: they were mined again, hash for hash`);
      if (mined.found > 0) log(`the node had ${mined.found} blocks more than the transcript: they were added to it`);
      return chain;
    } catch (error) {
      await engine.close();
      throw error;
    }
  } catch (error) {
    opened?.close();
    throw error;
  }
}

interface Keeping {
  readonly file: TranscriptFile | undefined;
  readonly path: string | undefined;
  readonly log: (line: string) => void;
  readonly silenceRetry: SilenceRetry | undefined;
}

interface Broadcast {
  readonly transactions: readonly Hex[];
  readonly mined: PromiseWithResolvers<void>;
}

function gasOf(transactions: readonly Hex[]): bigint {
  return transactions.reduce((sum, raw) => sum + (parseTransaction(raw).gas ?? 0n), 0n);
}

class Driven implements DrivenChain {
  readonly isLive = false;
  readonly firstBlock: bigint;
  readonly kind: Chain["kind"];
  readonly name: string;
  readonly id: number;
  readonly genesis: Genesis;
  readonly request: Request;
  readonly simulation: Request;
  readonly publicClient;
  readonly answers?: Map<string, Promise<unknown>>;
  readonly clock: JumpingClock;
  readonly #engine: Engine;
  readonly #file: TranscriptFile | undefined;
  readonly #path: string | undefined;
  readonly #lines: string[] = [];
  /** The last blocks, ending with the head. */
  readonly #recent: TranscriptBlock[] = [];
  readonly #mutex = new Mutex();
  /** Broadcasts that no block contains yet, in the order in which they were requested. */
  readonly #waiting: Broadcast[] = [];
  readonly #log: (line: string) => void;
  /** Number of the chain's first block, which it did not mine itself. */
  readonly #base: bigint;
  #head: TranscriptBlock;
  /** Base fee of every block, from the first on: a node that rolls back forgets them. */
  readonly #baseFees: bigint[];
  #closed = false;
  /** Number of the last block whose state was saved, or with which the engine started. */
  #kept: bigint;
  /** An answer was lost: the node's actual state is determined before anything else. */
  #inDoubt = false;

  constructor(drive: Drive, genesis: Genesis, engine: Engine, { file, path, log, silenceRetry }: Keeping) {
    this.kind = drive.kind;
    this.name = drive.name;
    this.id = genesis.chainId;
    this.genesis = genesis;
    // An external node may have been rolled back meanwhile, so its answers are not cached.
    if (drive.kind === "embedded") this.answers = new Map();
    this.#engine = engine;
    this.#file = file;
    this.#path = path;
    this.#log = log;
    this.#base = baseOf(genesis);
    this.firstBlock = this.#base === 0n ? 0n : this.#base + 1n;
    this.#baseFees = [BigInt(genesis.baseFee)];
    this.#kept = this.#base;
    this.#head = { number: this.#base, timestamp: BigInt(genesis.timestamp), hash: "0x", transactions: [] };
    const withRetry = <Answer>(ask: () => Promise<Answer>) => (silenceRetry === undefined ? ask() : silenceRetry.through(ask));
    this.clock = new JumpingClock(this.#head.timestamp, (time) => withRetry(() => this.#jump(time)));
    this.request = onlyAllowed((call) => this.#serve(call));
    this.simulation = onlyAllowed((call) => this.#serve(call), SIMULATIONS.own);
    this.publicClient = publicClientOf(genesis.chainId, drive.name, (call) => withRetry(() => this.request(call)), 50);
  }

  head(): TranscriptBlock {
    return this.#head;
  }

  /** Compares the first block with the transcript, or starts the transcript with it. */
  async start(expected: Hash | undefined): Promise<void> {
    const { hash } = await this.#block(numberToHex(this.#base));
    if (expected !== undefined && expected !== hash) throw new TranscriptMismatch(this.#base, expected, hash, this.#path);
    this.#head = { ...this.#head, hash };
    await this.#record(headerLine(this.genesis, hash), expected !== undefined);
  }

  /** Compares the node's blocks with the recorded ones, mines those it lacks, and records additional ones. */
  async catchUp(recorded: readonly TranscriptBlock[]): Promise<{ readonly lost: number; readonly found: number }> {
    const { number: head } = await this.#block("latest");
    const had = recorded.filter(({ number }) => number <= head);
    for (let first = 0; first < had.length; first += READ_AT_ONCE) {
      const some = had.slice(first, first + READ_AT_ONCE);
      const read = await Promise.all(some.map(async (block) => ({ ...(await this.#block(numberToHex(block.number))), block })));
      for (const { block, hash, baseFeePerGas } of read) {
        if (hash !== block.hash) throw new ChainDisagrees(hash, `its block ${block.number} is not the recorded ${block.hash}`);
        await this.#adopt(block, baseFeePerGas, true);
      }
    }
    const lost = recorded.filter(({ number }) => number > head);
    this.#kept = this.#head.number;
    await this.#replay(lost);
    await this.#keep();
    return { lost: lost.length, found: await this.#adoptFrom(this.#head.number + 1n, head) };
  }

  /** Records blocks that the node has beyond the transcript. */
  async #adoptFrom(first: bigint, head: bigint): Promise<number> {
    for (let number = first; number <= head; number += 1n) {
      const { hash, timestamp, baseFeePerGas, transactions } = await this.#block(numberToHex(number));
      const raws: Hex[] = [];
      for (const known of transactions) raws.push(hexSchema.parse(await this.#node("eth_getRawTransactionByHash", known)));
      await this.#adopt({ number, timestamp, hash, transactions: raws }, baseFeePerGas, false);
    }
    if (head < first) return 0;
    await this.#node("evm_setNextBlockTimestamp", Number(this.#head.timestamp));
    return Number(head - first) + 1;
  }

  /** Mines recorded blocks again and compares each; afterwards time stands still at the head. */
  async #replay(blocks: readonly TranscriptBlock[]): Promise<void> {
    for (const block of blocks) {
      let mined: TranscriptBlock;
      try {
        mined = await this.#mine(block.transactions, block.timestamp, block);
      } catch (error) {
        if (error instanceof TranscriptMismatch || isTooHeavy(error)) throw error;
        throw new TranscriptMismatch(block.number, block.hash, messageOf(error), this.#path);
      }
      if (mined.number !== block.number) throw new TranscriptMismatch(block.number, block.hash, `block ${mined.number}`, this.#path);
    }
    await this.#node("evm_setNextBlockTimestamp", Number(this.#head.timestamp));
  }

  since(block: TranscriptBlock): readonly TranscriptBlock[] | undefined {
    const index = this.#recent.findIndex(({ hash }) => hash === block.hash);
    return index < 0 ? undefined : this.#recent.slice(index + 1);
  }

  mine(transactions: readonly Hex[], timestamp?: bigint, rehearse?: (timestamp: bigint) => Promise<void>): Promise<TranscriptBlock> {
    return this.#alone(async () => {
      const at = timestamp ?? this.clock.now();
      await rehearse?.(at);
      return this.#mine(transactions, at);
    });
  }

  async advanceTo(timestamp: bigint): Promise<void> {
    await this.#alone(async () => {
      if (timestamp > this.#head.timestamp) await this.#mine([], timestamp);
    });
  }

  async broadcast(transactions: readonly Hex[]): Promise<void> {
    const broadcast: Broadcast = { transactions, mined: Promise.withResolvers() };
    this.#waiting.push(broadcast);
    void this.#alone(() => this.#mineWaiting()).catch(broadcast.mined.reject);
    await broadcast.mined.promise;
  }

  async receipt(hash: Hash): Promise<TransactionReceipt> {
    await this.#beSure();
    return this.publicClient.getTransactionReceipt({ hash });
  }

  /** As heavy as mining it was, which a stranger's transaction passed in a replica first. */
  readonly callTrace = async (hash: Hash): Promise<CallFrame | undefined> => {
    await this.#beSure();
    return callTraceOf(this.#engine.request, hash);
  };

  async revertData(hash: Hash): Promise<Hex | undefined> {
    return revertDataOf(this, hash);
  }

  async fees(): Promise<Fees> {
    return { maxFeePerGas: 2n * (this.#baseFees.at(-1) ?? 0n) + 1_000_000_000n, maxPriorityFeePerGas: 0n };
  }

  transcript(head?: BlockName): string {
    const text = this.#file?.text() ?? this.#lines.join("");
    if (head === undefined) return text;
    // One line per block, after the genesis line.
    const lines = text.split("\n").slice(0, 1 + Number(head.number - this.#base));
    if (lines.at(-1)?.includes(`"hash":"${head.hash}"`) !== true)
      throw new InvalidValue("block", `${head.number} ${head.hash} is not of this chain`, {
        details: `line ${lines.length}: ${lines.at(-1)?.slice(0, 120)}`,
      });
    return `${lines.join("\n")}\n`;
  }

  async close(): Promise<void> {
    await this.#mutex.run(async () => {
      if (this.#closed) return;
      this.#closed = true;
      this.#file?.close();
      await this.#engine.close();
    });
  }

  /** Runs work that may change the chain, one piece at a time. Once it is closed, the number of its file may be another file's. */
  #alone<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#mutex.run(async () => {
      if (this.#closed) throw new ChainClosed(this.name);
      return work();
    });
  }

  /** The interface's only write is a block of one transaction. */
  async #serve(call: Parameters<Request>[0]): Promise<unknown> {
    if (this.#closed) throw new ChainClosed(call.method);
    if (call.method !== "eth_sendRawTransaction") {
      await this.#beSure();
      return this.#read(call);
    }
    const raw = hexSchema.safeParse(call.params?.[0]);
    if (!raw.success) throw new InvalidValue("eth_sendRawTransaction", "expected one signed transaction in hex");
    await this.mine([raw.data]);
    return keccak256(raw.data);
  }

  /** An external node is asked about the block this chain knows as its last: one that fell behind cannot answer with the past. */
  async #read(call: Parameters<Request>[0]): Promise<unknown> {
    const { method, params = [] } = this.kind === "embedded" ? call : notBefore(atBlock(call, this.#head.number), this.firstBlock);
    try {
      return await this.#node(method, ...params);
    } catch (error) {
      if (this.kind === "embedded" || !isUnknownBlock(error)) throw error;
      this.#inDoubt = true;
      throw new RpcUnreachable(this.name, `it does not have block ${this.#head.number}`, error);
    }
  }

  async #jump(time: bigint): Promise<void> {
    await this.#alone(async () => {
      await this.#endDoubt();
      if (time > this.#head.timestamp) await this.#mine([], time);
    });
  }

  async #beSure(): Promise<void> {
    if (this.#inDoubt) await this.#alone(() => this.#endDoubt());
  }

  /**
   * Makes node and transcript agree again after an answer was lost: a block the node mined is adopted, blocks it lost are mined again, and
   * blocks that replaced recorded ones are rolled back. The transcript is the authoritative history.
   */
  async #endDoubt(): Promise<void> {
    if (!this.#inDoubt) return;
    const { currentBlockNumber: head } = nodeInfoSchema.parse(await this.#node("anvil_nodeInfo"));
    await this.#node("anvil_dropAllTransactions");
    const blocks = parseTranscript(this.transcript()).blocks;
    const base = this.#base;
    const known = base + BigInt(blocks.length);
    const recorded = (number: bigint) => blocks[Number(number - base) - 1];
    let common = head < known ? head : known;
    while (common > base && (await this.#block(numberToHex(common))).hash !== recorded(common)?.hash) common -= 1n;
    if (common < known) {
      if (head - common > DEEPEST_REORGANIZATION || (common === base && head > base)) {
        throw new ChainDisagrees(this.#head.hash, `${head - common} of its blocks are not the recorded ones`);
      }
      if (head > common) {
        await this.#node("anvil_rollback", Number(head - common));
        await this.#node("anvil_dropAllTransactions");
        // After a rollback the node still derives the next block's fee from the blocks it dropped.
        await this.#node("anvil_setNextBlockBaseFeePerGas", numberToHex(this.#baseFees[Number(common - base) + 1] ?? 0n));
      }
      const lost = blocks.slice(Number(common - base));
      this.#log(
        `${head > common ? "the node was reorganized" : "the node had lost blocks"}: ${lost.length} were mined again, hash for hash`,
      );
      this.#inDoubt = false;
      // Parents are compared with the head, which is set to the last common block.
      this.#head = recorded(common) ?? {
        number: base,
        timestamp: BigInt(this.genesis.timestamp),
        hash: (await this.#block(numberToHex(base))).hash,
        transactions: [],
      };
      await this.#replay(lost);
    } else {
      this.#inDoubt = false;
      await this.#adoptFrom(known + 1n, head);
    }
  }

  /** Mines the broadcast that has waited longest, and in the same block those after it that fit. */
  async #mineWaiting(): Promise<void> {
    const [first, ...others] = this.#waiting;
    let gas = gasOf(first?.transactions ?? []);
    const tooMuch = others.findIndex(({ transactions }) => {
      gas += gasOf(transactions);
      return gas > BigInt(this.genesis.gasLimit);
    });
    await this.#mineTogether(this.#waiting.splice(0, tooMuch < 0 ? this.#waiting.length : tooMuch + 1));
  }

  /** If a transaction is refused, each broadcast gets a block of its own. */
  async #mineTogether(broadcasts: readonly Broadcast[]): Promise<void> {
    try {
      for (const block of this.#fill(broadcasts.flatMap(({ transactions }) => transactions))) await this.#mine(block, this.clock.now());
      for (const { mined } of broadcasts) mined.resolve();
    } catch (error) {
      const isRefused = error instanceof TransactionRefused && !isUnreachable(error);
      if (isRefused && broadcasts.length > 1) for (const each of broadcasts) await this.#mineTogether([each]);
      else for (const { mined } of broadcasts) mined.reject(error);
    }
  }

  /** Splits a list into blocks that hold it, keeping its order. */
  *#fill(transactions: readonly Hex[]): Generator<readonly Hex[]> {
    let block: Hex[] = [];
    let used = 0n;
    for (const raw of transactions) {
      const gas = gasOf([raw]);
      if (block.length > 0 && used + gas > BigInt(this.genesis.gasLimit)) {
        yield block;
        block = [];
        used = 0n;
      }
      block.push(raw);
      used += gas;
    }
    if (block.length > 0) yield block;
  }

  async #mine(transactions: readonly Hex[], timestamp: bigint, recorded?: TranscriptBlock): Promise<TranscriptBlock> {
    await this.#endDoubt();
    if (timestamp < this.#head.timestamp) {
      throw new InvalidValue("block time", "chain time does not go back", {
        details: `head ${this.#head.timestamp}, asked for ${timestamp}`,
      });
    }
    const hashes = await this.#queue(transactions, recorded !== undefined);
    await this.#node("evm_mine", numberToHex(timestamp));
    // At once: until then simulations are of the node's own time.
    if (recorded === undefined) await this.#node("evm_setNextBlockTimestamp", Number(timestamp));
    const mined = await this.#block("latest");
    if (mined.parentHash !== this.#head.hash) {
      this.#inDoubt = true;
      throw new RpcUnreachable(this.name, `its block ${mined.number} does not follow the recorded ${this.#head.hash}`);
    }
    if (mined.transactions.join() !== hashes.join()) {
      throw new TransactionRefused(hashes[mined.transactions.length] ?? mined.hash, "they do not fit into one block");
    }
    const block = { number: mined.number, timestamp: mined.timestamp, hash: mined.hash, transactions };
    if (recorded !== undefined && recorded.hash !== mined.hash)
      throw new TranscriptMismatch(recorded.number, recorded.hash, mined.hash, this.#path);
    await this.#adopt(block, mined.baseFeePerGas, recorded !== undefined);
    if (recorded === undefined) await this.#keep();
    return block;
  }

  /** Makes the node's new last block this chain's. */
  async #adopt(block: TranscriptBlock, baseFee: bigint, isRecorded: boolean): Promise<void> {
    await this.#record(blockLine(block), isRecorded);
    this.#head = block;
    this.answers?.clear();
    this.#recent.push(block);
    if (this.#recent.length > RECENT_BLOCKS) this.#recent.shift();
    this.#baseFees[Number(block.number - this.#base)] = baseFee;
    if (block.timestamp > this.clock.now()) this.clock.advanceTo(block.timestamp);
  }

  /**
   * Adds all transactions to the node's pool, or none: if one is refused or cannot be mined now, the others are removed again. Recorded
   * transactions were mined before: the block's hash shows whether they are again.
   */
  async #queue(transactions: readonly Hex[], isRecorded: boolean): Promise<readonly Hash[]> {
    const queued: Hash[] = [];
    let gas = 0n;
    let hash: Hash = "0x";
    try {
      for (const raw of transactions) {
        hash = keccak256(raw);
        const asked = gasOf([raw]);
        if (asked > MAX_TRANSACTION_GAS) throw new TransactionRefused(hash, `it asks for ${asked} gas, more than ${MAX_TRANSACTION_GAS}`);
        gas += asked;
        if (gas > BigInt(this.genesis.gasLimit)) throw new TransactionRefused(hash, "the block's gas limit is reached");
        await this.#node("eth_sendRawTransaction", raw);
        queued.push(hash);
      }
      if (!isRecorded) await this.#requireNext(transactions);
    } catch (cause) {
      for (const other of queued) await this.#node("hardhat_dropTransaction", other);
      throw cause instanceof TransactionRefused ? cause : new TransactionRefused(hash, messageOf(cause), cause);
    }
    return queued;
  }

  /** Each must have its sender's next nonce: the pool also keeps others, for later. */
  async #requireNext(transactions: readonly Hex[]): Promise<void> {
    const signed = await Promise.all(transactions.map(async (raw) => ({ raw, from: await recoverSender(raw) })));
    const senders = [...new Set(signed.map(({ from }) => from))];
    const counts = await Promise.all(senders.map((from) => this.#node("eth_getTransactionCount", from, "latest")));
    const next = new Map(senders.map((from, place) => [from, Number(counts[place])]));
    for (const { raw, from } of signed) {
      const { nonce = 0 } = parseTransaction(raw);
      const expected = next.get(from) ?? 0;
      if (nonce !== expected) throw new TransactionRefused(keccak256(raw), `its nonce is ${nonce}, the sender's next is ${expected}`);
      next.set(from, expected + 1);
    }
  }

  /** The work of mining again grows with the chain, and so does the cost of saving it. */
  async #keep(): Promise<void> {
    const since = this.#head.number - this.#kept;
    if (this.#engine.keep === undefined || since < FEW_BLOCKS || since * KEEPS_EVERY < this.#head.number - this.#base) return;
    this.#kept = this.#head.number;
    try {
      await this.#engine.keep();
    } catch (error) {
      this.#inDoubt = true;
      this.#log(`${this.name} did not save its state, so its next start may take longer: ${messageOf(error)}`);
    }
  }

  async #record(line: string, isReplay: boolean): Promise<void> {
    if (!isReplay) await this.#file?.append(line);
    if (this.#path === undefined && !(isReplay && this.#lines.length > Number(this.#head.number - this.#base) + 1)) this.#lines.push(line);
  }

  async #block(tag: string): Promise<NodeBlock> {
    const block = await this.#node("eth_getBlockByNumber", tag, false);
    if (block === null && this.kind !== "embedded") {
      this.#inDoubt = true;
      throw new RpcUnreachable(this.name, `it does not have block ${tag}`);
    }
    return blockSchema.parse(block);
  }

  async #node(method: string, ...params: readonly unknown[]): Promise<unknown> {
    try {
      return await this.#engine.request({ method, params });
    } catch (error) {
      if (isUnreachable(error)) this.#inDoubt = true;
      throw error;
    }
  }
}
