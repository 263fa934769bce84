// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

/// @notice What adjudicators can do by signature (AgentCity B.12). What each needs: `libraries/ActionTable.sol`. In brackets, what
/// `target` is and what `data` encodes; without brackets both are empty. A mission's actions: `ICollaborationContract.onOverride`. An
/// ellipsis: the hash of what follows the words, and that (`Acts`).
enum Action {
    NONE,
    /// [–; uint8 attempt].
    FREEZE,
    UNFREEZE,
    TERMINATE_MISSION,
    /// [–; uint256 basis, uint16 share … Opening[], EvidenceItem[]].
    APPROVE_POP,
    REJECT_POP,
    /// A parameter of the constitution, within its range [–; Param, uint256 value].
    AMEND_PARAMETER,
    /// Whole points up or down, at most 100, and 200 of one principal in 30 days [agent; int256 delta].
    ADJUST_REPUTATION,
    CLASSIFY_FALSE_POSITIVE,
    EMERGENCY_STOP,
    CLEAR_EMERGENCY_STOP,
    /// A contract that laws may name as their gate [contract; uint16 id].
    APPROVE_PREDICATE,
    /// [–; uint8 attempt].
    VETO_OUTPUT,
    /// [–; uint8 slot … Opening].
    RELEASE_OUTPUT,
    /// [–; `ICollaborationContract.Resolution`].
    RESOLVE_APPEAL,
    /// Takes stake of a producer or verifier, optionally bars it permanently [agent; uint64 amount, bool ban].
    SLASH,
    /// A principal's whole portfolio: agents, clerks, issuers, verifiers, runners and monitors it has or will have. False lifts it
    /// [principal; bool frozen].
    FREEZE_PRINCIPAL,
    /// Compensates an executor [agent; address mission, uint64 loss].
    CLAIM_INSURANCE,
    /// Spends fees [recipient; Purpose, uint64 amount].
    DISBURSE,
    /// [–; uint256 session], `caseHash` = the spec hash.
    APPROVE_CODIFICATION,
    /// Gives an office to a clerk; principal zero takes it away [clerk; Office, address principal].
    APPOINT_CLERK,
    /// What an office may call [–; Office, uint16 maxPerSession … bytes4[] selectors, a word each].
    SET_ENVELOPE,
    /// A version of a template that missions are cloned from [implementation; bytes32 name, bytes32 auditHash].
    PUBLISH_TEMPLATE,
    /// Gives an account a role in evidence, or with role NONE takes all it has: a compromised issuer or verifier
    /// [account; EvidenceRole, address principal, uint16 classes or weight].
    REGISTER_ISSUER,
    /// [candidate, who must have approved its stake; address principal].
    ADMIT_ADJUDICATOR,
    /// Announces a procedure, which anybody puts in office when its time has come; target zero takes that back
    /// [procedure; Institution].
    AMEND_CONSTITUTION,
    /// A vote that a flagged bloc may have decided: release it to `approve`, or void it [–; uint256 session, bool release].
    RULE_ON_BLOC,
    /// Takes seat and stake of an adjudicator and bars it permanently [adjudicator].
    IMPEACH,
    /// Closes the audit of what the senior adjudicator did alone [the senior who did it; bytes32 digest].
    AUDIT_UNILATERAL,
    /// Ends the watchdog's freeze of the panel.
    RELEASE_WATCHDOG,
    /// A frozen node continues with its executors under an amended mandate; each loses 20 points [–; bytes32 digest of the mandate].
    RESUME_WITH_AMENDMENT,
    /// Has an office's operation done by another service [–; Office, bytes32 operation, bytes32 service, bool needsIntermediate,
    /// bytes32 schemaHash].
    SET_MANDATE,
    /// Executors of a node that ended with its mission answer for it: their locks go after a window [–; uint8 attempt, uint8 slots].
    FAULT_SLOTS,
    /// Stops the city: nothing new opens or is routed; while it is stopped, prolongs that.
    STOP_CITY,
    /// Ends the city's stop.
    RESUME_CITY,
    /// Keeps one agent from new work for twice MAX_HUMAN_REVIEW_TIMEOUT; false lifts it [agent; bool frozen].
    FREEZE_AGENT
}

/// @notice What an action says about the work it is about, to the watchdog.
enum Decision {
    NEITHER,
    APPROVES,
    REJECTS
}

/// @notice An order as submitted. What is signed of it is the act's own EIP-712 type (decisions 28 and 85; `meta/adjudication/Acts.sol`): a field
/// that this does not name is zero.
struct OverrideAction {
    Action action;
    /// Clone the action concerns; zero for city-wide actions.
    address mission;
    uint8 node;
    /// Agent or contract concerned; meaning depends on the action.
    address target;
    /// The arguments of the action.
    bytes data;
    /// Why; its sha2-256 is the justification that institutions keep.
    string because;
    /// The state this action judges: `caseHash(node)` or `missionCaseHash()` of the mission, the session's spec hash, or that of its bloc.
    /// Acts that stop a mission, and those on the city, judge none.
    bytes32 caseHash;
    /// Of acts that judge no state.
    uint256 salt;
    /// Unix seconds.
    uint40 deadline;
}
