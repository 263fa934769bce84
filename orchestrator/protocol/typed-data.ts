/**
 * Every signed message as EIP-712 types, except those of adjudicators (`acts.ts`). Solidity side: `contracts/libraries/TypedData.sol`; a
 * test compares type hashes and struct hashes. Enums are signed as uint8.
 */
import type { Address, TypedDataDomain } from "viem";

export const typedDataTypes = {
  PrincipalBinding: [
    { name: "agent", type: "address" },
    { name: "principal", type: "address" },
    { name: "kind", type: "uint8" },
    { name: "did", type: "bytes32" },
    { name: "capabilities", type: "uint160" },
    { name: "stake", type: "uint64" },
    { name: "nonce", type: "uint256" },
    { name: "deadline", type: "uint40" },
  ],
  SubAgentBinding: [
    { name: "agent", type: "address" },
    { name: "creator", type: "address" },
    { name: "did", type: "bytes32" },
    { name: "capabilities", type: "uint160" },
    { name: "stake", type: "uint64" },
    { name: "nonce", type: "uint256" },
    { name: "deadline", type: "uint40" },
  ],
  Withdrawal: [
    { name: "account", type: "address" },
    { name: "by", type: "address" },
    { name: "to", type: "address" },
    { name: "nonce", type: "uint256" },
    { name: "deadline", type: "uint40" },
  ],
  RegisterService: [
    { name: "agent", type: "address" },
    { name: "codeHash", type: "bytes32" },
    { name: "schemaHash", type: "bytes32" },
    { name: "endpoint", type: "string" },
    { name: "constraints", type: "bytes32" },
    { name: "deadline", type: "uint40" },
  ],
  Propose: [
    { name: "session", type: "uint256" },
    { name: "agent", type: "address" },
    { name: "specHash", type: "bytes32" },
    { name: "cid", type: "bytes32" },
    { name: "deadline", type: "uint40" },
  ],
  Sponsor: [
    { name: "session", type: "uint256" },
    { name: "agent", type: "address" },
    { name: "candidate", type: "uint16" },
    { name: "deadline", type: "uint40" },
  ],
  Ballot: [
    { name: "session", type: "uint256" },
    { name: "agent", type: "address" },
    { name: "ranking", type: "uint64" },
    { name: "deadline", type: "uint40" },
  ],
  StrawPoll: [
    { name: "session", type: "uint256" },
    { name: "agent", type: "address" },
    { name: "ranking", type: "uint64" },
    { name: "deadline", type: "uint40" },
  ],
  Petition: [
    { name: "agent", type: "address" },
    { name: "goalHash", type: "bytes32" },
    { name: "parent", type: "address" },
    { name: "round", type: "uint32" },
    { name: "deadline", type: "uint40" },
  ],
  Reintroduce: [
    { name: "session", type: "uint256" },
    { name: "agent", type: "address" },
    { name: "candidate", type: "uint16" },
    { name: "specHash", type: "bytes32" },
    { name: "cid", type: "bytes32" },
    { name: "deadline", type: "uint40" },
  ],
  OfficeApproval: [
    { name: "clerk", type: "address" },
    { name: "office", type: "uint8" },
    { name: "session", type: "uint256" },
    { name: "specHash", type: "bytes32" },
    { name: "deadline", type: "uint40" },
  ],
  Bid: [
    { name: "agent", type: "address" },
    { name: "mission", type: "address" },
    { name: "node", type: "uint8" },
    { name: "service", type: "bytes32" },
    { name: "price", type: "uint64" },
    { name: "nonce", type: "uint256" },
    { name: "deadline", type: "uint40" },
  ],
  WithdrawBid: [
    { name: "agent", type: "address" },
    { name: "mission", type: "address" },
    { name: "node", type: "uint8" },
    { name: "nonce", type: "uint256" },
    { name: "deadline", type: "uint40" },
  ],
  DelegationResult: [
    { name: "runner", type: "address" },
    { name: "delegation", type: "bytes32" },
    { name: "outputHash", type: "bytes32" },
    { name: "intermediateHash", type: "bytes32" },
    { name: "deadline", type: "uint40" },
  ],
  AwardDecision: [
    { name: "regulator", type: "address" },
    { name: "mission", type: "address" },
    { name: "nodes", type: "uint256" },
    { name: "attempt", type: "uint8" },
    { name: "nonce", type: "uint256" },
    { name: "deadline", type: "uint40" },
  ],
  Anchor: [
    { name: "runner", type: "address" },
    { name: "root", type: "bytes32" },
    { name: "deadline", type: "uint40" },
  ],
  Checkpoint: [
    { name: "runner", type: "address" },
    { name: "previous", type: "bytes32" },
    { name: "root", type: "bytes32" },
    { name: "work", type: "bytes32" },
    { name: "deadline", type: "uint40" },
  ],
  /** A runner's attestation of the code in these slots: node << 16 | attempt << 8 | slot of each. */
  Start: [
    { name: "runner", type: "address" },
    { name: "slots", type: "uint256[]" },
    { name: "deadline", type: "uint40" },
  ],
  LiveHash: [
    { name: "mission", type: "address" },
    { name: "node", type: "uint8" },
    { name: "slot", type: "uint8" },
    { name: "attempt", type: "uint8" },
    { name: "service", type: "bytes32" },
    { name: "hash", type: "bytes32" },
    { name: "deadline", type: "uint40" },
    { name: "runner", type: "address" },
  ],
  /** An issuer's word, for the gate of the law, that an output keeps the law's schema for the node. */
  SchemaStatement: [
    { name: "mission", type: "address" },
    { name: "node", type: "uint8" },
    { name: "obligation", type: "bytes32" },
    { name: "outputHash", type: "bytes32" },
    { name: "schemaHash", type: "bytes32" },
    { name: "issuer", type: "address" },
    { name: "deadline", type: "uint40" },
  ],
  Commit: [
    { name: "agent", type: "address" },
    { name: "node", type: "uint8" },
    { name: "slot", type: "uint8" },
    { name: "attempt", type: "uint8" },
    { name: "commitment", type: "bytes32" },
    { name: "deadline", type: "uint40" },
  ],
  /** For a whole wave. `slots`: node << 16 | attempt << 8 | slot of each commitment. */
  Commits: [
    { name: "agent", type: "address" },
    { name: "slots", type: "uint256[]" },
    { name: "commitments", type: "bytes32[]" },
    { name: "deadline", type: "uint40" },
  ],
  /** A party's word that it appeals; the bond is what the mission's parameters and the attempt's prices come to. */
  Appeal: [
    { name: "appellant", type: "address" },
    { name: "node", type: "uint8" },
    { name: "attempt", type: "uint8" },
    { name: "evidence", type: "bytes32" },
    { name: "deadline", type: "uint40" },
  ],
  /** One item of `Evidences`; never signed by itself. */
  Evidence: [
    { name: "obligation", type: "bytes32" },
    { name: "slot", type: "uint8" },
    { name: "index", type: "uint8" },
    { name: "kind", type: "uint8" },
    { name: "payload", type: "bytes32" },
    { name: "class", type: "uint8" },
  ],
  Evidences: [
    { name: "issuer", type: "address" },
    { name: "items", type: "Evidence[]" },
  ],
  /** One answer of `Verdicts`; never signed by itself. */
  Verdict: [
    { name: "obligation", type: "bytes32" },
    { name: "commitment", type: "bytes32" },
    { name: "draw", type: "uint32" },
    { name: "question", type: "uint8" },
    { name: "result", type: "uint8" },
    { name: "confidence", type: "uint16" },
    { name: "score", type: "uint16" },
    { name: "basis", type: "uint160" },
    { name: "agreeing", type: "uint8" },
  ],
  Verdicts: [
    { name: "verifier", type: "address" },
    { name: "verdicts", type: "Verdict[]" },
    { name: "deadline", type: "uint40" },
  ],
} as const;

