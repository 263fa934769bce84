// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {Band, MissionParams, Risk} from "../types/Law.sol";
import {Terms} from "./Terms.sol";

/// @title One word of mission parameters
/// @notice The parameters a clone enforces, frozen when its session opens (decision 3). Bits from the lowest:
///
/// | field                     | bits    | field                     | bits    | field             | bits    |
/// |---------------------------|---------|---------------------------|---------|-------------------|---------|
/// | verificationTimeout       | 0–16    | maxHumanReviewTimeout     | 17–33   | escalationWindow  | 34–46   |
/// | maxRefinementIterations   | 47–50   | escalationFreezeCount     | 51–54   | scaling           | 55      |
/// | reputationScalingBonus    | 56–58   | protocolFeeRate           | 59–68   | insuranceRate     | 69–77   |
/// | reputationMultiplierAlpha | 78–88   | predicateGasLimit         | 89–108  | appealWindows     | 109–172 |
/// | minConfidence             | 173–214 | edition                   | 215–246 | zero              | 247–255 |
///
/// Every width holds its parameter's range (`ParamRanges`); the four appeal windows take 16 bits each, the three
/// confidences 14. What is read seldom is not copied: the edition of the parameter table says which values it had
/// (`IConstitutionContract.paramIn`).
library MissionParamsCodec {
    /// @notice A field is larger than its place in the word.
    error ParamTooLarge(uint256 firstBit, uint256 value);
    /// @notice A word with a set spare bit.
    error MalformedParams(uint256 word);

    function pack(MissionParams memory p) internal pure returns (uint256 word) {
        word =
            _place(p.verificationTimeout, 0, 17) |
            _place(p.maxHumanReviewTimeout, 17, 17) |
            _place(p.baseEscalationWindow, 34, 13) |
            _place(p.maxRefinementIterations, 47, 4) |
            _place(p.escalationFreezeCount, 51, 4) |
            _place(p.reputationScaling ? 1 : 0, 55, 1) |
            _place(p.reputationScalingBonus, 56, 3) |
            _place(p.protocolFeeRate, 59, 10) |
            _place(p.insuranceReserveRate, 69, 9) |
            _place(p.reputationMultiplierAlpha, 78, 11) |
            _place(p.predicateGasLimit, 89, 20) |
            _place(p.edition, 215, 32);
        for (uint256 band = 0; band < 4; ++band) word |= _place(p.appealWindows[band], 109 + 16 * band, 16);
        for (uint256 risk = 0; risk < 3; ++risk) word |= _place(p.minConfidence[risk], 173 + 14 * risk, 14);
    }

    function unpack(uint256 word) internal pure returns (MissionParams memory p) {
        if (word >> 247 != 0) revert MalformedParams(word);
        Terms terms = Terms.wrap(word);
        p.verificationTimeout = terms.verificationTimeout();
        p.maxHumanReviewTimeout = terms.maxHumanReviewTimeout();
        p.baseEscalationWindow = terms.baseEscalationWindow();
        p.maxRefinementIterations = terms.maxRefinementIterations();
        p.escalationFreezeCount = terms.escalationFreezeCount();
        p.reputationScaling = terms.reputationScaling();
        p.reputationScalingBonus = terms.reputationScalingBonus();
        p.protocolFeeRate = terms.protocolFeeRate();
        p.insuranceReserveRate = terms.insuranceReserveRate();
        p.reputationMultiplierAlpha = terms.reputationMultiplierAlpha();
        p.predicateGasLimit = terms.predicateGasLimit();
        for (uint256 band = 0; band < 4; ++band) p.appealWindows[band] = terms.appealWindow(Band(band));
        for (uint256 risk = 0; risk < 3; ++risk) p.minConfidence[risk] = terms.minConfidence(Risk(risk));
        p.edition = terms.edition();
    }

    function _place(uint256 value, uint256 firstBit, uint256 bits) private pure returns (uint256) {
        if (value >> bits != 0) revert ParamTooLarge(firstBit, value);
        return value << firstBit;
    }
}
