import type { AbiParameterToPrimitiveType, LocalAccount } from "viem";
import { concat, hashDomain, hashStruct, hashTypedData, keccak256, pad, stringToHex } from "viem";
import { AgentCityError } from "../../primitives/errors.ts";
import type { Address, Hash, Hex } from "../../primitives/hex.ts";
import type { CityAddresses } from "../../protocol/addresses.ts";
import { encodeType, type MessageName, messageConsumers, typedData, typedDataTypes } from "../../protocol/typed-data.ts";

/** The fields of a message to sign, without the signature. */
export type Message<Name extends MessageName> = {
  readonly [Member in (typeof typedDataTypes)[Name][number] as Member["name"]]: ValueOf<Member>;
};

type ValueOf<Member extends { readonly name: string; readonly type: string }> = Member["type"] extends `${infer Held extends MessageName}[]`
  ? readonly Message<Held>[]
  : AbiParameterToPrimitiveType<Member>;

/** Where a signature is valid: one chain, one city. Signing needs nothing else of a client, and no network. */
export interface SigningDomain {
  readonly chain: { readonly id: number };
  readonly addresses: CityAddresses;
}

/** The contract that consumes the message: one of the city's, or the mission or gate that is named. */
export function consumerOf(domain: SigningDomain, name: MessageName, named?: Address): Address {
  const consumer = messageConsumers[name];
  if (consumer !== "mission" && consumer !== "gate") return domain.addresses[consumer];
  if (named === undefined)
    throw new AgentCityError("MissionAddressMissing", `${name} is signed for one ${consumer}`, { action: `name the ${consumer}` });
  return named;
}

/** The EIP-712 digest of a message. */
export function messageDigest<Name extends MessageName>(domain: SigningDomain, name: Name, message: Message<Name>, named?: Address): Hash {
  return hashTypedData({ ...typedData(name, domain.chain.id, consumerOf(domain, name, named)), message } as never);
}

/** The struct hash of a message, as it is included in a list. */
export function messageHash<Name extends MessageName>(name: Name, message: Message<Name>): Hash {
  return hashStruct({ primaryType: name, types: typedDataTypes, data: message } as never);
}

/**
 * The digest of a list of which only the hashes of some entries are known. `before` and `after`: the words of the members before and after
 * the list, in the order of the type.
 */
export function listDigest(
  domain: SigningDomain,
  name: "Evidences" | "Verdicts",
  { before, hashes, after = [] }: { readonly before: readonly Hex[]; readonly hashes: readonly Hash[]; readonly after?: readonly Hex[] },
  mission: Address,
): Hash {
  const type = keccak256(stringToHex(encodeType(name)));
  const words = [...before, keccak256(concat(hashes)), ...after].map((word) => pad(word, { size: 32 }));
  const { domain: of } = typedData(name, domain.chain.id, mission);
  const separator = hashDomain({ domain: of, types: { EIP712Domain: DOMAIN } } as never);
  return keccak256(concat(["0x1901", separator, keccak256(concat([type, ...words]))]));
}

const DOMAIN = [
  { name: "name", type: "string" },
  { name: "version", type: "string" },
  { name: "chainId", type: "uint256" },
  { name: "verifyingContract", type: "address" },
];

/** Signs a message with an account's key. Deterministic. */
export function signMessage<Name extends MessageName>(
  domain: SigningDomain,
  account: LocalAccount,
  name: Name,
  message: Message<Name>,
  named?: Address,
): Promise<Hex> {
  return account.signTypedData({ ...typedData(name, domain.chain.id, consumerOf(domain, name, named)), message } as never);
}
