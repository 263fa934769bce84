// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {LossShares} from "../../../contracts/libraries/LossShares.sol";

/// @dev A batched door to the division of a loss.
contract LossSharesHarness {
    struct Loss {
        uint64 loss;
        uint64[] contributions;
    }

    function divide(Loss[] memory x) external pure returns (uint64[][] memory y) {
        y = new uint64[][](x.length);
        for (uint256 i = 0; i < x.length; ++i) y[i] = LossShares.divide(x[i].loss, x[i].contributions);
    }
}
