// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {MessageHashUtils} from "@openzeppelin/contracts/utils/cryptography/MessageHashUtils.sol";
import {ICollaborationContract} from "../interfaces/ICollaborationContract.sol";
import {IExecutionProcedure} from "../interfaces/IExecutionProcedure.sol";
import {IServiceContract} from "../interfaces/IServiceContract.sol";
import {ITemplateRegistry} from "../interfaces/ITemplateRegistry.sol";
import {LawCodec} from "../libraries/LawCodec.sol";
import {NodeLaw} from "../libraries/NodeLaw.sol";
import {Signatures} from "../libraries/Signatures.sol";
import {Reasons} from "../libraries/Reasons.sol";
import {Reputation} from "../libraries/Reputation.sol";
import {SlashingSchedule} from "../libraries/SlashingSchedule.sol";
import {TypedData} from "../libraries/TypedData.sol";
import {LawHeader} from "../types/Law.sol";
import {LiveHash} from "../types/Messages.sol";
import {Param} from "../types/Params.sol";
import {MissionState, NodeState} from "../types/States.sol";
import {Descent} from "./Descent.sol";
import {City, Frame, MissionFrame} from "./MissionFrame.sol";
import {MissionStorage} from "./MissionStorage.sol";
import {NodeCore} from "./NodeCore.sol";

