// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

/// @notice Mission lifecycle (AgentCity B.3). Arcs in `libraries/MissionTransitions.sol`.
enum MissionState {
    PENDING,
    ACTIVE,
    EXECUTING,
    VERIFICATION,
    DEGRADED,
    COMPLETED,
    FAILED,
    ABORTED
}

/// @notice Node lifecycle (AgentCity B.11). PENDING_FINALIZATION exists off chain only.
enum NodeState {
    WAITING,
    ELIGIBLE,
    EXECUTING,
    PENDING_VERIFICATION,
    PENDING_REVIEW,
    FROZEN,
    COMPLETED,
    FAILED
}

/// @notice Why an attempt failed (AgentCity B.11.4). Derived from reason and tier by `libraries/Faults.sol`.
enum FaultType {
    POP_REJECTED,
    FREEZE_REASSIGN,
    TIMEOUT,
    CODEHASH_MISMATCH,
    STATE_TRANSITION_FAILURE,
    CONSENSUS_FAILED
}

/// @notice Where the fault lies: in the code that ran, in who ran it, or in the law that asked for it.
enum FaultClass {
    SERVICE,
    BEHAVIOUR,
    SPECIFICATION
}

/// @notice Legislative session lifecycle. Arcs in `libraries/SessionTransitions.sol`.
enum SessionState {
    NONE,
    IDENTIFYING,
    PROPOSING,
    DELIBERATING,
    VOTING,
    TALLIED,
    VALIDATED,
    CODIFIED,
    DEPLOYED,
    FAILED,
    EXPIRED,
    CANCELLED
}
