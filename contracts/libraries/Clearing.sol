// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {DynamicArrayLib} from "solady/src/utils/DynamicArrayLib.sol";
import {ClearingDecision, ClearingResult, EvidenceClass, VerdictResult} from "../types/Evidence.sol";
import {Admissibility} from "./Admissibility.sol";
import {BasisPoints} from "./BasisPoints.sol";
import {WeighedVerdict} from "./WeighedVerdict.sol";

/// @title Γ, the clearing of one node
/// @notice RAILS 5.3 and A.4.2, decisions 21 and 23. A verdict *survives* if it answers an asked question with PASS or
/// FAIL, has weight, and every item it rests on is ⪰ the floor; an empty basis never does. Only survivors exist below.
///
/// | per question             | result       | overall, first that holds      | confidence                        |
/// |--------------------------|--------------|--------------------------------|-----------------------------------|
/// | no survivors             | UNVERIFIABLE | any FAIL → FAIL                | greatest of the failed questions  |
/// | equal weights            | DISPUTED     | any UNVERIFIABLE, none asked   | 0                                 |
/// | half of `drawn` or less, | DISPUTED     | any DISPUTED → DISPUTED        | 0                                 |
/// | or half of the heads     |              |                                |                                   |
/// | more weight on PASS/FAIL | PASS / FAIL  | PASS                           | least of the questions            |
///
/// A side needs more than half of the weight that was drawn and of the heads, and so does a slot that is to be in agreement (decision 55): who
/// is absent, abstains, rests on too little or is less confident than the minimum (decision 56) counts for neither, whoever submits verdicts. A
/// question's confidence is ⌊ΣW·c⌋ of the side that has won over `drawn`, 0 where none has: a verdict that survives because an item was
/// proven better takes neither the decision nor its confidence away. The score is the weighted lower median of what PASS verdicts give.
/// Score and agreeing slots are zero unless the node passes. Class and basis describe all survivors.
library Clearing {
    using DynamicArrayLib for uint256[];

    uint256 private constant QUESTIONS = 2;
    // Sides of a question.
    uint256 private constant PASSED = 0;
    uint256 private constant FAILED = 1;
    uint256 private constant UNSURE = 2;
    uint256 private constant SIDES = 3;
    /// @dev A side's word: heads above, then its weight, the sum of weight times confidence below.
    uint256 private constant HEADS = 192;
    uint256 private constant WEIGHT = 128;
    /// @dev A verdict that praises the work: its score above, its weight below. A slot has a lane: heads above, weight below.
    uint256 private constant SCORE = 16;
    uint256 private constant LANE = 32;
    uint256 private constant LANE_HEADS = 24;
    /// @dev The lowest bit of each of the eight lanes; and what a byte is multiplied with to have a bit there for each of its own.
    uint256 private constant LANES = type(uint256).max / type(uint32).max;
    uint256 private constant SPREAD = ((1 << (8 * (LANE - 1))) - 1) / ((1 << (LANE - 1)) - 1);

    /// @dev What the surviving verdicts come to, one after the other.
    struct Count {
        EvidenceClass class;
        uint256 basis;
        uint256[6] sides;
        uint256[] praise;
        uint256 praised;
        /// Weight and heads that find a slot in agreement, a lane per slot, lowest first.
        uint256 agreeing;
    }

    /// @notice Takes down one verdict, if it survives. At most one is asked of a verifier and question; its signature is the caller's business.
    /// @param c with room for every verdict in `praise`
    /// @param graded the node's items by class (`Admissibility.grade`)
    /// @param floor the node's floor: one class
    /// @param questions bitmap of asked questions
    /// @param minConfidence basis points: who is less confident counts for neither side
    /// @return survives whether it does
    function weigh(
        Count memory c,
        WeighedVerdict v,
        uint256[6] memory graded,
        EvidenceClass floor,
        uint8 questions,
        uint16 minConfidence
    ) internal pure returns (bool survives) {
        uint256 basis = v.basis();
        survives = isAnswer(v, questions) && Admissibility.isAdmissible(basis, graded[uint256(floor)]);
        if (!survives) return false;
        c.class = Admissibility.join(c.class, Admissibility.meetOver(basis, graded));
        c.basis |= basis;
        uint256 side = UNSURE;
        uint256 confidence = v.confidence();
        if (confidence >= minConfidence) side = v.result() == VerdictResult.PASS ? PASSED : FAILED;
        if (side == PASSED) _praise(c, v, _isFirst(questions, v.question()));
        uint256 weight = v.weight();
        // Products of sixteen bits each: no sum overflows.
        unchecked {
            c.sides[SIDES * v.question() + side] += (uint256(1) << HEADS) + (weight << WEIGHT) + weight * confidence;
        }
    }

    /// @notice Writes what the weighed verdicts come to into `d`, without a score.
    /// @param d a decision to which nothing was written yet
    /// @param slots executor slots, ≤ 8
    /// @param drawn weight of the whole panel, at least that of the verdicts on a question
    /// @param seats members of the whole panel
    function conclude(
        Count memory c,
        ClearingDecision memory d,
        uint8 questions,
        uint8 slots,
        uint256 drawn,
        uint256 seats
    ) internal pure {
        (d.class, d.basis) = (c.class, c.basis);
        (d.result, d.confidence) = _overall(c.sides, questions, drawn, seats);
        if (d.result == ClearingResult.PASS) d.agreeing = _agreeing(c.agreeing, slots, drawn, seats);
    }

    /// @param once whether its agreement counts: a member that answers two questions finds a slot in agreement once
    function _praise(Count memory c, WeighedVerdict v, bool once) private pure {
        // At most fourteen verdicts: a lane holds their weights.
        unchecked {
            c.praise[c.praised++] = (uint256(v.score()) << SCORE) | v.weight();
            if (once) c.agreeing += ((v.agreeing() * SPREAD) & LANES) * ((1 << LANE_HEADS) | uint256(v.weight()));
        }
    }

    function _overall(
        uint256[6] memory sides,
        uint8 questions,
        uint256 drawn,
        uint256 seats
    ) private pure returns (ClearingResult result, uint16 confidence) {
        result = ClearingResult.NONE;
        for (uint256 q = 0; q < QUESTIONS; ++q) {
            if (!_asks(questions, q)) continue;
            (ClearingResult answer, uint16 sure) = _answer(sides, SIDES * q, drawn, seats);
            uint256 rank = _rank(answer);
            uint256 ranked = _rank(result);
            if (rank > ranked) {
                (result, confidence) = (answer, sure);
            } else if (rank == ranked && (answer == ClearingResult.FAIL ? sure > confidence : sure < confidence)) {
                confidence = sure;
            }
        }
        if (result == ClearingResult.NONE) result = ClearingResult.UNVERIFIABLE;
    }

    function _answer(
        uint256[6] memory sides,
        uint256 first,
        uint256 drawn,
        uint256 seats
    ) private pure returns (ClearingResult, uint16) {
        uint256 pass = sides[first + PASSED];
        uint256 fail = sides[first + FAILED];
        if (pass | fail | sides[first + UNSURE] == 0) return (ClearingResult.UNVERIFIABLE, 0);
        bool passed = _weight(pass) > _weight(fail);
        uint256 side = passed ? pass : fail;
        if (2 * _weight(side) <= drawn || 2 * (side >> HEADS) <= seats) return (ClearingResult.DISPUTED, 0);
        // A share of confidences, at most the whole.
        uint16 confidence = uint16(uint128(side) / drawn);
        return (passed ? ClearingResult.PASS : ClearingResult.FAIL, confidence);
    }

    function _weight(uint256 side) private pure returns (uint256) {
        // What lies between heads and confidence.
        return uint64(side >> WEIGHT);
    }

    /// @dev Which answer decides when questions differ.
    function _rank(ClearingResult r) private pure returns (uint256) {
        if (r == ClearingResult.FAIL) return 4;
        if (r == ClearingResult.UNVERIFIABLE) return 3;
        if (r == ClearingResult.DISPUTED) return 2;
        return r == ClearingResult.PASS ? 1 : 0;
    }

    /// @dev Slots that more than half of the weight that was drawn, and of the heads, finds in agreement, by those who praise.
    function _agreeing(
        uint256 lanes,
        uint256 slots,
        uint256 drawn,
        uint256 seats
    ) private pure returns (uint8 agreeing) {
        unchecked {
            for (uint256 s = 0; s < slots; ++s) {
                // A lane, and of it the weight, which fits the low 24 bits.
                uint256 lane = uint32(lanes >> (LANE * s));
                bool heavy = 2 * uint256(uint24(lane)) > drawn;
                // At most eight slots.
                if (heavy && 2 * (lane >> LANE_HEADS) > seats) agreeing |= uint8(1 << s);
            }
        }
    }

    /// @notice The least score that half of the weight of those who praise does not exceed.
    function median(Count memory c) internal pure returns (uint16 score) {
        // Sixteen bits of the word: it is alone.
        if (c.praised == 1) return uint16(c.praise.get(0) >> SCORE);
        uint256 whole = _weightUpTo(c, type(uint16).max);
        score = type(uint16).max;
        unchecked {
            for (uint256 i = 0; i < c.praised; ++i) {
                // Sixteen bits of the word.
                uint16 candidate = uint16(c.praise.get(i) >> SCORE);
                if (candidate < score && 2 * _weightUpTo(c, candidate) >= whole) score = candidate;
            }
        }
    }

    function _weightUpTo(Count memory c, uint256 score) private pure returns (uint256 weight) {
        unchecked {
            for (uint256 i = 0; i < c.praised; ++i) {
                uint256 praise = c.praise.get(i);
                // The low bits are the weight.
                if (praise >> SCORE <= score) weight += uint16(praise);
            }
        }
    }

    function _asks(uint8 questions, uint256 question) private pure returns (bool) {
        return (questions >> question) & 1 == 1;
    }

    /// @dev Whether no question is asked before it.
    function _isFirst(uint8 questions, uint256 question) private pure returns (bool) {
        return uint256(questions) & ((1 << question) - 1) == 0;
    }

    /// @notice Whether a verdict says anything: an abstention, one without weight, one beyond its scales and one that nobody asked for do not.
    function isAnswer(WeighedVerdict v, uint8 questions) internal pure returns (bool) {
        return
            _asks(questions, v.question()) &&
            v.result() != VerdictResult.ABSTAIN &&
            v.weight() != 0 &&
            v.confidence() <= BasisPoints.WHOLE &&
            v.score() <= BasisPoints.WHOLE;
    }
}
