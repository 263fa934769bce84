import { hashDomain, hashStruct, serializeTypedData } from "viem";
import type { Hash } from "../../primitives/hex.ts";
import type { OverrideAction } from "../../protocol/acts.ts";
import { orderDigest, orderTypedData } from "./order.ts";
import type { SigningDomain } from "./sign-message.ts";

/** viem omits the domain type; wallets require it. */
const DOMAIN = [
  { name: "name", type: "string" },
  { name: "version", type: "string" },
  { name: "chainId", type: "uint256" },
  { name: "verifyingContract", type: "address" },
] as const;

/** An order as JSON for a wallet (eth_signTypedData_v4), which a dry run prints. */
export function walletJson(domain: SigningDomain, order: OverrideAction): string {
  const { types, ...data } = orderTypedData(domain, order);
  return serializeTypedData({ ...data, types: { EIP712Domain: DOMAIN, ...types } } as never);
}

/** The three hashes that a hardware wallet displays: domain, message, and digest. */
export function orderHashes(
  domain: SigningDomain,
  order: OverrideAction,
): { readonly domain: Hash; readonly message: Hash; readonly digest: Hash } {
  const { types, primaryType, domain: where, message } = orderTypedData(domain, order);
  return {
    domain: hashDomain({ domain: where, types: { EIP712Domain: DOMAIN } } as never),
    message: hashStruct({ data: message, primaryType, types } as never),
    digest: orderDigest(domain, order),
  };
}
