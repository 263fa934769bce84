// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {SafeCast} from "@openzeppelin/contracts/utils/math/SafeCast.sol";
import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";
import {IClerkContract} from "../interfaces/IClerkContract.sol";
import {IConstitutionContract} from "../interfaces/IConstitutionContract.sol";
import {IEvidenceRegistry} from "../interfaces/IEvidenceRegistry.sol";
import {IProducerContract} from "../interfaces/IProducerContract.sol";
import {BidScore} from "../libraries/BidScore.sol";
import {DidSyntax} from "../libraries/DidSyntax.sol";
import {Intake} from "../libraries/Intake.sol";
import {Reputation} from "../libraries/Reputation.sol";
import {Signatures} from "../libraries/Signatures.sol";
import {TypedData} from "../libraries/TypedData.sol";
import {PrincipalBinding, SubAgentBinding} from "../types/Messages.sol";
import {Param} from "../types/Params.sol";
import {Institution, Kind, Office, Standing} from "../types/Roles.sol";
import {Absence, Account, Flags, Ledger, Portfolio, Profile} from "./Ledger.sol";
import {Stakes} from "./Stakes.sol";
import {Suffrage} from "./Suffrage.sol";

/// @notice See `IProducerContract`.
contract ProducerContract is IProducerContract, EIP712, ReentrancyGuardTransient {
    using Intake for IERC20;
    using SafeERC20 for IERC20;
    using Stakes for Ledger;
    using Suffrage for Ledger;

    uint256 private constant _DIMENSIONS = 10;

    uint24 private constant _MOST_PRINCIPALS = (1 << 20) - 1;

    IConstitutionContract private immutable _CONSTITUTION;

    Ledger private _ledger;
    /// Numbers of principals, from 1.
    mapping(address principal => uint24 number) private _numbers;
    /// Of those who are no principal: agents that make agents.
    mapping(address creator => uint256 nonce) private _nonces;
    /// Of names that do not name their agent by themselves.
    mapping(bytes32 did => address agent) private _bearers;

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
        _requireWithin(binding.capabilities, _claimable());
        _name(did, binding.did, binding.agent);

        uint24 principal = _numberOf(binding.principal);
        ++_ledger.portfolios[principal].nonce;
        uint16 index = _admit(binding.agent, principal, binding.kind, binding.capabilities, binding.stake);

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

        _spendNonce(binding.creator);
        _admitSubAgent(binding, did);
        _token().pull(binding.creator, binding.stake);
    }

    /// @inheritdoc IProducerContract
    function enroll(address agent, address principal, Kind kind) external {
        bool byClerks = kind == Kind.CLERK && msg.sender == _CONSTITUTION.at(Institution.CLERKS);
        bool byRoster = kind == Kind.ADJUDICATOR && msg.sender == _CONSTITUTION.at(Institution.ROSTER);
        if (!byClerks && !byRoster) revert NotAuthorised(msg.sender);
        if (agent == address(0) || principal == address(0)) revert ZeroAddress();
        Account memory account;
        (account.principal, account.kind) = (_numberOf(principal), kind);
        _enter(agent, account, 0);
        emit AgentEnrolled(agent, principal, kind);
    }

    /// @inheritdoc IProducerContract
    function deregister(address agent) external {
        Account memory account = _ledger.staked(agent);
        if (msg.sender != agent && msg.sender != _principalOf(account)) revert NotAuthorised(msg.sender);
        if (_has(account, Flags.LEAVING)) revert NotRegistered(agent);
        uint40 until = uint40(block.timestamp + _CONSTITUTION.param(Param.UNBONDING_PERIOD));
        _ledger.raise(agent, Flags.LEAVING);
        Absence storage absence = _ledger.absences[agent];
        (absence.unbondingUntil, absence.leftBlock) = (until, uint32(block.number));
        emit AgentDeregistered(agent, until);
        Stakes.retire(_CONSTITUTION, agent, account.kind);
    }

    /// @inheritdoc IProducerContract
    function withdrawStake(address agent) external nonReentrant {
        Account memory account = _ledger.staked(agent);
        uint40 until = _ledger.absences[agent].unbondingUntil;
        if (!_has(account, Flags.LEAVING) || block.timestamp < until) revert StillUnbonding(agent, until);
        if (account.locked != 0) revert StillLocked(agent, account.locked);
        if (account.faults != 0) revert StillAccused(agent, account.faults);
        (uint64 amount, address principal) = (account.held, _principalOf(account));
        account.held = 0;
        _store(agent, account);
        _token().safeTransfer(principal, amount);
        emit StakeWithdrawn(agent, principal, amount);
    }

    /// @inheritdoc IProducerContract
    function topUpStake(address agent, uint64 amount) external nonReentrant {
        Account memory account = _ledger.staked(agent);
        account.held = SafeCast.toUint56(uint256(account.held) + amount);
        _store(agent, account);
        _token().pull(msg.sender, amount);
        emit StakeAdded(agent, amount);
    }

    // --- Execution ---------------------------------------------------------------------------------------------------

    /// @inheritdoc IProducerContract
    function lock(address agent, uint64 amount) external {
        if (_marketStanding() != Standing.CURRENT) revert NotAuthorised(msg.sender);
        _ledger.lock(_CONSTITUTION, agent, amount);
    }

    /// @inheritdoc IProducerContract
    function settle(
        Outcome calldata outcome,
        uint64 penalty,
        address settler
    ) external nonReentrant returns (uint64 slashed) {
        return _ledger.settle(_CONSTITUTION, _marketStanding(), outcome, penalty, settler);
    }

    /// @inheritdoc IProducerContract
    function settleAll(Outcome[] calldata outcomes, address[] calldata voters) external {
        Standing standing = _marketStanding();
        _ledger.settleAll(_CONSTITUTION, standing, outcomes);
        // What a replaced market says about work reaches its own locks, no vote.
        if (standing != Standing.CURRENT) return;
        // At most the executors of the nodes that a claim names. A sponsor's own agents do not bid: whoever is paid worked for another.
        for (uint256 i = 0; i < voters.length; ++i) {
            if (_has(_producer(voters[i]), Flags.NOVICE)) _ledger.enfranchise(voters[i], false);
        }
    }

    /// @inheritdoc IProducerContract
    function reproach(address agent, uint16 points, bytes32 reason) external {
        _ledger.staked(agent);
        // It reproaches after it settled: then nothing tells any more that the agent is one of its own.
        if (_marketStanding() == Standing.RETIRED) return;
        _ledger.adjust(agent, -int256(uint256(points)), reason);
    }

    /// @inheritdoc IProducerContract
    function accuse(address agent) external returns (bool counted) {
        return _ledger.accuse(_marketStanding(), agent);
    }

    /// @inheritdoc IProducerContract
    function discharge(address agent) external {
        _ledger.discharge(agent);
    }

    // --- Governance --------------------------------------------------------------------------------------------------

    /// @inheritdoc IProducerContract
    function adjustReputation(address agent, int256 delta, bytes32 rationale) external {
        _onlyGovernor();
        _known(agent);
        _ledger.adjust(agent, delta, rationale);
    }

    /// @inheritdoc IProducerContract
    function slash(address agent, uint64 amount, bytes32 reason) external nonReentrant returns (uint64 slashed) {
        _onlyGovernor();
        return _ledger.slash(_CONSTITUTION, agent, amount, reason);
    }

    /// @inheritdoc IProducerContract
    function attestCapabilities(address agent, uint160 capabilities, bytes32 evidence) external {
        _onlyClerk(Office.REGULATOR, this.attestCapabilities.selector, _ledger.staked(agent));
        Profile storage profile = _ledger.profiles[agent];
        // One clerk takes nobody off the market.
        _requireWithin(profile.capabilities, capabilities);
        emit CapabilitiesAttested(agent, profile.capabilities, capabilities, msg.sender, evidence);
        profile.capabilities = capabilities;
    }

    /// @inheritdoc IProducerContract
    function enfranchise(address agent) external {
        Account memory account = _producer(agent);
        _onlyClerk(Office.REGISTRAR, this.enfranchise.selector, account);
        _ledger.enfranchise(agent, true);
    }

    /// @inheritdoc IProducerContract
    function ban(address agent, bytes32 reason) external {
        _onlyGovernor();
        Account memory account = _known(agent);
        _ledger.raise(agent, Flags.BANNED);
        emit AgentBanned(agent, reason);
        Stakes.retire(_CONSTITUTION, agent, account.kind);
    }

    /// @inheritdoc IProducerContract
    function freezePrincipal(address principal, bool frozen) external {
        _onlyGovernor();
        _ledger.freezePrincipal(_numberOf(principal), principal, frozen);
    }

    /// @inheritdoc IProducerContract
    function freezeAgent(address agent, bool frozen) external {
        _onlyGovernor();
        Account memory account = _ledger.staked(agent);
        // Reviews take a week at most.
        uint40 until = frozen ? uint40(block.timestamp + 2 * _CONSTITUTION.param(Param.MAX_HUMAN_REVIEW_TIMEOUT)) : 0;
        _ledger.absences[agent].frozenUntil = until;
        if (frozen) account.flags |= Flags.FROZEN;
        else account.flags &= ~Flags.FROZEN;
        _store(agent, account);
        emit AgentFrozen(agent, until);
        if (account.kind != Kind.VERIFIER) return;
        IEvidenceRegistry(_CONSTITUTION.at(Institution.EVIDENCE)).stay(agent, until);
    }

    // --- Electorate --------------------------------------------------------------------------------------------------

    /// @inheritdoc IProducerContract
    function lapse(address agent) external {
        // What a retired legislature counts is not the city's attendance any more.
        if (_CONSTITUTION.standingOf(Institution.LEGISLATION, msg.sender) != Standing.CURRENT) {
            revert NotAuthorised(msg.sender);
        }
        _producer(agent);
        _ledger.lapse(agent);
    }

    /// @inheritdoc IProducerContract
    function attend(address agent) external {
        Account memory account = _producer(agent);
        bool self = msg.sender == agent || msg.sender == _principalOf(account);
        if (!self && !_isProcedure(Institution.LEGISLATION)) revert NotAuthorised(msg.sender);
        _ledger.attend(agent);
    }

    // --- Views -------------------------------------------------------------------------------------------------------

    /// @inheritdoc IProducerContract
    function agentOf(address agent) external view returns (Agent memory) {
        Account memory account = _load(agent);
        return
            Agent({
                principal: _principalOf(account),
                kind: account.kind,
                banned: _has(account, Flags.BANNED),
                index: account.index,
                registeredAt: _ledger.profiles[agent].registeredAt,
                registeredBlock: account.registeredBlock,
                reputation: account.reputation
            });
    }

    /// @inheritdoc IProducerContract
    function stakeOf(address agent) external view returns (Stake memory) {
        Account memory account = _load(agent);
        return
            Stake({held: account.held, locked: account.locked, unbondingUntil: _ledger.absences[agent].unbondingUntil});
    }

    /// @inheritdoc IProducerContract
    function principalOf(address agent) external view returns (address) {
        return _ledger.portfolios[_ledger.accounts[agent].principal].principal;
    }

    /// @inheritdoc IProducerContract
    function isPrincipal(address account) external view returns (bool) {
        return _numbers[account] != 0;
    }

    /// @inheritdoc IProducerContract
    function capabilitiesOf(address agent) external view returns (uint160) {
        return _ledger.profiles[agent].capabilities;
    }

    /// @inheritdoc IProducerContract
    function reputationOf(address agent) external view returns (uint256) {
        return Reputation.points(_ledger.accounts[agent].reputation);
    }

    /// @inheritdoc IProducerContract
    function openFaultsOf(address agent) external view returns (uint8) {
        return _ledger.accounts[agent].faults;
    }

    /// @inheritdoc IProducerContract
    function meetsReputationFloor(address agent) external view returns (bool) {
        Account memory account = _load(agent);
        return account.kind != Kind.NONE && _isAboveFloor(account);
    }

    /// @inheritdoc IProducerContract
    function isEligible(address agent, Kind kind) external view returns (bool) {
        return _isEligible(_load(agent), kind) && !_isFrozen(agent);
    }

    /// @inheritdoc IProducerContract
    function bidderOf(address agent) external view returns (Bidder memory bidder) {
        Account memory account = _load(agent);
        if (!_isEligible(account, Kind.PRODUCER) || _isFrozen(agent)) return bidder;
        bidder.principal = _principalOf(account);
        bidder.number = account.principal;
        bidder.capabilities = _ledger.profiles[agent].capabilities;
        // At most 1000 points.
        bidder.reputation = uint16(Reputation.points(account.reputation));
        // What waits for its window counts already.
        if (account.faults != 0) bidder.reputation = _ledger.burdenedOf(_CONSTITUTION, agent);
    }

    /// @inheritdoc IProducerContract
    function awardeeOf(address agent) external view returns (address principal, bool novice) {
        Account memory account = _load(agent);
        bool counts = _isPresent(account, Kind.PRODUCER, Flags.BANNED) && !_isFrozen(agent);
        return (counts ? _principalOf(account) : address(0), _has(account, Flags.NOVICE));
    }

    /// @inheritdoc IProducerContract
    function requireRoutable(address agent) external view returns (address principal) {
        if (_isFrozen(agent)) revert FrozenAgent(agent, _ledger.absences[agent].frozenUntil);
        Account storage account = _ledger.accounts[agent];
        Portfolio storage portfolio = _ledger.portfolios[account.principal];
        if (account.flags & Flags.BANNED != 0 || portfolio.frozen) revert NotEligible(agent);
        return portfolio.principal;
    }

    /// @inheritdoc IProducerContract
    function electorOf(
        address agent,
        uint256 opened,
        uint256 floor
    ) external view returns (bool mayVote, address principal, uint16 index, bool counted) {
        Account memory account = _load(agent);
        (principal, index) = (_principalOf(account), account.index);
        mayVote = _electorIndex(agent, opened, floor) != Suffrage.NOBODY;
        bool attending = !_has(account, Flags.LAPSED | Flags.NOVICE) && account.registeredBlock < opened;
        counted = attending && _ledger.portfolios[account.principal].countedFrom < opened;
    }

    /// @inheritdoc IProducerContract
    function electorsOf(
        address[] calldata agents,
        uint256 opened,
        uint256 floor
    ) external view returns (uint16[] memory indices) {
        indices = new uint16[](agents.length);
        for (uint256 i = 0; i < agents.length; ++i) indices[i] = _electorIndex(agents[i], opened, floor);
    }

    /// @inheritdoc IProducerContract
    function hasSuffrage(address agent) external view returns (bool) {
        Account memory account = _load(agent);
        return account.kind == Kind.PRODUCER && !_has(account, Flags.NOVICE);
    }

    /// @inheritdoc IProducerContract
    function isLapsed(address agent) external view returns (bool) {
        return _ledger.accounts[agent].flags & Flags.LAPSED != 0;
    }

    /// @inheritdoc IProducerContract
    function activeProducers() external view returns (uint16) {
        return _ledger.census.active;
    }

    /// @inheritdoc IProducerContract
    function votersOf(address principal) external view returns (uint16) {
        Portfolio storage portfolio = _ledger.portfolios[_numbers[principal]];
        return portfolio.frozen ? 0 : portfolio.producers;
    }

    /// @inheritdoc IProducerContract
    function nonceOf(address account) public view returns (uint256) {
        uint24 number = _numbers[account];
        return number == 0 ? _nonces[account] : _ledger.portfolios[number].nonce;
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

    /// @dev A clerk whose envelope lists the call, of another principal than whom it is about.
    function _onlyClerk(Office office, bytes4 selector, Account memory about) private view {
        IClerkContract clerks = IClerkContract(_CONSTITUTION.at(Institution.CLERKS));
        bool permitted = clerks.isClerk(office, msg.sender) && clerks.isPermitted(office, selector);
        if (!permitted || _ledger.accounts[msg.sender].principal == about.principal) revert NotAuthorised(msg.sender);
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
        if (binding.nonce != nonceOf(binding.principal)) revert InvalidNonce(binding.principal, binding.nonce);
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
        if (binding.nonce != nonceOf(binding.creator)) revert InvalidNonce(binding.creator, binding.nonce);
        bytes32 digest = _hashTypedDataV4(TypedData.hashSubAgentBinding(binding));
        Signatures.requireKeyOrCaller(binding.creator, digest, creatorSignature);
        Signatures.requireKeyOrCaller(binding.agent, digest, agentSignature);
        if (!_isEligible(_load(binding.creator), Kind.PRODUCER) || _isFrozen(binding.creator)) {
            revert NotEligible(binding.creator);
        }
        _requireWithin(binding.capabilities, _ledger.profiles[binding.creator].capabilities);
        _requireWithin(binding.capabilities, _claimable());
    }

    /// @dev A well-formed name, and enough at stake.
    function _requireEntry(string calldata did, bytes32 didHash, uint64 stake) private view {
        if (!DidSyntax.isWellFormed(did) || keccak256(bytes(did)) != didHash) revert MalformedDid(did);
        uint64 minimum = _CONSTITUTION.paramInUnits(Param.REGISTRATION_STAKE);
        if (stake < minimum) revert StakeBelowMinimum(stake, minimum);
    }

    /// @dev A DID is free again once its bearer has left. One that ends in the agent's own address needs no record.
    function _name(string calldata did, bytes32 didHash, address agent) private {
        if (DidSyntax.namesAccount(did)) {
            if (!DidSyntax.endsIn(did, agent)) revert DidOfAnother(did, agent);
            return;
        }
        address bearer = _bearers[didHash];
        if (bearer != address(0) && bearer != agent) {
            bool left =
                _ledger.accounts[bearer].flags & Flags.LEAVING != 0 &&
                    block.timestamp >= _ledger.absences[bearer].unbondingUntil;
            if (!left) revert DidTaken(did, bearer);
        }
        _bearers[didHash] = agent;
    }

    /// @dev Founders answer for those with whom they seal the city; who comes later is as good as 0.6 until a Regulator finds more.
    function _claimable() private view returns (uint160) {
        return _isFounded() ? BidScore.CLAIMABLE : type(uint160).max;
    }

    function _isFounded() private view returns (bool) {
        return _CONSTITUTION.isSealed();
    }

    /// @dev No capability may exceed the limit in its dimension.
    function _requireWithin(uint160 capabilities, uint160 most) private pure {
        for (uint256 d = 0; d < _DIMENSIONS; ++d) {
            (uint256 value, uint256 limit) = (uint16(capabilities >> (16 * d)), uint16(most >> (16 * d)));
            if (value > limit) revert CapabilityTooHigh(d, value, limit);
        }
    }

    // --- Records -----------------------------------------------------------------------------------------------------

    function _enter(address agent, Account memory account, uint160 capabilities) private {
        if (_ledger.accounts[agent].kind != Kind.NONE) revert AlreadyRegistered(agent);
        account.registeredBlock = uint32(block.number);
        account.reputation = uint24(Reputation.INITIAL);
        _store(agent, account);
        // Seconds fit until the year 2106.
        _ledger.profiles[agent] = Profile({
            capabilities: capabilities,
            registeredAt: uint32(block.timestamp),
            earlier: 0
        });
    }

    /// @dev A newcomer has no number before it has a vote. Numbers are never reused: ballots of past sessions stay readable by them.
    function _admit(
        address agent,
        uint24 principal,
        Kind kind,
        uint160 capabilities,
        uint64 stake
    ) private returns (uint16) {
        Account memory account;
        (account.principal, account.kind, account.held) = (principal, kind, SafeCast.toUint56(stake));
        if (kind == Kind.PRODUCER) {
            if (_isFounded()) {
                (account.index, account.flags) = (Suffrage.NOBODY, Flags.NOVICE);
            } else {
                account.index = _ledger.census.producers++;
                _ledger.count(principal, true);
            }
        }
        _enter(agent, account, capabilities);
        return account.index;
    }

    /// @dev Bids name principals in twenty bits. What a principal signed before it was one stays spent.
    function _numberOf(address principal) private returns (uint24 number) {
        number = _numbers[principal];
        if (number != 0) return number;
        if (_ledger.census.principals == _MOST_PRINCIPALS) revert PrincipalsExhausted();
        number = ++_ledger.census.principals;
        _numbers[principal] = number;
        _ledger.portfolios[number].principal = principal;
        _ledger.portfolios[number].nonce = SafeCast.toUint40(_nonces[principal]);
    }

    function _spendNonce(address account) private {
        uint24 number = _numbers[account];
        if (number == 0) ++_nonces[account];
        else ++_ledger.portfolios[number].nonce;
    }

    function _admitSubAgent(SubAgentBinding calldata binding, string calldata did) private {
        (uint160 capabilities, uint64 stake) = (binding.capabilities, binding.stake);
        uint24 number = _ledger.accounts[binding.creator].principal;
        uint16 index = _admit(binding.agent, number, Kind.PRODUCER, capabilities, stake);
        address principal = _ledger.portfolios[number].principal;
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

    function _load(address agent) private view returns (Account memory) {
        return _ledger.accounts[agent];
    }

    function _store(address agent, Account memory account) private {
        _ledger.accounts[agent] = account;
    }

    function _known(address agent) private view returns (Account memory account) {
        account = _load(agent);
        if (account.kind == Kind.NONE) revert NotRegistered(agent);
    }

    function _producer(address agent) private view returns (Account memory account) {
        account = _known(agent);
        if (account.kind != Kind.PRODUCER) revert WrongKind(agent, account.kind);
    }

    function _principalOf(Account memory account) private view returns (address) {
        return _ledger.portfolios[account.principal].principal;
    }

    function _isEligible(Account memory account, Kind kind) private view returns (bool) {
        return _isPresent(account, kind, Flags.BANNED | Flags.LEAVING);
    }

    /// @dev The flag is in a word that is read anyway; the time is asked of few.
    function _isFrozen(address agent) private view returns (bool) {
        return
            _ledger.accounts[agent].flags & Flags.FROZEN != 0 && block.timestamp < _ledger.absences[agent].frozenUntil;
    }

    /// @dev Of that kind, with none of the flags, not frozen, and at or above the floor.
    function _isPresent(Account memory account, Kind kind, uint8 without) private view returns (bool) {
        if (kind == Kind.NONE || account.kind != kind || _has(account, without)) return false;
        if (_ledger.portfolios[account.principal].frozen) return false;
        return _isAboveFloor(account);
    }

    function _isAboveFloor(Account memory account) private view returns (bool) {
        return Reputation.points(account.reputation) >= _CONSTITUTION.param(Param.REPUTATION_FLOOR);
    }

    /// @dev Takes the fields of the word together, before anything is decided, and no memory: batches are long.
    function _electorIndex(address agent, uint256 opened, uint256 floor) private view returns (uint16) {
        Account storage account = _ledger.accounts[agent];
        (uint24 principal, uint16 index, uint32 since, Kind kind, uint8 flags) = (
            account.principal,
            account.index,
            account.registeredBlock,
            account.kind,
            account.flags
        );
        if (kind != Kind.PRODUCER) return Suffrage.NOBODY;
        Portfolio storage portfolio = _ledger.portfolios[principal];
        bool plain = flags & Suffrage.QUESTIONABLE == 0 && since < opened;
        plain = plain && portfolio.countedFrom < opened && !portfolio.frozen;
        return plain || _ledger.isElector(agent, opened, floor) ? index : Suffrage.NOBODY;
    }

    function _has(Account memory account, uint8 flag) private pure returns (bool) {
        return account.flags & flag != 0;
    }

    function _token() private view returns (IERC20) {
        return IERC20(_CONSTITUTION.at(Institution.TOKEN));
    }
}
