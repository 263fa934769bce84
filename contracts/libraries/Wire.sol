// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {LibBytes} from "solady/src/utils/LibBytes.sol";
import {EvidenceClass, Question, VerdictResult} from "../types/Evidence.sol";
import {EvidenceItem, Opening} from "../types/Messages.sol";
import {WeighedVerdict} from "./WeighedVerdict.sol";

/// @title Packed bytes of a wave, read in place
/// @notice Numbers are big-endian, nothing is aligned, and nothing may be left over. TypeScript side: `rules/wire.ts`.
///
/// `commitWave`
///
/// | bytes | what |
/// |-------|------|
/// | 1     | signers |
/// | 91 each | signer: agent 20, deadline 5, pledges 1, signature 65 |
/// | 2     | pledges |
/// | 36 or 145 each | pledge: node 1, slot 1 (bit 7: opened), attempt 1, signer 1, then a commitment 32 or an opening 141 |
///
/// `revealWave`
///
/// | bytes | what |
/// |-------|------|
/// | 2     | reveals |
/// | 144 each | reveal: node 1, slot 1, attempt 1, opening 141 |
///
/// `clear`, `previewClear`, `post`; and, as one order of node 0, `evaluate` and `preview` of `ClearingEvaluator`
///
/// | bytes | what |
/// |-------|------|
/// | 1     | orders, one at least |
/// | 2 + 141 each | order: node 1, openings 1, then the opening of each slot, zeros where nothing was committed |
/// | 1     | issuers |
/// | 23 + length each | issuer: address 20, items 1, length 2, signature; then its items |
/// | 38 + 32 each | item: order 1, slot 1, index 1, kind 1, class 1, payload 32, proof 1, then the proof's hashes |
/// | 1     | verifiers |
/// | 91 each | verifier: address 20, deadline 5, verdicts 1, signature 65; then its verdicts |
/// | 28 each | verdict: order 1, question 1, result 1, confidence 2, score 2, agreeing 1, basis 20 |
///
/// Issuers and verifiers sign the list of what follows them, in that order. What such a list says of other nodes stands as order 255 and
/// its hash 32. A node has one order.
///
/// opening: salt 32, outputHash 32, trailRoot 32, envelopeRoot 32, items 1, classes 12
library Wire {
    using LibBytes for bytes;

    uint256 internal constant SIGNATURE = 65;
    uint256 internal constant OPENING = 141;
    /// The shortest pledge, which is sealed.
    uint256 internal constant PLEDGE = 36;
    /// An item without its proof.
    uint256 internal constant ITEM = 38;
    /// In a pledge's slot: an opening follows, not a commitment.
    uint256 internal constant OPENED = 0x80;
    uint256 internal constant VERDICT = 28;
    /// In place of an order: only a hash follows.
    uint256 internal constant ELSEWHERE = 0xff;

    /// @dev Repeats `ICollaborationContract.MalformedWave`, selector for selector.
    error MalformedWave(uint256 offset);

    /// @notice Reverts with the offset where the bytes end before `size` more from `at`.
    /// @return next what stands behind them
    function requireBytes(bytes calldata wave, uint256 at, uint256 size) internal pure returns (uint256 next) {
        // Offsets within a transaction.
        unchecked {
            next = at + size;
        }
        if (next > wave.length) revert MalformedWave(wave.length);
    }

    /// @notice The number in `size` bytes from `at`; reverts with the offset where the bytes end too early.
    function number(bytes calldata wave, uint256 at, uint256 size) internal pure returns (uint256) {
        requireBytes(wave, at, size);
        // One to thirty-two bytes.
        unchecked {
            return uint256(wave.loadCalldata(at)) >> (256 - 8 * size);
        }
    }

    /// @notice Reads an opening into one that is there.
    function readOpening(bytes calldata wave, uint256 at, Opening memory o) internal pure {
        requireBytes(wave, at, OPENING);
        // Offsets within a transaction.
        unchecked {
            o.salt = wave.loadCalldata(at);
            o.outputHash = wave.loadCalldata(at + 32);
            o.trailRoot = wave.loadCalldata(at + 64);
            o.envelopeRoot = wave.loadCalldata(at + 96);
            uint256 rest = uint256(wave.loadCalldata(at + 128));
            // One byte fits.
            o.items = uint8(rest >> 248);
            // The twelve bytes behind it.
            o.classes = uint96(rest >> 152);
        }
    }

    /// @notice Output that an opening names.
    function outputAt(bytes calldata wave, uint256 at) internal pure returns (bytes32) {
        return wave.loadCalldata(at + 32);
    }

    /// @notice `size` bytes from `at`.
    function cut(bytes calldata wave, uint256 at, uint256 size) internal pure returns (bytes calldata) {
        requireBytes(wave, at, size);
        return wave[at:at + size];
    }

    /// @notice Reads the item whose order stands at `at` into one whose issuer and signature stay.
    /// @return next where the next one stands
    function readItem(bytes calldata wave, uint256 at, EvidenceItem memory e) internal pure returns (uint256 next) {
        // Offsets within a transaction.
        unchecked {
            uint256 head = number(wave, at + 1, 4);
            if (head & 0xff > uint256(type(EvidenceClass).max)) revert MalformedWave(at + 4);
            requireBytes(wave, at, ITEM);
            // One byte fits.
            e.slot = uint8(head >> 24);
            // One byte fits.
            e.index = uint8(head >> 16);
            // One byte fits.
            e.kind = uint8(head >> 8);
            e.class = EvidenceClass(head & 0xff);
            e.payload = wave.loadCalldata(at + 5);
            uint256 length = uint256(wave.loadCalldata(at + 37)) >> 248;
            next = at + ITEM;
            requireBytes(wave, next, 32 * length);
            if (e.proof.length != length) e.proof = new bytes32[](length);
            for (uint256 i = 0; i < length; ++i) {
                e.proof[i] = wave.loadCalldata(next);
                next += 32;
            }
        }
    }

    /// @notice The verdict whose order stands at `at`.
    function verdict(bytes calldata wave, uint256 at) internal pure returns (WeighedVerdict) {
        uint256 word = number(wave, at + 1, VERDICT - 1);
        if (word >> 208 > uint256(type(Question).max)) revert MalformedWave(at + 1);
        if ((word >> 200) & 0xff > uint256(type(VerdictResult).max)) revert MalformedWave(at + 2);
        return WeighedVerdict.wrap(word);
    }

    /// @notice Reverts unless everything was read.
    function requireEnd(bytes calldata wave, uint256 at) internal pure {
        if (at != wave.length) revert MalformedWave(at);
    }
}
