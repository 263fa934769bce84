// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {MissionParams} from "../types/Law.sol";

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
        p.verificationTimeout = uint24(word & 0x1ffff);
        p.maxHumanReviewTimeout = uint24((word >> 17) & 0x1ffff);
        p.baseEscalationWindow = uint16((word >> 34) & 0x1fff);
        p.maxRefinementIterations = uint8((word >> 47) & 0xf);
        p.escalationFreezeCount = uint8((word >> 51) & 0xf);
        p.reputationScaling = (word >> 55) & 1 == 1;
        p.reputationScalingBonus = uint8((word >> 56) & 0x7);
        p.protocolFeeRate = uint16((word >> 59) & 0x3ff);
        p.insuranceReserveRate = uint16((word >> 69) & 0x1ff);
        p.reputationMultiplierAlpha = uint16((word >> 78) & 0x7ff);
        p.predicateGasLimit = uint32((word >> 89) & 0xfffff);
        for (uint256 band = 0; band < 4; ++band) p.appealWindows[band] = uint16(word >> (109 + 16 * band));
        for (uint256 risk = 0; risk < 3; ++risk) p.minConfidence[risk] = uint16((word >> (173 + 14 * risk)) & 0x3fff);
        p.edition = editionOf(word);
    }

    /// @notice The edition alone.
    function editionOf(uint256 word) internal pure returns (uint32) {
        // The low bits are the edition.
        return uint32(word >> 215);
    }

    function _place(uint256 value, uint256 firstBit, uint256 bits) private pure returns (uint256) {
        if (value >> bits != 0) revert ParamTooLarge(firstBit, value);
        return value << firstBit;
    }
}
