// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {MerkleProofLib} from "solady/src/utils/MerkleProofLib.sol";
import {Admission} from "../types/Law.sol";

/// @title Which code may do a law's work (decision 93)
/// @notice A law admits code, not names: an entry of its list is a code hash, the hash of the schemas that it keeps to, and the nodes that
/// it may work on. Where a node takes any code, the entry has none, and the schemas decide. The list is a Merkle tree of sorted pairs; of
/// one entry the root is its leaf. A leaf is three words and an inner node two, so neither can pass for the other.
library Admissions {
    /// @notice Id of a service: it commits to the whole record.
    function serviceId(
        address owner,
        bytes32 codeHash,
        bytes32 schemaHash,
        bytes32 termsHash
    ) internal pure returns (bytes32) {
        return keccak256(abi.encode(owner, codeHash, schemaHash, termsHash));
    }

    /// @notice Hash of an entry; `codeHash` is zero where any code is admitted: no service is registered without one.
    function leaf(bytes32 codeHash, bytes32 schemaHash, uint256 nodes) internal pure returns (bytes32) {
        return keccak256(abi.encode(codeHash, schemaHash, nodes));
    }

    /// @notice Whether the law with that root has the entry, and the entry is for that node.
    function admits(
        bytes32 servicesRoot,
        Admission calldata admission,
        uint256 node,
        bool anyCode
    ) internal pure returns (bool) {
        bytes32 code = anyCode ? bytes32(0) : admission.codeHash;
        bytes32 entry = leaf(code, admission.schemaHash, admission.nodes);
        return
            (admission.nodes >> node) & 1 == 1 && MerkleProofLib.verifyCalldata(admission.proof, servicesRoot, entry);
    }
}
