// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {EvidenceClass} from "../types/Evidence.sol";

/// @title The order of evidence
/// @notice RAILS 5.1:            PROOF
///                                 |
///                                ATT
///                               /   \
///                             WIT   REC      incomparable: neither satisfies a floor of the other
///                               \   /
///                                SIGN
///                                 |
///                                SELF
/// A chain of provenance and one verifier's basis take the meet; surviving verifiers together are *reported* by the join.
library Admissibility {
    /// @notice Evidence items of one executor slot; item i of slot s is bit 32·s + i of a basis.
    uint256 internal constant ITEMS_PER_SLOT = 32;
    /// @notice In place of an item, which an envelope has none of: what issuers say against the work of the first slot (decision 57).
    uint256 internal constant REFUTATION = 31;
    uint256 internal constant REFUTED = 1 << REFUTATION;
    uint256 private constant HIGHEST = uint256(type(EvidenceClass).max);
    uint256 private constant MAX_SLOTS = 8;

    /// @notice a ⪰ b.
    function geq(EvidenceClass a, EvidenceClass b) internal pure returns (bool) {
        if (a == EvidenceClass.REC && b == EvidenceClass.WIT) return false;
        return uint8(a) >= uint8(b);
    }

    /// @notice The strongest class that both satisfy.
    function meet(EvidenceClass a, EvidenceClass b) internal pure returns (EvidenceClass) {
        if (geq(a, b)) return b;
        if (geq(b, a)) return a;
        return EvidenceClass.SIGN;
    }

    /// @notice The weakest class that satisfies both.
    function join(EvidenceClass a, EvidenceClass b) internal pure returns (EvidenceClass) {
        if (geq(a, b)) return a;
        if (geq(b, a)) return b;
        return EvidenceClass.ATT;
    }

    /// @notice Class of item `item` in a word of three bits per item, item 0 lowest. The two codes that name no class
    /// are worth no more than a self-report.
    function classAt(uint256 classWord, uint256 item) internal pure returns (EvidenceClass) {
        uint256 code = (classWord >> (3 * item)) & 7;
        return code <= uint256(type(EvidenceClass).max) ? EvidenceClass(code) : EvidenceClass.SELF;
    }

    /// @notice All places of items that so many slots have: nothing is worth less than a self-report.
    /// @param slots at most eight
    function itemsOf(uint256 slots) internal pure returns (uint256) {
        return slots < MAX_SLOTS ? (uint256(1) << (ITEMS_PER_SLOT * slots)) - 1 : type(uint256).max;
    }

    /// @notice Marks what a slot's items are worth without proof: what their executor signed for, at most SIGN.
    /// @param graded items by class: bit 32·s + i of `graded[c]` says that item i of slot s is ⪰ class c
    /// @param classes claimed class of each item, three bits per item
    /// @return claimed those that are claimed to be ⪰ the floor
    function claim(
        uint256[6] memory graded,
        uint256 slot,
        uint256 classes,
        uint256 items,
        EvidenceClass floor
    ) internal pure returns (uint256 claimed) {
        uint256 item = uint256(1) << (ITEMS_PER_SLOT * slot);
        for (uint256 codes = firstOf(classes, items); codes != 0; codes >>= 3) {
            EvidenceClass class = classAt(codes, 0);
            // Nothing but a self-report is worth less than SIGN.
            if (class != EvidenceClass.SELF) graded[uint256(EvidenceClass.SIGN)] |= item;
            if (geq(class, floor)) claimed |= item;
            item <<= 1;
        }
    }

    /// @notice Raises one item to what its issuer says, never above the claim.
    function raise(
        uint256[6] memory graded,
        uint256 slot,
        uint256 classes,
        uint256 index,
        EvidenceClass issued
    ) internal pure {
        EvidenceClass class = meet(classAt(classes, index), issued);
        uint256 item = uint256(1) << (ITEMS_PER_SLOT * slot + index);
        if (class != EvidenceClass.SELF) return mark(graded, class, item);
        // Its issuer takes back what its executor signed for.
        graded[uint256(EvidenceClass.SIGN)] &= ~item;
    }

    /// @notice Meet of every item a basis names: the strongest class that all of them reach. An empty basis, or one naming an
    /// item of a slot without a class word, rests on nothing: SELF.
    function meetOver(uint256 basis, uint256[6] memory graded) internal pure returns (EvidenceClass) {
        for (uint256 class = basis == 0 ? 0 : HIGHEST; class != 0; --class) {
            if (basis & ~graded[class] == 0) return EvidenceClass(class);
        }
        return EvidenceClass.SELF;
    }

    /// @notice "The meet is ⪰ the floor" for a basis that rests on something: every item it names is.
    function isAdmissible(uint256 basis, uint256 atFloor) internal pure returns (bool) {
        return basis != 0 && basis & ~atFloor == 0;
    }

    /// @notice Whether some of a slot's items is ⪰ the floor. Nothing is asked of evidence where the floor is the executor's own word.
    /// @param classWord three bits per item
    function reaches(uint256 classWord, EvidenceClass floor) internal pure returns (bool) {
        if (floor == EvidenceClass.SELF) return true;
        for (; classWord != 0; classWord >>= 3) if (geq(classAt(classWord, 0), floor)) return true;
        return false;
    }

    /// @notice The classes of the first `items` of a word of them.
    function firstOf(uint256 classWord, uint256 items) internal pure returns (uint256) {
        // At most 32 items.
        unchecked {
            return classWord & ((uint256(1) << (3 * items)) - 1);
        }
    }

    /// @notice Marks items at a class above SELF, and at every one below it.
    function mark(uint256[6] memory graded, EvidenceClass class, uint256 item) internal pure {
        graded[uint256(EvidenceClass.SIGN)] |= item;
        if (class != EvidenceClass.REC && class != EvidenceClass.SIGN) graded[uint256(EvidenceClass.WIT)] |= item;
        if (class < EvidenceClass.REC) return;
        graded[uint256(EvidenceClass.REC)] |= item;
        if (class == EvidenceClass.REC) return;
        graded[uint256(EvidenceClass.ATT)] |= item;
        if (class == EvidenceClass.PROOF) graded[uint256(EvidenceClass.PROOF)] |= item;
    }
}
