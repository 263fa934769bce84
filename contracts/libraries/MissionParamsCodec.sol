// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {MissionParams} from "../types/Law.sol";

/// @title One word of mission parameters
/// @notice The parameters a clone enforces, frozen when its session opens (decision 3). Bits from the lowest:
///
/// | field                     | bits    | field                     | bits    | field             | bits    |
/// |---------------------------|---------|---------------------------|---------|-------------------|---------|
/// | verificationTimeout       | 0–19    | maxHumanReviewTimeout     | 20–39   | escalationWindow  | 40–55   |
/// | maxRefinementIterations   | 56–63   | escalationFreezeCount     | 64–71   | scaling           | 72      |
/// | reputationScalingBonus    | 73–75   | protocolFeeRate           | 76–89   | insuranceRate     | 90–103  |
/// | reputationMultiplierAlpha | 104–117 | predicateGasLimit         | 118–141 | appealWindows     | 142–205 |
/// | minConfidence             | 206–247 | zero                      | 248–255 |                   |         |
///
/// Every width holds its parameter's range (`ParamRanges`); the four appeal windows take 16 bits each, the three
/// confidences 14.
library MissionParamsCodec {
    /// @notice A field is larger than its place in the word.
    error ParamTooLarge(uint256 firstBit, uint256 value);
    /// @notice A word with a set spare bit.
    error MalformedParams(uint256 word);

    function pack(MissionParams memory p) internal pure returns (uint256 word) {
        word =
            _place(p.verificationTimeout, 0, 20) |
            _place(p.maxHumanReviewTimeout, 20, 20) |
            _place(p.baseEscalationWindow, 40, 16) |
            _place(p.maxRefinementIterations, 56, 8) |
            _place(p.escalationFreezeCount, 64, 8) |
            _place(p.reputationScaling ? 1 : 0, 72, 1) |
            _place(p.reputationScalingBonus, 73, 3) |
            _place(p.protocolFeeRate, 76, 14) |
            _place(p.insuranceReserveRate, 90, 14) |
            _place(p.reputationMultiplierAlpha, 104, 14) |
            _place(p.predicateGasLimit, 118, 24);
        for (uint256 band = 0; band < 4; ++band) word |= _place(p.appealWindows[band], 142 + 16 * band, 16);
        for (uint256 risk = 0; risk < 3; ++risk) word |= _place(p.minConfidence[risk], 206 + 14 * risk, 14);
    }

    function unpack(uint256 word) internal pure returns (MissionParams memory p) {
        if (word >> 248 != 0) revert MalformedParams(word);
        p.verificationTimeout = uint24(word & 0xfffff);
        p.maxHumanReviewTimeout = uint24((word >> 20) & 0xfffff);
        p.baseEscalationWindow = uint16(word >> 40);
        p.maxRefinementIterations = uint8(word >> 56);
        p.escalationFreezeCount = uint8(word >> 64);
        p.reputationScaling = (word >> 72) & 1 == 1;
        p.reputationScalingBonus = uint8((word >> 73) & 7);
        p.protocolFeeRate = uint16((word >> 76) & 0x3fff);
        p.insuranceReserveRate = uint16((word >> 90) & 0x3fff);
        p.reputationMultiplierAlpha = uint16((word >> 104) & 0x3fff);
        p.predicateGasLimit = uint24(word >> 118);
        for (uint256 band = 0; band < 4; ++band) p.appealWindows[band] = uint16(word >> (142 + 16 * band));
        for (uint256 risk = 0; risk < 3; ++risk) p.minConfidence[risk] = uint16((word >> (206 + 14 * risk)) & 0x3fff);
    }

    function _place(uint256 value, uint256 firstBit, uint256 bits) private pure returns (uint256) {
        if (value >> bits != 0) revert ParamTooLarge(firstBit, value);
        return value << firstBit;
    }
}
