// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {IAdjudicationProcedure} from "../interfaces/IAdjudicationProcedure.sol";
import {IAdjudicatorRoster} from "../interfaces/IAdjudicatorRoster.sol";
import {ICollaborationContract} from "../interfaces/ICollaborationContract.sol";
import {IConstitutionContract} from "../interfaces/IConstitutionContract.sol";
import {IExecutionProcedure} from "../interfaces/IExecutionProcedure.sol";
import {ILegislativeProcedure} from "../interfaces/ILegislativeProcedure.sol";
import {IProducerContract} from "../interfaces/IProducerContract.sol";
import {ITemplateRegistry} from "../interfaces/ITemplateRegistry.sol";
import {ITreasury} from "../interfaces/ITreasury.sol";
import {ActionTable} from "../libraries/ActionTable.sol";
import {Signatures} from "../libraries/Signatures.sol";
import {TypedData} from "../libraries/TypedData.sol";
import {Action, OverrideAction} from "../types/Actions.sol";
import {Param} from "../types/Params.sol";
import {Institution} from "../types/Roles.sol";

/// @notice See `IAdjudicationProcedure`.
contract AdjudicationProcedure is IAdjudicationProcedure, EIP712 {
    using ActionTable for Action;

    /// Who approved alone last, and how often in a row.
    struct Run {
        address adjudicator;
        uint8 length;
    }

    IConstitutionContract private immutable _CONSTITUTION;

    mapping(bytes32 digest => bool executed) private _executed;
    mapping(address mission => mapping(Action action => Run run)) private _runs;

    constructor(IConstitutionContract constitution) EIP712("AgentCity", "1") {
        _CONSTITUTION = constitution;
    }

    /// @inheritdoc IAdjudicationProcedure
    function act(OverrideAction calldata action, Signed[] calldata signatures) external {
        bytes32 digest = digestOf(action);
        if (!action.action.isEnabled()) revert ActionUnavailable(action.action);
        Signatures.requireInTime(action.deadline);
        if (_executed[digest]) revert AlreadyExecuted(digest);
        _requireCase(action);
        address[] memory adjudicators = _requireSigned(action, digest, signatures);

        _executed[digest] = true;
        if (action.action.rotates()) _rotate(action, adjudicators);

        _dispatch(action);
        emit OverrideExecuted(
            digest,
            action.action,
            action.mission,
            action.node,
            action.target,
            adjudicators,
            action.justification
        );
    }

    /// @inheritdoc IAdjudicationProcedure
    function rowOf(Action action) external view returns (Row memory) {
        return
            Row({
                signatures: uint8(_needed(action, _roster())),
                enabled: action.isEnabled(),
                onMission: action.onMission(),
                rotates: action.rotates()
            });
    }

    /// @inheritdoc IAdjudicationProcedure
    function isExecuted(bytes32 digest) external view returns (bool) {
        return _executed[digest];
    }

    /// @inheritdoc IAdjudicationProcedure
    function digestOf(OverrideAction calldata action) public view returns (bytes32) {
        return _hashTypedDataV4(TypedData.hashOverrideAction(action));
    }

    /// @dev A signature judges one state of one genuine mission, and what happened since needs a new one; or it is about the
    /// whole city and names no mission.
    function _requireCase(OverrideAction calldata action) private view {
        if (!action.action.onMission()) {
            if (action.mission != address(0)) revert NotGenuine(action.mission);
            return;
        }
        ITemplateRegistry templates = ITemplateRegistry(_CONSTITUTION.at(Institution.TEMPLATES));
        if (!templates.isGenuine(action.mission)) revert NotGenuine(action.mission);
        bytes32 current = ICollaborationContract(action.mission).caseHash(action.node);
        if (action.caseHash != current) revert StaleCase(action.caseHash, current);
    }

    function _requireSigned(
        OverrideAction calldata action,
        bytes32 digest,
        Signed[] calldata signatures
    ) private view returns (address[] memory adjudicators) {
        IAdjudicatorRoster roster = _roster();
        uint256 needed = _needed(action.action, roster);
        if (signatures.length < needed) revert NotEnoughSignatures(signatures.length, needed);
        adjudicators = new address[](signatures.length);
        address previous;
        for (uint256 i = 0; i < signatures.length; ++i) {
            address signer = signatures[i].adjudicator;
            if (signer <= previous) revert SignersUnsorted(previous, signer);
            if (!roster.isActive(signer)) revert NotAdjudicator(signer);
            if (_isConflicted(roster, signer, action)) revert Conflicted(signer, action.mission);
            Signatures.requireAny(signer, digest, signatures[i].signature);
            adjudicators[i] = signer;
            previous = signer;
        }
    }

    function _isConflicted(
        IAdjudicatorRoster roster,
        address adjudicator,
        OverrideAction calldata action
    ) private view returns (bool) {
        Action what = action.action;
        if (what.onMission()) return roster.isConflicted(adjudicator, action.mission);
        address principal = roster.principalOf(adjudicator);
        if (what == Action.APPROVE_CODIFICATION || what == Action.RULE_ON_BLOC) {
            return principal == _legislation().sessionOf(abi.decode(action.data, (uint256))).sponsor;
        }
        if (what == Action.CLAIM_INSURANCE) {
            (address mission, ) = abi.decode(action.data, (address, uint64));
            if (roster.isConflicted(adjudicator, mission)) return true;
        } else if (what != Action.DISBURSE) {
            return false;
        }
        IProducerContract agents = IProducerContract(_CONSTITUTION.at(Institution.PRODUCERS));
        return action.target == principal || agents.principalOf(action.target) == principal;
    }

    /// @dev How many lift a stop is the constitution's to say; every other count is in the table.
    function _needed(Action action, IAdjudicatorRoster roster) private view returns (uint256) {
        if (action == Action.CLEAR_EMERGENCY_STOP) return _CONSTITUTION.param(Param.EMERGENCY_CLEAR_SIGNATURES);
        return action.signatures(roster.activeCount());
    }

    /// @dev Only an uninterrupted run of sole approvals counts; a shared one or a colleague's ends it.
    function _rotate(OverrideAction calldata action, address[] memory adjudicators) private {
        Run storage run = _runs[action.mission][action.action];
        if (adjudicators.length > 1) {
            delete _runs[action.mission][action.action];
        } else if (run.adjudicator != adjudicators[0]) {
            run.adjudicator = adjudicators[0];
            run.length = 1;
        } else {
            if (run.length >= _CONSTITUTION.param(Param.SOLE_APPROVAL_LIMIT)) {
                revert RotationRequired(adjudicators[0], action.mission, action.action);
            }
            ++run.length;
        }
    }

    function _dispatch(OverrideAction calldata action) private {
        if (action.action.onMission()) {
            ICollaborationContract(action.mission).onOverride(action.action, action.node, action.target, action.data);
        } else if (action.action == Action.RULE_ON_BLOC) {
            (uint256 session, bool release) = abi.decode(action.data, (uint256, bool));
            _legislation().ruleOnBloc(session, action.caseHash, release);
        } else if (action.action == Action.APPROVE_CODIFICATION) {
            _legislation().approveCodification(abi.decode(action.data, (uint256)), action.caseHash);
        } else if (action.action == Action.APPROVE_PREDICATE) {
            IExecutionProcedure execution = IExecutionProcedure(_CONSTITUTION.at(Institution.EXECUTION));
            execution.approvePredicate(abi.decode(action.data, (uint16)), action.target);
        } else if (action.action == Action.CLAIM_INSURANCE) {
            (address mission, uint64 loss) = abi.decode(action.data, (address, uint64));
            _treasury().claimInsurance(mission, action.target, loss, action.justification);
        } else {
            (ITreasury.Purpose purpose, uint64 amount) = abi.decode(action.data, (ITreasury.Purpose, uint64));
            _treasury().disburse(purpose, action.target, amount, action.justification);
        }
    }

    function _treasury() private view returns (ITreasury) {
        return ITreasury(_CONSTITUTION.at(Institution.TREASURY));
    }

    function _roster() private view returns (IAdjudicatorRoster) {
        return IAdjudicatorRoster(_CONSTITUTION.at(Institution.ROSTER));
    }

    function _legislation() private view returns (ILegislativeProcedure) {
        return ILegislativeProcedure(_CONSTITUTION.at(Institution.LEGISLATION));
    }
}
