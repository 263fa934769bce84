// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {FaultClass, FaultType} from "../types/States.sol";
import {SlashingSchedule} from "./SlashingSchedule.sol";

/// @title What a failed attempt tells about whom
/// @notice AgentCity B.11.4: six fault types in three classes. The class says what answers a fault: another executor of the same law
/// (SERVICE, BEHAVIOUR: the node's market reopens), or another law (SPECIFICATION: a new session).
library Faults {
    uint8 private constant CONSENSUS = 2;
    uint8 private constant RERUN = 1;

    /// @param reason As `FaultSignalled` carries it.
    /// @param tier The failed node's, 1–3; 0 of a node that is no leaf.
    function typeOf(bytes32 reason, uint8 tier) internal pure returns (FaultType) {
        if (reason == SlashingSchedule.MISMATCH) return FaultType.CODEHASH_MISMATCH;
        if (reason == SlashingSchedule.FREEZE_CONFIRMED || reason == SlashingSchedule.FREEZE_EXPIRED) {
            return FaultType.FREEZE_REASSIGN;
        }
        // Redundant executors who could not agree, and those who agreed on what is wrong.
        bool byPanel = reason == SlashingSchedule.CLEARED_FAIL || reason == SlashingSchedule.UNVERIFIABLE;
        if (byPanel) return tier == CONSENSUS ? FaultType.CONSENSUS_FAILED : FaultType.POP_REJECTED;
        if (reason == SlashingSchedule.REJECTED) return FaultType.POP_REJECTED;
        // What should have happened on chain did not: a bound node was never routed, a child made no law or failed.
        if (reason == SlashingSchedule.NOT_ROUTED || reason == SlashingSchedule.CHILD_FAILED) {
            return FaultType.STATE_TRANSITION_FAILURE;
        }
        return FaultType.TIMEOUT;
    }

    function classOf(FaultType fault, uint8 tier) internal pure returns (FaultClass) {
        if (fault == FaultType.CONSENSUS_FAILED) return FaultClass.SPECIFICATION;
        bool byAgent = fault == FaultType.FREEZE_REASSIGN || (fault == FaultType.POP_REJECTED && tier != RERUN);
        return byAgent ? FaultClass.BEHAVIOUR : FaultClass.SERVICE;
    }
}
