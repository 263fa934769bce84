// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {LowLevelCall} from "@openzeppelin/contracts/utils/LowLevelCall.sol";
import {DynamicArrayLib} from "solady/src/utils/DynamicArrayLib.sol";
import {ICollaborationContract} from "../interfaces/ICollaborationContract.sol";
import {IProducerContract} from "../interfaces/IProducerContract.sol";
import {Admissibility} from "../libraries/Admissibility.sol";
import {Commitments} from "../libraries/Commitments.sol";
import {Exhibits, Issuer} from "./Exhibits.sol";
import {NodeLaw} from "../libraries/NodeLaw.sol";
import {Seat} from "../libraries/Seat.sol";
import {Signatures} from "../libraries/Signatures.sol";
import {TypedData} from "../libraries/TypedData.sol";
import {WeighedVerdict} from "../libraries/WeighedVerdict.sol";
import {EvidenceClass, VerdictResult} from "../types/Evidence.sol";
import {EvidenceItem, Opening} from "../types/Messages.sol";
import {Frame, MissionFrame} from "./MissionFrame.sol";
import {MissionStorage} from "./MissionStorage.sol";
import {NodeCore} from "./NodeCore.sol";

/// @dev What a node's clearing rests on, gathered once.
struct Docket {
    uint8 node;
    MissionStorage.Node word;
    NodeLaw law;
    bytes32 obligation;
    /// Sponsor's principal, then one per executor slot.
    address[] parties;
    /// One per slot, zero where absent; and all of them together, what a verdict is about.
    bytes32[] commitments;
    bytes32 work;
    /// Where the openings stand in the wave, if one was handed in; and the one that was read last.
    uint256 openings;
    Opening opening;
    /// Items by class (`Admissibility.mark`), as far as they are proven; and those that their executors claim ⪰ the floor.
    uint256[6] graded;
    uint256 claimed;
    /// Slots with an item that is proven ⪰ the floor.
    uint8 proven;
    /// Principals of two issuers who refute the work, zero where there is none.
    address refuter;
    address seconder;
    Seat[] panel;
    /// Verdicts handed in.
    WeighedVerdict[] heard;
    uint256 verdicts;
    uint256 answered;
    /// Panel members that answered every question, or need not; that have a verdict which weighs. Bit per place.
    uint8 complete;
    uint8 counted;
    /// The encoded error; empty if there is none.
    bytes fault;
}

