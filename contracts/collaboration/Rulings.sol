// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {ICollaborationContract} from "../interfaces/ICollaborationContract.sol";
import {Admissibility} from "../libraries/Admissibility.sol";
import {Clearing} from "../libraries/Clearing.sol";
import {ClearingResult, EvidenceClass, WeighedVerdict} from "../types/Evidence.sol";
import {Risk, Tier} from "../types/Law.sol";
import {NodeState} from "../types/States.sol";
import {Docket, Dockets, Ruling} from "./Docket.sol";
import {City, Frame, MissionFrame} from "./MissionFrame.sol";
import {MissionStorage} from "./MissionStorage.sol";
import {NodeCore} from "./NodeCore.sol";
import {Panels} from "./Panels.sol";
import {Testimony} from "./Testimony.sol";

/// @title What the drawn panels of some nodes decide
/// @notice RAILS 5 and A.4, decisions 18–23. A linked library: it runs in the clone's frame and storage.
library Rulings {
    using Dockets for Docket;

    /// @notice What the panels decide about some nodes. All are heard before the first is concluded: none hangs on how another ends.
    function judge(
        MissionStorage.Layout storage s,
        City calldata city,
        bytes calldata wave
    ) external view returns (Ruling[] memory rulings) {
        Frame memory f = MissionFrame.open(city);
        Docket[] memory dockets = _hear(s, f, wave);
        rulings = new Ruling[](dockets.length);
        // At most the nodes the caller names.
        for (uint256 i = 0; i < dockets.length; ++i) {
            (Docket memory d, Ruling memory r) = (dockets[i], rulings[i]);
            _decide(s, f, d, r);
            (r.node, r.fault) = (d.node, d.fault);
            if (!d.isSound()) continue;
            (r.proven, r.seats, r.output) = (d.proven, Panels.seatsOf(d), d.outputOf(r.agreeing));
            (r.principals, r.absent) = (Panels.principalsOf(d), Panels.absentOf(d));
            r.crowded = d.law.risk() == Risk.HIGH && Panels.isCrowded(d);
        }
    }

    function _hear(
        MissionStorage.Layout storage s,
        Frame memory f,
        bytes calldata wave
    ) private view returns (Docket[] memory) {
        (Docket[] memory dockets, uint256 at) = Testimony.open(s, f, wave);
        // At most the nodes the caller names.
        for (uint256 i = 0; i < dockets.length; ++i) {
            dockets[i].refuseUnless(NodeCore.only(NodeState.PENDING_VERIFICATION));
            Panels.draw(f, dockets[i]);
        }
        at = Testimony.prove(f, dockets, wave, at);
        Testimony.hear(f, dockets, wave, at);
        return dockets;
    }

    /// @dev Nothing is decided about a node that is refused.
    function _decide(MissionStorage.Layout storage s, Frame memory f, Docket memory d, Ruling memory r) private view {
        if (!d.isSound()) return;
        bool open = block.timestamp < Panels.closesAt(f, d.word);
        d.proven = Dockets.provenSlots(s, d);
        // While nothing is decided without all members, nothing can be left out.
        _weigh(s, d, open ? 0 : Panels.posted(s, d));
        r.decision = Clearing.decide(
            d.heard,
            d.graded,
            EvidenceClass(d.law.floor()),
            d.law.questions(),
            f.terms.minConfidence(d.law.risk()),
            d.law.redundancy(),
            _drawnWeight(d)
        );
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
    function _weigh(MissionStorage.Layout storage s, Docket memory d, uint256 posted) private view {
        if (posted & ~d.answered != 0) {
            bytes4 missing = ICollaborationContract.VerdictLeftOut.selector;
            return d.refuse(missing, d.node, posted & ~d.answered);
        }
        // Two questions, at most seven members.
        for (uint256 i = 0; i < d.verdicts; ++i) {
            uint256 answer = d.answers[i];
            (address verifier, uint256 place) = Panels.memberOf(d, answer);
            if ((posted >> answer) & 1 == 1) _checkSame(s, d, verifier, answer, d.said[i]);
            WeighedVerdict memory v = d.heard[i];
            if (v.basis & Admissibility.REFUTED != 0) Dockets.temper(s, d, v);
            if (_counts(d, v, verifier)) d.counted |= uint8(1 << place);
        }
        d.complete = Panels.completeIn(d, d.answered);
    }

    function _checkSame(
        MissionStorage.Layout storage s,
        Docket memory d,
        address verifier,
        uint256 answer,
        bytes32 said
    ) private view {
        bytes32 kept = s.posted[Panels.postedKey(d, answer)];
        if (kept == said) return;
        bytes4 replaced = ICollaborationContract.VerdictReplaced.selector;
        d.refuse(replaced, d.node, uint160(verifier), uint256(kept), uint256(said));
    }

    /// @dev Of all members, whether they were heard or not, and whatever they said.
    function _drawnWeight(Docket memory d) private pure returns (uint256 drawn) {
        // A panel has at most 256 members: their reputations cannot overflow a word.
        unchecked {
            for (uint256 i = 0; i < d.panel.length; ++i) drawn += d.panel[i].weight;
        }
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

    /// @dev The same test that `Clearing` applies: an asked question, an answer, weight, and a basis at the floor. Whoever
    /// submits verdicts cannot silence one by leaving its proofs out: what would pass as claimed must be proven here.
    function _counts(Docket memory d, WeighedVerdict memory v, address verifier) private pure returns (bool) {
        if (!Clearing.isAnswer(v, d.law.questions())) return false;
        if (Dockets.isAdmissible(d, v.basis)) return true;
        if (Dockets.isClaimed(d, v.basis)) {
            bytes4 missing = ICollaborationContract.EvidenceMissing.selector;
            d.refuse(missing, d.node, uint160(verifier), v.basis);
        }
        return false;
    }
}
