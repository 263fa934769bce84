// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {Admission} from "../types/Law.sol";
import {SchemaStatement} from "../types/Messages.sol";
import {IPredicate} from "./IPredicate.sol";

/// @title A gate that lets pass what an issuer of evidence has found to keep the schema of its law (decision 76)
/// @notice Contracts see hashes only: an issuer that the city registered, of nobody's house who has a part in the mission, looks at the output.
/// What it states is about one obligation, hence about one attempt under one law, and about the law's schema for that node and no other.
interface IKeepsSchema is IPredicate {
    event SchemaKept(
        address indexed mission,
        uint8 indexed node,
        bytes32 indexed obligation,
        bytes32 outputHash,
        bytes32 schemaHash,
        address issuer
    );

    error Expired(uint40 deadline);
    error NotGenuine(address mission);
    /// @notice What was stated is about another attempt of the node, or another node.
    error WrongObligation(bytes32 stated, bytes32 current);
    /// @notice The law has no such schema for the node.
    error SchemaNotInLaw(address mission, uint8 node, bytes32 schemaHash);
    /// @notice The issuer may issue nothing that reaches the node's floor.
    error IssuerNotRegistered(address issuer, uint8 floor);
    error IssuerConflict(address issuer, address principal);
    error InvalidSignature(address signer);
    error AlreadyShown(bytes32 obligation, bytes32 outputHash);

    /// @notice Remembers what an issuer states, once an output. Anyone with its key's signature.
    /// @param admission Shows that the law has the schema for the node, by an entry of its list of services.
    function show(SchemaStatement calldata statement, Admission calldata admission, bytes calldata signature) external;

    /// @notice Whether an output was shown to keep its schema under that obligation.
    function isShown(bytes32 obligation, bytes32 outputHash) external view returns (bool);
    /// @notice Where the city's institutions are asked for.
    function city() external view returns (address constitution);
}