/// @title A node's docket: its opened work and the evidence for it
/// @notice RAILS 5, decisions 19–21. Internal: the panel's clearing and a human's approval pass the same floor by the same text.
library Dockets {
    using DynamicArrayLib for uint256[];
    using MissionFrame for Frame;

    // --- Faults ------------------------------------------------------------------------------------------------------

    /// @dev The first reason stays.
    function refuse(Docket memory d, bytes memory reason) internal pure {
        if (d.fault.length == 0) d.fault = reason;
    }

    /// @dev The same for an error of two values, each in a word; and of three, and four.
    function refuse(Docket memory d, bytes4 error, uint256 a, uint256 b) internal pure {
        refuse(d, abi.encodeWithSelector(error, a, b));
    }

    function refuse(Docket memory d, bytes4 error, uint256 a, uint256 b, uint256 c) internal pure {
        refuse(d, abi.encodeWithSelector(error, a, b, c));
    }

    function refuse(Docket memory d, bytes4 error, uint256 a, uint256 b, uint256 c, uint256 e) internal pure {
        refuse(d, abi.encodeWithSelector(error, a, b, c, e));
    }

    function refuseUnless(Docket memory d, uint256 allowed) internal pure {
        if ((allowed >> uint256(d.word.state)) & 1 == 1) return;
        refuse(d, ICollaborationContract.WrongNodeState.selector, d.node, uint256(d.word.state), allowed);
    }

    function isSound(Docket memory d) internal pure returns (bool) {
        return d.fault.length == 0;
    }

    function requireSound(Docket memory d) internal pure {
        if (!isSound(d)) LowLevelCall.bubbleRevert(d.fault);
    }

    // --- Evidence ----------------------------------------------------------------------------------------------------

    function gather(MissionStorage.Layout storage s, Frame memory f, Docket memory d, uint8 node) internal view {
        d.node = node;
        d.law = f.node(node);
        NodeCore.loadInto(s, f, node, d.word);
        d.obligation = NodeCore.obligation(s, f, d.word, node);
        d.parties = partiesOf(s, f, d.law, node, d.word.attempt);
        uint256 slots = d.law.redundancy();
        uint256 mask = d.word.commitMask;
        uint256[] memory pledges = new uint256[](slots);
        // At most five slots.
        for (uint256 slot = 0; slot < slots; ++slot) {
            if ((mask >> slot) & 1 == 0) continue;
            pledges.set(slot, s.pledges[MissionStorage.slotKey(node, d.word.attempt, slot)]);
        }
        d.commitments = pledges.asBytes32Array();
        d.work = Commitments.nodeCommitment(d.commitments);
        d.graded[uint256(EvidenceClass.SELF)] = Admissibility.itemsOf(slots);
    }

    /// @notice Sponsor's principal, then one per executor slot: none of them judges.
    function partiesOf(
        MissionStorage.Layout storage s,
        Frame memory f,
        NodeLaw law,
        uint8 node,
        uint8 attempt
    ) internal view returns (address[] memory parties) {
        uint256 slots = law.redundancy();
        IProducerContract producers = f.city.producers;
        uint256[] memory list = new uint256[](slots + 1);
        list.set(0, f.sponsor());
        // At most five slots.
        for (uint256 slot = 0; slot < slots; ++slot) {
            address agent = s.slots[MissionStorage.slotKey(node, attempt, slot)].agent;
            list.set(slot + 1, producers.principalOf(agent));
        }
        parties = list.asAddressArray();
    }

    /// @notice Whether there are as many openings as slots.
    function accepts(Docket memory d, uint256 openings) internal pure returns (bool accepted) {
        uint256 slots = d.law.redundancy();
        accepted = openings == slots;
        if (!accepted) refuse(d, ICollaborationContract.LengthMismatch.selector, openings, slots);
    }

    /// @notice Opens a slot's commitment with the opening that was read: what an item is worth without proof is what its executor signed for.
    function open(MissionStorage.Layout storage s, Docket memory d, uint8 slot) internal view {
        if (!_isPresent(d, slot)) return;
        Opening memory o = d.opening;
        address agent = s.slots[MissionStorage.slotKey(d.node, d.word.attempt, slot)].agent;
        bytes32 given = Commitments.commitment(agent, o, d.obligation);
        bytes32 pledge = d.commitments[slot];
        if (given != pledge) {
            bytes4 mismatch = ICollaborationContract.OpeningMismatch.selector;
            return refuse(d, mismatch, d.node, slot, uint256(pledge), uint256(given));
        }
        d.claimed |= Admissibility.claim(d.graded, slot, o.classes, o.items, EvidenceClass(d.law.floor()));
    }

    /// @notice Raises an item from SIGN to its claim, never above it. That its issuer signed it is the caller's business, and that its
    /// slot's opening was read.
    function admit(Docket memory d, EvidenceItem memory item, Issuer memory by) internal pure {
        if (!isSound(d)) return;
        if (!_isPresent(d, item.slot)) {
            return refuse(d, ICollaborationContract.NotCommitted.selector, d.node, item.slot);
        }
        if (!Exhibits.mayIssue(by, item)) {
            bytes4 unknown = ICollaborationContract.IssuerNotRegistered.selector;
            return refuse(d, unknown, uint160(item.issuer), uint256(item.class));
        }
        if (Exhibits.isParty(d.parties, item.issuer, by)) {
            bytes4 conflict = ICollaborationContract.IssuerConflict.selector;
            return refuse(d, conflict, uint160(item.issuer), uint160(by.principal));
        }
        if (item.index == Admissibility.REFUTATION) return _refute(d, item, by.principal);
        if (!Exhibits.isEnclosed(item, d.obligation, d.opening)) {
            return refuse(d, ICollaborationContract.ItemNotInEnvelope.selector, item.slot, item.index);
        }
        Admissibility.raise(d.graded, item.slot, d.opening.classes, item.index, item.class);
    }

    /// @dev An issuer got something else than what was committed (decision 57), where one executor works: consent is not refuted by who makes
    /// the work of one again. A proof does not name its place: it would speak for the work as well.
    function _refute(Docket memory d, EvidenceItem memory item, address principal) private pure {
        bool about = d.law.redundancy() == 1 && item.payload == d.commitments[0] && item.class != EvidenceClass.PROOF;
        if (!about || !Admissibility.geq(item.class, EvidenceClass(d.law.floor()))) {
            return refuse(d, ICollaborationContract.NothingRefuted.selector, d.node, uint160(item.issuer));
        }
        if (d.refuter == address(0)) d.refuter = principal;
        else if (d.refuter != principal) d.seconder = principal;
    }

    /// @notice Whether two principals refute the work, here or by an earlier `post`. Who bid in the mission might be next, and is not heard.
    function isRefuted(MissionStorage.Layout storage s, Docket memory d) internal view returns (bool) {
        if (s.notes[MissionStorage.attemptKey(d.node, d.word.attempt)].refuted) return true;
        return d.seconder != address(0) && !_hasBid(s, d.refuter) && !_hasBid(s, d.seconder);
    }

    function _hasBid(MissionStorage.Layout storage s, address principal) private view returns (bool) {
        return s.head.execution.participationOf(address(this), principal).bid;
    }

    /// @notice What is wrong with an issuer's word for a list of items; empty if nothing is.
    /// @param item one of them; a proof speaks for itself, it is alone
    /// @param digest of the list
    function issueFault(
        Frame memory f,
        Docket memory d,
        EvidenceItem memory item,
        bytes32 digest,
        bytes memory signature
    ) internal view returns (bytes memory) {
        bool proof = item.class == EvidenceClass.PROOF;
        (address recovered, ECDSA.RecoverError problem, ) = ECDSA.tryRecover(digest, signature);
        // Whose key signed needs no look at its code: a contract has no key.
        if (!proof && problem == ECDSA.RecoverError.NoError && recovered == item.issuer) return "";
        bool isKey = Signatures.isKey(item.issuer);
        if (isKey && !proof) {
            return abi.encodeWithSelector(ICollaborationContract.InvalidSignature.selector, item.issuer);
        }
        bytes memory question = Exhibits.questionOf(item, d.obligation, digest, signature);
        // A key proves nothing, whatever it signs, and a key that lent its account to some code is still a key.
        bool proven = !isKey && NodeCore.probe(item.issuer, question, f.terms.predicateGasLimit());
        return
            proven
                ? bytes("")
                : abi.encodeWithSelector(ICollaborationContract.ProofRejected.selector, item.slot, item.index);
    }

    /// @notice The same for a human's decision, where each item brings a signature of its own. Reverts.
    function prove(
        MissionStorage.Layout storage s,
        Frame memory f,
        Docket memory d,
        Opening[] memory openings,
        EvidenceItem[] memory items
    ) internal view {
        uint256 count = accepts(d, openings.length) ? openings.length : 0;
        // At most five slots.
        for (uint8 slot = 0; slot < count; ++slot) {
            d.opening = openings[slot];
            open(s, d, slot);
        }
        bytes32[] memory alone = new bytes32[](1);
        for (uint256 i = 0; i < items.length; ++i) {
            EvidenceItem memory item = items[i];
            if (item.slot < count) d.opening = openings[item.slot];
            admit(d, item, Exhibits.issuer(f.city.evidence, item.issuer));
            requireSound(d);
            alone[0] = TypedData.hashEvidence(d.obligation, item);
            bytes32 digest = f.digest(TypedData.hashEvidences(item.issuer, alone));
            refuse(d, issueFault(f, d, item, digest, item.signature));
        }
        requireSound(d);
    }

    /// @dev Every item the basis names exists and is proven ⪰ the node's floor.
    function isAdmissible(Docket memory d, uint256 basis) internal pure returns (bool) {
        return Admissibility.isAdmissible(basis, d.graded[d.law.floor()]);
    }

    /// @dev The same, if all were what their executors claim, and what speaks against the only one were there.
    function isClaimed(Docket memory d, uint256 basis) internal pure returns (bool) {
        uint256 claimed = d.claimed;
        if (d.law.redundancy() == 1) claimed |= Admissibility.REFUTED;
        return Admissibility.isAdmissible(basis, claimed);
    }

    /// @notice What a refutation is to a verdict whose basis names it (`Admissibility.REFUTED`). Praise that rests on one rests on nothing.
    /// Where the work showed an item of its own, issuer stands against issuer: such a verdict is sure of neither side, and what the others
    /// leave undecided is a human's.
    function temper(
        MissionStorage.Layout storage s,
        Docket memory d,
        WeighedVerdict v
    ) internal view returns (WeighedVerdict) {
        if (v.basis() & Admissibility.REFUTED == 0) return v;
        if (v.result() == VerdictResult.PASS) return v.withoutBasis();
        if (isRefuted(s, d)) raise(d, Admissibility.REFUTED);
        return d.proven == 0 ? v : v.withoutConfidence();
    }

    /// @notice Counts these items at the node's floor and at every class below it.
    function raise(Docket memory d, uint256 items) internal pure {
        EvidenceClass floor = EvidenceClass(d.law.floor());
        for (uint256 class = 0; class < d.graded.length; ++class) {
            if (Admissibility.geq(floor, EvidenceClass(class))) d.graded[class] |= items;
        }
    }

    /// @notice Slots with an item that is proven ⪰ the floor, here or by an earlier `post`. A refutation is no item of theirs.
    function provenSlots(MissionStorage.Layout storage s, Docket memory d) internal view returns (uint8 proven) {
        proven = d.word.commitMask & slotsOf(d.graded[d.law.floor()] & ~Admissibility.REFUTED);
        if (d.word.commitMask == proven) return proven;
        return d.word.commitMask & (proven | s.notes[MissionStorage.attemptKey(d.node, d.word.attempt)].shown);
    }

    function _isPresent(Docket memory d, uint8 slot) private pure returns (bool) {
        return (d.word.commitMask >> slot) & 1 == 1;
    }

    function slotsOf(uint256 basis) internal pure returns (uint8 slots) {
        uint8 slot = 1;
        for (; basis != 0; basis >>= Admissibility.ITEMS_PER_SLOT) {
            // What fits the low bits are this slot's.
            if (uint32(basis) != 0) slots |= slot;
            slot <<= 1;
        }
    }
}
