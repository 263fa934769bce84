// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {EvidenceItem, Opening} from "../../../contracts/types/Messages.sol";
import {WeighedVerdict} from "../../../contracts/libraries/WeighedVerdict.sol";
import {Wire} from "../../../contracts/libraries/Wire.sol";

/// @dev Reads the bytes of `revealWave` with the library, as the contract does.
contract WireHarness {
    using Wire for bytes;

    function reveals(
        bytes calldata wave
    ) external pure returns (uint256[3][] memory places, Opening[] memory openings) {
        uint256 count = wave.number(0, 2);
        uint256 at = 2;
        if (count * (3 + Wire.OPENING) > wave.length) revert Wire.MalformedWave(wave.length);
        places = new uint256[3][](count);
        openings = new Opening[](count);
        for (uint256 i = 0; i < count; ++i) {
            for (uint256 k = 0; k < 3; ++k) places[i][k] = wave.number(at + k, 1);
            wave.readOpening(at + 3, openings[i]);
            at += 3 + Wire.OPENING;
        }
        wave.requireEnd(at);
    }

    /// @notice Reads the bytes of `clear` as `Testimony` does, without asking what they mean; every field as one word.
    function clearing(bytes calldata given) external pure returns (uint256[] memory words) {
        words = new uint256[](given.length);
        uint256 length = 0;
        uint256 orders = given.number(0, 1);
        uint256 named = 0;
        uint256 at = 1;
        for (uint256 i = 0; i < orders; ++i) {
            words[length++] = given.number(at, 1);
            if ((named >> given.number(at, 1)) & 1 == 1) revert Wire.MalformedWave(at);
            named |= 1 << given.number(at, 1);
            uint256 openings = given.number(at + 1, 1);
            at += 2;
            for (uint256 k = 0; k < openings; ++k) {
                Opening memory o;
                given.readOpening(at, o);
                words[length++] = uint256(keccak256(abi.encode(o)));
                at += Wire.OPENING;
            }
        }
        (at, length) = _issuers(given, at, words, length);
        (at, length) = _verifiers(given, at, words, length);
        given.requireEnd(at);
        uint256[] memory read = new uint256[](length);
        for (uint256 i = 0; i < length; ++i) read[i] = words[i];
        return read;
    }

    function _order(bytes calldata given, uint256 at) private pure returns (uint256 order) {
        order = given.number(at, 1);
        if (order >= given.number(0, 1) && order != Wire.ELSEWHERE) revert Wire.MalformedWave(at);
    }

    function _issuers(
        bytes calldata given,
        uint256 at,
        uint256[] memory words,
        uint256 length
    ) private pure returns (uint256, uint256) {
        uint256 issuers = given.number(at++, 1);
        for (uint256 i = 0; i < issuers; ++i) {
            words[length++] = given.number(at, 20);
            uint256 items = given.number(at + 20, 1);
            bytes memory signature = given.cut(at + 23, given.number(at + 21, 2));
            words[length++] = uint256(keccak256(signature));
            at += 23 + signature.length;
            for (uint256 k = 0; k < items; ++k) {
                words[length++] = _order(given, at);
                if (given.number(at, 1) == Wire.ELSEWHERE) {
                    words[length++] = given.number(at + 1, 32);
                    at += 33;
                    continue;
                }
                EvidenceItem memory item;
                at = given.readItem(at, item);
                words[length++] = uint256(keccak256(abi.encode(item)));
            }
        }
        return (at, length);
    }

    function _verifiers(
        bytes calldata given,
        uint256 at,
        uint256[] memory words,
        uint256 length
    ) private pure returns (uint256, uint256) {
        uint256 verifiers = given.number(at++, 1);
        for (uint256 i = 0; i < verifiers; ++i) {
            words[length++] = given.number(at, 20);
            words[length++] = given.number(at + 20, 5);
            uint256 verdicts = given.number(at + 25, 1);
            words[length++] = uint256(keccak256(given.cut(at + 26, Wire.SIGNATURE)));
            at += 26 + Wire.SIGNATURE;
            for (uint256 k = 0; k < verdicts; ++k) {
                words[length++] = _order(given, at);
                if (given.number(at, 1) == Wire.ELSEWHERE) {
                    words[length++] = given.number(at + 1, 32);
                    at += 33;
                    continue;
                }
                words[length++] = _hash(given.verdict(at));
                at += Wire.VERDICT;
            }
        }
        return (at, length);
    }

    /// @dev Of a `Verdict` about nothing.
    function _hash(WeighedVerdict v) private pure returns (uint256) {
        bytes memory fields = abi.encode(v.question(), v.result(), v.confidence(), v.score(), v.basis(), v.agreeing());
        return uint256(keccak256(bytes.concat(bytes32(0), bytes32(0), bytes32(0), fields)));
    }
}
