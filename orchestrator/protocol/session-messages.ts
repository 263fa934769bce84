/**
 * What is signed in a session and moves nothing on chain (AgentCity B.10). Its domain has no contract: no signature made for a contract
 * can be taken for it, nor the other way round. It has the city instead, as its salt (decision 86).
 */
import { encodeAbiParameters, keccak256, stringToHex, type TypedDataDomain } from "viem";
import type { Address, Hash } from "../primitives/hex.ts";

export const sessionMessageTypes = {
  /** MSG_TYPE_1: the Registrar asks everybody who they are. */
  IdentityVerificationRequest: [
    { name: "session", type: "uint256" },
    { name: "registrar", type: "address" },
    { name: "nonce", type: "bytes32" },
    { name: "minReputation", type: "uint16" },
    { name: "deadline", type: "uint40" },
  ],
  /** MSG_TYPE_2: what a producer answers when the Registrar asks who it is. */
  IdentityAttestation: [
    { name: "session", type: "uint256" },
    { name: "agent", type: "address" },
    { name: "principal", type: "address" },
    /** Whole points, as the agent reads them on chain. */
    { name: "reputation", type: "uint16" },
    /** Of the request it answers. */
    { name: "nonce", type: "bytes32" },
    { name: "deadline", type: "uint40" },
  ],
  /** MSG_TYPE_6: what the Codifier made of the law that won. */
  CodedContractSpecification: [
    { name: "session", type: "uint256" },
    { name: "codifier", type: "address" },
    { name: "specHash", type: "bytes32" },
    { name: "lawHash", type: "bytes32" },
    { name: "docHash", type: "bytes32" },
    { name: "template", type: "address" },
  ],
  /** The facts a Regulator publishes before the debate (AgentCity 3.4, evidence anchoring). */
  EvidenceBriefing: [
    { name: "session", type: "uint256" },
    { name: "regulator", type: "address" },
    /** Content-id digest of the briefing. */
    { name: "content", type: "bytes32" },
  ],
  /** One turn of the debate (AgentCity 3.4, sequential discussion). */
  Speech: [
    { name: "session", type: "uint256" },
    { name: "agent", type: "address" },
    /** From 1; 0 is what a proposer says with its proposal. */
    { name: "round", type: "uint8" },
    /** Place in the round's order, from 0. */
    { name: "turn", type: "uint16" },
    /** Content-id digest of what is said. */
    { name: "content", type: "bytes32" },
  ],
  /** Somebody asks the adjudicators for an office of evidence (decision 103). Signed by the account and by who answers for it. */
  OfficePetition: [
    { name: "account", type: "address" },
    { name: "principal", type: "address" },
    /** `enum EvidenceRole`: issuer or verifier. */
    { name: "office", type: "uint8" },
    /** An issuer's bitmap over `EvidenceClass`; 0 for a verifier. */
    { name: "classes", type: "uint16" },
    /** What runs services there, and behind which fence. */
    { name: "runtime", type: "string" },
    { name: "contact", type: "string" },
    /** What it has to do with sponsors of this city. */
    { name: "relations", type: "string" },
    { name: "deadline", type: "uint40" },
  ],
  /** What an executor's run gave, while no commitment to it is on chain (AgentCity B.11.5, escrow buffer). */
  HeldOutput: [
    { name: "mission", type: "address" },
    { name: "node", type: "uint8" },
    { name: "slot", type: "uint8" },
    { name: "attempt", type: "uint8" },
    { name: "agent", type: "address" },
    { name: "outputHash", type: "bytes32" },
    /** Chain time, seconds. */
    { name: "since", type: "uint40" },
  ],
  /** An adjudicator has the gateway begin no agreement until a second, or lets it begin them again. Exits stay open; no contract reads it. */
  AgreementStop: [
    { name: "adjudicator", type: "address" },
    { name: "stops", type: "bool" },
    { name: "until", type: "uint40" },
    /** How many such messages this city has taken. */
    { name: "nonce", type: "uint32" },
    { name: "deadline", type: "uint40" },
  ],
} as const;

export type SessionMessageName = keyof typeof sessionMessageTypes;

/**
 * Which city a message is for: keccak256(abi.encode(keccak256("AgentCity founding"), chain id, ConstitutionContract)). That contract is founded
 * first and never replaced; two cities of one chain have two.
 */
export function foundingHash(chainId: number, constitution: Address): Hash {
  const words = [{ type: "bytes32" }, { type: "uint256" }, { type: "address" }] as const;
  return keccak256(encodeAbiParameters(words, [keccak256(stringToHex("AgentCity founding")), BigInt(chainId), constitution]));
}

export function sessionDomain(chainId: number, constitution: Address) {
  const salt = foundingHash(chainId, constitution);
  return { name: "AgentCity session", version: "1", chainId, salt } as const satisfies TypedDataDomain;
}
