// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";

/// @title Taking the settlement token in: what is booked is what arrived
/// @notice With a token that charges a transfer fee, booked amounts would exceed the balance, at the cost of other accounts.
library Intake {
    using SafeERC20 for IERC20;

    error Shortfall(address from, uint256 wanted, uint256 received);

    /// @notice Pulls exactly `amount`, or reverts with `Shortfall`.
    function pull(IERC20 token, address from, uint256 amount) internal {
        uint256 received = pullUpTo(token, from, amount);
        if (received != amount) revert Shortfall(from, amount, received);
    }

    /// @notice Pulls `amount` and says what of it arrived: for a receiver that must not hold up the payer.
    function pullUpTo(IERC20 token, address from, uint256 amount) internal returns (uint256 received) {
        uint256 before = token.balanceOf(address(this));
        token.safeTransferFrom(from, address(this), amount);
        received = token.balanceOf(address(this)) - before;
    }
}
