// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {Action} from "../types/Actions.sol";

/// @title What each action of the override panel needs: one row, one byte, one table (AgentCity B.12; decisions 26)
/// @notice Bits 0–3 signatures needed (15 = two thirds of the active seats, rounded up; 0 = no action), bit 4 executed on a mission,
/// bit 5 rotates: an approval that one person may not give alone for ever in one mission. Two rows ask for more where the
/// constitution says so: AMEND_PARAMETER (two for a HIGH parameter) and CLEAR_EMERGENCY_STOP.
library ActionTable {
    uint256 private constant SUPERMAJORITY = 15;
    uint256 private constant MISSION = 1 << 4;
    uint256 private constant ROTATES = 1 << 5;

    uint256 private constant TABLE =
        ((1 | MISSION) << (8 * uint256(Action.FREEZE))) |
            ((1 | MISSION | ROTATES) << (8 * uint256(Action.UNFREEZE))) |
            ((1 | MISSION) << (8 * uint256(Action.TERMINATE_MISSION))) |
            ((1 | MISSION | ROTATES) << (8 * uint256(Action.APPROVE_POP))) |
            ((1 | MISSION) << (8 * uint256(Action.REJECT_POP))) |
            (1 << (8 * uint256(Action.AMEND_PARAMETER))) |
            (1 << (8 * uint256(Action.ADJUST_REPUTATION))) |
            ((1 | MISSION | ROTATES) << (8 * uint256(Action.CLASSIFY_FALSE_POSITIVE))) |
            ((1 | MISSION) << (8 * uint256(Action.EMERGENCY_STOP))) |
            ((2 | MISSION) << (8 * uint256(Action.CLEAR_EMERGENCY_STOP))) |
            (1 << (8 * uint256(Action.APPROVE_PREDICATE))) |
            ((1 | MISSION) << (8 * uint256(Action.VETO_OUTPUT))) |
            ((1 | MISSION | ROTATES) << (8 * uint256(Action.RELEASE_OUTPUT))) |
            ((1 | MISSION) << (8 * uint256(Action.RESOLVE_APPEAL))) |
            (2 << (8 * uint256(Action.SLASH))) |
            (2 << (8 * uint256(Action.FREEZE_PRINCIPAL))) |
            (2 << (8 * uint256(Action.CLAIM_INSURANCE))) |
            (2 << (8 * uint256(Action.DISBURSE))) |
            (1 << (8 * uint256(Action.APPROVE_CODIFICATION))) |
            (2 << (8 * uint256(Action.APPOINT_CLERK))) |
            (2 << (8 * uint256(Action.SET_ENVELOPE))) |
            (2 << (8 * uint256(Action.PUBLISH_TEMPLATE))) |
            (2 << (8 * uint256(Action.REGISTER_ISSUER))) |
            (SUPERMAJORITY << (8 * uint256(Action.ADMIT_ADJUDICATOR))) |
            (SUPERMAJORITY << (8 * uint256(Action.AMEND_CONSTITUTION))) |
            (2 << (8 * uint256(Action.RULE_ON_BLOC))) |
            (SUPERMAJORITY << (8 * uint256(Action.IMPEACH))) |
            (2 << (8 * uint256(Action.AUDIT_UNILATERAL)));

    function onMission(Action action) internal pure returns (bool) {
        return _row(action) & MISSION != 0;
    }

    function rotates(Action action) internal pure returns (bool) {
        return _row(action) & ROTATES != 0;
    }

    /// @param active Seats filled now.
    function signatures(Action action, uint256 active) internal pure returns (uint256) {
        uint256 needed = _row(action) & 15;
        return needed == SUPERMAJORITY ? (2 * active + 2) / 3 : needed;
    }

    function _row(Action action) private pure returns (uint256) {
        return (TABLE >> (8 * uint256(action))) & 0xff;
    }
}
