// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";
import {IClerkContract} from "../interfaces/IClerkContract.sol";
import {ICollaborationContract} from "../interfaces/ICollaborationContract.sol";
import {IConstitutionContract} from "../interfaces/IConstitutionContract.sol";
import {IExecutionProcedure} from "../interfaces/IExecutionProcedure.sol";
import {ILegislativeProcedure} from "../interfaces/ILegislativeProcedure.sol";
import {IProducerContract} from "../interfaces/IProducerContract.sol";
import {IServiceContract} from "../interfaces/IServiceContract.sol";
import {IStakePool} from "../interfaces/IStakePool.sol";
import {ITemplateRegistry} from "../interfaces/ITemplateRegistry.sol";
import {BidScore} from "../libraries/BidScore.sol";
import {Fairness} from "../libraries/Fairness.sol";
import {MissionTransitions} from "../libraries/MissionTransitions.sol";
import {Reasons} from "../libraries/Reasons.sol";
import {Signatures} from "../libraries/Signatures.sol";
import {SlashingSchedule} from "../libraries/SlashingSchedule.sol";
import {TypedData} from "../libraries/TypedData.sol";
import {LawNode, MissionContext} from "../types/Law.sol";
import {AwardDecision, Bid} from "../types/Messages.sol";
import {Param} from "../types/Params.sol";
import {Auth, Institution, Kind, Office} from "../types/Roles.sol";
import {MissionState, NodeState} from "../types/States.sol";
import {Awards} from "./market/Awards.sol";
import {MarketLedger} from "./market/MarketLedger.sol";
import {Lock, MarketStorage, MissionMarket, NodeMarket} from "./market/MarketStorage.sol";

