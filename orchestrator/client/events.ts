import type { ContractEventName, ParseEventLogsReturnType, TransactionReceipt } from "viem";
import { parseEventLogs } from "viem";
import type { Address } from "../primitives/hex.ts";
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
  const logs = receipt.logs.filter((log) => log.address.toLowerCase() === from);
  return parseEventLogs({ abi: contractAbis[contract], eventName, logs } as never);
}

/** Values that indexed fields must have. */
export type EventFilter<Name extends ContractName, Event extends EventName<Name>> = Partial<EventLogs<Name, Event>[number]["args"]>;

/** First and last block asked about. Default: all there are. */
export interface BlockRange {
  readonly fromBlock?: bigint;
  readonly toBlock?: bigint;
}

/** The events of one kind that one contract ever emitted, decoded, in order. */
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
