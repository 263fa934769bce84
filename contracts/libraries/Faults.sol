// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {Tier} from "../types/Law.sol";
import {FaultClass, FaultType} from "../types/States.sol";
import {Reasons} from "./Reasons.sol";

/// @title Classification of failed attempts
/// @notice AgentCity B.11.4: six fault types in three classes. The class says what answers a fault: another executor of the same law
/// (SERVICE, BEHAVIOUR: the node's market reopens), or another law (SPECIFICATION: a new session).
library Faults {
    /// @param reason As `FaultSignalled` carries it.
    /// @param tier The failed node's.
    function typeOf(bytes32 reason, Tier tier) internal pure returns (FaultType) {
        if (reason == Reasons.CODE_HASH_MISMATCH) return FaultType.CODEHASH_MISMATCH;
        if (reason == Reasons.FREEZE_CONFIRMED || reason == Reasons.FREEZE_EXPIRED) {
            return FaultType.FREEZE_REASSIGN;
        }
        // Redundant executors who could not agree, as a human confirmed, and those who agreed on what is wrong.
        bool byPanel = reason == Reasons.CLEARED_FAIL || reason == Reasons.UNVERIFIABLE;
        if (byPanel) return tier == Tier.CONSENSUS ? FaultType.CONSENSUS_FAILED : FaultType.POP_REJECTED;
        if (reason == Reasons.REJECTED) return FaultType.POP_REJECTED;
        // A required transition is missing: a bound node was never routed, or a child mission made no law or failed.
        if (reason == Reasons.NOT_ROUTED || reason == Reasons.CHILD_FAILED) {
            return FaultType.STATE_TRANSITION_FAILURE;
        }
        return FaultType.TIMEOUT;
    }

    function classOf(FaultType fault, Tier tier) internal pure returns (FaultClass) {
        if (fault == FaultType.CONSENSUS_FAILED) return FaultClass.SPECIFICATION;
        bool byAgent = fault == FaultType.FREEZE_REASSIGN || (fault == FaultType.POP_REJECTED && tier != Tier.RERUN);
        return byAgent ? FaultClass.BEHAVIOUR : FaultClass.SERVICE;
    }
}
