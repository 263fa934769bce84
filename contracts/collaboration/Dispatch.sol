// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {MessageHashUtils} from "@openzeppelin/contracts/utils/cryptography/MessageHashUtils.sol";
import {ICollaborationContract} from "../interfaces/ICollaborationContract.sol";
import {IExecutionProcedure} from "../interfaces/IExecutionProcedure.sol";
import {IServiceContract} from "../interfaces/IServiceContract.sol";
import {ITemplateRegistry} from "../interfaces/ITemplateRegistry.sol";
import {LawCodec} from "../libraries/LawCodec.sol";
import {Signatures} from "../libraries/Signatures.sol";
import {Reasons} from "../libraries/Reasons.sol";
import {SlashingSchedule} from "../libraries/SlashingSchedule.sol";
import {TypedData} from "../libraries/TypedData.sol";
import {LawHeader, LawNode, Tier} from "../types/Law.sol";
import {LiveHash} from "../types/Messages.sol";
import {Param} from "../types/Params.sol";
import {MissionState, NodeState} from "../types/States.sol";
import {Descent} from "./Descent.sol";
import {City, Frame, MissionFrame} from "./MissionFrame.sol";
import {MissionStorage} from "./MissionStorage.sol";
import {NodeCore} from "./NodeCore.sol";
import {WatchdogHold} from "./WatchdogHold.sol";

