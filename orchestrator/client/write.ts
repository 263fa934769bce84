import type { ContractFunctionArgs, ContractFunctionName, LocalAccount, TransactionReceipt } from "viem";
import { encodeFunctionData } from "viem";
import { TransactionReverted } from "../chain/errors.ts";
import type { Intent } from "../chain/sender.ts";
import type { Address, IntentKey } from "../primitives/hex.ts";
import { addressOf, type BaseClient, type LogNote, SenderMissing } from "./base.ts";
import { type AbiOf, type ContractName, contractAbis } from "./contracts.ts";

type Writes = "nonpayable" | "payable";
export type WriteName<Name extends ContractName> = ContractFunctionName<AbiOf<Name>, Writes>;
export type WriteArgs<Name extends ContractName, Fn extends WriteName<Name>> = ContractFunctionArgs<AbiOf<Name>, Writes, Fn>;

export interface WriteOptions {
  /** The unique name of this step; repeated, it still happens once (decision 37). */
  readonly intent: IntentKey;
  /** Account that sends. Default: a relayer. */
  readonly account?: LocalAccount | undefined;
  /** Gas limit; skips simulation, for a call that depends on an earlier one of the same batch. */
  readonly gas?: bigint | undefined;
  /** What it may take: for a call that runs code of strangers. */
  readonly maxGas?: bigint | undefined;
  /** Written to the city's log in the same transaction as the outbox row. */
  readonly note?: LogNote | undefined;
  /** Called when the call is refused: whether the chain shows the step as done, by its natural key. */
  readonly alreadyDone?: (() => Promise<boolean>) | undefined;
}

export interface WriteParameters<Name extends ContractName, Fn extends WriteName<Name>> extends WriteOptions {
  readonly contract: Name;
  readonly functionName: Fn;
  readonly args: WriteArgs<Name, Fn>;
  readonly address?: Address | undefined;
}

/** An intent for `sender.send`, or for `sendMany` together with others. */
export function intentOf<Name extends ContractName, Fn extends WriteName<Name>>(
  client: BaseClient,
  parameters: WriteParameters<Name, Fn>,
): Intent<LogNote> {
  const { contract, functionName, args, intent, account, gas, maxGas, note } = parameters;
  return {
    intent,
    to: addressOf(client, contract, parameters.address),
    data: encodeFunctionData({ abi: contractAbis[contract], functionName, args } as never),
    what: functionName,
    account,
    gas,
    maxGas,
    note,
  };
}

/**
 * Simulates a call, sends it once, and waits for its receipt. Undefined if the chain refused it because it was done before, under another
 * intent or by somebody else (`alreadyDone`).
 */
export async function write<Name extends ContractName, Fn extends WriteName<Name>>(
  client: BaseClient,
  parameters: WriteParameters<Name, Fn>,
): Promise<TransactionReceipt | undefined> {
  if (client.sender === undefined) throw new SenderMissing(`${parameters.contract}.${parameters.functionName}`);
  try {
    return await client.sender.send(intentOf(client, parameters));
  } catch (error) {
    if (!(error instanceof TransactionReverted) || (await parameters.alreadyDone?.()) !== true) throw error;
    if (parameters.note !== undefined) await client.sender.record([parameters.note]);
    return undefined;
  }
}

/** Sends several calls in this order, in one block if the chain allows it. */
export async function writeMany(client: BaseClient, intents: readonly Intent<LogNote>[]): Promise<readonly TransactionReceipt[]> {
  if (intents.length === 0) return [];
  if (client.sender === undefined) throw new SenderMissing(intents.map(({ what }) => what ?? "a call").join(", "));
  return client.sender.sendMany(intents);
}

/** The same, but a refused call does not hold back the others: each is then sent by itself, and `refused` receives those that fail. */
export async function writeEach<Item extends { readonly intent: Intent<LogNote> }>(
  client: BaseClient,
  items: readonly Item[],
  refused: (item: Item, reason: string) => Promise<void> | void,
): Promise<readonly TransactionReceipt[]> {
  try {
    return await writeMany(
      client,
      items.map(({ intent }) => intent),
    );
  } catch (error) {
    if (!(error instanceof TransactionReverted)) throw error;
    const receipts: TransactionReceipt[] = [];
    for (const item of items) {
      try {
        receipts.push(...(await writeMany(client, [item.intent])));
      } catch (own) {
        if (!(own instanceof TransactionReverted)) throw own;
        await refused(item, own.errorName ?? own.shortMessage);
      }
    }
    return receipts;
  }
}
