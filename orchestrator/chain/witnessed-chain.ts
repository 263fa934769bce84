import { type Hash, type Hex, numberToHex } from "viem";
import { z } from "zod";
import { InvalidValue } from "../primitives/errors.ts";
import { hashSchema, hexSchema } from "../primitives/hex.ts";
import { canonicalJson, parseJson } from "../primitives/json.ts";
import { ProofFails, type RawBlock, type RawReceipt, rawBlockSchema, rawReceiptSchema, requireProven, senderOf } from "./block-proof.ts";
import { type CityChain, publicClientOf, type Request } from "./chain.ts";
import { MethodNotAllowed, TooHeavy, TranscriptDamaged, WrongChain } from "./errors.ts";
import { type CallFrame, callTraceOf } from "./inner-calls.ts";
import { atBlock } from "./pinned.ts";
import { requestOver } from "./rpc.ts";

/** The only line of a live chain's `chain.ndjson`. */
const lineSchema = z.strictObject({
  live: z.literal(1),
  name: z.string().max(100),
  chainId: z.int().positive(),
  /** Hash of block 0. */
  genesis: hashSchema,
  /** The first block that can concern the city. */
  from: z.int().nonnegative(),
  head: z.strictObject({ number: z.int().nonnegative(), hash: hashSchema }),
});

/** The live chain that a bundle refers to; undefined if the bundle holds a devnet's whole transcript. */
export function liveChainIn(transcript: string): z.infer<typeof lineSchema> | undefined {
  const [line = "", ...rest] = transcript.split("\n");
  if (!line.startsWith("{") || rest.join("") !== "") return undefined;
  const parsed = lineSchema.safeParse(parseJson(line));
  if (!parsed.success) return undefined;
  if (canonicalJson(parsed.data) !== line) throw new TranscriptDamaged(1, "it is not in canonical form");
  return parsed.data;
}

const REQUEST_TIMEOUT = 30_000;
/** Blocks requested concurrently. */
const AT_ONCE = 16;
/** Far more than a city's life of a week on a chain of two-second blocks. */
const MAX_BLOCKS = 500_000;

const filterSchema = z.looseObject({
  address: z.union([hexSchema, z.array(hexSchema)]).optional(),
  topics: z.array(z.union([hexSchema, z.array(hexSchema)]).nullable()).nullish(),
  fromBlock: z.string().optional(),
  toBlock: z.string().optional(),
});

/**
 * The chain that a bundle refers to, as read from a node. From the city's first block to the bundle's last, every header is checked against
 * its hash and parent, every transaction and receipt against the roots, every sender against its signature, so that nothing can be left out
 * or changed. Contract state is the node's word for the last block. Throws ProofFails, WrongChain, RpcUnreachable, TooHeavy.
 */
export async function openWitnessedChain(transcript: string, url: string): Promise<CityChain> {
  const named = liveChainIn(transcript);
  if (named === undefined) throw new TranscriptDamaged(1, "it does not name a live chain");
  const node = requestOver(url, REQUEST_TIMEOUT);
  const chainId = z.coerce.number().parse(await node({ method: "eth_chainId" }));
  if (chainId !== named.chainId) throw new WrongChain(url, named.chainId, chainId);
  const first = await headerAt(node, 0n);
  if (first.hash !== named.genesis) throw new ProofFails(0n, `the node has ${first.hash}, the bundle ${named.genesis}`);
  const history = await provenHistory(node, named);
  return new Witnessed(named, node, history);
}

type Named = z.infer<typeof lineSchema>;

interface Proven {
  readonly block: RawBlock;
  readonly receipts: readonly RawReceipt[];
}

async function provenHistory(node: Request, { from, head }: Named): Promise<ReadonlyMap<bigint, Proven>> {
  if (head.number - from > MAX_BLOCKS) throw new TooHeavy(`${MAX_BLOCKS.toLocaleString("en")} blocks`);
  const history = new Map<bigint, Proven>();
  let parent: Hex | undefined;
  // One before the city's first: a session's seed may be the hash of the block before it.
  for (let next = Math.max(0, from - 1); next <= head.number; next += AT_ONCE) {
    const numbers = Array.from({ length: Math.min(AT_ONCE, head.number - next + 1) }, (_, index) => BigInt(next + index));
    for (const proven of await Promise.all(numbers.map((number) => provenAt(node, number)))) {
      const number = BigInt(proven.block.number);
      if (parent !== undefined && proven.block.parentHash !== parent) throw new ProofFails(number, `its parent is not ${parent}`);
      parent = proven.block.hash;
      history.set(number, proven);
    }
  }
  if (parent !== head.hash) throw new ProofFails(BigInt(head.number), `the node has ${parent}, the bundle ${head.hash}`);
  return history;
}

async function headerAt(node: Request, number: bigint): Promise<{ readonly hash: Hex }> {
  const schema = z.object({ hash: hashSchema });
  return schema.parse(await node({ method: "eth_getBlockByNumber", params: [numberToHex(number), false] }));
}

async function provenAt(node: Request, number: bigint): Promise<Proven> {
  const tag = numberToHex(number);
  const answer = await node({ method: "eth_getBlockByNumber", params: [tag, true] });
  if (answer === null) throw new ProofFails(number, "the node does not have it");
  const block = rawBlockSchema.parse(answer);
  if (BigInt(block.number) !== number) throw new ProofFails(number, `the node answers with block ${BigInt(block.number)}`);
  const receipts = block.transactions.length === 0 ? [] : await receiptsOf(node, block);
  requireProven(block, receipts);
  for (const transaction of block.transactions) {
    const sender = await senderOf(number, transaction);
    if (sender.toLowerCase() !== transaction.from.toLowerCase())
      throw new ProofFails(number, `transaction ${transaction.hash} is signed by ${sender}, not by ${transaction.from}`);
  }
  return { block, receipts };
}

