import type { AbiParameterToPrimitiveType, LocalAccount } from "viem";
import { hashTypedData } from "viem";
import { AgentCityError } from "../../primitives/errors.ts";
import type { Address, Hash, Hex } from "../../primitives/hex.ts";
import type { CityAddresses } from "../../protocol/addresses.ts";
import { type MessageName, messageConsumers, typedData, type typedDataTypes } from "../../protocol/typed-data.ts";

/** The fields of a message to sign, without the signature. */
export type Message<Name extends MessageName> = {
  readonly [Member in (typeof typedDataTypes)[Name][number] as Member["name"]]: AbiParameterToPrimitiveType<Member>;
};

/** Where a signature holds: one chain, one city. Signing needs nothing else of a client, and no network. */
export interface SigningDomain {
  readonly chain: { readonly id: number };
  readonly addresses: CityAddresses;
}

/** The contract that consumes the message: a city's own, or the mission's. */
export function consumerOf(domain: SigningDomain, name: MessageName, mission?: Address): Address {
  const consumer = messageConsumers[name];
  if (consumer !== "mission") return domain.addresses[consumer];
  if (mission === undefined)
    throw new AgentCityError("MissionAddressMissing", `${name} is signed for one mission`, { action: "name the mission" });
  return mission;
}

/** The EIP-712 digest of a message. */
export function messageDigest<Name extends MessageName>(
  domain: SigningDomain,
  name: Name,
  message: Message<Name>,
  mission?: Address,
): Hash {
  return hashTypedData({ ...typedData(name, domain.chain.id, consumerOf(domain, name, mission)), message } as never);
}

/** Signs a message with an account's key. Pure: the same message always gives the same bytes. */
export function signMessage<Name extends MessageName>(
  domain: SigningDomain,
  account: LocalAccount,
  name: Name,
  message: Message<Name>,
  mission?: Address,
): Promise<Hex> {
  return account.signTypedData({ ...typedData(name, domain.chain.id, consumerOf(domain, name, mission)), message } as never);
}
