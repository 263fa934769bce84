import { encodeFunctionData, parseTransaction, recoverTransactionAddress, type TransactionSerialized, zeroAddress } from "viem";
import { TransactionReverted } from "../../chain/errors.ts";
import { decodeRevert, revertOf } from "../../chain/revert.ts";
import { goalHashOf } from "../../client/compile-law.ts";
import { contractAbis } from "../../client/contracts.ts";
import { allErrors } from "../../client/errors.ts";
import { AgentCityError, messageOf } from "../../primitives/errors.ts";
import { type Address, type Hex, hashSchema, hexSchema } from "../../primitives/hex.ts";
import type { CityAddresses } from "../../protocol/addresses.ts";
import { sessionTransitions } from "../../rules/transitions/session.ts";
import type { City } from "../city.ts";

/** What a sponsor elsewhere pays for. */
export interface DepositTerms {
  readonly sponsor: Address;
  readonly goal: string;
  /** Smallest unit. */
  readonly budget: bigint;
}

/** A call that the sponsor makes itself. */
export interface DepositCall {
  readonly what: "approve" | "openSession";
  readonly to: Address;
  readonly data: Hex;
  readonly gas: bigint;
}

/** What is to be signed, and what the sponsor has. */
export interface Deposit {
  readonly transactions: readonly (DepositCall & {
    readonly chainId: number;
    readonly nonce: number;
    readonly maxFeePerGas: bigint;
    readonly maxPriorityFeePerGas: bigint;
  })[];
  /** Of the settlement token, smallest unit. */
  readonly balance: bigint;
  /** Wei, for gas. */
  readonly wei: bigint;
}

/** More than each call takes: what the second will do cannot be estimated before the first is mined. */
const GAS = { approve: 100_000n, openSession: 700_000n } as const;

/** The calls by which a sponsor pays, in order: anybody can make them from the city's addresses alone, and compare. */
export function depositCalls({ CityToken, LegislativeProcedure }: CityAddresses, { goal, budget }: DepositTerms): readonly DepositCall[] {
  const approve = encodeFunctionData({ abi: contractAbis.CityToken, functionName: "approve", args: [LegislativeProcedure, budget] });
  const openSession = encodeFunctionData({
    abi: contractAbis.LegislativeProcedure,
    functionName: "openSession",
    args: [goalHashOf(goal), budget, zeroAddress],
  });
  return [
    { what: "approve", to: CityToken, data: approve, gas: GAS.approve },
    { what: "openSession", to: LegislativeProcedure, data: openSession, gas: GAS.openSession },
  ];
}

/** The transactions that pay, as far as they are still needed. */
export async function prepareDeposit({ client, chain }: City, terms: DepositTerms, isPaid: boolean): Promise<Deposit> {
  const { sponsor, budget } = terms;
  const [balance, wei, allowance, nonce, fees] = await Promise.all([
    client.token.balanceOf(sponsor),
    chain.publicClient.getBalance({ address: sponsor }),
    client.token.allowance(sponsor, client.legislation.address),
    chain.publicClient.getTransactionCount({ address: sponsor, blockTag: "pending" }),
    chain.fees(),
  ]);
  const calls = isPaid ? [] : depositCalls(client.addresses, terms).filter(({ what }) => what !== "approve" || allowance < budget);
  return {
    transactions: calls.map((call, place) => ({ ...call, ...fees, chainId: chain.id, nonce: nonce + place })),
    balance,
    wei,
  };
}

const refused = (why: string) =>
  new AgentCityError("DepositRefused", `These transactions do not pay for the mission: ${why}`, {
    action: "sign what prepare_deposit gives, with the sponsor's own key",
  });

/** Sends a sponsor's transactions on, if they are its deposit for this mission and nothing else. Throws DepositRefused, TransactionReverted. */
export async function payDeposit({ client, chain }: City, terms: DepositTerms, signed: readonly Hex[]): Promise<void> {
  const calls = depositCalls(client.addresses, terms);
  const known = await Promise.all(signed.map((raw) => callIn(raw, chain.id, terms.sponsor, calls)));
  if (known.at(-1)?.what !== "openSession" || new Set(known).size !== known.length)
    throw refused("the last one, and only that, opens the session");
  const { baseFeePerGas } = await chain.publicClient.getBlock();
  for (const raw of signed) {
    const { maxFeePerGas, gasPrice } = parseTransaction(raw);
    const most = maxFeePerGas ?? gasPrice ?? 0n;
    if (baseFeePerGas !== null && most < baseFeePerGas)
      throw refused(`the chain asks ${baseFeePerGas} wei for a unit of gas, one pays ${most}`);
  }
  for (const [place, { what, to, data }] of known.entries()) {
    await chain.publicClient.call({ account: terms.sponsor, to, data }).catch((thrown: unknown) => {
      const revert = revertOf(thrown);
      if (revert === undefined) throw thrown;
      throw new TransactionReverted({ phase: "simulated", what, ...decodeRevert(revert.data, allErrors), cause: thrown });
    });
    const sent = await chain.request({ method: "eth_sendRawTransaction", params: [signed[place]] }).catch((thrown: unknown) => {
      throw refused(`the chain takes no such transaction now: ${messageOf(thrown)}`);
    });
    const { status } = await chain.receipt(hashSchema.parse(sent));
    if (status === "reverted") throw new TransactionReverted({ phase: "mined", what, reason: "the state changed after simulation" });
  }
}

async function callIn(raw: Hex, chainId: number, sponsor: Address, calls: readonly DepositCall[]): Promise<DepositCall> {
  const read = async () => {
    const transaction = parseTransaction(raw);
    return { transaction, from: await recoverTransactionAddress({ serializedTransaction: raw as TransactionSerialized }) };
  };
  const { transaction, from } = await read().catch(() => {
    throw refused("one is no signed transaction");
  });
  if (from !== sponsor) throw refused(`one is signed by ${from}, and the mission was asked for by ${sponsor}`);
  if (transaction.chainId !== chainId) throw refused(`one is for chain ${transaction.chainId ?? "any"}, and this is ${chainId}`);
  const { to, data = "0x", value = 0n } = transaction;
  const call = calls.find((each) => each.to.toLowerCase() === to?.toLowerCase() && each.data === hexSchema.parse(data));
  if (call === undefined || value !== 0n) throw refused("one does something else than approving or opening this session");
  return call;
}

/** The session that the sponsor opened for exactly this, the oldest that no other mission has; undefined: it has not paid. */
export async function findPaid(
  { client }: City,
  { sponsor, goal, budget }: DepositTerms,
  claimed: ReadonlySet<bigint>,
): Promise<{ readonly session: bigint; readonly block: bigint } | undefined> {
  const goalHash = goalHashOf(goal);
  for (const { args, blockNumber } of await client.legislation.history("SessionOpened", { sponsor })) {
    const { session, deposit } = args;
    if (args.goalHash !== goalHash || deposit !== budget || claimed.has(session)) continue;
    const { state, parent } = await client.legislation.sessionOf(session);
    if (sessionTransitions.states[state] === "IDENTIFYING" && BigInt(parent) === 0n) return { session, block: blockNumber };
  }
  return undefined;
}
