// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {LibBit} from "solady/src/utils/LibBit.sol";
import {IAdjudicationProcedure} from "../interfaces/IAdjudicationProcedure.sol";
import {ICollaborationContract} from "../interfaces/ICollaborationContract.sol";
import {ActionTable} from "../libraries/ActionTable.sol";
import {BasisPoints} from "../libraries/BasisPoints.sol";
import {Commitments} from "../libraries/Commitments.sol";
import {NodeLaw} from "../libraries/NodeLaw.sol";
import {Reasons} from "../libraries/Reasons.sol";
import {SlashingSchedule} from "../libraries/SlashingSchedule.sol";
import {Action} from "../types/Actions.sol";
import {EvidenceItem, Opening} from "../types/Messages.sol";
import {Institution} from "../types/Roles.sol";
import {MissionState, NodeState} from "../types/States.sol";
import {Appeals} from "./Appeals.sol";
import {Cases} from "./Cases.sol";
import {Docket, Dockets} from "./Docket.sol";
import {Guard} from "./Guard.sol";
import {City, Frame, MissionFrame} from "./MissionFrame.sol";
import {MissionStorage} from "./MissionStorage.sol";
import {NodeCore} from "./NodeCore.sol";
import {Records} from "./Records.sol";
import {Remedies} from "./Remedies.sol";

