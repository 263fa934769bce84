// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {ICollaborationContract} from "../../interfaces/ICollaborationContract.sol";
import {IServiceContract} from "../../interfaces/IServiceContract.sol";
import {LiveHash} from "../../types/Messages.sol";
import {Dispatch} from "../Dispatch.sol";
import {Guard} from "../Guard.sol";
import {Remedies} from "../Remedies.sol";
import {WatchdogHold} from "../WatchdogHold.sol";
import {MissionBase} from "./MissionBase.sol";

/// @title Orchestration: who works on what, and when (AgentCity B.3, B.11)
abstract contract Orchestration is MissionBase {
    /// @inheritdoc ICollaborationContract
    function activate() external {
        Dispatch.activate(_mission, _city());
    }

    /// @inheritdoc ICollaborationContract
    function bind(uint8 node, uint8 slot, address agent, bytes32 service, uint64 price) external {
        Dispatch.bind(_mission, _city(), node, slot, agent, service, price);
    }

    /// @inheritdoc ICollaborationContract
    function route(uint256 nodes, Start calldata start) external nonReentrant {
        Dispatch.route(_mission, _city(), nodes, start);
    }

    /// @inheritdoc ICollaborationContract
    function mismatch(LiveHash calldata live, IServiceContract.Service calldata service) external nonReentrant {
        Dispatch.mismatch(_mission, _city(), live, service);
    }

    /// @inheritdoc ICollaborationContract
    function timeout(uint8 node) external nonReentrant {
        Remedies.timeout(_mission, _city(), node);
    }

    /// @inheritdoc ICollaborationContract
    function reopen(uint8 node) external nonReentrant {
        Remedies.reopen(_mission, _city(), node);
    }

    /// @inheritdoc ICollaborationContract
    function abort() external nonReentrant {
        Remedies.abort(_mission, _city());
    }

    /// @inheritdoc ICollaborationContract
    function expire() external {
        Guard.expire(_mission);
    }

    /// @inheritdoc ICollaborationContract
    function expiresAt() external view returns (uint40) {
        return WatchdogHold.expiryOf(_open());
    }
}
