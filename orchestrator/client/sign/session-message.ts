import type { AbiParameterToPrimitiveType, LocalAccount } from "viem";
import { hashTypedData, recoverAddress } from "viem";
import type { Address, Hash, Hex } from "../../primitives/hex.ts";
import { type SessionMessageName, sessionDomain, sessionMessageTypes } from "../../protocol/session-messages.ts";
import type { SigningDomain } from "./sign-message.ts";

/** The fields of a message of a session, without the signature. */
export type SessionMessage<Name extends SessionMessageName> = {
  readonly [Member in (typeof sessionMessageTypes)[Name][number] as Member["name"]]: AbiParameterToPrimitiveType<Member>;
};

/** The EIP-712 digest of a message that no contract takes. */
export function sessionDigest<Name extends SessionMessageName>(city: SigningDomain, name: Name, message: SessionMessage<Name>): Hash {
  return hashTypedData(typed(city, name, message) as never);
}

/** Signs such a message. Pure: the same message always gives the same bytes. */
export function signSessionMessage<Name extends SessionMessageName>(
  city: SigningDomain,
  account: LocalAccount,
  name: Name,
  message: SessionMessage<Name>,
): Promise<Hex> {
  return account.signTypedData(typed(city, name, message) as never);
}

function typed<Name extends SessionMessageName>({ chain, addresses }: SigningDomain, name: Name, message: SessionMessage<Name>) {
  const domain = sessionDomain(chain.id, addresses.ConstitutionContract);
  return { domain, types: sessionMessageTypes, primaryType: name, message };
}

/** Whether this account signed this message. */
export async function isSessionMessageBy<Name extends SessionMessageName>(
  city: SigningDomain,
  signer: Address,
  name: Name,
  message: SessionMessage<Name>,
  signature: Hex,
): Promise<boolean> {
  try {
    return (await recoverAddress({ hash: sessionDigest(city, name, message), signature })) === signer;
  } catch {
    // Not the form of a signature at all.
    return false;
  }
}
