// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

/// @title What a fault costs
/// @notice AgentCity B.3, slashing schedule; smallest unit of a six-decimal token. A cleared FAIL costs the whole task stake.
library SlashingSchedule {
    uint64 internal constant TIMEOUT = 50_000_000;
    uint64 internal constant NO_SHOW = 50_000_000;
    uint64 internal constant NODE_FAILURE = 100_000_000;
    /// @notice Two verdicts of one member on one question.
    uint64 internal constant EQUIVOCATION = 500_000_000;
    uint64 internal constant CODE_HASH_MISMATCH = 500_000_000;
    /// @notice The greatest fixed slash: no mission may take more than this or the slot's own stake.
    uint64 internal constant GREATEST = CODE_HASH_MISMATCH;
    /// @notice Points of reputation.
    uint16 internal constant POINTS_TERMINATED = 500;
    uint16 internal constant POINTS_REASSIGNED = 100;
    /// @notice What settling a fault earns at most, and which part of what is slashed (decision 88).
    uint64 internal constant GREATEST_REWARD = 5_000_000;
    uint64 internal constant REWARD_DIVISOR = 100;
    /// @notice Stands for the slot's whole stake, or all that is left of its lock.
    uint64 internal constant WHOLE = type(uint64).max;
}
