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
    /// @dev Classes of one slot's items, three bits each.
    uint256 private constant WORD = (1 << (3 * ITEMS_PER_SLOT)) - 1;

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

    /// @notice Items by what they are worth: bit 32·s + i of `graded[c]` says that item i of slot s is ⪰ class c.
    /// @param classWords one word per slot, at most eight; a word has 32 items
    function grade(uint256[] memory classWords) internal pure returns (uint256[6] memory graded) {
        uint256 slots = classWords.length;
        graded[uint256(EvidenceClass.SELF)] =
            slots < MAX_SLOTS ? (uint256(1) << (ITEMS_PER_SLOT * slots)) - 1 : type(uint256).max;
        for (uint256 s = 0; s < slots; ++s) {
            uint256 codes = classWords[s] & WORD;
            for (uint256 item = uint256(1) << (ITEMS_PER_SLOT * s); codes != 0; item <<= 1) {
                _grade(graded, classAt(codes, 0), item);
                codes >>= 3;
            }
        }
    }

    /// @notice What `items` items are worth without proof: what their executor signed for, at most SIGN.
    /// @param claimed Claimed class of each item, three bits per item
    function unproven(uint256 claimed, uint256 items) internal pure returns (uint256 classWord) {
        // Nothing but a self-report is worth less than SIGN.
        for (uint256 i = 0; i < items; ++i) {
            if (classAt(claimed, i) != EvidenceClass.SELF) classWord |= uint256(EvidenceClass.SIGN) << (3 * i);
        }
    }

    /// @notice The word with one item raised to what its issuer says, never above the claim.
    function raised(
        uint256 classWord,
        uint256 claimed,
        uint256 item,
        EvidenceClass issued
    ) internal pure returns (uint256) {
        EvidenceClass class = meet(classAt(claimed, item), issued);
        // One of 32 items.
        unchecked {
            uint256 at = 3 * item;
            return (classWord & ~(uint256(7) << at)) | (uint256(class) << at);
        }
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

    function _grade(uint256[6] memory graded, EvidenceClass class, uint256 item) private pure {
        if (class == EvidenceClass.SELF) return;
        graded[uint256(EvidenceClass.SIGN)] |= item;
        if (class != EvidenceClass.REC && class != EvidenceClass.SIGN) graded[uint256(EvidenceClass.WIT)] |= item;
        if (class < EvidenceClass.REC) return;
        graded[uint256(EvidenceClass.REC)] |= item;
        if (class == EvidenceClass.REC) return;
        graded[uint256(EvidenceClass.ATT)] |= item;
        if (class == EvidenceClass.PROOF) graded[uint256(EvidenceClass.PROOF)] |= item;
    }
}
