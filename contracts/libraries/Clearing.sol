// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {ClearingDecision, ClearingResult, EvidenceClass, VerdictResult, WeighedVerdict} from "../types/Evidence.sol";
import {Admissibility} from "./Admissibility.sol";
import {BasisPoints} from "./BasisPoints.sol";

/// @title Γ, the clearing of one node
/// @notice RAILS 5.3 and A.4.2, decisions 21 and 23. A verdict *survives* if it answers an asked question with PASS or
/// FAIL, has weight, and every item it rests on is ⪰ the floor; an empty basis never does. Only survivors exist below.
///
/// | per question             | result       | overall, first that holds      | confidence                        |
/// |--------------------------|--------------|--------------------------------|-----------------------------------|
/// | no survivors             | UNVERIFIABLE | any FAIL → FAIL                | greatest of the failed questions  |
/// | equal weights            | DISPUTED     | any UNVERIFIABLE, none asked   | 0                                 |
/// | half of `drawn` or less  | DISPUTED     | any DISPUTED → DISPUTED        | 0                                 |
/// | more weight on PASS/FAIL | PASS / FAIL  | PASS                           | least of the questions            |
///
/// A side needs more than half of the weight that was drawn, and so does a slot that is to be in agreement (decision 55): who is absent,
/// abstains, rests on too little or is less confident than the minimum (decision 56) counts for neither, whoever hands verdicts in. A
/// question's confidence is ⌊ΣW·c⌋ of the side that has won over `drawn`, 0 where none has: a verdict that survives because an item was
/// proven better takes neither the decision nor its confidence away. The score is the weighted lower median of what PASS verdicts give.
/// Score and agreeing slots are zero unless the node passes. Class and basis describe all survivors.
library Clearing {
    uint256 private constant QUESTIONS = 2;
    // Sides of a question.
    uint256 private constant PASSED = 0;
    uint256 private constant FAILED = 1;
    uint256 private constant UNSURE = 2;
    uint256 private constant SIDES = 3;
    /// @dev A side's word: its weight above, the sum of weight times confidence below.
    uint256 private constant WEIGHT = 128;

    /// @param verdicts at most one per verifier and question, seven members answer two; their signatures are the caller's business
    /// @param graded the node's items by class (`Admissibility.grade`)
    /// @param floor the node's floor: one class
    /// @param questions bitmap of asked questions
    /// @param minConfidence basis points
    /// @param slots executor slots, ≤ 8
    /// @param drawn weight of the whole panel, at least that of the verdicts on a question
    function decide(
        WeighedVerdict[] memory verdicts,
        uint256[6] memory graded,
        EvidenceClass floor,
        uint8 questions,
        uint16 minConfidence,
        uint8 slots,
        uint256 drawn
    ) internal pure returns (ClearingDecision memory d) {
        uint256[6] memory sides;
        // Verdicts that praise the work, bit per verdict.
        uint256 praise = 0;
        // Products of sixteen bits each: no sum overflows.
        unchecked {
            for (uint256 i = 0; i < verdicts.length; ++i) {
                WeighedVerdict memory v = verdicts[i];
                if (!_asks(questions, uint256(v.question)) || !_isAnswer(v)) continue;
                if (!Admissibility.isAdmissible(v.basis, graded[uint256(floor)])) continue;
                d.class = Admissibility.join(d.class, Admissibility.meetOver(v.basis, graded));
                d.basis |= v.basis;
                uint256 side =
                    v.confidence < minConfidence
                        ? UNSURE
                        : v.result == VerdictResult.PASS
                            ? PASSED
                            : FAILED;
                if (side == PASSED) praise |= 1 << i;
                sides[SIDES * uint256(v.question) + side] +=
                    (uint256(v.weight) << WEIGHT) + uint256(v.weight) * v.confidence;
            }
        }
        (d.result, d.confidence) = _overall(sides, questions, drawn);
        if (d.result != ClearingResult.PASS) return d;
        d.score = _median(verdicts, praise);
        d.agreeing = _agreeing(verdicts, praise, slots, drawn);
    }

    function _overall(
        uint256[6] memory sides,
        uint8 questions,
        uint256 drawn
    ) private pure returns (ClearingResult result, uint16 confidence) {
        result = ClearingResult.NONE;
        for (uint256 q = 0; q < QUESTIONS; ++q) {
            if (!_asks(questions, q)) continue;
            (ClearingResult answer, uint16 sure) = _answer(sides, SIDES * q, drawn);
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
        uint256 drawn
    ) private pure returns (ClearingResult, uint16) {
        uint256 pass = sides[first + PASSED] >> WEIGHT;
        uint256 fail = sides[first + FAILED] >> WEIGHT;
        if (pass + fail + (sides[first + UNSURE] >> WEIGHT) == 0) return (ClearingResult.UNVERIFIABLE, 0);
        bool passed = pass > fail;
        uint256 heavier = passed ? pass : fail;
        if (pass == fail || 2 * heavier <= drawn) return (ClearingResult.DISPUTED, 0);
        // A share of confidences, at most the whole.
        uint16 confidence = uint16(uint128(sides[first + (passed ? PASSED : FAILED)]) / drawn);
        return (passed ? ClearingResult.PASS : ClearingResult.FAIL, confidence);
    }

    /// @dev Which answer decides when questions differ.
    function _rank(ClearingResult r) private pure returns (uint256) {
        if (r == ClearingResult.FAIL) return 4;
        if (r == ClearingResult.UNVERIFIABLE) return 3;
        if (r == ClearingResult.DISPUTED) return 2;
        return r == ClearingResult.PASS ? 1 : 0;
    }

    /// @dev Slots that more than half of the weight that was drawn finds in agreement, by those who praise.
    function _agreeing(
        WeighedVerdict[] memory verdicts,
        uint256 praise,
        uint256 slots,
        uint256 drawn
    ) private pure returns (uint8 agreeing) {
        unchecked {
            for (uint256 s = 0; s < slots; ++s) {
                uint256 weight = 0;
                for (uint256 i = 0; i < verdicts.length; ++i) {
                    if ((praise >> i) & 1 == 1 && (verdicts[i].agreeing >> s) & 1 == 1) weight += verdicts[i].weight;
                }
                // At most five slots.
                if (2 * weight > drawn) agreeing |= uint8(1 << s);
            }
        }
    }

    /// @dev The least score that half of the weight of those who praise does not exceed.
    function _median(WeighedVerdict[] memory verdicts, uint256 praise) private pure returns (uint16 score) {
        uint256 whole = _weightUpTo(verdicts, praise, type(uint16).max);
        score = type(uint16).max;
        unchecked {
            for (uint256 i = 0; i < verdicts.length; ++i) {
                uint16 candidate = verdicts[i].score;
                if ((praise >> i) & 1 == 0 || candidate >= score) continue;
                if (2 * _weightUpTo(verdicts, praise, candidate) >= whole) score = candidate;
            }
        }
    }

    function _weightUpTo(
        WeighedVerdict[] memory verdicts,
        uint256 praise,
        uint256 score
    ) private pure returns (uint256 weight) {
        unchecked {
            for (uint256 i = 0; i < verdicts.length; ++i) {
                if ((praise >> i) & 1 == 1 && verdicts[i].score <= score) weight += verdicts[i].weight;
            }
        }
    }

    function _asks(uint8 questions, uint256 question) private pure returns (bool) {
        return (questions >> question) & 1 == 1;
    }

    /// @dev An abstention, a verdict without weight and one beyond its scales say nothing.
    function _isAnswer(WeighedVerdict memory v) private pure returns (bool) {
        return
            v.result != VerdictResult.ABSTAIN &&
            v.weight != 0 &&
            v.confidence <= BasisPoints.WHOLE &&
            v.score <= BasisPoints.WHOLE;
    }
}
