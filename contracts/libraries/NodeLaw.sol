// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {Band, Risk, Tier} from "../types/Law.sol";

/// @notice What the law says of one node but its predecessors: word B of `LawCodec`, read field by field.
type NodeLaw is uint256;

using NodeLaws for NodeLaw global;

/// @title Fields of a node's law
/// @notice A mission asks for two or three of fourteen: to read them where they stand is cheaper than to decode them all. Every narrowing
/// takes the field's own bits.
library NodeLaws {
    uint256 internal constant HIGHEST_FLOOR = 5;

    function capabilities(NodeLaw law) internal pure returns (uint80) {
        // The low bits are the capabilities.
        return uint80(NodeLaw.unwrap(law));
    }

    /// @notice Smallest unit.
    function budget(NodeLaw law) internal pure returns (uint64) {
        return uint64(NodeLaw.unwrap(law) >> 80);
    }

    /// @notice Seconds.
    function reviewWindow(NodeLaw law) internal pure returns (uint24) {
        return uint24(NodeLaw.unwrap(law) >> 144);
    }

    /// @notice Seconds.
    function timeout(NodeLaw law) internal pure returns (uint16) {
        return uint16(NodeLaw.unwrap(law) >> 168);
    }

    function predicate(NodeLaw law) internal pure returns (uint16) {
        return uint16(NodeLaw.unwrap(law) >> 184);
    }

    function panelSize(NodeLaw law) internal pure returns (uint8) {
        return uint8((NodeLaw.unwrap(law) >> 200) & 7);
    }

    function tier(NodeLaw law) internal pure returns (Tier) {
        return Tier((NodeLaw.unwrap(law) >> 203) & 3);
    }

    /// @notice Executor slots.
    function redundancy(NodeLaw law) internal pure returns (uint8) {
        return uint8((NodeLaw.unwrap(law) >> 205) & 7);
    }

    /// @notice Executors that must agree.
    function threshold(NodeLaw law) internal pure returns (uint8) {
        return uint8((NodeLaw.unwrap(law) >> 208) & 7);
    }

    function risk(NodeLaw law) internal pure returns (Risk) {
        return Risk((NodeLaw.unwrap(law) >> 211) & 3);
    }

    /// @notice An `EvidenceClass`.
    function floor(NodeLaw law) internal pure returns (uint8) {
        return uint8((NodeLaw.unwrap(law) >> 213) & 7);
    }

    /// @notice Bit per `Question`.
    function questions(NodeLaw law) internal pure returns (uint8) {
        return uint8((NodeLaw.unwrap(law) >> 216) & 3);
    }

    function leaf(NodeLaw law) internal pure returns (bool) {
        return (NodeLaw.unwrap(law) >> 218) & 1 == 1;
    }

    function band(NodeLaw law) internal pure returns (Band) {
        return Band((NodeLaw.unwrap(law) >> 219) & 3);
    }

    function anyCode(NodeLaw law) internal pure returns (bool) {
        return (NodeLaw.unwrap(law) >> 221) & 1 == 1;
    }

    /// @notice Whether every bit means something.
    function isWellFormed(NodeLaw law) internal pure returns (bool) {
        uint256 word = NodeLaw.unwrap(law);
        return word >> 222 == 0 && (word >> 211) & 3 <= uint256(type(Risk).max) && floor(law) <= HIGHEST_FLOOR;
    }
}
