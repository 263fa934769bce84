// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {ICollaborationContract} from "../../interfaces/ICollaborationContract.sol";
import {Commitments} from "../../libraries/Commitments.sol";
import {Signatures} from "../../libraries/Signatures.sol";
import {TypedData} from "../../libraries/TypedData.sol";
import {ClearingDecision} from "../../types/Evidence.sol";
import {LawNode, Tier} from "../../types/Law.sol";
import {Opening} from "../../types/Messages.sol";
import {NodeState} from "../../types/States.sol";
import {Checkpoints} from "../Checkpoints.sol";
import {ClearingDesk} from "../ClearingDesk.sol";
import {Frame, MissionFrame} from "../MissionFrame.sol";
import {MissionStorage} from "../MissionStorage.sol";
import {NodeCore} from "../NodeCore.sol";
import {Remedies} from "../Remedies.sol";
import {MissionBase} from "./MissionBase.sol";

/// @title Verification: commit, reveal, clear (RAILS 5; decisions 18–23)
abstract contract Verification is MissionBase {
    using MissionFrame for Frame;

    /// @inheritdoc ICollaborationContract
    function commit(
        uint8 node,
        uint8 slot,
        bytes32 commitment,
        uint40 deadline,
        bytes calldata signature
    ) external nonReentrant {
        (Frame memory f, LawNode memory law_, MissionStorage.Node memory w) = _working(node);
        _requireTier(law_, node, true);
        if (commitment == 0) revert NotCommitted(node, slot);
        _commit(f, law_, w, node, slot, commitment, deadline, signature);
        if (w.commitMask == NodeCore.full(law_.redundancy)) {
            w.flags |= MissionStorage.COMMITS_CLOSED;
            w.deadline = uint40(block.timestamp) + law_.timeout;
        }
        NodeCore.store(_mission, node, w);
    }

    /// @inheritdoc ICollaborationContract
    function commitOpen(
        uint8 node,
        uint8 slot,
        Opening calldata opening,
        uint40 deadline,
        bytes calldata signature
    ) external nonReentrant {
        (Frame memory f, LawNode memory law_, MissionStorage.Node memory w) = _working(node);
        _requireTier(law_, node, false);
        bytes32 commitment = _commitmentOf(f, w, node, slot, opening);
        _commit(f, law_, w, node, slot, commitment, deadline, signature);
        _reveal(w, node, slot, opening);
        if (w.commitMask == NodeCore.full(law_.redundancy)) NodeCore.startVerification(f, w, node);
        NodeCore.store(_mission, node, w);
    }

    /// @inheritdoc ICollaborationContract
    function reveal(uint8 node, uint8 slot, Opening calldata opening) external nonReentrant {
        (Frame memory f, LawNode memory law_, MissionStorage.Node memory w) = _working(node);
        _requireTier(law_, node, true);
        if (!NodeCore.has(w, MissionStorage.COMMITS_CLOSED)) {
            Remedies.closeCommits(_mission, _city(), node);
            w = NodeCore.load(_mission, node);
        } else if (block.timestamp >= w.deadline) {
            revert WindowClosed(node, w.deadline);
        }
        if (slot >= law_.redundancy || (w.commitMask >> slot) & 1 == 0) revert NotCommitted(node, slot);
        if ((w.revealMask >> slot) & 1 == 1) revert AlreadyRevealed(node, slot);
        bytes32 pledge = _mission.pledges[MissionStorage.slotKey(node, w.attempt, slot)];
        bytes32 given = _commitmentOf(f, w, node, slot, opening);
        if (given != pledge) revert OpeningMismatch(node, slot, pledge, given);
        _reveal(w, node, slot, opening);
        if (w.revealMask == w.commitMask) NodeCore.startVerification(f, w, node);
        NodeCore.store(_mission, node, w);
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
    function clear(ClearOrder[] calldata orders) external nonReentrant {
        ClearingDesk.clear(_mission, _city(), orders);
    }

    /// @inheritdoc ICollaborationContract
    function redraw(uint8 node) external nonReentrant {
        Remedies.redraw(_mission, _city(), node);
    }

    /// @inheritdoc ICollaborationContract
    function previewClear(ClearOrder calldata order) external view returns (ClearingDecision memory) {
        return ClearingDesk.preview(_mission, _city(), order);
    }

    /// @inheritdoc ICollaborationContract
    function panelOf(uint8 node) external view returns (address[] memory) {
        return ClearingDesk.panelOf(_mission, _city(), node);
    }

    /// @inheritdoc ICollaborationContract
    function obligationOf(uint8 node) external view returns (bytes32) {
        return Remedies.obligationOf(_mission, _city(), node);
    }

    function _commitmentOf(
        Frame memory f,
        MissionStorage.Node memory w,
        uint8 node,
        uint8 slot,
        Opening calldata opening
    ) private view returns (bytes32) {
        address agent = _mission.slots[MissionStorage.slotKey(node, w.attempt, slot)].agent;
        return Commitments.commitment(agent, opening, NodeCore.obligation(_mission, f, w, node));
    }

    function _working(
        uint8 node
    ) private view returns (Frame memory f, LawNode memory law_, MissionStorage.Node memory w) {
        NodeCore.requireMission(_mission, NodeCore.RUNNING);
        f = _open();
        law_ = f.node(node);
        w = NodeCore.load(_mission, node);
        NodeCore.requireNode(w, node, NodeCore.only(NodeState.EXECUTING));
    }

    function _commit(
        Frame memory f,
        LawNode memory law_,
        MissionStorage.Node memory w,
        uint8 node,
        uint8 slot,
        bytes32 commitment,
        uint40 deadline,
        bytes calldata signature
    ) private {
        if (NodeCore.has(w, MissionStorage.COMMITS_CLOSED) || block.timestamp >= w.deadline) {
            revert WindowClosed(node, w.deadline);
        }
        if (slot >= law_.redundancy) revert SlotEmpty(node, slot);
        if ((w.commitMask >> slot) & 1 == 1) revert AlreadyCommitted(node, slot);
        uint256 key = MissionStorage.slotKey(node, w.attempt, slot);
        address agent = _mission.slots[key].agent;
        Signatures.requireInTime(deadline);
        if (signature.length != 0) {
            bytes32 message = TypedData.hashCommit(agent, node, slot, w.attempt, commitment, deadline);
            Signatures.requireEcdsa(agent, f.digest(message), signature);
        } else if (msg.sender != agent) {
            revert InvalidSignature(agent);
        }
        w.commitMask |= uint8(1 << slot);
        _mission.pledges[key] = commitment;
        emit Committed(node, slot, agent, w.attempt, commitment);
    }

    function _reveal(MissionStorage.Node memory w, uint8 node, uint8 slot, Opening calldata o) private {
        NodeCore.reveal(w, node, slot, o);
    }

    /// @dev Commitments are sealed where several executors must agree, and opened at once elsewhere.
    function _requireTier(LawNode memory law_, uint8 node, bool isSealed) private pure {
        if ((law_.tier == Tier.CONSENSUS) != isSealed) revert WrongTier(node, uint8(law_.tier));
    }
}
