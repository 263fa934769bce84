// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {Clones} from "@openzeppelin/contracts/proxy/Clones.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";
import {BitMaps} from "@openzeppelin/contracts/utils/structs/BitMaps.sol";
import {ICollaborationContract} from "../interfaces/ICollaborationContract.sol";
import {IAdjudicatorRoster} from "../interfaces/IAdjudicatorRoster.sol";
import {IConstitutionContract} from "../interfaces/IConstitutionContract.sol";
import {IExecutionProcedure} from "../interfaces/IExecutionProcedure.sol";
import {IProducerContract} from "../interfaces/IProducerContract.sol";
import {IServiceContract} from "../interfaces/IServiceContract.sol";
import {IStakePool} from "../interfaces/IStakePool.sol";
import {ITemplateRegistry} from "../interfaces/ITemplateRegistry.sol";
import {Admissions} from "../libraries/Admissions.sol";
import {BidScore} from "../libraries/BidScore.sol";
import {BidWord} from "../libraries/BidWord.sol";
import {LawCodec} from "../libraries/LawCodec.sol";
import {MissionTransitions} from "../libraries/MissionTransitions.sol";
import {Reasons} from "../libraries/Reasons.sol";
import {Seat} from "../libraries/Seat.sol";
import {Signatures} from "../libraries/Signatures.sol";
import {TypedData} from "../libraries/TypedData.sol";
import {Admission, LawNode} from "../types/Law.sol";
import {AwardDecision, Bid} from "../types/Messages.sol";
import {Param} from "../types/Params.sol";
import {Auth, Institution} from "../types/Roles.sol";
import {MissionState} from "../types/States.sol";
import {CityClock} from "./CityClock.sol";
import {Awards} from "./market/Awards.sol";
import {MarketLedger} from "./market/MarketLedger.sol";
import {Openings} from "./market/Openings.sol";
import {Lock, MarketStorage, NodeMarket, Part} from "./market/MarketStorage.sol";
import {Penalties} from "./market/Penalties.sol";