export type MessageName = keyof typeof typedDataTypes;

/** The contract that consumes a message, and so is in its domain: one of the city's, a mission, or a gate. */
export const messageConsumers = {
  PrincipalBinding: "ProducerContract",
  SubAgentBinding: "ProducerContract",
  Withdrawal: "Treasury",
  RegisterService: "ServiceContract",
  Propose: "LegislativeProcedure",
  Sponsor: "LegislativeProcedure",
  Ballot: "LegislativeProcedure",
  StrawPoll: "LegislativeProcedure",
  Petition: "LegislativeProcedure",
  Reintroduce: "LegislativeProcedure",
  OfficeApproval: "LegislativeProcedure",
  Bid: "ExecutionProcedure",
  WithdrawBid: "ExecutionProcedure",
  DelegationResult: "ManagementContract",
  AwardDecision: "ExecutionProcedure",
  Anchor: "mission",
  Checkpoint: "mission",
  Start: "mission",
  LiveHash: "mission",
  SchemaStatement: "gate",
  Commit: "mission",
  Commits: "mission",
  Appeal: "mission",
  Evidence: "mission",
  Evidences: "mission",
  Verdict: "mission",
  Verdicts: "mission",
} as const satisfies Record<MessageName, string>;

/** The domain of every message: the contract that consumes it, on its chain. */
export function typedDataDomain(chainId: number, verifyingContract: Address) {
  return { name: "AgentCity", version: "1", chainId, verifyingContract } as const satisfies TypedDataDomain;
}

/** The EIP-712 type string of a message, whose keccak is its type hash: its own struct, then those it references. */
export function encodeType(name: MessageName): string {
  const members: readonly { readonly name: string; readonly type: string }[] = typedDataTypes[name];
  const held = members.flatMap(({ type }) => heldIn(type) ?? []);
  return [`${name}(${members.map((member) => `${member.type} ${member.name}`).join(",")})`, ...held.map(encodeType)].join("");
}

/** The types of a message, for `signTypedData`. */
export function typesOf(name: MessageName): Record<string, { name: string; type: string }[]> {
  const members: readonly { readonly name: string; readonly type: string }[] = typedDataTypes[name];
  const held = members.flatMap(({ type }) => heldIn(type) ?? []);
  return Object.assign({ [name]: [...members] }, ...held.map(typesOf));
}

/** The message type of a list's elements. */
function heldIn(type: string): MessageName | undefined {
  const name = type.replace("[]", "");
  return name in typedDataTypes ? (name as MessageName) : undefined;
}

/** Arguments for viem's `signTypedData` and `hashTypedData`: `{...typedData("Ballot", chainId, legislature), message}`. */
export function typedData<Name extends MessageName>(name: Name, chainId: number, verifyingContract: Address) {
  return { domain: typedDataDomain(chainId, verifyingContract), types: typedDataTypes, primaryType: name };
}