/// @title The market of a city
/// @dev Bids and stakes are here; who is awarded what is in the linked library `Awards`.
contract ExecutionProcedure is IExecutionProcedure, EIP712, ReentrancyGuardTransient {
    using MarketLedger for MarketStorage;

    /// The best eight, and eight in reserve.
    uint256 private constant _KEPT = 16;
    uint40 private constant _LAST_MINUTE = 1 minutes;
    uint8 private constant _MOST_EXTENSIONS = 5;
    uint64 private constant _MAX_VERIFIER_SLASH = SlashingSchedule.NO_SHOW;

    IConstitutionContract private immutable _CONSTITUTION;

    MarketStorage private _market;

    constructor(IConstitutionContract constitution) EIP712("AgentCity", "1") {
        _CONSTITUTION = constitution;
    }

    // --- Opening -----------------------------------------------------------------------------------------------------

    /// @inheritdoc IExecutionProcedure
    function openMarket(address mission) external {
        ITemplateRegistry.Mission memory origin = _templates().missionOf(mission);
        if (origin.execution != address(this)) revert NotMission(mission);
        if (msg.sender != origin.legislation) revert NotLegislation(msg.sender);
        MissionMarket storage market = _market.markets[mission];
        if (market.closesAt != 0) revert AlreadyOpen(mission);
        uint16 nodes = ICollaborationContract(mission).header().nodeCount;
        MissionContext memory context = _contextOf(mission);
        uint40 closesAt = uint40(block.timestamp + _param(Param.BIDDING_WINDOW));
        market.sponsor = context.sponsor;
        market.nodes = nodes;
        market.closesAt = closesAt;
        // At most three risks.
        for (uint256 risk = 0; risk < 3; ++risk) {
            Param minimum = Param(uint256(Param.MIN_STAKE_LOW) + risk);
            market.stakes[risk] = _CONSTITUTION.unitsIn(context.params.edition, minimum);
        }
        (address parent, , ) = ILegislativeProcedure(msg.sender).parentOf(context.session);
        if (parent != address(0)) {
            market.root = IExecutionProcedure(_templates().executionOf(parent)).rootOf(parent);
        }
        _market.participations[mission][context.sponsor].sponsor = true;
        emit MarketOpened(mission, type(uint256).max >> (256 - uint256(nodes)), closesAt, 0);
    }

    /// @inheritdoc IExecutionProcedure
    function reopenMarket(uint8 node, uint8 attempt) external {
        _requireMission(msg.sender);
        NodeMarket memory market = _market.nodeMarket(msg.sender, node);
        StoredBid[] storage previous = _market.bids[msg.sender][MarketLedger.key(node, market.attempt)];
        for (uint256 i = 0; i < previous.length; ++i) {
            if (previous[i].awarded) _market.barred[msg.sender][node][_principalOf(previous[i].agent)] = true;
        }
        uint40 closesAt = uint40(block.timestamp + _param(Param.PARTIAL_RELEG_BIDDING_TIMEOUT));
        _market.nodeMarkets[msg.sender][node] = NodeMarket({
            own: true,
            reopened: false,
            awarded: false,
            attempt: attempt,
            closesAt: closesAt,
            extended: 0
        });
        emit MarketOpened(msg.sender, uint256(1) << node, closesAt, attempt);
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
    function bid(Bid calldata offer, Auth calldata auth) external nonReentrant {
        _requireMission(offer.mission);
        uint256 nonce = _market.nonces[auth.agent]++;
        bytes32 message = TypedData.hashBid(auth.agent, offer, nonce, auth.deadline);
        Signatures.requireAuth(auth, _hashTypedDataV4(message));
        NodeMarket memory market = _market.nodeMarket(offer.mission, offer.node);
        if (market.awarded || block.timestamp >= market.closesAt || !_isRunning(offer.mission)) {
            revert MarketClosed(offer.mission, offer.node);
        }
        address principal = _requireBidder(offer, auth.agent);
        StoredBid memory entry = _appraise(offer, auth.agent);
        entry.principal = principal;

        bool fresh = _place(offer, entry, market.attempt);
        (address dropped, bool rises) = _keep(offer.mission, offer.node, market.attempt, entry);
        if (rises && block.timestamp + _LAST_MINUTE > market.closesAt) _extend(offer.mission, offer.node, market);
        Participation storage part = _market.participations[offer.mission][principal];
        if (!part.bid) {
            part.bid = true;
            ++_market.markets[offer.mission].bidders;
        }
        _announce(offer, entry);
        if (fresh) _lock(offer.mission, offer.node, auth.agent, entry.locked);
        if (dropped != address(0)) _release(offer.mission, offer.node, dropped);
    }

    /// @inheritdoc IExecutionProcedure
    function withdrawBid(address mission, uint8 node, Auth calldata auth) external nonReentrant {
        Lock memory lock = _market.locks[mission][node][auth.agent];
        if (!lock.placed) revert NoBid(mission, node, auth.agent);
        if (lock.awarded) {
            _requireUnbound(mission, node, auth.agent);
        } else if (!_isOver(mission, node, lock.attempt)) {
            if (!_isForgotten(mission, node)) revert StillBound(mission, node, auth.agent);
            uint256 nonce = _market.nonces[auth.agent]++;
            bytes32 message = TypedData.hashWithdrawBid(auth.agent, mission, node, nonce, auth.deadline);
            Signatures.requireAuth(auth, _hashTypedDataV4(message));
            _drop(mission, node, lock.attempt, auth.agent);
        }
        _release(mission, node, auth.agent);
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
        IClerkContract clerks = IClerkContract(_at(Institution.CLERKS));
        uint256 session = _contextOf(mission).session;
        clerks.consume(Office.REGULATOR, regulator.agent, this.awardEarly.selector, session);
        Awards.awardEarly(_market, _CONSTITUTION, mission, nodes, attempt);
    }

    // --- Settlement --------------------------------------------------------------------------------------------------

    /// @inheritdoc IExecutionProcedure
    /// @dev No lock: missions hold their own, and the ledger that pays has one.
    function settleSlot(
        uint8 node,
        uint8 slot,
        address agent,
        uint64 release,
        uint64 slash,
        bool scored,
        uint16 score,
        bytes32 reason
    ) external returns (uint64 slashed) {
        _requireMission(msg.sender);
        (uint64 ending, uint64 taken, bool pooled) = _unlock(node, slot, agent, release, slash);
        if (pooled) {
            slashed = _pool().settle(msg.sender, node, agent, ending, taken, reason);
            // What the cover does not reach, the agent answers for.
            (ending, taken) = (0, taken - slashed);
        }
        slashed += _producers().settle(agent, ending, taken, scored, score, reason);
        if (reason == Reasons.TERMINATED) {
            _reproachOnce(agent);
        } else if (reason == Reasons.FREEZE_CONFIRMED) {
            _producers().reproach(agent, SlashingSchedule.POINTS_REASSIGNED, reason);
        }
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
        if (!_market.participations[msg.sender][_principalOf(verifier)].verifier)
            revert NotOnPanel(msg.sender, verifier);
        if (slash > _MAX_VERIFIER_SLASH) revert SlashExceeded(_MAX_VERIFIER_SLASH, slash);
        return _producers().settle(verifier, 0, slash, false, 0, reason);
    }

    /// @inheritdoc IExecutionProcedure
    /// @dev No lock: missions hold their own, and the ledger that pays has one.
    function slashExecutor(address executor, uint64 slash, bytes32 reason) external returns (uint64 slashed) {
        _requireMission(msg.sender);
        if (!_market.participations[msg.sender][_principalOf(executor)].executor)
            revert NotExecutor(msg.sender, executor);
        if (slash > SlashingSchedule.GREATEST) revert SlashExceeded(SlashingSchedule.GREATEST, slash);
        return _producers().settle(executor, 0, slash, true, 0, reason);
    }

    /// @inheritdoc IExecutionProcedure
    function recordVerifiers(address[] calldata principals) external {
        _requireMission(msg.sender);
        for (uint256 i = 0; i < principals.length; ++i) {
            Participation storage part = _market.participations[msg.sender][principals[i]];
            if (part.verifier) continue;
            part.verifier = true;
            _market.announceParty(_CONSTITUTION, msg.sender, principals[i]);
        }
    }

    // --- Views -------------------------------------------------------------------------------------------------------

    /// @inheritdoc IExecutionProcedure
    function bidsOf(address mission, uint8 node) external view returns (StoredBid[] memory) {
        return _market.bids[mission][MarketLedger.key(node, _market.nodeMarket(mission, node).attempt)];
    }

    /// @inheritdoc IExecutionProcedure
    function marketOf(address mission, uint8 node) external view returns (Market memory) {
        NodeMarket memory market = _market.nodeMarket(mission, node);
        return Market({closesAt: market.closesAt, attempt: market.attempt, reopened: market.reopened});
    }

    /// @inheritdoc IExecutionProcedure
    function participationOf(address mission, address principal) external view returns (Participation memory) {
        return _market.participations[mission][principal];
    }

    /// @inheritdoc IExecutionProcedure
    function rootOf(address mission) external view returns (address) {
        address root = _market.markets[mission].root;
        return root == address(0) ? mission : root;
    }

    /// @inheritdoc IExecutionProcedure
    function fairnessOf(address mission) external view returns (uint256 score, uint256 assignments, uint256 bidders) {
        MissionMarket storage market = _market.markets[mission];
        (assignments, bidders) = (market.assignments, market.bidders);
        score = Fairness.score(market.sumSquares, assignments, bidders);
    }

    /// @inheritdoc IExecutionProcedure
    function lockOf(address mission, uint8 node, uint8 slot) external view returns (uint64) {
        return _market.locks[mission][node][ICollaborationContract(mission).slotOf(node, slot).agent].amount;
    }

    /// @inheritdoc IExecutionProcedure
    function heldUntil(address mission, uint8 node) public view returns (uint40) {
        uint40 endedAt = _market.markets[mission].endedAt;
        if (endedAt == 0) return 0;
        uint8 band = uint8(_lawOf(mission, node).band);
        return endedAt + uint40(_contextOf(mission).params.appealWindows[band]) * 60;
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

    function _requireBidder(Bid calldata offer, address agent) private view returns (address principal) {
        if (!_isEligible(agent)) revert NotEligible(agent);
        principal = _principalOf(agent);
        if (_market.participations[offer.mission][principal].sponsor) revert SponsorConflict(offer.mission, principal);
        if (_market.barred[offer.mission][offer.node][principal]) revert Barred(offer.mission, offer.node, principal);
        IServiceContract services = IServiceContract(_at(Institution.SERVICES));
        if (!services.isLive(offer.service)) revert ServiceUnavailable(offer.service);
        if (_principalOf(services.ownerOf(offer.service)) != principal) {
            revert ServiceUnavailable(offer.service);
        }
    }

    /// @dev Equation 1, and the stake that the node's risk asks for.
    function _appraise(Bid calldata offer, address agent) private view returns (StoredBid memory entry) {
        LawNode memory law = _lawOf(offer.mission, offer.node);
        if (!law.leaf) revert NotALeaf(offer.mission, offer.node);
        uint64 slotBudget = law.budget / law.redundancy;
        if (offer.price == 0 || offer.price > slotBudget) revert PriceOutOfRange(offer.price, slotBudget);
        IProducerContract producers = _producers();
        uint256 fit = BidScore.matchOf(producers.capabilitiesOf(agent), law.capabilities);
        if (fit < BidScore.MIN_MATCH) revert CapabilityTooLow(fit, BidScore.MIN_MATCH);
        entry.agent = agent;
        entry.price = offer.price;
        entry.service = offer.service;
        entry.locked = _market.markets[offer.mission].stakes[uint8(law.risk)];
        // A score is at most a million.
        entry.score = uint32(
            BidScore.score(
                producers.reputationOf(agent),
                fit,
                offer.price,
                slotBudget,
                _param(Param.BID_WEIGHT_QUALITY),
                _param(Param.BID_WEIGHT_PRICE)
            )
        );
    }

    function _announce(Bid calldata offer, StoredBid memory entry) private {
        emit BidPlaced(offer.mission, offer.node, entry.agent, entry.service, entry.price, entry.score, entry.locked);
    }

    /// @dev A bid left over from an earlier attempt, or one that is improved, gives its lock to the new one.
    function _place(Bid calldata offer, StoredBid memory entry, uint8 attempt) private returns (bool fresh) {
        Lock storage lock = _market.locks[offer.mission][offer.node][entry.agent];
        fresh = !lock.placed;
        lock.placed = true;
        lock.attempt = attempt;
        lock.amount = entry.locked;
    }

    /// @dev Keeps one bid a principal, and of all the best by score; of equals the earlier stays. Returns whom it dropped, and whether an
    /// improvement brought an agent among those who would win.
    function _keep(
        address mission,
        uint8 node,
        uint8 attempt,
        StoredBid memory entry
    ) private returns (address dropped, bool rises) {
        StoredBid[] storage kept = _market.bids[mission][MarketLedger.key(node, attempt)];
        for (uint256 i = 0; i < kept.length; ++i) {
            if (kept[i].principal != entry.principal) continue;
            if (kept[i].agent != entry.agent) revert AlreadyBid(mission, node, kept[i].agent);
            if (entry.score <= kept[i].score) revert NotImproved(mission, node, entry.score, kept[i].score);
            uint256 winners = _lawOf(mission, node).redundancy;
            rises = _above(kept, kept[i].score) > winners && _above(kept, entry.score) < winners;
            _remove(kept, i);
        }
        if (kept.length == _KEPT) {
            uint256 worst = 0;
            for (uint256 i = 1; i < _KEPT; ++i) if (kept[i].score <= kept[worst].score) worst = i;
            if (entry.score <= kept[worst].score) revert Outbid(mission, node, entry.score, kept[worst].score);
            dropped = kept[worst].agent;
            _remove(kept, worst);
        }
        kept.push(entry);
    }

    /// @dev Bids of this score or more.
    function _above(StoredBid[] storage kept, uint32 score) private view returns (uint256 above) {
        for (uint256 i = 0; i < kept.length; ++i) if (kept[i].score >= score) ++above;
    }

    /// @dev Who is outdone at the last moment has a minute to answer, a few times.
    function _extend(address mission, uint8 node, NodeMarket memory market) private {
        if (market.extended == _MOST_EXTENSIONS) return;
        market.own = true;
        ++market.extended;
        market.closesAt += _LAST_MINUTE;
        _market.nodeMarkets[mission][node] = market;
        emit MarketExtended(mission, node, market.attempt, market.closesAt);
    }

    /// @dev A pool that was asked to stands for the bid; else the agent's own stake does.
    function _lock(address mission, uint8 node, address agent, uint64 amount) private {
        bool pooled = _pool().stand(mission, node, agent, amount);
        if (pooled) _market.locks[mission][node][agent].pooled = true;
        else _producers().lock(agent, amount);
    }

    /// @dev Ends what a mission may end of a slot's lock, and bounds what it may take.
    function _unlock(
        uint8 node,
        uint8 slot,
        address agent,
        uint64 release,
        uint64 slash
    ) private returns (uint64 ending, uint64 taken, bool pooled) {
        Lock storage lock = _market.locks[msg.sender][node][agent];
        if (!lock.awarded) revert NoBid(msg.sender, node, agent);
        uint64 locked = lock.amount;
        pooled = lock.pooled;
        ending = release == SlashingSchedule.WHOLE ? locked : release;
        taken = slash == SlashingSchedule.WHOLE ? locked : slash;
        if (ending > locked) revert LockExceeded(msg.sender, node, slot, locked, ending);
        uint64 most = locked > SlashingSchedule.GREATEST ? locked : SlashingSchedule.GREATEST;
        if (taken > most) revert LockExceeded(msg.sender, node, slot, locked, taken);
        lock.amount = locked - ending;
        // A slot is settled once: what ended cannot be slashed a second time.
        if (ending == locked) delete _market.locks[msg.sender][node][agent];
    }

    function _drop(address mission, uint8 node, uint8 attempt, address agent) private {
        StoredBid[] storage kept = _market.bids[mission][MarketLedger.key(node, attempt)];
        for (uint256 i = 0; i < kept.length; ++i) if (kept[i].agent == agent) return _remove(kept, i);
    }

    /// @dev Order stays order of arrival: it decides between equal scores.
    function _remove(StoredBid[] storage kept, uint256 index) private {
        uint256 last = kept.length - 1;
        for (uint256 i = index; i < last; ++i) kept[i] = kept[i + 1];
        kept.pop();
    }

    function _release(address mission, uint8 node, address agent) private {
        Lock memory lock = _market.locks[mission][node][agent];
        delete _market.locks[mission][node][agent];
        emit BidWithdrawn(mission, node, agent, lock.amount);
        if (lock.pooled) _pool().settle(mission, node, agent, lock.amount, 0, Reasons.BID_RELEASED);
        else _producers().settle(agent, lock.amount, 0, false, 0, Reasons.BID_RELEASED);
    }

    /// @dev Whether an unawarded bid of that attempt can no longer win, so that anyone may release it.
    function _isOver(address mission, uint8 node, uint8 attempt) private view returns (bool) {
        NodeMarket memory market = _market.nodeMarket(mission, node);
        return market.awarded || market.closesAt == 0 || market.attempt != attempt || !_isRunning(mission);
    }

    /// @dev Whether nobody called for an award, not even until a second window would have been over.
    function _isForgotten(address mission, uint8 node) private view returns (bool) {
        NodeMarket memory market = _market.nodeMarket(mission, node);
        uint256 second = market.reopened ? 0 : _param(Param.PARTIAL_RELEG_BIDDING_TIMEOUT);
        return block.timestamp >= market.closesAt + second;
    }

    /// @dev Several nodes at fault in one mission are one reproach.
    function _reproachOnce(address agent) private {
        address principal = _principalOf(agent);
        if (_market.terminated[msg.sender][principal]) return;
        _market.terminated[msg.sender][principal] = true;
        _producers().reproach(agent, SlashingSchedule.POINTS_TERMINATED, Reasons.TERMINATED);
    }

    /// @dev An executor's stake is free when its mission ended without its node; a slash that waits keeps it, and while humans may
    /// still say that it is at fault, so does having begun.
    function _requireUnbound(address mission, uint8 node, address agent) private view {
        ICollaborationContract.Node memory word = ICollaborationContract(mission).nodeOf(node);
        bool begun = word.state != NodeState.WAITING && word.state != NodeState.ELIGIBLE;
        bool held = (begun || word.remainder != 0) && block.timestamp < heldUntil(mission, node);
        if (held || _isRunning(mission) || word.faulted || word.state == NodeState.COMPLETED) {
            revert StillBound(mission, node, agent);
        }
    }

    // --- Reading -----------------------------------------------------------------------------------------------------

    function _requireMission(address mission) private view {
        if (_templates().executionOf(mission) != address(this)) revert NotMission(mission);
    }

    function _isRunning(address mission) private view returns (bool) {
        MissionState state = ICollaborationContract(mission).state();
        return state != MissionState.PENDING && !MissionTransitions.isFinal(state);
    }

    function _principalOf(address agent) private view returns (address) {
        return _producers().principalOf(agent);
    }

    function _isEligible(address agent) private view returns (bool) {
        return _producers().isEligible(agent, Kind.PRODUCER);
    }

    function _lawOf(address mission, uint8 node) private view returns (LawNode memory) {
        return ICollaborationContract(mission).nodeLaw(node);
    }

    function _contextOf(address mission) private view returns (MissionContext memory) {
        return ICollaborationContract(mission).context();
    }

    function _producers() private view returns (IProducerContract) {
        return IProducerContract(_at(Institution.PRODUCERS));
    }

    function _pool() private view returns (IStakePool) {
        return IStakePool(_at(Institution.STAKE_POOL));
    }

    function _templates() private view returns (ITemplateRegistry) {
        return ITemplateRegistry(_at(Institution.TEMPLATES));
    }

    function _at(Institution institution) private view returns (address) {
        return _CONSTITUTION.at(institution);
    }

    function _param(Param param) private view returns (uint256) {
        return _CONSTITUTION.param(param);
    }
}
