// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

/// @title One ledger of reputation
/// @notice Kept in milli-points, 0–1,000,000; rules speak of points, 0–1000. Outcomes move it by moving average,
/// sanctions by signed delta.
library Reputation {
    uint256 internal constant MAX = 1_000_000;
    uint256 internal constant PER_POINT = 1000;
    /// @notice Where everybody begins (ρ⁰ = 0.5) and where ψ = 1.
    uint256 internal constant INITIAL = 500_000;
    uint256 internal constant NEUTRAL_POINTS = 500;

    /// @notice ρ' = λ·ρ + (1 − λ)·S, rounded down (AgentCity equation 2).
    /// @param current milli-points
    /// @param score outcome, 0–10,000 basis points
    /// @param lambda λ × 1000, ≤ 1000
    function ema(uint256 current, uint256 score, uint256 lambda) internal pure returns (uint256) {
        return (lambda * current + (1000 - lambda) * (score * 100)) / 1000;
    }

    /// @notice ρ·λⁿ: what is left if each of n outcomes that are not settled yet counts as nothing (decision 88).
    function burdened(uint256 current, uint256 faults, uint256 lambda) internal pure returns (uint256) {
        // At most 255.
        for (; faults != 0 && current != 0; --faults) current = ema(current, 0, lambda);
        return current;
    }

    /// @notice ρ moved by `delta` whole points, kept within 0 and MAX.
    function adjust(uint256 current, int256 delta) internal pure returns (uint256) {
        int256 limit = int256(MAX / PER_POINT);
        if (delta > limit) delta = limit;
        if (delta < -limit) delta = -limit;
        int256 moved = int256(current) + delta * int256(PER_POINT);
        if (moved < 0) return 0;
        return uint256(moved) < MAX ? uint256(moved) : MAX;
    }

    /// @notice Whole points of `milli`, rounded down.
    function points(uint256 milli) internal pure returns (uint256) {
        return milli / PER_POINT;
    }

    /// @notice ψ(ρ) × 1000 = 1000 + α·(ρ − 500)/1000, rounded down, never below zero (AgentCity B.6).
    /// @param rho whole points
    /// @param alpha α × 1000
    function multiplier(uint256 rho, uint256 alpha) internal pure returns (uint256) {
        uint256 plus = 1000 * 1000 + alpha * rho;
        uint256 minus = alpha * NEUTRAL_POINTS;
        return plus > minus ? (plus - minus) / 1000 : 0;
    }
}
