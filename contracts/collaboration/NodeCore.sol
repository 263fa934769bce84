// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {Clones} from "@openzeppelin/contracts/proxy/Clones.sol";
import {LowLevelCall} from "@openzeppelin/contracts/utils/LowLevelCall.sol";
import {ICollaborationContract} from "../interfaces/ICollaborationContract.sol";
import {IExecutionProcedure} from "../interfaces/IExecutionProcedure.sol";
import {IPredicate} from "../interfaces/IPredicate.sol";
import {Admissibility} from "../libraries/Admissibility.sol";
import {Commitments} from "../libraries/Commitments.sol";
import {Faults} from "../libraries/Faults.sol";
import {LawCodec} from "../libraries/LawCodec.sol";
import {MissionTransitions} from "../libraries/MissionTransitions.sol";
import {NodeLaw} from "../libraries/NodeLaw.sol";
import {NodeTransitions} from "../libraries/NodeTransitions.sol";
import {Reasons} from "../libraries/Reasons.sol";
import {SlashingSchedule} from "../libraries/SlashingSchedule.sol";
import {EvidenceClass} from "../types/Evidence.sol";
import {Tier} from "../types/Law.sol";
import {Opening} from "../types/Messages.sol";
import {FaultClass, FaultType, MissionState, NodeState} from "../types/States.sol";
import {MissionClock} from "./MissionClock.sol";
import {Frame, MissionFrame} from "./MissionFrame.sol";
import {MissionStorage} from "./MissionStorage.sol";
import {NodeWord} from "./NodeWord.sol";

