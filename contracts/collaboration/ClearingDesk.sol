// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {ICollaborationContract} from "../interfaces/ICollaborationContract.sol";
import {BasisPoints} from "../libraries/BasisPoints.sol";
import {Clearing} from "../libraries/Clearing.sol";
import {Commitments} from "../libraries/Commitments.sol";
import {ClearingDecision, ClearingResult, EvidenceClass, VerdictResult, WeighedVerdict} from "../types/Evidence.sol";
import {Tier} from "../types/Law.sol";
import {EvidenceItem, Opening, Verdict} from "../types/Messages.sol";
import {MissionState, NodeState} from "../types/States.sol";
import {Docket, Dockets} from "./Docket.sol";
import {Escrow} from "./Escrow.sol";
import {City, Frame, MissionFrame} from "./MissionFrame.sol";
import {MissionStorage} from "./MissionStorage.sol";
import {NodeCore} from "./NodeCore.sol";
import {NodeWord} from "./NodeWord.sol";
import {Panels} from "./Panels.sol";
import {Remedies} from "./Remedies.sol";

/// @title Clearing a node: its panel, its evidence, its decision
/// @notice RAILS 5 and A.4, decisions 18–23. A linked library: it runs in the clone's frame and storage.
library ClearingDesk {
    using MissionFrame for Frame;

    // --- Entry points ------------------------------------------------------------------------------------------------

    function clear(
        MissionStorage.Layout storage s,
        City calldata city,
        ICollaborationContract.ClearOrder[] calldata orders
    ) external {
        if (orders.length == 0) revert ICollaborationContract.EmptyBatch();
        Frame memory f = MissionFrame.open(city);
        uint256 before = s.completed;
        // At most the nodes the caller names.
        for (uint256 i = 0; i < orders.length; ++i) {
            NodeCore.requireMission(s, 1 << uint256(MissionState.EXECUTING));
            Docket memory d = Dockets.gather(s, f, orders[i].node);
            Opening[] memory openings = orders[i].openings;
            ClearingDecision memory decision = _assess(s, f, d, openings, orders[i].items, orders[i].verdicts);
            Panels.summon(s, d);
            _conclude(s, f, d, decision, openings);
        }
        NodeCore.free(s, f, s.completed & ~before);
    }

    function preview(
        MissionStorage.Layout storage s,
        City calldata city,
        ICollaborationContract.ClearOrder calldata order
    ) external view returns (ClearingDecision memory) {
        Frame memory f = MissionFrame.open(city);
        Docket memory d = Dockets.gather(s, f, order.node);
        return _assess(s, f, d, order.openings, order.items, order.verdicts);
    }

    // --- Decision ----------------------------------------------------------------------------------------------------

    function _assess(
        MissionStorage.Layout storage s,
        Frame memory f,
        Docket memory d,
        Opening[] memory openings,
        EvidenceItem[] memory items,
        Verdict[] calldata verdicts
    ) private view returns (ClearingDecision memory) {
        NodeCore.requireNode(d.word, d.node, NodeCore.only(NodeState.PENDING_VERIFICATION));
        Panels.draw(f, d);
        Dockets.prove(s, f, d, openings, items);
        WeighedVerdict[] memory weighed = _weigh(s, f, d, verdicts);
        ClearingDecision memory decision = Clearing.decide(
            weighed,
            d.graded,
            EvidenceClass(d.law.floor),
            d.law.questions,
            f.context.params.minConfidence[uint8(d.law.risk)],
            d.law.redundancy,
            _drawnWeight(d)
        );
        _requirePanel(f, d, decision.result);
        return decision;
    }

    function _conclude(
        MissionStorage.Layout storage s,
        Frame memory f,
        Docket memory d,
        ClearingDecision memory decision,
        Opening[] memory openings
    ) private {
        emit ICollaborationContract.Cleared(
            d.node,
            d.word.attempt,
            uint8(decision.result),
            decision.confidence,
            decision.score,
            uint8(decision.class),
            decision.basis,
            decision.agreeing
        );
        if (decision.result == ClearingResult.PASS) _pass(s, f, d, decision, openings);
        else if (decision.result == ClearingResult.FAIL) _condemn(s, f, d);
        else if (decision.result == ClearingResult.DISPUTED) _review(s, d);
        else _doubt(s, f, d);
    }

    function _pass(
        MissionStorage.Layout storage s,
        Frame memory f,
        Docket memory d,
        ClearingDecision memory decision,
        Opening[] memory openings
    ) private {
        MissionStorage.Node memory w = d.word;
        w.share = decision.score;
        uint8 proven = Dockets.provenSlots(s, d);
        bool open = block.timestamp < Panels.closesAt(f, w);
        w.agreeing = d.law.tier == Tier.CONSENSUS ? w.commitMask & decision.agreeing : w.commitMask;
        // Whoever clears cannot leave out what an agreeing slot is paid for.
        if (open) Dockets.requireShown(d, w.agreeing & ~proven);
        // A slot is paid for an item of its own, whatever is said of it.
        w.agreeing &= proven;
        if (NodeCore.count(w.agreeing) < d.law.threshold) return _review(s, d);
        bool released = Dockets.passesGate(s, f, d, openings);
        if (!released || d.law.tier == Tier.HUMAN) return _review(s, d);
        uint8 late = w.commitMask & ~proven;
        if (open) late &= ~Dockets.claimingSlots(d);
        _seat(d);
        NodeCore.finish(s, f, w, d.node, Dockets.outputOf(d, openings));
        if (late != 0) {
            Remedies.dropLate(s, d.node, w.attempt, late);
            w.commitMask &= ~late;
        }
        NodeCore.store(s, d.node, w);
        Escrow.record(s, f.city, d.node);
    }

    /// @dev While the hearing is open nobody is refused for items that are left out.
    function _doubt(MissionStorage.Layout storage s, Frame memory f, Docket memory d) private {
        uint8 proven = Dockets.provenSlots(s, d);
        if (block.timestamp < Panels.closesAt(f, d.word)) Dockets.requireShown(d, d.word.commitMask & ~proven);
        Remedies.doubt(s, f.city, d.node, proven);
    }

    function _condemn(MissionStorage.Layout storage s, Frame memory f, Docket memory d) private {
        _seat(d);
        NodeCore.store(s, d.node, d.word);
        Remedies.condemn(s, f.city, d.node);
    }

    function _review(MissionStorage.Layout storage s, Docket memory d) private {
        _seat(d);
        NodeCore.review(s, d.word, d.node, d.law, Dockets.provenSlots(s, d));
        NodeCore.store(s, d.node, d.word);
    }

    /// @dev Remembers whose verdicts counted: they share the fee, and may appeal.
    function _seat(Docket memory d) private pure {
        uint256 place = 0;
        uint256 seats = 0;
        // At most seven seats.
        unchecked {
            for (uint256 i = 0; i < d.panel.length; ++i) {
                if ((d.counted >> i) & 1 == 1) seats = NodeWord.withSeat(seats, place++, d.panel[i].serial);
            }
        }
        d.word.seats = seats;
    }

    // --- Panel and verdicts ------------------------------------------------------------------------------------------

    function _weigh(
        MissionStorage.Layout storage s,
        Frame memory f,
        Docket memory d,
        Verdict[] calldata verdicts
    ) private view returns (WeighedVerdict[] memory weighed) {
        bytes32 commitment = Commitments.nodeCommitment(d.commitments);
        // Bit per question and place.
        uint256 answered = 0;
        uint256 place = 0;
        // While nothing is decided without all members, nothing can be left out.
        uint256 posted = block.timestamp < Panels.closesAt(f, d.word) ? 0 : Panels.posted(s, d);
        weighed = new WeighedVerdict[](verdicts.length);
        for (uint256 i = 0; i < verdicts.length; ++i) {
            Verdict calldata v = verdicts[i];
            place = Panels.placeOf(d, v.verifier, place);
            uint256 number = Panels.answerOf(v, place);
            if ((answered >> number) & 1 == 1) {
                revert ICollaborationContract.DuplicateVerdict(d.node, v.verifier, uint8(v.question));
            }
            answered |= uint256(1) << number;
            bytes32 said = Panels.requireSigned(f, d, v, commitment);
            if ((posted >> number) & 1 == 1) _requireSame(s, d, v, number, said);
            WeighedVerdict memory w = weighed[i];
            w.question = v.question;
            w.result = v.result;
            w.weight = d.panel[place].weight;
            w.confidence = v.confidence;
            w.score = v.score;
            w.basis = v.basis;
            w.agreeing = v.agreeing;
            if (_counts(d, w, v.verifier)) d.counted |= uint8(1 << place);
        }
        if (posted & ~answered != 0) revert ICollaborationContract.VerdictLeftOut(d.node, posted & ~answered);
        d.complete = Panels.completeIn(d, answered);
    }

    /// @dev A member that signed two verdicts is heard with the one that was posted.
    function _requireSame(
        MissionStorage.Layout storage s,
        Docket memory d,
        Verdict calldata v,
        uint256 number,
        bytes32 said
    ) private view {
        bytes32 kept = s.posted[Panels.postedKey(d, number)];
        if (kept != said) revert ICollaborationContract.VerdictReplaced(d.node, v.verifier, kept, said);
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
    function _requirePanel(Frame memory f, Docket memory d, ClearingResult result) private view {
        uint256 have = NodeCore.count(d.complete);
        uint256 need = d.law.panelSize;
        unchecked {
            if (result <= ClearingResult.FAIL && block.timestamp >= Panels.closesAt(f, d.word)) need = need / 2 + 1;
        }
        if (have < need) revert ICollaborationContract.PanelIncomplete(d.node, have, need);
    }

    /// @dev The same test that `Clearing` applies: an asked question, an answer, weight, and a basis at the floor. Whoever
    /// submits verdicts cannot silence one by leaving its proofs out: what would pass as claimed must be proven here.
    function _counts(Docket memory d, WeighedVerdict memory v, address verifier) private pure returns (bool) {
        if (v.result == VerdictResult.ABSTAIN) return false;
        if (!Dockets.isAdmissible(d, v.basis)) {
            if (!Dockets.isClaimed(d, v.basis)) return false;
            revert ICollaborationContract.EvidenceMissing(d.node, verifier, v.basis);
        }
        return
            (d.law.questions >> uint8(v.question)) & 1 == 1 &&
            v.weight != 0 &&
            v.confidence <= BasisPoints.WHOLE &&
            v.score <= BasisPoints.WHOLE;
    }
}
