// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {LowLevelCall} from "@openzeppelin/contracts/utils/LowLevelCall.sol";
import {ICollaborationContract} from "../interfaces/ICollaborationContract.sol";
import {Admissibility} from "../libraries/Admissibility.sol";
import {Commitments} from "../libraries/Commitments.sol";
import {Exhibits, Issuer} from "./Exhibits.sol";
import {NodeLaw} from "../libraries/NodeLaw.sol";
import {Signatures} from "../libraries/Signatures.sol";
import {TypedData} from "../libraries/TypedData.sol";
import {ClearingDecision, EvidenceClass, Seat, VerdictResult, WeighedVerdict} from "../types/Evidence.sol";
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
    /// One per slot.
    address[] agents;
    /// Sponsor's principal, then one per executor slot.
    address[] parties;
    /// One per slot, zero where absent; and all of them together, what a verdict is about.
    bytes32[] commitments;
    bytes32 work;
    Opening[] openings;
    /// Classes per slot, three bits per item, as far as they are proven.
    uint256[] classes;
    /// Items by class (`Admissibility.grade`), as far as they are proven.
    uint256[6] graded;
    /// Slots with an item that is proven ⪰ the floor.
    uint8 proven;
    /// Principals of two issuers who refute the work, zero where there is none.
    address refuter;
    address seconder;
    Seat[] panel;
    /// Verdicts handed in, as `Panels.hear` packs them, and their hashes.
    uint256[] heard;
    bytes32[] said;
    uint256 verdicts;
    uint256 answered;
    /// Panel members that answered every question, or need not; that have a verdict which weighs. Bit per place.
    uint8 complete;
    uint8 counted;
    /// What is wrong with it, as an error; empty if nothing is.
    bytes fault;
}

/// @dev The result of a hearing, for the call that concludes it.
struct Ruling {
    uint8 node;
    ClearingDecision decision;
    /// Slots with an item that is proven ⪰ the floor; of them those in agreement; slots beside them that are late.
    uint8 proven;
    uint8 agreeing;
    uint8 late;
    /// Of a HIGH node, on whose panel a principal sits more than once.
    bool crowded;
    /// Verifiers whose verdicts counted, as `NodeWord` keeps them.
    uint256 seats;
    /// Of the slots in agreement.
    bytes32 output;
    /// Why nothing is decided, an error's selector; zero if something is.
    bytes4 fault;
}

/// @dev All of a call's, and what they have in common.
struct Judgement {
    Ruling[] rulings;
    /// Of the panels that decided something: everybody's principal, and the members that were not heard.
    address[] principals;
    address[] absent;
    /// The first ruling's that decides nothing, with its values.
    bytes fault;
}

