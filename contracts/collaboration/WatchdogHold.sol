// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {IAdjudicatorWatchdog} from "../interfaces/IAdjudicatorWatchdog.sol";
import {LawCodec} from "../libraries/LawCodec.sol";
import {Frame, MissionFrame} from "./MissionFrame.sol";

/// @title What a frozen panel, or a stopped city, means to a mission (decisions 30, 78)
/// @notice Nothing new is routed; who waits for a human, or to be routed, gets the time back; earned money moves.
library WatchdogHold {
    using MissionFrame for Frame;

    /// @notice When a window of `length` seconds that was to end at `until` ends.
    function extended(IAdjudicatorWatchdog watchdog, uint40 until, uint40 length) internal view returns (uint40) {
        if (length == 0 || until <= length) return until;
        return watchdog.extended(until - length, until);
    }

    /// @notice When a mission ends unless it is done: its time stands still while the city is stopped.
    function expiryOf(Frame memory f) internal view returns (uint40) {
        uint40 opened = f.deployedAt();
        return f.city.watchdog.movedByStops(opened, opened + LawCodec.header(f.args).duration);
    }
}
