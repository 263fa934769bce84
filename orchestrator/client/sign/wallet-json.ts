import { hashDomain, hashStruct, serializeTypedData } from "viem";
import type { Hash } from "../../primitives/hex.ts";
import { typedData, typedDataTypes } from "../../protocol/typed-data.ts";
import { consumerOf, type Message, messageDigest, type SigningDomain } from "./sign-message.ts";

/** viem leaves it out; wallets ask for it. */
const DOMAIN = [
  { name: "name", type: "string" },
  { name: "version", type: "string" },
  { name: "chainId", type: "uint256" },
  { name: "verifyingContract", type: "address" },
] as const;

/** An order as EIP-712 has it. */
export function orderTypedData(domain: SigningDomain, message: Message<"OverrideAction">) {
  const types = { OverrideAction: typedDataTypes.OverrideAction };
  return { ...typedData("OverrideAction", domain.chain.id, consumerOf(domain, "OverrideAction")), types, message };
}

/** The same as a wallet takes it (eth_signTypedData_v4), and as a dry run shows it. */
export function walletJson(domain: SigningDomain, message: Message<"OverrideAction">): string {
  const { types, ...data } = orderTypedData(domain, message);
  return serializeTypedData({ ...data, types: { EIP712Domain: DOMAIN, ...types } } as never);
}

/** The three hashes that a hardware wallet shows: of the domain, of the message, and what is signed. */
export function orderHashes(
  domain: SigningDomain,
  message: Message<"OverrideAction">,
): { readonly domain: Hash; readonly message: Hash; readonly digest: Hash } {
  const { types, primaryType, domain: where } = orderTypedData(domain, message);
  return {
    domain: hashDomain({ domain: where, types: { EIP712Domain: DOMAIN } } as never),
    message: hashStruct({ data: message, primaryType, types } as never),
    digest: messageDigest(domain, "OverrideAction", message),
  };
}
