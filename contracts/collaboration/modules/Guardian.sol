// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {ICollaborationContract} from "../../interfaces/ICollaborationContract.sol";
import {Action} from "../../types/Actions.sol";
import {Guard} from "../Guard.sol";
import {MissionStorage} from "../MissionStorage.sol";
import {Overrides} from "../Overrides.sol";
import {MissionBase} from "./MissionBase.sol";

/// @title Guardian: freezes, and the word of humans (AgentCity B.3, B.12; decisions 14, 17, 24)
abstract contract Guardian is MissionBase {
    /// @inheritdoc ICollaborationContract
    function report(uint8 node, bytes32 reason, uint256 magnitude) external nonReentrant {
        Guard.report(_mission, _city(), node, reason, magnitude);
    }

    /// @inheritdoc ICollaborationContract
    function sealSnapshot(uint8 node, bytes32 hash) external {
        Guard.sealSnapshot(_mission, _city(), node, hash);
    }

    /// @inheritdoc ICollaborationContract
    function degrade(uint40 silentSince) external {
        Guard.degrade(_mission, _city(), silentSince);
    }

    /// @inheritdoc ICollaborationContract
    function suspend(bytes32 finding) external nonReentrant {
        Guard.suspend(_mission, _city(), finding);
    }

    /// @inheritdoc ICollaborationContract
    function lapse() external nonReentrant {
        Guard.lapse(_mission, _city());
    }

    /// @inheritdoc ICollaborationContract
    function watch() external view returns (Watch memory) {
        MissionStorage.Watch storage w = _mission.watch;
        MissionStorage.Suspension storage suspension = _mission.suspension;
        return
            Watch({
                stopped: _mission.head.stopped,
                cleared: w.cleared,
                stoppedAt: w.stoppedAt,
                degradedSince: w.degradedSince,
                degradedUntil: w.degradedUntil,
                suspendedBy: suspension.monitor,
                suspendedUntil: suspension.until,
                ending: w.ending
            });
    }

    /// @inheritdoc ICollaborationContract
    function freezesOf(address agent) external view returns (uint256[3] memory) {
        return _mission.freezes[agent];
    }

    /// @inheritdoc ICollaborationContract
    function onOverride(
        Action action,
        uint8 node,
        address target,
        bytes calldata data,
        bytes32 judged
    ) external nonReentrant {
        Overrides.execute(_mission, _city(), action, node, target, data, judged);
    }
}
