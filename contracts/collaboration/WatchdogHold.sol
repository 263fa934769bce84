// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {IAdjudicatorWatchdog} from "../interfaces/IAdjudicatorWatchdog.sol";
import {IConstitutionContract} from "../interfaces/IConstitutionContract.sol";
import {Institution} from "../types/Roles.sol";

/// @title What a frozen panel means to a mission (decision 30)
/// @notice Nothing new is routed; who waits for a human, or to be routed, gets the time back; earned money moves.
library WatchdogHold {
    function requireUnfrozen(IConstitutionContract constitution) internal view {
        _watchdog(constitution).requireUnfrozen();
    }

    /// @notice When a window of `length` seconds that was to end at `until` ends.
    function extended(IConstitutionContract constitution, uint40 until, uint40 length) internal view returns (uint40) {
        if (length == 0 || until <= length) return until;
        return _watchdog(constitution).extended(until - length, until);
    }

    function _watchdog(IConstitutionContract constitution) private view returns (IAdjudicatorWatchdog) {
        return IAdjudicatorWatchdog(constitution.at(Institution.WATCHDOG));
    }
}
