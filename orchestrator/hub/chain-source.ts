import { type Abi, decodeEventLog, numberToHex } from "viem";
import { z } from "zod";
import type { Request } from "../chain/chain.ts";
import { collectLogs } from "../chain/collect-logs.ts";
import { type ContractName, contractAbis } from "../client/contracts.ts";
import { addressSchema } from "../primitives/address.ts";
import { AgentCityError } from "../primitives/errors.ts";
import type { Address, Hash } from "../primitives/hex.ts";
import { hashSchema, hexSchema } from "../primitives/hex.ts";
import type { JsonValue } from "../primitives/json.ts";
import { type CityAddresses, cityContracts } from "../protocol/addresses.ts";
import { ReadTorn } from "./errors.ts";

/** A block that the hub remembers. */
export interface BlockMark {
  readonly number: number;
  readonly hash: Hash;
  /** Unix seconds. */
  readonly time: number;
}

/** One event of a contract, decoded. */
export interface ChainEvent {
  /** "Contract.Event". */
  readonly name: string;
  readonly contract: ContractName;
  readonly emitter: Address;
  /** Amounts and other integers as decimal text. */
  readonly args: Readonly<Record<string, JsonValue>>;
  readonly block: BlockMark;
  readonly transaction: Hash;
  readonly index: number;
  /** Gas of the whole transaction on its first event, 0 on the others, so that sums are correct. */
  readonly gasUsed: number;
}

/** Result of one read of the chain. */
export interface ChainBatch {
  readonly events: readonly ChainEvent[];
  /** Blocks to remember: the last one, and those that may still be replaced. */
  readonly marks: readonly BlockMark[];
}

const logSchema = z.object({
  address: addressSchema,
  topics: z.array(hexSchema),
  data: hexSchema,
  blockNumber: z.coerce.number(),
  blockHash: hashSchema,
  transactionHash: hashSchema,
  logIndex: z.coerce.number(),
});
type Log = z.infer<typeof logSchema>;

const blockSchema = z.object({ number: z.coerce.number(), hash: hashSchema, timestamp: z.coerce.number() });
const receiptSchema = z.object({ gasUsed: z.coerce.number() });

/** Far beyond what a batch of blocks of this city can hold; reading stops at a node that sends more. */
const LIMITS = { logs: 1_000_000, characters: 1_000_000_000 } as const;

/** Addresses per request. */
const ADDRESSES = 500;

/** Every contract of a city, including missions and replaced procedures, and its kind. */
export class Contracts {
  readonly #names = new Map<Address, ContractName>();

  constructor(addresses: CityAddresses) {
    for (const contract of cityContracts) this.add(addresses[contract], contract);
  }

  add(address: Address, contract: ContractName): void {
    this.#names.set(addressSchema.parse(address), contract);
  }

  nameOf(address: Address): ContractName | undefined {
    return this.#names.get(address);
  }

