// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {Action, Decision} from "../types/Actions.sol";

/// @title What each action of the override panel needs: one row, one byte (AgentCity B.12; decision 26)
/// @notice Bits 0–3 signatures needed (15 = two thirds of the active seats, rounded up; 0 = no action), bit 4 executed on a mission,
/// bit 5 rotates: an approval that one person may give alone only so many times in one mission; bits 6 and 7 approves, rejects: what the
/// watchdog counts. Stopping something decides nothing yet, and needs no act that is judged. Nine rows ask for other counts where the
/// constitution, the watchdog or the electorate says so: AMEND_PARAMETER (two for a HIGH parameter, and for one that protects),
/// REJECT_POP and RESOLVE_APPEAL that take stake, CLEAR_EMERGENCY_STOP, RELEASE_WATCHDOG, STOP_CITY and RESUME_CITY; SLASH that bars and
/// FREEZE_PRINCIPAL, where many voters are struck.
library ActionTable {
    uint256 private constant SUPERMAJORITY = 15;
    uint256 private constant MISSION = 1 << 4;
    uint256 private constant ROTATES = 1 << 5;
    uint256 private constant APPROVES = 1 << 6;
    uint256 private constant REJECTS = 1 << 7;

    uint256 private constant TABLE =
        ((1 | MISSION) << (8 * uint256(Action.FREEZE))) |
            ((1 | MISSION | ROTATES | APPROVES) << (8 * uint256(Action.UNFREEZE))) |
            ((1 | MISSION | REJECTS) << (8 * uint256(Action.TERMINATE_MISSION))) |
            ((1 | MISSION | ROTATES | APPROVES) << (8 * uint256(Action.APPROVE_POP))) |
            ((1 | MISSION | REJECTS) << (8 * uint256(Action.REJECT_POP))) |
            (1 << (8 * uint256(Action.AMEND_PARAMETER))) |
            (2 << (8 * uint256(Action.ADJUST_REPUTATION))) |
            ((1 | MISSION | ROTATES | APPROVES) << (8 * uint256(Action.CLASSIFY_FALSE_POSITIVE))) |
            ((1 | MISSION) << (8 * uint256(Action.EMERGENCY_STOP))) |
            ((2 | MISSION | APPROVES) << (8 * uint256(Action.CLEAR_EMERGENCY_STOP))) |
            ((1 | APPROVES) << (8 * uint256(Action.APPROVE_PREDICATE))) |
            ((1 | MISSION) << (8 * uint256(Action.VETO_OUTPUT))) |
            ((1 | MISSION | ROTATES | APPROVES) << (8 * uint256(Action.RELEASE_OUTPUT))) |
            ((1 | MISSION) << (8 * uint256(Action.RESOLVE_APPEAL))) |
            (2 << (8 * uint256(Action.SLASH))) |
            (2 << (8 * uint256(Action.FREEZE_PRINCIPAL))) |
            (2 << (8 * uint256(Action.CLAIM_INSURANCE))) |
            (2 << (8 * uint256(Action.DISBURSE))) |
            ((1 | APPROVES) << (8 * uint256(Action.APPROVE_CODIFICATION))) |
            (2 << (8 * uint256(Action.APPOINT_CLERK))) |
            (2 << (8 * uint256(Action.SET_ENVELOPE))) |
            (2 << (8 * uint256(Action.PUBLISH_TEMPLATE))) |
            (2 << (8 * uint256(Action.REGISTER_ISSUER))) |
            (SUPERMAJORITY << (8 * uint256(Action.ADMIT_ADJUDICATOR))) |
            (SUPERMAJORITY << (8 * uint256(Action.AMEND_CONSTITUTION))) |
            (2 << (8 * uint256(Action.RULE_ON_BLOC))) |
            (SUPERMAJORITY << (8 * uint256(Action.IMPEACH))) |
            (2 << (8 * uint256(Action.AUDIT_UNILATERAL))) |
            (2 << (8 * uint256(Action.RELEASE_WATCHDOG))) |
            ((1 | MISSION | ROTATES | APPROVES) << (8 * uint256(Action.RESUME_WITH_AMENDMENT))) |
            (2 << (8 * uint256(Action.SET_MANDATE)));
    /// @dev The rows from the thirty-second on.
    uint256 private constant LATER =
        ((2 | MISSION) << (8 * (uint256(Action.FAULT_SLOTS) - 32))) |
            (2 << (8 * (uint256(Action.STOP_CITY) - 32))) |
            ((2 | APPROVES) << (8 * (uint256(Action.RESUME_CITY) - 32))) |
            (2 << (8 * (uint256(Action.FREEZE_AGENT) - 32)));

    function onMission(Action action) internal pure returns (bool) {
        return _row(action) & MISSION != 0;
    }

    function rotates(Action action) internal pure returns (bool) {
        return _row(action) & ROTATES != 0;
    }

    /// @notice Which of the five kinds of approvals that rotate: each has a run of its own.
    function approvalKind(Action action) internal pure returns (uint256) {
        if (action == Action.UNFREEZE) return 0;
        if (action == Action.RESUME_WITH_AMENDMENT) return 1;
        if (action == Action.APPROVE_POP) return 2;
        return action == Action.RELEASE_OUTPUT ? 3 : 4;
    }

    function decision(Action action) internal pure returns (Decision) {
        uint256 row = _row(action);
        if (row & APPROVES != 0) return Decision.APPROVES;
        return row & REJECTS != 0 ? Decision.REJECTS : Decision.NEITHER;
    }

    /// @notice The two that execute while the watchdog has frozen the panel (invariant 22).
    function passesFreeze(Action action) internal pure returns (bool) {
        return action == Action.RELEASE_WATCHDOG || action == Action.IMPEACH;
    }

    /// @notice Whether it binds the state that was reviewed. What stops a mission binds none, or whoever is to be stopped could outrun it.
    function judges(Action action) internal pure returns (bool) {
        return action != Action.FREEZE && action != Action.VETO_OUTPUT && action != Action.EMERGENCY_STOP;
    }

    /// @notice Whether that state is the whole mission's, and not a node's: what ends it ends every node.
    function judgesMission(Action action) internal pure returns (bool) {
        return action == Action.TERMINATE_MISSION;
    }

    /// @notice What an appeal may be about: whoever signed it does not resolve one.
    function isAppealable(Action action) internal pure returns (bool) {
        return
            action == Action.APPROVE_POP ||
            action == Action.REJECT_POP ||
            action == Action.RELEASE_OUTPUT ||
            action == Action.VETO_OUTPUT ||
            action == Action.FAULT_SLOTS;
    }

    /// @notice What may decide a case that the chain opened (decision 73), or keep it from being one.
    function concernsCase(Action action) internal pure returns (bool) {
        return
            action == Action.APPROVE_POP ||
            action == Action.REJECT_POP ||
            action == Action.RELEASE_OUTPUT ||
            action == Action.VETO_OUTPUT ||
            action == Action.RESOLVE_APPEAL ||
            action == Action.APPROVE_CODIFICATION ||
            action == Action.RULE_ON_BLOC;
    }

    /// @notice What the senior adjudicator may do alone when too few others could sign: anything on a mission that takes no stake.
    function seniorAlone(Action action) internal pure returns (bool) {
        return onMission(action) && action != Action.FAULT_SLOTS;
    }

    /// @param active Seats filled now.
    function signatures(Action action, uint256 active) internal pure returns (uint256) {
        uint256 needed = _row(action) & 15;
        return needed == SUPERMAJORITY ? supermajority(active) : needed;
    }

    function supermajority(uint256 active) internal pure returns (uint256) {
        return (2 * active + 2) / 3;
    }

    function _row(Action action) private pure returns (uint256) {
        uint256 index = uint256(action);
        return (index < 32 ? TABLE >> (8 * index) : LATER >> (8 * (index - 32))) & 0xff;
    }
}
