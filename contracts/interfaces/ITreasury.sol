// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {Withdrawal} from "../types/Messages.sol";

/// @title The vault: what accounts are owed, fees, insurance, capped reputation premiums (AgentCity B.3 4e–4f; decisions 5, 43, 65)
/// @notice Powers. Genuine missions credit whom they pay, with money they bring; each account, or the principal that answers for it, takes
/// what is credited to it, and no rule of the city keeps anybody from that; the governor compensates honest executors out of insurance and
/// spends fees within caps, never credits. Token balance ≥ free + insurance + credits, always.
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
    /// @notice A mission's payments became credits, `premiums` of it out of fees. The mission's own events say whose.
    event Credited(address indexed mission, uint64 amount, uint64 premiums);
    event Withdrawn(address indexed account, address indexed by, address indexed to, uint64 amount);
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
    error NotAuthorised(address caller);
    error InvalidNonce(address account, uint256 nonce);
    error InvalidSignature(address signer);
    error Expired(uint40 deadline);
    /// @notice What the mission sent does not cover what it has credited.
    error Unbacked(uint256 balance, uint256 owed);

    /// @notice Pulls `fees` and `insurance` from the caller into the two pools, and books what arrived. Anyone may give.
    function deposit(uint64 fees, uint64 insurance, bytes32 reason) external;

    /// @notice Credits payments (`libraries/Payments.sol`) and books fees and insurance, all of which the caller has just sent. What
    /// of it did not arrive is missing in the fees, then in insurance; never in a credit: then it reverts with `Unbacked`.
    /// An executor whose ψ is above one gets a premium as well, which is capped by the free balance, by SUBSIDY_CAP_SHARE of the
    /// current 30-day bucket's inflow and by PRINCIPAL_SUBSIDY_SHARE of it per principal. Caller: genuine mission.
    /// @return premiums those that are not zero, as payments
    function settle(
        uint256[] calldata payments,
        uint64 fees,
        uint64 insurance,
        bytes32 reason
    ) external returns (uint256[] memory premiums);

    /// @notice Sends all that is credited to `account` to `to`. Caller: the account, or the principal of a producer or verifier.
    function withdraw(address account, address to) external;
    /// @notice The same, to be relayed. Anyone with the signature of the account or its principal, by key or by ERC-1271.
    function withdrawFor(Withdrawal calldata withdrawal, bytes calldata signature) external;

    /// @notice Compensates an executor of a genuine mission for a loss that humans confirmed, out of insurance; all claims of a mission
    /// together at most its deposit. Caller: governor.
    function claimInsurance(address mission, address agent, uint64 loss, bytes32 evidence) external;

    /// @notice Spends fees on one of three purposes, within its cap; to insurance goes what governance leaves of its share. Caller: governor.
    function disburse(Purpose purpose, address recipient, uint64 amount, bytes32 justification) external;

    /// @notice Pays an adjudicator for cases it decided: what is free, and with what DISBURSE spends on governance at most a fifth of the
    /// 30-day bucket's inflow. Caller: the roster.
    function compensate(address adjudicator, uint64 wanted) external returns (uint64 paid);

    function freeBalance() external view returns (uint64);
    function insuranceBalance() external view returns (uint64);
    /// @notice What an account can withdraw, smallest unit.
    function creditOf(address account) external view returns (uint64);
    /// @notice All credits together.
    function credits() external view returns (uint64);
    /// @notice An account's withdrawals so far: the nonce of the next one.
    function nonceOf(address account) external view returns (uint256);
    /// @notice Insurance paid in a mission so far.
    function claimedIn(address mission) external view returns (uint64);
    /// @notice Inflow of fees in the 30-day bucket that contains `timestamp`, and what went out of it.
    function inflowAt(uint40 timestamp) external view returns (uint64 inflow, uint64 premiums, uint64 governance);
}
