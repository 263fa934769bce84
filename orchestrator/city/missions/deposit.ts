import { encodeFunctionData, isAddressEqual, zeroAddress } from "viem";
import { readSignedCall, relay } from "../../chain/relay.ts";
import { goalHashOf } from "../../client/compile-law.ts";
import { contractAbis } from "../../client/contracts.ts";
import { allErrors } from "../../client/errors.ts";
import { AgentCityError } from "../../primitives/errors.ts";
import type { Address, Hex } from "../../primitives/hex.ts";
import type { CityAddresses } from "../../protocol/addresses.ts";
import { sessionTransitions } from "../../rules/transitions/session.ts";
import type { City } from "../city.ts";

/** What an external sponsor pays for. */
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

/** The transactions to sign, and the sponsor's balances. */
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

/** The calls by which a sponsor pays, in order; reproducible from the city's addresses for comparison. */
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
  const known = await Promise.all(
    signed.map(async (raw) => {
      const call = await readSignedCall(raw, chain.id, refused);
      if (call.from !== terms.sponsor) throw refused(`one is signed by ${call.from}, and the mission was asked for by ${terms.sponsor}`);
      const { what } = calls.find(({ to, data }) => isAddressEqual(to, call.to) && data === call.data) ?? {};
      if (what === undefined) throw refused("one does something else than approving or opening this session");
      return { ...call, what };
    }),
  );
  if (known.at(-1)?.what !== "openSession" || new Set(known.map(({ what }) => what)).size !== known.length)
    throw refused("the last one, and only that, opens the session");
  await relay(chain, known, allErrors, refused);
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
