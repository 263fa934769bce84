// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {DynamicArrayLib} from "solady/src/utils/DynamicArrayLib.sol";
import {Seat} from "../libraries/Seat.sol";
import {ClearingDecision, ClearingResult, EvidenceClass} from "../types/Evidence.sol";

/// @dev The result of a hearing, for the call that concludes it.
struct Ruling {
    uint8 node;
    ClearingDecision decision;
    /// Slots with an item that is proven ⪰ the floor; of them those in agreement; slots beside them that are late.
    uint8 proven;
    uint8 agreeing;
    uint8 late;
    /// A HIGH node with a principal that has more than one seat on its panel.
    bool crowded;
    /// Verifiers whose verdicts counted, as `NodeWord` keeps them.
    uint256 seats;
    /// Of the slots in agreement.
    bytes32 output;
    /// Why nothing is decided, an error's selector; zero if something is.
    bytes4 fault;
}

/// @dev All of a call's, and what they have in common.
struct Judgement {
    /// By `RulingWords`.
    uint256[] rulings;
    /// Of the panels that decided: all members, and those that did not answer.
    Seat[] seats;
    address[] absent;
    /// The first ruling's that decides nothing, with its values.
    bytes fault;
}

/// @title A ruling in three words
/// @notice Rulings go from one library to another as words: coded field by field they cost a clearing more than the votes. The second word is
/// the decision's basis, the third the output. Bits of the first from the lowest:
///
/// | field      | bits  | field    | bits  | field   | bits    |
/// |------------|-------|----------|-------|---------|---------|
/// | node       | 0–7   | result   | 8–15  | class   | 16–23   |
/// | confidence | 24–39 | score    | 40–55 | found   | 56–63   |
/// | proven     | 64–71 | agreeing | 72–79 | late    | 80–87   |
/// | crowded    | 88    | fault    | 96–127| seats   | 128–232 |
///
/// `found` are the decision's agreeing slots. Every narrowing takes the field's own bits.
library RulingWords {
    using DynamicArrayLib for uint256[];

    uint256 internal constant WORDS = 3;

    /// @param words with room for this ruling
    function put(uint256[] memory words, uint256 index, Ruling memory r) internal pure {
        ClearingDecision memory d = r.decision;
        uint256 word =
            r.node |
                (uint256(d.result) << 8) |
                (uint256(d.class) << 16) |
                (uint256(d.confidence) << 24) |
                (uint256(d.score) << 40) |
                (uint256(d.agreeing) << 56) |
                (uint256(r.proven) << 64) |
                (uint256(r.agreeing) << 72) |
                (uint256(r.late) << 80) |
                (uint256(uint32(r.fault)) << 96) |
                (r.seats << 128);
        if (r.crowded) word |= 1 << 88;
        words.set(WORDS * index, word).set(WORDS * index + 1, d.basis).set(WORDS * index + 2, r.output);
    }

    /// @notice Reads a ruling into one that is there.
    function read(uint256[] memory words, uint256 index, Ruling memory r) internal pure {
        ClearingDecision memory d = r.decision;
        uint256 word = words.get(WORDS * index);
        // The low bits are the node.
        r.node = uint8(word);
        d.result = ClearingResult(uint8(word >> 8));
        d.class = EvidenceClass(uint8(word >> 16));
        d.confidence = uint16(word >> 24);
        d.score = uint16(word >> 40);
        d.agreeing = uint8(word >> 56);
        r.proven = uint8(word >> 64);
        r.agreeing = uint8(word >> 72);
        r.late = uint8(word >> 80);
        r.crowded = (word >> 88) & 1 == 1;
        r.fault = bytes4(uint32(word >> 96));
        r.seats = word >> 128;
        (d.basis, r.output) = (words.get(WORDS * index + 1), words.getBytes32(WORDS * index + 2));
    }
}
