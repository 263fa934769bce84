// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {ConductRecord} from "../libraries/ConductRecord.sol";
import {Decision} from "../types/Actions.sol";

/// @title The watchdog over the adjudicators: a circuit breaker that trips by itself (AgentCity B.12; decision 30, invariant 22).
/// @notice Powers. The watchdog counts what each adjudicator approves and weakens. One anomaly is a warning; two families of anomalies
/// (approvals, weakening changes), or one family in two disjoint windows, freeze the panel: of its actions only release and
/// impeachment execute, no mission starts, nothing is routed and no amendment comes into office. Routed work continues, earned money
/// moves, open appeal windows and whatever waits for a human or to be routed get the frozen time back, WATCHDOG_MAX_FREEZE at most.
interface IAdjudicatorWatchdog {
    enum Family {
        APPROVAL,
        WEAKENING
    }

    event Warned(address indexed adjudicator, Family indexed family, uint256 day);
    event Frozen(address indexed adjudicator, uint40 since);
    event Released(uint40 since, uint40 until);
    /// @notice The city is stopped, or its stop prolonged, until `until` unless it is renewed or ended.
    event CityStopped(uint40 since, uint40 until);
    event CityResumed(uint40 since, uint40 until);

    error NotGovernor(address caller);
    error FrozenByWatchdog(uint40 since);
    error NotFrozen();
    error CityIsStopped(uint40 until);
    error CityNotStopped();
    error StoppedLately(address adjudicator, uint40 at);

    /// @notice Counts one executed action for each of its signers. Caller: governor.
    /// @param weakens It was a change of a parameter that makes the city protect less.
    function note(address[] calldata adjudicators, Decision decision, bool weakens) external;

    /// @notice Ends the freeze; flagged seats start with an empty record. Caller: governor, with `releaseQuorum` signatures of
    /// adjudicators that are not flagged.
    function release() external;

    /// @notice Stops the city for WATCHDOG_MAX_FREEZE: no session opens, no mission starts, nothing is routed or checkpointed. What was
    /// routed, verdicts, appeals, claims, withdrawals and the panel go on. While it is stopped, prolongs that from now on. Who signed a
    /// stop in the last 30 days signs no new one. Caller: governor, with `stopQuorum(false)` signatures.
    function stopCity(address[] calldata adjudicators) external;
    /// @notice Ends the city's stop before its time. Caller: governor, with `stopQuorum(true)` signatures.
    function resumeCity() external;

    /// @notice Reverts while the panel is frozen or the city is stopped.
    function requireRunning() external view;
    /// @notice Reverts with `CityIsStopped` while the city is stopped.
    function requireNotStopped() external view;
    function isStopped() external view returns (bool);
    /// @notice Signatures that stop or prolong, or end a stop: two; ⌈2/3⌉ of the seats to prolong one, and to end one that was.
    function stopQuorum(bool lifts) external view returns (uint256);
    /// @notice When what opened at `opened` and was to end at `until` ends, later by the time the city was stopped meanwhile. The sixteen
    /// last stops count.
    function movedByStops(uint40 opened, uint40 until) external view returns (uint40);
    /// @notice Seconds for which the city was stopped until now, in all.
    function stoppedTime() external view returns (uint40);
    /// @notice Reverts with `FrozenByWatchdog` while the panel is frozen.
    function requireUnfrozen() external view;
    function isFrozen() external view returns (bool);
    /// @notice Frozen for longer than WATCHDOG_MAX_FREEZE: windows get no more time, and two thirds of the unflagged can release.
    function isDegraded() external view returns (bool);
    /// @notice Signatures that a release needs: all unflagged adjudicators', when degraded ⌈2/3⌉ of them, two at least.
    function releaseQuorum() external view returns (uint256);
    /// @notice Warned, and neither released since nor two windows ago.
    function isFlagged(address adjudicator) external view returns (bool);
    /// @notice When a window that opened at `opened` and was to end at `until` ends: later by the time the panel was frozen meanwhile.
    /// The sixteen last freezes count, each up to WATCHDOG_MAX_FREEZE.
    function extended(uint40 opened, uint40 until) external view returns (uint40);
    /// @return tally Of the window that ends today.
    /// @return run Approvals since the last rejection.
    function conductOf(
        address adjudicator
    ) external view returns (ConductRecord.Tally memory tally, uint256 run, ConductRecord.Warnings memory warnings);
}
