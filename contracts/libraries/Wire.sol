// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {Opening} from "../types/Messages.sol";

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
/// opening: salt 32, outputHash 32, trailRoot 32, envelopeRoot 32, items 1, classes 12
library Wire {
    uint256 internal constant SIGNATURE = 65;
    uint256 internal constant OPENING = 141;
    /// The shortest pledge, which is sealed.
    uint256 internal constant PLEDGE = 36;
    /// In a pledge's slot: an opening follows, not a commitment.
    uint256 internal constant OPENED = 0x80;

    /// @dev Repeats `ICollaborationContract.MalformedWave`, selector for selector.
    error MalformedWave(uint256 offset);

    /// @notice The number in `size` bytes from `at`; reverts with the offset where the bytes end too early.
    function number(bytes calldata wave, uint256 at, uint256 size) internal pure returns (uint256) {
        if (at + size > wave.length) revert MalformedWave(wave.length);
        return uint256(bytes32(wave[at:])) >> (256 - 8 * size);
    }

    function opening(bytes calldata wave, uint256 at) internal pure returns (Opening memory o) {
        if (at + OPENING > wave.length) revert MalformedWave(wave.length);
        o.salt = bytes32(wave[at:]);
        o.outputHash = bytes32(wave[at + 32:]);
        o.trailRoot = bytes32(wave[at + 64:]);
        o.envelopeRoot = bytes32(wave[at + 96:]);
        o.items = uint8(wave[at + 128]);
        o.classes = uint96(bytes12(wave[at + 129:]));
    }

    /// @notice Reverts unless everything was read.
    function requireEnd(bytes calldata wave, uint256 at) internal pure {
        if (at != wave.length) revert MalformedWave(at);
    }
}
