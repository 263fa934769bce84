// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

/// @title Stateless check of a law against the constitution (AgentCity A.7 1920–2000, 5584–5640; decisions 8, 12).
interface IConstitutionalValidator {
    error BudgetOverCap(uint64 budget, uint64 cap);
    error BudgetMismatch(uint64 declared, uint64 nodes);
    error DepositMismatch(uint64 deposit, uint64 budget);
    error DurationOutOfRange(uint32 duration, uint256 max);
    error ForwardPredecessor(uint256 node, uint256 predecessors);
    error NoRoot();
    error TierOutOfRange(uint256 node, uint8 tier);
    error RedundancyOutOfRange(uint256 node, uint8 tier, uint8 redundancy);
    error ThresholdBelowMajority(uint256 node, uint8 threshold, uint8 redundancy);
    error TimeoutOutOfRange(uint256 node, uint256 timeout, uint256 max);
    error ReviewWindowOutOfRange(uint256 node, uint256 window, uint256 min, uint256 max);
    error RiskTooLow(uint256 node, uint8 risk, uint8 required);
    error FloorTooLow(uint256 node, uint8 floor, uint8 required);
    error PanelTooSmall(uint256 node, uint8 size, uint256 required);
    error BandTooLow(uint256 node, uint8 band, uint256 required);
    error NoQuestion(uint256 node);
    error ZeroBudget(uint256 node);
    error MissingWitness(uint256 node);
    error WitnessIneligible(uint256 node, address witness);
    error WitnessIncapable(uint256 node, address witness, uint256 matched);

    /// @notice Reverts with the first breach; returns silently when the law is constitutional.
    /// @param deposit What the sponsor paid; equals the law's budget plus nothing.
    /// @param witnesses One eligible producer per node whose capabilities meet it.
    function validate(bytes calldata law, uint64 deposit, address[] calldata witnesses) external view;
}
