// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {ICollaborationContract} from "../interfaces/ICollaborationContract.sol";
import {Reasons} from "../libraries/Reasons.sol";
import {Signatures} from "../libraries/Signatures.sol";
import {SlashingSchedule} from "../libraries/SlashingSchedule.sol";
import {TypedData} from "../libraries/TypedData.sol";
import {Verdict} from "../types/Messages.sol";
import {Docket} from "./Docket.sol";
import {Frame, MissionFrame} from "./MissionFrame.sol";
import {MissionStorage} from "./MissionStorage.sol";
import {NodeCore} from "./NodeCore.sol";

/// @title A node's panel: who was drawn, until when it is heard, what a member signed
/// @notice Decisions 18, 22, 55. A panel has VERIFICATION_TIMEOUT. In its first four fifths nothing is decided without all members, and
/// a member that fears to be left out posts its verdict; in the last fifth a majority decides, with every verdict that was posted, and
/// who neither posted nor is handed in was absent. Then another panel is drawn, or a human decides.
/// @dev Internal: clearing and what is posted ahead of it hear a panel by the same text.
library Panels {
    using MissionFrame for Frame;

    /// @dev A panel has at most seven places.
    uint256 internal constant QUESTION_BITS = 8;
    uint40 private constant FIFTH = 5;

    /// @notice Until when nothing is decided without all members, and what is to be heard is posted.
    function closesAt(Frame memory f, MissionStorage.Node memory w) internal pure returns (uint40) {
        return w.deadline - f.context.params.verificationTimeout / FIFTH;
    }

    function draw(Frame memory f, Docket memory d) internal view {
        uint32 drawn = d.word.drawBlock;
        if (drawn == 0) revert ICollaborationContract.NotAllCommitted(d.node, d.word.commitMask);
        if (block.number <= drawn) revert ICollaborationContract.TooEarly(d.node, uint256(drawn) + 1);
        d.panel = f.city.evidence.panelOf(d.node, d.word.attempt, d.law.panelSize, d.parties, drawn);
    }

    /// @param guess where to look first: verdicts usually come in the order of the panel
    function placeOf(Docket memory d, address verifier, uint256 guess) internal pure returns (uint256) {
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

    /// @notice Number of an answer: its question and its member's place.
    function answerOf(Verdict calldata v, uint256 place) internal pure returns (uint256) {
        // Two questions, at most seven places.
        unchecked {
            return QUESTION_BITS * uint256(v.question) + place;
        }
    }

    /// @notice For this attempt and this work, by the verifier's key.
    /// @return said The verdict's hash.
    function requireSigned(
        Frame memory f,
        Docket memory d,
        Verdict calldata v,
        bytes32 commitment
    ) internal view returns (bytes32 said) {
        if (v.obligation != d.obligation) {
            revert ICollaborationContract.WrongObligation(d.obligation, v.obligation);
        }
        if (v.commitment != commitment) revert ICollaborationContract.WrongCommitment(commitment, v.commitment);
        Signatures.requireInTime(v.deadline);
        said = TypedData.hashVerdict(v);
        Signatures.requireEcdsa(v.verifier, f.digest(said), v.signature);
    }

    /// @notice Members that answered every question that is asked, bit per place.
    /// @param answered bit per answer
    function completeIn(Docket memory d, uint256 answered) internal pure returns (uint8) {
        uint256 complete = NodeCore.full(d.law.panelSize);
        if (d.law.questions & 1 != 0) complete &= answered;
        if (d.law.questions & 2 != 0) complete &= answered >> QUESTION_BITS;
        // At most seven places.
        return uint8(complete);
    }

    /// @notice Where a posted verdict is kept: another draw of the attempt has other places.
    function postedKey(Docket memory d, uint256 answer) internal pure returns (uint256) {
        return (uint256(d.word.drawBlock) << 24) | MissionStorage.slotKey(d.node, d.word.attempt, answer);
    }

    /// @notice Answers that members posted, bit per answer.
    function posted(MissionStorage.Layout storage s, Docket memory d) internal view returns (uint256 answers) {
        for (uint256 question = 0; question < 2; ++question) {
            for (uint256 place = 0; place < d.panel.length; ++place) {
                uint256 answer = QUESTION_BITS * question + place;
                if (s.posted[postedKey(d, answer)] != 0) answers |= 1 << answer;
            }
        }
    }

    /// @notice Marks the panel for conflicts of interest and charges its absent members.
    function summon(MissionStorage.Layout storage s, Docket memory d) internal {
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
}
