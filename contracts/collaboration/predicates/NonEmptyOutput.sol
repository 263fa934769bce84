// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {IPredicate} from "../../interfaces/IPredicate.sol";

/// @title Lets an output pass if there is one.
contract NonEmptyOutput is IPredicate {
    /// @inheritdoc IPredicate
    function allows(address, uint8, bytes32 outputHash) external pure returns (bool) {
        return outputHash != 0;
    }
}
