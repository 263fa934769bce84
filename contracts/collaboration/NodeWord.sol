// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {NodeState} from "../types/States.sol";
import {MissionStorage} from "./MissionStorage.sol";

/// @title One word per node
/// @notice A node's word is read once, changed in memory and written once; packed by hand, because the compiler would read
/// and write it once for every field. Bits from the lowest:
///
/// | field       | bits    | field      | bits    | field       | bits    |
/// |-------------|---------|------------|---------|-------------|---------|
/// | state       | 0–3     | attempt    | 4–11    | clock       | 12–51   |
/// | remainder   | 52–67   | commitMask | 68–72   | revealMask  | 73–77   |
/// | agreeing    | 78–82   | redraws    | 83      | freezeCount | 84–91   |
/// | flags       | 92–101  | share      | 102–115 | drawBlock   | 116–147 |
/// | seats       | 148–252 | zero       | 253–255 |             |         |
///
/// The clock is `settlesAt` of a recorded node, whose work has no deadline any more, and `deadline` of every other one.
library NodeWord {
    uint256 private constant MASK = 0x1f;
    uint256 private constant FLAGS = 0x3ff;
    uint256 private constant SEAT_BITS = 15;
    uint256 private constant SEAT = (1 << SEAT_BITS) - 1;
    uint256 internal constant SEATS = 7;

    /// @notice Reads the word into a node that is there: to make one costs as much again.
    function read(uint256 word, MissionStorage.Node memory w) internal pure {
        w.state = NodeState(word & 0xf);
        w.attempt = attemptOf(word);
        w.remainder = uint16(word >> 52);
        w.commitMask = uint8((word >> 68) & MASK);
        w.revealMask = uint8((word >> 73) & MASK);
        w.agreeing = uint8((word >> 78) & MASK);
        w.redraws = uint8((word >> 83) & 1);
        w.freezeCount = uint8(word >> 84);
        w.flags = flagsOf(word);
        w.share = uint16((word >> 102) & 0x3fff);
        w.drawBlock = uint32(word >> 116);
        w.seats = word >> 148;
        uint40 clock = uint40(word >> 12);
        (w.deadline, w.settlesAt) = w.flags & MissionStorage.RECORDED != 0 ? (uint40(0), clock) : (clock, uint40(0));
    }

    function attemptOf(uint256 word) internal pure returns (uint8) {
        // Eight bits of the word.
        return uint8(word >> 4);
    }

    /// @notice Whether something is committed of which nothing is decided yet.
    function isUndecided(uint256 word) internal pure returns (bool) {
        uint256 state = word & 0xf;
        bool decided = state == uint256(NodeState.COMPLETED) || state == uint256(NodeState.FAILED);
        return !decided && (word >> 68) & MASK != 0;
    }

    function flagsOf(uint256 word) internal pure returns (uint16) {
        // Ten bits of the word.
        return uint16((word >> 92) & FLAGS);
    }

    function pack(MissionStorage.Node memory w) internal pure returns (uint256 word) {
        uint40 clock = w.flags & MissionStorage.RECORDED != 0 ? w.settlesAt : w.deadline;
        word =
            uint256(w.state) |
            (uint256(w.attempt) << 4) |
            (uint256(clock) << 12) |
            (uint256(w.remainder) << 52) |
            ((w.commitMask & MASK) << 68) |
            ((w.revealMask & MASK) << 73) |
            ((w.agreeing & MASK) << 78) |
            (uint256(w.redraws & 1) << 83) |
            (uint256(w.freezeCount) << 84) |
            (uint256(w.flags) << 92) |
            (uint256(w.share & 0x3fff) << 102) |
            (uint256(w.drawBlock) << 116) |
            (w.seats << 148);
    }

    /// @notice Number of the verifier in place `place`, of `EvidenceRegistry`; zero if the place is empty.
    function seatAt(uint256 seats, uint256 place) internal pure returns (uint16) {
        return uint16((seats >> (SEAT_BITS * place)) & SEAT);
    }

    function withSeat(uint256 seats, uint256 place, uint16 serial) internal pure returns (uint256) {
        return seats | (uint256(serial) << (SEAT_BITS * place));
    }

    /// @notice Places taken; they are taken in order.
    function seated(uint256 seats) internal pure returns (uint256 places) {
        for (; seats != 0; seats >>= SEAT_BITS) ++places;
    }
}
