// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {IAdjudicatorRoster} from "../interfaces/IAdjudicatorRoster.sol";
import {IAdjudicatorWatchdog} from "../interfaces/IAdjudicatorWatchdog.sol";
import {IConstitutionContract} from "../interfaces/IConstitutionContract.sol";
import {ConductRecord} from "../libraries/ConductRecord.sol";
import {Decision} from "../types/Actions.sol";
import {Param} from "../types/Params.sol";
import {Institution} from "../types/Roles.sol";

/// @title The watchdog of the override panel
/// @dev A note reads at most ⌈(90 + 7) / 8⌉ = 13 words of days: bounded whatever the window and however many decisions.
contract AdjudicatorWatchdog is IAdjudicatorWatchdog {
    using ConductRecord for ConductRecord.Tally;

    /// One word per adjudicator, beside its words of days: what it did on the last day that it did something is here.
    struct Record {
        uint32 run;
        uint32 approvalWarned;
        uint32 weakeningWarned;
        /// First day that counts.
        uint32 since;
        /// Releases when last noted: a warning from before a later one is settled.
        uint32 releases;
        uint32 day;
        /// A lane of `ConductRecord`.
        uint32 done;
    }

    /// One word; `until` is 0 while it lasts.
    struct Freeze {
        uint40 since;
        uint40 until;
        /// Windows are extended up to here.
        uint40 most;
    }

    /// One word: the city was stopped from `since`, ends or ended at `until`.
    struct Stop {
        uint40 since;
        uint40 until;
        bool renewed;
        /// Seconds of those before it.
        uint40 before;
    }

    uint256 private constant _FREEZES_COUNTED = 16;
    /// An adjudicator that stopped the city cannot stop it again before.
    uint40 private constant _BETWEEN_STOPS = 30 days;

    IConstitutionContract private immutable _CONSTITUTION;

    mapping(address adjudicator => Record record) private _records;
    /// Days before the record's.
    mapping(address adjudicator => mapping(uint256 word => uint256 eightDays)) private _days;
    Freeze[] private _freezes;
    uint40 private _frozenSince;
    uint32 private _releases;
    /// Read with the freeze before anything is routed.
    uint40 private _stoppedUntil;
    Stop[] private _stops;
    mapping(address adjudicator => uint40 at) private _lastStop;

    constructor(IConstitutionContract constitution) {
        _CONSTITUTION = constitution;
    }

    /// @inheritdoc IAdjudicatorWatchdog
    function note(address[] calldata adjudicators, Decision decision, bool weakens) external {
        _onlyGovernor();
        ConductRecord.Limits memory limits = _limits();
        uint256 day = _today();
        for (uint256 i = 0; i < adjudicators.length; ++i) {
            address adjudicator = adjudicators[i];
            Record memory record = _current(adjudicator, day);
            if (decision == Decision.APPROVES && record.run != type(uint32).max) ++record.run;
            else if (decision == Decision.REJECTS) record.run = 0;
            bool decided = decision != Decision.NEITHER;
            // It fits: a lane has 32 bits, and is the first of its word.
            record.done = uint32(ConductRecord.add(record.done, 0, decided, decision == Decision.APPROVES, weakens));
            _judge(adjudicator, record, day, limits);
        }
    }

    /// @inheritdoc IAdjudicatorWatchdog
    function release() external {
        _onlyGovernor();
        uint40 since = _frozenSince;
        if (since == 0) revert NotFrozen();
        uint40 until = uint40(block.timestamp);
        _freezes[_freezes.length - 1].until = until;
        _frozenSince = 0;
        ++_releases;
        emit Released(since, until);
    }

    /// @inheritdoc IAdjudicatorWatchdog
    function stopCity(address[] calldata adjudicators) external {
        _onlyGovernor();
        uint40 since = uint40(block.timestamp);
        uint40 until = since + uint40(_CONSTITUTION.param(Param.WATCHDOG_MAX_FREEZE));
        if (isStopped()) {
            Stop storage current = _stops[_stops.length - 1];
            (since, current.until, current.renewed) = (current.since, until, true);
        } else {
            // At most as many as there are seats.
            for (uint256 i = 0; i < adjudicators.length; ++i) {
                uint40 last = _lastStop[adjudicators[i]];
                if (last != 0 && since < last + _BETWEEN_STOPS) revert StoppedLately(adjudicators[i], last);
                _lastStop[adjudicators[i]] = since;
            }
            _stops.push(Stop({since: since, until: until, renewed: false, before: stoppedTime()}));
        }
        _stoppedUntil = until;
        emit CityStopped(since, until);
    }

    /// @inheritdoc IAdjudicatorWatchdog
    function resumeCity() external {
        _onlyGovernor();
        if (!isStopped()) revert CityNotStopped();
        uint40 until = uint40(block.timestamp);
        Stop storage current = _stops[_stops.length - 1];
        current.until = until;
        _stoppedUntil = until;
        emit CityResumed(current.since, until);
    }

    /// @inheritdoc IAdjudicatorWatchdog
    function requireRunning() external view {
        requireUnfrozen();
        requireNotStopped();
    }

    /// @inheritdoc IAdjudicatorWatchdog
    function stopQuorum(bool lifts) external view returns (uint256) {
        if (!isStopped() || (lifts && !_stops[_stops.length - 1].renewed)) return 2;
        uint256 active = IAdjudicatorRoster(_CONSTITUTION.at(Institution.ROSTER)).activeCount();
        uint256 most = (2 * active + 2) / 3;
        return most < 2 ? 2 : most;
    }

    /// @inheritdoc IAdjudicatorWatchdog
    function movedByStops(uint40 opened, uint40 until) external view returns (uint40) {
        uint256 count = _stops.length;
        uint256 first = count;
        while (first != 0 && count - first < _FREEZES_COUNTED && _stops[first - 1].until > opened) --first;
        for (; first < count; ++first) {
            Stop memory stop = _stops[first];
            uint40 since = stop.since > opened ? stop.since : opened;
            if (since >= until) break;
            uint40 end = stop.until < block.timestamp ? stop.until : uint40(block.timestamp);
            if (end > since) until += end - since;
        }
        return until;
    }

    /// @inheritdoc IAdjudicatorWatchdog
    function stoppedTime() public view returns (uint40) {
        uint256 count = _stops.length;
        if (count == 0) return 0;
        Stop memory last = _stops[count - 1];
        uint40 end = last.until < block.timestamp ? last.until : uint40(block.timestamp);
        return last.before + end - last.since;
    }

    /// @inheritdoc IAdjudicatorWatchdog
    function requireNotStopped() public view {
        if (isStopped()) revert CityIsStopped(_stoppedUntil);
    }

    /// @inheritdoc IAdjudicatorWatchdog
    function isStopped() public view returns (bool) {
        return block.timestamp < _stoppedUntil;
    }

    /// @inheritdoc IAdjudicatorWatchdog
    function requireUnfrozen() public view {
        if (_frozenSince != 0) revert FrozenByWatchdog(_frozenSince);
    }

    /// @inheritdoc IAdjudicatorWatchdog
    function isFrozen() external view returns (bool) {
        return _frozenSince != 0;
    }

    /// @inheritdoc IAdjudicatorWatchdog
    function releaseQuorum() external view returns (uint256) {
        address[] memory seats = IAdjudicatorRoster(_CONSTITUTION.at(Institution.ROSTER)).seats();
        uint256 unflagged = 0;
        for (uint256 i = 0; i < seats.length; ++i) {
            if (!isFlagged(seats[i])) ++unflagged;
        }
        uint256 needed = isDegraded() ? (2 * unflagged + 2) / 3 : unflagged;
        return needed < 2 ? 2 : needed;
    }

    /// @inheritdoc IAdjudicatorWatchdog
    function extended(uint40 opened, uint40 until) external view returns (uint40) {
        uint256 count = _freezes.length;
        uint256 first = count;
        while (first != 0 && count - first < _FREEZES_COUNTED && _endOf(_freezes[first - 1]) > opened) --first;
        for (; first < count; ++first) {
            Freeze memory freeze = _freezes[first];
            uint40 since = freeze.since > opened ? freeze.since : opened;
            if (since >= until) break;
            uint40 end = _endOf(freeze);
            if (end > since) until += end - since;
        }
        return until;
    }

    /// @inheritdoc IAdjudicatorWatchdog
    function conductOf(
        address adjudicator
    ) external view returns (ConductRecord.Tally memory tally, uint256 run, ConductRecord.Warnings memory warnings) {
        Record memory record = _records[adjudicator];
        if (_isSettled(record)) return (tally, 0, warnings);
        tally = _tally(adjudicator, record, _today(), _CONSTITUTION.param(Param.WATCHDOG_WINDOW_DAYS));
        return (tally, record.run, ConductRecord.Warnings(record.approvalWarned, record.weakeningWarned));
    }

    /// @inheritdoc IAdjudicatorWatchdog
    function isDegraded() public view returns (bool) {
        return _frozenSince != 0 && block.timestamp >= _frozenSince + _CONSTITUTION.param(Param.WATCHDOG_MAX_FREEZE);
    }

    /// @inheritdoc IAdjudicatorWatchdog
    function isFlagged(address adjudicator) public view returns (bool) {
        Record memory record = _records[adjudicator];
        if (_isSettled(record)) return false;
        uint256 window = _CONSTITUTION.param(Param.WATCHDOG_WINDOW_DAYS);
        return
            ConductRecord.stands(record.approvalWarned, _today(), window) ||
            ConductRecord.stands(record.weakeningWarned, _today(), window);
    }

    /// @dev A release clears the record of every flagged adjudicator.
    function _current(address adjudicator, uint256 day) private returns (Record memory record) {
        record = _records[adjudicator];
        if (record.since == 0 || _isSettled(record)) {
            delete record;
            record.since = uint32(day);
        } else if (record.day != day) {
            uint256 word = record.day / ConductRecord.DAYS;
            _days[adjudicator][word] = ConductRecord.keep(_days[adjudicator][word], record.day, record.done);
            record.done = 0;
        }
        record.day = uint32(day);
        record.releases = _releases;
    }

    function _judge(
        address adjudicator,
        Record memory record,
        uint256 day,
        ConductRecord.Limits memory limits
    ) private {
        ConductRecord.Tally memory tally = _tally(adjudicator, record, day, limits.window);
        ConductRecord.Finding memory found = ConductRecord.judge(
            ConductRecord.Warnings(record.approvalWarned, record.weakeningWarned),
            ConductRecord.approvesTooMuch(tally, record.run, limits),
            ConductRecord.weakensTooMuch(tally, limits),
            day,
            limits.window
        );
        (record.approvalWarned, record.weakeningWarned) = (found.warnings.approval, found.warnings.weakening);
        _records[adjudicator] = record;
        if (found.approval) emit Warned(adjudicator, Family.APPROVAL, day);
        if (found.weakening) emit Warned(adjudicator, Family.WEAKENING, day);
        if (found.freezes) _freeze(adjudicator);
    }

    function _freeze(address adjudicator) private {
        if (_frozenSince == 0) {
            uint40 since = uint40(block.timestamp);
            uint40 most = since + uint40(_CONSTITUTION.param(Param.WATCHDOG_MAX_FREEZE));
            _frozenSince = since;
            _freezes.push(Freeze({since: since, until: 0, most: most}));
        }
        emit Frozen(adjudicator, _frozenSince);
    }

    function _tally(
        address adjudicator,
        Record memory record,
        uint256 day,
        uint256 window
    ) private view returns (ConductRecord.Tally memory tally) {
        uint256 first = day + 1 - window;
        if (first < record.since) first = record.since;
        if (first <= record.day) tally.sum(record.done, 0, 0);
        while (first < record.day) {
            uint256 word = first / ConductRecord.DAYS;
            uint256 last = (word + 1) * ConductRecord.DAYS - 1;
            tally.sum(_days[adjudicator][word], first, last < record.day ? last : record.day - 1);
            first = last + 1;
        }
    }

    function _endOf(Freeze memory freeze) private view returns (uint40) {
        uint40 end = freeze.until == 0 ? uint40(block.timestamp) : freeze.until;
        return end < freeze.most ? end : freeze.most;
    }

    function _isSettled(Record memory record) private view returns (bool) {
        return (record.approvalWarned != 0 || record.weakeningWarned != 0) && record.releases != _releases;
    }

    function _limits() private view returns (ConductRecord.Limits memory) {
        return
            ConductRecord.Limits({
                window: _CONSTITUTION.param(Param.WATCHDOG_WINDOW_DAYS),
                rate: _CONSTITUTION.param(Param.WATCHDOG_MAX_APPROVAL_RATE),
                consecutive: _CONSTITUTION.param(Param.WATCHDOG_MAX_CONSECUTIVE),
                weakenings: _CONSTITUTION.param(Param.WATCHDOG_WEAKENING_LIMIT)
            });
    }

    function _today() private view returns (uint256) {
        return block.timestamp / 1 days;
    }

    function _onlyGovernor() private view {
        if (!_CONSTITUTION.isGovernor(msg.sender)) revert NotGovernor(msg.sender);
    }
}
