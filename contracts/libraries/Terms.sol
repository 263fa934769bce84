// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {Band, Risk} from "../types/Law.sol";

/// @notice The parameters of a mission as its clone carries them: the word of `MissionParamsCodec`, read field by field.
type Terms is uint256;

using TermsFields for Terms global;

/// @title Fields of a mission's parameters
/// @notice Every narrowing takes the field's own bits.
library TermsFields {
    /// @notice Seconds; so are the other times here but the appeal window.
    function verificationTimeout(Terms terms) internal pure returns (uint24) {
        return uint24(Terms.unwrap(terms) & 0x1ffff);
    }

    function maxHumanReviewTimeout(Terms terms) internal pure returns (uint24) {
        return uint24((Terms.unwrap(terms) >> 17) & 0x1ffff);
    }

    function baseEscalationWindow(Terms terms) internal pure returns (uint16) {
        return uint16((Terms.unwrap(terms) >> 34) & 0x1fff);
    }

    function maxRefinementIterations(Terms terms) internal pure returns (uint8) {
        return uint8((Terms.unwrap(terms) >> 47) & 0xf);
    }

    function escalationFreezeCount(Terms terms) internal pure returns (uint8) {
        return uint8((Terms.unwrap(terms) >> 51) & 0xf);
    }

    function reputationScaling(Terms terms) internal pure returns (bool) {
        return (Terms.unwrap(terms) >> 55) & 1 == 1;
    }

    function reputationScalingBonus(Terms terms) internal pure returns (uint8) {
        return uint8((Terms.unwrap(terms) >> 56) & 0x7);
    }

    /// @notice Basis points; so are the other rates and confidences here.
    function protocolFeeRate(Terms terms) internal pure returns (uint16) {
        return uint16((Terms.unwrap(terms) >> 59) & 0x3ff);
    }

    function insuranceReserveRate(Terms terms) internal pure returns (uint16) {
        return uint16((Terms.unwrap(terms) >> 69) & 0x1ff);
    }

    function reputationMultiplierAlpha(Terms terms) internal pure returns (uint16) {
        return uint16((Terms.unwrap(terms) >> 78) & 0x7ff);
    }

    function predicateGasLimit(Terms terms) internal pure returns (uint32) {
        return uint32((Terms.unwrap(terms) >> 89) & 0xfffff);
    }

    /// @notice Minutes.
    function appealWindow(Terms terms, Band band) internal pure returns (uint16) {
        return uint16(Terms.unwrap(terms) >> (109 + 16 * uint256(band)));
    }

    function minConfidence(Terms terms, Risk risk) internal pure returns (uint16) {
        return uint16((Terms.unwrap(terms) >> (173 + 14 * uint256(risk))) & 0x3fff);
    }

    function edition(Terms terms) internal pure returns (uint32) {
        return uint32(Terms.unwrap(terms) >> 215);
    }
}
