// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {Risk} from "../types/Law.sol";

/// @title Stateless check of a law against the constitution (AgentCity A.7, B.10; decisions 8, 12).
interface IConstitutionalValidator {
    /// @notice What a session says to its law.
    struct Terms {
        /// The goal that was stated.
        bytes32 goalHash;
        /// What the sponsor paid; equals the law's budget.
        uint64 deposit;
        /// Principal who paid: it executes and judges nothing in its own mission.
        address sponsor;
        /// Principal of the Speaker that drafted the law; zero where producers did. It executes nothing of it either.
        address drafter;
        /// Edition of the parameter table under which the session opened.
        uint32 edition;
    }

    error BudgetOverCap(uint64 budget, uint64 cap);
    error BudgetMismatch(uint64 declared, uint256 nodes);
    error DepositMismatch(uint64 deposit, uint64 budget);
    error GoalMismatch(bytes32 stated, bytes32 given);
    error DurationOutOfRange(uint32 duration, uint256 max);
    /// @dev Hybrid mode: nothing of HIGH risk, and no longer than a node waits for its start.
    error AnchorIntervalOutOfRange(uint16 interval, uint256 max);
    error ForwardPredecessor(uint256 node, uint256 predecessors);
    error TierOutOfRange(uint256 node, uint8 tier);
    error RedundancyOutOfRange(uint256 node, uint8 tier, uint8 redundancy);
    /// @dev Below ⌊redundancy/2⌋ + 1, or above redundancy.
    error ThresholdOutOfRange(uint256 node, uint8 threshold, uint8 redundancy);
    error TimeoutOutOfRange(uint256 node, uint256 timeout, uint256 max);
    error ReviewWindowOutOfRange(uint256 node, uint256 window, uint256 min, uint256 max);
    /// @dev The mission's own risk: at least its budget's and at least each node's.
    error MissionRiskTooLow(uint8 risk, uint8 required);
    error RiskTooLow(uint256 node, uint8 risk, uint8 required);
    error FloorTooLow(uint256 node, uint8 floor, uint8 required);
    error PanelTooSmall(uint256 node, uint8 size, uint256 required);
    error BandTooLow(uint256 node, uint8 band, uint256 required);
    error NoQuestion(uint256 node);
    /// @dev Less than one unit for each slot.
    error ZeroBudget(uint256 node);
    /// @dev A gate that no adjudicator approved would veto everything.
    error UnknownPredicate(uint16 predicate);
    /// @dev A node that becomes a mission has that mission's output predicate, not one of its own.
    error GateOnBranch(uint256 node, uint16 predicate);
    /// @dev Any code, where one run again says no more than that it ran: only executors of different code who agree, or a human, judge it.
    error AnyNeedsRedundancy(uint256 node, uint8 tier);
    /// @dev Nobody could bid on this node: the law admits no code.
    error NothingAdmitted(uint256 node);
    /// @dev No eligible producer, or one of the sponsor.
    error WitnessIneligible(uint256 place, address witness);
    /// @dev Fewer different principals among the witnesses can do the node than it has executors.
    error TooFewAble(uint256 node, uint256 able, uint256 redundancy);

    /// @dev Acyclic with a root and a terminal by construction: predecessors are lower numbers, so node 0 has none and the
    /// last node no successor.
    /// @notice Reverts with the first breach against the parameters of the session's edition; returns silently when the law is
    /// constitutional. The city must be able to fill it: executors of different principals for every slot, shown by the witnesses,
    /// and beside the executors of the widest node and the sponsor a panel (`IEvidenceRegistry.PanelUnavailable`).
    /// @param witnesses Eligible producers; for each node as many able ones of different principals among them as it has slots.
    /// @return risk The law's own risk.
    function validate(
        bytes calldata law,
        Terms calldata terms,
        address[] calldata witnesses
    ) external view returns (Risk risk);
}
