import type { Abi, TransactionReceipt } from "viem";
import type { Intent } from "../chain/sender.ts";
import type { Address } from "../primitives/hex.ts";
import { addressOf, type BaseClient, type LogNote } from "./base.ts";
import { type ContractName, contractAbis } from "./contracts.ts";
import { type BlockRange, type EventFilter, type EventLogs, type EventName, eventsIn, history } from "./events.ts";
import { type ReadArgs, type ReadName, type ReadResult, read } from "./read.ts";
import { intentOf, type WriteArgs, type WriteName, type WriteOptions, write } from "./write.ts";

type Views<Name extends ContractName> = {
  readonly [Fn in ReadName<Name>]: (...args: Extract<ReadArgs<Name, Fn>, readonly unknown[]>) => Promise<ReadResult<Name, Fn>>;
};
type Sends<Name extends ContractName> = {
  readonly [Fn in WriteName<Name>]: (args: WriteArgs<Name, Fn>, options: WriteOptions) => Promise<TransactionReceipt | undefined>;
};
type Calls<Name extends ContractName> = {
  readonly [Fn in WriteName<Name>]: (args: WriteArgs<Name, Fn>, options: WriteOptions) => Intent<LogNote>;
};

/**
 * Everything one contract offers. Views take their arguments and answer; writes take theirs and an intent, and wait. `call` has
 * the same writes as intents that are not sent yet.
 */
export type ContractActions<Name extends ContractName> = Views<Name> &
  Sends<Name> & {
    readonly address: Address;
    readonly call: Calls<Name>;
    /** This contract's events of one kind in a receipt. */
    readonly events: <Event extends EventName<Name>>(receipt: TransactionReceipt, eventName: Event) => EventLogs<Name, Event>;
    /** This contract's events of one kind, all there ever were or those with these values in indexed fields. */
    readonly history: <Event extends EventName<Name>>(
      eventName: Event,
      args?: EventFilter<Name, Event>,
      range?: BlockRange,
    ) => Promise<EventLogs<Name, Event>>;
  };

/** One action per function of the ABI: the table is the contract's own. */
export function contractActions<Name extends ContractName>(client: BaseClient, contract: Name, given?: Address): ContractActions<Name> {
  const address = addressOf(client, contract, given);
  const abi: Abi = contractAbis[contract];
  const calls: Record<string, unknown> = {};
  const actions: Record<string, unknown> = {
    address,
    call: calls,
    events: (receipt: TransactionReceipt, eventName: EventName<Name>) => eventsIn(client, receipt, { contract, eventName, address }),
    history: (eventName: EventName<Name>, args?: object, range?: BlockRange) =>
      history(client, { contract, eventName, address }, args, range),
  };
  for (const item of abi) {
    if (item.type !== "function") continue;
    const functionName = item.name;
    if (item.stateMutability === "view" || item.stateMutability === "pure") {
      actions[functionName] = (...args: readonly unknown[]) => read(client, { contract, functionName, args, address } as never);
    } else {
      const parameters = (args: readonly unknown[], options: WriteOptions) =>
        ({ contract, functionName, args, address, ...options }) as never;
      actions[functionName] = (args: readonly unknown[], options: WriteOptions) => write(client, parameters(args, options));
      calls[functionName] = (args: readonly unknown[], options: WriteOptions) => intentOf(client, parameters(args, options));
    }
  }
  return actions as ContractActions<Name>;
}
