// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {EvidenceClass, Question, VerdictResult} from "./Evidence.sol";
import {Kind, Office} from "./Roles.sol";

// All signed messages. EIP-712 hashes of all of them live in `libraries/TypedData.sol`, and their TypeScript
// side in `protocol/typed-data.ts`; a test compares both.

/// @notice A principal takes responsibility for an agent. Domain: ProducerContract. Signed by principal and agent.
struct PrincipalBinding {
    address agent;
    address principal;
    Kind kind;
    /// keccak256 of the DID text.
    bytes32 did;
    /// Ten dimensions × 16 bits, dimension 0 lowest.
    uint160 capabilities;
    /// Pulled from the principal, smallest unit; at least the registration stake.
    uint64 stake;
    /// The principal's next nonce.
    uint256 nonce;
    uint40 deadline;
}

/// @notice A producer answers for an agent that its own principal will answer for. Domain: ProducerContract. Signed by both.
struct SubAgentBinding {
    address agent;
    address creator;
    /// keccak256 of the DID text.
    bytes32 did;
    /// As in `PrincipalBinding`; no dimension above the creator's.
    uint160 capabilities;
    /// Pulled from the creator, smallest unit; at least the registration stake.
    uint64 stake;
    /// The creator's next nonce.
    uint256 nonce;
    uint40 deadline;
}

/// @notice One agent's full ranking. Domain: LegislativeProcedure.
struct Ballot {
    address agent;
    /// Nibble k (lowest first) is the candidate in place k; nibbles beyond m are zero.
    uint64 ranking;
    uint40 deadline;
    bytes signature;
}

/// @notice An offer to execute a node. Domain: ExecutionProcedure.
struct Bid {
    address mission;
    uint8 node;
    /// Service the agent would run.
    bytes32 service;
    /// Per slot, smallest unit.
    uint64 price;
}

/// @notice A Regulator's word that nodes may be awarded before their windows end. Domain: ExecutionProcedure.
/// @dev Signed with the Regulator's nonce: each decision serves once, for one attempt of all its nodes.
struct AwardDecision {
    address mission;
    /// Bitmap of the nodes.
    uint256 nodes;
    uint8 attempt;
}

/// @notice What a commitment hides (decision 19). Domain of the signature: the mission's clone.
struct Opening {
    bytes32 salt;
    bytes32 outputHash;
    bytes32 trailRoot;
    /// Ordered Merkle root over the evidence items.
    bytes32 envelopeRoot;
    /// Number of evidence items, ≤ 32; in a mission ≤ 31.
    uint8 items;
    /// Claimed class of each item, three bits each, item 0 lowest.
    uint96 classes;
}

/// @notice A service's live code hash, attested by a runner. Domain: the mission's clone.
struct LiveHash {
    address mission;
    uint8 node;
    uint8 slot;
    uint8 attempt;
    bytes32 service;
    bytes32 hash;
    uint40 deadline;
    address runner;
    bytes signature;
}

/// @notice One proven evidence item; its issuer signs it alone or in a list (`Evidences`). Domain: the mission's clone.
struct EvidenceItem {
    uint8 slot;
    uint8 index;
    /// What the payload is: see `protocol/evidence.ts`.
    uint8 kind;
    bytes32 payload;
    address issuer;
    EvidenceClass class;
    bytes32[] proof;
    /// Over a list of this item alone.
    bytes signature;
}

/// @notice An issuer's word that an output keeps the schema that its law asks for (decision 76). Domain: `KeepsSchema`.
struct SchemaStatement {
    address mission;
    uint8 node;
    /// Binds chain, clone, node, attempt, law.
    bytes32 obligation;
    bytes32 outputHash;
    /// keccak256 of the canonical input and output schemas.
    bytes32 schemaHash;
    address issuer;
    uint40 deadline;
}

/// @notice One verifier's answer (decision 23), which it signs alone or in a list (`Verdicts`). Domain: the mission's clone.
struct Verdict {
    /// Binds chain, clone, node, attempt, law.
    bytes32 obligation;
    /// keccak256 over the slots' commitments in order, zero where absent.
    bytes32 commitment;
    /// Block that drew the panel; zero where no panel was drawn.
    uint32 draw;
    Question question;
    VerdictResult result;
    uint16 confidence;
    uint16 score;
    /// Bit 32·s + i: item i of slot s.
    uint160 basis;
    uint8 agreeing;
}

/// @notice An office's signature under an approved law. Domain: LegislativeProcedure.
struct OfficeSignature {
    address clerk;
    Office office;
    uint40 deadline;
    bytes signature;
}

/// @notice Sends all that the vault owes an account. Domain: Treasury. Signed by the account or its principal.
struct Withdrawal {
    address account;
    /// The signer.
    address by;
    address to;
    /// The account's next nonce, which every withdrawal uses up.
    uint256 nonce;
    uint40 deadline;
}
