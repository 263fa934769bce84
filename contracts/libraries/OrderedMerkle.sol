// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

/// @title Append-only Merkle tree
/// @notice The shape of RFC 9162 section 2.1 with keccak256: leaves are hashed behind a 0x00 byte, nodes behind 0x01, and
/// an odd last node rises unpaired, so order and size are bound. `entry` is always the unhashed 32-byte entry: `root` and
/// `verify` apply `leafHash` themselves.
library OrderedMerkle {
    /// @notice Root of the tree without entries, as RFC 9162 has it: the hash of nothing.
    bytes32 internal constant EMPTY_ROOT = keccak256("");

    function leafHash(bytes32 entry) internal pure returns (bytes32) {
        return keccak256(abi.encodePacked(bytes1(0x00), entry));
    }

    function nodeHash(bytes32 left, bytes32 right) internal pure returns (bytes32) {
        return keccak256(abi.encodePacked(bytes1(0x01), left, right));
    }

    /// @notice Root over the entries in order; the argument is left as it was.
    function root(bytes32[] memory entries) internal pure returns (bytes32) {
        uint256 width = entries.length;
        if (width == 0) return EMPTY_ROOT;
        bytes32[] memory level = new bytes32[](width);
        for (uint256 i = 0; i < width; ++i) level[i] = leafHash(entries[i]);
        while (width > 1) {
            uint256 pairs = width / 2;
            for (uint256 i = 0; i < pairs; ++i) level[i] = nodeHash(level[2 * i], level[2 * i + 1]);
            if (width % 2 == 1) level[pairs] = level[width - 1];
            width = pairs + (width % 2);
        }
        return level[0];
    }

    /// @notice Whether `entry` is number `index` of the `size` entries under `expected` (RFC 9162 section 2.1.3.2).
    function verify(
        bytes32 expected,
        bytes32 entry,
        uint256 index,
        uint256 size,
        bytes32[] memory proof
    ) internal pure returns (bool) {
        if (index >= size) return false;
        bytes32 hash = leafHash(entry);
        uint256 last = size - 1;
        for (uint256 i = 0; i < proof.length; ++i) {
            if (last == 0) return false;
            if (index % 2 == 1 || index == last) {
                hash = nodeHash(proof[i], hash);
                // An unpaired last node rose without siblings: skip the levels it skipped.
                while (index % 2 == 0 && index != 0) {
                    index >>= 1;
                    last >>= 1;
                }
            } else {
                hash = nodeHash(hash, proof[i]);
            }
            index >>= 1;
            last >>= 1;
        }
        return last == 0 && hash == expected;
    }
}
