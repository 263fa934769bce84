import { type Abi, keccak256, parseTransaction, recoverTransactionAddress, type TransactionSerialized } from "viem";
import type { AgentCityError } from "../primitives/errors.ts";
import { messageOf } from "../primitives/errors.ts";
import { type Address, type Hash, type Hex, hexSchema } from "../primitives/hex.ts";
import type { Chain } from "./chain.ts";
import { TransactionReverted } from "./errors.ts";
import { decodeRevert, revertOf } from "./revert.ts";

/** A signed transaction as far as whoever passes it on looks at it. It carries no value and is for this chain. */
export interface SignedCall {
  readonly raw: Hex;
  readonly from: Address;
  readonly to: Address;
  readonly data: Hex;
  /** The most that it pays for a unit of gas, wei. */
  readonly fee: bigint;
}

/** Makes the error of a transaction that is not passed on. */
export type Refusal = (why: string) => AgentCityError;

/** Reads a transaction that somebody else signed. Throws `refuse`. */
export async function readSignedCall(raw: Hex, chainId: number, refuse: Refusal): Promise<SignedCall> {
  const read = async () => {
    const transaction = parseTransaction(raw);
    return { transaction, from: await recoverTransactionAddress({ serializedTransaction: raw as TransactionSerialized }) };
  };
  const { transaction, from } = await read().catch(() => {
    throw refuse("one is no signed transaction");
  });
  const { to, data = "0x", value = 0n, maxFeePerGas, gasPrice } = transaction;
  if (transaction.chainId !== chainId) throw refuse(`one is for chain ${transaction.chainId ?? "any"}, and this is ${chainId}`);
  if (to === undefined || to === null || value !== 0n) throw refuse("one sends money or creates a contract");
  return { raw, from, to, data: hexSchema.parse(data), fee: maxFeePerGas ?? gasPrice ?? 0n };
}

/**
 * Sends on what others signed, in order, each simulated first and awaited; what the chain has already is not sent again. `errors` names
 * reverts. Throws `refuse`, TransactionReverted.
 */
export async function relay(
  chain: Chain,
  calls: readonly (SignedCall & { readonly what: string })[],
  errors: Abi,
  refuse: Refusal,
): Promise<void> {
  const { baseFeePerGas } = await chain.publicClient.getBlock();
  const cheap = calls.find(({ fee }) => baseFeePerGas !== null && fee < baseFeePerGas);
  if (cheap !== undefined) throw refuse(`the chain asks ${baseFeePerGas} wei for a unit of gas, one pays ${cheap.fee}`);
  for (const { raw, from, to, data, what } of calls) {
    const hash = keccak256(raw);
    if (!(await isMined(chain, hash))) {
      await chain.publicClient.call({ account: from, to, data }).catch((thrown: unknown) => {
        const revert = revertOf(thrown);
        if (revert === undefined) throw thrown;
        throw new TransactionReverted({ phase: "simulated", what, ...decodeRevert(revert.data, errors), cause: thrown });
      });
      await chain.request({ method: "eth_sendRawTransaction", params: [raw] }).catch((thrown: unknown) => {
        throw refuse(`the chain takes no such transaction now: ${messageOf(thrown)}`);
      });
    }
    const { status } = await chain.receipt(hash);
    if (status === "reverted") throw new TransactionReverted({ phase: "mined", what, reason: "the state changed after simulation", hash });
  }
}

async function isMined(chain: Chain, hash: Hash): Promise<boolean> {
  const receipt = await chain.request({ method: "eth_getTransactionReceipt", params: [hash] });
  return receipt !== null && receipt !== undefined;
}
