import type { Abi, ContractEventName, ParseEventLogsReturnType, TransactionReceipt } from "viem";
import { parseEventLogs, toEventSelector } from "viem";
import type { Address, Hash } from "../primitives/hex.ts";
import { addressOf, type Reader } from "./base.ts";
import { type AbiOf, type ContractName, contractAbis } from "./contracts.ts";

export type EventName<Name extends ContractName> = ContractEventName<AbiOf<Name>>;
export type EventLogs<Name extends ContractName, Event extends EventName<Name>> = ParseEventLogsReturnType<AbiOf<Name>, Event, true>;

/** The events of one kind that one contract emitted in a transaction, decoded, in order. */
export function eventsIn<Name extends ContractName, Event extends EventName<Name>>(
  client: Reader,
  receipt: TransactionReceipt,
  { contract, eventName, address }: { readonly contract: Name; readonly eventName: Event; readonly address?: Address | undefined },
): EventLogs<Name, Event> {
  const from = addressOf(client, contract, address).toLowerCase();
  const topics = topicsOf(contract, eventName);
  const logs = receipt.logs.filter((log) => log.address.toLowerCase() === from && topics.has(log.topics[0]));
  if (logs.length === 0) return [];
  return parseEventLogs({ abi: contractAbis[contract], eventName, logs } as never);
}

const known = new Map<string, ReadonlySet<Hash | undefined>>();

/** First topics of a contract's events with this name. Cached, since viem hashes every event signature for every log. */
export function topicsOf(contract: ContractName, eventName: string): ReadonlySet<Hash | undefined> {
  const name = `${contract}.${eventName}`;
  let topics = known.get(name);
  if (topics === undefined) {
    const abi: Abi = contractAbis[contract];
    topics = new Set(abi.flatMap((item) => (item.type === "event" && item.name === eventName ? [toEventSelector(item)] : [])));
    known.set(name, topics);
  }
  return topics;
}

/** Required values of indexed fields. */
export type EventFilter<Name extends ContractName, Event extends EventName<Name>> = Partial<EventLogs<Name, Event>[number]["args"]>;

/** First and last block, inclusive. Default: all. */
export interface BlockRange {
  readonly fromBlock?: bigint;
  readonly toBlock?: bigint;
}

/** All events of one kind that one contract emitted, decoded, in order. */
export async function history<Name extends ContractName, Event extends EventName<Name>>(
  client: Reader,
  { contract, eventName, address }: { readonly contract: Name; readonly eventName: Event; readonly address?: Address | undefined },
  args: object | undefined,
  { fromBlock = 0n, toBlock }: BlockRange = {},
): Promise<EventLogs<Name, Event>> {
  return (await client.chain.publicClient.getContractEvents({
    abi: contractAbis[contract],
    address: addressOf(client, contract, address),
    eventName,
    fromBlock,
    strict: true,
    ...(args === undefined ? {} : { args }),
    ...(toBlock === undefined ? {} : { toBlock }),
  } as never)) as never;
}
