// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {ICollaborationContract} from "../interfaces/ICollaborationContract.sol";
import {Reasons} from "../libraries/Reasons.sol";
import {Seat} from "../libraries/Seat.sol";
import {SlashingSchedule} from "../libraries/SlashingSchedule.sol";
import {TypedData} from "../libraries/TypedData.sol";
import {WeighedVerdict} from "../libraries/WeighedVerdict.sol";
import {Docket, Dockets} from "./Docket.sol";
import {Frame} from "./MissionFrame.sol";
import {MissionStorage} from "./MissionStorage.sol";
import {NodeCore} from "./NodeCore.sol";
import {NodeWord} from "./NodeWord.sol";

/// @title A node's panel: who was drawn, until when it is heard, what a member signed
/// @notice Decisions 18, 22, 55. A panel has VERIFICATION_TIMEOUT. In its first four fifths nothing is decided without all members, and
/// a member that fears to be left out posts its verdict; in the last fifth a majority decides, with every verdict that was posted, and
/// who neither posted nor is handed in was absent. Then another panel is drawn, or a human decides.
/// @dev Internal: clearing and what is posted ahead of it hear a panel by the same text.
library Panels {
    using Dockets for Docket;

    uint256 private constant QUESTIONS = 2;
    /// @dev A panel has at most seven places.
    uint256 internal constant QUESTION_BITS = 8;
    /// @dev Divides a panel's time: in its last fifth a majority may decide, and whoever is frozen then keeps a fifth.
    uint40 internal constant FIFTH = 5;

    /// @notice Until when nothing is decided without all members, and what is to be heard is posted.
    function closesAt(Frame memory f, MissionStorage.Node memory w) internal pure returns (uint40) {
        return w.deadline - f.terms.verificationTimeout() / FIFTH;
    }

    /// @notice Seats the panel, or writes down why there is none.
    function draw(Frame memory f, Docket memory d) internal view {
        if (!d.isSound()) return;
        uint32 drawn = d.word.drawBlock;
        if (drawn == 0) {
            return d.refuse(ICollaborationContract.NotAllCommitted.selector, d.node, d.word.commitMask);
        }
        if (block.number <= drawn) {
            return d.refuse(ICollaborationContract.TooEarly.selector, d.node, uint256(drawn) + 1);
        }
        try f.city.evidence.panelOf(d.node, d.word.attempt, d.law.panelSize(), d.parties, drawn) returns (
            Seat[] memory panel
        ) {
            d.panel = panel;
            d.heard = new WeighedVerdict[](QUESTIONS * panel.length);
        } catch (bytes memory reason) {
            if (reason.length == 0) revert ICollaborationContract.GasTooLow(gasleft(), 0);
            d.refuse(reason);
        }
    }

    /// @notice Takes down a verdict of a member of the panel, its first on this question.
    function hear(Docket memory d, address verifier, WeighedVerdict v) internal pure {
        if (!d.isSound()) return;
        // Verdicts usually come in the order of the panel.
        uint256 place = _placeOf(d, verifier, d.verdicts);
        if (place == d.panel.length) {
            return d.refuse(ICollaborationContract.NotOnPanel.selector, d.node, uint160(verifier));
        }
        uint256 answer = QUESTION_BITS * v.question() + place;
        if ((d.answered >> answer) & 1 == 1) {
            bytes4 twice = ICollaborationContract.DuplicateVerdict.selector;
            return d.refuse(twice, d.node, uint160(verifier), v.question());
        }
        d.answered |= uint256(1) << answer;
        d.heard[d.verdicts++] = v.weighed(d.panel[place].weight(), answer);
    }

    /// @notice Who gave a verdict that was taken down.
    function memberOf(Docket memory d, WeighedVerdict v) internal pure returns (address) {
        return d.panel[v.answer() % QUESTION_BITS].verifier();
    }

    /// @notice Bit of the place that an answer was given from.
    function placeOf(uint256 answer) internal pure returns (uint8) {
        // At most seven places.
        return uint8(1 << (answer % QUESTION_BITS));
    }

    /// @return The size of the panel for who has no place.
    function _placeOf(Docket memory d, address verifier, uint256 guess) private pure returns (uint256) {
        uint256 size = d.panel.length;
        // At most seven seats.
        unchecked {
            for (uint256 i = 0; i < size; ++i) {
                uint256 place = (guess + i) % size;
                if (d.panel[place].verifier() == verifier) return place;
            }
        }
        return size;
    }

    /// @notice Members that answered every question that is asked, bit per place.
    /// @param answered bit per answer
    function completeIn(Docket memory d, uint256 answered) internal pure returns (uint8) {
        uint256 complete = NodeCore.full(d.law.panelSize());
        if (d.law.questions() & 1 != 0) complete &= answered;
        if (d.law.questions() & 2 != 0) complete &= answered >> QUESTION_BITS;
        // At most seven places.
        return uint8(complete);
    }

    /// @notice Where a posted verdict is kept: another draw of the attempt has other places.
    function postedKey(Docket memory d, uint256 answer) internal pure returns (uint256) {
        return (uint256(d.word.drawBlock) << 24) | MissionStorage.slotKey(d.node, d.word.attempt, answer);
    }

    /// @notice What is kept of a posted answer; zero if nothing is.
    function keptOf(
        MissionStorage.Layout storage s,
        Docket memory d,
        WeighedVerdict v
    ) internal view returns (bytes32) {
        return s.posted[postedKey(d, v.answer())];
    }

    /// @notice Hash of a verdict as its member signed it.
    function saidIn(Docket memory d, WeighedVerdict v) internal pure returns (bytes32) {
        return TypedData.hashVerdict(d.obligation, d.work, d.word.drawBlock, v);
    }

    /// @notice Answers that members posted, bit per answer.
    function posted(MissionStorage.Layout storage s, Docket memory d) internal view returns (uint256 answers) {
        for (uint256 question = 0; question < QUESTIONS; ++question) {
            for (uint256 place = 0; place < d.panel.length; ++place) {
                uint256 answer = QUESTION_BITS * question + place;
                if (s.posted[postedKey(d, answer)] != 0) answers |= 1 << answer;
            }
        }
    }

    /// @notice Whether all that was taken down of a member was posted, word for word.
    function isPosted(MissionStorage.Layout storage s, Docket memory d, address verifier) internal view returns (bool) {
        // Two questions, at most seven members.
        for (uint256 i = 0; i < d.verdicts; ++i) {
            WeighedVerdict v = d.heard[i];
            if (memberOf(d, v) == verifier && keptOf(s, d, v) != saidIn(d, v)) return false;
        }
        return true;
    }

    /// @notice All members of some panels.
    function membersOf(Docket[] memory dockets) internal pure returns (Seat[] memory members) {
        uint256 count = 0;
        uint256 to = 0;
        // At most seven seats of each node.
        unchecked {
            for (uint256 i = 0; i < dockets.length; ++i) count += dockets[i].panel.length;
            members = new Seat[](count);
            for (uint256 i = 0; i < dockets.length; ++i) {
                Seat[] memory panel = dockets[i].panel;
                for (uint256 place = 0; place < panel.length; ++place) members[to++] = panel[place];
            }
        }
    }

    /// @notice Puts the members into a list that did not answer. Whose weight was taken is not heard, and not charged.
    /// @return to where the next ones belong
    function addAbsent(Docket memory d, address[] memory list, uint256 from) internal pure returns (uint256 to) {
        Seat[] memory panel = d.panel;
        uint256 complete = d.complete;
        to = from;
        // At most seven seats.
        unchecked {
            for (uint256 i = 0; i < panel.length; ++i) {
                if ((complete >> i) & 1 == 0 && panel[i].weight() != 0) list[to++] = panel[i].verifier();
            }
        }
    }

    /// @notice Whether some principal sits more than once, as it does where fewer differ than there are places.
    function isCrowded(Docket memory d) internal pure returns (bool) {
        // At most seven seats.
        for (uint256 i = 1; i < d.panel.length; ++i) {
            for (uint256 j = 0; j < i; ++j) if (d.panel[i].house() == d.panel[j].house()) return true;
        }
        return false;
    }

    /// @notice Whose verdicts counted: they share the fee, and may appeal.
    function seatsOf(Docket memory d) internal pure returns (uint256 seats) {
        Seat[] memory panel = d.panel;
        uint256 counted = d.counted;
        uint256 place = 0;
        // At most seven seats.
        unchecked {
            for (uint256 i = 0; i < panel.length; ++i) {
                if ((counted >> i) & 1 == 1) seats = NodeWord.withSeat(seats, place++, panel[i].serial());
            }
        }
    }

    function charge(MissionStorage.Layout storage s, address[] memory absent) internal {
        // At most seven of each node. An empty place ends the list.
        for (uint256 i = 0; i < absent.length && absent[i] != address(0); ++i) {
            s.head.execution.settleVerifier(absent[i], SlashingSchedule.NO_SHOW, Reasons.VERIFICATION_NO_SHOW);
        }
    }
}
