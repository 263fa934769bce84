// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {ICollaborationContract} from "../../interfaces/ICollaborationContract.sol";
import {Action} from "../../types/Actions.sol";
import {Institution} from "../../types/Roles.sol";
import {City} from "../MissionFrame.sol";
import {ClearingDesk} from "../ClearingDesk.sol";
import {NodeCore} from "../NodeCore.sol";
import {Remedies} from "../Remedies.sol";
import {MissionBase} from "./MissionBase.sol";

/// @title Guardian: freezes, and the word of humans (AgentCity B.4, B.12; decisions 14, 17, 24)
abstract contract Guardian is MissionBase {
    bytes32 private constant _BY_ADJUDICATION = "OVERRIDE";

    /// @inheritdoc ICollaborationContract
    function report(uint8 node, bytes32 reason, uint256 magnitude) external nonReentrant {
        Remedies.report(_mission, _city(), node, reason, magnitude);
    }

    /// @inheritdoc ICollaborationContract
    function onOverride(Action action, uint8 node, address target, bytes calldata data) external nonReentrant {
        City memory city = _city();
        if (msg.sender != city.constitution.at(Institution.ADJUDICATION)) revert NotAdjudication(msg.sender);
        if (action != Action.TERMINATE_MISSION) NodeCore.requireMission(_mission, NodeCore.RUNNING);
        if (action == Action.APPROVE_POP) ClearingDesk.approve(_mission, city, node, data);
        else Remedies.overrule(_mission, city, action, node, _BY_ADJUDICATION);
        emit Overridden(action, node, target);
    }
}
