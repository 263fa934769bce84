// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {ICollaborationContract} from "../interfaces/ICollaborationContract.sol";
import {IProofVerifier} from "../interfaces/IProofVerifier.sol";
import {IQuoteVerifier} from "../interfaces/IQuoteVerifier.sol";
import {Admissibility} from "../libraries/Admissibility.sol";
import {BasisPoints} from "../libraries/BasisPoints.sol";
import {Clearing} from "../libraries/Clearing.sol";
import {Commitments} from "../libraries/Commitments.sol";
import {OrderedMerkle} from "../libraries/OrderedMerkle.sol";
import {PanelDraw} from "../libraries/PanelDraw.sol";
import {Signatures} from "../libraries/Signatures.sol";
import {Reasons} from "../libraries/Reasons.sol";
import {SlashingSchedule} from "../libraries/SlashingSchedule.sol";
import {TypedData} from "../libraries/TypedData.sol";
import {ClearingDecision, ClearingResult, EvidenceClass, VerdictResult, WeighedVerdict} from "../types/Evidence.sol";
import {LawNode, Tier} from "../types/Law.sol";
import {EvidenceItem, Opening, Verdict} from "../types/Messages.sol";
import {MissionState, NodeState} from "../types/States.sol";
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

    uint8 private constant QUESTIONS = 2;
    uint256 private constant CLASS_BITS = 3;
    /// @dev Bytes of code of a key that delegates its account (EIP-7702).
    uint256 private constant DELEGATED = 23;

    /// @dev What a node's clearing rests on, gathered once.
    struct Docket {
        uint8 node;
        MissionStorage.Node word;
        LawNode law;
        bytes32 obligation;
        /// Sponsor's principal, then one per executor slot.
        address[] parties;
        /// One per slot, zero where absent.
        bytes32[] commitments;
        /// Classes per slot, three bits per item: as claimed, and as far as they are proven.
        uint256[] claims;
        uint256[] classes;
        address[] panel;
        uint16[] weights;
        uint16[] serials;
        /// Panel members that answered every question; that have a verdict which weighs. Bit per place.
        uint8 complete;
        uint8 counted;
    }

    // --- Entry points ------------------------------------------------------------------------------------------------

    function clear(
        MissionStorage.Layout storage s,
        City calldata city,
        ICollaborationContract.ClearOrder[] calldata orders
    ) external {
        if (orders.length == 0) revert ICollaborationContract.EmptyBatch();
        Frame memory f = MissionFrame.open(city);
        // At most the nodes the caller names.
        for (uint256 i = 0; i < orders.length; ++i) {
            NodeCore.requireMission(s, 1 << uint256(MissionState.EXECUTING));
            Docket memory d = _gather(s, f, orders[i].node);
            Opening[] memory openings = orders[i].openings;
            ClearingDecision memory decision = _assess(s, f, d, openings, orders[i].items, orders[i].verdicts);
            _summon(s, d);
            _conclude(s, f, d, decision, openings);
        }
    }

    function preview(
        MissionStorage.Layout storage s,
        City calldata city,
        ICollaborationContract.ClearOrder calldata order
    ) external view returns (ClearingDecision memory) {
        Frame memory f = MissionFrame.open(city);
        Docket memory d = _gather(s, f, order.node);
        return _assess(s, f, d, order.openings, order.items, order.verdicts);
    }

    function panelOf(
        MissionStorage.Layout storage s,
        City calldata city,
        uint8 node
    ) external view returns (address[] memory) {
        Frame memory f = MissionFrame.open(city);
        Docket memory d = _gather(s, f, node);
        _draw(f, d);
        return d.panel;
    }

    /// @notice A human decides what the mesh could not, on evidence that passes the same floor. The slots paid are those
    /// the basis rests on.
    function approve(MissionStorage.Layout storage s, City calldata city, uint8 node, bytes calldata data) external {
        Frame memory f = MissionFrame.open(city);
        (Opening[] memory openings, EvidenceItem[] memory items, uint256 basis, uint16 share) = abi.decode(
            data,
            (Opening[], EvidenceItem[], uint256, uint16)
        );
        if (share > BasisPoints.WHOLE) revert ICollaborationContract.ShareOutOfRange(share);
        Docket memory d = _gather(s, f, node);
        NodeCore.requireNode(d.word, node, NodeCore.only(NodeState.PENDING_REVIEW));
        _prove(s, f, d, openings, items);
        if (!_admissible(d, d.classes, basis)) revert ICollaborationContract.BelowFloor(node, d.law.floor);

        d.word.share = share;
        d.word.agreeing = _slotsOf(basis) & d.word.commitMask;
        emit ICollaborationContract.ReviewApproved(node, d.word.attempt, share, d.word.agreeing);
        bool decided = NodeCore.has(d.word, MissionStorage.GATED) || NodeCore.has(d.word, MissionStorage.VETOED);
        // A veto after a human's approval leaves the node in review once; approving it again overrides the gate.
        if (decided || _passesGate(s, f, d, openings)) {
            d.word.flags |= MissionStorage.GATED;
            s.unrecorded |= uint256(1) << node;
            NodeCore.complete(s, f, d.word, node, _output(d, openings));
        }
        NodeCore.store(s, node, d.word);
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
        _prove(s, f, d, openings, items);
        WeighedVerdict[] memory weighed = _weigh(f, d, verdicts);
        ClearingDecision memory decision = Clearing.decide(
            weighed,
            d.classes,
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
        else Remedies.doubt(s, f.city, d.node);
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
        w.agreeing = w.commitMask & _slotsOf(decision.basis);
        if (d.law.tier == Tier.CONSENSUS) w.agreeing &= decision.agreeing;
        if (NodeCore.count(w.agreeing) < d.law.threshold) return _review(s, d);
        bool released = _passesGate(s, f, d, openings);
        if (!released || d.law.tier == Tier.HUMAN) return _review(s, d);
        _seat(d);
        NodeCore.complete(s, f, w, d.node, _output(d, openings));
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
            // Seven seats of sixteen bits fit.
            seats: uint112(d.word.seats)
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
        d.word.seats = 0;
        for (uint256 i = 0; i < d.panel.length; ++i) {
            if ((d.counted >> i) & 1 == 1) d.word.seats = NodeWord.withSeat(d.word.seats, place++, d.serials[i]);
        }
    }

    /// @dev Marks the panel for conflicts of interest and charges its absent members.
    function _summon(MissionStorage.Layout storage s, Docket memory d) private {
        s.head.execution.recordVerifiers(d.panel);
        // At most seven seats.
        for (uint256 i = 0; i < d.panel.length; ++i) {
            if ((d.complete >> i) & 1 == 1) continue;
            s.head.execution.settleVerifier(d.panel[i], SlashingSchedule.NO_SHOW, Reasons.VERIFICATION_NO_SHOW);
        }
    }

    function _passesGate(
        MissionStorage.Layout storage s,
        Frame memory f,
        Docket memory d,
        Opening[] memory openings
    ) private returns (bool released) {
        released =
            !NodeCore.has(d.word, MissionStorage.HELD) &&
            NodeCore.allows(s, f, d.law.predicate, d.node, _output(d, openings));
        d.word.flags |= released ? MissionStorage.GATED : MissionStorage.VETOED;
        emit ICollaborationContract.GateDecided(d.node, released);
    }

    // --- Panel and verdicts ------------------------------------------------------------------------------------------

    function _draw(Frame memory f, Docket memory d) private view {
        uint32 drawn = d.word.drawBlock;
        if (drawn == 0) revert ICollaborationContract.NotAllCommitted(d.node, d.word.commitMask);
        if (block.number <= drawn) revert ICollaborationContract.TooEarly(d.node, uint256(drawn) + 1);
        bytes32 hash = blockhash(drawn);
        if (hash == 0) revert ICollaborationContract.PanelStale(d.node, drawn);
        bytes32 seed = PanelDraw.seed(hash, address(this), d.node, d.word.attempt);
        d.panel = f.city.evidence.drawPanel(seed, d.law.panelSize, d.parties);
        (d.weights, d.serials) = f.city.evidence.verifiersOf(d.panel);
    }

    function _weigh(
        Frame memory f,
        Docket memory d,
        Verdict[] calldata verdicts
    ) private view returns (WeighedVerdict[] memory weighed) {
        bytes32 commitment = Commitments.nodeCommitment(d.commitments);
        uint8[QUESTIONS] memory answered;
        weighed = new WeighedVerdict[](verdicts.length);
        for (uint256 i = 0; i < verdicts.length; ++i) {
            Verdict calldata v = verdicts[i];
            uint256 place = _place(d, v.verifier);
            uint8 question = uint8(v.question);
            if ((answered[question] >> place) & 1 == 1) {
                revert ICollaborationContract.DuplicateVerdict(d.node, v.verifier, question);
            }
            if (v.obligation != d.obligation) {
                revert ICollaborationContract.WrongObligation(d.obligation, v.obligation);
            }
            if (v.commitment != commitment) revert ICollaborationContract.WrongCommitment(commitment, v.commitment);
            Signatures.requireInTime(v.deadline);
            Signatures.requireEcdsa(v.verifier, f.digest(TypedData.hashVerdict(v)), v.signature);
            answered[question] |= uint8(1 << place);
            weighed[i] = WeighedVerdict({
                question: v.question,
                result: v.result,
                weight: d.weights[place],
                confidence: v.confidence,
                score: v.score,
                basis: v.basis,
                agreeing: v.agreeing
            });
            if (_counts(d, weighed[i], v.verifier)) d.counted |= uint8(1 << place);
        }
        d.complete = NodeCore.full(d.law.panelSize);
        for (uint8 q = 0; q < QUESTIONS; ++q) {
            if ((d.law.questions >> q) & 1 == 1) d.complete &= answered[q];
        }
    }

    /// @dev Of all members, whether they were heard or not, and whatever they said.
    function _drawnWeight(Docket memory d) private pure returns (uint256 drawn) {
        // A panel has at most 256 members: their reputations cannot overflow a word.
        unchecked {
            for (uint256 i = 0; i < d.weights.length; ++i) drawn += d.weights[i];
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

    function _place(Docket memory d, address verifier) private pure returns (uint256) {
        for (uint256 i = 0; i < d.panel.length; ++i) if (d.panel[i] == verifier) return i;
        revert ICollaborationContract.NotOnPanel(d.node, verifier);
    }

    /// @dev The same test that `Clearing` applies: an asked question, an answer, weight, and a basis at the floor. Whoever
    /// submits verdicts cannot silence one by leaving its proofs out: what would pass as claimed must be proven here.
    function _counts(Docket memory d, WeighedVerdict memory v, address verifier) private pure returns (bool) {
        if (v.result == VerdictResult.ABSTAIN) return false;
        if (!_admissible(d, d.classes, v.basis)) {
            if (!_admissible(d, d.claims, v.basis)) return false;
            revert ICollaborationContract.EvidenceMissing(d.node, verifier, v.basis);
        }
        return
            (d.law.questions >> uint8(v.question)) & 1 == 1 &&
            v.weight != 0 &&
            v.confidence <= BasisPoints.WHOLE &&
            v.score <= BasisPoints.WHOLE;
    }

    // --- Evidence ----------------------------------------------------------------------------------------------------

    function _gather(
        MissionStorage.Layout storage s,
        Frame memory f,
        uint8 node
    ) private view returns (Docket memory d) {
        d.node = node;
        d.law = f.node(node);
        d.word = NodeCore.load(s, node);
        d.obligation = NodeCore.obligation(s, f, d.word, node);
        d.parties = new address[](uint256(d.law.redundancy) + 1);
        d.parties[0] = f.context.sponsor;
        d.commitments = new bytes32[](d.law.redundancy);
        d.claims = new uint256[](d.law.redundancy);
        d.classes = new uint256[](d.law.redundancy);
        // At most five slots.
        for (uint8 slot = 0; slot < d.law.redundancy; ++slot) {
            uint256 key = MissionStorage.slotKey(node, d.word.attempt, slot);
            d.parties[uint256(slot) + 1] = f.city.producers.principalOf(s.slots[key].agent);
            if (_isPresent(d, slot)) d.commitments[slot] = s.pledges[key];
        }
    }

    /// @dev Opens the commitments and raises each proven item from SIGN to its claim, never above it.
    function _prove(
        MissionStorage.Layout storage s,
        Frame memory f,
        Docket memory d,
        Opening[] memory openings,
        EvidenceItem[] memory items
    ) private view {
        if (openings.length != d.law.redundancy) {
            revert ICollaborationContract.LengthMismatch(openings.length, d.law.redundancy);
        }
        for (uint8 slot = 0; slot < d.law.redundancy; ++slot) {
            if (!_isPresent(d, slot)) continue;
            address agent = s.slots[MissionStorage.slotKey(d.node, d.word.attempt, slot)].agent;
            bytes32 given = Commitments.commitment(agent, openings[slot], d.obligation);
            if (given != d.commitments[slot]) {
                revert ICollaborationContract.OpeningMismatch(d.node, slot, d.commitments[slot], given);
            }
            d.claims[slot] = openings[slot].classes & ((uint256(1) << (CLASS_BITS * openings[slot].items)) - 1);
            d.classes[slot] = _unproven(openings[slot]);
        }
        for (uint256 i = 0; i < items.length; ++i) {
            EvidenceItem memory item = items[i];
            if (!_isPresent(d, item.slot)) revert ICollaborationContract.NotCommitted(d.node, item.slot);
            Opening memory o = openings[item.slot];
            _requireProven(f, d, o, item);
            EvidenceClass class = Admissibility.meet(Admissibility.classAt(o.classes, item.index), item.class);
            uint256 at = CLASS_BITS * item.index;
            d.classes[item.slot] = (d.classes[item.slot] & ~(uint256(7) << at)) | (uint256(class) << at);
        }
    }

    /// @dev Without proof an item is what its executor signed for: at most SIGN.
    function _unproven(Opening memory o) private pure returns (uint256 word) {
        for (uint256 i = 0; i < o.items; ++i) {
            EvidenceClass class = Admissibility.meet(Admissibility.classAt(o.classes, i), EvidenceClass.SIGN);
            word |= uint256(class) << (CLASS_BITS * i);
        }
    }

    function _requireProven(Frame memory f, Docket memory d, Opening memory o, EvidenceItem memory item) private view {
        bytes32 leaf = Commitments.evidenceLeaf(
            d.obligation,
            item.slot,
            item.index,
            item.kind,
            item.payload,
            item.issuer,
            item.class
        );
        if (!OrderedMerkle.verify(o.envelopeRoot, leaf, item.index, o.items, item.proof)) {
            revert ICollaborationContract.ItemNotInEnvelope(item.slot, item.index);
        }
        if (!f.city.evidence.mayIssue(item.issuer, item.class)) {
            revert ICollaborationContract.IssuerNotRegistered(item.issuer, uint8(item.class));
        }
        address principal = f.city.evidence.principalOf(item.issuer);
        for (uint256 i = 0; i < d.parties.length; ++i) {
            if (d.parties[i] == principal) revert ICollaborationContract.IssuerConflict(item.issuer, principal);
        }
        if (item.class == EvidenceClass.PROOF) {
            _ask(f, item, abi.encodeCall(IProofVerifier.proves, (d.obligation, item.payload, item.signature)));
            return;
        }
        bytes32 digest = f.digest(
            TypedData.hashEvidence(
                item.issuer,
                d.obligation,
                item.slot,
                item.index,
                item.kind,
                item.payload,
                item.class
            )
        );
        if (item.issuer.code.length > DELEGATED) {
            _ask(f, item, abi.encodeCall(IQuoteVerifier.attests, (digest, item.signature)));
            return;
        }
        (address signer, ECDSA.RecoverError problem, ) = ECDSA.tryRecover(digest, item.signature);
        if (problem != ECDSA.RecoverError.NoError || signer != item.issuer) {
            revert ICollaborationContract.InvalidSignature(item.issuer);
        }
    }

    /// @dev A key proves nothing, whatever it signs, and a key that lent its account to some code is still a key.
    function _ask(Frame memory f, EvidenceItem memory item, bytes memory question) private view {
        if (
            item.issuer.code.length <= DELEGATED ||
            !NodeCore.probe(item.issuer, question, f.context.params.predicateGasLimit)
        ) revert ICollaborationContract.ProofRejected(item.slot, item.index);
    }

    /// @dev Every item the basis names exists and is ⪰ the node's floor.
    function _admissible(Docket memory d, uint256[] memory classes, uint256 basis) private pure returns (bool) {
        uint256 slots = classes.length;
        if (basis == 0 || basis >> (Admissibility.ITEMS_PER_SLOT * slots) != 0) return false;
        return Admissibility.geq(Admissibility.meetOver(basis, classes), EvidenceClass(d.law.floor));
    }

    function _isPresent(Docket memory d, uint8 slot) private pure returns (bool) {
        return (d.word.commitMask >> slot) & 1 == 1;
    }

    /// @dev Output of the lowest slot that is in agreement.
    function _output(Docket memory d, Opening[] memory openings) private pure returns (bytes32) {
        for (uint8 slot = 0; slot < d.law.redundancy; ++slot) {
            if ((d.word.agreeing >> slot) & 1 == 1) return openings[slot].outputHash;
        }
        return bytes32(0);
    }

    function _slotsOf(uint256 basis) private pure returns (uint8 slots) {
        for (uint8 slot = 0; slot < NodeCore.MAX_SLOTS; ++slot) {
            if (uint32(basis >> (Admissibility.ITEMS_PER_SLOT * slot)) != 0) slots |= uint8(1 << slot);
        }
    }
}
