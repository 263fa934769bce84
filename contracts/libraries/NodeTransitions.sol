// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {NodeState} from "../types/States.sol";
import {Arcs} from "./Arcs.sol";

/// @title Life of a node
/// @notice AgentCity B.11, amended by decisions 22–25.
///
///     WAITING ──▶ ELIGIBLE ──▶ EXECUTING ──▶ PENDING_VERIFICATION ──▶ COMPLETED
///                 ▲  ▲  │ │      │  │  │          ▲    │    │             ▲
///                 │  │  │ │      │  │  │          │    │    ▼             │
///                 │  │  │ │      │  │  └──────────│────│──▶ PENDING_REVIEW
///                 │  │  ▼ │      ▼  │             ▼    │        │
///                 │  └─ FROZEN ◀────│──────── FROZEN   │        │
///                 │       │ │       │           │      │        │
///                 │       ▼ ▼       ▼           ▼      ▼        ▼
///                 └────────────────── FAILED ◀───────────────────
///
/// WAITING → ELIGIBLE: all predecessors completed.     ELIGIBLE → EXECUTING: awarded, live code attested, routed.
/// ELIGIBLE → FAILED: the attempt expired without a valid bid, was never routed, or live code differed.
/// EXECUTING → PENDING_VERIFICATION: committed (and revealed).   EXECUTING → FAILED: the executor's time is up.
/// EXECUTING → PENDING_REVIEW: tier 3 without a panel.
/// A node that is no leaf is EXECUTING while its child session or mission is: a child that completed takes it through
/// PENDING_VERIFICATION to COMPLETED in one call, any other end to FAILED.
/// PENDING_VERIFICATION → COMPLETED / FAILED: the mesh cleared it / against it.
/// PENDING_VERIFICATION → PENDING_REVIEW: disputed, unsure, tier 3, vetoed by the gate, or a second panel failed.
/// PENDING_REVIEW → COMPLETED / FAILED: a human approves / rejects, or no ruling came in time.
/// ELIGIBLE, EXECUTING, PENDING_VERIFICATION → FROZEN: an anomaly; the guard reads what was committed (stage 4 of 7).
/// FROZEN → ELIGIBLE / FAILED: a human releases it / does not, or no ruling came in time.
/// FROZEN → PENDING_VERIFICATION: the same for work whose panel was drawn, also when no ruling came. Its panel hears it on.
/// FROZEN → ELIGIBLE also where no ruling came for work that enough have committed: it is opened, and heard.
/// FAILED → ELIGIBLE: reopened as the next attempt. A node past WAITING has its predecessors completed for good, so it
/// never returns to WAITING; that it awaits a new market shows in its empty executor slots, not in its state. For the
/// same reason a WAITING node whose bidding ran out stays WAITING and only counts an attempt.
/// COMPLETED is final.
library NodeTransitions {
    uint256 private constant FROM_WAITING = 1 << uint256(NodeState.ELIGIBLE);
    uint256 private constant FROM_ELIGIBLE =
        (1 << uint256(NodeState.EXECUTING)) | (1 << uint256(NodeState.FROZEN)) | (1 << uint256(NodeState.FAILED));
    uint256 private constant FROM_EXECUTING =
        (1 << uint256(NodeState.PENDING_VERIFICATION)) |
            (1 << uint256(NodeState.PENDING_REVIEW)) |
            (1 << uint256(NodeState.FROZEN)) |
            (1 << uint256(NodeState.FAILED));
    uint256 private constant FROM_PENDING_VERIFICATION =
        (1 << uint256(NodeState.COMPLETED)) |
            (1 << uint256(NodeState.PENDING_REVIEW)) |
            (1 << uint256(NodeState.FROZEN)) |
            (1 << uint256(NodeState.FAILED));
    uint256 private constant FROM_PENDING_REVIEW =
        (1 << uint256(NodeState.COMPLETED)) | (1 << uint256(NodeState.FAILED));
    uint256 private constant FROM_FROZEN =
        (1 << uint256(NodeState.ELIGIBLE)) |
            (1 << uint256(NodeState.PENDING_VERIFICATION)) |
            (1 << uint256(NodeState.FAILED));
    uint256 private constant FROM_FAILED = 1 << uint256(NodeState.ELIGIBLE);

    uint256 internal constant TABLE =
        (FROM_WAITING << (16 * uint256(NodeState.WAITING))) |
            (FROM_ELIGIBLE << (16 * uint256(NodeState.ELIGIBLE))) |
            (FROM_EXECUTING << (16 * uint256(NodeState.EXECUTING))) |
            (FROM_PENDING_VERIFICATION << (16 * uint256(NodeState.PENDING_VERIFICATION))) |
            (FROM_PENDING_REVIEW << (16 * uint256(NodeState.PENDING_REVIEW))) |
            (FROM_FROZEN << (16 * uint256(NodeState.FROZEN))) |
            (FROM_FAILED << (16 * uint256(NodeState.FAILED)));

    /// @notice Reverts with `Arcs.IllegalTransition` unless the arc exists.
    function requireArc(NodeState from, NodeState to) internal pure {
        Arcs.requireArc(TABLE, uint8(from), uint8(to));
    }

    /// @notice Whether no arc leaves the state.
    function isFinal(NodeState state) internal pure returns (bool) {
        return Arcs.targets(TABLE, uint8(state)) == 0;
    }
}
