// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {IAdjudicationProcedure} from "../interfaces/IAdjudicationProcedure.sol";
import {IAdjudicatorRoster} from "../interfaces/IAdjudicatorRoster.sol";
import {IAdjudicatorWatchdog} from "../interfaces/IAdjudicatorWatchdog.sol";
import {ICollaborationContract} from "../interfaces/ICollaborationContract.sol";
import {IConstitutionContract} from "../interfaces/IConstitutionContract.sol";
import {ITemplateRegistry} from "../interfaces/ITemplateRegistry.sol";
import {ActionTable} from "../libraries/ActionTable.sol";
import {Acts} from "./adjudication/Acts.sol";
import {ParamRanges} from "../libraries/ParamRanges.sol";
import {Signatures} from "../libraries/Signatures.sol";
import {Action, Decision, OverrideAction} from "../types/Actions.sol";
import {Param} from "../types/Params.sol";
import {Institution} from "../types/Roles.sol";
import {NodeState} from "../types/States.sol";
import {Conflicts} from "./adjudication/Conflicts.sol";
import {Orders} from "./adjudication/Orders.sol";

/// @title Humans by signature
/// @dev Who may sign is here and in `Conflicts`; what an action on the city then does is in `Orders`.
contract AdjudicationProcedure is IAdjudicationProcedure, EIP712 {
    using ActionTable for Action;

    /// What the senior adjudicator did alone.
    struct Unilateral {
        bytes32 digest;
        address senior;
    }

    uint256 private constant _LANE_BITS = 32;
    uint256 private constant _LANE = type(uint32).max;
    /// SOLE_APPROVAL_LIMIT is at most 2.
    uint256 private constant _RUN = 3;
    uint256 private constant _LAST_AT = 160;

    IConstitutionContract private immutable _CONSTITUTION;

    /// Without the approvals on missions: the mission refuses a second one, since the first changed the state that it judges.
    mapping(bytes32 digest => bool executed) private _executed;
    /// A lane of 32 bits for each kind of approval: how often in a row the last one was given alone (2 bits), above it the end of the
    /// address that gave it. From bit 160 on the end of the last approval's digest, of whatever kind.
    mapping(address mission => uint256 given) private _approvals;
    Unilateral private _unaudited;
    /// Bit n: it decided about node n, or signed that its executors are at fault.
    mapping(address mission => mapping(address adjudicator => uint256 nodes)) private _judged;
    Orders.Record private _record;

    constructor(IConstitutionContract constitution) EIP712("AgentCity", "1") {
        _CONSTITUTION = constitution;
    }

    /// @inheritdoc IAdjudicationProcedure
    /// @dev No lock: an order is spent before it is carried out.
    function act(OverrideAction calldata action, Signed[] calldata signatures) external {
        bytes32 digest = digestOf(action);
        IAdjudicatorRoster roster = _roster();
        uint256 needed = _needed(action, roster);
        if (needed == 0) revert ActionUnavailable(action.action);
        if (!action.action.passesFreeze()) _watchdog().requireUnfrozen();
        Signatures.requireInTime(action.deadline);
        if (_isExecuted(action, digest)) revert AlreadyExecuted(digest);
        _requireGenuine(action);
        address[] memory adjudicators = _requireSigned(roster, action, digest, signatures);
        bool alone = adjudicators.length < needed;
        if (alone && !_maySignAlone(roster, action, adjudicators)) {
            revert NotEnoughSignatures(adjudicators.length, needed);
        }

        if (action.action.rotates()) _rotate(action, digest, adjudicators);
        else _executed[digest] = true;
        _note(action, adjudicators);
        if (alone) _unaudited = Unilateral({digest: digest, senior: adjudicators[0]});
        if (action.action.isAppealable()) _remember(action, adjudicators);
        if (action.action.concernsCase()) _countCase(roster, action, adjudicators);

        _carryOut(action, digest, adjudicators);
        if (alone) emit UnilateralOverride(digest, adjudicators[0], action.mission);
    }

    /// @inheritdoc IAdjudicationProcedure
    function rowOf(Action action) external view returns (Row memory) {
        uint256 signatures =
            action == Action.CLEAR_EMERGENCY_STOP
                ? _CONSTITUTION.param(Param.EMERGENCY_CLEAR_SIGNATURES)
                : action.signatures(_roster().activeCount());
        // At most as many as there are seats.
        return Row({signatures: uint8(signatures), onMission: action.onMission(), rotates: action.rotates()});
    }

    /// @inheritdoc IAdjudicationProcedure
    function signaturesFor(OverrideAction calldata action) external view returns (uint256) {
        return _needed(action, _roster());
    }

    /// @inheritdoc IAdjudicationProcedure
    function unaudited() external view returns (bytes32 digest, address senior) {
        return (_unaudited.digest, _unaudited.senior);
    }

    /// @inheritdoc IAdjudicationProcedure
    function isExecuted(OverrideAction calldata action) external view returns (bool) {
        return _isExecuted(action, digestOf(action));
    }

    /// @inheritdoc IAdjudicationProcedure
    function digestOf(OverrideAction calldata action) public view returns (bytes32 digest) {
        bytes32 signed = Acts.structHash(action);
        digest = _hashTypedDataV4(signed);
    }

    function _isExecuted(OverrideAction calldata action, bytes32 digest) private view returns (bool) {
        if (!action.action.rotates()) return _executed[digest];
        return _approvals[action.mission] >> _LAST_AT == _endOf(digest);
    }

    /// @dev A signature is about one genuine mission. Whether the state that it judges is still the mission's, the mission says (`onOverride`).
    function _requireGenuine(OverrideAction calldata action) private view {
        if (action.action.onMission() && !_isGenuine(action.mission)) revert NotGenuine(action.mission);
    }

    function _isGenuine(address mission) private view returns (bool) {
        return ITemplateRegistry(_CONSTITUTION.at(Institution.TEMPLATES)).isGenuine(mission);
    }

    function _requireSigned(
        IAdjudicatorRoster roster,
        OverrideAction calldata action,
        bytes32 digest,
        Signed[] calldata signatures
    ) private view returns (address[] memory adjudicators) {
        adjudicators = new address[](signatures.length);
        address previous;
        // At most as many as there are seats: signers ascend and each has one.
        for (uint256 i = 0; i < signatures.length; ++i) {
            address signer = signatures[i].adjudicator;
            if (signer <= previous) revert SignersUnsorted(previous, signer);
            if (!roster.isActive(signer)) revert NotAdjudicator(signer);
            if (Conflicts.isConflicted(_CONSTITUTION, roster, signer, action)) {
                revert Conflicted(signer, action.mission);
            }
            if (action.action == Action.RESOLVE_APPEAL && (_judged[action.mission][signer] >> action.node) & 1 == 1) {
                revert Conflicted(signer, action.mission);
            }
            Signatures.requireAny(signer, digest, signatures[i].signature);
            adjudicators[i] = signer;
            previous = signer;
        }
    }

    /// @dev How many lift a stop is the constitution's to say, and so is what a parameter risks; how many strike voters, how many were struck
    /// lately. Nobody takes stake alone. Nobody changes protection alone, in either direction: less of it, and one adjudicator could
    /// make the watchdog stop the city; more, and nobody could do anything until two dare to weaken it. Every other count is in the table.
    function _needed(OverrideAction calldata action, IAdjudicatorRoster roster) private view returns (uint256) {
        Action what = action.action;
        if (what == Action.CLEAR_EMERGENCY_STOP) return _CONSTITUTION.param(Param.EMERGENCY_CLEAR_SIGNATURES);
        if (what == Action.RELEASE_WATCHDOG) return _watchdog().releaseQuorum();
        if (what == Action.STOP_CITY || what == Action.RESUME_CITY) {
            return _watchdog().stopQuorum(what == Action.RESUME_CITY);
        }
        uint256 active = roster.activeCount();
        uint256 needed = what.signatures(active);
        if (what == Action.SLASH || what == Action.FREEZE_PRINCIPAL) {
            bool many = Orders.strikesMany(_CONSTITUTION, _record, action);
            return many ? Math.max(needed, ActionTable.supermajority(active)) : needed;
        }
        if (_takesStake(action)) return needed + 1;
        if (what != Action.AMEND_PARAMETER) return needed;
        (Param which, ) = abi.decode(action.data, (Param, uint256));
        bool alone = !ParamRanges.isHigh(which) && ParamRanges.weaker(which) == ParamRanges.Weaker.NONE;
        return alone ? needed : needed + 1;
    }

    /// @dev Whether it takes stake: a ruling on appeals that slashes, or the rejection of a frozen node.
    function _takesStake(OverrideAction calldata action) private view returns (bool) {
        if (action.action == Action.RESOLVE_APPEAL) {
            return abi.decode(action.data, (ICollaborationContract.Resolution)).slash != 0;
        }
        if (action.action != Action.REJECT_POP || !_isGenuine(action.mission)) return false;
        (NodeState state, , ) = ICollaborationContract(action.mission).caseOf(action.node);
        return state == NodeState.FROZEN;
    }

    /// @dev AgentCity B.12, emergency override: on a mission, when too few others could sign, and never twice unaudited.
    function _maySignAlone(
        IAdjudicatorRoster roster,
        OverrideAction calldata action,
        address[] memory adjudicators
    ) private view returns (bool) {
        if (!action.action.seniorAlone() || adjudicators.length != 1) return false;
        if (_takesStake(action)) return false;
        if (adjudicators[0] != roster.senior()) return false;
        if (_unaudited.digest != 0) return false;
        uint256 quorum = _CONSTITUTION.param(Param.ADJUDICATOR_QUORUM);
        return roster.unconflictedIn(action.mission) < (quorum + 1) / 2;
    }

    /// @dev Before the case is closed: what it was is asked of the mission or session.
    function _countCase(
        IAdjudicatorRoster roster,
        OverrideAction calldata action,
        address[] memory adjudicators
    ) private {
        // The session comes first in both.
        uint256 session = action.action.onMission() ? 0 : abi.decode(action.data, (uint256));
        roster.countCase(action.action, action.mission, action.node, session, adjudicators);
    }

    /// @dev Records the signers, who may not judge this act later.
    function _remember(OverrideAction calldata action, address[] memory adjudicators) private {
        for (uint256 i = 0; i < adjudicators.length; ++i) {
            _judged[action.mission][adjudicators[i]] |= 1 << action.node;
        }
    }

    /// @dev Only an uninterrupted run of one kind counts; a shared approval or a colleague's ends it. Two seats whose addresses end alike
    /// rest together.
    function _rotate(OverrideAction calldata action, bytes32 digest, address[] memory adjudicators) private {
        uint256 given = _approvals[action.mission];
        uint256 at = _LANE_BITS * action.action.approvalKind();
        uint256 lane = 0;
        if (adjudicators.length == 1) {
            uint256 before = (given >> at) & _LANE;
            lane = (uint256(uint160(adjudicators[0])) << 2) & _LANE;
            uint256 run = (before | _RUN) == (lane | _RUN) ? before & _RUN : 0;
            if (run != 0 && run >= _CONSTITUTION.param(Param.SOLE_APPROVAL_LIMIT)) {
                revert RotationRequired(adjudicators[0], action.mission, action.action);
            }
            lane |= run + 1;
        }
        given = (given & ~(_LANE << at)) | (lane << at);
        // The lanes fit below the digest.
        _approvals[action.mission] = uint160(given) | (_endOf(digest) << _LAST_AT);
    }

    /// @dev Enough to know an approval by: a second one is refused for its state.
    function _endOf(bytes32 digest) private pure returns (uint256) {
        // The last 96 bits, which fit.
        return uint96(uint256(digest));
    }

    function _carryOut(OverrideAction calldata action, bytes32 digest, address[] memory adjudicators) private {
        bytes32 justification = sha256(bytes(action.because));
        if (action.action == Action.AUDIT_UNILATERAL) _audit(action, justification);
        else if (action.action == Action.STOP_CITY) _watchdog().stopCity(adjudicators);
        else if (action.action.onMission()) _onMission(action, justification);
        else Orders.carryOut(_CONSTITUTION, _record, action, justification);
        emit OverrideExecuted(
            digest,
            action.action,
            action.mission,
            action.node,
            action.target,
            adjudicators,
            justification,
            action.because
        );
    }

    function _onMission(OverrideAction calldata action, bytes32 justification) private {
        ICollaborationContract mission = ICollaborationContract(action.mission);
        mission.onOverride(action.action, action.node, action.target, action.data, action.caseHash);
        if (action.action == Action.RESUME_WITH_AMENDMENT) {
            Orders.reproach(_CONSTITUTION, mission, action.node, justification);
        }
    }

    /// @dev Tells the watchdog, before a parameter is what it will be.
    function _note(OverrideAction calldata action, address[] memory adjudicators) private {
        Action what = action.action;
        Decision decision = what.decision();
        bool weakens = false;
        if (what == Action.RULE_ON_BLOC) {
            (, bool released) = abi.decode(action.data, (uint256, bool));
            decision = released ? Decision.APPROVES : Decision.REJECTS;
        } else if (what == Action.AMEND_PARAMETER) {
            (Param which, uint256 value) = abi.decode(action.data, (Param, uint256));
            weakens = _weakens(which, value);
        }
        if (decision != Decision.NEITHER || weakens) _watchdog().note(adjudicators, decision, weakens);
    }

    function _weakens(Param which, uint256 value) private view returns (bool) {
        return ParamRanges.weakens(which, _CONSTITUTION.param(which), value);
    }

    /// @dev The adjudicator that acted alone is the action's target, so it cannot sign its own audit.
    function _audit(OverrideAction calldata action, bytes32 justification) private {
        bytes32 digest = abi.decode(action.data, (bytes32));
        bool isPending = digest != 0 && digest == _unaudited.digest && action.target == _unaudited.senior;
        if (!isPending) revert NothingToAudit(digest);
        delete _unaudited;
        emit UnilateralAudited(digest, action.target, justification);
    }

    function _watchdog() private view returns (IAdjudicatorWatchdog) {
        return IAdjudicatorWatchdog(_CONSTITUTION.at(Institution.WATCHDOG));
    }

    function _roster() private view returns (IAdjudicatorRoster) {
        return IAdjudicatorRoster(_CONSTITUTION.at(Institution.ROSTER));
    }
}
