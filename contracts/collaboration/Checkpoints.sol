// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {ICollaborationContract} from "../interfaces/ICollaborationContract.sol";
import {Commitments} from "../libraries/Commitments.sol";
import {LawCodec} from "../libraries/LawCodec.sol";
import {NodeLaw} from "../libraries/NodeLaw.sol";
import {Signatures} from "../libraries/Signatures.sol";
import {TypedData} from "../libraries/TypedData.sol";
import {MissionState, NodeState} from "../types/States.sol";
import {City, Frame, MissionFrame} from "./MissionFrame.sol";
import {MissionStorage} from "./MissionStorage.sol";
import {NodeCore} from "./NodeCore.sol";

/// @title Hybrid mode: what was worked off chain, taken over at an anchor point
/// @notice AgentCity B.11.6 (SP-1h–SP-4h). A checkpoint leaves its nodes where route, commits and reveals leave them: committed, their
/// panels drawn by this block. Evaluation, floor, gate and money are the same as of work done on chain. A linked library: it runs in the
/// clone's frame and storage.
library Checkpoints {
    using MissionFrame for Frame;

    /// @dev Gathered while the nodes come in: what the runner signs for.
    struct Wave {
        address runner;
        /// Of the runner.
        address principal;
        uint40 deadline;
        uint40 interval;
        bytes32[] entries;
        uint256 length;
        uint256 nodes;
    }

    function take(
        MissionStorage.Layout storage s,
        City calldata city,
        ICollaborationContract.Checkpoint calldata c
    ) external {
        if (s.head.stopped) revert ICollaborationContract.Stopped();
        city.watchdog.requireRunning();
        NodeCore.requireMission(s, NodeCore.RUNNING);
        Frame memory f = MissionFrame.open(city);
        Wave memory wave = _open(s, f, c);
        if (s.head.state == MissionState.ACTIVE) NodeCore.moveMission(s, MissionState.EXECUTING);
        // At most the nodes the caller names.
        for (uint256 i = 0; i < c.pledges.length; ++i) _takeNode(s, f, wave, c.pledges[i]);
        bytes32 work = Commitments.workHash(wave.entries);
        bytes32 message = TypedData.hashCheckpoint(c.runner, c.previous, c.root, work, c.deadline);
        Signatures.requireEcdsa(c.runner, f.digest(message), c.signature);
        bytes32 head = Commitments.checkpointHead(c.previous, c.root, work);
        s.checkpoint = head;
        emit ICollaborationContract.Checkpointed(c.runner, c.previous, head, c.root, wave.nodes);
    }

    function _open(
        MissionStorage.Layout storage s,
        Frame memory f,
        ICollaborationContract.Checkpoint calldata c
    ) private view returns (Wave memory wave) {
        wave.interval = LawCodec.header(f.args).anchorInterval;
        if (wave.interval == 0) revert ICollaborationContract.NotHybrid();
        if (c.pledges.length == 0) revert ICollaborationContract.EmptyBatch();
        if (c.previous != s.checkpoint) revert ICollaborationContract.StaleCheckpoint(s.checkpoint, c.previous);
        if (!f.city.evidence.isRunner(c.runner)) revert ICollaborationContract.NotRunner(c.runner);
        Signatures.requireInTime(c.deadline);
        wave.runner = c.runner;
        wave.principal = f.city.evidence.principalOf(c.runner);
        wave.deadline = c.deadline;
        uint256 slots = 0;
        for (uint256 i = 0; i < c.pledges.length; ++i) slots += c.pledges[i].openings.length;
        wave.entries = new bytes32[](2 * slots);
    }

    function _takeNode(
        MissionStorage.Layout storage s,
        Frame memory f,
        Wave memory wave,
        ICollaborationContract.PledgeOrder calldata order
    ) private {
        uint8 node = order.node;
        NodeLaw law = f.node(node);
        MissionStorage.Node memory w = NodeCore.load(s, node);
        NodeCore.requireNode(w, node, NodeCore.only(NodeState.ELIGIBLE));
        if (!law.leaf()) revert ICollaborationContract.NotALeaf(node);
        if (w.commitMask != 0 || w.remainder != 0) revert ICollaborationContract.AlreadyStarted(node);
        // An eligible node's clock began when it could start.
        uint40 due = w.deadline - f.terms.verificationTimeout() + wave.interval;
        if (block.timestamp > due) revert ICollaborationContract.CheckpointLate(node, due);
        if (order.openings.length != law.redundancy()) {
            revert ICollaborationContract.LengthMismatch(order.openings.length, law.redundancy());
        }
        if (order.signatures.length != law.redundancy()) {
            revert ICollaborationContract.LengthMismatch(order.signatures.length, law.redundancy());
        }
        NodeCore.move(w, node, NodeState.EXECUTING);
        emit ICollaborationContract.Routed(node, w.attempt, uint40(block.timestamp));
        bytes32 obligation = NodeCore.obligation(s, f, w, node);
        for (uint8 slot = 0; slot < law.redundancy(); ++slot) _takeSlot(s, f, wave, w, order, slot, obligation);
        NodeCore.startVerification(f, w, node);
        NodeCore.store(s, node, w);
        wave.nodes |= uint256(1) << node;
    }

    function _takeSlot(
        MissionStorage.Layout storage s,
        Frame memory f,
        Wave memory wave,
        MissionStorage.Node memory w,
        ICollaborationContract.PledgeOrder calldata order,
        uint8 slot,
        bytes32 obligation
    ) private {
        uint256 key = MissionStorage.slotKey(order.node, w.attempt, slot);
        address agent = s.slots[key].agent;
        if (agent == address(0)) revert ICollaborationContract.SlotEmpty(order.node, slot);
        if (f.city.producers.requireRoutable(agent) == wave.principal) {
            revert ICollaborationContract.RunnerConflict(wave.runner, wave.principal);
        }
        bytes32 commitment = Commitments.commitment(agent, order.openings[slot], obligation);
        bytes32 message = TypedData.hashCommit(agent, order.node, slot, w.attempt, commitment, wave.deadline);
        Signatures.requireEcdsa(agent, f.digest(message), order.signatures[slot]);
        wave.entries[wave.length++] = s.pledges[key];
        wave.entries[wave.length++] = commitment;
        s.pledges[key] = commitment;
        w.commitMask |= uint8(1 << slot);
        emit ICollaborationContract.Committed(order.node, slot, agent, w.attempt, commitment);
        NodeCore.requireOpening(f.node(order.node), order.node, slot, order.openings[slot]);
        NodeCore.reveal(w, order.node, slot, order.openings[slot]);
    }
}
