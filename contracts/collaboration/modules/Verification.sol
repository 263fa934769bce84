// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {ICollaborationContract} from "../../interfaces/ICollaborationContract.sol";
import {ClearingDecision} from "../../types/Evidence.sol";
import {Opening} from "../../types/Messages.sol";
import {Checkpoints} from "../Checkpoints.sol";
import {ClearingDesk} from "../ClearingDesk.sol";
import {Hearings} from "../Hearings.sol";
import {Pledges} from "../Pledges.sol";
import {Remedies} from "../Remedies.sol";
import {MissionBase} from "./MissionBase.sol";

/// @title Verification: commit, reveal, clear (RAILS 5; decisions 18–23)
abstract contract Verification is MissionBase {
    /// @inheritdoc ICollaborationContract
    function commit(
        uint8 node,
        uint8 slot,
        bytes32 commitment,
        uint40 deadline,
        bytes calldata signature
    ) external nonReentrant {
        Pledges.commit(_mission, _city(), node, slot, commitment, deadline, signature);
    }

    /// @inheritdoc ICollaborationContract
    function commitOpen(
        uint8 node,
        uint8 slot,
        Opening calldata opening,
        uint40 deadline,
        bytes calldata signature
    ) external nonReentrant {
        Pledges.commitOpen(_mission, _city(), node, slot, opening, deadline, signature);
    }

    /// @inheritdoc ICollaborationContract
    function reveal(uint8 node, uint8 slot, Opening calldata opening) external nonReentrant {
        Pledges.reveal(_mission, _city(), node, slot, opening);
    }

    /// @inheritdoc ICollaborationContract
    function commitWave(bytes calldata wave) external nonReentrant {
        Pledges.commitWave(_mission, _city(), wave);
    }

    /// @inheritdoc ICollaborationContract
    function revealWave(bytes calldata wave) external nonReentrant {
        Pledges.revealWave(_mission, _city(), wave);
    }

    /// @inheritdoc ICollaborationContract
    function checkpoint(Checkpoint calldata wave) external nonReentrant {
        Checkpoints.take(_mission, _city(), wave);
    }

    /// @inheritdoc ICollaborationContract
    function checkpointed() external view returns (bytes32) {
        return _mission.checkpoint;
    }

    /// @inheritdoc ICollaborationContract
    function clear(bytes calldata wave) external nonReentrant {
        ClearingDesk.clear(_mission, _city(), wave);
    }

    /// @inheritdoc ICollaborationContract
    function post(bytes calldata wave) external nonReentrant {
        Hearings.post(_mission, _city(), wave);
    }

    /// @inheritdoc ICollaborationContract
    function accuse(
        uint8 node,
        uint8 attempt,
        address verifier,
        SignedVerdict calldata first,
        SignedVerdict calldata second
    ) external nonReentrant {
        Hearings.accuse(_mission, _city(), node, attempt, verifier, first, second);
    }

    /// @inheritdoc ICollaborationContract
    function redraw(uint8 node) external nonReentrant {
        Remedies.redraw(_mission, _city(), node);
    }

    /// @inheritdoc ICollaborationContract
    function previewClear(bytes calldata wave) external view returns (ClearingDecision[] memory) {
        return ClearingDesk.preview(_mission, _city(), wave);
    }

    /// @inheritdoc ICollaborationContract
    function panelOf(uint8 node) external view returns (address[] memory) {
        return Hearings.panelOf(_mission, _city(), node);
    }

    /// @inheritdoc ICollaborationContract
    function obligationOf(uint8 node) external view returns (bytes32) {
        return Remedies.obligationOf(_mission, _city(), node);
    }
}
