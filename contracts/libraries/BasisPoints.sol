// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

/// @title Hundredths of a percent
library BasisPoints {
    /// @notice 100 %.
    uint256 internal constant WHOLE = 10_000;
}
