// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {LowLevelCall} from "@openzeppelin/contracts/utils/LowLevelCall.sol";
import {ITreasury} from "../interfaces/ITreasury.sol";

/// @title What the treasury is owed never holds up anybody else
/// @notice Decision 65. What it cannot take, because the token refuses its account, waits with the payer for the next payment.
library Dues {
    /// @dev One word.
    struct Owed {
        uint64 fees;
        uint64 insurance;
    }

    event DuesHeld(uint64 fees, uint64 insurance);

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
}