/// @title The market of a city
/// @dev Bids and stakes are here; who is awarded what is in the linked library `Awards`.
contract ExecutionProcedure is IExecutionProcedure, EIP712, ReentrancyGuardTransient {
    using BidWord for uint256;
    using BitMaps for BitMaps.BitMap;
    using MarketLedger for MarketStorage;

    uint40 private constant _LAST_MINUTE = 1 minutes;
    uint8 private constant _MOST_EXTENSIONS = 5;

    IConstitutionContract private immutable _CONSTITUTION;

    MarketStorage private _market;

    constructor(IConstitutionContract constitution) EIP712("AgentCity", "1") {
        _CONSTITUTION = constitution;
    }

    // --- Opening -----------------------------------------------------------------------------------------------------

    /// @inheritdoc IExecutionProcedure
    function openMarket(address mission, address drafter) external {
        Openings.open(_market, _CONSTITUTION, mission, drafter);
    }

    /// @inheritdoc IExecutionProcedure
    function reopenMarket(uint8 node, uint8 attempt, address[] calldata culprits) external {
        _requireMission(msg.sender);
        Openings.reopen(_market, _CONSTITUTION, node, attempt, culprits);
    }

    /// @inheritdoc IExecutionProcedure
    function bar(uint8 node, address principal) external {
        _requireMission(msg.sender);
        _market.barred[msg.sender][node][principal] = true;
    }

    /// @inheritdoc IExecutionProcedure
    function approvePredicate(uint16 id, address predicate) external {
        if (!_CONSTITUTION.isGovernor(msg.sender)) revert NotGovernor(msg.sender);
        if (id == 0 || _market.predicates[id] != address(0)) revert PredicateTaken(id, _market.predicates[id]);
        _market.predicates[id] = predicate;
        emit PredicateApproved(id, predicate);
    }

    // --- Bidding -----------------------------------------------------------------------------------------------------

    /// @inheritdoc IExecutionProcedure
    function bid(Bid calldata offer, Auth calldata auth, Admission calldata admission) external nonReentrant {
        _requireMission(offer.mission);
        uint256 nonce = _market.nonces[auth.agent]++;
        bytes32 message = TypedData.hashBid(auth.agent, offer, nonce, auth.deadline);
        Signatures.requireAuth(auth, _hashTypedDataV4(message));
        NodeMarket memory market = _market.nodeMarket(offer.mission, offer.node);
        if (market.awarded || _hasCome(market.closesAt) || !_isRunning(offer.mission)) {
            revert MarketClosed(offer.mission, offer.node);
        }
        (LawNode memory law, uint256 entry) = _judge(offer, admission, auth.agent, market.attempt);
        _place(offer, auth.agent, market, law, entry);
    }

    /// @inheritdoc IExecutionProcedure
    /// @dev No lock: each bid takes it.
    function bidAll(Bid[] calldata offers, Auth[] calldata auths, Admission[] calldata admissions) external {
        if (offers.length != auths.length) revert LengthMismatch(auths.length, offers.length);
        if (offers.length != admissions.length) revert LengthMismatch(admissions.length, offers.length);
        // At most what a block holds: who sends them chooses.
        for (uint256 i = 0; i < offers.length; ++i) {
            try this.bid(offers[i], auths[i], admissions[i]) {
                continue;
            } catch (bytes memory reason) {
                emit BidRefused(offers[i].mission, offers[i].node, auths[i].agent, reason);
            }
        }
    }

    /// @inheritdoc IExecutionProcedure
    function withdrawBid(address mission, uint8 node, Auth calldata auth) external nonReentrant {
        Lock memory lock = _market.locks[mission][node][auth.agent];
        if (lock.awarded) {
            if (_isRunning(mission)) revert StillBound(mission, node, auth.agent);
            Openings.requireUnbound(_market, mission, node, auth.agent);
            delete _market.locks[mission][node][auth.agent];
            return _release(mission, node, auth.agent, lock.amount, lock.pooled);
        }
        (uint256[] memory bids, uint256 kept) = _market.bidsOf(mission, node);
        uint256 place = 0;
        while (place < kept && (bids[place].agentOf() != auth.agent || bids[place].isAwarded())) ++place;
        if (place == kept) revert NoBid(mission, node, auth.agent);
        uint256 word = bids[place];
        if (!_isOver(mission, node, word.attemptOf())) {
            if (!_isForgotten(mission, node)) revert StillBound(mission, node, auth.agent);
            uint256 nonce = _market.nonces[auth.agent]++;
            bytes32 message = TypedData.hashWithdrawBid(auth.agent, mission, node, nonce, auth.deadline);
            Signatures.requireAuth(auth, _hashTypedDataV4(message));
        }
        _market.remove(mission, node, bids, place);
        _release(mission, node, auth.agent, _stakeOf(mission, _lawOf(mission, node)), word.isPooled());
    }

    // --- Awards ------------------------------------------------------------------------------------------------------

    /// @inheritdoc IExecutionProcedure
    function award(address mission, uint8[] calldata nodes) external nonReentrant {
        _requireMission(mission);
        Awards.award(_market, _CONSTITUTION, mission, nodes);
    }

    /// @inheritdoc IExecutionProcedure
    function awardEarly(
        address mission,
        uint8[] calldata nodes,
        uint8 attempt,
        Auth calldata regulator
    ) external nonReentrant {
        _requireMission(mission);
        uint256 bitmap = 0;
        for (uint256 i = 0; i < nodes.length; ++i) bitmap |= uint256(1) << nodes[i];
        uint256 nonce = _market.nonces[regulator.agent]++;
        AwardDecision memory decision = AwardDecision(mission, bitmap, attempt);
        bytes32 message = TypedData.hashAwardDecision(regulator.agent, decision, nonce, regulator.deadline);
        Signatures.requireAuth(regulator, _hashTypedDataV4(message));
        Awards.awardEarly(_market, _CONSTITUTION, mission, nodes, attempt, regulator.agent);
    }

    // --- Settlement --------------------------------------------------------------------------------------------------

    /// @inheritdoc IExecutionProcedure
    /// @dev No lock: missions hold their own, and the ledger that pays has one.
    function settleSlot(SlotPenalty calldata penalty) external returns (uint64 slashed) {
        _requireMission(msg.sender);
        return Penalties.settle(_market, _CONSTITUTION, penalty);
    }

    /// @inheritdoc IExecutionProcedure
    function accuse(uint8 node, address[] calldata agents) external {
        _requireMission(msg.sender);
        Penalties.accuse(_market, _CONSTITUTION, node, agents);
    }

    /// @inheritdoc IExecutionProcedure
    /// @dev No lock: missions hold their own.
    function settleSlots(SlotOutcome[] calldata outcomes) external {
        _requireMission(msg.sender);
        IProducerContract.Outcome[] memory settled = new IProducerContract.Outcome[](outcomes.length);
        address[] memory voters = new address[](0);
        // At most the slots of the nodes that a claim names.
        for (uint256 i = 0; i < outcomes.length; ++i) {
            SlotOutcome calldata outcome = outcomes[i];
            (uint8 node, address agent) = (outcome.node, outcome.agent);
            Lock memory lock = _market.locks[msg.sender][node][agent];
            if (!lock.awarded) revert NoBid(msg.sender, node, agent);
            delete _market.locks[msg.sender][node][agent];
            settled[i] = IProducerContract.Outcome(agent, lock.amount, true, outcome.score, outcome.reason);
            // Rare.
            if (lock.earnsVote && outcome.score != 0) voters = MarketLedger.with(voters, agent);
            if (!lock.pooled) continue;
            _pool().settle(msg.sender, node, agent, lock.amount, 0, outcome.reason, address(0));
            settled[i].release = 0;
        }
        _producers().settleAll(settled, voters);
    }

    /// @inheritdoc IExecutionProcedure
    function hold() external {
        _requireMission(msg.sender);
        _market.markets[msg.sender].endedAt = uint40(block.timestamp);
    }

    /// @inheritdoc IExecutionProcedure
    /// @dev No lock: missions hold their own, and the ledger that pays has one.
    function settleVerifier(address verifier, uint64 slash, bytes32 reason) external returns (uint64 slashed) {
        _requireMission(msg.sender);
        return Penalties.settleVerifier(_market, _CONSTITUTION, verifier, slash, reason);
    }

    /// @inheritdoc IExecutionProcedure
    function recordVerifiers(Seat[] calldata panel) external {
        _requireMission(msg.sender);
        BitMaps.BitMap storage judged = _market.judged[msg.sender];
        // At most the panels of one clearing.
        for (uint256 i = 0; i < panel.length; ++i) {
            uint256 house = panel[i].house();
            if (judged.get(house)) continue;
            judged.set(house);
            if (_market.markets[msg.sender].root == address(0)) continue;
            _market.announceParty(_CONSTITUTION, msg.sender, _principalOf(panel[i].verifier()));
        }
    }

    // --- Views -------------------------------------------------------------------------------------------------------

    /// @inheritdoc IExecutionProcedure
    function bidsOf(address mission, uint8 node) external view returns (StoredBid[] memory list) {
        (uint256[] memory words, uint256 kept) = _market.bidsOf(mission, node);
        uint256 attempt = _market.nodeMarket(mission, node).attempt;
        uint256 count = 0;
        for (uint256 i = 0; i < kept; ++i) if (words[i].attemptOf() == attempt) words[count++] = words[i];
        list = new StoredBid[](count);
        if (count == 0) return list;
        uint64 stake = _stakeOf(mission, _lawOf(mission, node));
        // At most sixteen.
        for (uint256 i = 0; i < count; ++i) {
            address agent = words[i].agentOf();
            list[i] = StoredBid({
                agent: agent,
                price: words[i].priceOf(),
                score: words[i].scoreOf(),
                service: _market.offered[agent][words[i].serviceOf()],
                locked: stake,
                awarded: words[i].isAwarded(),
                principal: _principalOf(agent)
            });
        }
    }

    /// @inheritdoc IExecutionProcedure
    function marketOf(address mission, uint8 node) external view returns (Market memory) {
        NodeMarket memory market = _market.nodeMarket(mission, node);
        return Market({closesAt: _inWorld(market.closesAt), attempt: market.attempt, reopened: market.reopened});
    }

    /// @inheritdoc IExecutionProcedure
    function participationOf(address mission, address principal) external view returns (Participation memory) {
        Part memory part = _market.participations[mission][principal];
        return
            Participation({
                sponsor: part.sponsor,
                bid: part.bid,
                executor: part.executor,
                verifier: _market.hasJudged(_CONSTITUTION, mission, principal),
                assignments: part.assignments
            });
    }

    /// @inheritdoc IExecutionProcedure
    function isBarred(address mission, uint8 node, address principal) external view returns (bool) {
        return _market.barred[mission][node][principal];
    }

    /// @inheritdoc IExecutionProcedure
    function rootOf(address mission) external view returns (address) {
        address root = _market.markets[mission].root;
        return root == address(0) ? mission : root;
    }

    /// @inheritdoc IExecutionProcedure
    function fairnessOf(address mission) external view returns (uint256 score, uint256 assignments, uint256 bidders) {
        return Awards.fairnessOf(_market, mission);
    }

    /// @inheritdoc IExecutionProcedure
    function lockOf(address mission, uint8 node, uint8 slot) external view returns (uint64) {
        return Openings.lockOf(_market, mission, node, slot);
    }

    /// @inheritdoc IExecutionProcedure
    function heldUntil(address mission, uint8 node) public view returns (uint40) {
        return Openings.heldUntil(_market, mission, node);
    }

    /// @inheritdoc IExecutionProcedure
    function predicateOf(uint16 id) external view returns (address) {
        return _market.predicates[id];
    }

    /// @inheritdoc IExecutionProcedure
    function nonceOf(address agent) external view returns (uint256) {
        return _market.nonces[agent];
    }

    // --- Bids: rules -------------------------------------------------------------------------------------------------

    /// @dev A bid left over from an earlier attempt, or one that is improved, gives its lock to the new one.
    function _place(
        Bid calldata offer,
        address agent,
        NodeMarket memory market,
        LawNode memory law,
        uint256 entry
    ) private {
        uint64 stake = _stakeOf(offer.mission, law);
        (uint256[] memory bids, uint256 kept) = _market.bidsOf(offer.mission, offer.node);
        uint256 own = _ownPlace(offer, bids, kept, entry);
        if (own != kept) {
            entry |= bids[own] & BidWord.POOLED;
            bool rises = bids[own].attemptOf() == market.attempt && _rises(bids, kept, own, entry, law.redundancy);
            _market.remove(offer.mission, offer.node, bids, own);
            --kept;
            if (rises && _hasCome(market.closesAt + 1 - _LAST_MINUTE)) _extend(offer.mission, offer.node, market);
        } else {
            if (_stand(offer, agent, stake)) entry |= BidWord.POOLED;
            if (kept == MarketLedger.KEPT) {
                uint256 dropped = Openings.makeRoom(_market, _CONSTITUTION, offer.mission, offer.node, entry);
                _release(offer.mission, offer.node, dropped.agentOf(), stake, dropped.isPooled());
                --kept;
            }
        }
        _market.bids[offer.mission][offer.node][kept] = entry;
        uint32 score = entry.scoreOf();
        emit BidPlaced(offer.mission, offer.node, agent, offer.service, offer.price, score, stake);
    }

    /// @dev A law admits code, not names (decision 93): the service may belong to anyone.
    function _judge(
        Bid calldata offer,
        Admission calldata admission,
        address agent,
        uint8 attempt
    ) private returns (LawNode memory law, uint256 entry) {
        bytes memory args = Clones.fetchCloneArgs(offer.mission);
        law = LawCodec.node(args, offer.node);
        entry = _appraise(offer, admission, agent, attempt, law);
        if (!Admissions.admits(LawCodec.servicesRoot(args), admission, offer.node, law.anyCode)) {
            revert ServiceNotAdmitted(offer.mission, offer.node, offer.service);
        }
        if (law.anyCode) _market.codes[offer.service] = admission.codeHash;
    }

    /// @dev Who may bid, by Equation 1, as a word.
    function _appraise(
        Bid calldata offer,
        Admission calldata admission,
        address agent,
        uint8 attempt,
        LawNode memory law
    ) private returns (uint256 entry) {
        IProducerContract.Bidder memory bidder = _producers().bidderOf(agent);
        _requireBidder(offer, agent, bidder.principal, attempt);
        _requireService(offer.service, agent, bidder.principal, admission);
        if (!law.leaf) revert NotALeaf(offer.mission, offer.node);
        uint64 slotBudget = law.budget / law.redundancy;
        if (offer.price == 0 || offer.price > slotBudget || offer.price > BidWord.HIGHEST_PRICE) {
            revert PriceOutOfRange(offer.price, slotBudget);
        }
        uint256 fit = BidScore.matchOf(bidder.capabilities, law.capabilities);
        if (fit < BidScore.MIN_MATCH) revert CapabilityTooLow(fit, BidScore.MIN_MATCH);
        uint256 score = BidScore.score(
            bidder.reputation,
            fit,
            offer.price,
            slotBudget,
            _param(Param.BID_WEIGHT_QUALITY),
            _param(Param.BID_WEIGHT_PRICE)
        );
        uint256 service = _placeOf(offer.service, agent);
        entry = BidWord.pack(agent, offer.price, score, bidder.number, service, attempt);
        Part storage part = _market.participations[offer.mission][bidder.principal];
        if (part.bid) return entry;
        part.bid = true;
        ++_market.markets[offer.mission].bidders;
    }

    function _requireBidder(Bid calldata offer, address agent, address principal, uint8 attempt) private view {
        if (principal == address(0)) revert NotEligible(agent);
        Part storage part = _market.participations[offer.mission][principal];
        if (part.sponsor) revert SponsorConflict(offer.mission, principal);
        // Only another attempt bars anybody: who was at fault for one before, or found the fault, and who judged others' work
        // takes over none.
        if (attempt == 0) return;
        bool judged =
            _market.hasJudged(_CONSTITUTION, offer.mission, principal) ||
                IAdjudicatorRoster(_at(Institution.ROSTER)).hasRejected(offer.mission, principal);
        if (judged || _market.barred[offer.mission][offer.node][principal]) {
            revert Barred(offer.mission, offer.node, principal);
        }
    }

    /// @dev One of its own principal's, of the code and schemas that are shown.
    function _requireService(bytes32 service, address agent, address principal, Admission calldata shown) private view {
        address seller = IServiceContract(_at(Institution.SERVICES)).sellerOf(service);
        if (seller == address(0) || (seller != agent && _principalOf(seller) != principal)) {
            revert ServiceUnavailable(service);
        }
        bytes32 id = Admissions.serviceId(seller, shown.codeHash, shown.schemaHash, shown.termsHash);
        if (id != service) revert AnotherService(service, id);
    }

    /// @dev A word for what an agent offers again and again.
    function _placeOf(bytes32 service, address agent) private returns (uint256 place) {
        mapping(uint256 place => bytes32 service) storage offered = _market.offered[agent];
        bytes32 known;
        // At most 64.
        while ((known = offered[place]) != service) {
            if (known == 0) {
                offered[place] = service;
                break;
            }
            if (++place == BidWord.SERVICES) revert TooManyServices(agent, BidWord.SERVICES);
        }
    }

    /// @dev Position of the agent's earlier bid, which the new one replaces; `kept` if there is none.
    function _ownPlace(
        Bid calldata offer,
        uint256[] memory bids,
        uint256 kept,
        uint256 entry
    ) private pure returns (uint256 own) {
        own = kept;
        for (uint256 i = 0; i < kept; ++i) {
            if (bids[i].principalOf() != entry.principalOf()) continue;
            if (bids[i].agentOf() == entry.agentOf()) own = i;
            else if (bids[i].attemptOf() == entry.attemptOf()) {
                revert AlreadyBid(offer.mission, offer.node, bids[i].agentOf());
            }
        }
        if (own == kept || bids[own].attemptOf() != entry.attemptOf()) return own;
        if (entry.scoreOf() <= bids[own].scoreOf()) {
            revert NotImproved(offer.mission, offer.node, entry.scoreOf(), bids[own].scoreOf());
        }
    }

    /// @dev Whether an improvement brings its agent among those who would win.
    function _rises(
        uint256[] memory bids,
        uint256 kept,
        uint256 own,
        uint256 entry,
        uint256 winners
    ) private pure returns (bool) {
        (uint256 before, uint256 above) = (0, 0);
        for (uint256 i = 0; i < kept; ++i) {
            if (bids[i].attemptOf() != entry.attemptOf()) continue;
            if (bids[i].scoreOf() >= bids[own].scoreOf()) ++before;
            if (bids[i].scoreOf() >= entry.scoreOf()) ++above;
        }
        return before > winners && above < winners;
    }

    /// @dev A bidder that is outbid in the last minute has another minute to respond, a limited number of times.
    function _extend(address mission, uint8 node, NodeMarket memory market) private {
        if (market.extended == _MOST_EXTENSIONS) return;
        market.own = true;
        ++market.extended;
        market.closesAt += _LAST_MINUTE;
        _market.nodeMarkets[mission][node] = market;
        emit MarketExtended(mission, node, market.attempt, _inWorld(market.closesAt));
    }

    /// @dev A pool that was asked to stands for the bid; else the agent's own stake does.
    function _stand(Bid calldata offer, address agent, uint64 amount) private returns (bool pooled) {
        pooled = _pool().stand(offer.mission, offer.node, agent, amount);
        if (!pooled) _producers().lock(agent, amount);
    }

    /// @dev What a bid on the node has at stake.
    function _stakeOf(address mission, LawNode memory law) private view returns (uint64) {
        return _market.markets[mission].stakes[uint8(law.risk)];
    }

    function _release(address mission, uint8 node, address agent, uint64 amount, bool pooled) private {
        emit BidWithdrawn(mission, node, agent, amount);
        if (pooled) _pool().settle(mission, node, agent, amount, 0, Reasons.BID_RELEASED, address(0));
        else _producers().settle(_unscored(agent, amount, Reasons.BID_RELEASED), 0, address(0));
    }

    function _unscored(
        address agent,
        uint64 release,
        bytes32 reason
    ) private pure returns (IProducerContract.Outcome memory) {
        return IProducerContract.Outcome({agent: agent, release: release, scored: false, score: 0, reason: reason});
    }

    /// @dev Whether an unawarded bid of that attempt can no longer win, so that anyone may release it.
    function _isOver(address mission, uint8 node, uint256 attempt) private view returns (bool) {
        NodeMarket memory market = _market.nodeMarket(mission, node);
        return market.awarded || market.closesAt == 0 || market.attempt != attempt || !_isRunning(mission);
    }

    /// @dev Whether no award was called for, not even until a second window would have ended.
    function _isForgotten(address mission, uint8 node) private view returns (bool) {
        NodeMarket memory market = _market.nodeMarket(mission, node);
        uint256 second = market.reopened ? 0 : _param(Param.PARTIAL_RELEG_BIDDING_TIMEOUT);
        return _hasCome(market.closesAt + second);
    }

    // --- Reading -----------------------------------------------------------------------------------------------------

    function _hasCome(uint256 at) private view returns (bool) {
        return CityClock.hasCome(_CONSTITUTION, at);
    }

    function _inWorld(uint40 at) private view returns (uint40) {
        return CityClock.inWorld(_CONSTITUTION, at);
    }

    /// @dev A market opens for genuine missions of this procedure only, and stays; a mission whose market never opened is asked for.
    function _requireMission(address mission) private view {
        if (_market.markets[mission].closesAt != 0) return;
        ITemplateRegistry templates = ITemplateRegistry(_at(Institution.TEMPLATES));
        if (templates.executionOf(mission) != address(this)) revert NotMission(mission);
    }

    function _isRunning(address mission) private view returns (bool) {
        MissionState state = ICollaborationContract(mission).state();
        return state != MissionState.PENDING && !MissionTransitions.isFinal(state);
    }

    function _principalOf(address agent) private view returns (address) {
        return _producers().principalOf(agent);
    }

    function _lawOf(address mission, uint8 node) private view returns (LawNode memory) {
        return MarketLedger.lawOf(mission, node);
    }

    function _producers() private view returns (IProducerContract) {
        return IProducerContract(_at(Institution.PRODUCERS));
    }

    function _pool() private view returns (IStakePool) {
        return IStakePool(_at(Institution.STAKE_POOL));
    }

    function _at(Institution institution) private view returns (address) {
        return _CONSTITUTION.at(institution);
    }

    function _param(Param param) private view returns (uint256) {
        return _CONSTITUTION.param(param);
    }
}
