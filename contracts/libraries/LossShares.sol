// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {Arrays} from "@openzeppelin/contracts/utils/Arrays.sol";

/// @title Who bears what of a loss
/// @notice In proportion to what each put in, by largest remainders: everyone bears the whole units of its exact share, and the units
/// left over go to the largest fractions, of equals to the one listed first. No unit is lost, and no participant bears more than it has.
library LossShares {
    /// @notice A loss greater than everything that was put in.
    error LossExceedsTotal(uint64 loss, uint256 total);

    /// @param loss Smallest unit, at most the sum of `contributions`.
    /// @param contributions Smallest unit; fewer than 2¹⁶ of them.
    /// @return shares In the same order; their sum is `loss`.
    function divide(uint64 loss, uint64[] memory contributions) internal pure returns (uint64[] memory shares) {
        uint256 total = 0;
        for (uint256 i = 0; i < contributions.length; ++i) total += contributions[i];
        if (loss > total) revert LossExceedsTotal(loss, total);
        shares = new uint64[](contributions.length);
        if (loss == 0) return shares;

        uint256 left = loss;
        uint256[] memory order = new uint256[](contributions.length);
        for (uint256 i = 0; i < contributions.length; ++i) {
            uint256 exact = uint256(loss) * contributions[i];
            // A share is at most the loss.
            shares[i] = uint64(exact / total);
            left -= shares[i];
            // Sorts by remainder, and among equals puts the first last, where the left-over units are given from.
            order[i] = ((exact % total) << 16) | (contributions.length - 1 - i);
        }
        Arrays.sort(order);
        for (uint256 k = 1; k <= left; ++k) {
            // The low bits are the place, from the end.
            ++shares[contributions.length - 1 - uint16(order[order.length - k])];
        }
    }
}
