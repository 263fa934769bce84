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

    /// @notice Meet of every item a basis names. An empty basis, or one naming an item of a slot without a class word,
    /// rests on nothing: SELF.
    /// @param basis item i of slot s is bit 32·s + i
    /// @param classWords one word per slot
    function meetOver(uint256 basis, uint256[] memory classWords) internal pure returns (EvidenceClass class) {
        uint256 slots = classWords.length;
        if (basis == 0 || (slots < 8 && basis >> (ITEMS_PER_SLOT * slots) != 0)) return EvidenceClass.SELF;
        class = EvidenceClass.PROOF;
        for (uint256 s = 0; s < slots; ++s) {
            uint256 items = uint32(basis >> (ITEMS_PER_SLOT * s));
            uint256 codes = classWords[s];
            while (items != 0) {
                if (items & 1 == 1) class = meet(class, classAt(codes, 0));
                items >>= 1;
                codes >>= 3;
            }
        }
    }
}
