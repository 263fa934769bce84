// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

/// @notice Admissibility classes (RAILS 4): SELF ⪯ SIGN ⪯ {WIT, REC} ⪯ ATT ⪯ PROOF, WIT and REC incomparable.
enum EvidenceClass {
    SELF,
    SIGN,
    WIT,
    REC,
    ATT,
    PROOF
}

/// @notice What an account may do about evidence (`EvidenceRegistry`).
enum EvidenceRole {
    NONE,
    ISSUER,
    VERIFIER,
    RUNNER,
    MONITOR
}

/// @notice The question a verdict answers; a node's law names the set as a bitmap (bit 0, bit 1).
enum Question {
    PERFORMANCE,
    POLICY
}

/// @notice One verifier's answer.
enum VerdictResult {
    ABSTAIN,
    PASS,
    FAIL
}

/// @notice What the mesh concludes (RAILS A.4).
enum ClearingResult {
    NONE,
    PASS,
    FAIL,
    DISPUTED,
    UNVERIFIABLE
}

/// @notice A clearing decision for one node. PASS and FAIL exist only on surviving bases.
struct ClearingDecision {
    ClearingResult result;
    /// ⌊ΣW·c / ΣW⌋ over survivors of the winning side, basis points.
    uint16 confidence;
    /// ⌊ΣW·s / ΣW⌋ over surviving PASS verdicts, basis points.
    uint16 score;
    /// Join of the survivors' basis classes: reported, never relied on.
    EvidenceClass class;
    /// Union of the surviving bases.
    uint256 basis;
    /// Slots in agreement by weighted majority of surviving PASS verdicts.
    uint8 agreeing;
}
