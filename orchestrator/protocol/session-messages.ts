/**
 * Messages that are signed in a session and move nothing on chain (AgentCity B.10). Their domain has no contract, so that they cannot be
 * confused with messages for contracts; the city is its salt instead (decision 86).
 */
import { encodeAbiParameters, keccak256, stringToHex, type TypedDataDomain } from "viem";
import type { Address, Hash } from "../primitives/hex.ts";

export const sessionMessageTypes = {
  /** MSG_TYPE_1: the Registrar asks every participant to identify itself. */
  IdentityVerificationRequest: [
    { name: "session", type: "uint256" },
    { name: "registrar", type: "address" },
    { name: "nonce", type: "bytes32" },
    { name: "minReputation", type: "uint16" },
    { name: "deadline", type: "uint40" },
  ],
  /** MSG_TYPE_2: a producer's answer to the Registrar. */
  IdentityAttestation: [
    { name: "session", type: "uint256" },
    { name: "agent", type: "address" },
    { name: "principal", type: "address" },
    /** Whole points, as the agent reads them on chain. */
    { name: "reputation", type: "uint16" },
    /** Nonce of the request. */
    { name: "nonce", type: "bytes32" },
    { name: "deadline", type: "uint40" },
  ],
  /** MSG_TYPE_6: the Codifier's specification of the winning law. */
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
    /** From 1; 0 is the statement made with a proposal. */
    { name: "round", type: "uint8" },
    /** Position in the round's order, from 0. */
    { name: "turn", type: "uint16" },
    /** Content-id digest of the statement. */
    { name: "content", type: "bytes32" },
  ],
  /** A petition to the adjudicators for an evidence office (decision 103). Signed by the account and its principal. */
  OfficePetition: [
    { name: "account", type: "address" },
    { name: "principal", type: "address" },
    /** `enum EvidenceRole`: issuer or verifier. */
    { name: "office", type: "uint8" },
    /** An issuer's bitmap over `EvidenceClass`; 0 for a verifier. */
    { name: "classes", type: "uint16" },
    /** What runs services there, and in which sandbox. */
    { name: "runtime", type: "string" },
    { name: "contact", type: "string" },
    /** Relations to sponsors of this city. */
    { name: "relations", type: "string" },
    { name: "deadline", type: "uint40" },
  ],
  /** The output of an executor's run, while no commitment to it is on chain (AgentCity B.11.5, escrow buffer). */
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
  /**
   * An adjudicator stops the gateway from starting agreements until a second one does, or lets it resume. Exits stay open; no contract
   * reads it.
   */
  AgreementStop: [
    { name: "adjudicator", type: "address" },
    { name: "stops", type: "bool" },
    { name: "until", type: "uint40" },
    /** Number of such messages that this city has accepted. */
    { name: "nonce", type: "uint32" },
    { name: "deadline", type: "uint40" },
  ],
} as const;

export type SessionMessageName = keyof typeof sessionMessageTypes;

/**
 * Identifies the city that a message is for: keccak256(abi.encode(keccak256("AgentCity founding"), chain id, ConstitutionContract)). That
 * contract is founded first and never replaced; two cities on one chain have two.
 */
export function foundingHash(chainId: number, constitution: Address): Hash {
  const words = [{ type: "bytes32" }, { type: "uint256" }, { type: "address" }] as const;
  return keccak256(encodeAbiParameters(words, [keccak256(stringToHex("AgentCity founding")), BigInt(chainId), constitution]));
}

export function sessionDomain(chainId: number, constitution: Address) {
  const salt = foundingHash(chainId, constitution);
  return { name: "AgentCity session", version: "1", chainId, salt } as const satisfies TypedDataDomain;
}
