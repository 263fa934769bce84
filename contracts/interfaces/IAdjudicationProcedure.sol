// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {Action, OverrideAction} from "../types/Actions.sol";

/// @title Humans by signature (AgentCity 3.6, B.12; decisions 26–28).
/// @notice Powers. Distinct, seated, unconflicted adjudicators sign one typed message; anyone relays it; it executes
/// once. Every action needs the signatures of its row; a contract wallet may sign (ERC-1271).
interface IAdjudicationProcedure {
    struct Signed {
        address adjudicator;
        bytes signature;
    }

    /// @notice One row of the action table.
    struct Row {
        /// Signatures needed now.
        uint8 signatures;
        bool enabled;
        /// Executed by `onOverride` on a clone, else city-wide.
        bool onMission;
        /// Nobody may be its sole signer more than SOLE_APPROVAL_LIMIT times in a row in one mission.
        bool rotates;
    }

    event OverrideExecuted(
        bytes32 indexed digest,
        Action indexed action,
        address indexed mission,
        uint8 node,
        address target,
        address[] adjudicators,
        bytes32 justification
    );

    error ActionUnavailable(Action action);
    error AlreadyExecuted(bytes32 digest);
    error Expired(uint40 deadline);
    error SignersUnsorted(address previous, address next);
    error NotEnoughSignatures(uint256 have, uint256 need);
    error NotAdjudicator(address account);
    error Conflicted(address adjudicator, address mission);
    error InvalidSignature(address signer);
    error NotGenuine(address mission);
    error StaleCase(bytes32 signed, bytes32 current);
    error RotationRequired(address adjudicator, address mission, Action action);

    /// @notice Executes a signed action. Anyone may relay; signers in strictly ascending address order. A mission's
    /// action names a genuine clone and its `caseHash(node)`; a city-wide one names no mission. APPROVE_CODIFICATION has
    /// data = abi.encode(uint256 session) and caseHash = the approved spec hash, which the legislation checks; the
    /// session's sponsor is conflicted. APPROVE_PREDICATE names the contract as target, data = abi.encode(uint16 id).
    /// CLAIM_INSURANCE compensates target, data = abi.encode(address mission, uint64 loss); DISBURSE pays target, data =
    /// abi.encode(uint8 purpose, uint64 amount); the justification is the evidence, and nobody signs a payment to itself.
    function act(OverrideAction calldata action, Signed[] calldata signatures) external;

    function rowOf(Action action) external view returns (Row memory);
    function isExecuted(bytes32 digest) external view returns (bool);
    function digestOf(OverrideAction calldata action) external view returns (bytes32);
}
