// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {LowLevelCall} from "@openzeppelin/contracts/utils/LowLevelCall.sol";
import {ITreasury} from "../interfaces/ITreasury.sol";
import {SlashingSchedule} from "../libraries/SlashingSchedule.sol";

/// @title What the treasury is owed never holds up anybody else
/// @notice Decision 65. What it cannot take, because the token refuses its account, waits with the payer for the next payment.
library Dues {
    using SafeERC20 for IERC20;

    /// @dev One word.
    struct Owed {
        uint64 fees;
        uint64 insurance;
    }

    event DuesHeld(uint64 fees, uint64 insurance);
    event SettlerRewarded(address indexed settler, uint64 amount);

    /// @notice Divides what was slashed: a reward for who settled the fault, if anybody is to have one, which goes with the rest where the
    /// token refuses it; half of the rest to the treasury, half, and the odd unit, to the insurance.
    function share(
        Owed storage owed,
        IERC20 token,
        ITreasury treasury,
        uint64 slashed,
        bytes32 reason,
        address settler
    ) internal {
        uint64 reward = settler == address(0) ? 0 : _rewardOf(slashed);
        if (reward != 0 && token.trySafeTransfer(settler, reward)) {
            emit SettlerRewarded(settler, reward);
            slashed -= reward;
        }
        pay(owed, token, treasury, slashed / 2, slashed - slashed / 2, reason);
    }

    function pay(
        Owed storage owed,
        IERC20 token,
        ITreasury treasury,
        uint64 fees,
        uint64 insurance,
        bytes32 reason
    ) internal {
        Owed memory due = owed;
        bool waited = due.fees != 0 || due.insurance != 0;
        due = Owed(due.fees + fees, due.insurance + insurance);
        if (due.fees == 0 && due.insurance == 0) return;
        // A token may refuse to approve a blocked account, too.
        bytes memory approval = abi.encodeCall(IERC20.approve, (address(treasury), uint256(due.fees) + due.insurance));
        bool taken = LowLevelCall.callNoReturn(address(token), approval);
        if (taken) {
            try treasury.deposit(due.fees, due.insurance, reason) {
                taken = true;
            } catch {
                taken = false;
                // Some tokens take no approval over a standing one.
                LowLevelCall.callNoReturn(address(token), abi.encodeCall(IERC20.approve, (address(treasury), 0)));
            }
        }
        if (taken) {
            if (waited) (owed.fees, owed.insurance) = (0, 0);
            return;
        }
        (owed.fees, owed.insurance) = (due.fees, due.insurance);
        emit DuesHeld(due.fees, due.insurance);
    }

    /// @dev What is due to who settles a fault, of what it slashes (decision 88).
    function _rewardOf(uint64 slashed) private pure returns (uint64) {
        uint64 reward = slashed / SlashingSchedule.REWARD_DIVISOR;
        return reward < SlashingSchedule.GREATEST_REWARD ? reward : SlashingSchedule.GREATEST_REWARD;
    }
}
