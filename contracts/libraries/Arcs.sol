// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

/// @title Transition tables
/// @notice A table is one word: sixteen bits per source state, source 0 lowest; bit t of a source allows target t.
/// The tables themselves are in `MissionTransitions`, `NodeTransitions` and `SessionTransitions`.
library Arcs {
    /// @notice No arc of the graph leads from `from` to `to`.
    error IllegalTransition(uint8 from, uint8 to);

    /// @notice Bitmap of the targets that `from` may go to.
    function targets(uint256 table, uint8 from) internal pure returns (uint256) {
        return from < 16 ? (table >> (16 * uint256(from))) & 0xffff : 0;
    }

    /// @notice Reverts unless the table holds the arc.
    function requireArc(uint256 table, uint8 from, uint8 to) internal pure {
        if ((targets(table, from) >> to) & 1 == 0) revert IllegalTransition(from, to);
    }
}
