// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {ICollaborationContract} from "../interfaces/ICollaborationContract.sol";
import {Commitments} from "../libraries/Commitments.sol";
import {VerdictResult} from "../types/Evidence.sol";
import {Verdict} from "../types/Messages.sol";
import {NodeState} from "../types/States.sol";
import {Docket, Dockets} from "./Docket.sol";
import {City, Frame, MissionFrame} from "./MissionFrame.sol";
import {MissionStorage} from "./MissionStorage.sol";
import {NodeCore} from "./NodeCore.sol";
import {Panels} from "./Panels.sol";

/// @title What is posted ahead of a clearing, so that whoever clears cannot leave it out
/// @notice Decisions 55 and 57. A linked library: it runs in the clone's frame and storage.
library Hearings {
    /// @dev From the verdict on a node's work until a human's.
    uint256 private constant OPEN =
        (1 << uint256(NodeState.PENDING_VERIFICATION)) |
            (1 << uint256(NodeState.PENDING_REVIEW)) |
            (1 << uint256(NodeState.FROZEN));

    /// @notice Marks the slots with an item proven ⪰ the floor, and keeps verdicts that rest on items proven here.
    function post(
        MissionStorage.Layout storage s,
        City calldata city,
        ICollaborationContract.ClearOrder calldata order
    ) external {
        NodeCore.requireMission(s, NodeCore.RUNNING);
        Frame memory f = MissionFrame.open(city);
        Docket memory d = Dockets.gather(s, f, order.node);
        NodeCore.requireNode(d.word, d.node, OPEN);
        Dockets.prove(s, f, d, order.openings, order.items);
        uint8 shown = Dockets.provenSlots(s, d);
        s.evidence[MissionStorage.attemptKey(d.node, d.word.attempt)].shown = shown;
        emit ICollaborationContract.Posted(d.node, d.word.attempt, shown, order);
        if (order.verdicts.length != 0) _keep(s, f, d, order.verdicts);
    }

    function _keep(MissionStorage.Layout storage s, Frame memory f, Docket memory d, Verdict[] calldata given) private {
        NodeCore.requireNode(d.word, d.node, NodeCore.only(NodeState.PENDING_VERIFICATION));
        uint40 closes = Panels.closesAt(f, d.word);
        if (block.timestamp >= closes) revert ICollaborationContract.WindowClosed(d.node, closes);
        Panels.draw(f, d);
        bytes32 commitment = Commitments.nodeCommitment(d.commitments);
        uint256 place = 0;
        // At most the verdicts that the caller brings.
        for (uint256 i = 0; i < given.length; ++i) {
            Verdict calldata v = given[i];
            place = Panels.placeOf(d, v.verifier, place);
            bytes32 said = Panels.requireSigned(f, d, v, commitment);
            if (v.result != VerdictResult.ABSTAIN && !Dockets.isAdmissible(d, v.basis)) {
                revert ICollaborationContract.EvidenceMissing(d.node, v.verifier, v.basis);
            }
            uint256 key = Panels.postedKey(d, Panels.answerOf(v, place));
            if (s.posted[key] != 0) {
                revert ICollaborationContract.DuplicateVerdict(d.node, v.verifier, uint8(v.question));
            }
            s.posted[key] = said;
        }
    }

    /// @notice Charges the members of an overdue panel that posted nothing. Who was drawn by a block that is forgotten is not known.
    function dismiss(MissionStorage.Layout storage s, City calldata city, uint8 node) external {
        Frame memory f = MissionFrame.open(city);
        Docket memory d = Dockets.gather(s, f, node);
        if (f.city.evidence.seedOf(d.word.drawBlock) == 0) return;
        Panels.draw(f, d);
        d.complete = Panels.completeIn(d, Panels.posted(s, d));
        Panels.summon(s, d);
    }

    function panelOf(
        MissionStorage.Layout storage s,
        City calldata city,
        uint8 node
    ) external view returns (address[] memory panel) {
        Frame memory f = MissionFrame.open(city);
        Docket memory d = Dockets.gather(s, f, node);
        Panels.draw(f, d);
        panel = new address[](d.panel.length);
        for (uint256 i = 0; i < panel.length; ++i) panel[i] = d.panel[i].verifier;
    }
}
