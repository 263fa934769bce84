import type { LocalAccount } from "viem";
import type { MessageName } from "../../protocol/typed-data.ts";
import { type Message, type SigningDomain, signMessage } from "./sign-message.ts";

/** An agent's authorisation of a call that another account sends (contracts/types/Roles.sol). */
export interface Auth {
  readonly agent: `0x${string}`;
  /** Unix seconds. */
  readonly deadline: number;
  readonly signature: `0x${string}`;
}

/** Messages that authorise a call with `Auth`. */
type AuthMessage = "RegisterService" | "Propose" | "Sponsor" | "Petition" | "Reintroduce" | "Bid" | "WithdrawBid";

/** Signs a call's message and returns the `Auth` for the call. */
export async function signAuth<Name extends AuthMessage & MessageName>(
  domain: SigningDomain,
  account: LocalAccount,
  name: Name,
  message: Message<Name> & { readonly deadline: number },
): Promise<Auth> {
  const { deadline } = message;
  return { agent: account.address, deadline, signature: await signMessage(domain, account, name, message) };
}