/// @title A node's docket: its opened work and the evidence for it
/// @notice RAILS 5, decisions 19–21. Internal: the panel's clearing and a human's approval pass the same floor by the same text.
library Dockets {
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
        (d.agents, d.parties) = partiesOf(s, f, d.law, node, d.word.attempt);
        uint256 slots = d.law.redundancy();
        (d.commitments, d.classes) = (new bytes32[](slots), new uint256[](slots));
        // At most five slots.
        for (uint8 slot = 0; slot < slots; ++slot) {
            if (!_isPresent(d, slot)) continue;
            d.commitments[slot] = s.pledges[MissionStorage.slotKey(node, d.word.attempt, slot)];
        }
        d.work = Commitments.nodeCommitment(d.commitments);
    }

    /// @notice Who executes in each slot; and sponsor's principal, then one per executor slot: none of them judges.
    function partiesOf(
        MissionStorage.Layout storage s,
        Frame memory f,
        NodeLaw law,
        uint8 node,
        uint8 attempt
    ) internal view returns (address[] memory agents, address[] memory parties) {
        uint256 slots = law.redundancy();
        (agents, parties) = (new address[](slots), new address[](slots + 1));
        parties[0] = f.sponsor();
        // At most five slots.
        for (uint256 slot = 0; slot < slots; ++slot) {
            address agent = s.slots[MissionStorage.slotKey(node, attempt, slot)].agent;
            agents[slot] = agent;
            parties[slot + 1] = f.city.producers.principalOf(agent);
        }
    }

    /// @notice Opens the commitments: what an item is worth without proof is what its executor signed for.
    function open(Docket memory d, Opening[] memory openings) internal pure {
        d.openings = openings;
        uint256 slots = d.law.redundancy();
        if (openings.length != slots) {
            return refuse(d, ICollaborationContract.LengthMismatch.selector, openings.length, slots);
        }
        for (uint8 slot = 0; slot < slots; ++slot) {
            if (!_isPresent(d, slot)) continue;
            Opening memory o = openings[slot];
            bytes32 given = Commitments.commitment(d.agents[slot], o, d.obligation);
            if (given != d.commitments[slot]) {
                bytes4 mismatch = ICollaborationContract.OpeningMismatch.selector;
                return refuse(d, mismatch, d.node, slot, uint256(d.commitments[slot]), uint256(given));
            }
            d.classes[slot] = Admissibility.unproven(o.classes, o.items);
        }
    }

    /// @notice Raises an item from SIGN to its claim, never above it. That its issuer signed it is the caller's business.
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
        Opening memory o = d.openings[item.slot];
        if (!Exhibits.isEnclosed(item, d.obligation, o)) {
            return refuse(d, ICollaborationContract.ItemNotInEnvelope.selector, item.slot, item.index);
        }
        d.classes[item.slot] = Admissibility.raised(d.classes[item.slot], o.classes, item.index, item.class);
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
    function issueFault(
        Frame memory f,
        Docket memory d,
        EvidenceItem memory item,
        bytes32[] memory hashes,
        bytes memory signature
    ) internal view returns (bytes memory) {
        bytes32 digest = f.digest(TypedData.hashEvidences(item.issuer, hashes));
        bool proof = item.class == EvidenceClass.PROOF;
        bytes memory fault = proof ? bytes("") : keyFault(item.issuer, digest, signature);
        // Whose key signed needs no look at its code: a contract has no key.
        if (!proof && fault.length == 0) return fault;
        bool isKey = Signatures.isKey(item.issuer);
        if (isKey && !proof) return fault;
        bytes memory question = Exhibits.questionOf(item, d.obligation, digest, signature);
        // A key proves nothing, whatever it signs, and a key that lent its account to some code is still a key.
        bool proven = !isKey && NodeCore.probe(item.issuer, question, f.terms.predicateGasLimit());
        return
            proven
                ? bytes("")
                : abi.encodeWithSelector(ICollaborationContract.ProofRejected.selector, item.slot, item.index);
    }

    /// @notice What is wrong with a key's signature; empty if nothing is.
    function keyFault(address signer, bytes32 digest, bytes memory signature) internal pure returns (bytes memory) {
        (address recovered, ECDSA.RecoverError problem, ) = ECDSA.tryRecover(digest, signature);
        if (problem == ECDSA.RecoverError.NoError && recovered == signer) return "";
        return abi.encodeWithSelector(ICollaborationContract.InvalidSignature.selector, signer);
    }

    /// @notice The same for a human's decision, where each item brings a signature of its own. Reverts.
    function prove(
        Frame memory f,
        Docket memory d,
        Opening[] memory openings,
        EvidenceItem[] memory items
    ) internal view {
        open(d, openings);
        bytes32[] memory alone = new bytes32[](1);
        for (uint256 i = 0; i < items.length; ++i) {
            admit(d, items[i], Exhibits.issuer(f.city.evidence, items[i].issuer));
            requireSound(d);
            alone[0] = TypedData.hashEvidence(d.obligation, items[i]);
            refuse(d, issueFault(f, d, items[i], alone, items[i].signature));
        }
        requireSound(d);
        d.graded = Admissibility.grade(d.classes);
    }

    /// @dev Every item the basis names exists and is proven ⪰ the node's floor.
    function isAdmissible(Docket memory d, uint256 basis) internal pure returns (bool) {
        return Admissibility.isAdmissible(basis, d.graded[d.law.floor()]);
    }

    /// @dev The same, if all were what their executors claim, and what speaks against the only one were there.
    function isClaimed(Docket memory d, uint256 basis) internal pure returns (bool) {
        uint256[] memory claims = new uint256[](d.openings.length);
        for (uint8 slot = 0; slot < claims.length; ++slot) {
            Opening memory o = d.openings[slot];
            if (_isPresent(d, slot)) claims[slot] = Admissibility.firstOf(o.classes, o.items);
        }
        uint256 claimed = Admissibility.grade(claims)[d.law.floor()];
        if (d.law.redundancy() == 1) claimed |= Admissibility.REFUTED;
        return Admissibility.isAdmissible(basis, claimed);
    }

    /// @notice What a refutation is to a verdict whose basis names it (`Admissibility.REFUTED`). Praise that rests on one rests on nothing.
    /// Where the work showed an item of its own, issuer stands against issuer: such a verdict is sure of neither side, and what the others
    /// leave undecided is a human's.
    function temper(MissionStorage.Layout storage s, Docket memory d, WeighedVerdict memory v) internal view {
        if (v.result == VerdictResult.PASS) {
            v.basis = 0;
            return;
        }
        if (d.proven != 0) v.confidence = 0;
        if (isRefuted(s, d)) raise(d, Admissibility.REFUTED);
    }

    /// @notice Counts these items at the node's floor and at every class below it.
    function raise(Docket memory d, uint256 items) internal pure {
        EvidenceClass floor = EvidenceClass(d.law.floor());
        for (uint256 class = 0; class < d.graded.length; ++class) {
            if (Admissibility.geq(floor, EvidenceClass(class))) d.graded[class] |= items;
        }
    }

    /// @notice Slots with an item that is proven ⪰ the floor, here or by an earlier `post`.
    function provenSlots(MissionStorage.Layout storage s, Docket memory d) internal view returns (uint8 proven) {
        // At most five slots.
        EvidenceClass floor = EvidenceClass(d.law.floor());
        for (uint8 slot = 0; slot < d.classes.length; ++slot) {
            if (_isPresent(d, slot) && Admissibility.reaches(d.classes[slot], floor)) proven |= uint8(1 << slot);
        }
        if (d.word.commitMask & ~proven == 0) return proven;
        return d.word.commitMask & (proven | s.notes[MissionStorage.attemptKey(d.node, d.word.attempt)].shown);
    }

    function _isPresent(Docket memory d, uint8 slot) private pure returns (bool) {
        return (d.word.commitMask >> slot) & 1 == 1;
    }

    /// @notice Output of the lowest of these slots.
    function outputOf(Docket memory d, uint8 slots) internal pure returns (bytes32) {
        for (uint8 slot = 0; slot < d.law.redundancy(); ++slot) {
            if ((slots >> slot) & 1 == 1) return d.openings[slot].outputHash;
        }
        return bytes32(0);
    }

    function slotsOf(uint256 basis) internal pure returns (uint8 slots) {
        for (uint8 slot = 0; slot < NodeCore.MAX_SLOTS; ++slot) {
            if (uint32(basis >> (Admissibility.ITEMS_PER_SLOT * slot)) != 0) slots |= uint8(1 << slot);
        }
    }
}
