// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {SessionState} from "../types/States.sol";
import {Arcs} from "./Arcs.sol";

/// @title Life of a legislative session
/// @notice AgentCity B.10, amended by decisions 4 and 9: bids come after deployment, so they are no stage here.
///
///     NONE ─▶ IDENTIFYING ─▶ PROPOSING ─▶ DELIBERATING ─▶ VOTING ─▶ TALLIED ─▶ VALIDATED ─▶ CODIFIED ─▶ DEPLOYED
///                  │          │ │ └────────────│────────▲ │ │       │ │ │      │ │ │       │ │ │
///                  │          │ └──────────────│──────────┴─│───────┴─│─│──────┴─│─│───────┴─│─│──▶ FAILED
///                  ├──────────┴────────────────┴────────────┴─────────┴─│────────┴─│─────────┴─│──▶ CANCELLED
///                  └────────────────────────────────────────────────────┴──────────┴───────────┴──▶ EXPIRED
///
/// PROPOSING → VOTING: without a debate on the record.
/// → FAILED: nothing proposed, no turnout, "no law" won, or adjudicators voided a vote that a bloc decided.
/// → EXPIRED: a stage outlived its window and anyone says so.   → CANCELLED: by the sponsor, until `approve`.
/// DEPLOYED, FAILED, EXPIRED and CANCELLED are final: what returns (`reintroduce`) returns in a session of its own, so that
/// no signature given in the former one holds in it.
library SessionTransitions {
    uint256 private constant CANCELLED = 1 << uint256(SessionState.CANCELLED);
    uint256 private constant FAILED = 1 << uint256(SessionState.FAILED);
    uint256 private constant EXPIRED = 1 << uint256(SessionState.EXPIRED);

    uint256 private constant FROM_NONE = 1 << uint256(SessionState.IDENTIFYING);
    uint256 private constant FROM_IDENTIFYING = (1 << uint256(SessionState.PROPOSING)) | EXPIRED | CANCELLED;
    uint256 private constant FROM_PROPOSING =
        (1 << uint256(SessionState.DELIBERATING)) | (1 << uint256(SessionState.VOTING)) | FAILED | CANCELLED;
    uint256 private constant FROM_DELIBERATING = (1 << uint256(SessionState.VOTING)) | CANCELLED;
    uint256 private constant FROM_VOTING = (1 << uint256(SessionState.TALLIED)) | FAILED | CANCELLED;
    uint256 private constant FROM_TALLIED = (1 << uint256(SessionState.VALIDATED)) | FAILED | EXPIRED | CANCELLED;
    uint256 private constant FROM_VALIDATED = (1 << uint256(SessionState.CODIFIED)) | FAILED | EXPIRED | CANCELLED;
    uint256 private constant FROM_CODIFIED = (1 << uint256(SessionState.DEPLOYED)) | FAILED | EXPIRED | CANCELLED;

    uint256 internal constant TABLE =
        (FROM_NONE << (16 * uint256(SessionState.NONE))) |
            (FROM_IDENTIFYING << (16 * uint256(SessionState.IDENTIFYING))) |
            (FROM_PROPOSING << (16 * uint256(SessionState.PROPOSING))) |
            (FROM_DELIBERATING << (16 * uint256(SessionState.DELIBERATING))) |
            (FROM_VOTING << (16 * uint256(SessionState.VOTING))) |
            (FROM_TALLIED << (16 * uint256(SessionState.TALLIED))) |
            (FROM_VALIDATED << (16 * uint256(SessionState.VALIDATED))) |
            (FROM_CODIFIED << (16 * uint256(SessionState.CODIFIED)));

    /// @notice Reverts with `Arcs.IllegalTransition` unless the arc exists.
    function requireArc(SessionState from, SessionState to) internal pure {
        Arcs.requireArc(TABLE, uint8(from), uint8(to));
    }

    /// @notice Whether no arc leaves the state.
    function isFinal(SessionState state) internal pure returns (bool) {
        return Arcs.targets(TABLE, uint8(state)) == 0;
    }
}
