// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

/// @title How evenly a mission's work is spread
/// @notice 1000·(1 − (HHI − 1/p)/(1 − 1/p)) with HHI = Σ s_j² over principals (AgentCity B.10, decision 16). In integers,
/// with S = Σ n_j² and T = Σ n_j over assignments: 1000·p·(T² − S) / ((p − 1)·T²).
library Fairness {
    uint256 internal constant PERFECT = 1000;

    /// @notice Fairness, 0–1000.
    /// * nothing assigned: 1000, no principal holds a share;
    /// * p ≤ 1 and something assigned: 0, one bidder is a monopoly;
    /// * more holders than p (they left the count after being awarded): capped at 1000;
    /// * S > T² cannot come from counts; it is 0.
    /// @param sumSquares Σ of squared assignment counts, by principal
    /// @param total Σ of assignment counts
    /// @param p distinct principals with an eligible bid
    function score(uint256 sumSquares, uint256 total, uint256 p) internal pure returns (uint256) {
        if (total == 0) return PERFECT;
        uint256 square = total * total;
        if (p <= 1 || sumSquares >= square) return 0;
        uint256 value = (PERFECT * p * (square - sumSquares)) / ((p - 1) * square);
        return value < PERFECT ? value : PERFECT;
    }
}
