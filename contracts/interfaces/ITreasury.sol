// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

/// @title City-wide money: fees, insurance, capped reputation premiums (AgentCity B.3 4e–4f; decisions 5, 43).
/// @notice Powers. Genuine missions deposit what they already transferred and draw capped premiums; the governor compensates honest
/// executors out of insurance and spends fees within caps; nobody withdraws more than is recorded. Token balance ≥ free + insurance, always.
interface ITreasury {
    /// @notice What fees may be spent on (AgentCity B.3 4f).
    enum Purpose {
        /// An adjudicator's work: at most ADJUDICATOR_COMPENSATION at a time, and a fifth of the 30-day bucket's inflow.
        GOVERNANCE,
        /// Fees become insurance; no token leaves, the recipient is the treasury itself.
        INSURANCE,
        /// Gas of small missions: with the premiums, at most SUBSIDY_CAP_SHARE of the 30-day bucket's inflow.
        GAS_SUBSIDY
    }

    event FeesReceived(address indexed from, uint64 amount, bytes32 indexed reason);
    event InsuranceReceived(address indexed from, uint64 amount, bytes32 indexed reason);
    event PremiumPaid(address indexed mission, address indexed agent, uint64 wanted, uint64 paid);

    event InsuranceClaimed(address indexed mission, address indexed agent, uint64 amount, bytes32 evidence);
    /// @notice Decided cases, paid to the seat that decided them.
    event Compensated(address indexed adjudicator, uint64 wanted, uint64 paid);
    event Disbursed(Purpose indexed purpose, address indexed recipient, uint64 amount, bytes32 justification);

    error NotMission(address caller);
    error NotGovernor(address caller);
    error NotRoster(address caller);
    error NotInsured(address mission, address agent);
    error CapExceeded(uint64 allowed, uint64 wanted);
    error WrongRecipient(address recipient);
    error NothingToPay();

    /// @notice Pulls `fees` and `insurance` from the caller into the two pools, and books what arrived. Anyone may give.
    function deposit(uint64 fees, uint64 insurance, bytes32 reason) external;

    /// @notice Pays up to `wanted` of a reputation premium; never reverts for want of money. Caller: genuine mission.
    /// Capped by the free balance, by SUBSIDY_CAP_SHARE of the current 30-day bucket's inflow and by
    /// PRINCIPAL_SUBSIDY_SHARE of it per principal.
    function payPremium(address agent, address principal, uint64 wanted) external returns (uint64 paid);

    /// @notice Compensates an executor of a genuine mission for a loss that humans confirmed, out of insurance; all claims of a mission
    /// together at most its deposit. Caller: governor.
    function claimInsurance(address mission, address agent, uint64 loss, bytes32 evidence) external;

    /// @notice Spends fees on one of three purposes, within its cap. Caller: governor.
    function disburse(Purpose purpose, address recipient, uint64 amount, bytes32 justification) external;

    /// @notice Pays an adjudicator for cases it decided: what is free, and with what DISBURSE spends on governance at most a fifth of the
    /// 30-day bucket's inflow. Caller: the roster.
    function compensate(address adjudicator, uint64 wanted) external returns (uint64 paid);

    function freeBalance() external view returns (uint64);
    function insuranceBalance() external view returns (uint64);
    /// @notice Insurance paid in a mission so far.
    function claimedIn(address mission) external view returns (uint64);
    /// @notice Inflow of fees in the 30-day bucket that contains `timestamp`, and what went out of it.
    function inflowAt(uint40 timestamp) external view returns (uint64 inflow, uint64 premiums, uint64 governance);
}
