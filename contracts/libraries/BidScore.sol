// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

/// @title Equation 1 of the market
/// @notice Score = wq·ρ·match + wp·(1 − price/budget), AgentCity 3.5.
library BidScore {
    uint256 internal constant DIMENSIONS = 10;
    /// @notice match of an agent that holds everything, or where nothing is required.
    uint256 internal constant FULL_MATCH = 1000;
    /// @notice Below it an agent may not bid (decision 12).
    uint256 internal constant MIN_MATCH = 600;
    /// @notice What a newcomer may claim to be, each level: 0.6 of the scale, which is 602 ‰ of any requirement (decision 103).
    uint160 internal constant CLAIMABLE = 39_322 * (type(uint160).max / type(uint16).max);

    /// @notice How much of the required capabilities an agent holds, 0–1000 (decision 12).
    /// @param capabilities ten 16-bit levels, dimension 0 lowest
    /// @param required ten 8-bit levels; level r asks for 256·r
    function matchOf(uint160 capabilities, uint80 required) internal pure returns (uint256) {
        uint256 held = 0;
        uint256 asked = 0;
        for (uint256 d = 0; d < DIMENSIONS; ++d) {
            uint256 want = 256 * uint256(uint8(required >> (8 * d)));
            uint256 have = uint16(capabilities >> (16 * d));
            asked += want;
            held += have < want ? have : want;
        }
        return asked == 0 ? FULL_MATCH : (FULL_MATCH * held) / asked;
    }

    /// @notice Score of a bid, 0–1,000,000; higher wins.
    /// @param reputation ρ in points, 0–1000
    /// @param fit result of `matchOf`
    /// @param price per slot, smallest unit; at or above the budget the price part is zero
    /// @param slotBudget smallest unit
    /// @param wq weight of quality × 1000
    /// @param wp weight of price × 1000; wq + wp = 1000
    function score(
        uint256 reputation,
        uint256 fit,
        uint256 price,
        uint256 slotBudget,
        uint256 wq,
        uint256 wp
    ) internal pure returns (uint256) {
        uint256 quality = (wq * reputation * fit) / 1000;
        uint256 saving = price < slotBudget ? (wp * 1000 * (slotBudget - price)) / slotBudget : 0;
        return quality + saving;
    }
}
