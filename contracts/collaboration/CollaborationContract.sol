// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {Bytes} from "@openzeppelin/contracts/utils/Bytes.sol";
import {ICollaborationContract} from "../interfaces/ICollaborationContract.sol";
import {IConstitutionContract} from "../interfaces/IConstitutionContract.sol";
import {BasisPoints} from "../libraries/BasisPoints.sol";
import {LawCodec} from "../libraries/LawCodec.sol";
import {LawHeader, LawNode, MissionContext} from "../types/Law.sol";
import {MissionState, NodeState} from "../types/States.sol";
import {Cases} from "./Cases.sol";
import {ClearingDesk} from "./ClearingDesk.sol";
import {Dispatch} from "./Dispatch.sol";
import {Escrow} from "./Escrow.sol";
import {Frame} from "./MissionFrame.sol";
import {MissionStorage} from "./MissionStorage.sol";
import {NodeCore} from "./NodeCore.sol";
import {Remedies} from "./Remedies.sol";
import {Gate} from "./modules/Gate.sol";
import {Guardian} from "./modules/Guardian.sol";
import {MissionBase} from "./modules/MissionBase.sol";
import {Orchestration} from "./modules/Orchestration.sol";
import {Settlement} from "./modules/Settlement.sol";
import {Verification} from "./modules/Verification.sol";

/// @title One mission under its law: the implementation behind every clone
/// @dev Composed of modules over one storage struct; what is long or rare lives in the linked libraries `Dispatch`,
/// `ClearingDesk`, `Remedies` and `Escrow`, which run in the clone's frame.
contract CollaborationContract is Orchestration, Guardian, Verification, Gate, Settlement {
    using Bytes for bytes;

    constructor(IConstitutionContract constitution) MissionBase(constitution) {}

    /// @inheritdoc ICollaborationContract
    function advance(bytes calldata wave, uint256 nodes, Start calldata start) external nonReentrant {
        if (wave.length == 0 && nodes == 0) revert EmptyBatch();
        if (wave.length != 0) ClearingDesk.clear(_mission, _city(), wave);
        if (nodes != 0) Dispatch.route(_mission, _city(), nodes, start);
    }

    /// @inheritdoc ICollaborationContract
    function isMissionTemplate() external pure returns (bytes4) {
        return ICollaborationContract.isMissionTemplate.selector;
    }

    /// @inheritdoc ICollaborationContract
    function law() external view returns (bytes memory) {
        bytes memory args = _open().args;
        return args.slice(0, LawCodec.lawLength(LawCodec.header(args).nodeCount));
    }

    /// @inheritdoc ICollaborationContract
    function lawHash() external view returns (bytes32) {
        return LawCodec.hashOf(_open().args);
    }

    /// @inheritdoc ICollaborationContract
    function header() external view returns (LawHeader memory) {
        return LawCodec.header(_open().args);
    }

    /// @inheritdoc ICollaborationContract
    function nodeLaw(uint8 node) external view returns (LawNode memory) {
        return LawCodec.node(_open().args, node);
    }

    /// @inheritdoc ICollaborationContract
    function context() external view returns (MissionContext memory) {
        return LawCodec.context(_open().args);
    }

    /// @inheritdoc ICollaborationContract
    function state() external view returns (MissionState) {
        return _mission.head.state;
    }

    /// @inheritdoc ICollaborationContract
    function completed() external view returns (uint256) {
        return _mission.completed;
    }

    /// @inheritdoc ICollaborationContract
    function anchored() external view returns (bytes32) {
        return _mission.anchor;
    }

    /// @inheritdoc ICollaborationContract
    function nodeOf(uint8 node) external view returns (Node memory) {
        MissionStorage.Node memory w = NodeCore.load(_mission, node);
        return
            Node({
                state: w.state,
                attempt: w.attempt,
                deadline: w.deadline,
                remainder: w.remainder,
                commitMask: w.commitMask,
                revealMask: w.revealMask,
                freezeCount: w.freezeCount,
                drawBlock: w.drawBlock,
                redraws: w.redraws,
                share: w.share,
                agreeing: w.agreeing,
                gated: NodeCore.has(w, MissionStorage.GATED),
                recorded: NodeCore.has(w, MissionStorage.RECORDED),
                faulted: NodeCore.has(w, MissionStorage.FAULTED)
            });
    }

    /// @inheritdoc ICollaborationContract
    function slotOf(uint8 node, uint8 slot) external view returns (Slot memory) {
        MissionStorage.Slot storage bound = _mission.slots[_key(node, slot)];
        return Slot({agent: bound.agent, price: bound.price, psi: bound.psi});
    }

    /// @inheritdoc ICollaborationContract
    function pledgeOf(uint8 node, uint8 slot) external view returns (bytes32) {
        return _mission.pledges[_key(node, slot)];
    }

    /// @inheritdoc ICollaborationContract
    function entitlementOf(uint8 node, uint8 slot) external view returns (Entitlement memory) {
        return Escrow.entitlementOf(_mission, _city(), node, slot);
    }

    /// @inheritdoc ICollaborationContract
    function faultOf(uint8 node, uint8 attempt) external view returns (Fault memory) {
        MissionStorage.Fault storage fault = _mission.faults[MissionStorage.attemptKey(node, attempt)];
        return Fault({dueAt: fault.dueAt, mask: fault.mask, settled: fault.settled});
    }

    /// @inheritdoc ICollaborationContract
    function countedOf(uint8 node) external view returns (address[] memory) {
        return Remedies.countedOf(_mission, _city(), node);
    }

    /// @inheritdoc ICollaborationContract
    function appealsOf(uint8 node, uint8 attempt) external view returns (uint8 open, uint40 until) {
        MissionStorage.Appeals storage appeals = _mission.appeals[MissionStorage.attemptKey(node, attempt)];
        return (appeals.open, appeals.until);
    }

    /// @inheritdoc ICollaborationContract
    function caseHash(uint8 node) external view returns (bytes32) {
        return Cases.ofNode(_mission, _city(), node);
    }

    /// @inheritdoc ICollaborationContract
    function missionCaseHash() external view returns (bytes32) {
        return Cases.ofMission(_mission);
    }

    /// @inheritdoc ICollaborationContract
    function caseOf(uint8 node) external view returns (NodeState nodeState, uint8 attempt, uint64 fee) {
        Frame memory f = _open();
        MissionStorage.Node memory w = NodeCore.loadOf(_mission, f, node);
        uint256 rate = f.terms.protocolFeeRate();
        // A rate is at most the whole.
        fee = uint64((LawCodec.header(f.args).budget * rate) / BasisPoints.WHOLE);
        return (w.state, w.attempt, fee);
    }

    function _key(uint8 node, uint256 index) private view returns (uint256) {
        return MissionStorage.slotKey(node, NodeCore.load(_mission, node).attempt, index);
    }
}
