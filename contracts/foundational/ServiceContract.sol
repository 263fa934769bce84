// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {IServiceContract} from "../interfaces/IServiceContract.sol";
import {Admissions} from "../libraries/Admissions.sol";
import {Signatures} from "../libraries/Signatures.sol";
import {TypedData} from "../libraries/TypedData.sol";
import {Auth} from "../types/Roles.sol";

/// @notice See `IServiceContract`.
contract ServiceContract is IServiceContract, EIP712 {
    struct Entry {
        address owner;
        bool deprecated;
    }

    mapping(bytes32 service => Entry entry) private _entries;

    constructor() EIP712("AgentCity", "1") {}

    /// @inheritdoc IServiceContract
    function registerService(
        bytes32 codeHash,
        bytes32 schemaHash,
        string calldata endpoint,
        bytes32 constraints,
        Auth calldata auth
    ) external returns (bytes32 service) {
        bytes32 message = TypedData.hashRegisterService(
            auth.agent,
            codeHash,
            schemaHash,
            endpoint,
            constraints,
            auth.deadline
        );
        Signatures.requireAuth(auth, _hashTypedDataV4(message));
        if (codeHash == 0) revert ZeroCodeHash();
        service = _id(auth.agent, codeHash, schemaHash, endpoint, constraints);
        if (_entries[service].owner != address(0)) revert AlreadyRegistered(service);

        _entries[service].owner = auth.agent;
        emit ServiceRegistered(service, auth.agent, codeHash, schemaHash, endpoint, constraints);
    }

    /// @inheritdoc IServiceContract
    function deprecateService(bytes32 service) external {
        Entry storage entry = _entries[service];
        if (entry.owner == address(0)) revert UnknownService(service);
        if (entry.owner != msg.sender) revert NotOwner(service, msg.sender);
        entry.deprecated = true;
        emit ServiceDeprecated(service);
    }

    /// @inheritdoc IServiceContract
    function verifyCodeHash(bytes32 service, Service calldata record, bytes32 liveHash) external view returns (bool) {
        return _entries[service].owner != address(0) && idOf(record) == service && record.codeHash == liveHash;
    }

    /// @inheritdoc IServiceContract
    function ownerOf(bytes32 service) external view returns (address) {
        return _entries[service].owner;
    }

    /// @inheritdoc IServiceContract
    function isLive(bytes32 service) external view returns (bool) {
        return sellerOf(service) != address(0);
    }

    /// @inheritdoc IServiceContract
    function sellerOf(bytes32 service) public view returns (address) {
        Entry memory entry = _entries[service];
        return entry.deprecated ? address(0) : entry.owner;
    }

    /// @inheritdoc IServiceContract
    function idOf(Service calldata record) public pure returns (bytes32) {
        return _id(record.owner, record.codeHash, record.schemaHash, record.endpoint, record.constraints);
    }

    function _id(
        address owner,
        bytes32 codeHash,
        bytes32 schemaHash,
        string calldata endpoint,
        bytes32 constraints
    ) private pure returns (bytes32) {
        return Admissions.serviceId(owner, codeHash, schemaHash, keccak256(abi.encode(endpoint, constraints)));
    }
}
