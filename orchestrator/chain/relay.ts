import { type Abi, keccak256, parseTransaction } from "viem";
import type { AgentCityError } from "../primitives/errors.ts";
import { messageOf } from "../primitives/errors.ts";
import { type Address, type Hash, type Hex, hexSchema } from "../primitives/hex.ts";
import { recoverSender } from "../primitives/recovery.ts";
import type { Chain } from "./chain.ts";
import { TransactionReverted } from "./errors.ts";
import { decodeRevert, revertOf } from "./revert.ts";

/** What a relayer checks of a signed transaction. It carries no value and is for this chain. */
export interface SignedCall {
  readonly raw: Hex;
  readonly from: Address;
  readonly to: Address;
  readonly data: Hex;
  /** Its largest fee per gas, wei. */
  readonly fee: bigint;
}

/** Creates the error for a transaction that is not relayed. */
export type Refusal = (why: string) => AgentCityError;

/** Parses a transaction signed by someone else. Throws `refuse`. */
export async function readSignedCall(raw: Hex, chainId: number, refuse: Refusal): Promise<SignedCall> {
  const read = async () => {
    const transaction = parseTransaction(raw);
    return { transaction, from: await recoverSender(raw) };
  };
  const { transaction, from } = await read().catch(() => {
    throw refuse("not a signed transaction");
  });
  const { to, data = "0x", value = 0n, maxFeePerGas, gasPrice } = transaction;
  if (transaction.chainId !== chainId) throw refuse(`a transaction is for chain ${transaction.chainId ?? "any"}, not ${chainId}`);
  if (to === undefined || to === null || value !== 0n) throw refuse("a transaction sends money or creates a contract");
  return { raw, from, to, data: hexSchema.parse(data), fee: maxFeePerGas ?? gasPrice ?? 0n };
}

/**
 * Relays signed transactions, in order, each simulated first and awaited; transactions that are on chain already are skipped. `errors`
 * decode reverts. Throws `refuse`, TransactionReverted.
 */
export async function relay(
  chain: Chain,
  calls: readonly (SignedCall & { readonly what: string })[],
  errors: Abi,
  refuse: Refusal,
): Promise<void> {
  const { baseFeePerGas } = await chain.publicClient.getBlock();
  const cheap = calls.find(({ fee }) => baseFeePerGas !== null && fee < baseFeePerGas);
  if (cheap !== undefined) throw refuse(`the chain asks ${baseFeePerGas} wei per gas, but a transaction pays only ${cheap.fee}`);
  for (const { raw, from, to, data, what } of calls) {
    const hash = keccak256(raw);
    if (!(await isMined(chain, hash))) {
      await chain.publicClient.call({ account: from, to, data }).catch((thrown: unknown) => {
        const revert = revertOf(thrown);
        if (revert === undefined) throw thrown;
        throw new TransactionReverted({ phase: "simulated", what, ...decodeRevert(revert.data, errors), cause: thrown });
      });
      await chain.request({ method: "eth_sendRawTransaction", params: [raw] }).catch((thrown: unknown) => {
        throw refuse(`the chain refuses the transaction: ${messageOf(thrown)}`);
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
