import type { AbiParameterToPrimitiveType, LocalAccount } from "viem";
import { hashTypedData, type PublicClient } from "viem";
import { contractsOf } from "../../chain/contract-signature.ts";
import type { Address, Hash, Hex } from "../../primitives/hex.ts";
import { recoverAddress } from "../../primitives/recovery.ts";
import { type SessionMessageName, sessionDomain, sessionMessageTypes } from "../../protocol/session-messages.ts";
import type { SigningDomain } from "./sign-message.ts";

/** The fields of a session message, without the signature. */
export type SessionMessage<Name extends SessionMessageName> = {
  readonly [Member in (typeof sessionMessageTypes)[Name][number] as Member["name"]]: AbiParameterToPrimitiveType<Member>;
};

/** The EIP-712 digest of a message that no contract consumes. */
export function sessionDigest<Name extends SessionMessageName>(city: SigningDomain, name: Name, message: SessionMessage<Name>): Hash {
  return hashTypedData(typed(city, name, message) as never);
}

/** Signs such a message. Deterministic. */
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
    // Not a well-formed signature.
    return false;
  }
}

/** A city whose chain can be queried for contract signatures. */
export type ReadableCity = SigningDomain & { readonly chain: { readonly publicClient: Pick<PublicClient, "call"> } };

/** Whether this account signed this message, or this contract accepts the signature (ERC-1271), as on-chain verification does. */
export async function isSessionMessageOf<Name extends SessionMessageName>(
  city: ReadableCity,
  signer: Address,
  name: Name,
  message: SessionMessage<Name>,
  signature: Hex,
): Promise<boolean> {
  if (await isSessionMessageBy(city, signer, name, message, signature)) return true;
  return contractsOf(city.chain.publicClient)(signer, sessionDigest(city, name, message), signature);
}
