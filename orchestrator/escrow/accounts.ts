/** Accounts of keys, and of the agents of an ERC-8004 registry. */
import { type PublicClient, zeroAddress } from "viem";
import type { AgentAccounts } from "../agreements/index.ts";
import { revertOf } from "../chain/revert.ts";
import type { Address } from "../primitives/hex.ts";
import { accountOfKey } from "../primitives/recovery.ts";
import type { PublicKey } from "../primitives/signing.ts";
import { IDENTITY_ABI, registryName } from "./registries.ts";

/** The account of a secp256k1 key, lower case. */
export function accountOf({ algorithm, key }: PublicKey): string | undefined {
  if (algorithm !== "secp256k1") return undefined;
  try {
    return accountOfKey(key).toLowerCase();
  } catch {
    return undefined;
  }
}

type Reader = Pick<PublicClient, "readContract">;

/** The accounts of the agents of an identity registry, as its chain says now: the wallet, if one is set, and the owner. */
export function accountsAt({ id, publicClient }: { readonly id: number; readonly publicClient: Reader }, identity: Address): AgentAccounts {
  const read = async (agentId: bigint): Promise<readonly string[]> => {
    const at = { abi: IDENTITY_ABI, address: identity, args: [agentId] } as const;
    try {
      const owner = await publicClient.readContract({ ...at, functionName: "ownerOf" });
      const wallet = await publicClient.readContract({ ...at, functionName: "getAgentWallet" });
      return [owner, wallet].filter((account) => account !== zeroAddress).map((account) => account.toLowerCase());
    } catch (error) {
      if (revertOf(error) === undefined) throw error;
      return [];
    }
  };
  return {
    of: async ({ registry, agentId }) => (registry === registryName(id, identity) ? read(agentId) : undefined),
    ofKey: accountOf,
  };
}
