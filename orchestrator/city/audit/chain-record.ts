import type { Abi, ContractEventName, ParseEventLogsReturnType } from "viem";
import { decodeFunctionData, parseEventLogs } from "viem";
import type { CityChain } from "../../chain/chain.ts";
import { collectLogs, type LogLimits } from "../../chain/collect-logs.ts";
import { TooHeavy } from "../../chain/errors.ts";
import { entriesIn } from "../../chain/inner-calls.ts";
import { type AbiOf, type ContractName, contractAbis } from "../../client/contracts.ts";
import { topicsOf } from "../../client/events.ts";
import type { WriteArgs, WriteName } from "../../client/write.ts";
import type { Address, Hash, Hex } from "../../primitives/hex.ts";
import { selectorIn } from "../../primitives/selectors.ts";
import type { CityAddresses } from "../../protocol/addresses.ts";

/** A transaction that took effect, decoded. `at` orders calls and events: a call comes before what it emitted. */
export interface Call<Args> {
  readonly at: bigint;
  readonly block: bigint;
  readonly hash: Hash;
  readonly from: Address;
  readonly args: Args;
}

export interface ChainEvent<Args> {
  readonly at: bigint;
  readonly block: bigint;
  /** Transaction that it happened in. */
  readonly hash: Hash;
  readonly args: Args;
}

/** Contracts of the city, and the mission: gates are where adjudicators approved them. */
type Recorded = Exclude<ContractName, "KeepsSchema">;
type EventName<Name extends Recorded> = ContractEventName<AbiOf<Name>>;
type EventArgs<Name extends Recorded, Event extends EventName<Name>> = ParseEventLogsReturnType<AbiOf<Name>, Event, true>[number]["args"];

interface Transaction {
  readonly at: bigint;
  readonly block: bigint;
  readonly hash: Hash;
  readonly from: Address;
  readonly to: Address;
  readonly input: Hex;
}

type Logs = Parameters<typeof parseEventLogs>[0]["logs"];

/**
 * Everything that happened on a chain, as checks may ask for it. The type is the class's own: a declaration of its own would have the
 * compiler compare every event of every contract with itself.
 */
export type ChainRecord = Pick<ReplayedRecord, "calls" | "events">;

/** The record of a replayed chain, read once. */
export class ReplayedRecord {
  readonly #addresses: CityAddresses;
  readonly #mission: Address;
  readonly #transactions: readonly Transaction[];
  readonly #logs: Logs;
  /** Decoded once; checks ask again and again. */
  readonly #events = new Map<string, readonly ChainEvent<unknown>[]>();

  private constructor(addresses: CityAddresses, mission: Address, transactions: readonly Transaction[], logs: Logs) {
    this.#addresses = addresses;
    this.#mission = mission;
    this.#transactions = transactions;
    this.#logs = logs;
  }

  /** Throws TooHeavy when the chain holds more events than `most`. */
  static async read(
    chain: Pick<CityChain, "firstBlock" | "head" | "publicClient" | "callTrace">,
    addresses: CityAddresses,
    mission: Address,
    most: LogLimits,
  ): Promise<ReplayedRecord> {
    const logs = await collectLogs(
      chain.firstBlock,
      chain.head().number,
      (fromBlock, toBlock) => chain.publicClient.getLogs({ fromBlock, toBlock }),
      most,
      (limit) => new TooHeavy(limit),
    );
    const contracts = new Set([...Object.values(addresses), ...missionsIn(logs, addresses)].map((address) => address.toLowerCase()));
    const reached = new Set(
      logs.filter(({ address }) => contracts.has(address.toLowerCase())).map(({ transactionHash }) => transactionHash),
    );
    const transactions: Transaction[] = [];
    for (let blockNumber = chain.firstBlock; blockNumber <= chain.head().number; blockNumber += 1n) {
      const block = await chain.publicClient.getBlock({ blockNumber, includeTransactions: true });
      for (const { hash, from, to, input, transactionIndex } of block.transactions) {
        const { status, contractAddress } = await chain.publicClient.getTransactionReceipt({ hash });
        if (status !== "success") continue;
        const target = to ?? contractAddress ?? undefined;
        // Accounts that are contracts, batches of calls and constructors enter the city from within.
        const isWithin = reached.has(hash) && (target === undefined || !contracts.has(target.toLowerCase()));
        const trace = isWithin ? await chain.callTrace(hash) : undefined;
        const direct = to === null ? [] : [{ from, to, input }];
        const entries = trace === undefined ? direct : entriesIn(trace, contracts);
        const at = placeOf(blockNumber, transactionIndex);
        transactions.push(...entries.map((entry) => ({ at, block: blockNumber, hash, ...entry })));
      }
    }
    return new ReplayedRecord(addresses, mission, transactions, logs);
  }

