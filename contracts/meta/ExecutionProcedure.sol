// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";
import {IClerkContract} from "../interfaces/IClerkContract.sol";
import {ICollaborationContract} from "../interfaces/ICollaborationContract.sol";
import {IConstitutionContract} from "../interfaces/IConstitutionContract.sol";
import {IExecutionProcedure} from "../interfaces/IExecutionProcedure.sol";
import {IProducerContract} from "../interfaces/IProducerContract.sol";
import {IServiceContract} from "../interfaces/IServiceContract.sol";
import {ITemplateRegistry} from "../interfaces/ITemplateRegistry.sol";
import {BidScore} from "../libraries/BidScore.sol";
import {Fairness} from "../libraries/Fairness.sol";
import {MissionTransitions} from "../libraries/MissionTransitions.sol";
import {Signatures} from "../libraries/Signatures.sol";
import {SlashingSchedule} from "../libraries/SlashingSchedule.sol";
import {TypedData} from "../libraries/TypedData.sol";
import {LawNode, MissionContext} from "../types/Law.sol";
import {Bid} from "../types/Messages.sol";
import {Param} from "../types/Params.sol";
import {Auth, Institution, Kind, Office} from "../types/Roles.sol";
import {MissionState, NodeState} from "../types/States.sol";

/// @title The market of a city
/// @dev What belongs to one attempt is keyed by attempt. An agent bids once per node and never executes the same node twice,
/// so a lock is found by (mission, node, agent) and outlives the attempt that made it.
contract ExecutionProcedure is IExecutionProcedure, EIP712, ReentrancyGuardTransient {
    /// @dev Two words per mission.
    struct MissionMarket {
        address sponsor;
        uint40 closesAt;
        uint16 nodes;
        /// Nodes awarded or passed over in the first round: the next one is next.
        uint16 cursor;
        /// Distinct principals with an eligible bid.
        uint16 bidders;
        uint64 sumSquares;
        uint32 assignments;
        /// minStake by risk, whole tokens scaled; copied when the market opens.
        uint64[3] stakes;
    }

    struct NodeMarket {
        /// Whether this entry replaces the mission's first window.
        bool own;
        bool reopened;
        bool awarded;
        uint8 attempt;
        uint40 closesAt;
    }

    /// @dev One word: what an agent has at stake on a node.
    struct Lock {
        uint64 amount;
        uint8 attempt;
        bool placed;
        bool awarded;
    }

    /// @dev A selection under way, in memory.
    struct Draft {
        StoredBid[] bids;
        address[] principals;
        uint16[] assigned;
        /// Place in `bids` per slot.
        uint256[] picks;
        uint256 picked;
        uint256 sumSquares;
        uint256 total;
        uint256 bidders;
        uint256 minimum;
    }

    uint256 private constant _BEST = 8;
    uint256 private constant _MIN_MATCH = 600;
    /// Fairness needs a market: it binds from this many assignments on (decisions 16).
    uint256 private constant _BINDING_FROM = 5;
    uint64 private constant _MAX_VERIFIER_SLASH = SlashingSchedule.NO_SHOW;
    bytes32 private constant _BID_RELEASED = "_BID_RELEASED";
    uint256 private constant _NONE = type(uint256).max;

    IConstitutionContract private immutable _CONSTITUTION;

    mapping(address mission => MissionMarket market) private _markets;
    mapping(address mission => mapping(uint8 node => NodeMarket)) private _nodeMarkets;
    mapping(address mission => mapping(uint16 nodeAttempt => StoredBid[])) private _bids;
    mapping(address mission => mapping(uint8 node => mapping(address agent => Lock))) private _locks;
    mapping(address mission => mapping(address principal => Participation)) private _participations;
    mapping(address mission => mapping(uint8 node => mapping(address principal => bool))) private _barred;
    mapping(uint16 id => address predicate) private _predicates;
    mapping(address agent => uint256 nonce) private _nonces;

    constructor(IConstitutionContract constitution) EIP712("AgentCity", "1") {
        _CONSTITUTION = constitution;
    }

    // --- Opening -----------------------------------------------------------------------------------------------------

    /// @inheritdoc IExecutionProcedure
    function openMarket(address mission) external {
        ITemplateRegistry.Mission memory origin = _templates().missionOf(mission);
        if (origin.execution != address(this)) revert NotMission(mission);
        if (msg.sender != origin.legislation) revert NotLegislation(msg.sender);
        MissionMarket storage market = _markets[mission];
        if (market.closesAt != 0) revert AlreadyOpen(mission);
        uint16 nodes = ICollaborationContract(mission).header().nodeCount;
        address sponsor = _contextOf(mission).sponsor;
        uint40 closesAt = uint40(block.timestamp + _param(Param.BIDDING_WINDOW));
        market.sponsor = sponsor;
        market.nodes = nodes;
        market.closesAt = closesAt;
        market.stakes[0] = _units(Param.MIN_STAKE_LOW);
        market.stakes[1] = _units(Param.MIN_STAKE_MEDIUM);
        market.stakes[2] = _units(Param.MIN_STAKE_HIGH);
        _participations[mission][sponsor].sponsor = true;
        emit MarketOpened(mission, type(uint256).max >> (256 - uint256(nodes)), closesAt, 0);
    }

    /// @inheritdoc IExecutionProcedure
    function reopenMarket(uint8 node, uint8 attempt) external {
        _requireMission(msg.sender);
        NodeMarket memory market = _nodeMarket(msg.sender, node);
        StoredBid[] storage previous = _bids[msg.sender][_nodeAttempt(node, market.attempt)];
        for (uint256 i = 0; i < previous.length; ++i) {
            if (previous[i].awarded) _barred[msg.sender][node][_principalOf(previous[i].agent)] = true;
        }
        uint40 closesAt = uint40(block.timestamp + _param(Param.PARTIAL_RELEG_BIDDING_TIMEOUT));
        _nodeMarkets[msg.sender][node] = NodeMarket({
            own: true,
            reopened: false,
            awarded: false,
            attempt: attempt,
            closesAt: closesAt
        });
        emit MarketOpened(msg.sender, uint256(1) << node, closesAt, attempt);
    }

    /// @inheritdoc IExecutionProcedure
    function approvePredicate(uint16 id, address predicate) external {
        if (!_CONSTITUTION.isGovernor(msg.sender)) revert NotGovernor(msg.sender);
        if (id == 0 || _predicates[id] != address(0)) revert PredicateTaken(id, _predicates[id]);
        _predicates[id] = predicate;
        emit PredicateApproved(id, predicate);
    }

    // --- Bidding -----------------------------------------------------------------------------------------------------

    /// @inheritdoc IExecutionProcedure
    function bid(Bid calldata offer, Auth calldata auth) external nonReentrant {
        _requireMission(offer.mission);
        uint256 nonce = _nonces[auth.agent]++;
        bytes32 message = TypedData.hashBid(auth.agent, offer, nonce, auth.deadline);
        Signatures.requireAuth(auth, _hashTypedDataV4(message));
        NodeMarket memory market = _nodeMarket(offer.mission, offer.node);
        if (market.awarded || block.timestamp >= market.closesAt || !_isRunning(offer.mission)) {
            revert MarketClosed(offer.mission, offer.node);
        }
        address principal = _requireBidder(offer, auth.agent);
        StoredBid memory entry = _appraise(offer, auth.agent);

        bool fresh = _place(offer, entry, market.attempt);
        address dropped = _keep(offer.mission, offer.node, market.attempt, entry);
        Participation storage part = _participations[offer.mission][principal];
        if (!part.bid) {
            part.bid = true;
            ++_markets[offer.mission].bidders;
        }
        _announce(offer, entry);
        if (fresh) _producers().lock(auth.agent, entry.locked);
        if (dropped != address(0)) _release(offer.mission, offer.node, dropped);
    }

    /// @inheritdoc IExecutionProcedure
    function withdrawBid(address mission, uint8 node, Auth calldata auth) external nonReentrant {
        Lock memory lock = _locks[mission][node][auth.agent];
        if (!lock.placed) revert NoBid(mission, node, auth.agent);
        if (lock.awarded) {
            _requireUnbound(mission, node, auth.agent);
        } else if (!_isOver(mission, node, lock.attempt)) {
            uint256 nonce = _nonces[auth.agent]++;
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
        _awardAll(mission, nodes, false);
    }

    /// @inheritdoc IExecutionProcedure
    function awardEarly(address mission, uint8[] calldata nodes, Auth calldata regulator) external nonReentrant {
        _requireMission(mission);
        uint256 bitmap = 0;
        for (uint256 i = 0; i < nodes.length; ++i) bitmap |= uint256(1) << nodes[i];
        bytes32 message = TypedData.hashAwardDecision(regulator.agent, mission, bitmap, regulator.deadline);
        Signatures.requireAuth(regulator, _hashTypedDataV4(message));
        IClerkContract clerks = IClerkContract(_at(Institution.CLERKS));
        uint256 session = _contextOf(mission).session;
        clerks.consume(Office.REGULATOR, regulator.agent, this.awardEarly.selector, session);
        _awardAll(mission, nodes, true);
    }

    // --- Settlement --------------------------------------------------------------------------------------------------

    /// @inheritdoc IExecutionProcedure
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
        Lock storage lock = _locks[msg.sender][node][agent];
        if (!lock.awarded) revert NoBid(msg.sender, node, agent);
        uint64 locked = lock.amount;
        uint64 ending = release == SlashingSchedule.WHOLE ? locked : release;
        uint64 taken = slash == SlashingSchedule.WHOLE ? locked : slash;
        if (ending > locked) revert LockExceeded(msg.sender, node, slot, locked, ending);
        uint64 most = locked > SlashingSchedule.GREATEST ? locked : SlashingSchedule.GREATEST;
        if (taken > most) revert LockExceeded(msg.sender, node, slot, locked, taken);
        lock.amount = locked - ending;
        // A slot is settled once: what ended cannot be slashed a second time.
        if (ending == locked) delete _locks[msg.sender][node][agent];
        return _producers().settle(agent, ending, taken, scored, score, reason);
    }

    /// @inheritdoc IExecutionProcedure
    function settleVerifier(address verifier, uint64 slash, bytes32 reason) external returns (uint64 slashed) {
        _requireMission(msg.sender);
        if (!_participations[msg.sender][_principalOf(verifier)].verifier) revert NotOnPanel(msg.sender, verifier);
        if (slash > _MAX_VERIFIER_SLASH) revert SlashExceeded(_MAX_VERIFIER_SLASH, slash);
        return _producers().settle(verifier, 0, slash, false, 0, reason);
    }

    /// @inheritdoc IExecutionProcedure
    function slashExecutor(address executor, uint64 slash, bytes32 reason) external returns (uint64 slashed) {
        _requireMission(msg.sender);
        if (!_participations[msg.sender][_principalOf(executor)].executor) revert NotExecutor(msg.sender, executor);
        if (slash > SlashingSchedule.GREATEST) revert SlashExceeded(SlashingSchedule.GREATEST, slash);
        return _producers().settle(executor, 0, slash, true, 0, reason);
    }

    /// @inheritdoc IExecutionProcedure
    function recordVerifiers(address[] calldata verifiers) external {
        _requireMission(msg.sender);
        for (uint256 i = 0; i < verifiers.length; ++i) {
            _participations[msg.sender][_principalOf(verifiers[i])].verifier = true;
        }
    }

    // --- Views -------------------------------------------------------------------------------------------------------

    /// @inheritdoc IExecutionProcedure
    function bidsOf(address mission, uint8 node) external view returns (StoredBid[] memory) {
        return _bids[mission][_nodeAttempt(node, _nodeMarket(mission, node).attempt)];
    }

    /// @inheritdoc IExecutionProcedure
    function marketOf(address mission, uint8 node) external view returns (Market memory) {
        NodeMarket memory market = _nodeMarket(mission, node);
        return Market({closesAt: market.closesAt, attempt: market.attempt, reopened: market.reopened});
    }

    /// @inheritdoc IExecutionProcedure
    function participationOf(address mission, address principal) external view returns (Participation memory) {
        return _participations[mission][principal];
    }

    /// @inheritdoc IExecutionProcedure
    function fairnessOf(address mission) external view returns (uint256 score, uint256 assignments, uint256 bidders) {
        MissionMarket storage market = _markets[mission];
        (assignments, bidders) = (market.assignments, market.bidders);
        score = Fairness.score(market.sumSquares, assignments, bidders);
    }

    /// @inheritdoc IExecutionProcedure
    function lockOf(address mission, uint8 node, uint8 slot) external view returns (uint64) {
        return _locks[mission][node][ICollaborationContract(mission).slotOf(node, slot).agent].amount;
    }

    /// @inheritdoc IExecutionProcedure
    function predicateOf(uint16 id) external view returns (address) {
        return _predicates[id];
    }

    /// @inheritdoc IExecutionProcedure
    function nonceOf(address agent) external view returns (uint256) {
        return _nonces[agent];
    }

    // --- Bids: rules -------------------------------------------------------------------------------------------------

    function _requireBidder(Bid calldata offer, address agent) private view returns (address principal) {
        if (!_isEligible(agent)) revert NotEligible(agent);
        principal = _principalOf(agent);
        if (_participations[offer.mission][principal].sponsor) revert SponsorConflict(offer.mission, principal);
        if (_barred[offer.mission][offer.node][principal]) revert Barred(offer.mission, offer.node, principal);
        IServiceContract services = IServiceContract(_at(Institution.SERVICES));
        if (!services.isLive(offer.service)) revert ServiceUnavailable(offer.service);
        if (_principalOf(services.ownerOf(offer.service)) != principal) {
            revert ServiceUnavailable(offer.service);
        }
    }

    /// @dev Equation 1, and the stake that the node's risk asks for.
    function _appraise(Bid calldata offer, address agent) private view returns (StoredBid memory entry) {
        LawNode memory law = _lawOf(offer.mission, offer.node);
        uint64 slotBudget = law.budget / law.redundancy;
        if (offer.price == 0 || offer.price > slotBudget) revert PriceOutOfRange(offer.price, slotBudget);
        IProducerContract producers = _producers();
        uint256 fit = BidScore.matchOf(producers.capabilitiesOf(agent), law.capabilities);
        if (fit < _MIN_MATCH) revert CapabilityTooLow(fit, _MIN_MATCH);
        entry.agent = agent;
        entry.price = offer.price;
        entry.service = offer.service;
        entry.locked = _markets[offer.mission].stakes[uint8(law.risk)];
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

    /// @dev A bid left over from an earlier attempt gives its lock to the new one.
    function _place(Bid calldata offer, StoredBid memory entry, uint8 attempt) private returns (bool fresh) {
        Lock storage lock = _locks[offer.mission][offer.node][entry.agent];
        fresh = !lock.placed;
        if (!fresh && (lock.awarded || lock.attempt == attempt)) {
            revert AlreadyBid(offer.mission, offer.node, entry.agent);
        }
        lock.placed = true;
        lock.attempt = attempt;
        lock.amount = entry.locked;
    }

    /// @dev Keeps the best eight by score; of equals the earlier stays. Returns whom it dropped.
    function _keep(
        address mission,
        uint8 node,
        uint8 attempt,
        StoredBid memory entry
    ) private returns (address dropped) {
        StoredBid[] storage kept = _bids[mission][_nodeAttempt(node, attempt)];
        if (kept.length == _BEST) {
            uint256 worst = 0;
            for (uint256 i = 1; i < _BEST; ++i) if (kept[i].score <= kept[worst].score) worst = i;
            if (entry.score <= kept[worst].score) revert Outbid(mission, node, entry.score, kept[worst].score);
            dropped = kept[worst].agent;
            _remove(kept, worst);
        }
        kept.push(entry);
    }

    function _drop(address mission, uint8 node, uint8 attempt, address agent) private {
        StoredBid[] storage kept = _bids[mission][_nodeAttempt(node, attempt)];
        for (uint256 i = 0; i < kept.length; ++i) if (kept[i].agent == agent) return _remove(kept, i);
    }

    /// @dev Order stays order of arrival: it decides between equal scores.
    function _remove(StoredBid[] storage kept, uint256 index) private {
        uint256 last = kept.length - 1;
        for (uint256 i = index; i < last; ++i) kept[i] = kept[i + 1];
        kept.pop();
    }

    function _release(address mission, uint8 node, address agent) private {
        uint64 amount = _locks[mission][node][agent].amount;
        delete _locks[mission][node][agent];
        emit BidWithdrawn(mission, node, agent, amount);
        _producers().settle(agent, amount, 0, false, 0, _BID_RELEASED);
    }

    /// @dev Whether an unawarded bid of that attempt can no longer win, so that anyone may release it.
    function _isOver(address mission, uint8 node, uint8 attempt) private view returns (bool) {
        NodeMarket memory market = _nodeMarket(mission, node);
        return market.awarded || market.closesAt == 0 || market.attempt != attempt || !_isRunning(mission);
    }

    /// @dev An executor's stake is free when its mission ended without its node; a slash that waits keeps it.
    function _requireUnbound(address mission, uint8 node, address agent) private view {
        ICollaborationContract.Node memory word = ICollaborationContract(mission).nodeOf(node);
        if (_isRunning(mission) || word.faulted || word.state == NodeState.COMPLETED) {
            revert StillBound(mission, node, agent);
        }
    }

    // --- Awards: rules -----------------------------------------------------------------------------------------------

    function _awardAll(address mission, uint8[] calldata nodes, bool early) private {
        if (nodes.length == 0) revert EmptyBatch();
        for (uint256 i = 0; i < nodes.length; ++i) {
            uint8 node = nodes[i];
            MissionMarket storage first = _markets[mission];
            NodeMarket memory market = _nodeMarket(mission, node);
            if (market.awarded || market.closesAt == 0) revert MarketClosed(mission, node);
            if (!early && block.timestamp < market.closesAt) revert MarketOpen(mission, node, market.closesAt);
            if (!market.own) {
                if (node != first.cursor) revert AwardOutOfOrder(mission, first.cursor, node);
                ++first.cursor;
            }
            _awardNode(mission, node, market);
        }
    }

    function _awardNode(address mission, uint8 node, NodeMarket memory market) private {
        uint8 redundancy = _lawOf(mission, node).redundancy;
        Draft memory draft = _draft(mission, node, market.attempt, redundancy);
        for (uint256 slot = 0; slot < redundancy; ++slot) {
            uint256 pick = _best(draft, true);
            if (pick == _NONE && market.reopened) pick = _best(draft, false);
            if (pick == _NONE) break;
            _take(draft, pick);
        }
        market.own = true;
        if (draft.picked < redundancy) {
            bool extend = !market.reopened;
            market.closesAt = extend ? uint40(block.timestamp + _param(Param.PARTIAL_RELEG_BIDDING_TIMEOUT)) : 0;
            market.reopened = true;
            _nodeMarkets[mission][node] = market;
            emit NoAward(mission, node, draft.bids.length, redundancy, market.closesAt);
            return;
        }
        market.awarded = true;
        _nodeMarkets[mission][node] = market;
        _bindAll(mission, node, market.attempt, draft);
    }

    function _draft(
        address mission,
        uint8 node,
        uint8 attempt,
        uint8 redundancy
    ) private view returns (Draft memory draft) {
        MissionMarket storage market = _markets[mission];
        draft.bids = _bids[mission][_nodeAttempt(node, attempt)];
        draft.principals = new address[](draft.bids.length);
        draft.assigned = new uint16[](draft.bids.length);
        draft.picks = new uint256[](redundancy);
        draft.sumSquares = market.sumSquares;
        draft.total = market.assignments;
        draft.bidders = market.bidders;
        draft.minimum = _param(Param.MIN_FAIRNESS_SCORE);
        for (uint256 i = 0; i < draft.bids.length; ++i) {
            // A bidder that lost its eligibility meanwhile keeps no claim; its zero principal never wins.
            if (!_isEligible(draft.bids[i].agent)) continue;
            draft.principals[i] = _principalOf(draft.bids[i].agent);
            draft.assigned[i] = _participations[mission][draft.principals[i]].assignments;
        }
    }

    /// @dev Highest score among principals not yet on this node, of equals the earliest; fair ones only, if asked.
    function _best(Draft memory draft, bool fair) private pure returns (uint256 best) {
        best = _NONE;
        for (uint256 i = 0; i < draft.bids.length; ++i) {
            if (draft.principals[i] == address(0) || _isOnNode(draft, draft.principals[i])) continue;
            if (best != _NONE && draft.bids[i].score <= draft.bids[best].score) continue;
            if (fair && !_isFair(draft, i)) continue;
            best = i;
        }
    }

    function _isOnNode(Draft memory draft, address principal) private pure returns (bool) {
        for (uint256 i = 0; i < draft.picked; ++i) if (draft.principals[draft.picks[i]] == principal) return true;
        return false;
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
        ++draft.picked;
        draft.sumSquares += 2 * uint256(draft.assigned[pick]) + 1;
        ++draft.total;
    }

    function _bindAll(address mission, uint8 node, uint8 attempt, Draft memory draft) private {
        MissionMarket storage market = _markets[mission];
        for (uint8 slot = 0; slot < draft.picked; ++slot) {
            uint256 pick = draft.picks[slot];
            StoredBid memory won = draft.bids[pick];
            Participation storage part = _participations[mission][draft.principals[pick]];
            bool waived = _isWaived(market, part.assignments, draft);
            market.sumSquares += 2 * uint64(part.assignments) + 1;
            ++market.assignments;
            ++part.assignments;
            part.executor = true;
            _locks[mission][node][won.agent].awarded = true;
            _bids[mission][_nodeAttempt(node, attempt)][pick].awarded = true;
            uint256 fairness = Fairness.score(market.sumSquares, market.assignments, draft.bidders);
            if (waived) emit FairnessWaived(mission, node, fairness, draft.minimum);
            emit Awarded(mission, node, slot, won.agent, won.service, won.price, fairness);
            ICollaborationContract(mission).bind(node, slot, won.agent, won.service, won.price);
        }
    }

    function _isWaived(MissionMarket storage market, uint16 assigned, Draft memory draft) private view returns (bool) {
        uint256 total = uint256(market.assignments) + 1;
        if (total < _BINDING_FROM || draft.bidders < 2) return false;
        uint256 squares = uint256(market.sumSquares) + 2 * uint256(assigned) + 1;
        return Fairness.score(squares, total, draft.bidders) < draft.minimum;
    }

    // --- Reading -----------------------------------------------------------------------------------------------------

    function _requireMission(address mission) private view {
        if (_templates().executionOf(mission) != address(this)) revert NotMission(mission);
    }

    function _nodeMarket(address mission, uint8 node) private view returns (NodeMarket memory market) {
        market = _nodeMarkets[mission][node];
        if (!market.own && node < _markets[mission].nodes) market.closesAt = _markets[mission].closesAt;
    }

    function _isRunning(address mission) private view returns (bool) {
        MissionState state = ICollaborationContract(mission).state();
        return state != MissionState.PENDING && !MissionTransitions.isFinal(state);
    }

    function _nodeAttempt(uint8 node, uint8 attempt) private pure returns (uint16) {
        return (uint16(node) << 8) | attempt;
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

    function _templates() private view returns (ITemplateRegistry) {
        return ITemplateRegistry(_at(Institution.TEMPLATES));
    }

    function _at(Institution institution) private view returns (address) {
        return _CONSTITUTION.at(institution);
    }

    function _param(Param param) private view returns (uint256) {
        return _CONSTITUTION.param(param);
    }

    function _units(Param param) private view returns (uint64) {
        return _CONSTITUTION.paramInUnits(param);
    }
}
