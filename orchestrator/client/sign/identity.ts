import type { LocalAccount } from "viem";
import { hashTypedData, recoverTypedDataAddress } from "viem";
import type { Address, Hash, Hex } from "../../primitives/hex.ts";
import { identityAttestationTypes, identityDomain } from "../../protocol/identity-attestation.ts";

export interface IdentityAttestation {
  readonly session: bigint;
  readonly agent: Address;
  readonly principal: Address;
  readonly reputation: number;
  /** Unix seconds. */
  readonly deadline: number;
}

const primaryType = "IdentityAttestation";

function typed(chainId: number, message: IdentityAttestation) {
  return { domain: identityDomain(chainId), types: identityAttestationTypes, primaryType, message } as const;
}

export function identityDigest(chainId: number, message: IdentityAttestation): Hash {
  return hashTypedData(typed(chainId, message));
}

export function signIdentity(chainId: number, account: LocalAccount, message: IdentityAttestation): Promise<Hex> {
  return account.signTypedData(typed(chainId, message));
}

/** Whether the agent named in the attestation signed it. */
export async function verifyIdentity(chainId: number, message: IdentityAttestation, signature: Hex): Promise<boolean> {
  try {
    return (await recoverTypedDataAddress({ ...typed(chainId, message), signature })) === message.agent;
  } catch {
    return false;
  }
}
