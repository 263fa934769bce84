// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

/// @title Reason codes
/// @notice Why stake, reputation, money or a node changed, as events carry it. Each constant is its own text; the reasons of a
/// monitor's `report` are the monitor's. Twin: `orchestrator/rules/reasons.ts`.
library Reasons {
    // Why an attempt failed (`Faults`).
    bytes32 internal constant TIMEOUT = "TIMEOUT";
    bytes32 internal constant CODE_HASH_MISMATCH = "CODE_HASH_MISMATCH";
    bytes32 internal constant CLEARED_FAIL = "CLEARED_FAIL";
    bytes32 internal constant UNVERIFIABLE = "UNVERIFIABLE";
    bytes32 internal constant REJECTED = "REJECTED";
    bytes32 internal constant REVIEW_EXPIRED = "REVIEW_EXPIRED";
    bytes32 internal constant FREEZE_CONFIRMED = "FREEZE_CONFIRMED";
    bytes32 internal constant FREEZE_EXPIRED = "FREEZE_EXPIRED";
    bytes32 internal constant NOT_ROUTED = "NOT_ROUTED";
    bytes32 internal constant NO_BIDS = "NO_BIDS";
    bytes32 internal constant CHILD_FAILED = "CHILD_FAILED";

    // Why stake or reputation changed without that.
    bytes32 internal constant OUTCOME = "OUTCOME";
    bytes32 internal constant DISSENT = "DISSENT";
    bytes32 internal constant RELEASED = "RELEASED";
    bytes32 internal constant BID_RELEASED = "BID_RELEASED";
    bytes32 internal constant APPEAL = "APPEAL";
    bytes32 internal constant VERIFICATION_NO_SHOW = "VERIFICATION_NO_SHOW";
    bytes32 internal constant EQUIVOCATION = "EQUIVOCATION";
    bytes32 internal constant IMPEACHED = "IMPEACHED";
    /// At fault for the end of a mission, on two adjudicators' word.
    bytes32 internal constant TERMINATED = "TERMINATED";

    // Why the treasury received money.
    bytes32 internal constant SETTLEMENT = "SETTLEMENT";
    bytes32 internal constant SESSION_FEE = "SESSION_FEE";

    // Why a human froze a node.
    bytes32 internal constant MANUAL_OVERRIDE = "MANUAL_OVERRIDE";
}
