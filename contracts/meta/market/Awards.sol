// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {LowLevelCall} from "@openzeppelin/contracts/utils/LowLevelCall.sol";
import {IClerkContract} from "../../interfaces/IClerkContract.sol";
import {ICollaborationContract} from "../../interfaces/ICollaborationContract.sol";
import {IConstitutionContract} from "../../interfaces/IConstitutionContract.sol";
import {IExecutionProcedure} from "../../interfaces/IExecutionProcedure.sol";
import {IProducerContract} from "../../interfaces/IProducerContract.sol";
import {BidWord} from "../../libraries/BidWord.sol";
import {Fairness} from "../../libraries/Fairness.sol";
import {LawNode, Tier} from "../../types/Law.sol";
import {Param} from "../../types/Params.sol";
import {Institution, Office} from "../../types/Roles.sol";
import {NodeState} from "../../types/States.sol";
import {CityClock} from "../CityClock.sol";
import {MarketLedger} from "./MarketLedger.sol";
import {Lock, MarketStorage, MissionMarket, NodeMarket, Part} from "./MarketStorage.sol";

/// @title Who is awarded a node
/// @notice Decisions 15 and 16: the best bids that keep the mission fair, by Equation 1. A linked library: it runs in the procedure's
/// frame and storage.
library Awards {
    using BidWord for uint256;
    using MarketLedger for MarketStorage;

    /// @dev A selection under way, in memory.
    struct Draft {
        uint256[] bids;
        /// Of this attempt, whether they may be awarded or not.
        uint256 count;
        /// Of those that are not awarded yet, and may be; zero for all others.
        address[] running;
        uint16[] assigned;
        /// Whether it has no vote in the city yet.
        bool[] novice;
        /// Slots that such may still have.
        uint256 novices;
        /// Of the bids, where any code is admitted and executors are compared; else empty.
        bytes32[] codes;
        /// Slots that one code may have there.
        uint256 alike;
        /// Place in `bids` per slot.
        uint256[] picks;
        /// Principal per slot.
        address[] winners;
        uint256 picked;
        uint256 sumSquares;
        uint256 total;
        uint256 bidders;
        uint256 minimum;
    }

    /// Fairness needs a market: it binds from this many assignments on.
    uint256 private constant _BINDING_FROM = 5;
    uint256 private constant _NONE = type(uint256).max;

    /// @notice Awards the nodes whose windows are over, and passes over the others; alone, a node reverts with the reason.
    function award(
        MarketStorage storage self,
        IConstitutionContract constitution,
        address mission,
        uint8[] calldata nodes
    ) external {
        // At most the mission's nodes: none is awarded twice.
        for (uint256 i = 0; i < nodes.length; ++i) {
            bytes memory fault = _fault(self, constitution, mission, nodes[i]);
            if (fault.length != 0) {
                // A change to one node does not block the award of others.
                if (nodes.length == 1) LowLevelCall.bubbleRevert(fault);
                emit IExecutionProcedure.AwardSkipped(mission, nodes[i], bytes4(fault));
                continue;
            }
            _awardNode(self, constitution, mission, nodes[i], _open(self, mission, nodes[i]), address(0));
        }
        if (nodes.length == 0) revert IExecutionProcedure.EmptyBatch();
    }

    /// @notice Awards the nodes whether their windows are over or not, in the one attempt that the decision was about.
    function awardEarly(
        MarketStorage storage self,
        IConstitutionContract constitution,
        address mission,
        uint8[] calldata nodes,
        uint8 attempt,
        address regulator
    ) external {
        uint256 session = ICollaborationContract(mission).context().session;
        IClerkContract clerks = IClerkContract(constitution.at(Institution.CLERKS));
        clerks.consume(Office.REGULATOR, regulator, IExecutionProcedure.awardEarly.selector, session);
        address house = IProducerContract(constitution.at(Institution.PRODUCERS)).principalOf(regulator);
        // At most the mission's nodes: none is awarded twice.
        for (uint256 i = 0; i < nodes.length; ++i) {
            NodeMarket memory market = _open(self, mission, nodes[i]);
            if (market.attempt != attempt) {
                revert IExecutionProcedure.WrongAttempt(mission, nodes[i], market.attempt, attempt);
            }
            _awardNode(self, constitution, mission, nodes[i], market, house);
            // Before its time a market ends with an award, or not at all.
            if (!self.nodeMarket(mission, nodes[i]).awarded) {
                revert IExecutionProcedure.NothingToAward(mission, nodes[i]);
            }
        }
        if (nodes.length == 0) revert IExecutionProcedure.EmptyBatch();
    }

    /// @notice The mission's fairness, by Equation 1, and what it is made of.
    function fairnessOf(
        MarketStorage storage self,
        address mission
    ) external view returns (uint256 score, uint256 assignments, uint256 bidders) {
        MissionMarket storage market = self.markets[mission];
        (assignments, bidders) = (market.assignments, market.bidders);
        score = Fairness.score(market.sumSquares, assignments, bidders);
    }

    /// @dev Why the node is not awarded now, encoded; empty if it is.
    function _fault(
        MarketStorage storage self,
        IConstitutionContract constitution,
        address mission,
        uint8 node
    ) private view returns (bytes memory) {
        NodeMarket memory market = self.nodeMarket(mission, node);
        if (market.awarded || market.closesAt == 0) {
            return abi.encodeWithSelector(IExecutionProcedure.MarketClosed.selector, mission, node);
        }
        if (!CityClock.hasCome(constitution, market.closesAt)) {
            uint40 closesAt = CityClock.inWorld(constitution, market.closesAt);
            return abi.encodeWithSelector(IExecutionProcedure.MarketOpen.selector, mission, node, closesAt);
        }
        if (!_isFree(mission, node)) {
            return abi.encodeWithSelector(IExecutionProcedure.NodeStopped.selector, mission, node);
        }
        return "";
    }

    /// @dev A market that can be awarded; the first ones of a mission in ascending order.
    function _open(MarketStorage storage self, address mission, uint8 node) private returns (NodeMarket memory market) {
        market = self.nodeMarket(mission, node);
        if (market.awarded || market.closesAt == 0) revert IExecutionProcedure.MarketClosed(mission, node);
        if (market.own) return market;
        MissionMarket storage first = self.markets[mission];
        // At most the node, which fits.
        while (first.cursor < node && _isPassedOver(self, mission, uint8(first.cursor))) ++first.cursor;
        if (node > first.cursor) revert IExecutionProcedure.AwardOutOfOrder(mission, first.cursor, node);
        // Skipped nodes can be awarded once they are open again.
        if (node == first.cursor) ++first.cursor;
    }

    /// @dev A child mission's node takes no bids; a market of its own keeps its own time; a frozen node waits for a human, alone.
    function _isPassedOver(MarketStorage storage self, address mission, uint8 node) private view returns (bool) {
        if (self.nodeMarket(mission, node).own || !MarketLedger.lawOf(mission, node).leaf) return true;
        return !_isFree(mission, node);
    }

    /// @dev Whether its mission takes executors for it: not while it is frozen, and never once it is over.
    function _isFree(address mission, uint8 node) private view returns (bool) {
        NodeState state = ICollaborationContract(mission).nodeOf(node).state;
        return state == NodeState.WAITING || state == NodeState.ELIGIBLE;
    }

    function _awardNode(
        MarketStorage storage self,
        IConstitutionContract constitution,
        address mission,
        uint8 node,
        NodeMarket memory market,
        address house
    ) private {
        LawNode memory law = MarketLedger.lawOf(mission, node);
        if (!law.leaf) revert IExecutionProcedure.NotALeaf(mission, node);
        uint8 redundancy = law.redundancy;
        Draft memory draft = _draft(self, constitution, mission, node, market.attempt, law);
        for (uint256 slot = 0; slot < redundancy; ++slot) {
            uint256 pick = _best(draft, true);
            if (pick == _NONE && market.reopened) pick = _best(draft, false);
            if (pick == _NONE) break;
            // No clerk ends a market for its own house, before others bid.
            if (draft.running[pick] == house) revert IExecutionProcedure.OwnHouse(mission, node, house);
            _take(draft, pick);
        }
        market.own = true;
        if (draft.picked < redundancy) {
            bool extend = !market.reopened;
            uint256 duration = constitution.param(Param.PARTIAL_RELEG_BIDDING_TIMEOUT);
            market.closesAt = extend ? CityClock.afterNow(constitution, duration) : 0;
            market.reopened = true;
            self.nodeMarkets[mission][node] = market;
            uint40 closesAt = CityClock.inWorld(constitution, market.closesAt);
            emit IExecutionProcedure.NoAward(mission, node, draft.count, redundancy, closesAt);
            return;
        }
        market.awarded = true;
        self.nodeMarkets[mission][node] = market;
        _bindAll(self, constitution, mission, node, self.markets[mission].stakes[uint8(law.risk)], draft);
    }

    function _draft(
        MarketStorage storage self,
        IConstitutionContract constitution,
        address mission,
        uint8 node,
        uint8 attempt,
        LawNode memory law
    ) private view returns (Draft memory draft) {
        MissionMarket storage market = self.markets[mission];
        uint256 kept;
        (draft.bids, kept) = self.bidsOf(mission, node);
        draft.running = new address[](kept);
        draft.assigned = new uint16[](kept);
        draft.novice = new bool[](kept);
        // Agents without a vote never form a majority of a consensus alone (decision 91).
        draft.novices = law.redundancy == 1 ? 1 : law.redundancy / 2;
        draft.picks = new uint256[](law.redundancy);
        draft.winners = new address[](law.redundancy);
        // If any code is admitted, no single code gets enough slots to agree with itself (decision 93).
        if (law.anyCode && law.tier == Tier.CONSENSUS) {
            draft.codes = new bytes32[](kept);
            draft.alike = law.threshold - 1;
        }
        draft.sumSquares = market.sumSquares;
        draft.total = market.assignments;
        draft.bidders = market.bidders;
        draft.minimum = constitution.param(Param.MIN_FAIRNESS_SCORE);
        IProducerContract producers = IProducerContract(constitution.at(Institution.PRODUCERS));
        // At most the bids a market keeps.
        for (uint256 i = 0; i < kept; ++i) {
            if (draft.bids[i].attemptOf() != attempt) continue;
            ++draft.count;
            address principal;
            (principal, draft.novice[i]) = producers.awardeeOf(draft.bids[i].agentOf());
            draft.running[i] = principal;
            if (principal != address(0)) draft.assigned[i] = self.participations[mission][principal].assignments;
            if (draft.codes.length != 0) draft.codes[i] = _codeOf(self, draft.bids[i]);
        }
    }

    function _codeOf(MarketStorage storage self, uint256 word) private view returns (bytes32) {
        return self.codes[self.offered[word.agentOf()][word.serviceOf()]];
    }

    /// @dev Highest score still running, of equals the earliest; fair ones only, if asked. A principal has one bid.
    function _best(Draft memory draft, bool fair) private pure returns (uint256 best) {
        best = _NONE;
        for (uint256 i = 0; i < draft.running.length; ++i) {
            if (draft.running[i] == address(0) || (draft.novice[i] && draft.novices == 0)) continue;
            if (best != _NONE && draft.bids[i].scoreOf() <= draft.bids[best].scoreOf()) continue;
            if (fair && !_isFair(draft, i)) continue;
            best = i;
        }
    }

    function _isFair(Draft memory draft, uint256 i) private pure returns (bool) {
        if (draft.total + 1 < _BINDING_FROM || draft.bidders < 2) return true;
        return _fairnessWith(draft, i) >= draft.minimum;
    }

    function _fairnessWith(Draft memory draft, uint256 i) private pure returns (uint256) {
        return Fairness.score(draft.sumSquares + 2 * draft.assigned[i] + 1, draft.total + 1, draft.bidders);
    }

    function _take(Draft memory draft, uint256 pick) private pure {
        draft.picks[draft.picked] = pick;
        draft.winners[draft.picked] = draft.running[pick];
        if (draft.novice[pick]) --draft.novices;
        draft.running[pick] = address(0);
        ++draft.picked;
        draft.sumSquares += 2 * uint256(draft.assigned[pick]) + 1;
        ++draft.total;
        if (draft.codes.length != 0) _barAlike(draft, draft.codes[pick]);
    }

    /// @dev Takes bids of a code that has all the slots it may have out of the running.
    function _barAlike(Draft memory draft, bytes32 code) private pure {
        uint256 taken = 0;
        for (uint256 slot = 0; slot < draft.picked; ++slot) {
            if (draft.codes[draft.picks[slot]] == code) ++taken;
        }
        if (taken < draft.alike) return;
        for (uint256 i = 0; i < draft.running.length; ++i) {
            if (draft.codes[i] == code) draft.running[i] = address(0);
        }
    }

    function _bindAll(
        MarketStorage storage self,
        IConstitutionContract constitution,
        address mission,
        uint8 node,
        uint64 stake,
        Draft memory draft
    ) private {
        // At most five slots.
        for (uint8 slot = 0; slot < draft.picked; ++slot) {
            uint256 pick = draft.picks[slot];
            uint256 won = draft.bids[pick];
            uint256 fairness = _assign(self, constitution, mission, node, draft, draft.winners[slot]);
            self.bids[mission][node][pick] = won | BidWord.AWARDED;
            (address agent, uint64 price) = (won.agentOf(), won.priceOf());
            bytes32 service = self.offered[agent][won.serviceOf()];
            self.locks[mission][node][agent] = Lock({
                amount: stake,
                awarded: true,
                pooled: won.isPooled(),
                accused: false,
                earnsVote: draft.novice[pick] && _earns(self, constitution, mission, draft.winners[slot], agent, price)
            });
            emit IExecutionProcedure.Awarded(mission, node, slot, agent, service, price, fairness);
            ICollaborationContract(mission).bind(node, slot, agent, service, price);
        }
    }

    /// @dev One agent of a house earns a vote in a mission, by a slot that is worth what convening a session costs: else whoever pays for a
    /// mission makes as many voters of it as it has nodes, for nothing.
    function _earns(
        MarketStorage storage self,
        IConstitutionContract constitution,
        address mission,
        address principal,
        address agent,
        uint64 price
    ) private returns (bool) {
        if (price < constitution.paramInUnits(Param.SESSION_FEE)) return false;
        address candidate = self.candidates[mission][principal];
        if (candidate == address(0)) self.candidates[mission][principal] = agent;
        return candidate == address(0) || candidate == agent;
    }

    /// @dev Counts an assignment; returns the fairness it leaves.
    function _assign(
        MarketStorage storage self,
        IConstitutionContract constitution,
        address mission,
        uint8 node,
        Draft memory draft,
        address principal
    ) private returns (uint256 fairness) {
        MissionMarket storage market = self.markets[mission];
        Part storage part = self.participations[mission][principal];
        bool binding = uint256(market.assignments) + 1 >= _BINDING_FROM && draft.bidders >= 2;
        market.sumSquares += 2 * uint64(part.assignments) + 1;
        ++market.assignments;
        ++part.assignments;
        fairness = Fairness.score(market.sumSquares, market.assignments, draft.bidders);
        if (binding && fairness < draft.minimum) {
            emit IExecutionProcedure.FairnessWaived(mission, node, fairness, draft.minimum);
        }
        if (part.executor) return fairness;
        part.executor = true;
        self.announceParty(constitution, mission, principal);
    }
}
