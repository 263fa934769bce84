// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {Param} from "../types/Params.sol";

/// @title What the humans themselves cannot exceed
/// @notice Range and protection of every constitutional parameter (AgentCity Table 19, decisions), which of them need a second
/// signature, and which a mission keeps as they were. Everything else about a parameter is in `protocol/parameters.ts`; a test
/// compares both, entry by entry.
library ParamRanges {
    /// @notice The direction in which a parameter protects less; such changes count toward the watchdog's limit.
    enum Weaker {
        NONE,
        UP,
        DOWN
    }

    /// @dev Two adjudicators must sign a change.
    uint256 private constant HIGH =
        (1 << uint256(Param.DEVIATION_THRESHOLD)) |
            (1 << uint256(Param.ESCALATION_FREEZE_COUNT)) |
            (1 << uint256(Param.REPUTATION_FLOOR)) |
            (1 << uint256(Param.REGISTRATION_STAKE)) |
            (1 << uint256(Param.JACCARD_THRESHOLD)) |
            (1 << uint256(Param.DEGRADED_MODE_THRESHOLD)) |
            (1 << uint256(Param.ADJUDICATOR_QUORUM)) |
            (1 << uint256(Param.PREDICATE_GAS_LIMIT)) |
            (1 << uint256(Param.PROTOCOL_FEE_RATE)) |
            (1 << uint256(Param.REPUTATION_MULTIPLIER_ALPHA)) |
            (1 << uint256(Param.ADJUDICATOR_STAKE)) |
            (1 << uint256(Param.WATCHDOG_MAX_APPROVAL_RATE)) |
            (1 << uint256(Param.WATCHDOG_MAX_CONSECUTIVE)) |
            (1 << uint256(Param.WATCHDOG_WEAKENING_LIMIT)) |
            (1 << uint256(Param.WATCHDOG_WINDOW_DAYS)) |
            (1 << uint256(Param.WATCHDOG_MAX_FREEZE)) |
            (1 << uint256(Param.TURNOUT_QUORUM)) |
            (1 << uint256(Param.APPEAL_WINDOW_LOW)) |
            (1 << uint256(Param.APPEAL_WINDOW_MODERATE)) |
            (1 << uint256(Param.APPEAL_WINDOW_ELEVATED)) |
            (1 << uint256(Param.APPEAL_WINDOW_CRITICAL)) |
            (1 << uint256(Param.SOLE_APPROVAL_LIMIT)) |
            (1 << uint256(Param.EMERGENCY_CLEAR_SIGNATURES)) |
            (1 << uint256(Param.MIN_FLOOR_LOW)) |
            (1 << uint256(Param.MIN_FLOOR_MEDIUM)) |
            (1 << uint256(Param.MIN_FLOOR_HIGH)) |
            (1 << uint256(Param.MIN_PANEL_LOW)) |
            (1 << uint256(Param.MIN_PANEL_MEDIUM)) |
            (1 << uint256(Param.MIN_PANEL_HIGH)) |
            (1 << uint256(Param.MIN_BAND_LOW)) |
            (1 << uint256(Param.MIN_BAND_MEDIUM)) |
            (1 << uint256(Param.MIN_BAND_HIGH)) |
            (1 << uint256(Param.MIN_CONFIDENCE_LOW)) |
            (1 << uint256(Param.MIN_CONFIDENCE_MEDIUM)) |
            (1 << uint256(Param.MIN_CONFIDENCE_HIGH)) |
            (1 << uint256(Param.MEDIUM_RISK_FROM)) |
            (1 << uint256(Param.HIGH_RISK_FROM)) |
            (1 << uint256(Param.SUBSIDY_CAP_SHARE)) |
            (1 << uint256(Param.PRINCIPAL_SUBSIDY_SHARE)) |
            (1 << uint256(Param.UNBONDING_PERIOD)) |
            (1 << uint256(Param.MIN_REDUNDANCY_LOW)) |
            (1 << uint256(Param.MIN_REDUNDANCY_MEDIUM)) |
            (1 << uint256(Param.MIN_REDUNDANCY_HIGH));

    /// @dev A higher value protects less.
    uint256 private constant WEAKER_UP =
        (1 << uint256(Param.DEVIATION_THRESHOLD)) |
            (1 << uint256(Param.MAX_TOOL_INVOCATIONS)) |
            (1 << uint256(Param.MAX_MESSAGE_VOLUME)) |
            (1 << uint256(Param.ESCALATION_FREEZE_COUNT)) |
            (1 << uint256(Param.REPUTATION_SCALING_BONUS)) |
            (1 << uint256(Param.MISSION_BUDGET_CAP)) |
            (1 << uint256(Param.MAX_NODE_TIMEOUT)) |
            (1 << uint256(Param.VERIFICATION_TIMEOUT)) |
            (1 << uint256(Param.MAX_REFINEMENT_ITERATIONS)) |
            (1 << uint256(Param.NUMERIC_TOLERANCE)) |
            (1 << uint256(Param.DEGRADED_MODE_THRESHOLD)) |
            (1 << uint256(Param.DEGRADED_ADJUDICATOR_TIMEOUT)) |
            (1 << uint256(Param.OPTIMISTIC_WINDOW_MAX)) |
            (1 << uint256(Param.MAX_CODE_HASH_LATENCY)) |
            (1 << uint256(Param.PREDICATE_GAS_LIMIT)) |
            (1 << uint256(Param.WATCHDOG_MAX_APPROVAL_RATE)) |
            (1 << uint256(Param.WATCHDOG_MAX_CONSECUTIVE)) |
            (1 << uint256(Param.WATCHDOG_WEAKENING_LIMIT)) |
            (1 << uint256(Param.WATCHDOG_WINDOW_DAYS)) |
            (1 << uint256(Param.REPUTATION_SMOOTHING)) |
            (1 << uint256(Param.BID_WEIGHT_PRICE)) |
            (1 << uint256(Param.BLOC_TAU_THRESHOLD)) |
            (1 << uint256(Param.BLOC_JACCARD_THRESHOLD)) |
            (1 << uint256(Param.CRITICAL_BLOC_SHARE)) |
            (1 << uint256(Param.SOLE_APPROVAL_LIMIT)) |
            (1 << uint256(Param.SENIOR_ADJUDICATOR_ENABLED)) |
            (1 << uint256(Param.MEDIUM_RISK_FROM)) |
            (1 << uint256(Param.HIGH_RISK_FROM)) |
            (1 << uint256(Param.SUBSIDY_CAP_SHARE)) |
            (1 << uint256(Param.PRINCIPAL_SUBSIDY_SHARE)) |
            (1 << uint256(Param.MAX_MISSION_DURATION));

    /// @dev A lower value protects less.
    uint256 private constant WEAKER_DOWN =
        (1 << uint256(Param.BASE_ESCALATION_WINDOW)) |
            (1 << uint256(Param.MIN_HUMAN_REVIEW_TIMEOUT)) |
            (1 << uint256(Param.REPUTATION_FLOOR)) |
            (1 << uint256(Param.REGISTRATION_STAKE)) |
            (1 << uint256(Param.JACCARD_THRESHOLD)) |
            (1 << uint256(Param.MIN_FAIRNESS_SCORE)) |
            (1 << uint256(Param.MIN_STAKE_LOW)) |
            (1 << uint256(Param.MIN_STAKE_MEDIUM)) |
            (1 << uint256(Param.MIN_STAKE_HIGH)) |
            (1 << uint256(Param.ADJUDICATOR_QUORUM)) |
            (1 << uint256(Param.MULTISIG_REG_QUORUM)) |
            (1 << uint256(Param.INSURANCE_RESERVE_RATE)) |
            (1 << uint256(Param.STAKE_POOL_MIN_PARTICIPANTS)) |
            (1 << uint256(Param.ADJUDICATOR_STAKE)) |
            (1 << uint256(Param.WATCHDOG_MAX_FREEZE)) |
            (1 << uint256(Param.BID_WEIGHT_QUALITY)) |
            (1 << uint256(Param.TURNOUT_QUORUM)) |
            (1 << uint256(Param.MIN_SPONSORS)) |
            (1 << uint256(Param.APPEAL_WINDOW_LOW)) |
            (1 << uint256(Param.APPEAL_WINDOW_MODERATE)) |
            (1 << uint256(Param.APPEAL_WINDOW_ELEVATED)) |
            (1 << uint256(Param.APPEAL_WINDOW_CRITICAL)) |
            (1 << uint256(Param.EMERGENCY_CLEAR_SIGNATURES)) |
            (1 << uint256(Param.MIN_FLOOR_LOW)) |
            (1 << uint256(Param.MIN_FLOOR_MEDIUM)) |
            (1 << uint256(Param.MIN_FLOOR_HIGH)) |
            (1 << uint256(Param.MIN_PANEL_LOW)) |
            (1 << uint256(Param.MIN_PANEL_MEDIUM)) |
            (1 << uint256(Param.MIN_PANEL_HIGH)) |
            (1 << uint256(Param.MIN_BAND_LOW)) |
            (1 << uint256(Param.MIN_BAND_MEDIUM)) |
            (1 << uint256(Param.MIN_BAND_HIGH)) |
            (1 << uint256(Param.MIN_CONFIDENCE_LOW)) |
            (1 << uint256(Param.MIN_CONFIDENCE_MEDIUM)) |
            (1 << uint256(Param.MIN_CONFIDENCE_HIGH)) |
            (1 << uint256(Param.UNBONDING_PERIOD)) |
            (1 << uint256(Param.VERIFIER_FEE_SHARE)) |
            (1 << uint256(Param.MIN_REDUNDANCY_LOW)) |
            (1 << uint256(Param.MIN_REDUNDANCY_MEDIUM)) |
            (1 << uint256(Param.MIN_REDUNDANCY_HIGH));

    /// @dev A mission keeps the value that was in force when its session opened (decision 74).
    uint256 private constant LOCKED =
        (1 << uint256(Param.DEVIATION_THRESHOLD)) |
            (1 << uint256(Param.MAX_TOOL_INVOCATIONS)) |
            (1 << uint256(Param.MAX_MESSAGE_VOLUME)) |
            (1 << uint256(Param.ESCALATION_FREEZE_COUNT)) |
            (1 << uint256(Param.BASE_ESCALATION_WINDOW)) |
            (1 << uint256(Param.REPUTATION_SCALING_ENABLED)) |
            (1 << uint256(Param.REPUTATION_SCALING_BONUS)) |
            (1 << uint256(Param.MISSION_BUDGET_CAP)) |
            (1 << uint256(Param.MAX_NODE_TIMEOUT)) |
            (1 << uint256(Param.MIN_HUMAN_REVIEW_TIMEOUT)) |
            (1 << uint256(Param.MAX_HUMAN_REVIEW_TIMEOUT)) |
            (1 << uint256(Param.VERIFICATION_TIMEOUT)) |
            (1 << uint256(Param.MAX_REFINEMENT_ITERATIONS)) |
            (1 << uint256(Param.JACCARD_THRESHOLD)) |
            (1 << uint256(Param.NUMERIC_TOLERANCE)) |
            (1 << uint256(Param.MIN_STAKE_LOW)) |
            (1 << uint256(Param.MIN_STAKE_MEDIUM)) |
            (1 << uint256(Param.MIN_STAKE_HIGH)) |
            (1 << uint256(Param.DEGRADED_MODE_THRESHOLD)) |
            (1 << uint256(Param.DEGRADED_ADJUDICATOR_TIMEOUT)) |
            (1 << uint256(Param.OPTIMISTIC_WINDOW_MAX)) |
            (1 << uint256(Param.MAX_CODE_HASH_LATENCY)) |
            (1 << uint256(Param.PREDICATE_GAS_LIMIT)) |
            (1 << uint256(Param.PROTOCOL_FEE_RATE)) |
            (1 << uint256(Param.INSURANCE_RESERVE_RATE)) |
            (1 << uint256(Param.REPUTATION_MULTIPLIER_ALPHA)) |
            (1 << uint256(Param.APPEAL_WINDOW_LOW)) |
            (1 << uint256(Param.APPEAL_WINDOW_MODERATE)) |
            (1 << uint256(Param.APPEAL_WINDOW_ELEVATED)) |
            (1 << uint256(Param.APPEAL_WINDOW_CRITICAL)) |
            (1 << uint256(Param.MIN_FLOOR_LOW)) |
            (1 << uint256(Param.MIN_FLOOR_MEDIUM)) |
            (1 << uint256(Param.MIN_FLOOR_HIGH)) |
            (1 << uint256(Param.MIN_PANEL_LOW)) |
            (1 << uint256(Param.MIN_PANEL_MEDIUM)) |
            (1 << uint256(Param.MIN_PANEL_HIGH)) |
            (1 << uint256(Param.MIN_BAND_LOW)) |
            (1 << uint256(Param.MIN_BAND_MEDIUM)) |
            (1 << uint256(Param.MIN_BAND_HIGH)) |
            (1 << uint256(Param.MIN_CONFIDENCE_LOW)) |
            (1 << uint256(Param.MIN_CONFIDENCE_MEDIUM)) |
            (1 << uint256(Param.MIN_CONFIDENCE_HIGH)) |
            (1 << uint256(Param.MEDIUM_RISK_FROM)) |
            (1 << uint256(Param.HIGH_RISK_FROM)) |
            (1 << uint256(Param.MAX_MISSION_DURATION)) |
            (1 << uint256(Param.EMBEDDING_SCORERS)) |
            (1 << uint256(Param.MIN_REDUNDANCY_LOW)) |
            (1 << uint256(Param.MIN_REDUNDANCY_MEDIUM)) |
            (1 << uint256(Param.MIN_REDUNDANCY_HIGH));

    function isHigh(Param p) internal pure returns (bool) {
        return _in(HIGH, p);
    }

    function isLocked(Param p) internal pure returns (bool) {
        return _in(LOCKED, p);
    }

    function weaker(Param p) internal pure returns (Weaker) {
        if (_in(WEAKER_UP, p)) return Weaker.UP;
        return _in(WEAKER_DOWN, p) ? Weaker.DOWN : Weaker.NONE;
    }

    /// @notice Whether the change makes the city protect less.
    function weakens(Param p, uint256 from, uint256 to) internal pure returns (bool) {
        Weaker direction = weaker(p);
        if (direction == Weaker.NONE) return false;
        return direction == Weaker.UP ? to > from : to < from;
    }

    /// @notice Both ends are allowed values; every maximum fits 32 bits.
    // solhint-disable function-max-lines, code-complexity
    function range(Param p) internal pure returns (uint256 min, uint256 max) {
        if (p == Param.DEVIATION_THRESHOLD) return (100, 500);
        if (p == Param.MAX_TOOL_INVOCATIONS) return (5, 200);
        if (p == Param.MAX_MESSAGE_VOLUME) return (10, 500);
        if (p == Param.ESCALATION_FREEZE_COUNT) return (2, 10);
        if (p == Param.BASE_ESCALATION_WINDOW) return (60, 7200);
        if (p == Param.REPUTATION_SCALING_ENABLED) return (0, 1);
        if (p == Param.REPUTATION_SCALING_BONUS) return (0, 7);
        if (p == Param.MISSION_BUDGET_CAP) return (1000, 10_000_000);
        if (p == Param.MAX_NODE_TIMEOUT) return (1, 3600);
        if (p == Param.MIN_HUMAN_REVIEW_TIMEOUT) return (60, 86_400);
        if (p == Param.MAX_HUMAN_REVIEW_TIMEOUT) return (300, 86_400);
        if (p == Param.VERIFICATION_TIMEOUT) return (60, 86_400);
        if (p == Param.MAX_REFINEMENT_ITERATIONS) return (1, 10);
        if (p == Param.REPUTATION_FLOOR) return (0, 500);
        if (p == Param.REGISTRATION_STAKE) return (0, 1_000_000);
        if (p == Param.JACCARD_THRESHOLD) return (50, 100);
        if (p == Param.NUMERIC_TOLERANCE) return (1, 50);
        if (p == Param.MIN_FAIRNESS_SCORE) return (0, 1000);
        if (p == Param.MIN_STAKE_LOW) return (0, 100_000);
        if (p == Param.MIN_STAKE_MEDIUM) return (0, 100_000);
        if (p == Param.MIN_STAKE_HIGH) return (0, 10_000_000);
        if (p == Param.DEGRADED_MODE_THRESHOLD) return (60, 14_400);
        if (p == Param.DEGRADED_ADJUDICATOR_TIMEOUT) return (1800, 86_400);
        if (p == Param.OPTIMISTIC_WINDOW_MAX) return (2, 60);
        if (p == Param.MAX_CODE_HASH_LATENCY) return (500, 10_000);
        if (p == Param.LEGISLATIVE_PROPOSAL_TIMEOUT) return (60, 3600);
        if (p == Param.BIDDING_WINDOW) return (60, 7200);
        if (p == Param.PARTIAL_RELEG_BIDDING_TIMEOUT) return (60, 3600);
        if (p == Param.REGULATORY_APPROVAL_TIMEOUT) return (60, 3600);
        if (p == Param.ADJUDICATOR_QUORUM) return (5, 20);
        if (p == Param.MULTISIG_REG_QUORUM) return (1, 20);
        if (p == Param.PREDICATE_GAS_LIMIT) return (50_000, 1_000_000);
        if (p == Param.PROTOCOL_FEE_RATE) return (0, 1000);
        if (p == Param.INSURANCE_RESERVE_RATE) return (0, 500);
        if (p == Param.REPUTATION_MULTIPLIER_ALPHA) return (0, 2000);
        if (p == Param.ADJUDICATOR_COMPENSATION) return (10, 500);
        if (p == Param.STAKE_POOL_MIN_PARTICIPANTS) return (2, 50);
        if (p == Param.ADJUDICATOR_STAKE) return (100, 1_000_000);
        if (p == Param.WATCHDOG_MAX_APPROVAL_RATE) return (50, 100);
        if (p == Param.WATCHDOG_MAX_CONSECUTIVE) return (5, 100);
        if (p == Param.WATCHDOG_WEAKENING_LIMIT) return (1, 20);
        if (p == Param.WATCHDOG_WINDOW_DAYS) return (7, 90);
        if (p == Param.WATCHDOG_MAX_FREEZE) return (3600, 604_800);
        if (p == Param.REPUTATION_SMOOTHING) return (500, 990);
        if (p == Param.BID_WEIGHT_QUALITY) return (0, 1000);
        if (p == Param.BID_WEIGHT_PRICE) return (0, 1000);
        if (p == Param.TURNOUT_QUORUM) return (5000, 9000);
        if (p == Param.MIN_SPONSORS) return (3, 20);
        if (p == Param.PETITION_SHARE) return (500, 5000);
        if (p == Param.DEBATE_ROUNDS) return (0, 5);
        if (p == Param.BLOC_TAU_THRESHOLD) return (50, 100);
        if (p == Param.BLOC_JACCARD_THRESHOLD) return (50, 100);
        if (p == Param.CRITICAL_BLOC_SHARE) return (500, 5000);
        if (p == Param.APPEAL_WINDOW_LOW) return (0, 2_592_000);
        if (p == Param.APPEAL_WINDOW_MODERATE) return (0, 2_592_000);
        if (p == Param.APPEAL_WINDOW_ELEVATED) return (0, 2_592_000);
        if (p == Param.APPEAL_WINDOW_CRITICAL) return (0, 2_592_000);
        if (p == Param.SOLE_APPROVAL_LIMIT) return (1, 2);
        if (p == Param.EMERGENCY_CLEAR_SIGNATURES) return (2, 10);
        if (p == Param.SENIOR_ADJUDICATOR_ENABLED) return (0, 1);
        if (p == Param.MIN_FLOOR_LOW) return (1, 5);
        if (p == Param.MIN_FLOOR_MEDIUM) return (1, 5);
        if (p == Param.MIN_FLOOR_HIGH) return (1, 5);
        if (p == Param.MIN_PANEL_LOW) return (1, 7);
        if (p == Param.MIN_PANEL_MEDIUM) return (1, 7);
        if (p == Param.MIN_PANEL_HIGH) return (1, 7);
        if (p == Param.MIN_BAND_LOW) return (0, 3);
        if (p == Param.MIN_BAND_MEDIUM) return (0, 3);
        if (p == Param.MIN_BAND_HIGH) return (0, 3);
        if (p == Param.MIN_CONFIDENCE_LOW) return (5000, 10_000);
        if (p == Param.MIN_CONFIDENCE_MEDIUM) return (5000, 10_000);
        if (p == Param.MIN_CONFIDENCE_HIGH) return (5000, 10_000);
        if (p == Param.MEDIUM_RISK_FROM) return (1, 1_000_000);
        if (p == Param.HIGH_RISK_FROM) return (1, 10_000_000);
        if (p == Param.SUBSIDY_CAP_SHARE) return (0, 5000);
        if (p == Param.PRINCIPAL_SUBSIDY_SHARE) return (0, 5000);
        if (p == Param.UNBONDING_PERIOD) return (345_600, 7_776_000);
        if (p == Param.MAX_MISSION_DURATION) return (3600, 2_592_000);
        if (p == Param.SESSION_FEE) return (0, 1000);
        if (p == Param.VERIFIER_FEE_SHARE) return (0, 10_000);
        if (p == Param.APPEAL_BOND_MIN) return (1, 1000);
        if (p == Param.APPEAL_BOND_SHARE) return (100, 5000);
        if (p == Param.EMBEDDING_SCORERS) return (0, 65_535);
        if (p == Param.MIN_REDUNDANCY_LOW) return (2, 5);
        if (p == Param.MIN_REDUNDANCY_MEDIUM) return (2, 5);
        if (p == Param.MIN_REDUNDANCY_HIGH) return (2, 5);
    }

    // solhint-enable function-max-lines, code-complexity

    function _in(uint256 set, Param p) private pure returns (bool) {
        return (set >> uint256(p)) & 1 == 1;
    }
}
