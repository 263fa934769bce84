// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {Clones} from "@openzeppelin/contracts/proxy/Clones.sol";
import {DynamicArrayLib} from "solady/src/utils/DynamicArrayLib.sol";
import {LibBytes} from "solady/src/utils/LibBytes.sol";
import {IClerkContract} from "../interfaces/IClerkContract.sol";
import {IConstitutionContract} from "../interfaces/IConstitutionContract.sol";
import {IEvidenceRegistry} from "../interfaces/IEvidenceRegistry.sol";
import {IProducerContract} from "../interfaces/IProducerContract.sol";
import {ITemplateRegistry} from "../interfaces/ITemplateRegistry.sol";
import {PanelDraw} from "../libraries/PanelDraw.sol";
import {Seat, Seats} from "../libraries/Seat.sol";
import {EvidenceClass} from "../types/Evidence.sol";
import {Institution, Kind, Office} from "../types/Roles.sol";

/// @notice See `IEvidenceRegistry`. The seats that panels are drawn from are the code of a data contract, two words a seat: one copy of it
/// costs less than reading one verifier's word and place. Changes write another; the one before stays what earlier draws are about.
contract EvidenceRegistry is IEvidenceRegistry {
    using DynamicArrayLib for address[];
    using DynamicArrayLib for uint256[];
    using LibBytes for bytes;

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
        /// Permanent serial number, from 1: missions remember a panel by it.
        uint16 serial;
        /// Its stake left, is about to, or is too small to answer with: it has no weight.
        bool retired;
        /// The day (UTC) on which its weight moved last; zero = never.
        uint24 moved;
    }

    /// One word: a roster as it was written.
    struct Roster {
        address page;
        /// First block whose panels are drawn from it.
        uint40 since;
        uint16 seats;
        uint32 epoch;
        /// A member has retired or is stayed, so weights are read one by one.
        bool stale;
    }

    /// A panel that is being drawn, in memory.
    struct Sitting {
        Seat[] panel;
        uint256 filled;
        bytes32 seed;
        uint256 draw;
        bytes page;
        address[] excluded;
    }

    /// Accounts of one principal. All are of one kind: no principal judges what it attests.
    struct Offices {
        uint16 issuing;
        uint16 verifying;
        /// Number of its first verifier, and its own for good; zero = it never had one.
        uint16 house;
    }

    uint256 private constant _MAX_VERIFIERS = 256;
    // Range of the weights that passports set, and the maximum step (decision 82).
    uint16 private constant _LEAST_WEIGHT = 100;
    uint16 private constant _WEIGHT_STEP = 3;
    /// A mission keeps fifteen bits of a number.
    uint16 private constant _MAX_SERIAL = 0x7fff;
    uint256 private constant _FEW_SEATS = 32;
    uint256 private constant _TRIES_PER_SEAT = 4;
    uint40 private constant _LAPSES_APART = 30 days;
    uint256 private constant _WORD = 32;
    uint256 private constant _SEAT_LENGTH = 2 * _WORD;
    /// @dev EIP-2935: where the chain has it, it knows the hashes of the last 8,191 blocks.
    address private constant _HISTORY = 0x0000F90827F1C53a10cb7A02335B175320002935;
    // Six classes fit.
    uint8 private constant _ALL_CLASSES = uint8((1 << (uint256(type(EvidenceClass).max) + 1)) - 1);

    IConstitutionContract private immutable _CONSTITUTION;

    mapping(address account => Roles roles) private _roles;
    address[] private _verifiers;
    mapping(uint16 serial => address verifier) private _verifierAt;
    uint16 private _serials;
    /// How many principals are suspended now: as a rule none, and then nothing else is read.
    uint16 private _suspensions;
    /// When the last of the stays below ends.
    uint40 private _lastStay;
    /// A verifier has retired since the roster was written.
    bool private _hasRetired;
    mapping(address verifier => uint40 until) private _stayed;
    mapping(address principal => bool suspended) private _suspended;
    Roster private _roster;
    mapping(uint32 epoch => Roster roster) private _former;
    mapping(address principal => Offices held) private _offices;
    /// Hashes that outlive what the chain remembers by itself.
    mapping(uint256 number => bytes32 hash) private _pinned;
    /// When the monitor's last suspension lapsed that is counted.
    mapping(address monitor => uint40 at) private _lapsedAt;

    constructor(IConstitutionContract constitution) {
        _CONSTITUTION = constitution;
    }

    /// @inheritdoc IEvidenceRegistry
    function registerIssuer(address issuer, address principal, uint8 classes) external {
        _onlyGovernor();
        if (classes == 0 || classes > _ALL_CLASSES) revert InvalidClasses(classes);
        Roles storage roles = _named(issuer, principal);
        if (roles.classes != 0) revert AlreadyRegistered(issuer);
        if (_offices[principal].verifying != 0) revert IssuesAndVerifies(principal);
        _requireSilent(principal);
        ++_offices[principal].issuing;
        roles.classes = classes;
        emit IssuerRegistered(issuer, principal, classes);
    }

    /// @inheritdoc IEvidenceRegistry
    function registerVerifier(address verifier, uint16 weight) external {
        _onlyGovernor();
        if (weight == 0) revert ZeroWeight(verifier);
        if (weight > PanelDraw.MOST_WEIGHT) revert WeightOutOfBounds(verifier, 0, weight);
        IProducerContract producers = IProducerContract(_CONSTITUTION.at(Institution.PRODUCERS));
        if (!producers.isEligible(verifier, Kind.VERIFIER)) revert NotAVerifier(verifier);
        if (_serials == _MAX_SERIAL) revert TooManyVerifiers(_MAX_SERIAL);
        if (_verifiers.length == _MAX_VERIFIERS) revert TooManyVerifiers(_MAX_VERIFIERS);
        address principal = producers.principalOf(verifier);
        Roles storage roles = _named(verifier, principal);
        if (roles.weight != 0) revert AlreadyRegistered(verifier);
        Offices storage held = _offices[principal];
        if (held.issuing != 0) revert IssuesAndVerifies(principal);
        _requireSilent(principal);
        ++held.verifying;
        roles.weight = weight;
        // At most 256 verifiers.
        roles.place = uint8(_verifiers.length);
        roles.serial = ++_serials;
        if (held.house == 0) held.house = roles.serial;
        _verifierAt[roles.serial] = verifier;
        _verifiers.push(verifier);
        emit VerifierRegistered(verifier, principal, weight);
        _appendSeat(verifier, roles);
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
        emit Revoked(account);
        if (roles.classes != 0) --_offices[roles.principal].issuing;
        if (roles.weight == 0) return;
        --_offices[roles.principal].verifying;
        _removeVerifier(roles.place);
        _writeRoster();
    }

    /// @inheritdoc IEvidenceRegistry
    function countLapse(address monitor, uint40 at) external {
        ITemplateRegistry templates = ITemplateRegistry(_CONSTITUTION.at(Institution.TEMPLATES));
        if (!templates.isGenuine(msg.sender)) revert NotMission(msg.sender);
        uint40 before = _lapsedAt[monitor];
        // Lapses may be reported in any order.
        bool dismissed = before != 0 && (at > before ? at - before : before - at) < _LAPSES_APART;
        if (at > before) _lapsedAt[monitor] = at;
        if (dismissed) _roles[monitor].monitor = false;
        emit LapseCounted(monitor, at, dismissed);
    }

    /// @inheritdoc IEvidenceRegistry
    function retire(address verifier) external {
        if (msg.sender != _CONSTITUTION.at(Institution.PRODUCERS)) revert NotProducers(msg.sender);
        Roles storage roles = _roles[verifier];
        if (roles.weight == 0 || roles.retired) return;
        roles.retired = true;
        (_roster.stale, _hasRetired) = (true, true);
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
        if (_hasSeat(principal)) _writeRoster();
    }

    /// @inheritdoc IEvidenceRegistry
    function stay(address verifier, uint40 until) external {
        if (msg.sender != _CONSTITUTION.at(Institution.PRODUCERS)) revert NotProducers(msg.sender);
        if (_roles[verifier].weight == 0) return;
        _stayed[verifier] = until;
        if (until > _lastStay) _lastStay = until;
        _roster.stale = true;
        emit VerifierStayed(verifier, until);
    }

    /// @inheritdoc IEvidenceRegistry
    function postPassports(bytes32 passports, address[] calldata verifiers, uint16[] calldata weights) external {
        IClerkContract clerks = IClerkContract(_CONSTITUTION.at(Institution.CLERKS));
        bool permitted =
            clerks.isClerk(Office.REGULATOR, msg.sender) &&
                clerks.isPermitted(Office.REGULATOR, this.postPassports.selector);
        if (!permitted) revert NotRegulator(msg.sender);
        if (verifiers.length != weights.length) revert LengthMismatch(verifiers.length, weights.length);
        address house = IProducerContract(_CONSTITUTION.at(Institution.PRODUCERS)).principalOf(msg.sender);
        uint16[] memory before = new uint16[](verifiers.length);
        for (uint256 i = 0; i < verifiers.length; ++i) {
            before[i] = _move(verifiers[i], weights[i], house);
        }
        emit PassportsPosted(passports, msg.sender, verifiers, weights, before);
        if (verifiers.length != 0) _writeRoster();
    }

    /// @inheritdoc IEvidenceRegistry
    function reseat() external {
        // While a stay lasts its seat is read one by one whatever is written: each edition is one more that later clearings look through.
        bool changes = _hasRetired || (_roster.stale && block.timestamp >= _lastStay);
        if (!changes) revert RosterCurrent(_roster.epoch);
        _writeRoster();
    }

    /// @inheritdoc IEvidenceRegistry
    function pinSeed(uint256 number) external {
        bytes32 hash = seedOf(number);
        if (hash == 0) revert SeedUnknown(number);
        if (_pinned[number] != 0) return;
        _pinned[number] = hash;
        emit SeedPinned(number, hash);
    }

    /// @inheritdoc IEvidenceRegistry
    function issuerOf(address issuer) public view returns (uint8 classes, address principal) {
        Roles storage roles = _roles[issuer];
        (classes, principal) = (roles.classes, roles.principal);
        if (isSuspended(principal)) classes = 0;
    }

    /// @inheritdoc IEvidenceRegistry
    function mayIssue(address issuer, EvidenceClass evidenceClass) external view returns (bool) {
        (uint8 classes, ) = issuerOf(issuer);
        return (classes >> uint8(evidenceClass)) & 1 == 1;
    }

    /// @inheritdoc IEvidenceRegistry
    function principalOf(address account) external view returns (address) {
        return _roles[account].principal;
    }

    /// @inheritdoc IEvidenceRegistry
    function judges(address principal) external view returns (bool) {
        Offices memory held = _offices[principal];
        return held.verifying != 0 || held.issuing != 0;
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
            Roles memory roles = _roles[accounts[i]];
            if (roles.weight == 0 || roles.retired || isSuspended(roles.principal)) continue;
            (weights[i], serials[i]) = (roles.weight, roles.serial);
        }
    }

    /// @inheritdoc IEvidenceRegistry
    function verifierAt(uint16 serial) external view returns (address) {
        return _verifierAt[serial];
    }

    /// @inheritdoc IEvidenceRegistry
    function houseOf(address principal) external view returns (uint16) {
        return _offices[principal].house;
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
    function panelOf(
        uint8 node,
        uint8 attempt,
        uint8 size,
        address[] calldata excluded,
        uint256 drawnAt
    ) external view returns (Seat[] memory) {
        bytes32 hash = seedOf(drawnAt);
        if (hash == 0) revert SeedUnknown(drawnAt);
        return drawPanel(PanelDraw.seed(hash, msg.sender, node, attempt), size, excluded, drawnAt);
    }

    /// @inheritdoc IEvidenceRegistry
    function drawPanel(
        bytes32 seed,
        uint8 size,
        address[] calldata excluded,
        uint256 drawnAt
    ) public view returns (Seat[] memory panel) {
        (Roster memory roster, bool current) = _rosterAt(drawnAt);
        panel = new Seat[](size);
        if (roster.seats == 0) {
            if (size != 0) revert PanelUnavailable(size, 0);
            return panel;
        }
        Sitting memory t;
        (t.panel, t.seed, t.excluded) = (panel, seed, excluded);
        t.page = Clones.fetchCloneArgs(roster.page);
        _draw(t);
        if (current && !roster.stale) return panel;
        for (uint256 i = 0; i < size; ++i) if (!_hasWeight(panel[i])) panel[i] = panel[i].silenced();
    }

    /// @inheritdoc IEvidenceRegistry
    function seedOf(uint256 number) public view returns (bytes32 hash) {
        hash = blockhash(number);
        if (hash != 0) return hash;
        hash = _pinned[number];
        if (hash != 0 || number >= block.number) return hash;
        (bool known, bytes memory answer) = _HISTORY.staticcall(abi.encode(number));
        if (known && answer.length == _WORD) hash = abi.decode(answer, (bytes32));
    }

    /// @inheritdoc IEvidenceRegistry
    function isSuspended(address principal) public view returns (bool) {
        return _suspensions != 0 && _suspended[principal];
    }

    /// @dev No principal sits twice while another is left; then each once more, and so on.
    function _draw(Sitting memory t) private pure {
        uint256 size = t.panel.length;
        uint256 count = t.page.length / _SEAT_LENGTH;
        // At most 256 seats and seven places.
        unchecked {
            // Among many a few draws find the panel.
            uint256 tries = count > _FEW_SEATS ? _TRIES_PER_SEAT * size : 0;
            while (t.draw < tries && t.filled < size) {
                _waits(t, PanelDraw.next(t.seed, t.draw++, count), 1);
            }
            if (t.filled < size) _drawAll(t, count);
        }
    }

    /// @dev Draws every seat once; who waits because its principal sits follows in that order.
    function _drawAll(Sitting memory t, uint256 count) private pure {
        uint256 size = t.panel.length;
        // Seats not drawn yet from the front, those that wait from the back.
        uint256[] memory order = new uint256[](count);
        uint256 waiting = 0;
        // At most 256 seats and seven places.
        unchecked {
            // Every place below is one of `count`.
            for (uint256 i = 0; i < count; ++i) order.set(i, i);
            for (uint256 left = count; left != 0 && t.filled < size; --left) {
                uint256 pick = PanelDraw.next(t.seed, t.draw++, left);
                uint256 index = order.get(pick);
                order.set(pick, order.get(left - 1));
                if (_waits(t, index, 1)) order.set(count - ++waiting, index);
            }
            for (uint256 most = 2; t.filled < size; ++most) {
                // Beyond as many of one principal as there are places, at most seven, no candidate is left.
                if (most > size) revert PanelUnavailable(uint8(size), t.filled);
                uint256 still = 0;
                for (uint256 i = 1; i <= waiting && t.filled < size; ++i) {
                    uint256 index = order[count - i];
                    if (_waits(t, index, most)) order[count - ++still] = index;
                }
                waiting = still;
            }
        }
    }

    /// @dev Gives a seat its place, unless its principal has `most` already: then it waits. The excluded do not.
    function _waits(Sitting memory t, uint256 index, uint256 most) private pure returns (bool) {
        (Seat seat, address principal) = _seatAt(t.page, index);
        if (_sits(t, seat.house()) >= most) return !_hasPlace(t, seat);
        if (t.excluded.toUint256Array().contains(uint160(principal))) return false;
        t.panel[t.filled++] = seat;
        return false;
    }

    /// @dev The index is one of the page's seats.
    function _seatAt(bytes memory page, uint256 index) private pure returns (Seat seat, address principal) {
        // An offset in a page of at most 256 seats.
        unchecked {
            seat = Seat.wrap(uint256(page.load(_SEAT_LENGTH * index)));
            // The word fits: it was an address.
            principal = address(uint160(uint256(page.load(_SEAT_LENGTH * index + _WORD))));
        }
    }

    function _hasPlace(Sitting memory t, Seat seat) private pure returns (bool) {
        // At most seven places.
        unchecked {
            for (uint256 i = 0; i < t.filled; ++i) if (Seat.unwrap(t.panel[i]) == Seat.unwrap(seat)) return true;
        }
        return false;
    }

    function _sits(Sitting memory t, uint16 house) private pure returns (uint256 times) {
        (Seat[] memory panel, uint256 filled) = (t.panel, t.filled);
        // At most seven places.
        unchecked {
            for (uint256 i = 0; i < filled; ++i) if (panel[i].house() == house) ++times;
        }
    }

    function _rosterAt(uint256 drawnAt) private view returns (Roster memory roster, bool current) {
        roster = _roster;
        current = roster.since <= drawnAt;
        while (roster.since > drawnAt && roster.epoch != 0) roster = _former[roster.epoch - 1];
    }

    /// @dev A number is never given again, so a seat's number says whether the verifier is still the one that was drawn.
    function _hasWeight(Seat seat) private view returns (bool) {
        Roles memory roles = _roles[seat.verifier()];
        if (roles.serial != seat.serial() || roles.retired || isSuspended(roles.principal)) return false;
        return block.timestamp >= _stayed[seat.verifier()];
    }

    /// @dev Those who retired and the suspended are left out.
    function _writeRoster() private {
        uint256[] memory words = new uint256[](2 * _verifiers.length);
        uint256 seats = 0;
        for (uint256 i = 0; i < _verifiers.length; ++i) {
            address verifier = _verifiers[i];
            Roles memory roles = _roles[verifier];
            if (roles.retired || isSuspended(roles.principal)) continue;
            (words[2 * seats], words[2 * seats + 1]) = _packSeat(verifier, roles);
            ++seats;
        }
        _publish(abi.encodePacked(words).slice(0, seats * _SEAT_LENGTH));
    }

    /// @dev A further seat needs no other seat's word.
    function _appendSeat(address verifier, Roles memory roles) private {
        if (_roster.stale || isSuspended(roles.principal)) return _writeRoster();
        (uint256 first, uint256 second) = _packSeat(verifier, roles);
        bytes memory page = _roster.seats == 0 ? bytes("") : Clones.fetchCloneArgs(_roster.page);
        _publish(bytes.concat(page, abi.encode(first, second)));
    }

    /// @dev For the panels of this block and later ones: their seeds are not known yet.
    function _publish(bytes memory page) private {
        Roster memory roster = _roster;
        if (roster.since != block.number) {
            _former[roster.epoch] = roster;
            ++roster.epoch;
        }
        // It makes no calls: pure data.
        roster.page = Clones.cloneWithImmutableArgs(address(0), page);
        // At most 256 seats.
        roster.seats = uint16(page.length / _SEAT_LENGTH);
        roster.since = uint40(block.number);
        roster.stale = block.timestamp < _lastStay;
        (_roster, _hasRetired) = (roster, false);
        emit RosterWritten(roster.epoch, roster.page, roster.seats);
    }

    function _packSeat(address verifier, Roles memory roles) private view returns (uint256 first, uint256 second) {
        first = Seat.unwrap(Seats.pack(verifier, roles.weight, roles.serial, _offices[roles.principal].house));
        second = uint256(uint160(roles.principal));
    }

    function _hasSeat(address principal) private view returns (bool) {
        for (uint256 i = 0; i < _verifiers.length; ++i) {
            if (_roles[_verifiers[i]].principal == principal) return true;
        }
        return false;
    }

    function _requireSilent(address principal) private view {
        if (IClerkContract(_CONSTITUTION.at(Institution.CLERKS)).speaks(principal)) revert SpeaksAndJudges(principal);
    }

    function _onlyGovernor() private view {
        if (!_CONSTITUTION.isGovernor(msg.sender)) revert NotGovernor(msg.sender);
    }

    /// @dev Returns what the weight was.
    function _move(address verifier, uint16 weight, address house) private returns (uint16 before) {
        Roles storage roles = _roles[verifier];
        before = roles.weight;
        if (before == 0) revert NotRegistered(verifier);
        if (roles.principal == house) revert OwnHouse(verifier);
        // A verifier seated below the range starts there and can only rise.
        bool within = weight <= PanelDraw.MOST_WEIGHT && (weight >= _LEAST_WEIGHT || weight > before);
        uint256 step = weight > before ? weight - before : before - weight;
        if (!within || step == 0 || step > _WEIGHT_STEP) revert WeightOutOfBounds(verifier, before, weight);
        uint256 day = block.timestamp / 1 days;
        if (roles.moved == day) revert AlreadyMoved(verifier, day);
        // Days fit for 45,000 years.
        (roles.weight, roles.moved) = (weight, uint24(day));
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
