// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

/// @notice What adjudicators can do by signature (AgentCity B.12). Rows not yet enabled revert with `ActionUnavailable`.
enum Action {
    NONE,
    FREEZE,
    UNFREEZE,
    TERMINATE_MISSION,
    APPROVE_POP,
    REJECT_POP,
    AMEND_PARAMETER,
    ADJUST_REPUTATION,
    CLASSIFY_FALSE_POSITIVE,
    EMERGENCY_STOP,
    CLEAR_EMERGENCY_STOP,
    APPROVE_PREDICATE,
    VETO_OUTPUT,
    RELEASE_OUTPUT,
    RESOLVE_APPEAL,
    SLASH,
    FREEZE_PRINCIPAL,
    CLAIM_INSURANCE,
    DISBURSE,
    APPROVE_CODIFICATION,
    APPOINT_CLERK,
    SET_ENVELOPE,
    PUBLISH_TEMPLATE,
    REGISTER_ISSUER,
    ADMIT_ADJUDICATOR,
    AMEND_CONSTITUTION,
    /// A vote that a flagged bloc may have decided: release it to `approve`, or void it.
    RULE_ON_BLOC
}

/// @notice The one typed message of adjudication (decisions 28).
struct OverrideAction {
    Action action;
    /// Clone the action concerns; zero for city-wide actions.
    address mission;
    uint8 node;
    /// Agent or contract concerned; meaning depends on the action.
    address target;
    /// Action-specific arguments, ABI-encoded.
    bytes data;
    /// Content-id digest of the justification text.
    bytes32 justification;
    /// The state this action judges: `caseHash()` of the mission, or the session's spec hash.
    bytes32 caseHash;
    uint256 salt;
    /// Unix seconds.
    uint40 deadline;
}
