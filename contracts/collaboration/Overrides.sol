// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {ICollaborationContract} from "../interfaces/ICollaborationContract.sol";
import {Action} from "../types/Actions.sol";
import {Institution} from "../types/Roles.sol";
import {Appeals} from "./Appeals.sol";
import {ClearingDesk} from "./ClearingDesk.sol";
import {City} from "./MissionFrame.sol";
import {MissionStorage} from "./MissionStorage.sol";
import {NodeCore} from "./NodeCore.sol";
import {Remedies} from "./Remedies.sol";

/// @title The one door of adjudication into a mission
/// @notice Decisions 14, 28 and 29: what `onOverride` may do, and in which state of the mission. A linked library: it runs in the
/// clone's frame and storage.
library Overrides {
    function execute(
        MissionStorage.Layout storage s,
        City calldata city,
        Action action,
        uint8 node,
        address target,
        bytes calldata data
    ) external {
        if (msg.sender != city.constitution.at(Institution.ADJUDICATION)) {
            revert ICollaborationContract.NotAdjudication(msg.sender);
        }
        if (!_inAnyState(action)) NodeCore.requireMission(s, NodeCore.RUNNING);

        if (action == Action.APPROVE_POP) ClearingDesk.approve(s, city, node, data);
        else if (action == Action.RESOLVE_APPEAL) Appeals.resolve(s, city, node, data);
        else Remedies.overrule(s, city, action, node);
        emit ICollaborationContract.Overridden(action, node, target);
    }

    /// @dev Ending a mission has its own arcs; an appeal outlives the mission.
    function _inAnyState(Action action) private pure returns (bool) {
        return action == Action.TERMINATE_MISSION || action == Action.RESOLVE_APPEAL;
    }
}
