// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

/// @title What a fault costs
/// @notice AgentCity B.3, slashing schedule; smallest unit of a six-decimal token. A cleared FAIL costs the whole task stake.
library SlashingSchedule {
    uint64 internal constant TIMEOUT = 50_000_000;
    uint64 internal constant NO_SHOW = 50_000_000;
    uint64 internal constant NODE_FAILURE = 100_000_000;
    uint64 internal constant CODE_HASH_MISMATCH = 500_000_000;
    /// @notice The greatest fixed slash: no mission may take more than this or the slot's own stake.
    uint64 internal constant GREATEST = CODE_HASH_MISMATCH;
    /// @notice Stands for the slot's whole stake, or all that is left of its lock.
    uint64 internal constant WHOLE = type(uint64).max;

    // Reasons, as events carry them.
    bytes32 internal constant TIMED_OUT = "TIMEOUT";
    bytes32 internal constant ABSENT = "VERIFICATION_NO_SHOW";
    bytes32 internal constant MISMATCH = "CODE_HASH_MISMATCH";
    bytes32 internal constant FREEZE_CONFIRMED = "FREEZE_CONFIRMED";
    bytes32 internal constant CLEARED_FAIL = "CLEARED_FAIL";
    bytes32 internal constant OUTCOME = "OUTCOME";
    bytes32 internal constant APPEAL = "APPEAL";
    bytes32 internal constant DISSENT = "DISSENT";
    bytes32 internal constant REJECTED = "REJECTED";
    bytes32 internal constant RELEASED = "RELEASED";
    bytes32 internal constant UNVERIFIABLE = "UNVERIFIABLE";
    bytes32 internal constant REVIEW_EXPIRED = "REVIEW_EXPIRED";
    bytes32 internal constant FREEZE_EXPIRED = "FREEZE_EXPIRED";
    bytes32 internal constant NOT_ROUTED = "NOT_ROUTED";
    bytes32 internal constant NO_BIDS = "NO_BIDS";
    bytes32 internal constant CHILD_FAILED = "CHILD_FAILED";
}
