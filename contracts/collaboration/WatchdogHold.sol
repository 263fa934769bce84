// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {IAdjudicatorWatchdog} from "../interfaces/IAdjudicatorWatchdog.sol";
import {IConstitutionContract} from "../interfaces/IConstitutionContract.sol";
import {LawCodec} from "../libraries/LawCodec.sol";
import {Institution} from "../types/Roles.sol";
import {Frame, MissionFrame} from "./MissionFrame.sol";

/// @title What a frozen panel, or a stopped city, means to a mission (decisions 30, 78)
/// @notice Nothing new is routed; who waits for a human, or to be routed, gets the time back; earned money moves.
library WatchdogHold {
    using MissionFrame for Frame;

    function requireRunning(IConstitutionContract constitution) internal view {
        _watchdog(constitution).requireRunning();
    }

    /// @notice When a window of `length` seconds that was to end at `until` ends.
    function extended(IConstitutionContract constitution, uint40 until, uint40 length) internal view returns (uint40) {
        if (length == 0 || until <= length) return until;
        return _watchdog(constitution).extended(until - length, until);
    }

    /// @notice The same for what a stop of the city holds up.
    function movedByStops(
        IConstitutionContract constitution,
        uint40 opened,
        uint40 until
    ) internal view returns (uint40) {
        return _watchdog(constitution).movedByStops(opened, until);
    }

    /// @notice When a mission ends unless it is done: its time stands still while the city is stopped.
    function expiryOf(Frame memory f) internal view returns (uint40) {
        uint40 opened = f.deployedAt();
        return movedByStops(f.city.constitution, opened, opened + LawCodec.header(f.args).duration);
    }

    function _watchdog(IConstitutionContract constitution) private view returns (IAdjudicatorWatchdog) {
        return IAdjudicatorWatchdog(constitution.at(Institution.WATCHDOG));
    }
}
