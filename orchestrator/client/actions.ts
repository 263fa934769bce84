import type { Abi, TransactionReceipt } from "viem";
import type { Intent } from "../chain/sender.ts";
import type { Address } from "../primitives/hex.ts";
import { addressOf, type BaseClient, type LogNote, type Reader } from "./base.ts";
import { type ContractName, contractAbis } from "./contracts.ts";
import { type BlockRange, type EventFilter, type EventLogs, type EventName, eventsIn, history } from "./events.ts";
import { type ReadArgs, type ReadName, type ReadResult, read } from "./read.ts";
import { intentOf, type WriteArgs, type WriteName, type WriteOptions, write } from "./write.ts";

/** Reads of one contract: its views, which take their arguments and return the answer, and its events. */
export type ReadActions<Name extends ContractName> = {
  readonly [Fn in ReadName<Name>]: (...args: Extract<ReadArgs<Name, Fn>, readonly unknown[]>) => Promise<ReadResult<Name, Fn>>;
} & {
  readonly address: Address;
  /** This contract's events of one kind in a receipt. */
  readonly events: <Event extends EventName<Name>>(receipt: TransactionReceipt, eventName: Event) => EventLogs<Name, Event>;
  /** All events of one kind that this contract emitted, optionally filtered by indexed fields. */
  readonly history: <Event extends EventName<Name>>(
    eventName: Event,
    args?: EventFilter<Name, Event>,
    range?: BlockRange,
  ) => Promise<EventLogs<Name, Event>>;
};

type Sends<Name extends ContractName> = {
  readonly [Fn in WriteName<Name>]: (args: WriteArgs<Name, Fn>, options: WriteOptions) => Promise<TransactionReceipt | undefined>;
};
type Calls<Name extends ContractName> = {
  readonly [Fn in WriteName<Name>]: (args: WriteArgs<Name, Fn>, options: WriteOptions) => Intent<LogNote>;
};

/**
 * Everything one contract offers. Writes take their arguments and an intent, and wait for the receipt. `call` has the same writes as unsent
 * intents.
 */
export type ContractActions<Name extends ContractName> = ReadActions<Name> & Sends<Name> & { readonly call: Calls<Name> };

/** Names of a contract's functions, from its ABI. */
export function functionsOf(contract: ContractName): { readonly views: readonly string[]; readonly writes: readonly string[] } {
  const abi: Abi = contractAbis[contract];
  const functions = abi.filter((item) => item.type === "function");
  const isView = ({ stateMutability }: { readonly stateMutability: string }) => stateMutability === "view" || stateMutability === "pure";
  return {
    views: functions.filter(isView).map(({ name }) => name),
    writes: functions.filter((item) => !isView(item)).map(({ name }) => name),
  };
}

/** The reads of a contract, which need neither account nor sender. */
export function readActions<Name extends ContractName>(client: Reader, contract: Name, given?: Address): ReadActions<Name> {
  const address = addressOf(client, contract, given);
  const views = functionsOf(contract).views.map((functionName) => [
    functionName,
    (...args: readonly unknown[]) => read(client, { contract, functionName, args, address } as never),
  ]);
  const actions: Record<string, unknown> = {
    ...Object.fromEntries(views),
    address,
    events: (receipt: TransactionReceipt, eventName: EventName<Name>) => eventsIn(client, receipt, { contract, eventName, address }),
    history: (eventName: EventName<Name>, args?: object, range?: BlockRange) =>
      history(client, { contract, eventName, address }, args, range),
  };
  return actions as ReadActions<Name>;
}

/** One action per function of the ABI, for a client with the orchestrator's sender. */
export function contractActions<Name extends ContractName>(client: BaseClient, contract: Name, given?: Address): ContractActions<Name> {
  const address = addressOf(client, contract, given);
  const calls: Record<string, unknown> = {};
  const actions: Record<string, unknown> = { ...readActions(client, contract, given), call: calls };
  for (const functionName of functionsOf(contract).writes) {
    const parameters = (args: readonly unknown[], options: WriteOptions) =>
      ({ contract, functionName, args, address, ...options }) as never;
    actions[functionName] = (args: readonly unknown[], options: WriteOptions) => write(client, parameters(args, options));
    calls[functionName] = (args: readonly unknown[], options: WriteOptions) => intentOf(client, parameters(args, options));
  }
  return actions as ContractActions<Name>;
}
