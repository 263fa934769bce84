// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {Auth} from "../types/Roles.sol";

/// @title Registered code (AgentCity B.3). Content-addressed: the id commits to the whole record.
interface IServiceContract {
    /// @notice The record; only its hash (the id) and the owner are stored.
    struct Service {
        address owner;
        /// keccak256 of the bundled code.
        bytes32 codeHash;
        /// keccak256 of the canonical input and output schemas.
        bytes32 schemaHash;
        string endpoint;
        /// Packed: maxLatency ms 32 | maxMemory MB 16 | maxConcurrent 8 | maxTools 16 | maxMessages 16, lowest first.
        bytes32 constraints;
    }

    event ServiceRegistered(
        bytes32 indexed service,
        address indexed owner,
        bytes32 indexed codeHash,
        bytes32 schemaHash,
        string endpoint,
        bytes32 constraints
    );
    event ServiceDeprecated(bytes32 indexed service);

    error ZeroCodeHash();
    error AlreadyRegistered(bytes32 service);
    error NotOwner(bytes32 service, address caller);
    error InvalidSignature(address signer);
    error Expired(uint40 deadline);
    error UnknownService(bytes32 service);

    /// @notice Registers code the agent sells. Caller: anyone with the agent's authorisation. The id is keccak256(owner, codeHash,
    /// schemaHash, keccak256(endpoint, constraints)), so that a proof of code and schemas takes four words. An id is used once only, so an
    /// authorisation needs no nonce. Services of unregistered owners cannot be used in bids: the market requires their
    /// owner's principal.
    function registerService(
        bytes32 codeHash,
        bytes32 schemaHash,
        string calldata endpoint,
        bytes32 constraints,
        Auth calldata auth
    ) external returns (bytes32 service);
    /// @notice Takes a service off the market for good. Caller: owner.
    function deprecateService(bytes32 service) external;

    /// @notice True if `record` is the registered record behind `service` and its code hash equals `liveHash`.
    function verifyCodeHash(bytes32 service, Service calldata record, bytes32 liveHash) external view returns (bool);
    function idOf(Service calldata record) external pure returns (bytes32);
    function ownerOf(bytes32 service) external view returns (address);
    /// @notice Registered and not deprecated.
    function isLive(bytes32 service) external view returns (bool);
    /// @notice Owner of a service that is live; zero for any other.
    function sellerOf(bytes32 service) external view returns (address);
}
