import type { TypedDataDomain } from "viem";

/**
 * What a producer signs when the Registrar asks who it is (AgentCity B.10, MSG_TYPE_2). It moves nothing on chain, so its domain
 * has no contract: no signature made for a contract can be taken for it, nor the other way round.
 */
export const identityAttestationTypes = {
  IdentityAttestation: [
    { name: "session", type: "uint256" },
    { name: "agent", type: "address" },
    { name: "principal", type: "address" },
    /** Whole points, as the agent reads them on chain. */
    { name: "reputation", type: "uint16" },
    { name: "deadline", type: "uint40" },
  ],
} as const;

export function identityDomain(chainId: number) {
  return { name: "AgentCity identity", version: "1", chainId } as const satisfies TypedDataDomain;
}