/// @title What every part of a mission does to a node
/// @dev Internal, so that the hot path and the linked libraries share one text. A node word is loaded once into memory,
/// changed there, and stored once by its loader.
library NodeCore {
    using MissionFrame for Frame;

    uint256 internal constant RUNNING = (1 << uint256(MissionState.ACTIVE)) | (1 << uint256(MissionState.EXECUTING));
    uint256 internal constant FREEZABLE =
        (1 << uint256(NodeState.ELIGIBLE)) |
            (1 << uint256(NodeState.EXECUTING)) |
            (1 << uint256(NodeState.PENDING_VERIFICATION));
    /// States that wait for a human decision.
    uint256 internal constant REJECTABLE = (1 << uint256(NodeState.PENDING_REVIEW)) | (1 << uint256(NodeState.FROZEN));
    uint256 internal constant MAX_SLOTS = 5;
    /// @dev The last place of a slot is for what is said against it.
    uint8 private constant MAX_ITEMS = uint8(Admissibility.REFUTATION);
    /// @dev In `Skipped`: the whole node.
    uint8 private constant EVERY_SLOT = type(uint8).max;
    /// What `probe` itself may cost beside the call it bounds.
    uint256 private constant PROBE_OVERHEAD = 10_000;

    // --- Guards ------------------------------------------------------------------------------------------------------

    function requireMission(MissionStorage.Layout storage s, uint256 allowed) internal view {
        MissionState state = s.head.state;
        if ((allowed >> uint256(state)) & 1 == 0) revert ICollaborationContract.WrongMissionState(state, allowed);
    }

    function requireNode(MissionStorage.Node memory w, uint8 node, uint256 allowed) internal pure {
        if ((allowed >> uint256(w.state)) & 1 == 0) {
            revert ICollaborationContract.WrongNodeState(node, w.state, allowed);
        }
    }

    function only(NodeState state) internal pure returns (uint256) {
        return 1 << uint256(state);
    }

    function has(MissionStorage.Node memory w, uint16 flag) internal pure returns (bool) {
        return w.flags & flag != 0;
    }

    function full(uint8 slots) internal pure returns (uint8) {
        // At most five slots.
        return uint8((uint256(1) << slots) - 1);
    }

    function count(uint256 mask) internal pure returns (uint256 bits) {
        for (; mask != 0; mask &= mask - 1) ++bits;
    }

    /// @notice Whether the mission is to end: what has committed nothing starts no more, and nothing is frozen.
    function isEnding(MissionStorage.Layout storage s) internal view returns (bool) {
        return s.head.delayed && s.watch.ending;
    }

    function isFinal(MissionStorage.Layout storage s) internal view returns (bool) {
        return MissionTransitions.isFinal(s.head.state);
    }

    /// @notice A refused node stops no other; a caller with a single node learns the reason.
    function passOver(uint8 node, uint8 attempt, bytes memory fault, bool alone) internal {
        if (alone) LowLevelCall.bubbleRevert(fault);
        // An error begins with its selector.
        emit ICollaborationContract.Skipped(node, EVERY_SLOT, attempt, bytes4(fault));
    }

    // --- Node words --------------------------------------------------------------------------------------------------

    function load(MissionStorage.Layout storage s, uint256 node) internal view returns (MissionStorage.Node memory w) {
        uint256 word = s.nodes[node];
        NodeWord.read(word, w);
        if (word == 0) _awaken(s, Clones.fetchCloneArgs(address(this)), node, w);
        MissionClock.toWall(s, w);
    }

    /// @notice The same for who reads many nodes and has the law's bytes: each copy of them is as long as the law.
    function loadOf(
        MissionStorage.Layout storage s,
        Frame memory f,
        uint256 node
    ) internal view returns (MissionStorage.Node memory w) {
        loadInto(s, f, node, w);
    }

    /// @notice The same into a node that is there.
    function loadInto(
        MissionStorage.Layout storage s,
        Frame memory f,
        uint256 node,
        MissionStorage.Node memory w
    ) internal view {
        uint256 word = s.nodes[node];
        NodeWord.read(word, w);
        if (word == 0) _awaken(s, f.args, node, w);
        MissionClock.toWall(s, w);
    }

    /// @dev A node without predecessors is eligible from the start of the mission; its word is written on first use.
    function _awaken(
        MissionStorage.Layout storage s,
        bytes memory args,
        uint256 node,
        MissionStorage.Node memory w
    ) private view {
        if (s.head.state == MissionState.PENDING || LawCodec.predecessors(args, node) != 0) return;
        w.state = NodeState.ELIGIBLE;
        (, uint40 deployedAt) = LawCodec.origin(args);
        w.deadline = deployedAt + LawCodec.terms(args).verificationTimeout();
    }

    function store(MissionStorage.Layout storage s, uint256 node, MissionStorage.Node memory w) internal {
        uint40 deadline = w.deadline;
        w.deadline = MissionClock.toMission(s, deadline);
        s.nodes[node] = NodeWord.pack(w);
        w.deadline = deadline;
    }

    /// @notice Decision 19: what the executors of the node's attempt are bound to.
    function obligation(
        MissionStorage.Layout storage s,
        Frame memory f,
        MissionStorage.Node memory w,
        uint8 node
    ) internal view returns (bytes32) {
        uint256 key = MissionStorage.attemptKey(node, w.attempt);
        bytes32 amendment = has(w, MissionStorage.AMENDED) ? s.amendments[key] : bytes32(0);
        return _obligation(f, node, w.attempt, amendment);
    }

    /// @notice The same of any attempt.
    function obligationOf(
        MissionStorage.Layout storage s,
        Frame memory f,
        uint8 node,
        uint8 attempt
    ) internal view returns (bytes32) {
        return _obligation(f, node, attempt, s.amendments[MissionStorage.attemptKey(node, attempt)]);
    }

    function _obligation(Frame memory f, uint8 node, uint8 attempt, bytes32 amendment) private view returns (bytes32) {
        return Commitments.obligation(block.chainid, address(this), node, attempt, MissionFrame.lawHash(f), amendment);
    }

    /// @notice The word of the next attempt: nothing of the one before but what may still be slashed for it.
    function renew(Frame memory f, MissionStorage.Node memory w, uint8 node) internal pure {
        if (w.attempt >= f.terms.maxRefinementIterations()) {
            revert ICollaborationContract.IterationsExhausted(node, w.attempt);
        }
        ++w.attempt;
        w.remainder = 0;
        w.commitMask = 0;
        w.revealMask = 0;
        w.drawBlock = 0;
        w.redraws = 0;
        w.share = 0;
        w.agreeing = 0;
        w.seats = 0;
        w.flags &= MissionStorage.FAULTED | MissionStorage.UNATTENDED;
    }

    // --- Arcs --------------------------------------------------------------------------------------------------------

    function move(MissionStorage.Node memory w, uint8 node, NodeState to) internal {
        NodeTransitions.requireArc(w.state, to);
        emit ICollaborationContract.NodeStateChanged(node, w.state, to, w.attempt, msg.sender);
        w.state = to;
    }

    function moveMission(MissionStorage.Layout storage s, MissionState to) internal {
        MissionState from = s.head.state;
        MissionTransitions.requireArc(from, to);
        s.head.state = to;
        emit ICollaborationContract.MissionStateChanged(from, to, msg.sender);
    }

    /// @dev A bound node has as long to be routed as a panel has to clear.
    function makeEligible(Frame memory f, MissionStorage.Node memory w, uint8 node) internal {
        move(w, node, NodeState.ELIGIBLE);
        w.deadline = uint40(block.timestamp) + f.terms.verificationTimeout();
    }

    /// @notice Why an opening is invalid, independent of its commitment; zero if it is valid. Work that claims no item at the floor could not be
    /// cleared, so its executor is late until it opens other work (decision 57).
    function openingFault(NodeLaw law, Opening memory o) internal pure returns (bytes4) {
        if (o.items > MAX_ITEMS) return ICollaborationContract.TooManyItems.selector;
        if (o.trailRoot == 0) return ICollaborationContract.TrailMissing.selector;
        bool claims = Admissibility.reaches(Admissibility.firstOf(o.classes, o.items), EvidenceClass(law.floor()));
        return claims ? bytes4(0) : ICollaborationContract.ClaimsTooLittle.selector;
    }

    /// @dev The same as an error with its values.
    function requireOpening(NodeLaw law, uint8 node, uint8 slot, Opening memory o) internal pure {
        bytes4 fault = openingFault(law, o);
        if (fault == ICollaborationContract.TooManyItems.selector) {
            revert ICollaborationContract.TooManyItems(node, slot, o.items);
        }
        if (fault == ICollaborationContract.TrailMissing.selector) {
            revert ICollaborationContract.TrailMissing(node, slot);
        }
        if (fault != 0) revert ICollaborationContract.ClaimsTooLittle(node, slot, law.floor());
    }

    /// @notice Opens a slot's commitment for everybody to see. The caller has found no fault with the opening.
    function reveal(MissionStorage.Node memory w, uint8 node, uint8 slot, Opening memory o) internal {
        w.revealMask |= uint8(1 << slot);
        emit ICollaborationContract.Revealed(
            node,
            slot,
            w.attempt,
            o.outputHash,
            o.trailRoot,
            o.envelopeRoot,
            o.classes,
            o.salt
        );
    }

    /// @dev The block that ends the work draws the panel: its hash is not known yet.
    function startVerification(Frame memory f, MissionStorage.Node memory w, uint8 node) internal {
        move(w, node, NodeState.PENDING_VERIFICATION);
        w.flags |= MissionStorage.COMMITS_CLOSED;
        draw(f, w);
    }

    function draw(Frame memory f, MissionStorage.Node memory w) internal view {
        w.drawBlock = uint32(block.number);
        w.deadline = uint40(block.timestamp) + f.terms.verificationTimeout();
    }

    /// @notice Keeps the seed of a node's panel, so that it cannot be outwaited.
    function pinSeed(Frame memory f, MissionStorage.Node memory w, uint8 node) internal {
        if (block.number <= w.drawBlock) {
            revert ICollaborationContract.TooEarly(node, uint256(w.drawBlock) + 1);
        }
        if (f.city.evidence.seedOf(w.drawBlock) != 0) f.city.evidence.pinSeed(w.drawBlock);
    }

    /// @notice Takes a node that was frozen before its panel back to it, with the time that was left. Others stay as they are.
    function resumeHearing(
        MissionStorage.Layout storage s,
        MissionStorage.Node memory w,
        uint8 node
    ) internal returns (bool resumed) {
        resumed = isPaused(w);
        if (!resumed) return false;
        move(w, node, NodeState.PENDING_VERIFICATION);
        w.deadline = uint40(block.timestamp) + s.notes[MissionStorage.attemptKey(node, w.attempt)].left;
    }

    /// @notice Whether a node was frozen before its panel had decided.
    function isPaused(MissionStorage.Node memory w) internal pure returns (bool) {
        return w.state == NodeState.FROZEN && w.drawBlock != 0;
    }

    function startReview(MissionStorage.Node memory w, uint8 node, NodeLaw law) internal {
        move(w, node, NodeState.PENDING_REVIEW);
        w.deadline = uint40(block.timestamp) + law.reviewWindow();
    }

    function fail(
        MissionStorage.Layout storage s,
        Frame memory f,
        MissionStorage.Node memory w,
        uint8 node,
        Tier tier,
        bytes32 reason
    ) internal {
        move(w, node, NodeState.FAILED);
        w.deadline = 0;
        FaultType fault = Faults.typeOf(reason, tier);
        FaultClass class = Faults.classOf(fault, tier);
        // If the law is at fault, another executor cannot help.
        bool spent = class == FaultClass.SPECIFICATION || w.attempt >= f.terms.maxRefinementIterations();
        if (spent) s.exhausted |= uint256(1) << node;
        emit ICollaborationContract.FaultSignalled(node, w.attempt, fault, class, reason);
    }

    // --- Stakes ------------------------------------------------------------------------------------------------------

    /// @dev Executor slots whose stake is still locked for this attempt.
    function outstanding(
        MissionStorage.Layout storage s,
        MissionStorage.Node memory w,
        uint8 node,
        NodeLaw law
    ) internal view returns (uint8) {
        if (has(w, MissionStorage.COMMITS_CLOSED)) return w.commitMask;
        return full(law.redundancy()) & ~dropped(s, w, node);
    }

    /// @notice Slots that were late before committing closed, which happens only when a freeze runs out.
    function dropped(
        MissionStorage.Layout storage s,
        MissionStorage.Node memory w,
        uint8 node
    ) internal view returns (uint8) {
        return w.freezeCount == 0 ? 0 : s.notes[MissionStorage.attemptKey(node, w.attempt)].dropped;
    }

    /// @notice Penalty that ends a slot's whole lock, with score 0 if it is scored, and without a reward for the caller.
    function penalty(
        uint8 node,
        uint64 slash,
        bool scored,
        bytes32 reason
    ) internal pure returns (IExecutionProcedure.SlotPenalty memory p) {
        (p.node, p.release, p.slash) = (node, SlashingSchedule.WHOLE, slash);
        (p.scored, p.reason) = (scored, reason);
    }

    function settle(MissionStorage.Layout storage s, IExecutionProcedure.SlotPenalty memory p) internal {
        uint64 slashed = s.head.execution.settleSlot(p);
        if (p.slash != 0) emit ICollaborationContract.ExecutorFaulted(p.node, p.slot, p.agent, p.reason, slashed);
    }

    function settleMask(
        MissionStorage.Layout storage s,
        uint8 node,
        uint8 attempt,
        uint8 mask,
        uint64 slash,
        bool scored,
        bytes32 reason
    ) internal {
        settleAlike(s, attempt, mask, penalty(node, slash, scored, reason));
    }

    /// @notice Ends the locks of the slots in `mask`, alike. Who is slashed or scored, which is 0 here, is at fault.
    function settleAlike(
        MissionStorage.Layout storage s,
        uint8 attempt,
        uint8 mask,
        IExecutionProcedure.SlotPenalty memory p
    ) internal {
        for (uint8 slot = 0; slot < MAX_SLOTS; ++slot) {
            if ((mask >> slot) & 1 == 0) continue;
            (p.slot, p.agent) = (slot, s.slots[MissionStorage.slotKey(p.node, attempt, slot)].agent);
            if (p.agent != address(0)) settle(s, p);
        }
        bool blames = mask != 0 && (p.scored || p.slash != 0);
        if (blames) s.notes[MissionStorage.attemptKey(p.node, attempt)].blamed |= mask;
    }

    /// @notice A human decides. Slots that have shown nothing by then are late.
    function review(
        MissionStorage.Layout storage s,
        MissionStorage.Node memory w,
        uint8 node,
        NodeLaw law,
        uint8 proven
    ) internal {
        if (w.commitMask & ~proven != 0) {
            MissionStorage.Notes storage notes = s.notes[MissionStorage.attemptKey(node, w.attempt)];
            (notes.shown, notes.wanting) = (proven, true);
        }
        startReview(w, node, law);
    }

    /// @notice Records evidence that a human has seen proven.
    function show(MissionStorage.Layout storage s, MissionStorage.Node memory w, uint8 node, uint8 proven) internal {
        MissionStorage.Notes storage notes = s.notes[MissionStorage.attemptKey(node, w.attempt)];
        if (notes.wanting) notes.shown |= proven;
    }

    /// @notice Drops the slots that a human was asked about and that never showed an item at the floor: they are as good as late.
    function dropWanting(MissionStorage.Layout storage s, MissionStorage.Node memory w, uint8 node) internal {
        MissionStorage.Notes memory notes = s.notes[MissionStorage.attemptKey(node, w.attempt)];
        if (!notes.wanting) return;
        uint8 late = w.commitMask & ~notes.shown;
        settleMask(s, node, w.attempt, late, SlashingSchedule.TIMEOUT, true, Reasons.TIMEOUT);
        w.commitMask &= ~late;
    }

    // --- Gate --------------------------------------------------------------------------------------------------------

    /// @notice Asks a predicate under the law's gas ceiling. Anything but the word 1 is a veto.
    function allows(
        MissionStorage.Layout storage s,
        Frame memory f,
        uint16 predicate,
        uint8 node,
        bytes32 outputHash
    ) internal view returns (bool) {
        if (predicate == 0) return true;
        return
            probe(
                s.head.execution.predicateOf(predicate),
                abi.encodeCall(IPredicate.allows, (address(this), node, outputHash)),
                f.terms.predicateGasLimit()
            );
    }

    /// @notice Asks the node's gate, unless a human holds its output, and writes down the answer.
    function passesGate(
        MissionStorage.Layout storage s,
        Frame memory f,
        MissionStorage.Node memory w,
        uint8 node,
        uint16 predicate,
        bytes32 outputHash
    ) internal returns (bool released) {
        released = !has(w, MissionStorage.HELD) && allows(s, f, predicate, node, outputHash);
        w.flags |= released ? MissionStorage.GATED : MissionStorage.VETOED;
        emit ICollaborationContract.GateDecided(node, released);
    }

    /// @dev The relayer must bring the whole ceiling: a starved call would be a veto at the relayer's will.
    function probe(address target, bytes memory data, uint256 gasLimit) internal view returns (bool) {
        if (target.code.length == 0) return false;
        uint256 ceiling = gasLimit + PROBE_OVERHEAD;
        uint256 need = ceiling + ceiling / 63 + PROBE_OVERHEAD;
        if (gasleft() < need) revert ICollaborationContract.GasTooLow(gasleft(), need);
        try ICollaborationContract(address(this)).probe{gas: ceiling}(target, data) returns (bool ok, bytes32 word) {
            return ok && word == bytes32(uint256(1));
        } catch {
            return false;
        }
    }

    // --- Completion --------------------------------------------------------------------------------------------------

    /// @notice Completes a node, with the last one the mission, and frees its successors.
    function complete(
        MissionStorage.Layout storage s,
        Frame memory f,
        MissionStorage.Node memory w,
        uint8 node,
        bytes32 outputHash
    ) internal {
        finish(s, f, w, node, outputHash);
        free(s, f, uint256(1) << node);
    }

    /// @notice Completes a node, and with the last one the mission. Its successors wait until the caller calls `free`.
    function finish(
        MissionStorage.Layout storage s,
        Frame memory f,
        MissionStorage.Node memory w,
        uint8 node,
        bytes32 outputHash
    ) internal {
        move(w, node, NodeState.COMPLETED);
        w.deadline = 0;
        (uint256 nodes, uint16 predicate) = LawCodec.ending(f.args);
        uint256 done = s.completed | (uint256(1) << node);
        s.completed = done;
        // At most 256 nodes.
        uint8 last = uint8(nodes - 1);
        if (node == last && predicate != 0) s.outputHash = outputHash;
        if (done != type(uint256).max >> (256 - nodes)) return;
        moveMission(s, MissionState.VERIFICATION);
        bool released = allows(s, f, predicate, last, s.outputHash);
        emit ICollaborationContract.OutputDecided(released);
        moveMission(s, released ? MissionState.COMPLETED : MissionState.FAILED);
    }

    /// @notice Makes eligible who waited for one of these nodes and waits for none any more. One look through the law
    /// serves all nodes that a call completes.
    function free(MissionStorage.Layout storage s, Frame memory f, uint256 fresh) internal {
        if (fresh == 0) return;
        uint256 eligible = LawCodec.freed(f.args, fresh, s.completed);
        if (eligible == 0) return;
        MissionStorage.Node memory successor;
        for (uint256 next = 0; eligible != 0; ++next) {
            if (eligible & 1 == 1) {
                // A waiting node has no deadline yet.
                NodeWord.read(s.nodes[next], successor);
                // At most 256 nodes.
                makeEligible(f, successor, uint8(next));
                store(s, next, successor);
            }
            eligible >>= 1;
        }
    }
}
