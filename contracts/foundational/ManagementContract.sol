// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {IClerkContract} from "../interfaces/IClerkContract.sol";
import {IConstitutionContract} from "../interfaces/IConstitutionContract.sol";
import {IEvidenceRegistry} from "../interfaces/IEvidenceRegistry.sol";
import {ILegislativeProcedure} from "../interfaces/ILegislativeProcedure.sol";
import {IManagementContract} from "../interfaces/IManagementContract.sol";
import {IProducerContract} from "../interfaces/IProducerContract.sol";
import {IServiceContract} from "../interfaces/IServiceContract.sol";
import {Signatures} from "../libraries/Signatures.sol";
import {TypedData} from "../libraries/TypedData.sol";
import {Auth, Institution, Office} from "../types/Roles.sol";

/// @notice See `IManagementContract`.
contract ManagementContract is IManagementContract, EIP712 {
    uint256 private constant _MAX_MANDATES = 8;

    IConstitutionContract private immutable _CONSTITUTION;

    /// @dev One slot for the service, one for the block in which another took its place.
    struct Former {
        bytes32 service;
        uint32 replacedBlock;
    }

    mapping(bytes32 operation => Mandate mandate) private _mandates;
    mapping(bytes32 operation => Former former) private _formers;
    mapping(Office office => bytes32[] operations) private _operations;
    mapping(bytes32 delegation => Delegation entry) private _delegations;

    constructor(IConstitutionContract constitution) EIP712("AgentCity", "1") {
        _CONSTITUTION = constitution;
    }

    /// @inheritdoc IManagementContract
    function setMandate(
        Office office,
        bytes32 operation,
        bytes32 service,
        bool needsIntermediate,
        bytes32 schemaHash
    ) external {
        if (!_CONSTITUTION.isGovernor(msg.sender)) revert NotGovernor(msg.sender);
        _requireLive(service);
        Mandate storage mandate = _mandates[operation];
        bool known = mandate.service != 0;
        if (known && mandate.office != office) _removeOperation(mandate.office, operation);
        if (!known || mandate.office != office) _addOperation(office, operation);
        // The same service again: its predecessor stops at once.
        if (mandate.service == service) delete _formers[operation];
        else if (known) _formers[operation] = Former(mandate.service, uint32(block.number));

        _mandates[operation] = Mandate({
            office: office,
            needsIntermediate: needsIntermediate,
            service: service,
            schemaHash: schemaHash
        });
        emit MandateSet(office, operation, service, needsIntermediate, schemaHash);
    }

    /// @inheritdoc IManagementContract
    function delegate(
        uint256 session,
        bytes32 operation,
        bytes32 service,
        bytes32 inputHash
    ) external returns (bytes32 delegation) {
        Mandate memory mandate = _mandates[operation];
        if (mandate.service == 0) revert NoMandate(operation);
        _requireClerk(mandate.office);
        if (service != mandate.service && !_mayStillServe(session, operation, service)) {
            revert WrongService(operation, mandate.service, service);
        }
        // A mandate ends by adjudicators' word: whether the service's owner offers it to others makes no difference.
        delegation = delegationId(session, operation, inputHash);
        Delegation storage entry = _delegations[delegation];
        if (entry.outputHash != 0) revert AlreadyRecorded(delegation);

        (entry.operation, entry.inputHash, entry.clerk) = (operation, inputHash, msg.sender);
        emit Delegated(delegation, msg.sender, operation, service, inputHash);
    }

    /// @inheritdoc IManagementContract
    function recordResult(
        bytes32 delegation,
        bytes32 outputHash,
        bytes32 intermediateHash,
        Auth calldata runner
    ) external {
        Delegation storage entry = _delegations[delegation];
        if (entry.clerk == address(0)) revert UnknownDelegation(delegation);
        Mandate memory mandate = _mandates[entry.operation];
        // Any clerk of the office: else a colleague could delegate again just before, and nothing would be recorded.
        _requireClerk(mandate.office);
        if (entry.outputHash != 0) revert AlreadyRecorded(delegation);
        if (outputHash == 0) revert MissingOutput(delegation);
        if (mandate.needsIntermediate && intermediateHash == 0) revert MissingIntermediate(delegation);
        _requireRunner(runner.agent);
        bytes32 message = TypedData.hashDelegationResult(
            runner.agent,
            delegation,
            outputHash,
            intermediateHash,
            runner.deadline
        );
        Signatures.requireAuth(runner, _hashTypedDataV4(message));

        (entry.outputHash, entry.intermediateHash, entry.clerk) = (outputHash, intermediateHash, msg.sender);
        emit DelegationRecorded(delegation, outputHash, intermediateHash, runner.agent);
    }

    /// @inheritdoc IManagementContract
    function mandateOf(bytes32 operation) external view returns (Mandate memory) {
        return _mandates[operation];
    }

    /// @inheritdoc IManagementContract
    function operationsOf(Office office) external view returns (bytes32[] memory) {
        return _operations[office];
    }

    /// @inheritdoc IManagementContract
    function delegationOf(bytes32 delegation) external view returns (Delegation memory) {
        return _delegations[delegation];
    }

    /// @inheritdoc IManagementContract
    function delegationId(uint256 session, bytes32 operation, bytes32 inputHash) public pure returns (bytes32) {
        return keccak256(abi.encode(session, operation, inputHash));
    }

    function _requireClerk(Office office) private view {
        bool isClerk = IClerkContract(_CONSTITUTION.at(Institution.CLERKS)).isClerk(office, msg.sender);
        if (!isClerk) revert NotClerk(office, msg.sender);
    }

    /// @dev Who ran the service, and does not answer to whoever answers for the clerk.
    function _requireRunner(address runner) private view {
        IEvidenceRegistry evidence = IEvidenceRegistry(_CONSTITUTION.at(Institution.EVIDENCE));
        if (!evidence.isRunner(runner)) revert NotRunner(runner);
        address house = IProducerContract(_CONSTITUTION.at(Institution.PRODUCERS)).principalOf(msg.sender);
        if (evidence.principalOf(runner) == house) revert RunnerConflict(runner);
    }

    /// @dev What was mandated when a session opened may serve it to its end.
    function _mayStillServe(uint256 session, bytes32 operation, bytes32 service) private view returns (bool) {
        Former memory former = _formers[operation];
        if (service == 0 || service != former.service) return false;
        uint32 opened = ILegislativeProcedure(_CONSTITUTION.at(Institution.LEGISLATION)).sessionOf(session).openedBlock;
        return opened != 0 && opened < former.replacedBlock;
    }

    function _requireLive(bytes32 service) private view {
        bool live = IServiceContract(_CONSTITUTION.at(Institution.SERVICES)).isLive(service);
        if (!live) revert ServiceUnavailable(service);
    }

    function _addOperation(Office office, bytes32 operation) private {
        bytes32[] storage operations = _operations[office];
        if (operations.length == _MAX_MANDATES) revert TooManyMandates(office, _MAX_MANDATES);
        operations.push(operation);
    }

    function _removeOperation(Office office, bytes32 operation) private {
        bytes32[] storage operations = _operations[office];
        uint256 last = operations.length - 1;
        for (uint256 i = 0; i < last; ++i) {
            if (operations[i] == operation) operations[i] = operations[last];
        }
        operations.pop();
    }
}
