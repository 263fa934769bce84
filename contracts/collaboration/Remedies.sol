// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {ICollaborationContract} from "../interfaces/ICollaborationContract.sol";
import {IExecutionProcedure} from "../interfaces/IExecutionProcedure.sol";
import {LawCodec} from "../libraries/LawCodec.sol";
import {MissionTransitions} from "../libraries/MissionTransitions.sol";
import {NodeLaw} from "../libraries/NodeLaw.sol";
import {Reasons} from "../libraries/Reasons.sol";
import {SlashingSchedule} from "../libraries/SlashingSchedule.sol";
import {Tier} from "../types/Law.sol";
import {MissionState, NodeState} from "../types/States.sol";
import {Descent} from "./Descent.sol";
import {Hearings} from "./Hearings.sol";
import {City, Frame, MissionFrame} from "./MissionFrame.sol";
import {MissionStorage} from "./MissionStorage.sol";
import {NodeCore} from "./NodeCore.sol";
import {WatchdogHold} from "./WatchdogHold.sol";
import {NodeWord} from "./NodeWord.sol";

/// @title What happens when a node does not go its straight way
/// @notice Timeouts, redraws, further attempts and the ends of a mission (decisions 22, 24, 25). A linked
/// library: it runs in the clone's frame and storage.
library Remedies {
    using MissionFrame for Frame;

    uint256 private constant CLOCKED = NodeCore.FREEZABLE | NodeCore.REJECTABLE;

    // --- Clocks ------------------------------------------------------------------------------------------------------

    function timeout(MissionStorage.Layout storage s, City calldata city, uint8 node) external {
        NodeCore.requireMission(s, NodeCore.RUNNING);
        Frame memory f = MissionFrame.open(city);
        NodeLaw law = f.node(node);
        MissionStorage.Node memory w = NodeCore.load(s, node);
        NodeCore.requireNode(w, node, CLOCKED);
        if (!law.leaf()) {
            _expireBranch(s, f, law, w, node);
        } else if (w.state == NodeState.ELIGIBLE) {
            _expireEligible(s, f, law, w, node);
        } else {
            _requireOverdue(f, law, w, node);
            if (w.state == NodeState.EXECUTING) _expireExecution(s, f, law, w, node);
            else if (w.state == NodeState.PENDING_VERIFICATION) _expireVerification(s, f, law, w, node);
            else _expireHuman(s, f, law, w, node);
        }
        NodeCore.store(s, node, w);
    }

    /// @notice The first reveal after time is up ends the committing. The caller has found that it is up, and that enough have committed.
    function closeCommits(MissionStorage.Layout storage s, City calldata city, uint8 node) external {
        NodeLaw law = MissionFrame.open(city).node(node);
        MissionStorage.Node memory w = NodeCore.load(s, node);
        _dropAbsent(s, w, node, NodeCore.outstanding(s, w, node, law), w.commitMask);
        w.deadline = uint40(block.timestamp) + law.timeout();
        NodeCore.store(s, node, w);
    }

    function redraw(MissionStorage.Layout storage s, City calldata city, uint8 node) external {
        NodeCore.requireMission(s, NodeCore.RUNNING);
        Frame memory f = MissionFrame.open(city);
        MissionStorage.Node memory w = NodeCore.load(s, node);
        NodeCore.requireNode(w, node, NodeCore.only(NodeState.PENDING_VERIFICATION));
        if (w.redraws != 0) revert ICollaborationContract.IterationsExhausted(node, w.redraws);
        bool stale = block.number > w.drawBlock && f.city.evidence.seedOf(w.drawBlock) == 0;
        if (!stale && block.timestamp < w.deadline) revert ICollaborationContract.TooEarly(node, w.deadline);
        Hearings.dismiss(s, city, node);
        _redraw(f, w, node);
        NodeCore.store(s, node, w);
    }

    /// @notice No verdict survived: another panel, once, then a human; a silent panel fails no one. Where too few left
    /// something to judge by, the attempt fails at once, and those that left nothing are at fault.
    /// @param proven slots with an item proven ⪰ the floor
    function doubt(MissionStorage.Layout storage s, City calldata city, uint8 node, uint8 proven) external {
        Frame memory f = MissionFrame.open(city);
        NodeLaw law = f.node(node);
        MissionStorage.Node memory w = NodeCore.load(s, node);
        if (NodeCore.count(w.commitMask & proven) < law.threshold()) {
            _dropAbsent(s, w, node, w.commitMask, w.commitMask & proven);
            NodeCore.settleMask(s, node, w.attempt, w.commitMask, 0, false, Reasons.RELEASED);
            NodeCore.fail(s, f, w, node, law.tier(), Reasons.TIMEOUT);
        } else if (w.redraws == 0) {
            _redraw(f, w, node);
        } else {
            NodeCore.review(s, w, node, law, proven);
        }
        NodeCore.store(s, node, w);
    }

    /// @notice The mesh cleared against the node. The slash waits for its appeal window; the slots' stakes stay locked until then.
    function condemn(MissionStorage.Layout storage s, City calldata city, uint8 node) external {
        Frame memory f = MissionFrame.open(city);
        NodeLaw law = f.node(node);
        MissionStorage.Node memory w = NodeCore.load(s, node);
        _announce(s, f, law, w, node, w.commitMask, false);
        NodeCore.fail(s, f, w, node, law.tier(), Reasons.CLEARED_FAIL);
        NodeCore.store(s, node, w);
    }

    /// @notice Slots beside a side that won which left nothing to judge by.
    function dropLate(MissionStorage.Layout storage s, uint8 node, uint8 attempt, uint8 slots) external {
        NodeCore.settleMask(s, node, attempt, slots, SlashingSchedule.TIMEOUT, true, Reasons.TIMEOUT);
    }

    /// @dev While the watchdog has frozen the panel nothing could be routed or ruled, and while the city was stopped nothing routed: that
    /// time does not count. Agents work on.
    function _requireOverdue(Frame memory f, NodeLaw law, MissionStorage.Node memory w, uint8 node) private view {
        uint40 deadline = w.deadline;
        if (
            block.timestamp >= deadline && w.state != NodeState.EXECUTING && w.state != NodeState.PENDING_VERIFICATION
        ) {
            uint40 patience =
                w.state == NodeState.ELIGIBLE
                    ? f.terms.verificationTimeout()
                    : w.state == NodeState.PENDING_REVIEW
                        ? law.reviewWindow()
                        : 2 * uint40(f.terms.maxHumanReviewTimeout());
            deadline = WatchdogHold.extended(f.city.watchdog, deadline, patience);
            if (w.state == NodeState.ELIGIBLE && w.deadline > patience) {
                deadline = f.city.watchdog.movedByStops(w.deadline - patience, deadline);
            }
        }
        if (block.timestamp < deadline) revert ICollaborationContract.TooEarly(node, deadline);
    }

    /// @dev Bound and never routed, or never bid on: the attempt ends without fault. Where a freeze ended, who cannot begin again ends nothing
    /// for those who have committed.
    function _expireEligible(
        MissionStorage.Layout storage s,
        Frame memory f,
        NodeLaw law,
        MissionStorage.Node memory w,
        uint8 node
    ) private {
        if (!_isBound(s, w, node)) {
            IExecutionProcedure.Market memory market = s.head.execution.marketOf(address(this), node);
            if (market.closesAt != 0) revert ICollaborationContract.TooEarly(node, market.closesAt);
            return NodeCore.fail(s, f, w, node, law.tier(), Reasons.NO_BIDS);
        }
        // It could not be routed: its clock stands still.
        if (s.head.stopped) revert ICollaborationContract.Stopped();
        _requireOverdue(f, law, w, node);
        uint8 mask = NodeCore.outstanding(s, w, node, law);
        uint8 others = mask & ~w.commitMask;
        if (others != 0 && NodeCore.count(w.commitMask) >= law.threshold()) {
            _takeUp(s, w, node, others, Reasons.NOT_ROUTED);
            w.deadline = uint40(block.timestamp) + f.terms.verificationTimeout();
            return;
        }
        NodeCore.settleMask(s, node, w.attempt, mask, 0, false, Reasons.NOT_ROUTED);
        NodeCore.fail(s, f, w, node, law.tier(), Reasons.NOT_ROUTED);
    }

    /// @dev A child session was never opened. One that was has clocks of its own.
    function _expireBranch(
        MissionStorage.Layout storage s,
        Frame memory f,
        NodeLaw law,
        MissionStorage.Node memory w,
        uint8 node
    ) private {
        NodeCore.requireNode(w, node, NodeCore.only(NodeState.ELIGIBLE));
        if (s.head.stopped) revert ICollaborationContract.Stopped();
        _requireOverdue(f, law, w, node);
        NodeCore.fail(s, f, w, node, law.tier(), Reasons.NOT_ROUTED);
    }

    /// @dev The absent lose at once. The others go on if they are enough, else they are released.
    function _expireExecution(
        MissionStorage.Layout storage s,
        Frame memory f,
        NodeLaw law,
        MissionStorage.Node memory w,
        uint8 node
    ) private {
        bool revealing = NodeCore.has(w, MissionStorage.COMMITS_CLOSED);
        _dropAbsent(s, w, node, NodeCore.outstanding(s, w, node, law), revealing ? w.revealMask : w.commitMask);
        if (NodeCore.count(w.commitMask) < law.threshold()) {
            NodeCore.settleMask(s, node, w.attempt, w.commitMask, 0, false, Reasons.RELEASED);
            NodeCore.fail(s, f, w, node, law.tier(), Reasons.TIMEOUT);
        } else if (revealing || law.tier() != Tier.CONSENSUS) {
            NodeCore.startVerification(f, w, node);
        } else {
            w.deadline = uint40(block.timestamp) + law.timeout();
        }
    }

    function _dropAbsent(
        MissionStorage.Layout storage s,
        MissionStorage.Node memory w,
        uint8 node,
        uint8 expected,
        uint8 there
    ) private {
        NodeCore.settleMask(s, node, w.attempt, expected & ~there, SlashingSchedule.TIMEOUT, true, Reasons.TIMEOUT);
        w.commitMask = there;
        w.flags |= MissionStorage.COMMITS_CLOSED;
    }

    function _expireVerification(
        MissionStorage.Layout storage s,
        Frame memory f,
        NodeLaw law,
        MissionStorage.Node memory w,
        uint8 node
    ) private {
        Hearings.dismiss(s, f.city, node);
        if (w.redraws == 0) return _redraw(f, w, node);
        s.notes[MissionStorage.attemptKey(node, w.attempt)].wanting = true;
        NodeCore.startReview(w, node, law);
    }

    function _redraw(Frame memory f, MissionStorage.Node memory w, uint8 node) private {
        w.redraws = 1;
        NodeCore.draw(f, w);
        emit ICollaborationContract.PanelRedrawn(node, w.attempt, w.redraws);
    }

    /// @dev No human ruled in time: a review passes to the backup pool, once; then failed, unslashed (AgentCity B.11).
    function _expireHuman(
        MissionStorage.Layout storage s,
        Frame memory f,
        NodeLaw law,
        MissionStorage.Node memory w,
        uint8 node
    ) private {
        if (w.state == NodeState.PENDING_REVIEW && !NodeCore.has(w, MissionStorage.ESCALATED)) {
            w.flags |= MissionStorage.ESCALATED;
            w.deadline = uint40(block.timestamp) + law.reviewWindow();
            emit ICollaborationContract.ReviewEscalated(node, w.attempt, w.deadline);
            return;
        }
        bool frozen = w.state == NodeState.FROZEN;
        MissionStorage.Notes storage notes = s.notes[MissionStorage.attemptKey(node, w.attempt)];
        // What an executor asked for itself says nothing about monitors.
        if (frozen && notes.halted == 0) w.flags |= MissionStorage.UNATTENDED;
        // A verdict that was held up is given all the same.
        if (frozen && NodeCore.resumeHearing(s, w, node)) return;
        if (!frozen) NodeCore.dropWanting(s, w, node);
        uint8 bound = NodeCore.outstanding(s, w, node, law);
        if (frozen) {
            // Who stopped itself, and whom no human let go on, did not deliver in time.
            uint8 halted = bound & notes.halted;
            NodeCore.settleMask(s, node, w.attempt, halted, SlashingSchedule.TIMEOUT, true, Reasons.TIMEOUT);
            bound &= ~halted;
            uint8 others = bound & ~w.commitMask;
            // The others did nothing wrong: if they meet the threshold, they have their whole time again, when their work had begun.
            if (halted != 0 && others != 0 && NodeCore.count(bound) >= law.threshold()) {
                notes.dropped |= halted;
                if (w.remainder != 0) w.remainder = law.timeout();
                return NodeCore.makeEligible(f, w, node);
            }
            // Nobody confirmed what it was frozen for: who has committed goes on. The others were stopped: they are not late.
            if (NodeCore.count(w.commitMask) >= law.threshold()) {
                _takeUp(s, w, node, others, Reasons.FREEZE_EXPIRED);
                return NodeCore.makeEligible(f, w, node);
            }
        }
        bytes32 reason = frozen ? Reasons.FREEZE_EXPIRED : Reasons.REVIEW_EXPIRED;
        NodeCore.settleMask(s, node, w.attempt, bound, 0, false, reason);
        NodeCore.fail(s, f, w, node, law.tier(), reason);
    }

    /// @dev Committing ends with those who have, who are enough and have the whole time to open their work. The others are released.
    function _takeUp(
        MissionStorage.Layout storage s,
        MissionStorage.Node memory w,
        uint8 node,
        uint8 others,
        bytes32 reason
    ) private {
        NodeCore.settleMask(s, node, w.attempt, others, 0, false, reason);
        w.flags |= MissionStorage.COMMITS_CLOSED;
        // What was left was the others' time to commit.
        w.remainder = 0;
    }

    // --- Further attempts and ends -----------------------------------------------------------------------------------

    function reopen(MissionStorage.Layout storage s, City calldata city, uint8 node) external {
        NodeCore.requireMission(s, NodeCore.RUNNING);
        Frame memory f = MissionFrame.open(city);
        bool leaf = f.node(node).leaf();
        MissionStorage.Node memory w = NodeCore.load(s, node);
        IExecutionProcedure execution = s.head.execution;
        bool failed = w.state == NodeState.FAILED;
        if (!failed) {
            NodeCore.requireNode(
                w,
                node,
                NodeCore.only(NodeState.WAITING) | NodeCore.only(NodeState.ELIGIBLE) | NodeCore.only(NodeState.FAILED)
            );
            if (_isBound(s, w, node) || execution.marketOf(address(this), node).closesAt != 0) {
                revert ICollaborationContract.NotAwaitingBids(node);
            }
        }
        if ((s.exhausted >> node) & 1 == 1) revert ICollaborationContract.IterationsExhausted(node, w.attempt);
        address[] memory culprits = _culprits(s, node, w.attempt);
        NodeCore.renew(f, w, node);
        if (failed) NodeCore.makeEligible(f, w, node);
        NodeCore.store(s, node, w);
        emit ICollaborationContract.Reopened(node, w.attempt);
        if (leaf) execution.reopenMarket(node, w.attempt, culprits);
    }

    /// @notice RESUME_WITH_AMENDMENT: the work is redone, by the same executors at the same prices, under another obligation (AgentCity
    /// B.11.2). Their bids and their stakes stay those of the attempt they won.
    function amend(MissionStorage.Layout storage s, City calldata city, uint8 node, bytes calldata data) external {
        Frame memory f = MissionFrame.open(city);
        NodeLaw law = f.node(node);
        if (!law.leaf()) revert ICollaborationContract.NotALeaf(node);
        MissionStorage.Node memory w = NodeCore.load(s, node);
        NodeCore.requireNode(w, node, NodeCore.only(NodeState.FROZEN));
        bytes32 amendment = abi.decode(data, (bytes32));
        if (amendment == 0) revert ICollaborationContract.NoAmendment(node);
        uint8 bound = NodeCore.outstanding(s, w, node, law);
        if (bound != NodeCore.full(law.redundancy())) revert ICollaborationContract.NotAllCommitted(node, bound);
        uint8 former = w.attempt;
        NodeCore.renew(f, w, node);
        w.flags = (w.flags & ~MissionStorage.UNATTENDED) | MissionStorage.AMENDED;
        s.amendments[MissionStorage.attemptKey(node, w.attempt)] = amendment;
        NodeCore.makeEligible(f, w, node);
        emit ICollaborationContract.NodeAmended(node, w.attempt, amendment);
        IExecutionProcedure.StoredBid[] memory bids = s.head.execution.bidsOf(address(this), node);
        for (uint8 slot = 0; slot < law.redundancy(); ++slot) _rebind(s, w, node, slot, former, bids);
        NodeCore.store(s, node, w);
    }

    function _rebind(
        MissionStorage.Layout storage s,
        MissionStorage.Node memory w,
        uint8 node,
        uint8 slot,
        uint8 former,
        IExecutionProcedure.StoredBid[] memory bids
    ) private {
        MissionStorage.Slot memory bound = s.slots[MissionStorage.slotKey(node, former, slot)];
        if (bound.agent == address(0)) revert ICollaborationContract.SlotEmpty(node, slot);
        uint256 key = MissionStorage.slotKey(node, w.attempt, slot);
        bytes32 service;
        for (uint256 i = 0; i < bids.length; ++i) if (bids[i].agent == bound.agent) service = bids[i].service;
        s.slots[key] = bound;
        s.pledges[key] = service;
        emit ICollaborationContract.ExecutorBound(node, slot, bound.agent, service, bound.price, w.attempt);
    }

    /// @dev Who is at fault for an attempt's failure, or was found to be and can still appeal.
    function _culprits(
        MissionStorage.Layout storage s,
        uint8 node,
        uint8 attempt
    ) private view returns (address[] memory) {
        uint256 key = MissionStorage.attemptKey(node, attempt);
        return _agentsIn(s, node, attempt, s.notes[key].blamed | s.faults[key].mask);
    }

    function _agentsIn(
        MissionStorage.Layout storage s,
        uint8 node,
        uint8 attempt,
        uint256 mask
    ) private view returns (address[] memory agents) {
        agents = new address[](NodeCore.count(mask));
        uint256 found = 0;
        // At most five slots.
        for (uint8 slot = 0; mask >> slot != 0; ++slot) {
            if ((mask >> slot) & 1 == 0) continue;
            agents[found++] = s.slots[MissionStorage.slotKey(node, attempt, slot)].agent;
        }
    }

    /// @dev A node out of attempts, or whose law is at fault, fails the mission; a mission out of time, or whose parent ended, is aborted. What
    /// was committed is decided before, on clocks that all end, since nothing else starts and nothing is frozen from the first call on.
    function abort(MissionStorage.Layout storage s, City calldata city) external {
        NodeCore.requireMission(s, NodeCore.RUNNING);
        Frame memory f = MissionFrame.open(city);
        uint40 until = WatchdogHold.expiryOf(f);
        bool due = s.exhausted != 0 || block.timestamp >= until || _isOrphan(city);
        if (!due) revert ICollaborationContract.NotExpired(until);
        if (!_isAbandoned(s, f) && _waits(s, f)) return;
        bool failed = s.exhausted != 0 && s.head.state == MissionState.EXECUTING;
        NodeCore.moveMission(s, failed ? MissionState.FAILED : MissionState.ABORTED);
    }

    /// @dev In a stop no clock runs, and nobody has to lift it: only a suspension lapses. Humans have their time to; the sponsor's money does
    /// not wait longer.
    function _isAbandoned(MissionStorage.Layout storage s, Frame memory f) private view returns (bool) {
        if (!s.head.stopped || s.suspension.until != 0) return false;
        uint40 patience = 2 * uint40(f.terms.maxHumanReviewTimeout());
        return block.timestamp >= WatchdogHold.extended(f.city.watchdog, s.watch.stoppedAt + patience, patience);
    }

    /// @dev The first call announces the end; a later one reverts while work is undecided.
    function _waits(MissionStorage.Layout storage s, Frame memory f) private returns (bool) {
        (uint256 nodes, ) = LawCodec.ending(f.args);
        // At most 256 nodes.
        for (uint256 node = 0; node < nodes; ++node) {
            if (!NodeWord.isUndecided(s.nodes[node])) continue;
            // Eight bits.
            if (NodeCore.isEnding(s)) revert ICollaborationContract.WorkUndecided(uint8(node));
            (s.head.delayed, s.watch.ending) = (true, true);
            emit ICollaborationContract.MissionEnding(msg.sender);
            return true;
        }
        return false;
    }

    /// @dev A child of an ended mission has no use.
    function _isOrphan(City calldata city) private view returns (bool) {
        address parent = Descent.parentOf(city, MissionFrame.open(city).session());
        return parent != address(0) && MissionTransitions.isFinal(ICollaborationContract(parent).state());
    }

    /// @notice TERMINATE_MISSION, from every state that is not final. It punishes no one; for a node's appeal window
    /// FAULT_SLOTS may find who is at fault, and until then executors that had begun keep their stake locked.
    function terminate(MissionStorage.Layout storage s) external {
        bool open = s.head.state != MissionState.PENDING;
        NodeCore.moveMission(s, MissionState.ABORTED);
        // Ending the mission answers the suspension.
        if (s.suspension.until != 0) delete s.suspension;
        if (open) s.head.execution.hold();
    }

    /// @notice FAULT_SLOTS: what those slots have locked goes as after a FAIL verdict, when their window closed.
    function fault(MissionStorage.Layout storage s, City calldata city, uint8 node, bytes calldata data) external {
        (uint8 attempt, uint8 slots) = abi.decode(data, (uint8, uint8));
        uint40 until = s.head.execution.heldUntil(address(this), node);
        if (block.timestamp >= until) revert ICollaborationContract.WindowClosed(node, until);
        Frame memory f = MissionFrame.open(city);
        NodeLaw law = f.node(node);
        MissionStorage.Node memory w = NodeCore.load(s, node);
        bool judged = attempt != w.attempt || s.faults[MissionStorage.attemptKey(node, attempt)].dueAt != 0;
        uint8 begun = !judged && law.leaf() && _hasBegun(w) ? NodeCore.outstanding(s, w, node, law) : 0;
        if (slots == 0 || slots & ~begun != 0) revert ICollaborationContract.NotAtFault(node, slots, begun);
        _announce(s, f, law, w, node, slots, true);
        NodeCore.store(s, node, w);
    }

    /// @dev What those slots have locked goes when the node's appeal window closed.
    /// @param terminated Adjudicators' word, not a verdict.
    function _announce(
        MissionStorage.Layout storage s,
        Frame memory f,
        NodeLaw law,
        MissionStorage.Node memory w,
        uint8 node,
        uint8 slots,
        bool terminated
    ) private {
        uint40 dueAt = uint40(block.timestamp) + f.window(law);
        s.faults[MissionStorage.attemptKey(node, w.attempt)] = MissionStorage.Fault({
            dueAt: dueAt,
            mask: slots,
            settled: false,
            // Seven seats of fifteen bits fit.
            seats: uint112(w.seats),
            terminated: terminated
        });
        s.head.faults += 1;
        w.flags |= MissionStorage.FAULTED;
        emit ICollaborationContract.SlashPending(node, w.attempt, slots, dueAt);
        s.head.execution.accuse(node, _agentsIn(s, node, w.attempt, slots));
    }

    /// @dev Routed once, and neither completed nor failed: frozen from work, it has time left or something committed.
    function _hasBegun(MissionStorage.Node memory w) private pure returns (bool) {
        if (w.state == NodeState.FROZEN || w.state == NodeState.ELIGIBLE) return w.remainder != 0 || w.commitMask != 0;
        return
            w.state == NodeState.EXECUTING ||
            w.state == NodeState.PENDING_VERIFICATION ||
            w.state == NodeState.PENDING_REVIEW;
    }

    // --- Reading -----------------------------------------------------------------------------------------------------

    function obligationOf(
        MissionStorage.Layout storage s,
        City calldata city,
        uint8 node
    ) external view returns (bytes32) {
        return NodeCore.obligation(s, MissionFrame.open(city), NodeCore.load(s, node), node);
    }

    function countedOf(
        MissionStorage.Layout storage s,
        City calldata city,
        uint8 node
    ) external view returns (address[] memory verifiers) {
        uint256 seats = NodeCore.load(s, node).seats;
        verifiers = new address[](NodeWord.seated(seats));
        // At most seven seats.
        for (uint256 i = 0; i < verifiers.length; ++i) {
            verifiers[i] = city.evidence.verifierAt(NodeWord.seatAt(seats, i));
        }
    }

    /// @dev An award binds all slots of a node or none.
    function _isBound(
        MissionStorage.Layout storage s,
        MissionStorage.Node memory w,
        uint8 node
    ) private view returns (bool) {
        return s.slots[MissionStorage.slotKey(node, w.attempt, 0)].agent != address(0);
    }
}
