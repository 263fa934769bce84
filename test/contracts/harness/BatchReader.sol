// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

/// @title Many reads in one call
contract BatchReader {
    struct Ask {
        address target;
        bytes data;
    }

    function read(Ask[] calldata asks) external view returns (bool[] memory ok, bytes[] memory answers) {
        ok = new bool[](asks.length);
        answers = new bytes[](asks.length);
        // solhint-disable-next-line avoid-low-level-calls
        for (uint256 i = 0; i < asks.length; ++i) (ok[i], answers[i]) = asks[i].target.staticcall(asks[i].data);
    }
}
