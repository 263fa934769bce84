// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

/// @title Seats of the override panel (decisions 26, 27).
/// @notice Powers. The governor seats adjudicators, one per principal, staked; each may resign. A seat gives nothing but the right to sign.
interface IAdjudicatorRoster {
    event Seated(address indexed adjudicator, address indexed principal, uint64 stake);
    event Resigned(address indexed adjudicator, uint40 withdrawableAt);
    event StakeWithdrawn(address indexed adjudicator, uint64 amount);

    error NotGovernor(address caller);
    error AlreadySeated(address adjudicator);
    error PrincipalAlreadySeated(address principal);
    error NotSeated(address adjudicator);
    error StillUnbonding(address adjudicator, uint40 until);
    error TooManySeats(uint256 max);
    error NothingToWithdraw(address adjudicator);

    /// @notice Seats an adjudicator; pulls ADJUDICATOR_STAKE from it. Caller: governor.
    function seat(address adjudicator, address principal) external;
    /// @notice Leaves the seat; the stake is withdrawable after UNBONDING_PERIOD. Caller: the adjudicator.
    function resign() external;
    /// @notice Pays the stake of a seat that was left, after UNBONDING_PERIOD. Caller: the former adjudicator.
    function withdrawStake() external;

    function isActive(address adjudicator) external view returns (bool);
    function principalOf(address adjudicator) external view returns (address);
    function activeCount() external view returns (uint256);
    /// @notice True if enough seats are filled for new missions (ADJUDICATOR_QUORUM).
    function hasQuorum() external view returns (bool);
    /// @notice True if the adjudicator's principal is sponsor, executor or verifier in the mission.
    function isConflicted(address adjudicator, address mission) external view returns (bool);
}