/// @title The one door of adjudication into a mission
/// @notice AgentCity B.12; decisions 14, 28 and 29: what `onOverride` may do, and in which state of the mission. A linked
/// library: it runs in the clone's frame and storage.
library Overrides {
    using ActionTable for Action;
    using MissionFrame for Frame;

    uint256 private constant DECIDED = (1 << uint256(NodeState.COMPLETED)) | (1 << uint256(NodeState.FAILED));

    function execute(
        MissionStorage.Layout storage s,
        City calldata city,
        Action action,
        uint8 node,
        address target,
        bytes calldata data,
        bytes32 judged
    ) external {
        if (msg.sender != city.constitution.at(Institution.ADJUDICATION)) {
            revert ICollaborationContract.NotAdjudication(msg.sender);
        }
        Frame memory f = MissionFrame.open(city);
        bytes32 current = action.judges() ? Cases.caseOf(s, city, action, node) : judged;
        if (judged != current) revert IAdjudicationProcedure.StaleCase(judged, current);
        _requireState(s, action);
        if (action == Action.APPROVE_POP) _approve(s, f, node, data);
        else if (action == Action.RESOLVE_APPEAL) Appeals.resolve(s, city, node, data);
        else if (action == Action.TERMINATE_MISSION) Remedies.terminate(s);
        else if (action == Action.FAULT_SLOTS) Remedies.fault(s, city, node, data);
        else if (action == Action.RESUME_WITH_AMENDMENT) Remedies.amend(s, city, node, data);
        else if (action == Action.FREEZE) Guard.freeze(s, city, node, data);
        else _overrule(s, f, action, node, target, data);
        emit ICollaborationContract.Overridden(action, node, target);
    }

    /// @dev Ending a mission has its own arcs; an appeal, and who is at fault for the end, outlive the mission.
    function _requireState(MissionStorage.Layout storage s, Action action) private view {
        bool ended = action == Action.RESOLVE_APPEAL || action == Action.FAULT_SLOTS;
        if (ended || action == Action.TERMINATE_MISSION) return;
        bool clears = action == Action.CLEAR_EMERGENCY_STOP;
        NodeCore.requireMission(
            s,
            clears ? NodeCore.RUNNING | (1 << uint256(MissionState.DEGRADED)) : NodeCore.RUNNING
        );
    }

    function _overrule(
        MissionStorage.Layout storage s,
        Frame memory f,
        Action action,
        uint8 node,
        address target,
        bytes calldata data
    ) private {
        if (action == Action.EMERGENCY_STOP) return Guard.stop(s, address(0));
        if (action == Action.CLEAR_EMERGENCY_STOP) return Guard.resume(s, f);
        if (action == Action.CLASSIFY_FALSE_POSITIVE) {
            return Guard.classify(s, target, abi.decode(data, (uint256)));
        }
        NodeLaw law = f.node(node);
        if (!law.leaf()) revert ICollaborationContract.NotALeaf(node);
        MissionStorage.Node memory w = NodeCore.load(s, node);
        if (action == Action.UNFREEZE) _unfreeze(s, f, w, node);
        else if (action == Action.REJECT_POP) _reject(s, f, law, w, node);
        else if (action == Action.VETO_OUTPUT) _veto(w, node, abi.decode(data, (uint8)));
        else if (action == Action.RELEASE_OUTPUT) _release(s, f, law, w, node, data);
        else revert ICollaborationContract.UnsupportedOverride(action);
        NodeCore.store(s, node, w);
    }

    function _unfreeze(
        MissionStorage.Layout storage s,
        Frame memory f,
        MissionStorage.Node memory w,
        uint8 node
    ) private {
        NodeCore.requireNode(w, node, NodeCore.only(NodeState.FROZEN));
        MissionStorage.Notes storage notes = s.notes[MissionStorage.attemptKey(node, w.attempt)];
        if (notes.halted != 0) notes.halted = 0;
        w.flags &= ~MissionStorage.UNATTENDED;
        if (!NodeCore.resumeHearing(s, w, node)) NodeCore.makeEligible(f, w, node);
        emit ICollaborationContract.NodeUnfrozen(node, w.deadline);
    }

    /// @notice A human decides what the mesh could not, on evidence that passes the same floor. The slots paid are those
    /// the basis rests on.
    function _approve(MissionStorage.Layout storage s, Frame memory f, uint8 node, bytes calldata data) private {
        (uint256 basis, uint16 share) = abi.decode(data, (uint256, uint16));
        // Behind two words and the hash of what they rest on.
        (Opening[] memory openings, EvidenceItem[] memory items) = abi.decode(data[96:], (Opening[], EvidenceItem[]));
        if (share > BasisPoints.WHOLE) revert ICollaborationContract.ShareOutOfRange(share);
        Docket memory d;
        Dockets.gather(s, f, d, node);
        NodeCore.requireNode(d.word, node, NodeCore.only(NodeState.PENDING_REVIEW));
        Dockets.prove(s, f, d, openings, items);
        if (!Dockets.isAdmissible(d, basis)) revert ICollaborationContract.BelowFloor(node, d.law.floor());

        NodeCore.show(s, d.word, node, Dockets.provenSlots(s, d));
        d.word.share = share;
        d.word.agreeing = Dockets.slotsOf(basis) & d.word.commitMask;
        emit ICollaborationContract.ReviewApproved(node, d.word.attempt, share, d.word.agreeing);
        uint256 first = LibBit.ffs(d.word.agreeing);
        bytes32 output = first < openings.length ? openings[first].outputHash : bytes32(0);
        bool decided = NodeCore.has(d.word, MissionStorage.GATED) || NodeCore.has(d.word, MissionStorage.VETOED);
        // A veto after a human's approval leaves the node in review once; approving it again overrides the gate.
        if (decided || NodeCore.passesGate(s, f, d.word, node, d.law.predicate(), output)) {
            d.word.flags |= MissionStorage.GATED;
            NodeCore.dropWanting(s, d.word, node);
            NodeCore.complete(s, f, d.word, node, output);
            Records.enter(s, f, d.law, d.word, node);
        }
        NodeCore.store(s, node, d.word);
    }

    /// @dev A rejected review costs the score, and slots that never showed anything to judge by what being late costs; a confirmed freeze
    /// costs stake and a hundred points, on a human's word.
    function _reject(
        MissionStorage.Layout storage s,
        Frame memory f,
        NodeLaw law,
        MissionStorage.Node memory w,
        uint8 node
    ) private {
        NodeCore.requireNode(w, node, NodeCore.REJECTABLE);
        bool frozen = w.state == NodeState.FROZEN;
        if (frozen) w.flags &= ~MissionStorage.UNATTENDED;
        else NodeCore.dropWanting(s, w, node);
        uint64 slash = frozen ? SlashingSchedule.NODE_FAILURE : 0;
        // That no verdict counted is what the executors disagreed about, or showed too little of.
        bytes32 judged = w.seats == 0 ? Reasons.UNVERIFIABLE : Reasons.REJECTED;
        bytes32 reason = frozen ? Reasons.FREEZE_CONFIRMED : judged;
        NodeCore.settleMask(s, node, w.attempt, NodeCore.outstanding(s, w, node, law), slash, !frozen, reason);
        NodeCore.fail(s, f, w, node, law.tier(), reason);
    }

    // --- Gate --------------------------------------------------------------------------------------------------------

    /// @dev The gate will not be asked: whatever the panel finds, a human decides. Work under review loses its release. As FREEZE, it binds
    /// no state and does not reach the next attempt.
    function _veto(MissionStorage.Node memory w, uint8 node, uint8 attempt) private {
        if (attempt != w.attempt) revert ICollaborationContract.AttemptOver(node, attempt, w.attempt);
        NodeCore.requireNode(w, node, ~DECIDED);
        w.flags |= MissionStorage.HELD;
        if (w.state != NodeState.PENDING_REVIEW) return;
        w.flags = (w.flags & ~MissionStorage.GATED) | MissionStorage.VETOED;
        emit ICollaborationContract.GateDecided(node, false);
    }

    /// @dev Releases what passed on evidence and was vetoed by gate or human, with the share it passed with.
    function _release(
        MissionStorage.Layout storage s,
        Frame memory f,
        NodeLaw law,
        MissionStorage.Node memory w,
        uint8 node,
        bytes calldata data
    ) private {
        NodeCore.requireNode(w, node, NodeCore.only(NodeState.PENDING_REVIEW));
        bool passed = w.agreeing != 0 && NodeCore.count(w.agreeing) >= law.threshold();
        if (!passed || !NodeCore.has(w, MissionStorage.VETOED)) revert ICollaborationContract.NotVetoed(node);
        bytes32 outputHash = _output(s, f, w, node, data);
        w.flags = (w.flags & ~(MissionStorage.VETOED | MissionStorage.HELD)) | MissionStorage.GATED;
        emit ICollaborationContract.GateDecided(node, true);
        NodeCore.dropWanting(s, w, node);
        NodeCore.complete(s, f, w, node, outputHash);
        Records.enter(s, f, law, w, node);
    }

    /// @dev Only what was committed can be released.
    function _output(
        MissionStorage.Layout storage s,
        Frame memory f,
        MissionStorage.Node memory w,
        uint8 node,
        bytes calldata data
    ) private view returns (bytes32) {
        uint8 slot = abi.decode(data, (uint8));
        Opening memory opening = abi.decode(data[64:], (Opening));
        if (slot >= NodeCore.MAX_SLOTS || (w.agreeing >> slot) & 1 == 0) {
            revert ICollaborationContract.NotCommitted(node, slot);
        }
        uint256 key = MissionStorage.slotKey(node, w.attempt, slot);
        bytes32 obligation = NodeCore.obligation(s, f, w, node);
        bytes32 given = Commitments.commitment(s.slots[key].agent, opening, obligation);
        if (given != s.pledges[key]) {
            revert ICollaborationContract.OpeningMismatch(node, slot, s.pledges[key], given);
        }
        return opening.outputHash;
    }
}
