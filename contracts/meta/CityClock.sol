// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {IAdjudicatorWatchdog} from "../interfaces/IAdjudicatorWatchdog.sol";
import {IConstitutionContract} from "../interfaces/IConstitutionContract.sol";
import {Institution} from "../types/Roles.sol";

/// @title The clock of stages and bidding windows: it stands still while the city is stopped (decision 78)
/// @notice Ends are stored in city time and returned in wall time, so that callers see wall time only.
/// @dev The city's time is never ahead of the world's: before an end has come by the latter, no call is needed.
library CityClock {
    /// @notice The city's time in `duration` seconds.
    function afterNow(IConstitutionContract constitution, uint256 duration) internal view returns (uint40) {
        // Durations are parameters, at most a year.
        return uint40(block.timestamp + duration) - _stoppedTime(constitution);
    }

    function hasCome(IConstitutionContract constitution, uint256 at) internal view returns (bool) {
        return block.timestamp >= at && block.timestamp - _stoppedTime(constitution) >= at;
    }

    /// @notice When it will be `at` unless the city is stopped until then; zero stays zero.
    function inWorld(IConstitutionContract constitution, uint40 at) internal view returns (uint40) {
        return at == 0 ? 0 : at + _stoppedTime(constitution);
    }

    function _stoppedTime(IConstitutionContract constitution) private view returns (uint40) {
        return IAdjudicatorWatchdog(constitution.at(Institution.WATCHDOG)).stoppedTime();
    }
}
