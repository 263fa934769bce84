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
        if (NodeCore.isEnding(s)) revert ICollaborationContract.Ending();
        city.watchdog.requireRunning();
        NodeCore.requireMission(s, NodeCore.RUNNING);
        Frame memory f = MissionFrame.open(city);
        Wave memory wave = _open(s, f, c);
        if (s.head.state == MissionState.ACTIVE) NodeCore.moveMission(s, MissionState.EXECUTING);
        uint256 refused = 0;
        // At most the nodes the caller names.
        for (uint256 i = 0; i < c.pledges.length; ++i) {
            uint8 node = c.pledges[i].node;
            MissionStorage.Node memory w = NodeCore.loadOf(s, f, node);
            bytes memory fault = _fault(s, f, wave, w, node);
            if (fault.length != 0) NodeCore.passOver(node, w.attempt, fault, ++refused == c.pledges.length);
            _takeNode(s, f, wave, w, c.pledges[i], fault.length == 0);
        }
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

    /// @dev What became of a node since its executors signed: none of them can stop the others' work by it. What is handed in wrongly
    /// reverts: whoever sends the wave could leave a node out by it.
    function _fault(
        MissionStorage.Layout storage s,
        Frame memory f,
        Wave memory wave,
        MissionStorage.Node memory w,
        uint8 node
    ) private view returns (bytes memory fault) {
        NodeLaw law = f.node(node);
        if (!law.leaf()) revert ICollaborationContract.NotALeaf(node);
        if (w.state != NodeState.ELIGIBLE) {
            bytes4 state = ICollaborationContract.WrongNodeState.selector;
            return abi.encodeWithSelector(state, node, w.state, NodeCore.only(NodeState.ELIGIBLE));
        }
        if (w.commitMask != 0 || w.remainder != 0 || NodeCore.dropped(s, w, node) != 0) {
            return abi.encodeWithSelector(ICollaborationContract.AlreadyStarted.selector, node);
        }
        // An eligible node's clock began when it could start.
        uint40 due = w.deadline - f.terms.verificationTimeout() + wave.interval;
        if (block.timestamp > due) {
            return abi.encodeWithSelector(ICollaborationContract.CheckpointLate.selector, node, due);
        }
        // At most five slots.
        for (uint8 slot = 0; slot < law.redundancy(); ++slot) {
            address agent = s.slots[MissionStorage.slotKey(node, w.attempt, slot)].agent;
            if (agent == address(0)) revert ICollaborationContract.SlotEmpty(node, slot);
            // Whom adjudicators froze begins nothing.
            try f.city.producers.requireRoutable(agent) returns (address principal) {
                if (principal == wave.principal) {
                    revert ICollaborationContract.RunnerConflict(wave.runner, wave.principal);
                }
            } catch (bytes memory refusal) {
                // Nothing is what a call says that ran out of gas.
                if (refusal.length == 0) revert ICollaborationContract.GasTooLow(gasleft(), 0);
                return refusal;
            }
        }
    }

    /// @dev The runner signed for all nodes of the wave, whether they are taken or not.
    function _takeNode(
        MissionStorage.Layout storage s,
        Frame memory f,
        Wave memory wave,
        MissionStorage.Node memory w,
        ICollaborationContract.PledgeOrder calldata order,
        bool taken
    ) private {
        uint8 node = order.node;
        uint8 slots = f.node(node).redundancy();
        if (order.openings.length != slots) revert ICollaborationContract.LengthMismatch(order.openings.length, slots);
        if (order.signatures.length != slots) {
            revert ICollaborationContract.LengthMismatch(order.signatures.length, slots);
        }
        if (taken) {
            NodeCore.move(w, node, NodeState.EXECUTING);
            emit ICollaborationContract.Routed(node, w.attempt, uint40(block.timestamp));
        }
        bytes32 obligation = NodeCore.obligation(s, f, w, node);
        for (uint8 slot = 0; slot < slots; ++slot) {
            uint256 key = MissionStorage.slotKey(node, w.attempt, slot);
            address agent = s.slots[key].agent;
            bytes32 commitment = Commitments.commitment(agent, order.openings[slot], obligation);
            wave.entries[wave.length++] = s.pledges[key];
            wave.entries[wave.length++] = commitment;
            if (taken) _takeSlot(s, f, wave, w, order, slot, agent, commitment);
        }
        if (!taken) return;
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
        address agent,
        bytes32 commitment
    ) private {
        bytes32 message = TypedData.hashCommit(agent, order.node, slot, w.attempt, commitment, wave.deadline);
        Signatures.requireEcdsa(agent, f.digest(message), order.signatures[slot]);
        s.pledges[MissionStorage.slotKey(order.node, w.attempt, slot)] = commitment;
        w.commitMask |= uint8(1 << slot);
        emit ICollaborationContract.Committed(order.node, slot, agent, w.attempt, commitment);
        NodeCore.requireOpening(f.node(order.node), order.node, slot, order.openings[slot]);
        NodeCore.reveal(w, order.node, slot, order.openings[slot]);
    }
}
