// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {DynamicArrayLib} from "solady/src/utils/DynamicArrayLib.sol";
import {ICollaborationContract} from "../interfaces/ICollaborationContract.sol";
import {Clearing} from "../libraries/Clearing.sol";
import {PanelDraw} from "../libraries/PanelDraw.sol";
import {WeighedVerdict} from "../libraries/WeighedVerdict.sol";
import {ClearingResult, EvidenceClass, VerdictResult} from "../types/Evidence.sol";
import {Risk, Tier} from "../types/Law.sol";
import {NodeState} from "../types/States.sol";
import {Docket, Dockets} from "./Docket.sol";
import {City, Frame, MissionFrame} from "./MissionFrame.sol";
import {MissionStorage} from "./MissionStorage.sol";
import {NodeCore} from "./NodeCore.sol";
import {Panels} from "./Panels.sol";
import {Judgement, Ruling, RulingWords} from "./Ruling.sol";
import {Testimony} from "./Testimony.sol";

/// @title What the drawn panels of some nodes decide
/// @notice RAILS 5 and A.4, decisions 18–23. A linked library: it runs in the clone's frame and storage.
library Rulings {
    using Dockets for Docket;
    using DynamicArrayLib for address[];
    using DynamicArrayLib for uint256[];
    using RulingWords for uint256[];

    /// @notice What the panels decide about some nodes. All are heard before the first is concluded: none hangs on how another ends.
    function judge(
        MissionStorage.Layout storage s,
        City calldata city,
        bytes calldata wave
    ) external view returns (Judgement memory j) {
        Frame memory f = MissionFrame.open(city);
        Docket[] memory dockets = _hear(s, f, wave);
        uint256 seats = 0;
        for (uint256 i = 0; i < dockets.length; ++i) seats += dockets[i].panel.length;
        j.rulings = new uint256[](RulingWords.WORDS * dockets.length);
        j.absent = new address[](seats);
        uint256 missed = 0;
        // At most the nodes the caller names.
        for (uint256 i = 0; i < dockets.length; ++i) {
            Docket memory d = dockets[i];
            Ruling memory r;
            r.node = d.node;
            _decide(s, f, d, r);
            if (d.isSound()) {
                (r.proven, r.seats, r.output) = (d.proven, Panels.seatsOf(d), Testimony.outputOf(d, wave, r.agreeing));
                r.crowded = d.law.risk() == Risk.HIGH && Panels.isCrowded(d);
                missed = Panels.addAbsent(d, j.absent, missed);
            } else {
                // An error begins with its selector.
                r.fault = bytes4(d.fault);
                if (j.fault.length == 0) j.fault = d.fault;
                // Nobody judged.
                delete d.panel;
            }
            j.rulings.put(i, r);
        }
        j.seats = Panels.membersOf(dockets);
        // The absent are read up to an empty place, but those behind it would be copied from call to call.
        j.absent.toUint256Array().truncate(missed);
    }

    function _hear(
        MissionStorage.Layout storage s,
        Frame memory f,
        bytes calldata wave
    ) private view returns (Docket[] memory) {
        (Docket[] memory dockets, uint256 at) = Testimony.open(s, f, wave);
        // At most the nodes the caller names.
        for (uint256 i = 0; i < dockets.length; ++i) {
            Docket memory d = dockets[i];
            d.refuseUnless(NodeCore.only(NodeState.PENDING_VERIFICATION));
            Panels.draw(f, d);
        }
        at = Testimony.prove(f, dockets, wave, at);
        Testimony.hear(s, f, dockets, wave, at);
        return dockets;
    }

    /// @dev Nothing is decided about a node that is refused.
    function _decide(MissionStorage.Layout storage s, Frame memory f, Docket memory d, Ruling memory r) private view {
        if (!d.isSound()) return;
        bool open = block.timestamp < Panels.closesAt(f, d.word);
        d.proven = Dockets.provenSlots(s, d);
        Clearing.Count memory c;
        c.praise = new uint256[](d.verdicts);
        // While nothing is decided without all members, nothing can be left out.
        _weigh(s, d, c, f.terms.minConfidence(d.law.risk()), open ? 0 : Panels.posted(s, d));
        uint256 drawn = PanelDraw.drawn(d.panel);
        Clearing.conclude(c, r.decision, d.law.questions(), d.law.redundancy(), drawn, d.panel.length);
        if (r.decision.result == ClearingResult.PASS) r.decision.score = Clearing.median(c);
        _checkPanel(d, r.decision.result, open);
        uint8 agreed = d.law.tier() == Tier.CONSENSUS ? d.word.commitMask & r.decision.agreeing : d.word.commitMask;
        // A slot is paid for an item of its own, whatever is said of it.
        r.agreeing = agreed & d.proven;
        r.late = open ? 0 : d.word.commitMask & ~d.proven;
        if (open) _checkShown(d, r.decision.result, agreed);
    }

    /// @dev Every slot claims an item at the floor. Whoever clears cannot leave out what an agreeing slot is paid for, nor what an undecided
    /// one would be late without, nor what stands against a refutation of the only one: while the hearing is open no executor is at fault
    /// for that.
    function _checkShown(Docket memory d, ClearingResult result, uint8 agreed) private pure {
        uint8 due = 0;
        if (result == ClearingResult.PASS) due = agreed & ~d.proven;
        else if (result == ClearingResult.UNVERIFIABLE) due = d.word.commitMask & ~d.proven;
        else if (result == ClearingResult.FAIL && d.law.redundancy() == 1) due = d.word.commitMask & ~d.proven;
        if (due != 0) d.refuse(ICollaborationContract.SlotUnproven.selector, d.node, due);
    }

    // --- Panel and verdicts ------------------------------------------------------------------------------------------

    /// @param posted answers that have to be among those handed in, word for word: a member that signed two verdicts is heard with the
    /// one that was posted
    function _weigh(
        MissionStorage.Layout storage s,
        Docket memory d,
        Clearing.Count memory c,
        uint16 minConfidence,
        uint256 posted
    ) private view {
        if (posted & ~d.answered != 0) {
            bytes4 missing = ICollaborationContract.VerdictLeftOut.selector;
            return d.refuse(missing, d.node, posted & ~d.answered);
        }
        // Two questions, at most seven members.
        for (uint256 i = 0; i < d.verdicts; ++i) {
            WeighedVerdict v = d.heard[i];
            if ((posted >> v.answer()) & 1 == 1) _checkSame(s, d, v);
            if (_counts(s, d, c, Dockets.temper(s, d, v), minConfidence)) d.counted |= Panels.placeOf(v.answer());
        }
        d.complete = Panels.completeIn(d, d.answered);
    }

    function _checkSame(MissionStorage.Layout storage s, Docket memory d, WeighedVerdict v) private view {
        (bytes32 kept, bytes32 said) = (Panels.keptOf(s, d, v), Panels.saidIn(d, v));
        if (kept == said) return;
        bytes4 replaced = ICollaborationContract.VerdictReplaced.selector;
        d.refuse(replaced, d.node, uint160(Panels.memberOf(d, v)), uint256(kept), uint256(said));
    }

    /// @dev All members; once the hearing is closed more than half, if they decide, with every verdict that was posted. What a part of the
    /// panel does not decide is left to the others, to another panel, to a human.
    function _checkPanel(Docket memory d, ClearingResult result, bool open) private pure {
        uint256 have = NodeCore.count(d.complete);
        uint256 need = d.law.panelSize();
        unchecked {
            if (result <= ClearingResult.FAIL && !open) need = need / 2 + 1;
        }
        if (have >= need) return;
        d.refuse(ICollaborationContract.PanelIncomplete.selector, d.node, have, need);
    }

    /// @dev Whether it answers and rests on enough. Whoever submits verdicts cannot silence one by leaving its proofs out: what would pass as
    /// claimed must be proven here, or was by an earlier `post`.
    function _counts(
        MissionStorage.Layout storage s,
        Docket memory d,
        Clearing.Count memory c,
        WeighedVerdict v,
        uint16 minConfidence
    ) private view returns (bool) {
        uint8 questions = d.law.questions();
        EvidenceClass floor = EvidenceClass(d.law.floor());
        if (Clearing.weigh(c, v, d.graded, floor, questions, minConfidence)) return true;
        if (!Clearing.isAnswer(v, questions)) return false;
        Dockets.raise(d, _restedOn(s, d));
        if (Clearing.weigh(c, v, d.graded, floor, questions, minConfidence)) return true;
        if (Dockets.isClaimed(d, v.basis())) {
            bytes4 missing = ICollaborationContract.EvidenceMissing.selector;
            d.refuse(missing, d.node, uint160(Panels.memberOf(d, v)), v.basis());
        }
        return false;
    }

    /// @dev What posted verdicts rest on: it was proven then, whoever of its issuers is revoked since. Nobody asked what an abstention rests on.
    function _restedOn(MissionStorage.Layout storage s, Docket memory d) private view returns (uint256 basis) {
        // Two questions, at most seven members.
        for (uint256 i = 0; i < d.verdicts; ++i) {
            WeighedVerdict v = d.heard[i];
            bool posted = Panels.keptOf(s, d, v) == Panels.saidIn(d, v);
            if (posted && v.result() != VerdictResult.ABSTAIN) basis |= v.basis();
        }
    }
}
