// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {ICollaborationContract} from "../interfaces/ICollaborationContract.sol";
import {ILegislativeProcedure} from "../interfaces/ILegislativeProcedure.sol";
import {LawCodec} from "../libraries/LawCodec.sol";
import {NodeLaw} from "../libraries/NodeLaw.sol";
import {Reasons} from "../libraries/Reasons.sol";
import {Institution} from "../types/Roles.sol";
import {MissionState, NodeState} from "../types/States.sol";
import {City, Frame, MissionFrame} from "./MissionFrame.sol";
import {MissionStorage} from "./MissionStorage.sol";
import {NodeCore} from "./NodeCore.sol";

/// @title Nodes that are missions of their own
/// @notice AgentCity 3.4 (recursive decomposition), decision 4. A node that is no leaf has no executors: routing it opens a child
/// session with what is left of its budget, and recording it, once the child's money is settled, brings back the rest and decides the
/// node by how the child mission ended. No fee is charged here: the leaves below pay theirs. What a node's children cost together
/// never exceeds its budget, at any depth. Internal, so that it runs in the clone's frame and storage.
library Descent {
    using MissionFrame for Frame;
    using SafeERC20 for IERC20;

    /// @notice The mission that this one is a node of; zero if a sponsor opened its session.
    function parentOf(City memory city, uint256 session) internal view returns (address parent) {
        (parent, , ) = ILegislativeProcedure(city.templates.missionOf(address(this)).legislation).parentOf(session);
    }

    /// @notice What the child session of a node is about: the law of the parent says the rest.
    function goalOf(uint8 node, uint8 attempt) internal view returns (bytes32) {
        return keccak256(abi.encode(address(this), node, attempt));
    }

    /// @dev The child may take as long as this mission has. The caller stores the word.
    function open(
        MissionStorage.Layout storage s,
        Frame memory f,
        NodeLaw law,
        MissionStorage.Node memory w,
        uint8 node
    ) internal {
        MissionStorage.Child storage child = s.children[node];
        uint64 amount = law.budget() - child.spent;
        if (amount == 0) revert ICollaborationContract.BudgetSpent(node, law.budget());
        if (s.head.state == MissionState.ACTIVE) NodeCore.moveMission(s, MissionState.EXECUTING);
        NodeCore.move(w, node, NodeState.EXECUTING);
        w.deadline = f.deployedAt() + LawCodec.header(f.args).duration;
        address legislature = f.city.constitution.at(Institution.LEGISLATION);
        s.delegated |= uint256(1) << node;
        s.books.children += amount;
        f.city.token.forceApprove(legislature, amount);
        uint256 session = ILegislativeProcedure(legislature).openChildSession(node, goalOf(node, w.attempt), amount);
        (child.legislature, child.session, child.lent) = (legislature, uint32(session), amount);
        emit ICollaborationContract.Routed(node, w.attempt, w.deadline);
        emit ICollaborationContract.ChildOpened(node, w.attempt, legislature, session, amount);
    }

    /// @dev In a mission that ended only the money comes home.
    function conclude(
        MissionStorage.Layout storage s,
        Frame memory f,
        NodeLaw law,
        MissionStorage.Node memory w,
        uint8 node
    ) internal {
        if ((s.delegated >> node) & 1 == 0) revert ICollaborationContract.NoChild(node);
        MissionStorage.Child storage child = s.children[node];
        uint64 lent = child.lent;
        (address mission, bool completed, uint64 returned) = _outcome(child, node);
        s.delegated &= ~(uint256(1) << node);
        s.books.children -= returned;
        child.spent += lent - returned;
        child.lent = 0;
        emit ICollaborationContract.ChildConcluded(node, w.attempt, mission, completed, returned);
        if (NodeCore.isFinal(s)) return;

        NodeCore.requireMission(s, NodeCore.RUNNING);
        if (completed) {
            w.flags |= MissionStorage.RECORDED;
            w.settlesAt = uint40(block.timestamp);
            s.books.refundable += law.budget() - child.spent;
            NodeCore.move(w, node, NodeState.PENDING_VERIFICATION);
            NodeCore.complete(s, f, w, node, bytes32(uint256(uint160(mission))));
        } else {
            NodeCore.fail(s, f, w, node, law.tier(), Reasons.CHILD_FAILED);
        }
        NodeCore.store(s, node, w);
    }

    /// @notice How a child ended and what it gave back. A session that made no law returns all of it, here if not before.
    function _outcome(
        MissionStorage.Child storage child,
        uint8 node
    ) private returns (address mission, bool completed, uint64 returned) {
        ILegislativeProcedure legislature = ILegislativeProcedure(child.legislature);
        ILegislativeProcedure.Session memory session = legislature.sessionOf(child.session);
        mission = session.mission;
        if (mission == address(0)) {
            // Reverts while the session is open.
            if (session.deposit != 0) legislature.withdraw(child.session);
            return (mission, false, child.lent);
        }
        ICollaborationContract.Ledger memory ledger = ICollaborationContract(mission).ledger();
        if (!ledger.closed) revert ICollaborationContract.ChildRunning(node, mission);
        return (mission, ICollaborationContract(mission).state() == MissionState.COMPLETED, ledger.refunded);
    }
}
