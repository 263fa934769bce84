import { hashTypedData, type LocalAccount } from "viem";
import type { Hash, Hex } from "../../primitives/hex.ts";
import { actTypedData, type OverrideAction } from "../../protocol/acts.ts";
import type { SigningDomain } from "./sign-message.ts";

/** An order as typed data: its act's own type, in the domain of the city's adjudication contract. */
export function orderTypedData({ chain, addresses }: SigningDomain, order: OverrideAction) {
  return actTypedData(chain.id, addresses.AdjudicationProcedure, order);
}

/** The digest that adjudicators sign, which identifies the order on chain. */
export function orderDigest(domain: SigningDomain, order: OverrideAction): Hash {
  return hashTypedData(orderTypedData(domain, order));
}

/** Signs an order with a local key. Deterministic. */
export function signOrder(domain: SigningDomain, account: LocalAccount, order: OverrideAction): Promise<Hex> {
  return account.signTypedData(orderTypedData(domain, order));
}
