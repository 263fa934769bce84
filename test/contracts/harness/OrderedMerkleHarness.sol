// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {OrderedMerkle} from "../../../contracts/libraries/OrderedMerkle.sol";

/// @dev Batched doors to the tree.
contract OrderedMerkleHarness {
    struct Inclusion {
        bytes32 root;
        bytes32 entry;
        uint256 index;
        uint256 size;
        bytes32[] proof;
    }

    function roots(bytes32[][] memory trees) external pure returns (bytes32[] memory all) {
        all = new bytes32[](trees.length);
        for (uint256 i = 0; i < trees.length; ++i) all[i] = OrderedMerkle.root(trees[i]);
    }

    function verify(Inclusion[] memory claims) external pure returns (bool[] memory ok) {
        ok = new bool[](claims.length);
        for (uint256 i = 0; i < claims.length; ++i) {
            Inclusion memory c = claims[i];
            ok[i] = OrderedMerkle.verify(c.root, c.entry, c.index, c.size, c.proof);
        }
    }
}
