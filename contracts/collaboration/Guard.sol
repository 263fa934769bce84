// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {ICollaborationContract} from "../interfaces/ICollaborationContract.sol";
import {Escalation} from "../libraries/Escalation.sol";
import {NodeLaw} from "../libraries/NodeLaw.sol";
import {Reasons} from "../libraries/Reasons.sol";
import {Param} from "../types/Params.sol";
import {MissionState, NodeState} from "../types/States.sol";
import {MissionClock} from "./MissionClock.sol";
import {City, Frame, MissionFrame} from "./MissionFrame.sol";
import {MissionStorage} from "./MissionStorage.sol";
import {NodeCore} from "./NodeCore.sol";
import {Panels} from "./Panels.sol";
import {WatchdogHold} from "./WatchdogHold.sol";

/// @title What watches a mission: freezes, the emergency stop they may become, the silence of the chain itself
/// @notice AgentCity B.11.3; decisions 17 and 24. While a stop or a degraded time lasts, the mission's clock stands still
/// (`MissionClock`). A linked library: it runs in the clone's frame and storage.
library Guard {
    using MissionFrame for Frame;
    using Escalation for uint256[3];

    // --- Freezes -----------------------------------------------------------------------------------------------------

    /// @dev An executor stops neither a clock that already ran out nor the verdict on what it committed. A monitor's word counts
    /// for every executor of the node; what an executor says of itself stops its node and no more.
    function report(
        MissionStorage.Layout storage s,
        City calldata city,
        uint8 node,
        bytes32 reason,
        uint256 magnitude
    ) external {
        NodeCore.requireMission(s, NodeCore.RUNNING);
        Frame memory f = MissionFrame.open(city);
        NodeLaw law = f.node(node);
        if (!law.leaf()) revert ICollaborationContract.NotALeaf(node);
        MissionStorage.Node memory w = NodeCore.load(s, node);
        bool watched = _isOutsideMonitor(s, city);
        if (!watched) {
            uint8 own = _slotOf(s, law, w, node, msg.sender);
            if (block.timestamp >= w.deadline) revert ICollaborationContract.WindowClosed(node, w.deadline);
            if (NodeCore.has(w, MissionStorage.COMMITS_CLOSED) || (w.commitMask >> own) & 1 == 1) {
                revert ICollaborationContract.AlreadyCommitted(node, own);
            }
            MissionStorage.Notes storage notes = s.notes[MissionStorage.attemptKey(node, w.attempt)];
            if ((notes.dropped >> own) & 1 == 1) revert ICollaborationContract.FrozenBefore(node, w.attempt);
            // At most five slots.
            notes.halted |= uint8(1 << own);
        }
        if (watched) _bar(s, city, w, node);
        emit ICollaborationContract.AnomalyReported(node, msg.sender, reason, magnitude);
        _freeze(s, f, w, node, reason);
        for (uint8 slot = 0; watched && slot < law.redundancy(); ++slot) {
            address agent = s.slots[MissionStorage.slotKey(node, w.attempt, slot)].agent;
            if (agent != address(0)) _count(s, f, node, agent);
        }
    }

    /// @dev A house whose monitor stopped a node's work does not take it over. After a freeze that ran out without a human's act it does not
    /// stop it again either: else one monitor could end any mission while no human watches.
    function _bar(
        MissionStorage.Layout storage s,
        City calldata city,
        MissionStorage.Node memory w,
        uint8 node
    ) private {
        address house = city.evidence.principalOf(msg.sender);
        if (NodeCore.has(w, MissionStorage.UNATTENDED) && s.head.execution.isBarred(address(this), node, house)) {
            revert ICollaborationContract.FreezeUnattended(node, house);
        }
        s.head.execution.bar(node, house);
    }

    function sealSnapshot(MissionStorage.Layout storage s, City calldata city, uint8 node, bytes32 hash) external {
        MissionStorage.Node memory w = NodeCore.load(s, node);
        NodeCore.requireNode(w, node, NodeCore.only(NodeState.FROZEN));
        if (!_isOutsideMonitor(s, city)) revert ICollaborationContract.NotMonitor(msg.sender);
        uint256 key = MissionStorage.attemptKey(node, w.freezeCount);
        if (s.snapshots[key] != 0) revert ICollaborationContract.AlreadySealed(node, s.snapshots[key]);
        s.snapshots[key] = hash;
        emit ICollaborationContract.SnapshotSealed(node, w.freezeCount, msg.sender, hash);
    }

    /// @notice FREEZE. It binds no state, so that its target cannot void it, and does not reach the next attempt.
    function freeze(MissionStorage.Layout storage s, City calldata city, uint8 node, bytes calldata data) external {
        Frame memory f = MissionFrame.open(city);
        if (!f.node(node).leaf()) revert ICollaborationContract.NotALeaf(node);
        MissionStorage.Node memory w = NodeCore.load(s, node);
        uint8 attempt = abi.decode(data, (uint8));
        if (attempt != w.attempt) revert ICollaborationContract.AttemptOver(node, attempt, w.attempt);
        _freeze(s, f, w, node, Reasons.MANUAL_OVERRIDE);
    }

    function _freeze(
        MissionStorage.Layout storage s,
        Frame memory f,
        MissionStorage.Node memory w,
        uint8 node,
        bytes32 reason
    ) private {
        NodeCore.requireNode(w, node, NodeCore.FREEZABLE);
        if (NodeCore.isEnding(s)) revert ICollaborationContract.Ending();
        bool working = w.state == NodeState.EXECUTING;
        // Frozen before it was routed a second time, a node keeps what it had left the first time.
        // It fits: at most a law's timeout, which has sixteen bits.
        if (working) w.remainder = uint16(_left(w.deadline, f.node(node).timeout()));
        else if (w.state == NodeState.PENDING_VERIFICATION) _pause(s, f, w, node);
        NodeCore.move(w, node, NodeState.FROZEN);
        w.deadline = uint40(block.timestamp) + _patience(f);
        if (w.freezeCount != type(uint8).max) ++w.freezeCount;
        NodeCore.store(s, node, w);
        emit ICollaborationContract.NodeFrozen(node, msg.sender, reason, w.freezeCount);
    }

    /// @dev Once an attempt: draw, posted verdicts and the time that was left stay (decision 58).
    function _pause(MissionStorage.Layout storage s, Frame memory f, MissionStorage.Node memory w, uint8 node) private {
        MissionStorage.Notes storage notes = s.notes[MissionStorage.attemptKey(node, w.attempt)];
        if (notes.left != 0) revert ICollaborationContract.FrozenBefore(node, w.attempt);
        // At most VERIFICATION_TIMEOUT, which is at most a day.
        notes.left = uint24(_left(w.deadline, f.terms.verificationTimeout()));
        NodeCore.pinSeed(f, w, node);
    }

    /// @dev What is stopped at the last moment has a fifth of its time when it goes on: others than who stopped it work, or judge, there. A
    /// clock that ran out before stays so.
    function _left(uint40 deadline, uint256 whole) private view returns (uint256) {
        if (block.timestamp >= deadline) return 1;
        return Math.max(deadline - block.timestamp, Math.ceilDiv(whole, Panels.FIFTH));
    }

    /// @dev Only the words that changed are stored: an agent's first seven freezes are one word.
    function _count(MissionStorage.Layout storage s, Frame memory f, uint8 node, address agent) private {
        uint256[3] memory log = logOf(s, agent);
        uint256[3] memory before = [log[0], log[1], log[2]];
        uint256 index = log.totalOf();
        log.add(block.timestamp);
        for (uint256 i = 0; i < log.length; ++i) if (log[i] != before[i]) s.freezes[agent][i] = log[i];

        MissionStorage.Watch memory watch = s.watch;
        uint256 span = Escalation.window(f.terms.baseEscalationWindow(), watch.cleared);
        uint256 since = block.timestamp > span ? block.timestamp - span : 0;
        // What a cleared stop was about is settled.
        uint256 recent = log.recent(since > watch.clearedAt ? since : uint256(watch.clearedAt) + 1);
        uint256 threshold = _thresholdOf(f, agent);
        emit ICollaborationContract.FreezeCounted(node, agent, index, recent, threshold);
        bool escalates = recent >= threshold || index == Escalation.MAX_TOTAL;
        // A suspension that lapses would take the stop with it.
        if (escalates && (!s.head.stopped || s.suspension.until != 0)) stop(s, agent);
    }

    function _thresholdOf(Frame memory f, address agent) private view returns (uint256) {
        uint256 base = f.terms.escalationFreezeCount();
        if (!f.terms.reputationScaling()) return base;
        uint256 rho = f.city.producers.reputationOf(agent);
        return Escalation.threshold(base, f.terms.reputationScalingBonus(), rho);
    }

    function logOf(MissionStorage.Layout storage s, address agent) internal view returns (uint256[3] memory log) {
        uint256[3] storage kept = s.freezes[agent];
        log[0] = kept[0];
        if (log.totalOf() > Escalation.IN_FIRST) (log[1], log[2]) = (kept[1], kept[2]);
    }

    /// @notice A human's word that a freeze was none of the agent's fault: it no longer counts.
    function classify(MissionStorage.Layout storage s, address agent, uint256 index) internal {
        uint256[3] memory log = logOf(s, agent);
        log.dismiss(index);
        s.freezes[agent][0] = log[0];
        emit ICollaborationContract.FalsePositive(agent, index);
    }

    // --- The stop ----------------------------------------------------------------------------------------------------

    /// @notice A suspended mission stays stopped, and no longer for a time only.
    /// @param agent Whose freezes caused it; zero when a human did.
    function stop(MissionStorage.Layout storage s, address agent) internal {
        if (s.suspension.until != 0) delete s.suspension;
        else _halt(s);
        emit ICollaborationContract.EmergencyStopped(msg.sender, agent);
    }

    function _halt(MissionStorage.Layout storage s) private {
        if (s.head.stopped) revert ICollaborationContract.Stopped();
        s.head.stopped = true;
        MissionClock.hold(s);
        s.watch.stoppedAt = uint40(block.timestamp);
    }

    /// @notice A monitor stops the mission until a human has looked, at most twice maxHumanReviewTimeout (decision 79).
    function suspend(MissionStorage.Layout storage s, City calldata city, bytes32 finding) external {
        NodeCore.requireMission(s, NodeCore.RUNNING);
        if (!_isOutsideMonitor(s, city)) revert ICollaborationContract.NotMonitor(msg.sender);
        _halt(s);
        uint40 until = uint40(block.timestamp) + _patience(MissionFrame.open(city));
        s.suspension = MissionStorage.Suspension(msg.sender, until);
        emit ICollaborationContract.MissionSuspended(msg.sender, finding, until);
    }

    /// @notice A suspension that no human confirmed in time ends: the mission continues, and the lapse counts against its
    /// monitor, also after the mission has ended.
    function lapse(MissionStorage.Layout storage s, City calldata city) external {
        bool ended = NodeCore.isFinal(s);
        if (!ended) NodeCore.requireMission(s, NodeCore.RUNNING);
        MissionStorage.Suspension memory suspension = s.suspension;
        if (suspension.until == 0) revert ICollaborationContract.NotStopped();
        Frame memory f = MissionFrame.open(city);
        // While the panel is frozen no human can confirm it.
        uint40 until = WatchdogHold.extended(city.watchdog, suspension.until, _patience(f));
        if (block.timestamp < until) revert ICollaborationContract.NotExpired(until);
        delete s.suspension;
        if (!ended) {
            MissionClock.goOn(s);
            s.head.stopped = false;
        }
        emit ICollaborationContract.SuspensionLapsed(suspension.monitor, until);
        city.evidence.countLapse(suspension.monitor, until);
    }

    function _patience(Frame memory f) private pure returns (uint40) {
        return 2 * uint40(f.terms.maxHumanReviewTimeout());
    }

    /// @notice Humans let the mission go on: from a stop, from a degraded time, or from both.
    function resume(MissionStorage.Layout storage s, Frame memory f) internal {
        MissionClock.goOn(s);
        MissionStorage.Watch memory watch = s.watch;
        bool stopped = s.head.stopped;
        bool degraded = s.head.state == MissionState.DEGRADED;
        if (!stopped && !degraded) revert ICollaborationContract.NotStopped();
        if (stopped) {
            s.head.stopped = false;
            if (s.suspension.until != 0) delete s.suspension;
            if (watch.cleared != type(uint8).max) ++watch.cleared;
            watch.clearedAt = uint40(block.timestamp);
        }
        if (degraded) {
            NodeCore.moveMission(s, MissionState.EXECUTING);
            emit ICollaborationContract.MissionRecovered(watch.degradedSince);
        }
        s.watch = watch;
        emit ICollaborationContract.EmergencyCleared(
            watch.cleared,
            Escalation.window(f.terms.baseEscalationWindow(), watch.cleared)
        );
    }

    // --- Silence of the chain ----------------------------------------------------------------------------------------

    /// @dev Both times are those under which the session opened: a silence cannot be shortened while it lasts.
    function degrade(MissionStorage.Layout storage s, City calldata city, uint40 silentSince) external {
        if (!_isOutsideMonitor(s, city)) revert ICollaborationContract.NotMonitor(msg.sender);
        NodeCore.requireMission(s, 1 << uint256(MissionState.EXECUTING));
        uint32 edition = MissionFrame.open(city).terms.edition();
        // At most four hours.
        uint40 least = uint40(city.constitution.paramIn(edition, Param.DEGRADED_MODE_THRESHOLD));
        // Any activity since refutes it, and what stood still before is not counted again.
        uint40 heard = city.constitution.pulsedAt();
        if (heard < silentSince) heard = silentSince;
        if (heard < s.watch.wentOnAt) heard = s.watch.wentOnAt;
        if (block.timestamp < uint256(heard) + least) revert ICollaborationContract.NotSilent(heard, least);
        // The silence that is certain; a monitor cannot give away more time than that.
        MissionClock.hold(s);
        s.watch.degradedSince = uint40(block.timestamp) - least;
        // At most a day.
        s.watch.degradedUntil =
            uint40(block.timestamp) + uint40(city.constitution.paramIn(edition, Param.DEGRADED_ADJUDICATOR_TIMEOUT));
        NodeCore.moveMission(s, MissionState.DEGRADED);
        emit ICollaborationContract.MissionDegraded(msg.sender, silentSince, s.watch.degradedUntil);
    }

    /// @dev Also in a mission whose own time is over: humans may let it go on, so that what was committed is decided.
    function expire(MissionStorage.Layout storage s) external {
        NodeCore.requireMission(s, 1 << uint256(MissionState.DEGRADED));
        uint40 until = s.watch.degradedUntil;
        if (block.timestamp < until) revert ICollaborationContract.NotExpired(until);
        NodeCore.moveMission(s, MissionState.ABORTED);
    }

    /// @dev Who has a part in a mission watches over others.
    function _isOutsideMonitor(MissionStorage.Layout storage s, City calldata city) private view returns (bool) {
        if (!city.evidence.isMonitor(msg.sender)) return false;
        return !MissionFrame.isParty(s.head.execution, city.evidence.principalOf(msg.sender));
    }

    /// @dev The calling executor's slot; callers that are neither executor nor monitor revert.
    function _slotOf(
        MissionStorage.Layout storage s,
        NodeLaw law,
        MissionStorage.Node memory w,
        uint8 node,
        address caller
    ) private view returns (uint8) {
        for (uint8 slot = 0; slot < law.redundancy(); ++slot) {
            if (s.slots[MissionStorage.slotKey(node, w.attempt, slot)].agent == caller) return slot;
        }
        revert ICollaborationContract.NotMonitor(caller);
    }
}
