// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {MissionState} from "../types/States.sol";
import {Arcs} from "./Arcs.sol";

/// @title Life of a mission
/// @notice AgentCity B.3, amended by decisions 24 and 25.
///
///     PENDING ──▶ ACTIVE ──▶ EXECUTING ──▶ VERIFICATION ──▶ COMPLETED
///        │          │        ▲  │    │          │    │
///        │          │        │  ▼    │          │    └────▶ FAILED
///        │          │      DEGRADED  └──────────│─────────▶ FAILED
///        │          │           │    │          │
///        └──────────┴───────────┴────┴──────────┴─────────▶ ABORTED
///
/// PENDING → ACTIVE: the escrow is in.          ACTIVE → EXECUTING: the first node is routed.
/// EXECUTING → VERIFICATION: all nodes done.    VERIFICATION → COMPLETED / FAILED: the output gate releases / vetoes.
/// EXECUTING → FAILED: a node is out of attempts.
/// EXECUTING ⇄ DEGRADED: the sequencer is silent / back, and an adjudicator agrees.
/// → ABORTED: an adjudicator terminates, or the mission expired and anyone says so.
/// COMPLETED, FAILED and ABORTED are final. FAILED → ACTIVE does not exist: re-legislation makes a new mission.
library MissionTransitions {
    uint256 private constant FROM_PENDING = (1 << uint256(MissionState.ACTIVE)) | (1 << uint256(MissionState.ABORTED));
    uint256 private constant FROM_ACTIVE =
        (1 << uint256(MissionState.EXECUTING)) | (1 << uint256(MissionState.ABORTED));
    uint256 private constant FROM_EXECUTING =
        (1 << uint256(MissionState.VERIFICATION)) |
            (1 << uint256(MissionState.DEGRADED)) |
            (1 << uint256(MissionState.FAILED)) |
            (1 << uint256(MissionState.ABORTED));
    uint256 private constant FROM_VERIFICATION =
        (1 << uint256(MissionState.COMPLETED)) |
            (1 << uint256(MissionState.FAILED)) |
            (1 << uint256(MissionState.ABORTED));
    uint256 private constant FROM_DEGRADED =
        (1 << uint256(MissionState.EXECUTING)) | (1 << uint256(MissionState.ABORTED));

    uint256 internal constant TABLE =
        (FROM_PENDING << (16 * uint256(MissionState.PENDING))) |
            (FROM_ACTIVE << (16 * uint256(MissionState.ACTIVE))) |
            (FROM_EXECUTING << (16 * uint256(MissionState.EXECUTING))) |
            (FROM_VERIFICATION << (16 * uint256(MissionState.VERIFICATION))) |
            (FROM_DEGRADED << (16 * uint256(MissionState.DEGRADED)));

    /// @notice Reverts with `Arcs.IllegalTransition` unless the arc exists.
    function requireArc(MissionState from, MissionState to) internal pure {
        Arcs.requireArc(TABLE, uint8(from), uint8(to));
    }

    /// @notice Whether no arc leaves the state.
    function isFinal(MissionState state) internal pure returns (bool) {
        return Arcs.targets(TABLE, uint8(state)) == 0;
    }
}