  get addresses(): readonly Address[] {
    return [...this.#names.keys()];
  }

  /** Adds a contract that an event announces; returns whether it did. */
  learn({ name, args }: Pick<ChainEvent, "name" | "args">): boolean {
    const [address, contract] =
      name === "TemplateRegistry.MissionDeployed"
        ? [addressIn(args, "mission"), "CollaborationContract" as const]
        : name === "ConstitutionContract.ProcedureReplaced"
          ? [addressIn(args, "replacement"), this.nameOf(addressIn(args, "former") ?? "0x")]
          : [];
    if (address === undefined || contract === undefined || this.#names.has(address)) return false;
    this.add(address, contract);
    return true;
  }
}

/** A chain as the hub reads it. */
export interface ChainSource {
  head(): Promise<number>;
  /** Null if the chain has no block with this number. */
  mark(number: number): Promise<BlockMark | null>;
  /** All events of these blocks, in order. Throws ReadTorn if the chain was reorganized during the read. */
  read(from: number, to: number, contracts: Contracts, markFrom: number): Promise<ChainBatch>;
}

export function chainSource(request: Request): ChainSource {
  async function mark(number: number): Promise<BlockMark | null> {
    const block = await request({ method: "eth_getBlockByNumber", params: [numberToHex(number), false] });
    if (block === null) return null;
    const { hash, timestamp } = blockSchema.parse(block);
    return { number, hash, time: timestamp };
  }

  async function markOf(number: number): Promise<BlockMark> {
    const found = await mark(number);
    if (found === null) throw new ReadTorn(number);
    return found;
  }

  /** Logs of these addresses, in order. */
  async function logsOf(from: number, to: number, addresses: readonly Address[]): Promise<Log[]> {
    const logs: Log[] = [];
    for (let at = 0; at < addresses.length; at += ADDRESSES) {
      const address = addresses.slice(at, at + ADDRESSES);
      const page = async (first: bigint, last: bigint) => {
        const filter = { address, fromBlock: numberToHex(first), toBlock: numberToHex(last) };
        return z.array(logSchema).parse(await request({ method: "eth_getLogs", params: [filter] }));
      };
      logs.push(...(await collectLogs(BigInt(from), BigInt(to), page, LIMITS, tooMany)));
    }
    return logs.sort((a, b) => a.blockNumber - b.blockNumber || a.logIndex - b.logIndex);
  }

  /** The block of every event, and the blocks to remember: the last one, and all from `markFrom` on. */
  async function marksOf(logs: readonly Log[], from: number, to: number, markFrom: number) {
    const marks = new Map<number, BlockMark>();
    const last = await markOf(to);
    for (const { blockNumber, blockHash } of logs) {
      const found = marks.get(blockNumber) ?? (blockNumber === to ? last : await markOf(blockNumber));
      if (found.hash !== blockHash) throw new ReadTorn(blockNumber);
      marks.set(blockNumber, found);
    }
    const kept = [last];
    for (let number = Math.max(from, markFrom); number < to; number += 1) kept.push(marks.get(number) ?? (await markOf(number)));
    return { marks, kept };
  }

  return {
    head: async () => z.coerce.number().parse(await request({ method: "eth_blockNumber" })),
    mark,

    async read(from, to, contracts, markFrom) {
      let logs = await logsOf(from, to, contracts.addresses);
      // A mission deployed in these blocks has events in them too.
      const learnt = logs.flatMap((log) => {
        const event = decoded(log, contracts);
        return event !== undefined && contracts.learn(event) ? contracts.addresses.slice(-1) : [];
      });
      if (learnt.length > 0) logs = [...logs, ...(await logsOf(from, to, learnt))];
      logs.sort((a, b) => a.blockNumber - b.blockNumber || a.logIndex - b.logIndex);
      const { marks, kept } = await marksOf(logs, from, to, markFrom);
      const gas = new Map<Hash, number>();
      const events: ChainEvent[] = [];
      for (const log of logs) {
        const event = decoded(log, contracts);
        const block = marks.get(log.blockNumber);
        if (event === undefined || block === undefined) continue;
        const { transactionHash: transaction, logIndex: index, address: emitter } = log;
        const isFirst = !gas.has(transaction);
        if (isFirst) gas.set(transaction, await gasOf(request, transaction));
        events.push({ ...event, emitter, block, transaction, index, gasUsed: isFirst ? (gas.get(transaction) ?? 0) : 0 });
      }
      return { events, marks: kept };
    },
  };
}

async function gasOf(request: Request, transaction: Hash): Promise<number> {
  const receipt = await request({ method: "eth_getTransactionReceipt", params: [transaction] });
  return receipt === null ? 0 : receiptSchema.parse(receipt).gasUsed;
}

/** Undefined for an event of an unknown ABI, such as a foreign token's. */
function decoded({ address, topics, data }: Log, contracts: Contracts): Pick<ChainEvent, "name" | "contract" | "args"> | undefined {
  const contract = contracts.nameOf(address);
  if (contract === undefined) return undefined;
  const [signature, ...indexed] = topics;
  if (signature === undefined) return undefined;
  const abi: Abi = contractAbis[contract];
  try {
    const { eventName, args } = decodeEventLog({ abi, data, topics: [signature, ...indexed], strict: true });
    return { name: `${contract}.${eventName}`, contract, args: plainArgs(args) };
  } catch {
    return undefined;
  }
}

function plainArgs(args: unknown): Record<string, JsonValue> {
  if (typeof args !== "object" || args === null) return {};
  return Object.fromEntries(Object.entries(args).map(([name, value]) => [name, plainValue(value)]));
}

function plainValue(value: unknown): JsonValue {
  if (typeof value === "bigint") return value.toString();
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") return value;
  if (Array.isArray(value)) return value.map(plainValue);
  return plainArgs(value);
}

/** An address argument. */
export function addressIn(args: ChainEvent["args"], name: string): Address | undefined {
  const parsed = addressSchema.safeParse(args[name]);
  return parsed.success ? parsed.data : undefined;
}

function tooMany(limit: string): Error {
  return new AgentCityError("AnswerTooLarge", `The chain's node sends more than ${limit} for one batch of blocks`);
}
