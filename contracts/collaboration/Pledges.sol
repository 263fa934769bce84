// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {DynamicArrayLib} from "solady/src/utils/DynamicArrayLib.sol";
import {ICollaborationContract} from "../interfaces/ICollaborationContract.sol";
import {Commitments} from "../libraries/Commitments.sol";
import {LawCodec} from "../libraries/LawCodec.sol";
import {NodeLaw} from "../libraries/NodeLaw.sol";
import {Signatures} from "../libraries/Signatures.sol";
import {TypedData} from "../libraries/TypedData.sol";
import {Wire} from "../libraries/Wire.sol";
import {Tier} from "../types/Law.sol";
import {Opening} from "../types/Messages.sol";
import {NodeState} from "../types/States.sol";
import {City, Frame, MissionFrame} from "./MissionFrame.sol";
import {MissionStorage} from "./MissionStorage.sol";
import {NodeCore} from "./NodeCore.sol";
import {NodeWord} from "./NodeWord.sol";
import {Remedies} from "./Remedies.sol";

/// @title Committing before anybody looks, and opening afterwards (decision 19)
/// @notice One slot at a time by typed calls, or a whole wave in packed bytes: what a wave may not do, the typed call refuses by the same rule.
/// A linked library: it runs in the clone's frame and storage.
library Pledges {
    using DynamicArrayLib for bytes32[];
    using DynamicArrayLib for uint256[];
    using MissionFrame for Frame;
    using Wire for bytes;

    /// @dev The node that is worked on: read once, stored when the next one comes.
    struct Bench {
        bool open;
        bool changed;
        uint8 node;
        NodeLaw law;
        MissionStorage.Node word;
    }

    /// @dev Who signed a part of a wave.
    struct Signer {
        address agent;
        uint40 deadline;
        /// Where the signature stands.
        uint256 at;
        uint256[] slots;
        bytes32[] commitments;
        uint256 length;
        /// Zero once the signature is known to hold.
        bytes4 fault;
    }

    /// @dev One slot's part, from the wave or from a typed call.
    struct Pledge {
        uint8 node;
        uint8 slot;
        uint8 attempt;
        bool opened;
        address agent;
        bytes32 commitment;
        /// Of the signer in the wave, and of the opening in its bytes.
        uint256 signer;
        uint256 at;
    }

    // --- One slot ----------------------------------------------------------------------------------------------------

    function commit(
        MissionStorage.Layout storage s,
        City calldata city,
        uint8 node,
        uint8 slot,
        bytes32 commitment,
        uint40 deadline,
        bytes calldata signature
    ) external {
        (Frame memory f, Bench memory b) = _openFor(s, city, node);
        Pledge memory p = _pledgeOf(s, b, slot);
        p.commitment = commitment;
        _commitAlone(s, f, b, p, deadline, signature);
        _note(s, f, b, p);
        NodeCore.store(s, node, b.word);
    }

    function commitOpen(
        MissionStorage.Layout storage s,
        City calldata city,
        uint8 node,
        uint8 slot,
        Opening calldata opening,
        uint40 deadline,
        bytes calldata signature
    ) external {
        (Frame memory f, Bench memory b) = _openFor(s, city, node);
        Pledge memory p = _pledgeOf(s, b, slot);
        p.opened = true;
        p.commitment = Commitments.commitment(p.agent, opening, NodeCore.obligation(s, f, b.word, node));
        _commitAlone(s, f, b, p, deadline, signature);
        NodeCore.requireOpening(b.law, node, slot, opening);
        NodeCore.reveal(b.word, node, slot, opening);
        _note(s, f, b, p);
        NodeCore.store(s, node, b.word);
    }

    function reveal(
        MissionStorage.Layout storage s,
        City calldata city,
        uint8 node,
        uint8 slot,
        Opening calldata opening
    ) external {
        (Frame memory f, Bench memory b) = _openFor(s, city, node);
        Pledge memory p = _pledgeOf(s, b, slot);
        bytes4 fault = _revealFault(s, f, b, p, opening);
        if (fault == ICollaborationContract.OpeningMismatch.selector) {
            bytes32 pledge = s.pledges[MissionStorage.slotKey(node, p.attempt, slot)];
            revert ICollaborationContract.OpeningMismatch(node, slot, pledge, p.commitment);
        }
        if (fault != 0) _refuse(fault, b, p);
        NodeCore.requireOpening(b.law, node, slot, opening);
        _reveal(s, city, f, b, p, opening);
        NodeCore.store(s, node, b.word);
    }

    // --- A wave ------------------------------------------------------------------------------------------------------

    function commitWave(MissionStorage.Layout storage s, City calldata city, bytes calldata wave) external {
        NodeCore.requireMission(s, NodeCore.RUNNING);
        Frame memory f = MissionFrame.open(city);
        (Signer[] memory signers, uint256 at) = _signersOf(wave);
        Pledge[] memory pledges = _pledgesOf(s, f, wave, signers, at);
        // At most 255 signers.
        for (uint256 i = 0; i < signers.length; ++i) _check(f, wave, signers[i]);
        Bench memory b;
        Opening memory opening;
        // At most the pledges that the caller names.
        for (uint256 i = 0; i < pledges.length; ++i) {
            Pledge memory p = pledges[i];
            _turnTo(s, f, b, p.node);
            bytes4 fault = signers[p.signer].fault;
            if (fault == 0) fault = _commitFault(s, b, p);
            if (fault == 0 && p.opened) {
                wave.readOpening(p.at, opening);
                fault = NodeCore.openingFault(b.law, opening);
            }
            if (fault != 0) {
                emit ICollaborationContract.Skipped(p.node, p.slot, p.attempt, fault);
                continue;
            }
            b.changed = true;
            _commit(s, b, p);
            if (p.opened) NodeCore.reveal(b.word, p.node, p.slot, opening);
            _note(s, f, b, p);
        }
        _putAway(s, b);
    }

    function revealWave(MissionStorage.Layout storage s, City calldata city, bytes calldata wave) external {
        NodeCore.requireMission(s, NodeCore.RUNNING);
        Frame memory f = MissionFrame.open(city);
        uint256 count = wave.number(0, 2);
        if (count == 0) revert ICollaborationContract.EmptyBatch();
        uint256 at = 2;
        Bench memory b;
        Pledge memory p;
        Opening memory opening;
        // At most the reveals that the caller names.
        for (uint256 i = 0; i < count; ++i) {
            _readPlace(wave, at, p);
            wave.readOpening(at + 3, opening);
            at += 3 + Wire.OPENING;
            _turnTo(s, f, b, p.node);
            bytes4 fault = _revealFault(s, f, b, p, opening);
            if (fault == 0) fault = NodeCore.openingFault(b.law, opening);
            if (fault != 0) {
                emit ICollaborationContract.Skipped(p.node, p.slot, p.attempt, fault);
                continue;
            }
            b.changed = true;
            _reveal(s, city, f, b, p, opening);
        }
        wave.requireEnd(at);
        _putAway(s, b);
    }

    // --- Reading a wave ----------------------------------------------------------------------------------------------

    function _signersOf(bytes calldata wave) private pure returns (Signer[] memory signers, uint256 at) {
        signers = new Signer[](wave.number(0, 1));
        at = 1;
        // At most 255.
        for (uint256 i = 0; i < signers.length; ++i) {
            Signer memory signer = signers[i];
            uint256 head = wave.number(at, 26);
            // Twenty bytes fit.
            signer.agent = address(uint160(head >> 48));
            // Five bytes fit.
            signer.deadline = uint40(head >> 8);
            uint256 count = head & 0xff;
            signer.slots = new uint256[](count);
            signer.commitments = new bytes32[](count);
            signer.at = at + 26;
            at += 26 + Wire.SIGNATURE;
        }
    }

    function _pledgesOf(
        MissionStorage.Layout storage s,
        Frame memory f,
        bytes calldata wave,
        Signer[] memory signers,
        uint256 at
    ) private view returns (Pledge[] memory pledges) {
        uint256 count = wave.number(at, 2);
        if (count == 0) revert ICollaborationContract.EmptyBatch();
        at += 2;
        if (count * Wire.PLEDGE > wave.length - at) revert ICollaborationContract.MalformedWave(wave.length);
        pledges = new Pledge[](count);
        bytes32 lawHash = LawCodec.hashOf(f.args);
        // At most as many as the bytes hold.
        for (uint256 i = 0; i < count; ++i) {
            Pledge memory p = pledges[i];
            _readPlace(wave, at, p);
            p.signer = wave.number(at + 3, 1);
            if (p.signer >= signers.length) revert ICollaborationContract.MalformedWave(at + 3);
            Signer memory signer = signers[p.signer];
            p.agent = signer.agent;
            p.opened = p.slot & Wire.OPENED != 0;
            at += 4;
            p.at = at;
            if (p.opened) {
                // The low seven bits.
                p.slot = uint8(p.slot & ~Wire.OPENED);
                p.commitment = _commitmentIn(s, wave, lawHash, p);
                at += Wire.OPENING;
            } else {
                p.commitment = bytes32(wave.number(at, 32));
                at += 32;
            }
            uint256 place = signer.length++;
            if (place == signer.slots.length) revert ICollaborationContract.MalformedWave(at);
            signer.slots.set(place, MissionStorage.slotKey(p.node, p.attempt, p.slot));
            signer.commitments.toUint256Array().set(place, p.commitment);
        }
        wave.requireEnd(at);
    }

    /// @dev Of the opening that stands in the wave.
    function _commitmentIn(
        MissionStorage.Layout storage s,
        bytes calldata wave,
        bytes32 lawHash,
        Pledge memory p
    ) private view returns (bytes32) {
        Opening memory opening;
        wave.readOpening(p.at, opening);
        return Commitments.commitment(p.agent, opening, _obligationOf(s, lawHash, p));
    }

    function _readPlace(bytes calldata wave, uint256 at, Pledge memory p) private pure {
        uint256 place = wave.number(at, 3);
        // One byte each.
        (p.node, p.slot, p.attempt) = (uint8(place >> 16), uint8(place >> 8), uint8(place));
    }

    /// @dev Of the attempt that the wave names, which need not be the node's current one: else one stale pledge of an executor would make its
    /// signature over the others false.
    function _obligationOf(
        MissionStorage.Layout storage s,
        bytes32 lawHash,
        Pledge memory p
    ) private view returns (bytes32) {
        uint256 word = s.nodes[p.node];
        bool plain = NodeWord.attemptOf(word) == p.attempt && NodeWord.flagsOf(word) & MissionStorage.AMENDED == 0;
        bytes32 amendment = plain ? bytes32(0) : s.amendments[MissionStorage.attemptKey(p.node, p.attempt)];
        return Commitments.obligation(block.chainid, address(this), p.node, p.attempt, lawHash, amendment);
    }

    function _check(Frame memory f, bytes calldata wave, Signer memory signer) private view {
        if (signer.length != signer.slots.length) revert ICollaborationContract.MalformedWave(signer.at);
        bytes32 digest = f.digest(
            TypedData.hashCommits(signer.agent, signer.slots, signer.commitments, signer.deadline)
        );
        if (block.timestamp > signer.deadline) {
            signer.fault = ICollaborationContract.Expired.selector;
        } else if (!Signatures.isEcdsa(signer.agent, digest, wave[signer.at:signer.at + Wire.SIGNATURE])) {
            signer.fault = ICollaborationContract.InvalidSignature.selector;
        }
    }

    // --- The bench ---------------------------------------------------------------------------------------------------

    function _openFor(
        MissionStorage.Layout storage s,
        City calldata city,
        uint8 node
    ) private view returns (Frame memory f, Bench memory b) {
        NodeCore.requireMission(s, NodeCore.RUNNING);
        f = MissionFrame.open(city);
        b.node = node;
        b.law = f.node(node);
        NodeCore.loadInto(s, f, node, b.word);
    }

    function _turnTo(MissionStorage.Layout storage s, Frame memory f, Bench memory b, uint8 node) private {
        if (b.open && b.node == node) return;
        _putAway(s, b);
        b.open = true;
        b.changed = false;
        b.node = node;
        b.law = f.node(node);
        NodeCore.loadInto(s, f, node, b.word);
    }

    function _putAway(MissionStorage.Layout storage s, Bench memory b) private {
        if (b.changed) NodeCore.store(s, b.node, b.word);
    }

    /// @dev A typed call speaks for the executor that is bound, in the current attempt.
    function _pledgeOf(
        MissionStorage.Layout storage s,
        Bench memory b,
        uint8 slot
    ) private view returns (Pledge memory p) {
        p.node = b.node;
        p.slot = slot;
        p.attempt = b.word.attempt;
        p.agent = s.slots[MissionStorage.slotKey(b.node, p.attempt, slot)].agent;
    }

    // --- Rules -------------------------------------------------------------------------------------------------------

    /// @dev Commitments are sealed where several executors must agree, and opened at once elsewhere.
    function _workingFault(Bench memory b, Pledge memory p) private pure returns (bytes4) {
        if (b.word.state != NodeState.EXECUTING) return ICollaborationContract.WrongNodeState.selector;
        if (b.word.attempt != p.attempt) return ICollaborationContract.WrongObligation.selector;
        if ((b.law.tier() == Tier.CONSENSUS) == p.opened) return ICollaborationContract.WrongTier.selector;
        return 0;
    }

    function _commitFault(
        MissionStorage.Layout storage s,
        Bench memory b,
        Pledge memory p
    ) private view returns (bytes4) {
        bytes4 fault = _workingFault(b, p);
        if (fault != 0) return fault;
        if (p.commitment == 0) return ICollaborationContract.NotCommitted.selector;
        if (NodeCore.has(b.word, MissionStorage.COMMITS_CLOSED) || block.timestamp >= b.word.deadline) {
            return ICollaborationContract.WindowClosed.selector;
        }
        if (p.slot >= b.law.redundancy()) return ICollaborationContract.SlotEmpty.selector;
        if ((NodeCore.dropped(s, b.word, p.node) >> p.slot) & 1 == 1) {
            return ICollaborationContract.WindowClosed.selector;
        }
        if ((b.word.commitMask >> p.slot) & 1 == 1) return ICollaborationContract.AlreadyCommitted.selector;
        address bound = s.slots[MissionStorage.slotKey(p.node, p.attempt, p.slot)].agent;
        return bound == p.agent ? bytes4(0) : ICollaborationContract.InvalidSignature.selector;
    }

    /// @dev Commitments open once all are in; after the deadline, those that are in open if they are enough.
    function _revealFault(
        MissionStorage.Layout storage s,
        Frame memory f,
        Bench memory b,
        Pledge memory p,
        Opening memory opening
    ) private view returns (bytes4) {
        bytes4 fault = _workingFault(b, p);
        if (fault != 0) return fault;
        bool over = block.timestamp >= b.word.deadline;
        if (NodeCore.has(b.word, MissionStorage.COMMITS_CLOSED)) {
            if (over) return ICollaborationContract.WindowClosed.selector;
        } else if (!over || NodeCore.count(b.word.commitMask) < b.law.threshold()) {
            return ICollaborationContract.NotAllCommitted.selector;
        }
        if (p.slot >= b.law.redundancy() || (b.word.commitMask >> p.slot) & 1 == 0) {
            return ICollaborationContract.NotCommitted.selector;
        }
        if ((b.word.revealMask >> p.slot) & 1 == 1) return ICollaborationContract.AlreadyRevealed.selector;
        uint256 key = MissionStorage.slotKey(p.node, p.attempt, p.slot);
        p.commitment = Commitments.commitment(s.slots[key].agent, opening, NodeCore.obligation(s, f, b.word, p.node));
        return p.commitment == s.pledges[key] ? bytes4(0) : ICollaborationContract.OpeningMismatch.selector;
    }

    /// @dev The same as an error with its values; what an opening must have `NodeCore.requireOpening` demands.
    function _refuse(bytes4 fault, Bench memory b, Pledge memory p) private pure {
        (uint8 node, uint8 slot) = (p.node, p.slot);
        if (fault == ICollaborationContract.WrongNodeState.selector) {
            NodeCore.requireNode(b.word, node, NodeCore.only(NodeState.EXECUTING));
        }
        if (fault == ICollaborationContract.WrongTier.selector) {
            revert ICollaborationContract.WrongTier(node, uint8(b.law.tier()));
        }
        if (fault == ICollaborationContract.WindowClosed.selector) {
            revert ICollaborationContract.WindowClosed(node, b.word.deadline);
        }
        if (fault == ICollaborationContract.SlotEmpty.selector) revert ICollaborationContract.SlotEmpty(node, slot);
        if (fault == ICollaborationContract.AlreadyCommitted.selector) {
            revert ICollaborationContract.AlreadyCommitted(node, slot);
        }
        if (fault == ICollaborationContract.NotAllCommitted.selector) {
            revert ICollaborationContract.NotAllCommitted(node, b.word.commitMask);
        }
        if (fault == ICollaborationContract.AlreadyRevealed.selector) {
            revert ICollaborationContract.AlreadyRevealed(node, slot);
        }
        revert ICollaborationContract.NotCommitted(node, slot);
    }

    // --- Effects -----------------------------------------------------------------------------------------------------

    function _commitAlone(
        MissionStorage.Layout storage s,
        Frame memory f,
        Bench memory b,
        Pledge memory p,
        uint40 deadline,
        bytes calldata signature
    ) private {
        bytes4 fault = _commitFault(s, b, p);
        if (fault != 0) _refuse(fault, b, p);
        bytes32 message = TypedData.hashCommit(p.agent, p.node, p.slot, p.attempt, p.commitment, deadline);
        Signatures.requireAuthorised(p.agent, deadline, signature, f.digest(message));
        _commit(s, b, p);
    }

    function _commit(MissionStorage.Layout storage s, Bench memory b, Pledge memory p) private {
        b.word.commitMask |= uint8(1 << p.slot);
        s.pledges[MissionStorage.slotKey(p.node, p.attempt, p.slot)] = p.commitment;
        emit ICollaborationContract.Committed(p.node, p.slot, p.agent, p.attempt, p.commitment);
    }

    /// @dev The last commitment of a node ends the committing; where it is opened already, the panel is drawn.
    function _note(MissionStorage.Layout storage s, Frame memory f, Bench memory b, Pledge memory p) private {
        if (b.word.commitMask != NodeCore.outstanding(s, b.word, p.node, b.law)) return;
        if (p.opened) {
            NodeCore.startVerification(f, b.word, p.node);
        } else {
            b.word.flags |= MissionStorage.COMMITS_CLOSED;
            b.word.deadline = uint40(block.timestamp) + b.law.timeout();
        }
    }

    function _reveal(
        MissionStorage.Layout storage s,
        City calldata city,
        Frame memory f,
        Bench memory b,
        Pledge memory p,
        Opening memory opening
    ) private {
        if (!NodeCore.has(b.word, MissionStorage.COMMITS_CLOSED)) {
            Remedies.closeCommits(s, city, p.node);
            NodeCore.loadInto(s, f, p.node, b.word);
        }
        NodeCore.reveal(b.word, p.node, p.slot, opening);
        if (b.word.revealMask == b.word.commitMask) NodeCore.startVerification(f, b.word, p.node);
    }
}
