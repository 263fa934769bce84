// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {
    ClearingDecision,
    ClearingResult,
    EvidenceClass,
    Question,
    VerdictResult
} from "../../../contracts/types/Evidence.sol";
import {Admissibility} from "../../../contracts/libraries/Admissibility.sol";
import {Clearing} from "../../../contracts/libraries/Clearing.sol";
import {WeighedVerdict, WeighedVerdicts} from "../../../contracts/libraries/WeighedVerdict.sol";

/// @dev Batched doors to Γ and its order.
contract ClearingHarness {
    struct Said {
        Question question;
        VerdictResult result;
        uint16 weight;
        uint16 confidence;
        uint16 score;
        uint160 basis;
        uint8 agreeing;
    }

    struct Case {
        Said[] verdicts;
        uint256[] classWords;
        EvidenceClass floor;
        uint8 questions;
        uint16 minConfidence;
        uint8 slots;
        uint256 drawn;
        uint256 seats;
    }

    function decide(Case[] memory cases) external pure returns (ClearingDecision[] memory decisions) {
        decisions = new ClearingDecision[](cases.length);
        for (uint256 i = 0; i < cases.length; ++i) {
            Case memory c = cases[i];
            uint256[6] memory graded = _grade(c.classWords);
            Clearing.Count memory count;
            count.praise = new uint256[](c.verdicts.length);
            for (uint256 k = 0; k < c.verdicts.length; ++k) {
                Clearing.weigh(count, _pack(c.verdicts[k]), graded, c.floor, c.questions, c.minConfidence);
            }
            Clearing.conclude(count, decisions[i], c.questions, c.slots, c.drawn, c.seats);
            if (decisions[i].result == ClearingResult.PASS) decisions[i].score = Clearing.median(count);
        }
    }

    /// @dev As openings and issuers grade items, one class word per slot.
    function _grade(uint256[] memory words) private pure returns (uint256[6] memory graded) {
        graded[0] = Admissibility.itemsOf(words.length);
        for (uint256 slot = 0; slot < words.length; ++slot) {
            Admissibility.claim(graded, slot, words[slot], 32, EvidenceClass.SELF);
            for (uint256 item = 0; item < 32; ++item) {
                EvidenceClass class = Admissibility.classAt(words[slot], item);
                if (class > EvidenceClass.SIGN) Admissibility.raise(graded, slot, words[slot], item, class);
            }
        }
    }

    function _pack(Said memory v) private pure returns (WeighedVerdict) {
        WeighedVerdict word = WeighedVerdicts.pack(v.question, v.result, v.confidence, v.score, v.agreeing, v.basis);
        return word.weighed(v.weight, 0);
    }

    /// @dev geq, meet and join of every pair, row by row.
    function order()
        external
        pure
        returns (bool[36] memory geq, EvidenceClass[36] memory meet, EvidenceClass[36] memory join)
    {
        for (uint256 k = 0; k < 36; ++k) {
            (EvidenceClass a, EvidenceClass b) = (EvidenceClass(k / 6), EvidenceClass(k % 6));
            (geq[k], meet[k], join[k]) = (Admissibility.geq(a, b), Admissibility.meet(a, b), Admissibility.join(a, b));
        }
    }

    function meetOver(
        uint256[] memory bases,
        uint256[][] memory classWords
    ) external pure returns (EvidenceClass[] memory y) {
        y = new EvidenceClass[](bases.length);
        for (uint256 i = 0; i < bases.length; ++i) y[i] = Admissibility.meetOver(bases[i], _grade(classWords[i]));
    }

    function reaches(
        uint256[] memory words,
        uint256[] memory items,
        EvidenceClass floor
    ) external pure returns (bool[] memory y) {
        y = new bool[](words.length);
        for (uint256 i = 0; i < words.length; ++i)
            y[i] = Admissibility.reaches(Admissibility.firstOf(words[i], items[i]), floor);
    }

    function classAt(uint256 word, uint256 item) external pure returns (EvidenceClass) {
        return Admissibility.classAt(word, item);
    }
}
