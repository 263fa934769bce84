// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {ICollaborationContract} from "../../interfaces/ICollaborationContract.sol";
import {Action} from "../../types/Actions.sol";
import {Overrides} from "../Overrides.sol";
import {Remedies} from "../Remedies.sol";
import {MissionBase} from "./MissionBase.sol";

/// @title Guardian: freezes, and the word of humans (AgentCity B.4, B.12; decisions 14, 17, 24)
abstract contract Guardian is MissionBase {
    /// @inheritdoc ICollaborationContract
    function report(uint8 node, bytes32 reason, uint256 magnitude) external nonReentrant {
        Remedies.report(_mission, _city(), node, reason, magnitude);
    }

    /// @inheritdoc ICollaborationContract
    function onOverride(Action action, uint8 node, address target, bytes calldata data) external nonReentrant {
        Overrides.execute(_mission, _city(), action, node, target, data);
    }
}
