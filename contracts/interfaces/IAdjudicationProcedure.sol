// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {Action, OverrideAction} from "../types/Actions.sol";

/// @title Humans by signature (AgentCity 3.6, B.12; decisions 26–28).
/// @notice Powers. Distinct, seated, unconflicted adjudicators sign one message, of their act's own type; anyone relays it; it executes
/// once. Every action needs the signatures of its row; a contract wallet may sign (ERC-1271).
interface IAdjudicationProcedure {
    struct Signed {
        address adjudicator;
        bytes signature;
    }

    /// @notice One row of the action table.
    struct Row {
        /// Signatures needed now; some rows may ask for more (`signaturesFor`).
        uint8 signatures;
        /// Executed by `onOverride` on a clone, else city-wide.
        bool onMission;
        /// No seat may be its sole signer more than SOLE_APPROVAL_LIMIT times in a row in one mission.
        bool rotates;
    }

    event OverrideExecuted(
        bytes32 indexed digest,
        Action indexed action,
        address indexed mission,
        uint8 node,
        address target,
        address[] adjudicators,
        bytes32 justification,
        string because
    );
    /// @notice Beside `OverrideExecuted`: the senior adjudicator signed alone what needs more. It must be audited.
    event UnilateralOverride(bytes32 indexed digest, address indexed senior, address indexed mission);
    event UnilateralAudited(bytes32 indexed digest, address indexed senior, bytes32 justification);

    error ActionUnavailable(Action action);
    error QuorumAboveSeats(uint256 quorum, uint256 active);
    error ReputationCapExceeded(uint256 most, uint256 points);
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
    error NothingToAudit(bytes32 digest);
    /// @notice A field is filled that this act does not sign.
    error NotOfThisAct(Action action);
    error DataLength(uint256 given, uint256 wanted);
    /// @notice A word of the data is outside its type.
    error OutOfRange(uint256 offset, bytes32 word);
    /// @notice What an act carries is not what its word is the hash of.
    error NotWhatWasSigned(bytes32 signed, bytes32 given);

    /// @notice Executes a signed action. Anyone may relay; signers in strictly ascending address order. A mission's
    /// action names a genuine clone and its `caseHash(node)`, of node 0 where it concerns the whole mission, or where it ends that
    /// `missionCaseHash()`; one that stops names no state, and a node's attempt. A city-wide one names no mission, and `target` and `data`
    /// as `Action` says. While the watchdog has frozen the panel only IMPEACH and RELEASE_WATCHDOG execute. Conflicted is, as things are when
    /// it executes, who took part in the mission or its tree, sponsors the session, or is or answers for the target (or the principal that
    /// data names); for a release, who is flagged; for an appeal, who decided about its node; for an approval, whose principal issued evidence
    /// that the approval rests on.
    /// @dev Below ⌈q/2⌉ unconflicted seats (q = ADJUDICATOR_QUORUM) the senior's signature alone is enough on a mission, FAULT_SLOTS apart; the next
    /// time only after that was audited.
    function act(OverrideAction calldata action, Signed[] calldata signatures) external;

    function rowOf(Action action) external view returns (Row memory);
    /// @notice Signatures that exactly this action needs now: AMEND_PARAMETER depends on the parameter's risk and on whether the change
    /// weakens protection, CLEAR_EMERGENCY_STOP on the constitution, RELEASE_WATCHDOG on who is flagged, STOP_CITY and RESUME_CITY on
    /// whether a stop holds, a SLASH that bars and FREEZE_PRINCIPAL on how many voters were struck within nine days: beyond a tenth of
    /// them ⌈2/3⌉ of the seats sign.
    function signaturesFor(OverrideAction calldata action) external view returns (uint256);
    /// @notice What the senior adjudicator did alone, not yet audited; zero if there is nothing.
    function unaudited() external view returns (bytes32 digest, address senior);
    /// @notice Of approvals on a mission, those that rotate, only the last one is known: an earlier one judged a state that is gone.
    function isExecuted(OverrideAction calldata action) external view returns (bool);
    /// @notice What is signed: EIP-712 of the act's own type, in this contract's domain.
    function digestOf(OverrideAction calldata action) external view returns (bytes32);
}
