import type { AbiParameterToPrimitiveType, LocalAccount } from "viem";
import { hashTypedData, recoverAddress } from "viem";
import type { Address, Hash, Hex } from "../../primitives/hex.ts";
import { type SessionMessageName, sessionDomain, sessionMessageTypes } from "../../protocol/session-messages.ts";

/** The fields of a message of a session, without the signature. */
export type SessionMessage<Name extends SessionMessageName> = {
  readonly [Member in (typeof sessionMessageTypes)[Name][number] as Member["name"]]: AbiParameterToPrimitiveType<Member>;
};

/** The EIP-712 digest of a message that no contract takes. */
export function sessionDigest<Name extends SessionMessageName>(chainId: number, name: Name, message: SessionMessage<Name>): Hash {
  return hashTypedData({ domain: sessionDomain(chainId), types: sessionMessageTypes, primaryType: name, message } as never);
}

/** Signs such a message. Pure: the same message always gives the same bytes. */
export function signSessionMessage<Name extends SessionMessageName>(
  chainId: number,
  account: LocalAccount,
  name: Name,
  message: SessionMessage<Name>,
): Promise<Hex> {
  const typed = { domain: sessionDomain(chainId), types: sessionMessageTypes, primaryType: name, message };
  return account.signTypedData(typed as never);
}

/** Whether this account signed this message. */
export async function isSessionMessageBy<Name extends SessionMessageName>(
  chainId: number,
  signer: Address,
  name: Name,
  message: SessionMessage<Name>,
  signature: Hex,
): Promise<boolean> {
  try {
    return (await recoverAddress({ hash: sessionDigest(chainId, name, message), signature })) === signer;
  } catch {
    // Not the form of a signature at all.
    return false;
  }
}
