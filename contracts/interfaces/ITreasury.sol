// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

/// @title City-wide money: fees, insurance, capped reputation premiums (AgentCity B.3 4e–4f; decisions 5, 43).
/// @notice Powers. Genuine missions deposit what they already transferred and draw capped premiums; nobody withdraws
/// more than is recorded. Token balance ≥ free + insurance, always.
interface ITreasury {
    event FeesReceived(address indexed from, uint64 amount, bytes32 indexed reason);
    event InsuranceReceived(address indexed from, uint64 amount, bytes32 indexed reason);
    event PremiumPaid(address indexed mission, address indexed agent, uint64 wanted, uint64 paid);

    error NotMission(address caller);

    /// @notice Pulls `fees` and `insurance` from the caller into the two pools, and books what arrived. Anyone may give.
    function deposit(uint64 fees, uint64 insurance, bytes32 reason) external;

    /// @notice Pays up to `wanted` of a reputation premium; never reverts for want of money. Caller: genuine mission.
    /// Capped by the free balance, by SUBSIDY_CAP_SHARE of the current 30-day bucket's inflow and by
    /// PRINCIPAL_SUBSIDY_SHARE of it per principal.
    function payPremium(address agent, address principal, uint64 wanted) external returns (uint64 paid);

    function freeBalance() external view returns (uint64);
    function insuranceBalance() external view returns (uint64);
    /// @notice Inflow of fees in the 30-day bucket that contains `timestamp`.
    function inflowAt(uint40 timestamp) external view returns (uint64 inflow, uint64 premiums);
}
