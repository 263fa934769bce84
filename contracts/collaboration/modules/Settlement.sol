// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {ICollaborationContract} from "../../interfaces/ICollaborationContract.sol";
import {Auth} from "../../types/Roles.sol";
import {Appeals} from "../Appeals.sol";
import {Dispatch} from "../Dispatch.sol";
import {Escrow} from "../Escrow.sol";
import {MissionBase} from "./MissionBase.sol";

/// @title Settlement: from entitlement to payment, and what returns to the sponsor (AgentCity B.6; decisions 5, 24, 29)
abstract contract Settlement is MissionBase {
    /// @inheritdoc ICollaborationContract
    function record(uint8 node) external nonReentrant {
        Escrow.record(_mission, _city(), node);
    }

    /// @inheritdoc ICollaborationContract
    function claim(uint8[] calldata nodes) external nonReentrant {
        if (nodes.length == 0) revert EmptyBatch();
        Escrow.claim(_mission, _city(), nodes);
    }

    /// @inheritdoc ICollaborationContract
    function appeal(uint8 node, uint8 attempt, bytes32 evidence, Auth calldata auth) external nonReentrant {
        Appeals.file(_mission, _city(), node, attempt, evidence, auth);
    }

    /// @inheritdoc ICollaborationContract
    function refund() external nonReentrant {
        Escrow.refund(_mission, _city());
    }

    /// @inheritdoc ICollaborationContract
    function close() external nonReentrant {
        Escrow.close(_mission, _city());
    }

    /// @inheritdoc ICollaborationContract
    function anchor(bytes32 root, address runner, uint40 deadline, bytes calldata signature) external {
        Dispatch.anchor(_mission, _city(), root, runner, deadline, signature);
    }

    /// @inheritdoc ICollaborationContract
    function ledger() external view returns (Ledger memory) {
        return Escrow.ledgerOf(_mission);
    }
}
