// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {Auth, Office} from "../types/Roles.sol";

/// @title Delegation mandates: which artifact must come from which registered service (AgentCity B.3).
/// @notice Powers. The governor sets mandates. A clerk of the office opens and completes delegations; a codification
/// without its recorded delegations reverts.
interface IManagementContract {
    struct Mandate {
        Office office;
        bool needsIntermediate;
        bytes32 service;
        bytes32 schemaHash;
    }

    struct Delegation {
        bytes32 operation;
        bytes32 inputHash;
        bytes32 outputHash;
        bytes32 intermediateHash;
        address clerk;
    }

    event MandateSet(
        Office indexed office,
        bytes32 indexed operation,
        bytes32 service,
        bool needsIntermediate,
        bytes32 schemaHash
    );
    event Delegated(
        bytes32 indexed delegation,
        address indexed clerk,
        bytes32 indexed operation,
        bytes32 service,
        bytes32 inputHash
    );
    event DelegationRecorded(
        bytes32 indexed delegation,
        bytes32 outputHash,
        bytes32 intermediateHash,
        address indexed runner
    );

    error NotGovernor(address caller);
    error NotClerk(Office office, address account);
    error NoMandate(bytes32 operation);
    error ServiceUnavailable(bytes32 service);
    error WrongService(bytes32 operation, bytes32 required, bytes32 given);
    error UnknownDelegation(bytes32 delegation);
    error AlreadyRecorded(bytes32 delegation);
    error MissingOutput(bytes32 delegation);
    error MissingIntermediate(bytes32 delegation);
    error NotRunner(address account);
    error RunnerConflict(address runner);
    error InvalidSignature(address signer);
    error Expired(uint40 deadline);
    error TooManyMandates(Office office, uint256 max);

    /// @notice Obliges an office to have an operation done by a service, which must be live. What it replaces may serve the sessions that
    /// are open; naming the same service again ends that. Caller: governor.
    function setMandate(
        Office office,
        bytes32 operation,
        bytes32 service,
        bool needsIntermediate,
        bytes32 schemaHash
    ) external;
    /// @notice Opens a delegation. Caller: a clerk of the mandate's office. The id is keccak256(session, operation, inputHash).
    /// Until it is recorded, any clerk of the office may delegate again, and record.
    /// @param service What the clerk has the operation done by; the mandate's, or the one before it where the session was open when it was
    /// replaced. Its owner's deprecation does not reach a mandate.
    function delegate(
        uint256 session,
        bytes32 operation,
        bytes32 service,
        bytes32 inputHash
    ) external returns (bytes32 delegation);
    /// @notice Completes a delegation with what a runner signs that the service made: a registered one, of another principal than the clerk's
    /// (decision 77). Caller: a clerk of the mandate's office, who answers for it.
    function recordResult(
        bytes32 delegation,
        bytes32 outputHash,
        bytes32 intermediateHash,
        Auth calldata runner
    ) external;

    function mandateOf(bytes32 operation) external view returns (Mandate memory);
    /// @notice Operations an office must have delegated; at most 8.
    function operationsOf(Office office) external view returns (bytes32[] memory);
    function delegationOf(bytes32 delegation) external view returns (Delegation memory);
    function delegationId(uint256 session, bytes32 operation, bytes32 inputHash) external pure returns (bytes32);
}
