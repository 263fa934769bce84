// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {EfficientHashLib} from "solady/src/utils/EfficientHashLib.sol";
import {EvidenceClass} from "../types/Evidence.sol";
import {Opening} from "../types/Messages.sol";

/// @title What a commitment binds
/// @notice Decisions 19 and 20. Everything is keccak256 of the ABI encoding, fields in the order given.
library Commitments {
    /// @notice Names one attempt at one node under one law on one chain: no signature over it can be used elsewhere.
    /// @param amendment digest of the override that changed the node, zero if none
    function obligation(
        uint256 chainId,
        address clone,
        uint8 node,
        uint8 attempt,
        bytes32 lawHash,
        bytes32 amendment
    ) internal pure returns (bytes32) {
        return
            EfficientHashLib.hash(
                bytes32(chainId),
                bytes32(uint256(uint160(clone))),
                bytes32(uint256(node)),
                bytes32(uint256(attempt)),
                lawHash,
                amendment
            );
    }

    /// @notice What an executor posts before anyone looks at its work; the salt hides it.
    function commitment(address agent, Opening memory o, bytes32 obligation_) internal pure returns (bytes32) {
        return
            EfficientHashLib.hash(
                bytes32(uint256(uint160(agent))),
                o.salt,
                o.outputHash,
                o.trailRoot,
                o.envelopeRoot,
                bytes32(uint256(o.items)),
                bytes32(uint256(o.classes)),
                obligation_
            );
    }

    /// @notice All executor slots of a node together, zero where a slot is absent: what a verdict is about.
    function nodeCommitment(bytes32[] memory slots) internal pure returns (bytes32) {
        return EfficientHashLib.hash(slots);
    }

    /// @notice The work of one checkpoint: of each slot in order the service it was bound to, then its commitment.
    function workHash(bytes32[] memory entries) internal pure returns (bytes32) {
        return EfficientHashLib.hash(entries);
    }

    /// @notice The chain of a mission's checkpoints after one more; zero before the first.
    /// @param root Head of the off-chain record.
    function checkpointHead(bytes32 previous, bytes32 root, bytes32 work) internal pure returns (bytes32) {
        return keccak256(abi.encode(previous, root, work));
    }

    /// @notice Entry of the envelope tree for one evidence item; `OrderedMerkle` hashes it into a leaf.
    function evidenceLeaf(
        bytes32 obligation_,
        uint8 slot,
        uint8 index,
        uint8 kind,
        bytes32 payload,
        address issuer,
        EvidenceClass class
    ) internal pure returns (bytes32) {
        return
            EfficientHashLib.hash(
                obligation_,
                bytes32(uint256(slot)),
                bytes32(uint256(index)),
                bytes32(uint256(kind)),
                payload,
                bytes32(uint256(uint160(issuer))),
                bytes32(uint256(class))
            );
    }
}