/// @title Starting: the mission with its escrow, a node with its executors; and what runners attest
/// @notice Decisions 4, 5, 15 and 17. A linked library: it runs in the clone's frame and storage.
library Dispatch {
    using MissionFrame for Frame;

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
        LawNode memory law = f.node(node);
        MissionStorage.Node memory w = NodeCore.load(s, node);
        NodeCore.requireNode(w, node, BINDABLE);
        if (slot >= law.redundancy) revert ICollaborationContract.SlotEmpty(node, slot);
        uint64 slotBudget = law.budget / law.redundancy;
        if (price == 0 || price > slotBudget) revert ICollaborationContract.PriceAboveSlot(node, price, slotBudget);
        uint256 key = MissionStorage.slotKey(node, w.attempt, slot);
        if (s.slots[key].agent != address(0)) revert ICollaborationContract.SlotTaken(node, slot);

        s.slots[key] = MissionStorage.Slot({agent: agent, price: price, psi: 0, slashed: false});
        s.pledges[key] = service;
        // The clock of a node that waited for its executors starts with them.
        if (w.state == NodeState.ELIGIBLE) {
            w.deadline = uint40(block.timestamp) + f.context.params.verificationTimeout;
            NodeCore.store(s, node, w);
        }
        emit ICollaborationContract.ExecutorBound(node, slot, agent, service, price, w.attempt);
    }

    function route(
        MissionStorage.Layout storage s,
        City calldata city,
        ICollaborationContract.RouteOrder[] calldata orders
    ) external {
        if (orders.length == 0) revert ICollaborationContract.EmptyBatch();
        if (s.head.stopped) revert ICollaborationContract.Stopped();
        WatchdogHold.requireRunning(city.constitution);
        Frame memory f = MissionFrame.open(city);
        // At most the nodes the caller names.
        for (uint256 i = 0; i < orders.length; ++i) {
            NodeCore.requireMission(s, NodeCore.RUNNING);
            _routeNode(s, f, orders[i]);
        }
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

    function _routeNode(
        MissionStorage.Layout storage s,
        Frame memory f,
        ICollaborationContract.RouteOrder calldata order
    ) private {
        uint8 node = order.node;
        LawNode memory law = f.node(node);
        MissionStorage.Node memory w = NodeCore.load(s, node);
        NodeCore.requireNode(w, node, NodeCore.only(NodeState.ELIGIBLE));
        if (!law.leaf) {
            Descent.open(s, f, law, w, node);
            NodeCore.store(s, node, w);
            return;
        }
        if (order.hashes.length != order.services.length) {
            revert ICollaborationContract.LengthMismatch(order.services.length, order.hashes.length);
        }
        // After a freeze only the slots that have not committed start again.
        uint8 needed =
            NodeCore.has(w, MissionStorage.COMMITS_CLOSED) ? 0 : NodeCore.full(law.redundancy) & ~w.commitMask;
        uint8 attested = 0;
        for (uint256 i = 0; i < order.hashes.length; ++i) {
            LiveHash calldata live = order.hashes[i];
            if (!_isLive(s, f, w, node, live, order.services[i])) {
                _failMismatch(s, f, law, w, node, live.slot);
                NodeCore.store(s, node, w);
                return;
            }
            attested |= uint8(1 << live.slot);
        }
        if (attested != needed) revert ICollaborationContract.LiveHashMissing(node, attested, needed);
        _start(s, f, law, w, node);
        NodeCore.store(s, node, w);
    }

    function _start(
        MissionStorage.Layout storage s,
        Frame memory f,
        LawNode memory law,
        MissionStorage.Node memory w,
        uint8 node
    ) private {
        if (s.head.state == MissionState.ACTIVE) NodeCore.moveMission(s, MissionState.EXECUTING);
        NodeCore.move(w, node, NodeState.EXECUTING);
        w.deadline = uint40(block.timestamp) + (w.remainder != 0 ? w.remainder : law.timeout);
        w.remainder = 0;
        emit ICollaborationContract.Routed(node, w.attempt, w.deadline);
        bool closed = NodeCore.has(w, MissionStorage.COMMITS_CLOSED);
        if (!closed || (law.tier == Tier.CONSENSUS && w.revealMask != w.commitMask)) return;
        NodeCore.startVerification(f, w, node);
        // Work that comes back from a freeze has had a panel: this one is its second.
        w.redraws = 1;
    }

    /// @dev Reverts on anything that is the caller's mistake; false only for what a runner signed: other code is live.
    function _isLive(
        MissionStorage.Layout storage s,
        Frame memory f,
        MissionStorage.Node memory w,
        uint8 node,
        LiveHash calldata live,
        IServiceContract.Service calldata service
    ) private view returns (bool) {
        uint256 key = MissionStorage.slotKey(node, w.attempt, live.slot);
        address agent = s.slots[key].agent;
        if (agent == address(0)) revert ICollaborationContract.SlotEmpty(node, live.slot);
        bytes32 bound = s.pledges[key];
        bool fits = live.mission == address(this) && live.node == node && live.attempt == w.attempt;
        if (!fits || live.service != bound)
            revert ICollaborationContract.WrongService(node, live.slot, bound, live.service);
        if ((w.commitMask >> live.slot) & 1 == 1) revert ICollaborationContract.AlreadyCommitted(node, live.slot);
        if (!f.city.evidence.isRunner(live.runner)) revert ICollaborationContract.NotRunner(live.runner);
        address principal = f.city.producers.requireRoutable(agent);
        if (f.city.evidence.principalOf(live.runner) == principal)
            revert ICollaborationContract.RunnerConflict(live.runner, principal);
        Signatures.requireInTime(live.deadline);
        Signatures.requireEcdsa(live.runner, f.digest(TypedData.hashLiveHash(live)), live.signature);
        if (f.city.services.verifyCodeHash(bound, service, live.hash)) return true;
        bytes32 given = f.city.services.idOf(service);
        if (given != bound) revert ICollaborationContract.WrongService(node, live.slot, bound, given);
        return false;
    }

    function _failMismatch(
        MissionStorage.Layout storage s,
        Frame memory f,
        LawNode memory law,
        MissionStorage.Node memory w,
        uint8 node,
        uint8 slot
    ) private {
        uint8 culprit = uint8(1 << slot);
        uint8 others = NodeCore.outstanding(w, law) & ~culprit;
        NodeCore.settleMask(
            s,
            node,
            w.attempt,
            culprit,
            SlashingSchedule.CODE_HASH_MISMATCH,
            true,
            Reasons.CODE_HASH_MISMATCH
        );
        NodeCore.settleMask(s, node, w.attempt, others, 0, false, Reasons.RELEASED);
        NodeCore.fail(s, f, w, node, law.tier, Reasons.CODE_HASH_MISMATCH);
    }
}
