// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {MissionState} from "../types/States.sol";
import {MissionStorage} from "./MissionStorage.sol";

/// @title The time of a mission: it stands still while the mission is stopped or its chain is silent (decision 69)
/// @notice Deadlines of nodes are stored in it. In memory and in every view they are wall time as it is now: whoever loads a node
/// adds what stood still, whoever stores it takes the same off. Appeal windows are wall time throughout; so is the mission's own end.
library MissionClock {
    /// @notice Seconds that stood still until now. A mission that never was stopped costs no read for it.
    function stood(MissionStorage.Layout storage s) internal view returns (uint40 time) {
        if (!s.head.delayed) return 0;
        MissionStorage.Watch memory watch = s.watch;
        uint40 since = uint40(block.timestamp);
        if (s.head.stopped) since = watch.stoppedAt;
        if (s.head.state == MissionState.DEGRADED && watch.degradedSince < since) since = watch.degradedSince;
        return watch.lost + uint40(block.timestamp) - since;
    }

    /// @notice Begins to stand still. The caller says since when and why.
    function hold(MissionStorage.Layout storage s) internal {
        s.head.delayed = true;
    }

    /// @notice Goes on. The caller then says that the mission is no longer stopped, nor its chain silent.
    function goOn(MissionStorage.Layout storage s) internal {
        (s.watch.lost, s.watch.wentOnAt) = (stood(s), uint40(block.timestamp));
    }

    /// @dev No clock runs where the deadline is zero, and nothing is read for it.
    function toWall(MissionStorage.Layout storage s, MissionStorage.Node memory w) internal view {
        if (w.deadline != 0) w.deadline += stood(s);
    }

    function toMission(MissionStorage.Layout storage s, uint40 deadline) internal view returns (uint40) {
        return deadline == 0 ? 0 : deadline - stood(s);
    }
}
