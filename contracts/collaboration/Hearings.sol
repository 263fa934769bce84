// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {ICollaborationContract} from "../interfaces/ICollaborationContract.sol";
import {Wire} from "../libraries/Wire.sol";
import {VerdictResult, WeighedVerdict} from "../types/Evidence.sol";
import {NodeState} from "../types/States.sol";
import {Docket, Dockets} from "./Docket.sol";
import {City, Frame, MissionFrame} from "./MissionFrame.sol";
import {MissionStorage} from "./MissionStorage.sol";
import {NodeCore} from "./NodeCore.sol";
import {Panels} from "./Panels.sol";
import {Testimony} from "./Testimony.sol";

/// @title Evidence and verdicts posted ahead of a clearing, which the clearing cannot leave out
/// @notice Decisions 55 and 57. A linked library: it runs in the clone's frame and storage.
library Hearings {
    using Dockets for Docket;
    using Wire for bytes;

    /// @dev From the verdict on a node's work until a human's.
    uint256 private constant OPEN =
        (1 << uint256(NodeState.PENDING_VERIFICATION)) |
            (1 << uint256(NodeState.PENDING_REVIEW)) |
            (1 << uint256(NodeState.FROZEN));

    /// @notice Marks the slots with an item proven ⪰ the floor, and keeps verdicts that rest on items proven here.
    function post(MissionStorage.Layout storage s, City calldata city, bytes calldata wave) external {
        NodeCore.requireMission(s, NodeCore.RUNNING);
        Frame memory f = MissionFrame.open(city);
        (Docket[] memory dockets, uint256 at) = Testimony.open(s, f, wave);
        for (uint256 i = 0; i < dockets.length; ++i) dockets[i].refuseUnless(OPEN);
        at = Testimony.prove(f, dockets, wave, at);
        // At most the nodes the caller names.
        for (uint256 i = 0; i < dockets.length && wave.number(at, 1) != 0; ++i) _convene(f, dockets[i]);
        Testimony.hear(f, dockets, wave, at);
        // At most the nodes the caller names.
        for (uint256 i = 0; i < dockets.length; ++i) {
            Docket memory d = dockets[i];
            _check(s, d);
            if (d.isSound()) _keep(s, d);
            else NodeCore.passOver(d.node, d.word.attempt, d.fault, dockets.length == 1);
        }
        emit ICollaborationContract.WavePosted(wave);
    }

    /// @dev In time for the panel.
    function _convene(Frame memory f, Docket memory d) private view {
        d.refuseUnless(NodeCore.only(NodeState.PENDING_VERIFICATION));
        if (d.isSound() && block.timestamp >= Panels.closesAt(f, d.word)) {
            bytes4 closed = ICollaborationContract.WindowClosed.selector;
            d.refuse(closed, d.node, Panels.closesAt(f, d.word));
        }
        Panels.draw(f, d);
    }

    function _check(MissionStorage.Layout storage s, Docket memory d) private view {
        // Two questions, at most seven members.
        for (uint256 i = 0; i < d.verdicts; ++i) {
            WeighedVerdict memory v = d.heard[i];
            (address verifier, ) = Panels.memberOf(d, d.answers[i]);
            if (v.result != VerdictResult.ABSTAIN && !Dockets.isAdmissible(d, v.basis)) {
                bytes4 missing = ICollaborationContract.EvidenceMissing.selector;
                return d.refuse(missing, d.node, uint160(verifier), v.basis);
            }
            if (s.posted[Panels.postedKey(d, d.answers[i])] == 0) continue;
            bytes4 twice = ICollaborationContract.DuplicateVerdict.selector;
            return d.refuse(twice, d.node, uint160(verifier), uint256(v.question));
        }
    }

    function _keep(MissionStorage.Layout storage s, Docket memory d) private {
        uint8 shown = Dockets.provenSlots(s, d);
        s.evidence[MissionStorage.attemptKey(d.node, d.word.attempt)].shown = shown;
        emit ICollaborationContract.Posted(d.node, d.word.attempt, shown);
        // Two questions, at most seven members.
        for (uint256 i = 0; i < d.verdicts; ++i) s.posted[Panels.postedKey(d, d.answers[i])] = d.said[i];
    }

    /// @notice Charges the members of an overdue panel that posted nothing. Who was drawn by a block that is forgotten is not known.
    function dismiss(MissionStorage.Layout storage s, City calldata city, uint8 node) external {
        Frame memory f = MissionFrame.open(city);
        Docket memory d;
        Dockets.gather(s, f, d, node);
        if (f.city.evidence.seedOf(d.word.drawBlock) == 0) return;
        Panels.draw(f, d);
        d.requireSound();
        d.complete = Panels.completeIn(d, Panels.posted(s, d));
        s.head.execution.recordVerifiers(Panels.principalsOf(d));
        Panels.charge(s, Panels.absentOf(d));
    }

    function panelOf(
        MissionStorage.Layout storage s,
        City calldata city,
        uint8 node
    ) external view returns (address[] memory panel) {
        Frame memory f = MissionFrame.open(city);
        Docket memory d;
        Dockets.gather(s, f, d, node);
        Panels.draw(f, d);
        d.requireSound();
        panel = new address[](d.panel.length);
        for (uint256 i = 0; i < panel.length; ++i) panel[i] = d.panel[i].verifier;
    }
}
