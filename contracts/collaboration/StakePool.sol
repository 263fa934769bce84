// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";
import {Dues} from "../foundational/Dues.sol";
import {IConstitutionContract} from "../interfaces/IConstitutionContract.sol";
import {IProducerContract} from "../interfaces/IProducerContract.sol";
import {IStakePool} from "../interfaces/IStakePool.sol";
import {ITemplateRegistry} from "../interfaces/ITemplateRegistry.sol";
import {ITreasury} from "../interfaces/ITreasury.sol";
import {Intake} from "../libraries/Intake.sol";
import {LossShares} from "../libraries/LossShares.sol";
import {Param} from "../types/Params.sol";
import {Institution, Kind} from "../types/Roles.sol";

/// @notice See `IStakePool`.
/// @dev Always, for every pool: committed ≤ total = sum of contributions, so that every cover can be paid in full.
contract StakePool is IStakePool, ReentrancyGuardTransient {
    using Intake for IERC20;
    using SafeERC20 for IERC20;
    using Dues for Dues.Owed;

    struct Ledger {
        Pool sums;
        /// One word each.
        Participant[] seats;
        /// Place in `seats`, from 1.
        mapping(address agent => uint256 place) places;
        mapping(address agent => bool) admitted;
    }

    /// @dev One word.
    struct Cover {
        uint128 pool;
        uint64 amount;
    }

    /// The greatest minimum that the constitution allows; a slash costs gas for each participant.
    uint256 private constant _MOST_PARTICIPANTS = 50;

    IConstitutionContract private immutable _CONSTITUTION;

    /// Pools are numbered from 1.
    uint128 private _pools;
    mapping(uint256 pool => Ledger ledger) private _ledgers;
    mapping(address mission => mapping(uint8 node => mapping(address agent => Cover))) private _covers;
    mapping(address account => uint64 owed) private _owed;
    /// Slashed, and not taken by the treasury yet.
    Dues.Owed private _dues;

    constructor(IConstitutionContract constitution) {
        _CONSTITUTION = constitution;
    }

    // --- Coming and going --------------------------------------------------------------------------------------------

    /// @inheritdoc IStakePool
    function openPool() external returns (uint256 pool) {
        pool = ++_pools;
        _ledgers[pool].sums.manager = msg.sender;
        emit PoolOpened(pool, msg.sender);
    }

    /// @inheritdoc IStakePool
    function admit(uint256 pool, address agent) external {
        Ledger storage ledger = _managed(pool);
        ledger.admitted[agent] = true;
        emit ParticipantAdmitted(pool, agent);
    }

    /// @inheritdoc IStakePool
    function join(uint256 pool, address agent, uint64 amount) external nonReentrant {
        _onlyFor(agent);
        if (!_producers().isEligible(agent, Kind.PRODUCER)) revert NotEligible(agent);
        Ledger storage ledger = _ledgers[pool];
        if (!ledger.admitted[agent]) revert NotAdmitted(pool, agent);
        if (amount == 0) revert NothingToPay();
        uint256 place = ledger.places[agent];
        if (place == 0) place = _seat(ledger, pool, agent);
        Participant storage seat = ledger.seats[place - 1];
        if (seat.leaving) revert ParticipantLeaving(pool, ledger.sums.leaving);

        seat.contribution += amount;
        ledger.sums.total += amount;
        _token().pull(msg.sender, amount);
        emit StakePooled(pool, agent, amount);
    }

    /// @inheritdoc IStakePool
    function giveNotice(uint256 pool, address agent) external {
        _onlyFor(agent);
        Ledger storage ledger = _ledgers[pool];
        Participant storage seat = ledger.seats[_placeOf(ledger, pool, agent) - 1];
        if (seat.leaving) revert ParticipantLeaving(pool, ledger.sums.leaving);
        seat.leaving = true;
        ++ledger.sums.leaving;
        emit NoticeGiven(pool, agent);
    }

    /// @inheritdoc IStakePool
    function leave(uint256 pool, address agent) external nonReentrant {
        Ledger storage ledger = _ledgers[pool];
        uint256 place = _placeOf(ledger, pool, agent);
        Participant memory seat = ledger.seats[place - 1];
        if (!seat.leaving) _onlyFor(agent);
        if (ledger.sums.covers != 0) revert PoolStandsBehindBids(pool, ledger.sums.covers);

        _unseat(ledger, place, seat);
        emit ParticipantLeft(pool, agent, seat.contribution);
        _pay(_producers().principalOf(agent), seat.contribution);
    }

    /// @inheritdoc IStakePool
    function collect(address account) external nonReentrant {
        uint64 amount = _owed[account];
        if (amount == 0) revert NothingToPay();
        delete _owed[account];
        emit PaymentCollected(account, amount);
        _token().safeTransfer(account, amount);
    }

    // --- Standing behind bids ----------------------------------------------------------------------------------------

    /// @inheritdoc IStakePool
    function cover(uint256 pool, address mission, uint8 node, address agent) external {
        Ledger storage ledger = _managed(pool);
        _placeOf(ledger, pool, agent);
        _requireReady(ledger, pool);
        Cover storage entry = _covers[mission][node][agent];
        if (entry.pool != 0) revert AlreadyCovered(mission, node, agent, entry.pool);
        // Pools are counted one by one, which fits.
        entry.pool = uint128(pool);
        emit CoverGranted(pool, mission, node, agent);
    }

    /// @inheritdoc IStakePool
    function uncover(address mission, uint8 node, address agent) external {
        Cover memory entry = _covers[mission][node][agent];
        if (entry.pool == 0) revert NotCovered(mission, node, agent);
        if (msg.sender != _ledgers[entry.pool].sums.manager) _onlyFor(agent);
        if (entry.amount != 0) revert CoverStands(mission, node, agent, entry.amount);
        delete _covers[mission][node][agent];
        emit CoverWithdrawn(entry.pool, mission, node, agent);
    }

    /// @inheritdoc IStakePool
    function stand(address mission, uint8 node, address agent, uint64 amount) external returns (bool stands) {
        Cover storage entry = _covers[mission][node][agent];
        uint256 pool = entry.pool;
        if (pool == 0 || amount == 0) return false;
        _onlyMarketOf(mission);
        if (entry.amount != 0) revert CoverStands(mission, node, agent, entry.amount);
        Ledger storage ledger = _ledgers[pool];
        _placeOf(ledger, pool, agent);
        _requireReady(ledger, pool);
        _requireRegistered(agent);
        uint64 free = ledger.sums.total - ledger.sums.committed;
        if (amount > free) revert InsufficientPool(pool, free, amount);

        entry.amount = amount;
        ledger.sums.committed += amount;
        ++ledger.sums.covers;
        emit CoverLocked(pool, mission, node, agent, amount);
        return true;
    }

    /// @inheritdoc IStakePool
    function settle(
        address mission,
        uint8 node,
        address agent,
        uint64 release,
        uint64 penalty,
        bytes32 reason,
        address settler
    ) external nonReentrant returns (uint64 slashed) {
        _onlyMarketOf(mission);
        Cover memory entry = _covers[mission][node][agent];
        if (release > entry.amount) revert CoverExceeded(mission, node, agent, entry.amount, release);
        Ledger storage ledger = _ledgers[entry.pool];
        slashed = penalty < release ? penalty : release;
        entry.amount -= release;
        ledger.sums.committed -= release;
        if (entry.amount != 0) {
            _covers[mission][node][agent] = entry;
        } else if (release != 0) {
            delete _covers[mission][node][agent];
            --ledger.sums.covers;
        }
        emit CoverReleased(entry.pool, mission, node, agent, release);
        if (slashed != 0) _slash(ledger, entry.pool, agent, slashed, reason, settler);
    }

    // --- Views -------------------------------------------------------------------------------------------------------

    /// @inheritdoc IStakePool
    function poolOf(uint256 pool) external view returns (Pool memory) {
        return _ledgers[pool].sums;
    }

    /// @inheritdoc IStakePool
    function participantsOf(uint256 pool) external view returns (Participant[] memory) {
        return _ledgers[pool].seats;
    }

    /// @inheritdoc IStakePool
    function isAdmitted(uint256 pool, address agent) external view returns (bool) {
        return _ledgers[pool].admitted[agent];
    }

    /// @inheritdoc IStakePool
    function coverOf(address mission, uint8 node, address agent) external view returns (uint256 pool, uint64 amount) {
        Cover memory entry = _covers[mission][node][agent];
        return (entry.pool, entry.amount);
    }

    /// @inheritdoc IStakePool
    function owedTo(address account) external view returns (uint64) {
        return _owed[account];
    }

    // --- Rules -------------------------------------------------------------------------------------------------------

    function _managed(uint256 pool) private view returns (Ledger storage ledger) {
        ledger = _ledgers[pool];
        if (msg.sender != ledger.sums.manager) revert NotManager(pool, msg.sender);
    }

    function _onlyFor(address agent) private view {
        if (msg.sender != agent && msg.sender != _producers().principalOf(agent)) revert NotAuthorised(msg.sender);
    }

    /// @dev What stands behind a bid settles under the market that the mission began in, whichever is in office (decision 63).
    function _onlyMarketOf(address mission) private view {
        ITemplateRegistry templates = ITemplateRegistry(_CONSTITUTION.at(Institution.TEMPLATES));
        if (templates.executionOf(mission) != msg.sender) revert NotAuthorised(msg.sender);
    }

    function _placeOf(Ledger storage ledger, uint256 pool, address agent) private view returns (uint256 place) {
        place = ledger.places[agent];
        if (place == 0) revert NotParticipant(pool, agent);
    }

    /// @dev Enough participants share the risk, and none is waiting to leave.
    function _requireReady(Ledger storage ledger, uint256 pool) private view {
        uint256 minimum = _CONSTITUTION.param(Param.STAKE_POOL_MIN_PARTICIPANTS);
        uint256 participants = ledger.seats.length;
        if (participants < minimum) revert TooFewParticipants(pool, participants, minimum);
        if (ledger.sums.leaving != 0) revert ParticipantLeaving(pool, ledger.sums.leaving);
    }

    /// @dev A pool replaces the stake of a bid, never the stake of being registered.
    function _requireRegistered(address agent) private view {
        IProducerContract.Stake memory stake = _producers().stakeOf(agent);
        uint256 minimum = uint256(stake.locked) + _CONSTITUTION.paramInUnits(Param.REGISTRATION_STAKE);
        if (stake.held < minimum) revert StakeBelowMinimum(agent, stake.held, minimum);
    }

    // --- Participants ------------------------------------------------------------------------------------------------

    function _seat(Ledger storage ledger, uint256 pool, address agent) private returns (uint256 place) {
        place = ledger.seats.length + 1;
        if (place > _MOST_PARTICIPANTS) revert PoolFull(pool, _MOST_PARTICIPANTS);
        ledger.seats.push(Participant({agent: agent, contribution: 0, leaving: false}));
        ledger.places[agent] = place;
        ++ledger.sums.participants;
    }

    /// @dev The last one takes the place that becomes free. Who comes again is admitted again.
    function _unseat(Ledger storage ledger, uint256 place, Participant memory seat) private {
        Participant memory last = ledger.seats[ledger.seats.length - 1];
        ledger.seats[place - 1] = last;
        ledger.places[last.agent] = place;
        ledger.seats.pop();
        delete ledger.places[seat.agent];
        delete ledger.admitted[seat.agent];
        --ledger.sums.participants;
        ledger.sums.total -= seat.contribution;
        if (seat.leaving) --ledger.sums.leaving;
    }

    // --- Money -------------------------------------------------------------------------------------------------------

    function _slash(
        Ledger storage ledger,
        uint256 pool,
        address agent,
        uint64 amount,
        bytes32 reason,
        address settler
    ) private {
        uint256 count = ledger.seats.length;
        uint64[] memory contributions = new uint64[](count);
        for (uint256 i = 0; i < count; ++i) contributions[i] = ledger.seats[i].contribution;
        uint64[] memory shares = LossShares.divide(amount, contributions);
        for (uint256 i = 0; i < count; ++i) {
            if (shares[i] == 0) continue;
            Participant storage seat = ledger.seats[i];
            seat.contribution -= shares[i];
            emit LossBorne(pool, seat.agent, shares[i]);
        }
        ledger.sums.total -= amount;
        emit PoolSlashed(pool, agent, amount, reason);
        ITreasury treasury = ITreasury(_CONSTITUTION.at(Institution.TREASURY));
        _dues.share(_token(), treasury, amount, reason, settler);
    }

    /// @dev A failed payout never blocks the other participants.
    function _pay(address account, uint64 amount) private {
        if (amount == 0 || _token().trySafeTransfer(account, amount)) return;
        _owed[account] += amount;
        emit PaymentHeld(account, amount);
    }

    function _producers() private view returns (IProducerContract) {
        return IProducerContract(_CONSTITUTION.at(Institution.PRODUCERS));
    }

    function _token() private view returns (IERC20) {
        return IERC20(_CONSTITUTION.at(Institution.TOKEN));
    }
}
