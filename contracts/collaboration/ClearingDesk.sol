// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {ICollaborationContract} from "../interfaces/ICollaborationContract.sol";
import {BasisPoints} from "../libraries/BasisPoints.sol";
import {Clearing} from "../libraries/Clearing.sol";
import {Commitments} from "../libraries/Commitments.sol";
import {Signatures} from "../libraries/Signatures.sol";
import {Reasons} from "../libraries/Reasons.sol";
import {SlashingSchedule} from "../libraries/SlashingSchedule.sol";
import {TypedData} from "../libraries/TypedData.sol";
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
import {Remedies} from "./Remedies.sol";

/// @title Clearing a node: its panel, its evidence, its decision
/// @notice RAILS 5 and A.4, decisions 18–23. A linked library: it runs in the clone's frame and storage.
library ClearingDesk {
    using MissionFrame for Frame;

    /// @dev A panel has at most seven places.
    uint256 private constant QUESTION_BITS = 8;

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
            _summon(s, d);
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

    function panelOf(
        MissionStorage.Layout storage s,
        City calldata city,
        uint8 node
    ) external view returns (address[] memory) {
        Frame memory f = MissionFrame.open(city);
        Docket memory d = Dockets.gather(s, f, node);
        _draw(f, d);
        address[] memory panel = new address[](d.panel.length);
        for (uint256 i = 0; i < panel.length; ++i) panel[i] = d.panel[i].verifier;
        return panel;
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
        _draw(f, d);
        Dockets.prove(s, f, d, openings, items);
        WeighedVerdict[] memory weighed = _weigh(f, d, verdicts);
        ClearingDecision memory decision = Clearing.decide(
            weighed,
            d.graded,
            EvidenceClass(d.law.floor),
            d.law.questions,
            f.context.params.minConfidence[uint8(d.law.risk)],
            d.law.redundancy,
            _drawnWeight(d)
        );
        _requirePanel(d, decision.result);
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
        else Remedies.doubt(s, f.city, d.node, Dockets.provenSlots(d));
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
        // A slot is paid for an item of its own, whatever is said of it.
        w.agreeing = w.commitMask & Dockets.slotsOf(decision.basis);
        if (d.law.tier == Tier.CONSENSUS) w.agreeing &= decision.agreeing;
        if (NodeCore.count(w.agreeing) < d.law.threshold) return _review(s, d);
        bool released = Dockets.passesGate(s, f, d, openings);
        if (!released || d.law.tier == Tier.HUMAN) return _review(s, d);
        _seat(d);
        NodeCore.finish(s, f, w, d.node, Dockets.outputOf(d, openings));
        NodeCore.store(s, d.node, w);
        Escrow.record(s, f.city, d.node);
    }

    /// @dev The slash waits for its appeal window; the slots' stakes stay locked until then.
    function _condemn(MissionStorage.Layout storage s, Frame memory f, Docket memory d) private {
        _seat(d);
        uint40 dueAt = uint40(block.timestamp) + f.window(d.law);
        s.faults[MissionStorage.attemptKey(d.node, d.word.attempt)] = MissionStorage.Fault({
            dueAt: dueAt,
            mask: d.word.commitMask,
            settled: false,
            // Seven seats of fifteen bits fit.
            seats: uint112(d.word.seats),
            terminated: false
        });
        s.head.faults += 1;
        d.word.flags |= MissionStorage.FAULTED;
        emit ICollaborationContract.SlashPending(d.node, d.word.attempt, d.word.commitMask, dueAt);
        NodeCore.store(s, d.node, d.word);
        Remedies.condemn(s, f.city, d.node);
    }

    function _review(MissionStorage.Layout storage s, Docket memory d) private {
        _seat(d);
        NodeCore.startReview(d.word, d.node, d.law);
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

    /// @dev Marks the panel for conflicts of interest and charges its absent members.
    function _summon(MissionStorage.Layout storage s, Docket memory d) private {
        address[] memory principals = new address[](d.panel.length);
        for (uint256 i = 0; i < principals.length; ++i) principals[i] = d.panel[i].principal;
        s.head.execution.recordVerifiers(principals);
        // At most seven seats.
        for (uint256 i = 0; i < d.panel.length; ++i) {
            // Whose weight was taken is not heard, and not charged.
            if ((d.complete >> i) & 1 == 1 || d.panel[i].weight == 0) continue;
            address absent = d.panel[i].verifier;
            s.head.execution.settleVerifier(absent, SlashingSchedule.NO_SHOW, Reasons.VERIFICATION_NO_SHOW);
        }
    }

    // --- Panel and verdicts ------------------------------------------------------------------------------------------

    function _draw(Frame memory f, Docket memory d) private view {
        uint32 drawn = d.word.drawBlock;
        if (drawn == 0) revert ICollaborationContract.NotAllCommitted(d.node, d.word.commitMask);
        if (block.number <= drawn) revert ICollaborationContract.TooEarly(d.node, uint256(drawn) + 1);
        d.panel = f.city.evidence.panelOf(d.node, d.word.attempt, d.law.panelSize, d.parties, drawn);
    }

    function _weigh(
        Frame memory f,
        Docket memory d,
        Verdict[] calldata verdicts
    ) private view returns (WeighedVerdict[] memory weighed) {
        bytes32 commitment = Commitments.nodeCommitment(d.commitments);
        // Bit per question and place.
        uint256 answered = 0;
        uint256 place = 0;
        weighed = new WeighedVerdict[](verdicts.length);
        for (uint256 i = 0; i < verdicts.length; ++i) {
            Verdict calldata v = verdicts[i];
            place = _place(d, v.verifier, place);
            // Two questions, at most seven places.
            uint256 answer;
            unchecked {
                answer = uint256(1) << (QUESTION_BITS * uint256(v.question) + place);
            }
            if (answered & answer != 0) {
                revert ICollaborationContract.DuplicateVerdict(d.node, v.verifier, uint8(v.question));
            }
            answered |= answer;
            _requireSigned(f, d, v, commitment);
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
        uint256 complete = NodeCore.full(d.law.panelSize);
        if (d.law.questions & 1 != 0) complete &= answered;
        if (d.law.questions & 2 != 0) complete &= answered >> QUESTION_BITS;
        // At most seven places.
        d.complete = uint8(complete);
    }

    /// @dev For this attempt and this work, by the verifier's key.
    function _requireSigned(Frame memory f, Docket memory d, Verdict calldata v, bytes32 commitment) private view {
        if (v.obligation != d.obligation) {
            revert ICollaborationContract.WrongObligation(d.obligation, v.obligation);
        }
        if (v.commitment != commitment) revert ICollaborationContract.WrongCommitment(commitment, v.commitment);
        Signatures.requireInTime(v.deadline);
        Signatures.requireEcdsa(v.verifier, f.digest(TypedData.hashVerdict(v)), v.signature);
    }

    /// @dev Of all members, whether they were heard or not, and whatever they said.
    function _drawnWeight(Docket memory d) private pure returns (uint256 drawn) {
        // A panel has at most 256 members: their reputations cannot overflow a word.
        unchecked {
            for (uint256 i = 0; i < d.panel.length; ++i) drawn += d.panel[i].weight;
        }
    }

    /// @dev All members; past the deadline more than half, if they decide. Who submits verdicts chooses which of them are heard:
    /// what a part of the panel does not decide is left to the others, to another panel, to a human.
    function _requirePanel(Docket memory d, ClearingResult result) private view {
        uint256 have = NodeCore.count(d.complete);
        uint256 need = d.law.panelSize;
        unchecked {
            if (result <= ClearingResult.FAIL && block.timestamp >= d.word.deadline) need = need / 2 + 1;
        }
        if (have < need) revert ICollaborationContract.PanelIncomplete(d.node, have, need);
    }

    /// @param guess where to look first: verdicts usually come in the order of the panel
    function _place(Docket memory d, address verifier, uint256 guess) private pure returns (uint256) {
        uint256 size = d.panel.length;
        // At most seven seats.
        unchecked {
            for (uint256 i = 0; i < size; ++i) {
                uint256 place = guess + i < size ? guess + i : guess + i - size;
                if (d.panel[place].verifier == verifier) return place;
            }
        }
        revert ICollaborationContract.NotOnPanel(d.node, verifier);
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