/** All receipts with one request if the node supports it. */
async function receiptsOf(node: Request, block: RawBlock): Promise<readonly RawReceipt[]> {
  const all = await node({ method: "eth_getBlockReceipts", params: [block.number] }).catch(() => null);
  if (all !== null) return z.array(rawReceiptSchema).parse(all);
  return Promise.all(
    block.transactions.map(async ({ hash }) => rawReceiptSchema.parse(await node({ method: "eth_getTransactionReceipt", params: [hash] }))),
  );
}

class Witnessed implements CityChain {
  readonly kind = "rpc";
  readonly isLive = true;
  readonly name: string;
  readonly id: number;
  readonly firstBlock: bigint;
  readonly request: Request;
  readonly publicClient;
  readonly clock;
  readonly #named: Named;
  readonly #node: Request;
  readonly #history: ReadonlyMap<bigint, Proven>;
  readonly #places = new Map<string, Proven>();

  constructor(named: Named, node: Request, history: ReadonlyMap<bigint, Proven>) {
    this.name = named.name;
    this.id = named.chainId;
    this.firstBlock = BigInt(named.from);
    this.#named = named;
    this.#node = node;
    this.#history = history;
    for (const proven of history.values()) for (const { hash } of proven.block.transactions) this.#places.set(hash, proven);
    this.request = (call) => this.#answer(call);
    this.publicClient = publicClientOf(named.chainId, named.name, this.request, 50);
    const time = BigInt(history.get(BigInt(named.head.number))?.block.timestamp ?? 0);
    this.clock = {
      now: () => time,
      sleepUntil: async () => refuse("time"),
      run: <Result>(work: () => Promise<Result>) => work(),
      hold: <Result>(work: () => Promise<Result>) => work(),
    };
  }

  head() {
    return { number: BigInt(this.#named.head.number), hash: this.#named.head.hash };
  }

  transcript(): string {
    return `${canonicalJson(this.#named)}\n`;
  }

  broadcast = async () => refuse("eth_sendRawTransaction");
  receipt = async () => refuse("waiting");
  readonly callTrace = (hash: Hash): Promise<CallFrame | undefined> => callTraceOf(this.#node, hash);
  revertData = async () => undefined;
  fees = async () => refuse("eth_feeHistory");
  close = async () => {};

  async #answer(call: Parameters<Request>[0]): Promise<unknown> {
    const { method, params = [] } = call;
    const [subject] = params;
    switch (method) {
      case "eth_chainId":
        return numberToHex(this.id);
      case "eth_blockNumber":
        return numberToHex(this.#named.head.number);
      case "eth_getBlockByNumber": {
        const { block } = this.#at(z.string().parse(subject));
        return params[1] === true ? block : { ...block, transactions: block.transactions.map(({ hash }) => hash) };
      }
      case "eth_getTransactionByHash":
        return this.#holding(subject)?.block.transactions.find(({ hash }) => hash === subject) ?? null;
      case "eth_getTransactionReceipt":
        return this.#holding(subject)?.receipts.find(({ transactionHash }) => transactionHash === subject) ?? null;
      case "eth_getLogs":
        return this.#logs(filterSchema.parse(subject));
      case "eth_call":
      case "eth_getBalance":
      case "eth_getCode":
      case "eth_getStorageAt":
      case "eth_getTransactionCount":
        return this.#node(atBlock(call, BigInt(this.#named.head.number)));
      default:
        return refuse(method);
    }
  }

  #at(tag: string): Proven {
    const number = tag.startsWith("0x") ? BigInt(tag) : BigInt(this.#named.head.number);
    const proven = this.#history.get(number);
    if (proven === undefined) throw new ProofFails(number, "it is not between the city's founding and the bundle's last block");
    return proven;
  }

  #holding(hash: unknown): Proven | undefined {
    return typeof hash === "string" ? this.#places.get(hash) : undefined;
  }

  #logs({ address, topics, fromBlock, toBlock }: z.infer<typeof filterSchema>): readonly unknown[] {
    const last = BigInt(this.#named.head.number);
    const place = (tag: string | undefined, otherwise: bigint) => (tag?.startsWith("0x") === true ? BigInt(tag) : otherwise);
    const [from, to] = [place(fromBlock, fromBlock === "earliest" ? 0n : last), place(toBlock, last)];
    const addresses = address === undefined ? undefined : new Set([address].flat().map((each) => each.toLowerCase()));
    const found: unknown[] = [];
    for (const [number, { receipts }] of this.#history) {
      if (number < from || number > to || number < this.firstBlock) continue;
      for (const log of receipts.flatMap(({ logs }) => logs)) {
        const isAsked = addresses === undefined || addresses.has(log.address.toLowerCase());
        if (isAsked && (topics ?? []).every((asked, index) => passes(asked, log.topics[index]))) found.push(log);
      }
    }
    return found;
  }
}

/** Whether a topic matches the filter. */
function passes(asked: Hex | readonly Hex[] | null, topic: Hex | undefined): boolean {
  return asked === null || (topic !== undefined && [asked].flat().some((each) => each.toLowerCase() === topic.toLowerCase()));
}

function refuse(method: string): never {
  throw new MethodNotAllowed(`${method} (a bundle's chain is read-only)`);
}

/** Requires a node's URL for a bundle of a live chain. */
export function requireUrl(url: string | undefined, name: string): string {
  if (url !== undefined) return url;
  throw new InvalidValue("--rpc", `this mission was on ${name}: its audit compares the bundle with that chain`, {
    action: "give the URL of a node that you trust: --rpc https://…",
  });
}
