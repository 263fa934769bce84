// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {Action} from "../types/Actions.sol";

/// @title Seats of the override panel (decisions 26, 27).
/// @notice Powers. The governor seats adjudicators, one per principal, staked, and takes seat and stake of one that was impeached; each
/// may resign. A seat gives nothing but the right to sign. The market says who works in missions below others.
interface IAdjudicatorRoster {
    event Seated(address indexed adjudicator, address indexed principal, uint64 stake);
    event Resigned(address indexed adjudicator, uint40 withdrawableAt);
    event StakeWithdrawn(address indexed adjudicator, uint64 amount);
    /// @param stake All of it; half to the treasury, half (and the odd unit) to insurance.
    event Impeached(address indexed adjudicator, uint64 stake, bytes32 justification);
    /// @notice A case that the chain opened was decided, whatever the answer; each signer is due `each`, if it had not had its cases.
    /// @param subject The node's attempt, the appeals on it, or the session.
    event CaseDecided(bytes32 indexed subject, address[] adjudicators, uint64 each);
    event Collected(address indexed adjudicator, uint64 paid, uint64 left);
    /// @notice A principal works somewhere below a mission.
    event PartyRecorded(address indexed root, address indexed principal);

    error NotGovernor(address caller);
    error NotExecution(address caller);
    error AlreadySeated(address adjudicator);
    error PrincipalAlreadySeated(address principal);
    error WasImpeached(address adjudicator);
    error NotSeated(address adjudicator);
    error StillUnbonding(address adjudicator, uint40 until);
    error TooManySeats(uint256 max);
    error LastSeats(uint256 kept);
    error NothingToWithdraw(address adjudicator);
    error NothingAtStake(address adjudicator);
    error NothingToCollect(address adjudicator);

    /// @notice Seats an adjudicator; pulls ADJUDICATOR_STAKE from it. Caller: governor.
    function seat(address adjudicator, address principal) external;
    /// @notice Leaves the seat; the stake is withdrawable after UNBONDING_PERIOD. The last two stay until others are admitted: the
    /// watchdog's freeze is lifted by two, and impeachment, which the target does not sign, leaves two as well. Caller: the adjudicator.
    function resign() external;
    /// @notice Pays the stake of a seat that was left, after UNBONDING_PERIOD. Caller: the former adjudicator.
    function withdrawStake() external;
    /// @notice Takes the seat and all the stake of an adjudicator, also of one that resigned and whose stake is still here; it is never
    /// seated again, and what it signed is void from now on. Caller: governor.
    function impeach(address adjudicator, bytes32 justification) external;
    /// @notice Counts an action, before it is carried out, as a decided case of its signers: a node in review, an appeal, the audit of a
    /// HIGH-risk codification, a flagged vote; each once. A review that an adjudicator's veto opened is none. A case is worth
    /// ADJUDICATOR_COMPENSATION, split among the signers; all cases of a mission or session together what the protocol would take of all
    /// of its budget. A seat is due for twenty cases in a bucket of 30 days. A rejection is remembered (`hasRejected`). Caller: governor.
    /// @param session Of an action about a session; else 0.
    function countCase(
        Action what,
        address mission,
        uint8 node,
        uint256 session,
        address[] calldata adjudicators
    ) external;
    /// @notice Pays what an adjudicator is due for cases, as far as the treasury may; the rest stays due. Also of one that resigned.
    /// Anyone.
    function collect(address adjudicator) external;
    /// @notice Remembers a principal that executes or verifies in a mission of which `root` is the topmost above. Caller: an execution
    /// procedure of the city, in office or retired.
    function recordParty(address root, address principal) external;

    function isActive(address adjudicator) external view returns (bool);
    function principalOf(address adjudicator) external view returns (address);
    /// @notice Smallest unit; of a seat, or of one that was left and not yet paid out.
    function stakeOf(address adjudicator) external view returns (uint64);
    /// @notice Smallest unit: for decided cases, not collected yet.
    function dueTo(address adjudicator) external view returns (uint64);
    function activeCount() external view returns (uint256);
    /// @notice All seats, the longest held first.
    function seats() external view returns (address[] memory);
    /// @notice Who has held a seat longest, and acts alone when too few others may (AgentCity B.12); zero if no seat is taken or the
    /// constitution does not want it (SENIOR_ADJUDICATOR_ENABLED).
    function senior() external view returns (address);
    /// @notice True if enough seats are filled for new missions (ADJUDICATOR_QUORUM).
    function hasQuorum() external view returns (bool);
    /// @notice True if the adjudicator's principal is sponsor, executor or verifier, now, in the mission or anywhere in its tree: what a
    /// mission decides moves the money of those above and below it.
    function isConflicted(address adjudicator, address mission) external view returns (bool);
    /// @notice Whether a seat of the principal has rejected work in the mission, whose next attempt is none of its agents' then.
    function hasRejected(address mission, address principal) external view returns (bool);
    /// @notice Seats that are not conflicted in the mission.
    function unconflictedIn(address mission) external view returns (uint256);
    /// @notice True if the account is the adjudicator itself, its principal, or any agent, clerk or evidence account of that
    /// principal, now.
    function isInterested(address adjudicator, address account) external view returns (bool);
}