  /** The same chain with another mission as the one that `CollaborationContract` stands for. */
  about(mission: Address): ReplayedRecord {
    return new ReplayedRecord(this.#addresses, mission, this.#transactions, this.#logs);
  }

  /** Calls of one function of one contract. The contract named CollaborationContract is the audited mission. */
  calls<Name extends Recorded, Fn extends WriteName<Name>>(contract: Name, functionName: Fn): readonly Call<WriteArgs<Name, Fn>>[] {
    // The general type: the compiler would work out every contract's every function.
    const abi: Abi = contractAbis[contract];
    const selector = selectorIn(abi, functionName);
    const address = this.#addressOf(contract);
    return this.#transactions
      .filter(({ to, input }) => to.toLowerCase() === address && input.slice(0, 10).toLowerCase() === selector)
      .map(({ at, block, hash, from, input }) => {
        const { args } = decodeFunctionData({ abi: named(abi, functionName), data: input });
        return { at, block, hash, from, args: args as WriteArgs<Name, Fn> };
      });
  }

  /** Events of one kind of one contract. */
  events<Name extends Recorded, Event extends EventName<Name>>(
    contract: Name,
    eventName: Event,
  ): readonly ChainEvent<EventArgs<Name, Event>>[] {
    const name = `${contract}.${eventName}`;
    const known = this.#events.get(name);
    if (known !== undefined) return known as readonly ChainEvent<EventArgs<Name, Event>>[];
    const address = this.#addressOf(contract);
    const topics = topicsOf(contract, eventName);
    const logs = this.#logs.filter((log) => topics.has(log.topics[0]) && log.address.toLowerCase() === address);
    const parsed = parseEventLogs({ abi: named(contractAbis[contract], eventName), logs, strict: true });
    const events = parsed.map(({ args, blockNumber, transactionIndex, logIndex, transactionHash }) => ({
      at: placeOf(blockNumber, transactionIndex) + BigInt(logIndex + 1),
      block: blockNumber,
      hash: transactionHash,
      args,
    }));
    this.#events.set(name, events);
    return events as readonly ChainEvent<unknown>[] as readonly ChainEvent<EventArgs<Name, Event>>[];
  }

  #addressOf(contract: Recorded): string {
    return (contract === "CollaborationContract" ? this.#mission : this.#addresses[contract]).toLowerCase();
  }
}

/** Every mission of the city has an address of its own. */
function missionsIn(logs: Logs, { TemplateRegistry }: CityAddresses): readonly Address[] {
  const own = logs.filter(({ address }) => address.toLowerCase() === TemplateRegistry.toLowerCase());
  const deployed = parseEventLogs({ abi: contractAbis.TemplateRegistry, eventName: "MissionDeployed", logs: own, strict: true });
  return deployed.map(({ args }) => args.mission);
}

/** The items of a name: viem hashes the signature of every item that it looks through, for each thing that it decodes. */
function named(abi: Abi, name: string): Abi {
  return abi.filter((item) => "name" in item && item.name === name);
}

/** Where the transaction of an event begins. */
export function beginningOf(at: bigint): bigint {
  return (at >> 20n) << 20n;
}

/** Room for a million transactions per block and as many events. */
function placeOf(block: bigint, transaction: number): bigint {
  return (block << 40n) | (BigInt(transaction) << 20n);
}
