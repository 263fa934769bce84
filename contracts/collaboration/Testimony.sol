// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {LibBit} from "solady/src/utils/LibBit.sol";
import {ICollaborationContract} from "../interfaces/ICollaborationContract.sol";
import {Exhibits, Issuer} from "./Exhibits.sol";
import {Signatures} from "../libraries/Signatures.sol";
import {TypedData} from "../libraries/TypedData.sol";
import {WeighedVerdict} from "../libraries/WeighedVerdict.sol";
import {Wire} from "../libraries/Wire.sol";
import {EvidenceClass} from "../types/Evidence.sol";
import {EvidenceItem} from "../types/Messages.sol";
import {Docket, Dockets} from "./Docket.sol";
import {Frame, MissionFrame} from "./MissionFrame.sol";
import {MissionStorage} from "./MissionStorage.sol";
import {Panels} from "./Panels.sol";

/// @title What is handed in about some nodes: their opened work, issuers' lists of evidence, verifiers' lists of verdicts
/// @notice Read in place from bytes that `libraries/Wire.sol` lays out. Malformed bytes are refused whole; what is wrong with one node is
/// written on its docket, and so is a false signature on every docket that its list names.
/// @dev Internal: clearing and what is posted ahead of it read the same bytes by the same text.
library Testimony {
    using Dockets for Docket;
    using MissionFrame for Frame;
    using Wire for bytes;

    /// @notice First part: a docket for each order.
    /// @return dockets one per order
    /// @return at where the second part begins
    function open(
        MissionStorage.Layout storage s,
        Frame memory f,
        bytes calldata wave
    ) internal view returns (Docket[] memory dockets, uint256 at) {
        uint256 count = wave.number(0, 1);
        if (count == 0) revert ICollaborationContract.EmptyBatch();
        dockets = new Docket[](count);
        uint256 named = 0;
        at = 1;
        // At most 255 orders.
        for (uint256 i = 0; i < count; ++i) {
            // One byte fits.
            uint8 node = uint8(wave.number(at, 1));
            if ((named >> node) & 1 == 1) revert ICollaborationContract.MalformedWave(at);
            named |= uint256(1) << node;
            uint256 openings = wave.number(at + 1, 1);
            Docket memory d = dockets[i];
            Dockets.gather(s, f, d, node);
            d.openings = at + 2;
            at = wave.requireBytes(at + 2, Wire.OPENING * openings);
            if (d.accepts(openings)) _openSlots(s, d, wave);
        }
    }

    function _openSlots(MissionStorage.Layout storage s, Docket memory d, bytes calldata wave) private view {
        uint256 slots = d.law.redundancy();
        // At most five slots.
        for (uint8 slot = 0; slot < slots; ++slot) {
            wave.readOpening(_openingAt(d, slot), d.opening);
            Dockets.open(s, d, slot);
        }
    }

    /// @dev Offset of a slot's opening in the wave.
    function _openingAt(Docket memory d, uint256 slot) private pure returns (uint256) {
        // An offset in calldata and a slot of eight bits: the sum does not overflow.
        unchecked {
            return d.openings + Wire.OPENING * slot;
        }
    }

    /// @notice Output of the lowest of these slots, which are the node's own; zero if there is none.
    function outputOf(Docket memory d, bytes calldata wave, uint8 slots) internal pure returns (bytes32) {
        return slots == 0 ? bytes32(0) : wave.outputAt(_openingAt(d, LibBit.ffs(slots)));
    }

    /// @notice Second part: evidence.
    function prove(
        Frame memory f,
        Docket[] memory dockets,
        bytes calldata wave,
        uint256 from
    ) internal view returns (uint256 at) {
        uint256 issuers = wave.number(from, 1);
        at = from + 1;
        // At most 255 issuers.
        for (uint256 i = 0; i < issuers; ++i) at = _readItems(f, dockets, wave, at);
    }

    /// @notice Third part: verdicts of the panels, which are drawn by now. One that was posted in time is heard whenever it is handed in again:
    /// its member cannot stop a clearing by a signature that runs out.
    function hear(
        MissionStorage.Layout storage s,
        Frame memory f,
        Docket[] memory dockets,
        bytes calldata wave,
        uint256 from
    ) internal view {
        uint256 verifiers = wave.number(from, 1);
        uint256 at = from + 1;
        // At most 255 verifiers.
        for (uint256 i = 0; i < verifiers; ++i) {
            uint256 stands = at;
            at = _readVerdicts(f, dockets, wave, at);
            _requireInTime(s, dockets, wave, stands);
        }
        wave.requireEnd(at);
    }

    function _readItems(
        Frame memory f,
        Docket[] memory dockets,
        bytes calldata wave,
        uint256 from
    ) private view returns (uint256 at) {
        bytes32[] memory hashes;
        EvidenceItem memory item;
        {
            // Issuer, items, length of the signature.
            uint256 head = wave.number(from, 23);
            hashes = new bytes32[]((head >> 16) & 0xff);
            at = wave.requireBytes(from + 23, head & 0xffff);
            // Twenty bytes fit.
            item.issuer = address(uint160(head >> 24));
        }
        Issuer memory by = Exhibits.issuer(f.city.evidence, item.issuer);
        // Bit per order, and the last of them; what is wrong with the list.
        uint256 orders = 0;
        uint256 last = 0;
        bytes memory reason = "";
        // At most 255 items.
        for (uint256 i = 0; i < hashes.length; ++i) {
            uint256 order = _orderAt(dockets, wave, at);
            if (order == Wire.ELSEWHERE) {
                (hashes[i], at) = (bytes32(wave.number(at + 1, 32)), at + 33);
                continue;
            }
            orders |= uint256(1) << order;
            last = order;
            at = wave.readItem(at, item);
            hashes[i] = TypedData.hashEvidence(dockets[order].obligation, item);
            if (item.class == EvidenceClass.PROOF && hashes.length != 1) {
                reason = abi.encodeWithSelector(ICollaborationContract.ProofRejected.selector, item.slot, item.index);
            }
            _admit(dockets[order], wave, item, by);
        }
        if (orders == 0) return at;
        if (reason.length == 0) reason = _itemsFault(f, dockets[last], wave, from, item, hashes);
        _refuse(dockets, orders, reason);
    }

    function _admit(Docket memory d, bytes calldata wave, EvidenceItem memory item, Issuer memory by) private pure {
        if (!d.isSound()) return;
        if (item.slot < d.law.redundancy()) wave.readOpening(_openingAt(d, item.slot), d.opening);
        d.admit(item, by);
    }

    /// @param from where the issuer stands, whose signature follows
    function _itemsFault(
        Frame memory f,
        Docket memory d,
        bytes calldata wave,
        uint256 from,
        EvidenceItem memory item,
        bytes32[] memory hashes
    ) private view returns (bytes memory) {
        bytes32 digest = f.digest(TypedData.hashEvidences(item.issuer, hashes));
        bytes calldata signature = wave.cut(from + 23, wave.number(from + 21, 2));
        // As a rule a key signed: then nothing is copied.
        bool signed = item.class != EvidenceClass.PROOF && Signatures.isEcdsa(item.issuer, digest, signature);
        return signed ? bytes("") : Dockets.issueFault(f, d, item, digest, signature);
    }

    function _readVerdicts(
        Frame memory f,
        Docket[] memory dockets,
        bytes calldata wave,
        uint256 from
    ) private pure returns (uint256 at) {
        // Verifier, deadline, verdicts.
        uint256 head = wave.number(from, 26);
        // Twenty bytes fit.
        address verifier = address(uint160(head >> 48));
        bytes32[] memory hashes = new bytes32[](head & 0xff);
        at = wave.requireBytes(from + 26, Wire.SIGNATURE);
        // Bit per order.
        uint256 orders = 0;
        // At most 255 verdicts.
        for (uint256 i = 0; i < hashes.length; ++i) {
            uint256 order = _orderAt(dockets, wave, at);
            if (order == Wire.ELSEWHERE) {
                (hashes[i], at) = (bytes32(wave.number(at + 1, 32)), at + 33);
                continue;
            }
            orders |= uint256(1) << order;
            hashes[i] = _readVerdict(dockets[order], wave, at, verifier);
            at += Wire.VERDICT;
        }
        if (orders == 0) return at;
        // Five bytes fit.
        _refuse(dockets, orders, _verdictsFault(f, wave, from + 26, verifier, uint40(head >> 8), hashes));
    }

    function _readVerdict(
        Docket memory d,
        bytes calldata wave,
        uint256 at,
        address verifier
    ) private pure returns (bytes32 hash) {
        WeighedVerdict v = wave.verdict(at);
        hash = TypedData.hashVerdict(d.obligation, d.work, d.word.drawBlock, v);
        Panels.hear(d, verifier, v);
    }

    /// @param from where the verifier stands, whose deadline follows
    function _requireInTime(
        MissionStorage.Layout storage s,
        Docket[] memory dockets,
        bytes calldata wave,
        uint256 from
    ) private view {
        // Five bytes fit.
        uint40 deadline = uint40(wave.number(from + 20, 5));
        if (block.timestamp <= deadline) return;
        // Twenty bytes fit.
        address verifier = address(uint160(wave.number(from, 20)));
        for (uint256 i = 0; i < dockets.length; ++i) {
            if (Panels.isPosted(s, dockets[i], verifier)) continue;
            dockets[i].refuse(abi.encodeWithSelector(ICollaborationContract.Expired.selector, deadline));
        }
    }

    /// @param at where the signature stands
    function _verdictsFault(
        Frame memory f,
        bytes calldata wave,
        uint256 at,
        address verifier,
        uint40 deadline,
        bytes32[] memory hashes
    ) private pure returns (bytes memory) {
        bytes32 digest = f.digest(TypedData.hashVerdicts(verifier, hashes, deadline));
        if (Signatures.isEcdsa(verifier, digest, wave[at:at + Wire.SIGNATURE])) return "";
        return abi.encodeWithSelector(ICollaborationContract.InvalidSignature.selector, verifier);
    }

    function _orderAt(Docket[] memory dockets, bytes calldata wave, uint256 at) private pure returns (uint256 order) {
        order = wave.number(at, 1);
        if (order >= dockets.length && order != Wire.ELSEWHERE) revert ICollaborationContract.MalformedWave(at);
    }

    function _refuse(Docket[] memory dockets, uint256 orders, bytes memory reason) private pure {
        if (reason.length == 0) return;
        for (uint256 i = 0; i < dockets.length; ++i) if ((orders >> i) & 1 == 1) dockets[i].refuse(reason);
    }
}
