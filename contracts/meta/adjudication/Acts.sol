// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {LibBytes} from "solady/src/utils/LibBytes.sol";
import {IAdjudicationProcedure} from "../../interfaces/IAdjudicationProcedure.sol";
import {Action, OverrideAction} from "../../types/Actions.sol";
import {ActionTable} from "../../libraries/ActionTable.sol";
import {ActTypes} from "./ActTypes.sol";

/// @title What is signed of a human act (decision 85)
/// @notice The EIP-712 struct hash of an order: its act's type hash, then a word for each field that the type names, in the type's order. A word
/// outside its type's range, and anything that the type does not name, is refused: what a wallet shows is all there is.
library Acts {
    using ActionTable for Action;

    /// @dev Bytes of a row, and its flags.
    uint256 private constant _ROW = 40;
    uint256 private constant _NODE = 1;
    uint256 private constant _TARGET = 2;
    uint256 private constant _CASE = 4;
    /// @dev Widths that are no number of bytes.
    uint256 private constant _BOOL = 33;
    uint256 private constant _CARRIED = 34;
    /// @dev Type hash, mission, node, target, reason, case or salt, deadline, and at most seven words of data.
    uint256 private constant _MOST_WORDS = 14;

    /// @return What the order's signers signed, without the domain.
    function structHash(OverrideAction calldata order) internal pure returns (bytes32) {
        if (order.action == Action.NONE) revert IAdjudicationProcedure.ActionUnavailable(order.action);
        uint256 row = _ROW * (uint256(order.action) - 1);
        bytes memory rows = ActTypes.ROWS;
        // The last row is read beyond its end, into a byte that is not used.
        uint256 shape = uint256(LibBytes.load(rows, row + 32)) >> 192;
        uint256 flags = shape >> 56;
        bytes32[] memory words = new bytes32[](_MOST_WORDS);
        words[0] = LibBytes.load(rows, row);
        uint256 count = 1;
        bool onMission = order.action.onMission();
        if (onMission) words[count++] = bytes32(uint256(uint160(order.mission)));
        if (flags & _NODE != 0) words[count++] = bytes32(uint256(order.node));
        if (flags & _TARGET != 0) words[count++] = bytes32(uint256(uint160(order.target)));
        _requireUnused(order, onMission, flags);
        count = _data(words, count, order.data, shape << 200);
        words[count++] = keccak256(bytes(order.because));
        words[count++] = flags & _CASE != 0 ? order.caseHash : bytes32(order.salt);
        words[count++] = bytes32(uint256(order.deadline));
        return keccak256(LibBytes.slice(abi.encodePacked(words), 0, 32 * count));
    }

    /// @dev A relayer may not fill in what no one signed.
    function _requireUnused(OverrideAction calldata order, bool onMission, uint256 flags) private pure {
        bool isUsed = !onMission && order.mission != address(0);
        if (flags & _NODE == 0 && order.node != 0) isUsed = true;
        if (flags & _TARGET == 0 && order.target != address(0)) isUsed = true;
        if (flags & _CASE == 0 ? order.caseHash != 0 : order.salt != 0) isUsed = true;
        if (isUsed) revert IAdjudicationProcedure.NotOfThisAct(order.action);
    }

    /// @param widths what each word of the data may fill, a byte each, the first highest
    function _data(
        bytes32[] memory words,
        uint256 count,
        bytes calldata data,
        uint256 widths
    ) private pure returns (uint256) {
        uint256 at = 0;
        for (; widths != 0; widths <<= 8) {
            if (data.length < at + 32) revert IAdjudicationProcedure.DataLength(data.length, at + 32);
            bytes32 word = bytes32(data[at:at + 32]);
            uint256 width = widths >> 248;
            at += 32;
            if (width == _CARRIED) {
                bytes32 carried = keccak256(data[at:]);
                if (word != carried) revert IAdjudicationProcedure.NotWhatWasSigned(word, carried);
                at = data.length;
            } else if (width == _BOOL ? uint256(word) > 1 : width < 32 && uint256(word) >> (8 * width) != 0) {
                revert IAdjudicationProcedure.OutOfRange(at - 32, word);
            }
            words[count++] = word;
        }
        if (at != data.length) revert IAdjudicationProcedure.DataLength(data.length, at);
        return count;
    }
}
