// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {ICollaborationContract} from "../interfaces/ICollaborationContract.sol";
import {IProofVerifier} from "../interfaces/IProofVerifier.sol";
import {IQuoteVerifier} from "../interfaces/IQuoteVerifier.sol";
import {Admissibility} from "../libraries/Admissibility.sol";
import {Commitments} from "../libraries/Commitments.sol";
import {OrderedMerkle} from "../libraries/OrderedMerkle.sol";
import {TypedData} from "../libraries/TypedData.sol";
import {EvidenceClass, Seat} from "../types/Evidence.sol";
import {LawNode} from "../types/Law.sol";
import {EvidenceItem, Opening} from "../types/Messages.sol";
import {Frame, MissionFrame} from "./MissionFrame.sol";
import {MissionStorage} from "./MissionStorage.sol";
import {NodeCore} from "./NodeCore.sol";

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
    /// Items by class (`Admissibility.grade`), as far as they are proven.
    uint256[6] graded;
    Seat[] panel;
    /// Panel members that answered every question, or need not; that have a verdict which weighs. Bit per place.
    uint8 complete;
    uint8 counted;
}

/// @title A node's docket: its opened work and the evidence for it
/// @notice RAILS 5, decisions 19–21. Internal: the panel's clearing and a human's approval pass the same floor by the same text.
library Dockets {
    using MissionFrame for Frame;

    uint256 private constant CLASS_BITS = 3;
    /// @dev Bytes of code of a key that delegates its account (EIP-7702).
    uint256 private constant DELEGATED = 23;

    function passesGate(
        MissionStorage.Layout storage s,
        Frame memory f,
        Docket memory d,
        Opening[] memory openings
    ) internal returns (bool released) {
        released =
            !NodeCore.has(d.word, MissionStorage.HELD) &&
            NodeCore.allows(s, f, d.law.predicate, d.node, outputOf(d, openings));
        d.word.flags |= released ? MissionStorage.GATED : MissionStorage.VETOED;
        emit ICollaborationContract.GateDecided(d.node, released);
    }

    // --- Evidence ----------------------------------------------------------------------------------------------------

    function gather(
        MissionStorage.Layout storage s,
        Frame memory f,
        uint8 node
    ) internal view returns (Docket memory d) {
        d.node = node;
        d.law = f.node(node);
        d.word = NodeCore.loadOf(s, f, node);
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
    function prove(
        MissionStorage.Layout storage s,
        Frame memory f,
        Docket memory d,
        Opening[] memory openings,
        EvidenceItem[] memory items
    ) internal view {
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
            // At most 32 items.
            unchecked {
                d.claims[slot] = openings[slot].classes & ((uint256(1) << (CLASS_BITS * openings[slot].items)) - 1);
            }
            d.classes[slot] = _unproven(openings[slot]);
        }
        for (uint256 i = 0; i < items.length; ++i) {
            EvidenceItem memory item = items[i];
            if (!_isPresent(d, item.slot)) revert ICollaborationContract.NotCommitted(d.node, item.slot);
            Opening memory o = openings[item.slot];
            _requireProven(f, d, o, item);
            EvidenceClass class = Admissibility.meet(Admissibility.classAt(o.classes, item.index), item.class);
            unchecked {
                uint256 at = CLASS_BITS * item.index;
                d.classes[item.slot] = (d.classes[item.slot] & ~(uint256(7) << at)) | (uint256(class) << at);
            }
        }
        d.graded = Admissibility.grade(d.classes);
    }

    /// @dev Without proof an item is what its executor signed for: at most SIGN.
    function _unproven(Opening memory o) private pure returns (uint256 word) {
        // Nothing but a self-report is worth less than SIGN.
        for (uint256 i = 0; i < o.items; ++i) {
            if (Admissibility.classAt(o.classes, i) == EvidenceClass.SELF) continue;
            word |= uint256(EvidenceClass.SIGN) << (CLASS_BITS * i);
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
        (bool registered, address principal) = f.city.evidence.issuerOf(item.issuer, item.class);
        if (!registered) revert ICollaborationContract.IssuerNotRegistered(item.issuer, uint8(item.class));
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

    /// @dev Every item the basis names exists and is proven ⪰ the node's floor.
    function isAdmissible(Docket memory d, uint256 basis) internal pure returns (bool) {
        return Admissibility.isAdmissible(basis, d.graded[d.law.floor]);
    }

    /// @dev The same, if all were what their executors claim.
    function isClaimed(Docket memory d, uint256 basis) internal pure returns (bool) {
        return Admissibility.isAdmissible(basis, Admissibility.grade(d.claims)[d.law.floor]);
    }

    /// @notice Slots with an item that is proven ⪰ the floor, here or by whoever posted it.
    function provenSlots(MissionStorage.Layout storage s, Docket memory d) internal view returns (uint8 proven) {
        proven = _reaching(d, d.classes);
        if (d.word.commitMask & ~proven == 0) return proven;
        return d.word.commitMask & (proven | s.evidence[MissionStorage.attemptKey(d.node, d.word.attempt)].shown);
    }

    /// @notice The same, if all items were what their executors claim.
    function claimingSlots(Docket memory d) internal pure returns (uint8) {
        return _reaching(d, d.claims);
    }

    /// @dev Of `unproven` slots each claims nothing.
    function requireShown(Docket memory d, uint8 unproven) internal pure {
        uint8 claiming = unproven & claimingSlots(d);
        if (claiming != 0) revert ICollaborationContract.SlotUnproven(d.node, claiming);
    }

    function _reaching(Docket memory d, uint256[] memory classes) private pure returns (uint8 slots) {
        // At most five slots.
        for (uint8 slot = 0; slot < d.law.redundancy; ++slot) {
            if (_isPresent(d, slot) && _reachesFloor(d, classes[slot])) slots |= uint8(1 << slot);
        }
    }

    /// @dev Nothing is asked of evidence where the floor is the executor's own word.
    function _reachesFloor(Docket memory d, uint256 classes) private pure returns (bool) {
        EvidenceClass floor = EvidenceClass(d.law.floor);
        if (floor == EvidenceClass.SELF) return true;
        for (; classes != 0; classes >>= CLASS_BITS) {
            if (Admissibility.geq(Admissibility.classAt(classes, 0), floor)) return true;
        }
        return false;
    }

    function _isPresent(Docket memory d, uint8 slot) private pure returns (bool) {
        return (d.word.commitMask >> slot) & 1 == 1;
    }

    /// @dev Output of the lowest slot that is in agreement.
    function outputOf(Docket memory d, Opening[] memory openings) internal pure returns (bytes32) {
        for (uint8 slot = 0; slot < d.law.redundancy; ++slot) {
            if ((d.word.agreeing >> slot) & 1 == 1) return openings[slot].outputHash;
        }
        return bytes32(0);
    }

    function slotsOf(uint256 basis) internal pure returns (uint8 slots) {
        for (uint8 slot = 0; slot < NodeCore.MAX_SLOTS; ++slot) {
            if (uint32(basis >> (Admissibility.ITEMS_PER_SLOT * slot)) != 0) slots |= uint8(1 << slot);
        }
    }
}
