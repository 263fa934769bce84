// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {Opening} from "../../../contracts/types/Messages.sol";
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
            openings[i] = wave.opening(at + 3);
            at += 3 + Wire.OPENING;
        }
        wave.requireEnd(at);
    }
}
