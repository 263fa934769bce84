// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";
import {IClerkContract} from "../interfaces/IClerkContract.sol";
import {IConstitutionContract} from "../interfaces/IConstitutionContract.sol";
import {IEvidenceRegistry} from "../interfaces/IEvidenceRegistry.sol";
import {IProducerContract} from "../interfaces/IProducerContract.sol";
import {ITreasury} from "../interfaces/ITreasury.sol";
import {BasisPoints} from "../libraries/BasisPoints.sol";
import {DidSyntax} from "../libraries/DidSyntax.sol";
import {Intake} from "../libraries/Intake.sol";
import {Reputation} from "../libraries/Reputation.sol";
import {Signatures} from "../libraries/Signatures.sol";
import {SlashingSchedule} from "../libraries/SlashingSchedule.sol";
import {TypedData} from "../libraries/TypedData.sol";
import {PrincipalBinding, SubAgentBinding} from "../types/Messages.sol";
import {Param} from "../types/Params.sol";
import {Institution, Kind, Office, Standing} from "../types/Roles.sol";
import {Dues} from "./Dues.sol";

/// @notice See `IProducerContract`.
contract ProducerContract is IProducerContract, EIP712, ReentrancyGuardTransient {
    using Intake for IERC20;
    using SafeERC20 for IERC20;
    using Dues for Dues.Owed;

    /// Two words per agent. Times and blocks in 32 bits last until the year 2106.
    struct Record {
        address principal; // word 0
        Kind kind;
        uint8 flags;
        uint16 index;
        uint32 registeredBlock;
        uint32 reputation;
        uint160 capabilities; // word 1
        uint64 held;
        uint32 registeredAt;
    }

    /// What only an agent with bids, on its way out or absent has.
    struct Claims {
        uint64 locked;
        uint40 unbondingUntil;
        /// When it lapsed last, and since when it had counted until then.
        uint32 lapsedBlock;
        uint32 countedFrom;
        /// Last bytes of the address of the market that locked last, and how much of `locked` others did before it.
        uint24 market;
        uint64 earlier;
    }

    /// One word per principal.
    struct Portfolio {
        bool frozen;
        /// Producers of this principal that would count toward turnout if it were not frozen.
        uint16 producers;
        /// From 1, for ever; zero until it has had stake here.
        uint32 number;
        uint128 nonce;
        /// When it was last released from a freeze.
        uint32 countedFrom;
    }

    uint256 private constant _DIMENSIONS = 10;

    /// @dev No producer has this number.
    uint16 private constant _NOBODY = type(uint16).max;

    uint32 private constant _MOST_PRINCIPALS = (1 << 20) - 1;

    uint8 private constant _BANNED = 1;
    uint8 private constant _LEAVING = 2;
    uint8 private constant _LAPSED = 4;
    /// Until `_frozenUntil`.
    uint8 private constant _FROZEN = 8;

    IConstitutionContract private immutable _CONSTITUTION;

    mapping(address agent => Record record) private _records;
    mapping(address agent => Claims claims) private _claims;
    mapping(address principal => Portfolio portfolio) private _portfolios;
    mapping(bytes32 did => address agent) private _bearers;
    mapping(address agent => uint40 until) private _frozenUntil;
    /// Slashed, and not taken by the treasury yet.
    Dues.Owed private _dues;
    address[] private _producers;
    uint16 private _active;
    uint32 private _principals;

    constructor(IConstitutionContract constitution) EIP712("AgentCity", "1") {
        _CONSTITUTION = constitution;
    }

    // --- Coming and going --------------------------------------------------------------------------------------------

    /// @inheritdoc IProducerContract
    function register(
        PrincipalBinding calldata binding,
        string calldata did,
        bytes calldata principalSignature,
        bytes calldata agentSignature
    ) external nonReentrant {
        _requireBound(binding, principalSignature, agentSignature);
        if (binding.kind != Kind.PRODUCER && binding.kind != Kind.VERIFIER) {
            revert WrongKind(binding.agent, binding.kind);
        }
        _requireEntry(did, binding.did, binding.stake);
        _name(did, binding.did, binding.agent);

        ++_portfolios[binding.principal].nonce;
        uint16 index = _admit(binding.agent, binding.principal, binding.kind, binding.capabilities, binding.stake);

        _token().pull(binding.principal, binding.stake);
        _announce(binding, did, index);
    }

    /// @inheritdoc IProducerContract
    function registerSubAgent(
        SubAgentBinding calldata binding,
        string calldata did,
        bytes calldata creatorSignature,
        bytes calldata agentSignature
    ) external nonReentrant {
        _requireCreated(binding, creatorSignature, agentSignature);
        _requireEntry(did, binding.did, binding.stake);
        _name(did, binding.did, binding.agent);

        ++_portfolios[binding.creator].nonce;
        _admitSubAgent(binding, did);
        _token().pull(binding.creator, binding.stake);
    }

    /// @inheritdoc IProducerContract
    function enroll(address agent, address principal, Kind kind) external {
        bool byClerks = kind == Kind.CLERK && msg.sender == _CONSTITUTION.at(Institution.CLERKS);
        bool byRoster = kind == Kind.ADJUDICATOR && msg.sender == _CONSTITUTION.at(Institution.ROSTER);
        if (!byClerks && !byRoster) revert NotAuthorised(msg.sender);
        if (agent == address(0) || principal == address(0)) revert ZeroAddress();
        _enter(agent, principal, kind);
        emit AgentEnrolled(agent, principal, kind);
    }

    /// @inheritdoc IProducerContract
    function deregister(address agent) external {
        Record storage record = _staked(agent);
        if (msg.sender != agent && msg.sender != record.principal) revert NotAuthorised(msg.sender);
        if (_has(record, _LEAVING)) revert NotRegistered(agent);
        uint40 until = uint40(block.timestamp + _CONSTITUTION.param(Param.UNBONDING_PERIOD));
        _raise(record, _LEAVING);
        _claims[agent].unbondingUntil = until;
        emit AgentDeregistered(agent, until);
        _retire(agent, record);
    }

    /// @inheritdoc IProducerContract
    function withdrawStake(address agent) external nonReentrant {
        Record storage record = _staked(agent);
        Claims memory claims = _claims[agent];
        if (!_has(record, _LEAVING) || block.timestamp < claims.unbondingUntil) {
            revert StillUnbonding(agent, claims.unbondingUntil);
        }
        if (claims.locked != 0) revert StillLocked(agent, claims.locked);
        uint64 amount = record.held;
        record.held = 0;
        _token().safeTransfer(record.principal, amount);
        emit StakeWithdrawn(agent, record.principal, amount);
    }

    /// @inheritdoc IProducerContract
    function topUpStake(address agent, uint64 amount) external nonReentrant {
        Record storage record = _staked(agent);
        record.held += amount;
        _token().pull(msg.sender, amount);
        emit StakeAdded(agent, amount);
    }

    // --- Execution ---------------------------------------------------------------------------------------------------

    /// @inheritdoc IProducerContract
    function lock(address agent, uint64 amount) external {
        if (_marketStanding() != Standing.CURRENT) revert NotAuthorised(msg.sender);
        Record storage record = _staked(agent);
        Claims storage claims = _claims[agent];
        if (claims.market != _tag(msg.sender)) (claims.market, claims.earlier) = (_tag(msg.sender), claims.locked);
        uint256 reserved = uint256(claims.locked) + _CONSTITUTION.paramInUnits(Param.REGISTRATION_STAKE);
        uint64 free = record.held > reserved ? uint64(record.held - reserved) : 0;
        if (amount > free) revert InsufficientFreeStake(agent, free, amount);
        claims.locked += amount;
        emit StakeLocked(agent, amount);
    }

    /// @inheritdoc IProducerContract
    function settle(
        address agent,
        uint64 release,
        uint64 penalty,
        bool scored,
        uint16 score,
        bytes32 reason
    ) external nonReentrant returns (uint64 slashed) {
        Record storage record = _staked(agent);
        if (_marketStanding() == Standing.RETIRED) {
            // What it may take, and whom it may score: those whose locks it made, and no more than these.
            uint64 reach = _lockedUnder(_claims[agent], msg.sender);
            (release, penalty) = (release < reach ? release : reach, penalty < reach ? penalty : reach);
            scored = scored && reach != 0;
        }
        slashed = _settleStake(agent, record, release, penalty);
        if (scored) {
            uint256 outcome = score < BasisPoints.WHOLE ? score : BasisPoints.WHOLE;
            uint256 lambda = _CONSTITUTION.param(Param.REPUTATION_SMOOTHING);
            _setReputation(agent, record, Reputation.ema(record.reputation, outcome, lambda), reason);
        }
        if (slashed != 0) _pay(agent, slashed, reason);
    }

    /// @inheritdoc IProducerContract
    function reproach(address agent, uint16 points, bytes32 reason) external {
        Record storage record = _staked(agent);
        // It reproaches after it settled: then nothing tells any more that the agent is one of its own.
        if (_marketStanding() == Standing.RETIRED) return;
        _setReputation(agent, record, Reputation.adjust(record.reputation, -int256(uint256(points))), reason);
    }

    // --- Governance --------------------------------------------------------------------------------------------------

    /// @inheritdoc IProducerContract
    function adjustReputation(address agent, int256 delta, bytes32 rationale) external {
        _onlyGovernor();
        Record storage record = _known(agent);
        _setReputation(agent, record, Reputation.adjust(record.reputation, delta), rationale);
    }

    /// @inheritdoc IProducerContract
    function slash(address agent, uint64 amount, bytes32 reason) external nonReentrant returns (uint64 slashed) {
        _onlyGovernor();
        slashed = _settleStake(agent, _staked(agent), 0, amount);
        if (slashed != 0) _pay(agent, slashed, reason);
    }

    /// @inheritdoc IProducerContract
    function attestCapabilities(address agent, uint160 capabilities, bytes32 evidence) external {
        Record storage record = _staked(agent);
        IClerkContract clerks = IClerkContract(_CONSTITUTION.at(Institution.CLERKS));
        bool permitted =
            clerks.isClerk(Office.REGULATOR, msg.sender) &&
                clerks.isPermitted(Office.REGULATOR, this.attestCapabilities.selector);
        if (!permitted || _records[msg.sender].principal == record.principal) revert NotAuthorised(msg.sender);
        emit CapabilitiesAttested(agent, record.capabilities, capabilities, msg.sender, evidence);
        record.capabilities = capabilities;
    }

    /// @inheritdoc IProducerContract
    function ban(address agent, bytes32 reason) external {
        _onlyGovernor();
        Record storage record = _known(agent);
        _raise(record, _BANNED);
        emit AgentBanned(agent, reason);
        _retire(agent, record);
    }

    /// @inheritdoc IProducerContract
    function freezePrincipal(address principal, bool frozen) external {
        _onlyGovernor();
        Portfolio storage portfolio = _portfolios[principal];
        if (portfolio.frozen == frozen) return;
        portfolio.frozen = frozen;
        if (frozen) {
            _active -= portfolio.producers;
        } else {
            _active += portfolio.producers;
            // Sessions already open counted their electorate without these producers, or lost them.
            portfolio.countedFrom = uint32(block.number);
        }
        emit PrincipalFrozen(principal, frozen);
    }

    /// @inheritdoc IProducerContract
    function freezeAgent(address agent, bool frozen) external {
        _onlyGovernor();
        Record storage record = _staked(agent);
        // Reviews take a week at most.
        uint40 until = frozen ? uint40(block.timestamp + 2 * _CONSTITUTION.param(Param.MAX_HUMAN_REVIEW_TIMEOUT)) : 0;
        _frozenUntil[agent] = until;
        if (frozen) record.flags |= _FROZEN;
        else record.flags &= ~_FROZEN;
        emit AgentFrozen(agent, until);
        if (record.kind != Kind.VERIFIER) return;
        IEvidenceRegistry(_CONSTITUTION.at(Institution.EVIDENCE)).stay(agent, until);
    }

    // --- Electorate --------------------------------------------------------------------------------------------------

    /// @inheritdoc IProducerContract
    function lapse(address agent) external {
        // What a retired legislature counts is not the city's attendance any more.
        if (_CONSTITUTION.standingOf(Institution.LEGISLATION, msg.sender) != Standing.CURRENT) {
            revert NotAuthorised(msg.sender);
        }
        Record storage record = _producer(agent);
        if (_has(record, _LAPSED)) return;
        _raise(record, _LAPSED);
        (_claims[agent].lapsedBlock, _claims[agent].countedFrom) = (uint32(block.number), record.registeredBlock);
        emit AgentLapsed(agent);
    }

    /// @inheritdoc IProducerContract
    function attend(address agent) external {
        Record storage record = _producer(agent);
        bool self = msg.sender == agent || msg.sender == record.principal;
        if (!self && !_isProcedure(Institution.LEGISLATION)) revert NotAuthorised(msg.sender);
        if (!_has(record, _LAPSED)) return;
        record.flags &= ~_LAPSED;
        // Sessions already open counted their electorate without this producer.
        record.registeredBlock = uint32(block.number);
        if (_counts(record)) _count(record.principal, true);
        emit AgentAttended(agent);
    }

    // --- Views -------------------------------------------------------------------------------------------------------

    /// @inheritdoc IProducerContract
    function agentOf(address agent) external view returns (Agent memory) {
        Record storage record = _records[agent];
        return
            Agent({
                principal: record.principal,
                kind: record.kind,
                banned: _has(record, _BANNED),
                index: record.index,
                registeredAt: record.registeredAt,
                registeredBlock: record.registeredBlock,
                reputation: record.reputation
            });
    }

    /// @inheritdoc IProducerContract
    function stakeOf(address agent) external view returns (Stake memory) {
        Claims memory claims = _claims[agent];
        return Stake({held: _records[agent].held, locked: claims.locked, unbondingUntil: claims.unbondingUntil});
    }

    /// @inheritdoc IProducerContract
    function principalOf(address agent) external view returns (address) {
        return _records[agent].principal;
    }

    /// @inheritdoc IProducerContract
    function capabilitiesOf(address agent) external view returns (uint160) {
        return _records[agent].capabilities;
    }

    /// @inheritdoc IProducerContract
    function reputationOf(address agent) external view returns (uint256) {
        return Reputation.points(_records[agent].reputation);
    }

    /// @inheritdoc IProducerContract
    function meetsReputationFloor(address agent) external view returns (bool) {
        Record storage record = _records[agent];
        return record.kind != Kind.NONE && _isAboveFloor(record);
    }

    /// @inheritdoc IProducerContract
    function isEligible(address agent, Kind kind) external view returns (bool) {
        return _isEligible(_records[agent], kind) && !_isFrozen(agent);
    }

    /// @inheritdoc IProducerContract
    function bidderOf(address agent) external view returns (Bidder memory bidder) {
        Record storage record = _records[agent];
        if (!_isEligible(record, Kind.PRODUCER) || _isFrozen(agent)) return bidder;
        bidder.principal = record.principal;
        bidder.number = _portfolios[record.principal].number;
        bidder.capabilities = record.capabilities;
        // At most 1000 points.
        bidder.reputation = uint16(Reputation.points(record.reputation));
    }

    /// @inheritdoc IProducerContract
    function awardeeOf(address agent) external view returns (address) {
        Record storage record = _records[agent];
        return _isPresent(record, Kind.PRODUCER, _BANNED) && !_isFrozen(agent) ? record.principal : address(0);
    }

    /// @inheritdoc IProducerContract
    function requireRoutable(address agent) external view returns (address principal) {
        if (_isFrozen(agent)) revert FrozenAgent(agent, _frozenUntil[agent]);
        return _records[agent].principal;
    }

    /// @inheritdoc IProducerContract
    function electorOf(
        address agent,
        uint256 opened
    ) external view returns (bool mayVote, address principal, uint16 index, bool counted) {
        Record storage record = _records[agent];
        (principal, index) = (record.principal, record.index);
        if (_portfolios[principal].countedFrom >= opened) return (false, principal, index, false);
        counted = !_has(record, _LAPSED) && record.registeredBlock < opened;
        mayVote = (counted || _lapsedDuring(agent, opened)) && _isEligible(record, Kind.PRODUCER);
    }

    /// @inheritdoc IProducerContract
    function electorsOf(address[] calldata agents, uint256 opened) external view returns (uint16[] memory indices) {
        uint256 floor = _CONSTITUTION.param(Param.REPUTATION_FLOOR);
        indices = new uint16[](agents.length);
        for (uint256 i = 0; i < agents.length; ++i) indices[i] = _electorIndex(agents[i], opened, floor);
    }

    /// @inheritdoc IProducerContract
    function isLapsed(address agent) external view returns (bool) {
        return _has(_records[agent], _LAPSED);
    }

    /// @inheritdoc IProducerContract
    function agentAt(uint16 index) external view returns (address) {
        return index < _producers.length ? _producers[index] : address(0);
    }

    /// @inheritdoc IProducerContract
    function activeProducers() external view returns (uint16) {
        return _active;
    }

    /// @inheritdoc IProducerContract
    function nonceOf(address account) external view returns (uint256) {
        return _portfolios[account].nonce;
    }

    // --- Authority ---------------------------------------------------------------------------------------------------

    function _onlyGovernor() private view {
        if (!_CONSTITUTION.isGovernor(msg.sender)) revert NotGovernor(msg.sender);
    }

    /// @dev A retired market still settles the missions it began.
    function _marketStanding() private view returns (Standing standing) {
        standing = _CONSTITUTION.standingOf(Institution.EXECUTION, msg.sender);
        if (standing == Standing.NONE) revert NotAuthorised(msg.sender);
    }

    function _isProcedure(Institution institution) private view returns (bool) {
        return _CONSTITUTION.standingOf(institution, msg.sender) != Standing.NONE;
    }

    function _requireBound(
        PrincipalBinding calldata binding,
        bytes calldata principalSignature,
        bytes calldata agentSignature
    ) private view {
        Signatures.requireInTime(binding.deadline);
        if (binding.nonce != _portfolios[binding.principal].nonce)
            revert InvalidNonce(binding.principal, binding.nonce);
        bytes32 digest = _hashTypedDataV4(TypedData.hashPrincipalBinding(binding));
        Signatures.requireAny(binding.principal, digest, principalSignature);
        Signatures.requireKeyOrCaller(binding.agent, digest, agentSignature);
    }

    function _requireCreated(
        SubAgentBinding calldata binding,
        bytes calldata creatorSignature,
        bytes calldata agentSignature
    ) private view {
        Signatures.requireInTime(binding.deadline);
        if (binding.nonce != _portfolios[binding.creator].nonce) revert InvalidNonce(binding.creator, binding.nonce);
        bytes32 digest = _hashTypedDataV4(TypedData.hashSubAgentBinding(binding));
        Signatures.requireKeyOrCaller(binding.creator, digest, creatorSignature);
        Signatures.requireKeyOrCaller(binding.agent, digest, agentSignature);
        Record storage creator = _records[binding.creator];
        if (!_isEligible(creator, Kind.PRODUCER) || _isFrozen(binding.creator)) revert NotEligible(binding.creator);
        _requireWithin(binding.capabilities, creator.capabilities);
    }

    /// @dev A well-formed name, and enough at stake.
    function _requireEntry(string calldata did, bytes32 didHash, uint64 stake) private view {
        if (!DidSyntax.isWellFormed(did) || keccak256(bytes(did)) != didHash) revert MalformedDid(did);
        uint64 minimum = _CONSTITUTION.paramInUnits(Param.REGISTRATION_STAKE);
        if (stake < minimum) revert StakeBelowMinimum(stake, minimum);
    }

    /// @dev A name is free again when whoever bore it has left.
    function _name(string calldata did, bytes32 didHash, address agent) private {
        if (!DidSyntax.mayName(did, agent)) revert DidOfAnother(did, agent);
        address bearer = _bearers[didHash];
        if (bearer != address(0) && bearer != agent) {
            bool left = _has(_records[bearer], _LEAVING) && block.timestamp >= _claims[bearer].unbondingUntil;
            if (!left) revert DidTaken(did, bearer);
        }
        _bearers[didHash] = agent;
    }

    /// @dev Nobody hands on more than it has.
    function _requireWithin(uint160 capabilities, uint160 most) private pure {
        for (uint256 d = 0; d < _DIMENSIONS; ++d) {
            (uint256 value, uint256 limit) = (uint16(capabilities >> (16 * d)), uint16(most >> (16 * d)));
            if (value > limit) revert CapabilityAboveCreator(d, value, limit);
        }
    }

    // --- Records -----------------------------------------------------------------------------------------------------

    function _enter(address agent, address principal, Kind kind) private returns (Record storage record) {
        record = _records[agent];
        if (record.kind != Kind.NONE) revert AlreadyRegistered(agent);
        record.principal = principal;
        record.kind = kind;
        // Seconds fit until the year 2106.
        record.registeredAt = uint32(block.timestamp);
        record.registeredBlock = uint32(block.number);
        record.reputation = uint32(Reputation.INITIAL);
    }

    /// @dev Numbers are never reused: ballots of past sessions stay readable by them.
    function _admit(
        address agent,
        address principal,
        Kind kind,
        uint160 capabilities,
        uint64 stake
    ) private returns (uint16 index) {
        Record storage record = _enter(agent, principal, kind);
        record.capabilities = capabilities;
        record.held = stake;
        _number(principal);
        if (kind != Kind.PRODUCER) return 0;
        if (_producers.length == type(uint16).max) revert ProducersExhausted();
        // Below 2¹⁶, by the line above.
        index = uint16(_producers.length);
        record.index = index;
        _producers.push(agent);
        _count(principal, true);
    }

    /// @dev Bids name principals in twenty bits.
    function _number(address principal) private {
        Portfolio storage portfolio = _portfolios[principal];
        if (portfolio.number != 0) return;
        if (_principals == _MOST_PRINCIPALS) revert PrincipalsExhausted();
        portfolio.number = ++_principals;
    }

    function _admitSubAgent(SubAgentBinding calldata binding, string calldata did) private {
        (uint160 capabilities, uint64 stake) = (binding.capabilities, binding.stake);
        address principal = _records[binding.creator].principal;
        uint16 index = _admit(binding.agent, principal, Kind.PRODUCER, capabilities, stake);
        emit AgentRegistered(binding.agent, principal, Kind.PRODUCER, index, did, capabilities, stake);
        emit SubAgentRegistered(binding.agent, binding.creator);
    }

    function _announce(PrincipalBinding calldata binding, string calldata did, uint16 index) private {
        emit AgentRegistered(
            binding.agent,
            binding.principal,
            binding.kind,
            index,
            did,
            binding.capabilities,
            binding.stake
        );
    }

    function _known(address agent) private view returns (Record storage record) {
        record = _records[agent];
        if (record.kind == Kind.NONE) revert NotRegistered(agent);
    }

    /// @dev Clerks hold no stake, adjudicators theirs in the roster.
    function _staked(address agent) private view returns (Record storage record) {
        record = _known(agent);
        if (record.kind != Kind.PRODUCER && record.kind != Kind.VERIFIER) revert WrongKind(agent, record.kind);
    }

    function _producer(address agent) private view returns (Record storage record) {
        record = _known(agent);
        if (record.kind != Kind.PRODUCER) revert WrongKind(agent, record.kind);
    }

    function _isEligible(Record storage record, Kind kind) private view returns (bool) {
        return _isPresent(record, kind, _BANNED | _LEAVING);
    }

    /// @dev The flag is in a word that is read anyway; the time is asked of few.
    function _isFrozen(address agent) private view returns (bool) {
        return _has(_records[agent], _FROZEN) && block.timestamp < _frozenUntil[agent];
    }

    /// @dev Of that kind, with none of the flags, not frozen, and at or above the floor.
    function _isPresent(Record storage record, Kind kind, uint8 without) private view returns (bool) {
        if (kind == Kind.NONE || record.kind != kind || _has(record, without)) return false;
        if (_portfolios[record.principal].frozen) return false;
        return _isAboveFloor(record);
    }

    function _isAboveFloor(Record storage record) private view returns (bool) {
        return Reputation.points(record.reputation) >= _CONSTITUTION.param(Param.REPUTATION_FLOOR);
    }

    /// @dev Reads the first word once: the fields are taken together, before anything is decided.
    function _electorIndex(address agent, uint256 opened, uint256 floor) private view returns (uint16) {
        Record storage record = _records[agent];
        (address principal, uint8 flags, uint16 index, uint32 since, uint32 reputation) = (
            record.principal,
            record.flags,
            record.index,
            record.registeredBlock,
            record.reputation
        );
        flags &= ~_FROZEN;
        if (flags & ~_LAPSED != 0 || Reputation.points(reputation) < floor) return _NOBODY;
        if ((flags != 0 || since >= opened) && !_lapsedDuring(agent, opened)) return _NOBODY;
        Portfolio storage portfolio = _portfolios[principal];
        bool excluded = record.kind != Kind.PRODUCER || portfolio.frozen || portfolio.countedFrom >= opened;
        return excluded ? _NOBODY : index;
    }

    /// @dev Whether a session that opened then counted it, and it lapsed since: a lapse is for later sessions.
    function _lapsedDuring(address agent, uint256 opened) private view returns (bool) {
        Claims storage claims = _claims[agent];
        return claims.lapsedBlock >= opened && claims.countedFrom < opened;
    }

    function _has(Record storage record, uint8 flag) private view returns (bool) {
        return record.flags & flag != 0;
    }

    /// @dev True if the agent counts toward turnout, its principal's freeze aside.
    function _counts(Record storage record) private view returns (bool) {
        return record.kind == Kind.PRODUCER && record.flags & ~_FROZEN == 0;
    }

    function _raise(Record storage record, uint8 flag) private {
        bool counted = _counts(record);
        record.flags |= flag;
        if (counted) _count(record.principal, false);
    }

    function _count(address principal, bool enters) private {
        Portfolio storage portfolio = _portfolios[principal];
        if (enters) {
            ++portfolio.producers;
            if (!portfolio.frozen) ++_active;
        } else {
            --portfolio.producers;
            if (!portfolio.frozen) --_active;
        }
    }

    // --- Money and reputation ----------------------------------------------------------------------------------------

    /// @dev Stake is fungible: what is slashed leaves `held`, so it comes out of the lock that ends here, then out of
    /// what is free, then out of the registration stake. Only when all that is gone do other locks shrink.
    function _settleStake(
        address agent,
        Record storage record,
        uint64 release,
        uint64 atMost
    ) private returns (uint64 slashed) {
        Claims storage claims = _claims[agent];
        uint64 held = record.held;
        uint64 locked = claims.locked;
        uint64 released = release < locked ? release : locked;
        slashed = atMost < held ? atMost : held;
        if (slashed != 0) {
            held -= slashed;
            record.held = held;
        }
        locked -= released;
        locked = locked < held ? locked : held;
        uint64 earlier = claims.earlier;
        if (earlier != 0) {
            if (claims.market != _tag(msg.sender)) earlier -= released < earlier ? released : earlier;
            claims.earlier = earlier < locked ? earlier : locked;
        }
        claims.locked = locked;
        if (released != 0) emit StakeReleased(agent, released);
        if (slashed != 0 && held < 2 * SlashingSchedule.NO_SHOW) _retire(agent, record);
    }

    /// @dev All but what came after: of one who is not the last to have locked, what was locked before the last began to.
    function _lockedUnder(Claims storage claims, address market) private view returns (uint64) {
        return claims.market == _tag(market) ? claims.locked : claims.earlier;
    }

    function _tag(address market) private pure returns (uint24) {
        // The low bits tell markets apart: they are few, and two thirds of the seats choose each.
        return uint24(uint160(market));
    }

    /// @dev Who cannot lose what an absence costs has no say.
    function _retire(address agent, Record storage record) private {
        if (record.kind != Kind.VERIFIER) return;
        IEvidenceRegistry(_CONSTITUTION.at(Institution.EVIDENCE)).retire(agent);
    }

    function _setReputation(address agent, Record storage record, uint256 value, bytes32 reason) private {
        uint32 previous = record.reputation;
        // At most `Reputation.MAX`.
        record.reputation = uint32(value);
        emit ReputationChanged(agent, previous, uint32(value), reason);
    }

    function _pay(address agent, uint64 amount, bytes32 reason) private {
        ITreasury treasury = ITreasury(_CONSTITUTION.at(Institution.TREASURY));
        _dues.pay(_token(), treasury, amount / 2, amount - amount / 2, reason);
        emit StakeSlashed(agent, amount, reason);
    }

    function _token() private view returns (IERC20) {
        return IERC20(_CONSTITUTION.at(Institution.TOKEN));
    }
}
