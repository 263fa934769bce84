// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";
import {Dues} from "../foundational/Dues.sol";
import {IAdjudicatorRoster} from "../interfaces/IAdjudicatorRoster.sol";
import {ICollaborationContract} from "../interfaces/ICollaborationContract.sol";
import {IConstitutionContract} from "../interfaces/IConstitutionContract.sol";
import {IEvidenceRegistry} from "../interfaces/IEvidenceRegistry.sol";
import {IExecutionProcedure} from "../interfaces/IExecutionProcedure.sol";
import {ILegislativeProcedure} from "../interfaces/ILegislativeProcedure.sol";
import {IProducerContract} from "../interfaces/IProducerContract.sol";
import {ITemplateRegistry} from "../interfaces/ITemplateRegistry.sol";
import {ITreasury} from "../interfaces/ITreasury.sol";
import {BasisPoints} from "../libraries/BasisPoints.sol";
import {Intake} from "../libraries/Intake.sol";
import {Reasons} from "../libraries/Reasons.sol";
import {Action} from "../types/Actions.sol";
import {Risk} from "../types/Law.sol";
import {Param} from "../types/Params.sol";
import {Institution, Kind, Standing} from "../types/Roles.sol";
import {NodeState} from "../types/States.sol";

/// @notice See `IAdjudicatorRoster`.
contract AdjudicatorRoster is IAdjudicatorRoster, ReentrancyGuardTransient {
    using Dues for Dues.Owed;
    using Intake for IERC20;
    using SafeERC20 for IERC20;

    /// What an act reads and writes of a seat is its first word.
    struct Seat {
        address principal;
        bool active;
        bool impeached;
        /// For decided cases.
        uint64 due;
        /// Bucket of time in which it decided `cases`: the end of its number, which comes again after 21 years.
        uint8 bucket;
        uint8 cases;
        uint64 stake; // word 1
        uint40 unbondingUntil;
    }

    /// One word: cases that were counted, a bit each; on the first page what all of them were worth.
    struct Cases {
        uint64 worth;
        uint192 counted;
    }

    uint256 private constant _CASES_A_PAGE = 192;
    uint256 private constant _BUCKET = 30 days;
    /// Cases that a seat is due for in a bucket.
    uint8 private constant _MOST_CASES = 20;

    uint256 private constant _MAX_SEATS = 20;
    /// At least the number required to lift a watchdog freeze, so that no panel stays frozen.
    uint256 private constant _MIN_SEATS = 2;

    IConstitutionContract private immutable _CONSTITUTION;

    mapping(address adjudicator => Seat own) private _seats;
    mapping(address principal => bool represented) private _represented;
    mapping(address root => mapping(address principal => bool works)) private _parties;
    /// Whose seats rejected work.
    mapping(address mission => mapping(address principal => bool rejected)) private _rejecting;
    /// Of a mission or session, by the number of a case: one word, except for nodes from 96 on and for further attempts.
    mapping(bytes32 matter => mapping(uint256 page => Cases decided)) private _cases;
    /// Stakes of the impeached that the treasury did not take yet.
    Dues.Owed private _dues;
    /// The longest held first; at most `_MAX_SEATS`.
    address[] private _seated;

    constructor(IConstitutionContract constitution) {
        _CONSTITUTION = constitution;
    }

    /// @inheritdoc IAdjudicatorRoster
    function seat(address adjudicator, address principal) external nonReentrant {
        _onlyGovernor();
        Seat memory former = _seats[adjudicator];
        if (former.active) revert AlreadySeated(adjudicator);
        if (former.impeached) revert WasImpeached(adjudicator);
        if (former.stake != 0) revert StillUnbonding(adjudicator, former.unbondingUntil);
        if (_represented[principal]) revert PrincipalAlreadySeated(principal);
        if (_seated.length == _MAX_SEATS) revert TooManySeats(_MAX_SEATS);
        bool returning = former.principal != address(0) && former.principal == principal;
        uint64 stake = _CONSTITUTION.paramInUnits(Param.ADJUDICATOR_STAKE);

        Seat storage own = _seats[adjudicator];
        (own.principal, own.stake, own.active, own.unbondingUntil) = (principal, stake, true, 0);
        _represented[principal] = true;
        _seated.push(adjudicator);

        if (!returning) {
            _producers().enroll(adjudicator, principal, Kind.ADJUDICATOR);
        }
        _token().pull(adjudicator, stake);
        emit Seated(adjudicator, principal, stake);
    }

    /// @inheritdoc IAdjudicatorRoster
    function resign() external {
        Seat storage own = _seats[msg.sender];
        if (!own.active) revert NotSeated(msg.sender);
        if (_seated.length <= _MIN_SEATS) revert LastSeats(_MIN_SEATS);
        uint40 until = uint40(block.timestamp + _CONSTITUTION.param(Param.UNBONDING_PERIOD));
        own.unbondingUntil = until;
        _leave(msg.sender, own);
        emit Resigned(msg.sender, until);
    }

    /// @inheritdoc IAdjudicatorRoster
    function withdrawStake() external nonReentrant {
        Seat storage own = _seats[msg.sender];
        uint64 amount = own.stake;
        if (own.active || amount == 0) revert NothingToWithdraw(msg.sender);
        if (block.timestamp < own.unbondingUntil) revert StillUnbonding(msg.sender, own.unbondingUntil);
        own.stake = 0;
        _token().safeTransfer(msg.sender, amount);
        emit StakeWithdrawn(msg.sender, amount);
    }

    /// @inheritdoc IAdjudicatorRoster
    function impeach(address adjudicator, bytes32 justification) external nonReentrant {
        _onlyGovernor();
        Seat storage own = _seats[adjudicator];
        uint64 stake = own.stake;
        if (stake == 0) revert NothingAtStake(adjudicator);
        own.stake = 0;
        own.due = 0;
        own.impeached = true;
        if (own.active) _leave(adjudicator, own);

        ITreasury treasury = ITreasury(_CONSTITUTION.at(Institution.TREASURY));
        _dues.pay(_token(), treasury, stake / 2, stake - stake / 2, Reasons.IMPEACHED);
        emit Impeached(adjudicator, stake, justification);
    }

    /// @inheritdoc IAdjudicatorRoster
    function countCase(
        Action what,
        address mission,
        uint8 node,
        uint256 session,
        address[] calldata adjudicators
    ) external {
        _onlyGovernor();
        // At most as many as there are seats.
        for (uint256 i = 0; what == Action.REJECT_POP && i < adjudicators.length; ++i) {
            _rejecting[mission][_seats[adjudicators[i]].principal] = true;
        }
        (bytes32 subject, bytes32 matter, uint256 number, uint64 most) = mission == address(0)
            ? _caseOf(what, session)
            : _caseOn(what, mission, node);
        if (subject == 0) return;
        Cases storage decided = _cases[matter][number / _CASES_A_PAGE];
        uint192 bit = uint192(1 << (number % _CASES_A_PAGE));
        if (decided.counted & bit != 0) return;
        decided.counted |= bit;
        // A case opened by a seat's own veto is not paid.
        if (what == Action.VETO_OUTPUT) return;
        uint64 before = _cases[matter][0].worth;
        uint64 left = most > before ? most - before : 0;
        uint64 worth = _CONSTITUTION.paramInUnits(Param.ADJUDICATOR_COMPENSATION);
        if (worth > left) worth = left;
        _cases[matter][0].worth = before + worth;
        // At most as many as there are seats.
        uint64 each = worth / uint64(adjudicators.length);
        for (uint256 i = 0; i < adjudicators.length; ++i) _credit(adjudicators[i], each);
        emit CaseDecided(subject, adjudicators, each);
    }

    /// @inheritdoc IAdjudicatorRoster
    function collect(address adjudicator) external nonReentrant {
        uint64 due = _seats[adjudicator].due;
        if (due == 0) revert NothingToCollect(adjudicator);
        uint64 paid = ITreasury(_CONSTITUTION.at(Institution.TREASURY)).compensate(adjudicator, due);
        _seats[adjudicator].due = due - paid;
        emit Collected(adjudicator, paid, due - paid);
    }

    /// @inheritdoc IAdjudicatorRoster
    function recordParty(address root, address principal) external {
        if (_CONSTITUTION.standingOf(Institution.EXECUTION, msg.sender) == Standing.NONE)
            revert NotExecution(msg.sender);
        if (_parties[root][principal]) return;
        _parties[root][principal] = true;
        emit PartyRecorded(root, principal);
    }

    /// @inheritdoc IAdjudicatorRoster
    function isActive(address adjudicator) external view returns (bool) {
        return _seats[adjudicator].active;
    }

    /// @inheritdoc IAdjudicatorRoster
    function principalOf(address adjudicator) external view returns (address) {
        return _seats[adjudicator].principal;
    }

    /// @inheritdoc IAdjudicatorRoster
    function stakeOf(address adjudicator) external view returns (uint64) {
        return _seats[adjudicator].stake;
    }

    /// @inheritdoc IAdjudicatorRoster
    function dueTo(address adjudicator) external view returns (uint64) {
        return _seats[adjudicator].due;
    }

    /// @inheritdoc IAdjudicatorRoster
    function activeCount() external view returns (uint256) {
        return _seated.length;
    }

    /// @inheritdoc IAdjudicatorRoster
    function seats() external view returns (address[] memory) {
        return _seated;
    }

    /// @inheritdoc IAdjudicatorRoster
    function senior() external view returns (address) {
        bool wanted = _CONSTITUTION.param(Param.SENIOR_ADJUDICATOR_ENABLED) == 1;
        return wanted && _seated.length != 0 ? _seated[0] : address(0);
    }

    /// @inheritdoc IAdjudicatorRoster
    function hasQuorum() external view returns (bool) {
        return _seated.length >= _CONSTITUTION.param(Param.ADJUDICATOR_QUORUM);
    }

    /// @inheritdoc IAdjudicatorRoster
    function unconflictedIn(address mission) external view returns (uint256 count) {
        for (uint256 i = 0; i < _seated.length; ++i) {
            if (!isConflicted(_seated[i], mission)) ++count;
        }
    }

    /// @inheritdoc IAdjudicatorRoster
    function isInterested(address adjudicator, address account) external view returns (bool) {
        address principal = _seats[adjudicator].principal;
        if (account == adjudicator || account == principal) return true;
        if (_producers().principalOf(account) == principal) return true;
        return IEvidenceRegistry(_CONSTITUTION.at(Institution.EVIDENCE)).principalOf(account) == principal;
    }

    /// @inheritdoc IAdjudicatorRoster
    function hasRejected(address mission, address principal) external view returns (bool) {
        return _rejecting[mission][principal];
    }

    /// @inheritdoc IAdjudicatorRoster
    function isConflicted(address adjudicator, address mission) public view returns (bool) {
        IExecutionProcedure execution = _executionOf(mission);
        // Not a genuine mission: it has no parties.
        if (address(execution) == address(0)) return false;
        address principal = _seats[adjudicator].principal;
        if (_takesPart(execution, mission, principal)) return true;
        address root = execution.rootOf(mission);
        return _parties[root][principal] || (root != mission && _takesPart(_executionOf(root), root, principal));
    }

    /// @dev A node in review, or appeals on it; of a veto, a node that is not in review yet.
    function _caseOn(
        Action what,
        address mission,
        uint8 node
    ) private view returns (bytes32 subject, bytes32 matter, uint256 number, uint64 most) {
        NodeState state;
        uint8 attempt;
        (state, attempt, most) = ICollaborationContract(mission).caseOf(node);
        bool appeal = what == Action.RESOLVE_APPEAL;
        bool inReview = state == NodeState.PENDING_REVIEW;
        if (!appeal && inReview == (what == Action.VETO_OUTPUT)) return (0, 0, 0, 0);
        subject = keccak256(abi.encode(mission, node, attempt, appeal));
        matter = bytes32(uint256(uint160(mission)));
        number = (uint256(attempt) << 9) | (uint256(node) << 1) | (appeal ? 1 : 0);
    }

    /// @dev Below HIGH risk a law needs no audit.
    function _caseOf(
        Action what,
        uint256 id
    ) private view returns (bytes32 subject, bytes32 matter, uint256 number, uint64 most) {
        address legislation = _CONSTITUTION.at(Institution.LEGISLATION);
        ILegislativeProcedure.Session memory session = ILegislativeProcedure(legislation).sessionOf(id);
        bool asked = what == Action.RULE_ON_BLOC || (session.risk == Risk.HIGH && !session.audited);
        if (!asked) return (0, 0, 0, 0);
        subject = keccak256(abi.encode(legislation, id, what));
        matter = keccak256(abi.encode(legislation, id));
        number = what == Action.RULE_ON_BLOC ? 1 : 0;
        // A rate is at most the whole.
        most = uint64((session.deposit * _CONSTITUTION.param(Param.PROTOCOL_FEE_RATE)) / BasisPoints.WHOLE);
    }

    function _credit(address adjudicator, uint64 amount) private {
        Seat storage own = _seats[adjudicator];
        // The end of the number is enough.
        uint8 bucket = uint8((block.timestamp / _BUCKET) & type(uint8).max);
        if (own.bucket != bucket) (own.bucket, own.cases) = (bucket, 0);
        if (own.cases == _MOST_CASES) return;
        ++own.cases;
        own.due += amount;
    }

    function _takesPart(IExecutionProcedure execution, address mission, address principal) private view returns (bool) {
        IExecutionProcedure.Participation memory part = execution.participationOf(mission, principal);
        return part.sponsor || part.executor || part.verifier;
    }

    function _executionOf(address mission) private view returns (IExecutionProcedure) {
        return IExecutionProcedure(ITemplateRegistry(_CONSTITUTION.at(Institution.TEMPLATES)).executionOf(mission));
    }

    /// @dev Ends a seat and keeps the others in their order.
    function _leave(address adjudicator, Seat storage own) private {
        own.active = false;
        _represented[own.principal] = false;
        uint256 last = _seated.length - 1;
        bool passed = false;
        for (uint256 i = 0; i < last; ++i) {
            if (_seated[i] == adjudicator) passed = true;
            if (passed) _seated[i] = _seated[i + 1];
        }
        _seated.pop();
    }

    function _onlyGovernor() private view {
        if (!_CONSTITUTION.isGovernor(msg.sender)) revert NotGovernor(msg.sender);
    }

    function _producers() private view returns (IProducerContract) {
        return IProducerContract(_CONSTITUTION.at(Institution.PRODUCERS));
    }

    function _token() private view returns (IERC20) {
        return IERC20(_CONSTITUTION.at(Institution.TOKEN));
    }
}
