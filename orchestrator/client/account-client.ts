import type { Account, PublicClient, TransactionReceipt, Transport, Chain as ViemChain, WalletClient } from "viem";
import { createPublicClient, createWalletClient, isAddress } from "viem";
import { TransactionReverted } from "../chain/errors.ts";
import { decodeRevert, revertOf } from "../chain/revert.ts";
import { AgentCityError } from "../primitives/errors.ts";
import type { Address, Hex } from "../primitives/hex.ts";
import type { CityAddresses } from "../protocol/addresses.ts";
import { type MessageName, typedData } from "../protocol/typed-data.ts";
import { functionsOf, type ReadActions, readActions } from "./actions.ts";
import { addressOf, type Reader } from "./base.ts";
import { type ContractName, contractAbis } from "./contracts.ts";
import { allErrors } from "./errors.ts";
import { ROOMS, type Room } from "./rooms.ts";
import { consumerOf, type Message, type SigningDomain } from "./sign/sign-message.ts";
import type { WriteArgs, WriteName } from "./write.ts";

export interface SendOptions {
  /** Gas limit; skips the node's estimate. */
  readonly gas?: bigint;
}

/**
 * Everything one contract offers to one account. Views take their arguments and return the answer. Writes take their arguments as a list,
 * are simulated first, and resolve with the receipt; a revert is a `TransactionReverted` with the contract's own error.
 */
export type AccountActions<Name extends ContractName> = ReadActions<Name> & {
  readonly [Fn in WriteName<Name>]: (args: WriteArgs<Name, Fn>, options?: SendOptions) => Promise<TransactionReceipt>;
};

type Rooms = { readonly [Name in Room]: AccountActions<(typeof ROOMS)[Name]> };

/** A city as one account sees it. */
export interface AgentCityClient extends Rooms, SigningDomain {
  readonly chain: ViemChain;
  /** viem's client of the same chain, for everything outside this city. */
  readonly publicClient: PublicClient<Transport, ViemChain>;
  readonly account: Account | Address | undefined;
  /** One mission's contract. */
  readonly mission: (address: Address) => AccountActions<"CollaborationContract">;
  /**
   * Signs a message of the city's EIP-712 types with this account, for another account to send. `mission` is required for types that a
   * mission consumes.
   */
  readonly sign: <Name extends MessageName>(name: Name, message: Message<Name>, mission?: Address) => Promise<Hex>;
}

export interface AgentCityClientOptions {
  readonly chain: ViemChain;
  readonly transport: Transport;
  /** Account that signs and sends, as viem takes it. Without one the client is read-only. */
  readonly account?: Account | Address;
  /** Contract addresses: `addresses` of the city's `city.json`. */
  readonly city: CityAddresses;
}

/** The addresses do not belong to a city. */
export class NotACity extends AgentCityError {
  constructor(missing: readonly string[]) {
    super("NotACity", `No address of ${missing.join(", ")}`, { action: "pass `addresses` of the city's city.json as `city`" });
  }
}

/** A write or a signature on a client without an account. */
export class AccountMissing extends AgentCityError {
  constructor(what: string) {
    super("AccountMissing", `${what} needs an account: this client is read-only`, { action: "create the client with `account`" });
  }
}

interface Call {
  readonly contract: ContractName;
  readonly functionName: string;
  readonly args: readonly unknown[];
  readonly address: Address;
}

/**
 * Creates a client of a city for one account, which sends its own transactions and pays their gas. It keeps no record of what it sent: the
 * contracts refuse a second execution of calls that must happen once. Await each write before the next, or give viem's account a
 * `nonceManager`.
 */
export function createAgentCityClient({ chain, transport, account, city }: AgentCityClientOptions): AgentCityClient {
  const contracts = Object.values(ROOMS);
  const missing = contracts.filter((name) => !isAddress(String(city[name])));
  if (missing.length > 0) throw new NotACity(missing);
  const publicClient = createPublicClient({ chain, transport });
  const wallet = account === undefined ? undefined : createWalletClient({ account, chain, transport });
  const reader: Reader = { chain: { publicClient }, addresses: city };

  function actions<Name extends ContractName>(contract: Name, given?: Address): AccountActions<Name> {
    const address = addressOf(reader, contract, given);
    const writes = functionsOf(contract).writes.map((functionName) => [
      functionName,
      (args: readonly unknown[], options?: SendOptions) => send(publicClient, wallet, { contract, functionName, args, address }, options),
    ]);
    return { ...Object.fromEntries(writes), ...readActions(reader, contract, given) } as AccountActions<Name>;
  }

  const rooms: Record<string, unknown> = Object.fromEntries(Object.entries(ROOMS).map(([room, contract]) => [room, actions(contract)]));
  return {
    ...(rooms as Rooms),
    chain,
    addresses: city,
    publicClient,
    account,
    mission: (address) => actions("CollaborationContract", address),
    sign: async (name, message, mission) => {
      if (wallet === undefined) throw new AccountMissing(name);
      const consumer = consumerOf({ chain, addresses: city }, name, mission);
      return wallet.signTypedData({ ...typedData(name, chain.id, consumer), message } as never);
    },
  };
}

async function send(
  publicClient: PublicClient<Transport, ViemChain>,
  wallet: WalletClient | undefined,
  { contract, functionName, args, address }: Call,
  options: SendOptions = {},
): Promise<TransactionReceipt> {
  const what = `${contract}.${functionName}`;
  if (wallet === undefined) throw new AccountMissing(what);
  const call = { abi: contractAbis[contract], address, functionName, args, account: wallet.account, ...options };
  try {
    await publicClient.simulateContract(call as never);
  } catch (thrown) {
    const revert = revertOf(thrown);
    if (revert === undefined) throw thrown;
    throw new TransactionReverted({ phase: "simulated", what, ...decodeRevert(revert.data, allErrors), cause: thrown });
  }
  const hash = await wallet.writeContract({ ...call, chain: publicClient.chain } as never);
  const receipt = await publicClient.waitForTransactionReceipt({ hash });
  if (receipt.status === "reverted")
    throw new TransactionReverted({ phase: "mined", what, reason: "the state changed after simulation", hash });
  return receipt;
}
