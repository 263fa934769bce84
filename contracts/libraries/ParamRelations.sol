// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {Param} from "../types/Params.sol";

/// @title What parameters must be beside each other
/// @notice One table, which holds at founding and at every change after it. `protocol/parameters.ts` has the same rows; a test compares
/// both. Which values are possible at all says `ParamRanges`.
library ParamRelations {
    /// @notice What the two parameters of a pair add up to.
    uint256 internal constant WHOLE = 1000;

    /// @notice Parameters that are at most the one after them.
    uint256 internal constant ASCENDS =
        (1 << uint256(Param.MIN_HUMAN_REVIEW_TIMEOUT)) |
            (1 << uint256(Param.APPEAL_WINDOW_LOW)) |
            (1 << uint256(Param.APPEAL_WINDOW_MODERATE)) |
            (1 << uint256(Param.APPEAL_WINDOW_ELEVATED)) |
            (1 << uint256(Param.MIN_STAKE_LOW)) |
            (1 << uint256(Param.MIN_STAKE_MEDIUM)) |
            (1 << uint256(Param.MIN_FLOOR_LOW)) |
            (1 << uint256(Param.MIN_FLOOR_MEDIUM)) |
            (1 << uint256(Param.MIN_PANEL_LOW)) |
            (1 << uint256(Param.MIN_PANEL_MEDIUM)) |
            (1 << uint256(Param.MIN_BAND_LOW)) |
            (1 << uint256(Param.MIN_BAND_MEDIUM)) |
            (1 << uint256(Param.MIN_CONFIDENCE_LOW)) |
            (1 << uint256(Param.MIN_CONFIDENCE_MEDIUM)) |
            (1 << uint256(Param.MEDIUM_RISK_FROM)) |
            (1 << uint256(Param.MIN_REDUNDANCY_LOW)) |
            (1 << uint256(Param.MIN_REDUNDANCY_MEDIUM));

    /// @notice What stake that leaves may still answer for, one after the other: UNBONDING_PERIOD is no shorter. What is locked for a
    /// mission does not leave, so a mission's own length is not in it.
    uint256 internal constant OUTLASTED = (1 << uint256(Param.APPEAL_WINDOW_CRITICAL));
    /// @notice The same, twice each: two draws of a panel, a freeze of the panel and a stop of the city, two reviews.
    uint256 internal constant OUTLASTED_TWICE =
        (1 << uint256(Param.VERIFICATION_TIMEOUT)) |
            (1 << uint256(Param.WATCHDOG_MAX_FREEZE)) |
            (1 << uint256(Param.MAX_HUMAN_REVIEW_TIMEOUT));

    /// @notice The parameter that is set along with this one, so that both always add up to `WHOLE`; itself if there is none.
    function counterpart(Param p) internal pure returns (Param) {
        if (p == Param.BID_WEIGHT_QUALITY) return Param.BID_WEIGHT_PRICE;
        return p == Param.BID_WEIGHT_PRICE ? Param.BID_WEIGHT_QUALITY : p;
    }
}
