// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {IConstitutionContract} from "../interfaces/IConstitutionContract.sol";
import {IEvidenceRegistry} from "../interfaces/IEvidenceRegistry.sol";
import {IProducerContract} from "../interfaces/IProducerContract.sol";
import {PanelDraw} from "../libraries/PanelDraw.sol";
import {EvidenceClass} from "../types/Evidence.sol";
import {Institution, Kind} from "../types/Roles.sol";

/// @notice See `IEvidenceRegistry`.
contract EvidenceRegistry is IEvidenceRegistry {
    /// Everything an account may do, in one word.
    struct Roles {
        address principal;
        /// Bitmap over `EvidenceClass`; zero = no issuer.
        uint8 classes;
        bool runner;
        bool monitor;
        /// Zero = no verifier.
        uint16 weight;
        /// Place in `_verifiers`; meaningless without weight.
        uint8 place;
        /// Number for ever, counted from 1: missions remember a panel by it.
        uint16 serial;
        /// Its stake left, is about to, or is too small to answer with: it keeps its place and has no weight.
        bool retired;
    }

    uint256 private constant _MAX_VERIFIERS = 256;
    /// A mission keeps fifteen bits of a number.
    uint16 private constant _MAX_SERIAL = 0x7fff;
    uint256 private constant _TRIES_PER_SEAT = 32;
    // Six classes fit.
    uint8 private constant _ALL_CLASSES = uint8((1 << (uint256(type(EvidenceClass).max) + 1)) - 1);

    IConstitutionContract private immutable _CONSTITUTION;

    mapping(address account => Roles roles) private _roles;
    address[] private _verifiers;
    mapping(uint16 serial => address verifier) private _verifierAt;
    uint16 private _serials;
    /// How many principals are suspended now: as a rule none, and then nothing else is read.
    uint16 private _suspensions;
    mapping(address principal => bool suspended) private _suspended;

    constructor(IConstitutionContract constitution) {
        _CONSTITUTION = constitution;
    }

    /// @inheritdoc IEvidenceRegistry
    function registerIssuer(address issuer, address principal, uint8 classes) external {
        _onlyGovernor();
        if (classes == 0 || classes > _ALL_CLASSES) revert InvalidClasses(classes);
        Roles storage roles = _named(issuer, principal);
        if (roles.classes != 0) revert AlreadyRegistered(issuer);
        roles.classes = classes;
        emit IssuerRegistered(issuer, principal, classes);
    }

    /// @inheritdoc IEvidenceRegistry
    function registerVerifier(address verifier, uint16 weight) external {
        _onlyGovernor();
        if (weight == 0) revert ZeroWeight(verifier);
        IProducerContract producers = IProducerContract(_CONSTITUTION.at(Institution.PRODUCERS));
        if (!producers.isEligible(verifier, Kind.VERIFIER)) revert NotAVerifier(verifier);
        if (_serials == _MAX_SERIAL) revert TooManyVerifiers(_MAX_SERIAL);
        if (_verifiers.length == _MAX_VERIFIERS) revert TooManyVerifiers(_MAX_VERIFIERS);
        address principal = producers.principalOf(verifier);
        Roles storage roles = _named(verifier, principal);
        if (roles.weight != 0) revert AlreadyRegistered(verifier);
        roles.weight = weight;
        // At most 256 verifiers.
        roles.place = uint8(_verifiers.length);
        roles.serial = ++_serials;
        _verifierAt[roles.serial] = verifier;
        _verifiers.push(verifier);
        emit VerifierRegistered(verifier, principal, weight);
    }

    /// @inheritdoc IEvidenceRegistry
    function registerRunner(address runner, address principal) external {
        _onlyGovernor();
        Roles storage roles = _named(runner, principal);
        if (roles.runner) revert AlreadyRegistered(runner);
        roles.runner = true;
        emit RunnerRegistered(runner, principal);
    }

    /// @inheritdoc IEvidenceRegistry
    function registerMonitor(address monitor, address principal) external {
        _onlyGovernor();
        Roles storage roles = _named(monitor, principal);
        if (roles.monitor) revert AlreadyRegistered(monitor);
        roles.monitor = true;
        emit MonitorRegistered(monitor, principal);
    }

    /// @inheritdoc IEvidenceRegistry
    function revoke(address account) external {
        _onlyGovernor();
        Roles memory roles = _roles[account];
        if (roles.principal == address(0)) revert NotRegistered(account);
        delete _roles[account];
        if (roles.weight != 0) _removeVerifier(roles.place);
        emit Revoked(account);
    }

    /// @inheritdoc IEvidenceRegistry
    function retire(address verifier) external {
        if (msg.sender != _CONSTITUTION.at(Institution.PRODUCERS)) revert NotProducers(msg.sender);
        Roles storage roles = _roles[verifier];
        if (roles.weight == 0 || roles.retired) return;
        roles.retired = true;
        emit VerifierRetired(verifier);
    }

    /// @inheritdoc IEvidenceRegistry
    function suspend(address principal, bool suspended) external {
        _onlyGovernor();
        if (_suspended[principal] == suspended) return;
        _suspended[principal] = suspended;
        if (suspended) ++_suspensions;
        else --_suspensions;
        emit PrincipalSuspended(principal, suspended);
    }

    /// @inheritdoc IEvidenceRegistry
    function mayIssue(address issuer, EvidenceClass evidenceClass) external view returns (bool) {
        Roles memory roles = _roles[issuer];
        return (roles.classes >> uint8(evidenceClass)) & 1 == 1 && !isSuspended(roles.principal);
    }

    /// @inheritdoc IEvidenceRegistry
    function principalOf(address account) external view returns (address) {
        return _roles[account].principal;
    }

    /// @inheritdoc IEvidenceRegistry
    function weightOf(address verifier) external view returns (uint16) {
        Roles storage roles = _roles[verifier];
        return roles.retired ? 0 : roles.weight;
    }

    /// @inheritdoc IEvidenceRegistry
    function verifiersOf(
        address[] calldata accounts
    ) external view returns (uint16[] memory weights, uint16[] memory serials) {
        weights = new uint16[](accounts.length);
        serials = new uint16[](accounts.length);
        for (uint256 i = 0; i < accounts.length; ++i) {
            Roles storage roles = _roles[accounts[i]];
            if (roles.weight != 0 && !roles.retired) (weights[i], serials[i]) = (roles.weight, roles.serial);
        }
    }

    /// @inheritdoc IEvidenceRegistry
    function verifierAt(uint16 serial) external view returns (address) {
        return _verifierAt[serial];
    }

    /// @inheritdoc IEvidenceRegistry
    function isRunner(address account) external view returns (bool) {
        Roles memory roles = _roles[account];
        return roles.runner && !isSuspended(roles.principal);
    }

    /// @inheritdoc IEvidenceRegistry
    function isMonitor(address account) external view returns (bool) {
        Roles memory roles = _roles[account];
        return roles.monitor && !isSuspended(roles.principal);
    }

    /// @inheritdoc IEvidenceRegistry
    function verifierCount() external view returns (uint256) {
        return _verifiers.length;
    }

    /// @inheritdoc IEvidenceRegistry
    function drawPanel(
        bytes32 seed,
        uint8 size,
        address[] calldata excluded
    ) external view returns (address[] memory panel) {
        uint256 count = _verifiers.length;
        uint256 tries = count == 0 ? 0 : _TRIES_PER_SEAT * uint256(size);
        uint256 filled;
        uint256 draw;
        panel = new address[](size);
        for (; draw < tries && filled < size; ++draw) {
            address candidate = _verifiers[PanelDraw.next(seed, draw, count)];
            if (!_isRefused(candidate, panel, filled, excluded)) panel[filled++] = candidate;
        }
        if (filled < size) _fill(seed, draw, panel, filled, excluded);
    }

    /// @inheritdoc IEvidenceRegistry
    function isSuspended(address principal) public view returns (bool) {
        return _suspensions != 0 && _suspended[principal];
    }

    /// @dev Finishes a panel among many refused: the next draws pick from those who remain, each as likely as before.
    function _fill(
        bytes32 seed,
        uint256 draw,
        address[] memory panel,
        uint256 filled,
        address[] calldata excluded
    ) private view {
        address[] memory pool = new address[](_verifiers.length);
        uint256 left;
        for (uint256 i = 0; i < pool.length; ++i) {
            address candidate = _verifiers[i];
            if (!_isRefused(candidate, panel, filled, excluded)) pool[left++] = candidate;
        }
        // At most seven seats.
        if (filled + left < panel.length) revert PanelUnavailable(uint8(panel.length), filled + left);
        for (; filled < panel.length; ++filled) {
            uint256 pick = PanelDraw.next(seed, draw++, left);
            panel[filled] = pool[pick];
            pool[pick] = pool[--left];
        }
    }

    function _isRefused(
        address candidate,
        address[] memory panel,
        uint256 filled,
        address[] calldata excluded
    ) private view returns (bool) {
        for (uint256 i = 0; i < filled; ++i) {
            if (panel[i] == candidate) return true;
        }
        address principal = _roles[candidate].principal;
        for (uint256 i = 0; i < excluded.length; ++i) {
            if (excluded[i] == principal) return true;
        }
        return isSuspended(principal);
    }

    function _onlyGovernor() private view {
        if (!_CONSTITUTION.isGovernor(msg.sender)) revert NotGovernor(msg.sender);
    }

    /// @dev An account may have several roles, all for the same principal.
    function _named(address account, address principal) private returns (Roles storage roles) {
        if (account == address(0) || principal == address(0)) revert ZeroAddress();
        roles = _roles[account];
        if (roles.principal == address(0)) roles.principal = principal;
        else if (roles.principal != principal) revert AlreadyRegistered(account);
    }

    function _removeVerifier(uint8 place) private {
        address last = _verifiers[_verifiers.length - 1];
        _verifiers.pop();
        if (place == _verifiers.length) return;
        _verifiers[place] = last;
        _roles[last].place = place;
    }
}
