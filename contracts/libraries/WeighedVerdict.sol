// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {Question, VerdictResult} from "../types/Evidence.sol";

/// @notice One verifier's contribution to a clearing decision. Bits from the lowest, those of a wave (`Wire`) first: basis 160, agreeing 8,
/// score 16, confidence 16, result 8, question 8; then its weight 16 and which answer it is on its panel 8.
type WeighedVerdict is uint256;

using WeighedVerdicts for WeighedVerdict global;

/// @title Fields of a verdict that is weighed
/// @notice Each is read once or twice of each verdict: to read them where they stand is cheaper than to spread them. Every narrowing takes the
/// field's own bits, and each is at most as wide as what is returned.
library WeighedVerdicts {
    uint256 private constant AGREEING = 160;
    uint256 private constant SCORE = 168;
    uint256 private constant CONFIDENCE = 184;
    uint256 private constant RESULT = 200;
    uint256 private constant QUESTION = 208;
    uint256 private constant WEIGHT = 216;
    uint256 private constant ANSWER = 232;

    /// @notice A verdict as it stands in a wave.
    function pack(
        Question question_,
        VerdictResult result_,
        uint16 confidence_,
        uint16 score_,
        uint8 agreeing_,
        uint160 basis_
    ) internal pure returns (WeighedVerdict) {
        uint256 word = (uint256(question_) << QUESTION) | (uint256(result_) << RESULT);
        word |= (uint256(confidence_) << CONFIDENCE) | (uint256(score_) << SCORE);
        return WeighedVerdict.wrap(word | (uint256(agreeing_) << AGREEING) | basis_);
    }

    /// @notice The verdict of a wave with what its panel adds.
    /// @param answer_ at most 255
    function weighed(WeighedVerdict v, uint16 weight_, uint256 answer_) internal pure returns (WeighedVerdict) {
        return WeighedVerdict.wrap(WeighedVerdict.unwrap(v) | (uint256(weight_) << WEIGHT) | (answer_ << ANSWER));
    }

    /// @notice Bitmap over the node's evidence items; item i of executor slot s is bit 32·s + i.
    function basis(WeighedVerdict v) internal pure returns (uint256) {
        // The low bits are the basis.
        return uint160(WeighedVerdict.unwrap(v));
    }

    /// @notice Executor slots the verifier found in agreement (consensus, tier 2); bit per slot.
    function agreeing(WeighedVerdict v) internal pure returns (uint8) {
        return uint8(WeighedVerdict.unwrap(v) >> AGREEING);
    }

    /// @notice 0–10,000 basis points.
    function score(WeighedVerdict v) internal pure returns (uint16) {
        return uint16(WeighedVerdict.unwrap(v) >> SCORE);
    }

    /// @notice 0–10,000 basis points.
    function confidence(WeighedVerdict v) internal pure returns (uint16) {
        return uint16(WeighedVerdict.unwrap(v) >> CONFIDENCE);
    }

    function result(WeighedVerdict v) internal pure returns (VerdictResult) {
        return VerdictResult(uint8(WeighedVerdict.unwrap(v) >> RESULT));
    }

    /// @notice A `Question`.
    function question(WeighedVerdict v) internal pure returns (uint256) {
        return uint8(WeighedVerdict.unwrap(v) >> QUESTION);
    }

    /// @notice Verifier's prior weight, > 0.
    function weight(WeighedVerdict v) internal pure returns (uint16) {
        return uint16(WeighedVerdict.unwrap(v) >> WEIGHT);
    }

    /// @notice Which of its panel's answers it is.
    function answer(WeighedVerdict v) internal pure returns (uint256) {
        return WeighedVerdict.unwrap(v) >> ANSWER;
    }

    function withoutBasis(WeighedVerdict v) internal pure returns (WeighedVerdict) {
        return WeighedVerdict.wrap((WeighedVerdict.unwrap(v) >> AGREEING) << AGREEING);
    }

    function withoutConfidence(WeighedVerdict v) internal pure returns (WeighedVerdict) {
        return WeighedVerdict.wrap(WeighedVerdict.unwrap(v) & ~(uint256(type(uint16).max) << CONFIDENCE));
    }
}
