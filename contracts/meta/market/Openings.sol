// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {IConstitutionContract} from "../../interfaces/IConstitutionContract.sol";
import {ICollaborationContract} from "../../interfaces/ICollaborationContract.sol";
import {IExecutionProcedure} from "../../interfaces/IExecutionProcedure.sol";
import {ILegislativeProcedure} from "../../interfaces/ILegislativeProcedure.sol";
import {IProducerContract} from "../../interfaces/IProducerContract.sol";
import {ITemplateRegistry} from "../../interfaces/ITemplateRegistry.sol";
import {BidWord} from "../../libraries/BidWord.sol";
import {MissionContext} from "../../types/Law.sol";
import {Param} from "../../types/Params.sol";
import {Institution} from "../../types/Roles.sol";
import {NodeState} from "../../types/States.sol";
import {CityClock} from "../CityClock.sol";
import {MarketLedger} from "./MarketLedger.sol";
import {MarketStorage, MissionMarket, NodeMarket} from "./MarketStorage.sol";

/// @title When a market begins, begins again, and lets go
/// @notice A linked library: it runs in the procedure's frame and storage.
library Openings {
    using BidWord for uint256;
    using MarketLedger for MarketStorage;

    /// @notice The first window of a mission, for all its nodes; the caller is the legislation that deployed it.
    /// @param drafter the Speaker's house where its office drafted the law; else zero
    function open(
        MarketStorage storage self,
        IConstitutionContract constitution,
        address mission,
        address drafter
    ) external {
        ITemplateRegistry templates = ITemplateRegistry(constitution.at(Institution.TEMPLATES));
        ITemplateRegistry.Mission memory origin = templates.missionOf(mission);
        if (origin.execution != address(this)) revert IExecutionProcedure.NotMission(mission);
        if (msg.sender != origin.legislation) revert IExecutionProcedure.NotLegislation(msg.sender);
        MissionMarket storage market = self.markets[mission];
        if (market.closesAt != 0) revert IExecutionProcedure.AlreadyOpen(mission);
        uint16 nodes = ICollaborationContract(mission).header().nodeCount;
        MissionContext memory context = ICollaborationContract(mission).context();
        uint40 closesAt = CityClock.afterNow(constitution, constitution.param(Param.BIDDING_WINDOW));
        market.sponsor = context.sponsor;
        market.nodes = nodes;
        market.closesAt = closesAt;
        // At most three risks.
        for (uint256 risk = 0; risk < 3; ++risk) {
            Param minimum = Param(uint256(Param.MIN_STAKE_LOW) + risk);
            market.stakes[risk] = constitution.unitsIn(context.params.edition, minimum);
        }
        (address parent, , ) = ILegislativeProcedure(msg.sender).parentOf(context.session);
        if (parent != address(0)) {
            market.root = IExecutionProcedure(templates.executionOf(parent)).rootOf(parent);
        }
        self.participations[mission][context.sponsor].sponsor = true;
        if (drafter != address(0)) {
            self.participations[mission][drafter].sponsor = true;
            self.announceParty(constitution, mission, drafter);
        }
        closesAt = CityClock.inWorld(constitution, closesAt);
        emit IExecutionProcedure.MarketOpened(mission, type(uint256).max >> (256 - uint256(nodes)), closesAt, 0);
    }

    /// @notice Another window for a node of the calling mission; who is at fault for the attempt before is barred.
    function reopen(
        MarketStorage storage self,
        IConstitutionContract constitution,
        uint8 node,
        uint8 attempt,
        address[] calldata culprits
    ) external {
        IProducerContract producers = IProducerContract(constitution.at(Institution.PRODUCERS));
        (uint256[] memory bids, uint256 kept) = self.bidsOf(msg.sender, node);
        // At most sixteen, the last first: what comes after the one that is taken out stays where it is.
        for (uint256 i = kept; i > 0; --i) {
            if (bids[i - 1].isAwarded()) self.remove(msg.sender, node, bids, i - 1);
        }
        // At most five slots.
        for (uint256 i = 0; i < culprits.length; ++i) {
            self.barred[msg.sender][node][producers.principalOf(culprits[i])] = true;
        }
        uint40 closesAt = CityClock.afterNow(constitution, constitution.param(Param.PARTIAL_RELEG_BIDDING_TIMEOUT));
        self.nodeMarkets[msg.sender][node] = NodeMarket({
            own: true,
            reopened: false,
            awarded: false,
            attempt: attempt,
            closesAt: closesAt,
            extended: 0
        });
        closesAt = CityClock.inWorld(constitution, closesAt);
        emit IExecutionProcedure.MarketOpened(msg.sender, uint256(1) << node, closesAt, attempt);
    }

    /// @notice Frees a place of a full market: one of an earlier attempt, else the lowest score, of equals the latest. Newcomers hold half of
    /// the places at most, whatever they offer: one more of them takes a newcomer's place, and who has a vote takes what they hold beyond it.
    /// @return dropped The bid that is out.
    function makeRoom(
        MarketStorage storage self,
        IConstitutionContract constitution,
        address mission,
        uint8 node,
        uint256 entry
    ) external returns (uint256 dropped) {
        (uint256[] memory bids, ) = self.bidsOf(mission, node);
        uint256 place = _placeToFree(constitution, mission, node, bids, entry);
        dropped = bids[place];
        self.remove(mission, node, bids, place);
    }

    function _placeToFree(
        IConstitutionContract constitution,
        address mission,
        uint8 node,
        uint256[] memory bids,
        uint256 entry
    ) private view returns (uint256 worst) {
        uint256 kept = bids.length;
        for (uint256 i = 0; i < kept; ++i) if (bids[i].attemptOf() != entry.attemptOf()) return i;
        IProducerContract producers = IProducerContract(constitution.at(Institution.PRODUCERS));
        bool novice = !producers.hasSuffrage(entry.agentOf());
        uint256 novices = novice ? 1 : 0;
        bool[] memory isNovice = new bool[](kept);
        // At most sixteen bids, in a full market only.
        for (uint256 i = 0; i < kept; ++i) {
            isNovice[i] = !producers.hasSuffrage(bids[i].agentOf());
            if (isNovice[i]) ++novices;
        }
        bool crowded = novices > kept / 2;
        worst = kept;
        for (uint256 i = 0; i < kept; ++i) {
            if (crowded && !isNovice[i]) continue;
            if (worst == kept || bids[i].scoreOf() <= bids[worst].scoreOf()) worst = i;
        }
        if (crowded && !novice) return worst;
        (uint32 score, uint32 lowest) = (entry.scoreOf(), bids[worst].scoreOf());
        if (score <= lowest) revert IExecutionProcedure.Outbid(mission, node, score, lowest);
    }

    /// @notice An executor's stake is free when its mission ended without its node; a slash that waits keeps it, and while humans may
    /// still say that it is at fault, so does having begun: what a freeze stopped has time left or something committed.
    function requireUnbound(MarketStorage storage self, address mission, uint8 node, address agent) external view {
        ICollaborationContract.Node memory word = ICollaborationContract(mission).nodeOf(node);
        bool begun = word.state != NodeState.WAITING && word.state != NodeState.ELIGIBLE;
        begun = begun || word.remainder != 0 || word.commitMask != 0;
        bool held = begun && block.timestamp < _heldUntil(self, mission, node);
        if (held || word.faulted || word.state == NodeState.COMPLETED) {
            revert IExecutionProcedure.StillBound(mission, node, agent);
        }
    }

    /// @notice What the executor of a slot has locked for it, smallest unit.
    function lockOf(
        MarketStorage storage self,
        address mission,
        uint8 node,
        uint8 slot
    ) external view returns (uint64) {
        return self.locks[mission][node][ICollaborationContract(mission).slotOf(node, slot).agent].amount;
    }

    /// @notice Until when adjudicators may find a node's executors at fault for the end of its mission; 0 = no human ended it.
    function heldUntil(MarketStorage storage self, address mission, uint8 node) external view returns (uint40) {
        return _heldUntil(self, mission, node);
    }

    function _heldUntil(MarketStorage storage self, address mission, uint8 node) private view returns (uint40) {
        uint40 endedAt = self.markets[mission].endedAt;
        if (endedAt == 0) return 0;
        uint8 band = uint8(MarketLedger.lawOf(mission, node).band);
        return endedAt + uint40(ICollaborationContract(mission).context().params.appealWindows[band]) * 60;
    }
}
