// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {ICollaborationContract} from "../interfaces/ICollaborationContract.sol";
import {NodeLaw} from "../libraries/NodeLaw.sol";
import {Reasons} from "../libraries/Reasons.sol";
import {Seat} from "../libraries/Seat.sol";
import {Signatures} from "../libraries/Signatures.sol";
import {SlashingSchedule} from "../libraries/SlashingSchedule.sol";
import {TypedData} from "../libraries/TypedData.sol";
import {WeighedVerdict} from "../libraries/WeighedVerdict.sol";
import {Wire} from "../libraries/Wire.sol";
import {VerdictResult} from "../types/Evidence.sol";
import {Verdict} from "../types/Messages.sol";
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
    using MissionFrame for Frame;
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
        Testimony.hear(s, f, dockets, wave, at);
        // At most the nodes the caller names.
        for (uint256 i = 0; i < dockets.length; ++i) {
            Docket memory d = dockets[i];
            _check(s, d);
            if (d.isSound()) _keep(s, f, d);
            else NodeCore.passOver(d.node, d.word.attempt, d.fault, dockets.length == 1);
        }
        emit ICollaborationContract.WavePosted(wave);
    }

    /// @dev In time for the panel, whose clock a freeze stops.
    function _convene(Frame memory f, Docket memory d) private view {
        if (!NodeCore.isPaused(d.word)) {
            d.refuseUnless(NodeCore.only(NodeState.PENDING_VERIFICATION));
            if (d.isSound() && block.timestamp >= Panels.closesAt(f, d.word)) {
                bytes4 closed = ICollaborationContract.WindowClosed.selector;
                d.refuse(closed, d.node, Panels.closesAt(f, d.word));
            }
        }
        Panels.draw(f, d);
    }

    function _check(MissionStorage.Layout storage s, Docket memory d) private view {
        // Two questions, at most seven members.
        for (uint256 i = 0; i < d.verdicts; ++i) {
            WeighedVerdict v = Dockets.temper(s, d, d.heard[i]);
            if (v.result() != VerdictResult.ABSTAIN && !Dockets.isAdmissible(d, v.basis())) {
                bytes4 missing = ICollaborationContract.EvidenceMissing.selector;
                return d.refuse(missing, d.node, uint160(Panels.memberOf(d, v)), v.basis());
            }
            if (Panels.keptOf(s, d, v) == 0) continue;
            bytes4 twice = ICollaborationContract.DuplicateVerdict.selector;
            return d.refuse(twice, d.node, uint160(Panels.memberOf(d, v)), v.question());
        }
    }

    function _keep(MissionStorage.Layout storage s, Frame memory f, Docket memory d) private {
        uint8 shown = Dockets.provenSlots(s, d);
        MissionStorage.Notes storage notes = s.notes[MissionStorage.attemptKey(d.node, d.word.attempt)];
        notes.shown = shown;
        if (d.seconder != address(0) && !notes.refuted && Dockets.isRefuted(s, d)) {
            notes.refuted = true;
            emit ICollaborationContract.Refuted(d.node, d.word.attempt);
        }
        emit ICollaborationContract.Posted(d.node, d.word.attempt, shown);
        // Two questions, at most seven members.
        for (uint256 i = 0; i < d.verdicts; ++i) {
            WeighedVerdict v = d.heard[i];
            s.posted[Panels.postedKey(d, v.answer())] = Panels.saidIn(d, v);
        }
        if (d.verdicts != 0) NodeCore.pinSeed(f, d.word, d.node);
    }

    /// @notice Two verdicts of one member on one question, of one draw, cost it EQUIVOCATION, once (decision 55).
    function accuse(
        MissionStorage.Layout storage s,
        City calldata city,
        uint8 node,
        uint8 attempt,
        address verifier,
        ICollaborationContract.SignedVerdict calldata first,
        ICollaborationContract.SignedVerdict calldata second
    ) external {
        Frame memory f = MissionFrame.open(city);
        bool differ = _requireSigned(f, verifier, first) != _requireSigned(f, verifier, second);
        Verdict calldata v = first.verdict;
        Verdict calldata other = second.verdict;
        bool alike = v.obligation == other.obligation && v.draw == other.draw && v.question == other.question;
        if (!differ || !alike) revert ICollaborationContract.NotContradictory(verifier);
        bytes32 obligation = NodeCore.obligationOf(s, f, node, attempt);
        if (v.obligation != obligation) revert ICollaborationContract.WrongObligation(obligation, v.obligation);
        Seat[] memory seat = new Seat[](1);
        seat[0] = _requireMember(s, f, node, attempt, verifier, v.draw);
        bytes32 key = keccak256(abi.encode(verifier, obligation, v.draw, v.question));
        if (s.accused[key]) {
            revert ICollaborationContract.AlreadyAccused(verifier, obligation, v.draw, uint8(v.question));
        }
        s.accused[key] = true;
        emit ICollaborationContract.Contradicted(node, attempt, verifier, uint8(v.question));
        s.head.execution.recordVerifiers(seat);
        s.head.execution.settleVerifier(verifier, SlashingSchedule.EQUIVOCATION, Reasons.EQUIVOCATION);
    }

    /// @dev One of the verdicts in a list that the member signed. When it signed does not matter.
    function _requireSigned(
        Frame memory f,
        address verifier,
        ICollaborationContract.SignedVerdict calldata said
    ) private pure returns (bytes32 hash) {
        hash = TypedData.hashVerdict(said.verdict);
        if (said.place >= said.list.length || said.list[said.place] != hash) {
            revert ICollaborationContract.NotContradictory(verifier);
        }
        bytes32 digest = f.digest(TypedData.hashVerdicts(verifier, said.list, said.deadline));
        Signatures.requireEcdsa(verifier, digest, said.signature);
    }

    /// @dev The panel drawn by that block, whatever became of the attempt.
    function _requireMember(
        MissionStorage.Layout storage s,
        Frame memory f,
        uint8 node,
        uint8 attempt,
        address verifier,
        uint32 draw
    ) private view returns (Seat) {
        NodeLaw law = f.node(node);
        address[] memory parties = Dockets.partiesOf(s, f, law, node, attempt);
        Seat[] memory panel = f.city.evidence.panelOf(node, attempt, law.panelSize(), parties, draw);
        // At most seven seats.
        for (uint256 i = 0; i < panel.length; ++i) if (panel[i].verifier() == verifier) return panel[i];
        revert ICollaborationContract.NotOnPanel(node, verifier);
    }

    /// @notice Charges the members of an overdue panel that posted nothing. Who was drawn by a block that is forgotten is not known, and where
    /// too few have a seat nobody was: an executor's own house, which cannot judge it, may hold one that a panel needs.
    function dismiss(MissionStorage.Layout storage s, City calldata city, uint8 node) external {
        Frame memory f = MissionFrame.open(city);
        Docket memory d;
        Dockets.gather(s, f, d, node);
        if (f.city.evidence.seedOf(d.word.drawBlock) == 0) return;
        Panels.draw(f, d);
        if (!d.isSound()) return;
        d.complete = Panels.completeIn(d, Panels.posted(s, d));
        s.head.execution.recordVerifiers(d.panel);
        address[] memory absent = new address[](d.panel.length);
        Panels.addAbsent(d, absent, 0);
        Panels.charge(s, absent);
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
        for (uint256 i = 0; i < panel.length; ++i) panel[i] = d.panel[i].verifier();
    }
}
