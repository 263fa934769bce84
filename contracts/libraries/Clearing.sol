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
/// question's confidence is ⌊ΣW·c / ΣW⌋ over its heavier side, 0 where no side has won. The score is the weighted lower median of what
/// PASS verdicts give. Score and agreeing slots are zero unless the node passes. Class and basis describe all survivors.
library Clearing {
    uint256 private constant QUESTIONS = 2;
    uint256 private constant MAX_SLOTS = 8;

    /// @dev Sums over the survivors of one question, by side: 0 PASS, 1 FAIL, 2 unsure.
    struct Side {
        uint256 weight;
        uint256 confidence;
    }

    /// @dev What surviving PASS verdicts say about the work.
    struct Praise {
        uint256 weight;
        /// Which verdicts they are, bit per place: at most seven members answer two questions.
        uint256 places;
        uint256[MAX_SLOTS] agreeing;
    }

    /// @param verdicts at most one per verifier and question; their signatures are the caller's business
    /// @param classWords effective classes, one word per executor slot, three bits per item
    /// @param floor the node's floor: one class
    /// @param questions bitmap of asked questions
    /// @param minConfidence basis points
    /// @param slots executor slots, ≤ 8
    /// @param drawn weight of the whole panel
    function decide(
        WeighedVerdict[] memory verdicts,
        uint256[] memory classWords,
        EvidenceClass floor,
        uint8 questions,
        uint16 minConfidence,
        uint8 slots,
        uint256 drawn
    ) internal pure returns (ClearingDecision memory d) {
        Side[3][QUESTIONS] memory sides;
        Praise memory praise;
        for (uint256 i = 0; i < verdicts.length; ++i) {
            WeighedVerdict memory v = verdicts[i];
            if (!_asks(questions, uint256(v.question)) || !_isAnswer(v)) continue;
            EvidenceClass class = Admissibility.meetOver(v.basis, classWords);
            if (v.basis == 0 || !_existing(v.basis, classWords) || !Admissibility.geq(class, floor)) continue;
            d.class = d.basis == 0 ? class : Admissibility.join(d.class, class);
            d.basis |= v.basis;
            bool sure = v.confidence >= minConfidence;
            bool praises = sure && v.result == VerdictResult.PASS;
            Side memory side = sides[uint256(v.question)][
                !sure
                    ? 2
                    : praises
                        ? 0
                        : 1
            ];
            side.weight += v.weight;
            side.confidence += uint256(v.weight) * v.confidence;
            if (!praises) continue;
            praise.places |= 1 << i;
            _praise(praise, v, slots);
        }
        (d.result, d.confidence) = _overall(sides, questions, drawn);
        if (d.result != ClearingResult.PASS) return d;
        d.score = _median(verdicts, praise);
        for (uint256 s = 0; s < slots; ++s) {
            // At most five slots.
            if (2 * praise.agreeing[s] > drawn) d.agreeing |= uint8(1 << s);
        }
    }

    function _overall(
        Side[3][QUESTIONS] memory sides,
        uint8 questions,
        uint256 drawn
    ) private pure returns (ClearingResult result, uint16 confidence) {
        result = ClearingResult.NONE;
        for (uint256 q = 0; q < QUESTIONS; ++q) {
            if (!_asks(questions, q)) continue;
            (ClearingResult answer, uint16 sure) = _answer(sides[q], drawn);
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

    function _answer(Side[3] memory sides, uint256 drawn) private pure returns (ClearingResult, uint16) {
        Side memory pass = sides[0];
        Side memory fail = sides[1];
        if (pass.weight + fail.weight + sides[2].weight == 0) return (ClearingResult.UNVERIFIABLE, 0);
        bool passed = pass.weight > fail.weight;
        Side memory heavier = passed ? pass : fail;
        if (pass.weight == fail.weight || 2 * heavier.weight <= drawn) return (ClearingResult.DISPUTED, 0);
        // A mean of confidences, at most the whole.
        uint16 confidence = uint16(heavier.confidence / heavier.weight);
        return (passed ? ClearingResult.PASS : ClearingResult.FAIL, confidence);
    }

    /// @dev Which answer decides when questions differ.
    function _rank(ClearingResult r) private pure returns (uint256) {
        if (r == ClearingResult.FAIL) return 4;
        if (r == ClearingResult.UNVERIFIABLE) return 3;
        if (r == ClearingResult.DISPUTED) return 2;
        return r == ClearingResult.PASS ? 1 : 0;
    }

    function _praise(Praise memory p, WeighedVerdict memory v, uint256 slots) private pure {
        p.weight += v.weight;
        for (uint256 s = 0; s < slots; ++s) {
            if ((v.agreeing >> s) & 1 == 1) p.agreeing[s] += v.weight;
        }
    }

    /// @dev The least score that half of the weight does not exceed.
    function _median(WeighedVerdict[] memory verdicts, Praise memory p) private pure returns (uint16 score) {
        score = type(uint16).max;
        for (uint256 i = 0; i < verdicts.length; ++i) {
            uint16 candidate = verdicts[i].score;
            if ((p.places >> i) & 1 == 0 || candidate >= score) continue;
            uint256 upTo = 0;
            for (uint256 j = 0; j < verdicts.length; ++j) {
                if ((p.places >> j) & 1 == 1 && verdicts[j].score <= candidate) upTo += verdicts[j].weight;
            }
            if (2 * upTo >= p.weight) score = candidate;
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

    /// @dev No bit names an item of a slot that has no class word.
    function _existing(uint256 basis, uint256[] memory classWords) private pure returns (bool) {
        uint256 slots = classWords.length;
        return slots >= MAX_SLOTS || basis >> (Admissibility.ITEMS_PER_SLOT * slots) == 0;
    }
}