/// @title Starting: the mission with its escrow, a node with its executors; and what runners attest
/// @notice Decisions 4, 5, 15 and 17. A linked library: it runs in the clone's frame and storage.
library Dispatch {
    using MissionFrame for Frame;

    /// @dev Who vouches for the code of a wave, and whether it is one node.
    struct Vouching {
        address runner;
        address principal;
        bool alone;
    }

    uint256 private constant BINDABLE = (1 << uint256(NodeState.WAITING)) | (1 << uint256(NodeState.ELIGIBLE));

    /// Once work began.
    uint256 private constant _ANCHORABLE =
        ~((1 << uint256(MissionState.PENDING)) | (1 << uint256(MissionState.ACTIVE)));

    function activate(MissionStorage.Layout storage s, City calldata city) external {
        Frame memory f = MissionFrame.open(city);
        ITemplateRegistry.Mission memory origin = f.city.templates.missionOf(address(this));
        if (msg.sender != origin.legislation) revert ICollaborationContract.NotLegislation(msg.sender);
        if (s.head.state != MissionState.PENDING) revert ICollaborationContract.AlreadyFunded();
        LawHeader memory header = LawCodec.header(f.args);
        uint256 balance = f.city.token.balanceOf(address(this));
        // Below the budget, so it fits.
        if (balance < header.budget) revert ICollaborationContract.Underfunded(header.budget, uint64(balance));

        s.head.execution = IExecutionProcedure(origin.execution);
        s.head.verifierFeeShare = uint16(f.city.constitution.param(Param.VERIFIER_FEE_SHARE));
        s.head.appealBondShare = uint16(f.city.constitution.param(Param.APPEAL_BOND_SHARE));
        s.head.appealBondMin = uint16(f.city.constitution.param(Param.APPEAL_BOND_MIN));
        NodeCore.moveMission(s, MissionState.ACTIVE);
        for (uint256 node = 0; node < header.nodeCount; ++node) {
            if (LawCodec.predecessors(f.args, node) != 0) continue;
            // Not stored: `NodeCore.load` knows an untouched root.
            MissionStorage.Node memory w;
            NodeCore.makeEligible(f, w, uint8(node));
        }
    }

    function bind(
        MissionStorage.Layout storage s,
        City calldata city,
        uint8 node,
        uint8 slot,
        address agent,
        bytes32 service,
        uint64 price
    ) external {
        if (msg.sender != address(s.head.execution)) revert ICollaborationContract.NotExecution(msg.sender);
        NodeCore.requireMission(s, NodeCore.RUNNING);
        Frame memory f = MissionFrame.open(city);
        NodeLaw law = f.node(node);
        MissionStorage.Node memory w = NodeCore.load(s, node);
        NodeCore.requireNode(w, node, BINDABLE);
        if (slot >= law.redundancy()) revert ICollaborationContract.SlotEmpty(node, slot);
        uint64 slotBudget = law.budget() / law.redundancy();
        if (price == 0 || price > slotBudget) revert ICollaborationContract.PriceAboveSlot(node, price, slotBudget);
        uint256 key = MissionStorage.slotKey(node, w.attempt, slot);
        if (s.slots[key].agent != address(0)) revert ICollaborationContract.SlotTaken(node, slot);

        // ψ × 1000 is below 2¹⁶ for every α and every reputation in range.
        uint16 psi = uint16(
            Reputation.multiplier(f.city.producers.reputationOf(agent), f.terms.reputationMultiplierAlpha())
        );
        s.slots[key] = MissionStorage.Slot({agent: agent, price: price, psi: psi, slashed: false});
        s.pledges[key] = service;
        // The clock of a node that waited for its executors starts with them.
        if (w.state == NodeState.ELIGIBLE) {
            w.deadline = uint40(block.timestamp) + f.terms.verificationTimeout();
            NodeCore.store(s, node, w);
        }
        emit ICollaborationContract.ExecutorBound(node, slot, agent, service, price, w.attempt);
    }

    /// @param nodes bitmap
    function route(
        MissionStorage.Layout storage s,
        City calldata city,
        uint256 nodes,
        ICollaborationContract.Start calldata start
    ) external {
        if (nodes == 0) revert ICollaborationContract.EmptyBatch();
        if (s.head.stopped) revert ICollaborationContract.Stopped();
        city.watchdog.requireRunning();
        NodeCore.requireMission(s, NodeCore.RUNNING);
        Frame memory f = MissionFrame.open(city);
        Vouching memory by = Vouching(start.runner, _vouching(f, start), nodes & (nodes - 1) == 0);
        uint256[] calldata slots = start.slots;
        uint256 at = 0;
        // At most 256 nodes.
        for (uint256 node = 0; nodes >> node != 0; ++node) {
            if ((nodes >> node) & 1 == 0) continue;
            uint256 next = _nextNode(slots, at, node);
            // Eight bits.
            _routeNode(s, f, uint8(node), slots[at:next], by);
            at = next;
        }
        if (at != slots.length) revert ICollaborationContract.LengthMismatch(at, slots.length);
    }

    /// @notice A runner saw other code live than the slot's service has: its executor is slashed, its node fails, unless a freeze had
    /// interrupted it and those who are left are enough.
    function mismatch(
        MissionStorage.Layout storage s,
        City calldata city,
        LiveHash calldata live,
        IServiceContract.Service calldata service
    ) external {
        if (s.head.stopped) revert ICollaborationContract.Stopped();
        city.watchdog.requireRunning();
        NodeCore.requireMission(s, NodeCore.RUNNING);
        Frame memory f = MissionFrame.open(city);
        NodeLaw law = f.node(live.node);
        MissionStorage.Node memory w = NodeCore.load(s, live.node);
        NodeCore.requireNode(w, live.node, NodeCore.only(NodeState.ELIGIBLE));
        address finder = _requireOther(s, f, w, live, service);
        _failMismatch(s, f, law, w, live.node, live.slot);
        s.head.execution.bar(live.node, finder);
        NodeCore.store(s, live.node, w);
    }

    function anchor(
        MissionStorage.Layout storage s,
        City calldata city,
        bytes32 root,
        address runner,
        uint40 deadline,
        bytes calldata signature
    ) external {
        if (s.anchor != 0) revert ICollaborationContract.AlreadyAnchored(s.anchor);
        NodeCore.requireMission(s, _ANCHORABLE);
        if (!city.evidence.isRunner(runner)) revert ICollaborationContract.NotRunner(runner);
        address principal = city.evidence.principalOf(runner);
        if (MissionFrame.isParty(s.head.execution, principal)) {
            revert ICollaborationContract.RunnerConflict(runner, principal);
        }
        Signatures.requireInTime(deadline);
        bytes32 message = TypedData.hashAnchor(runner, root, deadline);
        Signatures.requireEcdsa(runner, MessageHashUtils.toTypedDataHash(city.domain, message), signature);
        s.anchor = root;
        emit ICollaborationContract.Anchored(runner, root);
    }

    /// @dev The slots that stand for a node follow one another, in the order of the nodes.
    function _nextNode(uint256[] calldata slots, uint256 at, uint256 node) private pure returns (uint256) {
        while (at < slots.length && slots[at] >> 16 == node) ++at;
        return at;
    }

    /// @dev The runner's principal; zero without a start, which needs no runner.
    function _vouching(Frame memory f, ICollaborationContract.Start calldata start) private view returns (address) {
        if (start.slots.length == 0) return address(0);
        if (!f.city.evidence.isRunner(start.runner)) revert ICollaborationContract.NotRunner(start.runner);
        Signatures.requireInTime(start.deadline);
        bytes32 message = TypedData.hashStart(start.runner, start.slots, start.deadline);
        Signatures.requireEcdsa(start.runner, f.digest(message), start.signature);
        return f.city.evidence.principalOf(start.runner);
    }

    function _routeNode(
        MissionStorage.Layout storage s,
        Frame memory f,
        uint8 node,
        uint256[] calldata slots,
        Vouching memory by
    ) private {
        NodeLaw law = f.node(node);
        MissionStorage.Node memory w = NodeCore.loadOf(s, f, node);
        bytes memory fault = _routeFault(s, f, law, w, node, slots, by);
        if (fault.length != 0) return NodeCore.passOver(node, w.attempt, fault, by.alone);
        if (law.leaf()) _start(s, law, w, node);
        else Descent.open(s, f, law, w, node);
        NodeCore.store(s, node, w);
    }

    /// @dev After a freeze only the slots that have not committed start again; a node that is no leaf has none.
    function _routeFault(
        MissionStorage.Layout storage s,
        Frame memory f,
        NodeLaw law,
        MissionStorage.Node memory w,
        uint8 node,
        uint256[] calldata slots,
        Vouching memory by
    ) private view returns (bytes memory) {
        if (w.state != NodeState.ELIGIBLE) {
            bytes4 state = ICollaborationContract.WrongNodeState.selector;
            return abi.encodeWithSelector(state, node, w.state, NodeCore.only(NodeState.ELIGIBLE));
        }
        if (w.commitMask == 0 && NodeCore.isEnding(s)) {
            return abi.encodeWithSelector(ICollaborationContract.Ending.selector);
        }
        bool closed = !law.leaf() || NodeCore.has(w, MissionStorage.COMMITS_CLOSED);
        uint8 needed = closed ? 0 : NodeCore.outstanding(s, w, node, law) & ~w.commitMask;
        uint8 vouched = 0;
        // At most five slots that are needed.
        for (uint256 i = 0; i < slots.length; ++i) {
            // The low bits are the slot.
            uint8 slot = uint8(slots[i]);
            uint256 key = MissionStorage.slotKey(node, w.attempt, slot);
            if (slots[i] != key || slot >= NodeCore.MAX_SLOTS || ((needed & ~vouched) >> slot) & 1 == 0) continue;
            address agent = s.slots[key].agent;
            if (agent == address(0)) {
                return abi.encodeWithSelector(ICollaborationContract.SlotEmpty.selector, node, slot);
            }
            // Whom adjudicators froze begins nothing.
            try f.city.producers.requireRoutable(agent) returns (address principal) {
                if (principal == by.principal) {
                    bytes4 conflict = ICollaborationContract.RunnerConflict.selector;
                    return abi.encodeWithSelector(conflict, by.runner, by.principal);
                }
            } catch (bytes memory refusal) {
                // Nothing is what a call says that ran out of gas.
                if (refusal.length == 0) revert ICollaborationContract.GasTooLow(gasleft(), 0);
                return refusal;
            }
            vouched |= uint8(1 << slot);
        }
        if (vouched == needed) return "";
        return abi.encodeWithSelector(ICollaborationContract.LiveHashMissing.selector, node, vouched, needed);
    }

    function _start(MissionStorage.Layout storage s, NodeLaw law, MissionStorage.Node memory w, uint8 node) private {
        if (s.head.state == MissionState.ACTIVE) NodeCore.moveMission(s, MissionState.EXECUTING);
        NodeCore.move(w, node, NodeState.EXECUTING);
        w.deadline = uint40(block.timestamp) + (w.remainder != 0 ? w.remainder : law.timeout());
        w.remainder = 0;
        emit ICollaborationContract.Routed(node, w.attempt, w.deadline);
    }

    /// @dev Reverts on anything but what a runner signed: other code is live than was registered.
    /// @return principal of the runner
    function _requireOther(
        MissionStorage.Layout storage s,
        Frame memory f,
        MissionStorage.Node memory w,
        LiveHash calldata live,
        IServiceContract.Service calldata service
    ) private view returns (address principal) {
        uint256 key = MissionStorage.slotKey(live.node, w.attempt, live.slot);
        address agent = s.slots[key].agent;
        if (agent == address(0)) revert ICollaborationContract.SlotEmpty(live.node, live.slot);
        bytes32 bound = s.pledges[key];
        bool fits = live.mission == address(this) && live.attempt == w.attempt;
        if (!fits || live.service != bound)
            revert ICollaborationContract.WrongService(live.node, live.slot, bound, live.service);
        if ((w.commitMask >> live.slot) & 1 == 1) {
            revert ICollaborationContract.AlreadyCommitted(live.node, live.slot);
        }
        if (!f.city.evidence.isRunner(live.runner)) revert ICollaborationContract.NotRunner(live.runner);
        principal = f.city.evidence.principalOf(live.runner);
        if (MissionFrame.isRival(s.head.execution, principal))
            revert ICollaborationContract.RunnerConflict(live.runner, principal);
        Signatures.requireInTime(live.deadline);
        Signatures.requireEcdsa(live.runner, f.digest(TypedData.hashLiveHash(live)), live.signature);
        bytes32 given = f.city.services.idOf(service);
        if (given != bound) revert ICollaborationContract.WrongService(live.node, live.slot, bound, given);
        if (f.city.services.verifyCodeHash(bound, service, live.hash)) {
            revert ICollaborationContract.CodeMatches(live.node, live.slot, live.hash);
        }
    }

    function _failMismatch(
        MissionStorage.Layout storage s,
        Frame memory f,
        NodeLaw law,
        MissionStorage.Node memory w,
        uint8 node,
        uint8 slot
    ) private {
        uint8 culprit = uint8(1 << slot);
        uint8 others = NodeCore.outstanding(s, w, node, law) & ~culprit;
        NodeCore.settleMask(
            s,
            node,
            w.attempt,
            culprit,
            SlashingSchedule.CODE_HASH_MISMATCH,
            true,
            Reasons.CODE_HASH_MISMATCH
        );
        // Somebody had committed before a freeze: if the others are enough, they go on without it.
        if (w.commitMask != 0 && NodeCore.count(others) >= law.threshold()) {
            s.notes[MissionStorage.attemptKey(node, w.attempt)].dropped |= culprit;
            if (others == w.commitMask) (w.flags, w.remainder) = (w.flags | MissionStorage.COMMITS_CLOSED, 0);
            return;
        }
        NodeCore.settleMask(s, node, w.attempt, others, 0, false, Reasons.RELEASED);
        NodeCore.fail(s, f, w, node, law.tier(), Reasons.CODE_HASH_MISMATCH);
    }
}
