// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {IConstitutionalValidator} from "../interfaces/IConstitutionalValidator.sol";
import {IConstitutionContract} from "../interfaces/IConstitutionContract.sol";
import {IEvidenceRegistry} from "../interfaces/IEvidenceRegistry.sol";
import {IExecutionProcedure} from "../interfaces/IExecutionProcedure.sol";
import {IProducerContract} from "../interfaces/IProducerContract.sol";
import {BidScore} from "../libraries/BidScore.sol";
import {LawCodec} from "../libraries/LawCodec.sol";
import {LawHeader, LawNode, Risk, Tier} from "../types/Law.sol";
import {Param} from "../types/Params.sol";
import {Institution, Kind} from "../types/Roles.sol";

/// @title Stateless check of a law against the constitution
/// @notice AgentCity A.7 and B.10 "Constitutional Parameter Validation"; decisions 8, 12, 31, 60, 74.
contract ConstitutionalValidator is IConstitutionalValidator {
    /// @dev What the nodes of one law are measured by, read once.
    struct Bounds {
        uint256 maxTimeout;
        uint256 minReview;
        uint256 maxReview;
        uint256 mediumFrom;
        uint256 highFrom;
        /// By risk.
        uint256[3] floor;
        uint256[3] panel;
        uint256[3] band;
        /// Fewest executors who are compared.
        uint256[3] redundancy;
    }

    /// @dev Witnesses, and what is asked of all nodes together.
    struct Crew {
        address[] principals;
        uint160[] capabilities;
        /// Whether it has no vote yet.
        bool[] novice;
        /// Principals that can fill the node with the most executors.
        address[] widest;
        uint8 panel;
    }

    uint256 private constant _MAX_REDUNDANCY = 5;

    IConstitutionContract private immutable _CONSTITUTION;

    constructor(IConstitutionContract constitution) {
        _CONSTITUTION = constitution;
    }

    /// @inheritdoc IConstitutionalValidator
    function validate(
        bytes calldata law,
        Terms calldata terms,
        address[] calldata witnesses
    ) external view returns (Risk) {
        bytes memory packed = law;
        LawHeader memory header = LawCodec.header(packed);
        if (header.goalHash != terms.goalHash) revert GoalMismatch(terms.goalHash, header.goalHash);
        Bounds memory bounds = _bounds(terms.edition);
        _checkMission(header, terms, bounds);
        _checkPredicate(header.outputPredicate);
        Crew memory crew = _crewOf(terms, witnesses);
        uint256 allocated = 0;
        for (uint256 i = 0; i < header.nodeCount; ++i) {
            LawNode memory node = LawCodec.node(packed, i);
            _checkShape(i, node, bounds);
            _checkRisk(i, node, header.risk, bounds);
            _checkPredicate(node.predicate);
            if (!node.leaf && node.predicate != 0) revert GateOnBranch(i, node.predicate);
            _checkAdmission(i, node, header.servicesRoot);
            _checkCrew(i, node, crew);
            allocated += node.budget;
            if (allocated > header.budget) revert BudgetMismatch(header.budget, allocated);
        }
        _checkPanel(terms.sponsor, crew);
        return header.risk;
    }

    function _checkMission(LawHeader memory header, Terms calldata terms, Bounds memory bounds) private view {
        if (header.budget != terms.deposit) revert DepositMismatch(terms.deposit, header.budget);
        uint64 cap = _CONSTITUTION.unitsIn(terms.edition, Param.MISSION_BUDGET_CAP);
        if (header.budget > cap) revert BudgetOverCap(header.budget, cap);
        uint256 longest = _CONSTITUTION.paramIn(terms.edition, Param.MAX_MISSION_DURATION);
        if (header.duration == 0 || header.duration > longest) revert DurationOutOfRange(header.duration, longest);
        Risk required = _riskOf(header.budget, bounds);
        if (header.risk < required) revert MissionRiskTooLow(uint8(header.risk), uint8(required));
        uint256 most = header.risk == Risk.HIGH ? 0 : _CONSTITUTION.paramIn(terms.edition, Param.VERIFICATION_TIMEOUT);
        if (header.anchorInterval > most) revert AnchorIntervalOutOfRange(header.anchorInterval, most);
    }

    /// @dev Form: what must hold whatever the node is worth.
    function _checkShape(uint256 i, LawNode memory node, Bounds memory bounds) private pure {
        if (node.predecessors >> i != 0) revert ForwardPredecessor(i, node.predecessors);
        if (node.tier == Tier.NONE) revert TierOutOfRange(i, uint8(node.tier));
        (uint256 fewest, uint256 most) = node.tier == Tier.CONSENSUS
            ? (bounds.redundancy[uint256(node.risk)], _MAX_REDUNDANCY)
            : (uint256(1), uint256(1));
        if (node.redundancy < fewest || node.redundancy > most) {
            revert RedundancyOutOfRange(i, uint8(node.tier), node.redundancy);
        }
        if (node.threshold <= node.redundancy / 2 || node.threshold > node.redundancy) {
            revert ThresholdOutOfRange(i, node.threshold, node.redundancy);
        }
        if (node.timeout == 0 || node.timeout > bounds.maxTimeout) {
            revert TimeoutOutOfRange(i, node.timeout, bounds.maxTimeout);
        }
        if (node.reviewWindow < bounds.minReview || node.reviewWindow > bounds.maxReview) {
            revert ReviewWindowOutOfRange(i, node.reviewWindow, bounds.minReview, bounds.maxReview);
        }
        if (node.questions == 0) revert NoQuestion(i);
        if (node.budget < node.redundancy) revert ZeroBudget(i);
    }

    /// @dev Weight: risk follows from money, and what protects a node follows from its risk (decision 8).
    function _checkRisk(uint256 i, LawNode memory node, Risk mission, Bounds memory bounds) private pure {
        Risk required = _riskOf(node.budget, bounds);
        if (node.risk < required) revert RiskTooLow(i, uint8(node.risk), uint8(required));
        if (mission < node.risk) revert MissionRiskTooLow(uint8(mission), uint8(node.risk));
        uint256 risk = uint256(node.risk);
        // By number, not by order: a minimum of WIT stands for "WIT or REC".
        // A class is at most PROOF.
        if (node.floor < bounds.floor[risk]) revert FloorTooLow(i, node.floor, uint8(bounds.floor[risk]));
        if (node.panelSize < bounds.panel[risk]) revert PanelTooSmall(i, node.panelSize, bounds.panel[risk]);
        if (uint256(node.band) < bounds.band[risk]) revert BandTooLow(i, uint8(node.band), bounds.band[risk]);
    }

    /// @dev Whose code may do it (decision 93).
    function _checkAdmission(uint256 i, LawNode memory node, bytes32 servicesRoot) private pure {
        if (node.leaf && servicesRoot == 0) revert NothingAdmitted(i);
        if (node.anyCode && (!node.leaf || node.tier == Tier.RERUN)) revert AnyNeedsRedundancy(i, uint8(node.tier));
    }

    function _checkPredicate(uint16 predicate) private view {
        if (predicate == 0) return;
        IExecutionProcedure execution = IExecutionProcedure(_CONSTITUTION.at(Institution.EXECUTION));
        if (execution.predicateOf(predicate) == address(0)) revert UnknownPredicate(predicate);
    }

    /// @dev Keeps clerks, verifiers and adjudicators out (separation of powers), and who would work for itself.
    function _crewOf(Terms calldata terms, address[] calldata witnesses) private view returns (Crew memory crew) {
        IProducerContract producers = IProducerContract(_CONSTITUTION.at(Institution.PRODUCERS));
        crew.principals = new address[](witnesses.length);
        crew.capabilities = new uint160[](witnesses.length);
        crew.novice = new bool[](witnesses.length);
        // At most as many as the caller pays for.
        for (uint256 i = 0; i < witnesses.length; ++i) {
            address principal = producers.principalOf(witnesses[i]);
            bool apart = principal != terms.sponsor && principal != terms.drafter;
            if (!apart || !producers.isEligible(witnesses[i], Kind.PRODUCER)) revert WitnessIneligible(i, witnesses[i]);
            crew.principals[i] = principal;
            crew.capabilities[i] = producers.capabilitiesOf(witnesses[i]);
            crew.novice[i] = !producers.hasSuffrage(witnesses[i]);
        }
    }

    /// @dev Feasibility: every slot of the node could be bid for, by executors of different principals, at most half of them without a vote.
    function _checkCrew(uint256 i, LawNode memory node, Crew memory crew) private pure {
        address[] memory able = new address[](node.redundancy);
        uint256 found = 0;
        uint256 novices = able.length == 1 ? 1 : able.length / 2;
        for (uint256 w = 0; w < crew.principals.length && found < able.length; ++w) {
            if (_isAmong(crew.principals[w], able) || (crew.novice[w] && novices == 0)) continue;
            if (BidScore.matchOf(crew.capabilities[w], node.capabilities) < BidScore.MIN_MATCH) continue;
            able[found++] = crew.principals[w];
            if (crew.novice[w]) --novices;
        }
        if (found < able.length) revert TooFewAble(i, found, able.length);
        if (found > crew.widest.length) crew.widest = able;
        if (node.panelSize > crew.panel) crew.panel = node.panelSize;
    }

    /// @dev Who executes or pays is never drawn: beside them there must be a panel.
    function _checkPanel(address sponsor, Crew memory crew) private view {
        address[] memory parties = new address[](crew.widest.length + 1);
        for (uint256 i = 0; i < crew.widest.length; ++i) parties[i] = crew.widest[i];
        parties[crew.widest.length] = sponsor;
        IEvidenceRegistry(_CONSTITUTION.at(Institution.EVIDENCE)).drawPanel(0, crew.panel, parties, block.number);
    }

    /// @dev No principal is the zero address.
    function _isAmong(address one, address[] memory some) private pure returns (bool) {
        for (uint256 i = 0; i < some.length; ++i) {
            if (some[i] == one) return true;
        }
        return false;
    }

    function _riskOf(uint64 budget, Bounds memory bounds) private pure returns (Risk) {
        if (budget >= bounds.highFrom) return Risk.HIGH;
        return budget >= bounds.mediumFrom ? Risk.MEDIUM : Risk.LOW;
    }

    function _bounds(uint32 edition) private view returns (Bounds memory b) {
        b.maxTimeout = _CONSTITUTION.paramIn(edition, Param.MAX_NODE_TIMEOUT);
        b.minReview = _CONSTITUTION.paramIn(edition, Param.MIN_HUMAN_REVIEW_TIMEOUT);
        b.maxReview = _CONSTITUTION.paramIn(edition, Param.MAX_HUMAN_REVIEW_TIMEOUT);
        b.mediumFrom = _CONSTITUTION.unitsIn(edition, Param.MEDIUM_RISK_FROM);
        b.highFrom = _CONSTITUTION.unitsIn(edition, Param.HIGH_RISK_FROM);
        // At most three risks.
        for (uint256 risk = 0; risk < 3; ++risk) {
            b.floor[risk] = _CONSTITUTION.paramIn(edition, _byRisk(Param.MIN_FLOOR_LOW, risk));
            b.panel[risk] = _CONSTITUTION.paramIn(edition, _byRisk(Param.MIN_PANEL_LOW, risk));
            b.band[risk] = _CONSTITUTION.paramIn(edition, _byRisk(Param.MIN_BAND_LOW, risk));
            b.redundancy[risk] = _CONSTITUTION.paramIn(edition, _byRisk(Param.MIN_REDUNDANCY_LOW, risk));
        }
    }

    /// @dev Parameters by risk stand next to each other, LOW first.
    function _byRisk(Param low, uint256 risk) private pure returns (Param) {
        return Param(uint8(low) + uint8(risk));
    }
}
