// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {EfficientHashLib} from "solady/src/utils/EfficientHashLib.sol";
import {Seat} from "./Seat.sol";

/// @title Drawing a panel
/// @notice Decision 22. Draw numbers form one endless sequence per seed: the caller takes draw 0, 1, 2 … and skips the
/// indexes it must refuse (already drawn, excluded principal).
library PanelDraw {
    /// What a seat weighs at most: below 4/3 of the least, so that of seven heads four outvote three.
    uint16 internal constant MOST_WEIGHT = 133;

    /// @notice There is no candidate to draw from.
    error EmptyPool();

    /// @notice The seed of a node's panel; `blockHash` is of the commit's block, unknown when the commit was made.
    function seed(bytes32 blockHash, address mission, uint8 node, uint8 attempt) internal pure returns (bytes32) {
        return keccak256(abi.encode(blockHash, mission, node, attempt));
    }

    /// @notice Index of draw number `draw` among `n`. The remainder of 256 bits is uneven by less than n / 2²⁵⁶.
    function next(bytes32 seed_, uint256 draw, uint256 n) internal pure returns (uint256) {
        if (n == 0) revert EmptyPool();
        return uint256(EfficientHashLib.hash(seed_, bytes32(draw))) % n;
    }

    /// @notice Weight of everyone drawn, heard or not. A member that lost its weight after the draw keeps its place: the
    /// others do not decide more easily for it.
    /// @param panel at most 255 seats
    function drawn(Seat[] memory panel) internal pure returns (uint256 weight) {
        // Weights of sixteen bits each.
        unchecked {
            for (uint256 i = 0; i < panel.length; ++i) {
                uint256 one = panel[i].weight();
                weight += one == 0 ? MOST_WEIGHT : one;
            }
        }
    }
}
