// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

/// @title Stake put together, so that small agents may bid on great tasks (AgentCity B.7; stakePoolMinParticipants).
/// @notice Powers. A manager admits participants and says for which bids the pool stands; it moves no money. A participant
/// bears each loss in proportion to what it put in, by largest remainders, also of bids that the pool stood for before it joined.
/// Execution takes what a slash costs, at most the cover, to treasury and insurance only. No one else moves a contribution, and
/// everybody can leave: after a notice the pool stands for nothing new until who gave it has left.
/// @dev Only stake that backs one bid is here. An agent's registration stake stays its own, in ProducerContract: a slash above the
/// cover takes it. A pool has no reputation; the scores stay with the agent.
interface IStakePool {
    struct Pool {
        address manager;
        /// Smallest unit: what is in the pool, and how much of it stands behind bids.
        uint64 total;
        uint64 committed;
        /// Bids that the pool stands behind.
        uint32 covers;
        uint8 participants;
        /// Participants that gave notice.
        uint8 leaving;
    }

    struct Participant {
        address agent;
        /// Smallest unit, after losses.
        uint64 contribution;
        bool leaving;
    }

    event PoolOpened(uint256 indexed pool, address indexed manager);
    event ParticipantAdmitted(uint256 indexed pool, address indexed agent);
    event StakePooled(uint256 indexed pool, address indexed agent, uint64 amount);
    event NoticeGiven(uint256 indexed pool, address indexed agent);
    event ParticipantLeft(uint256 indexed pool, address indexed agent, uint64 amount);
    event CoverGranted(uint256 indexed pool, address indexed mission, uint8 indexed node, address agent);
    event CoverWithdrawn(uint256 indexed pool, address indexed mission, uint8 indexed node, address agent);
    event CoverLocked(uint256 indexed pool, address indexed mission, uint8 indexed node, address agent, uint64 amount);
    event CoverReleased(
        uint256 indexed pool,
        address indexed mission,
        uint8 indexed node,
        address agent,
        uint64 amount
    );
    /// @param amount What was taken, half to the treasury, half (and the odd unit) to insurance.
    event PoolSlashed(uint256 indexed pool, address indexed agent, uint64 amount, bytes32 indexed reason);
    event LossBorne(uint256 indexed pool, address indexed agent, uint64 amount);
    /// @notice The token refused the payment: it can be collected later.
    event PaymentHeld(address indexed account, uint64 amount);
    event PaymentCollected(address indexed account, uint64 amount);

    error NotManager(uint256 pool, address caller);
    error NotAuthorised(address caller);
    error NotEligible(address agent);
    error NotAdmitted(uint256 pool, address agent);
    error NotParticipant(uint256 pool, address agent);
    error PoolFull(uint256 pool, uint256 most);
    error TooFewParticipants(uint256 pool, uint256 participants, uint256 minimum);
    error ParticipantLeaving(uint256 pool, uint256 leaving);
    error PoolStandsBehindBids(uint256 pool, uint32 covers);
    error InsufficientPool(uint256 pool, uint64 free, uint64 wanted);
    error StakeBelowMinimum(address agent, uint64 held, uint256 minimum);
    error AlreadyCovered(address mission, uint8 node, address agent, uint256 pool);
    error NotCovered(address mission, uint8 node, address agent);
    error CoverStands(address mission, uint8 node, address agent, uint64 amount);
    error CoverExceeded(address mission, uint8 node, address agent, uint64 cover, uint64 wanted);
    error NothingToPay();

    /// @notice Opens an empty pool with the caller as its manager. Anyone.
    function openPool() external returns (uint256 pool);

    /// @notice Lets an agent join. Caller: the manager.
    function admit(uint256 pool, address agent) external;

    /// @notice Contributes `amount`, pulled from the caller, for an eligible producer that was admitted; 50 participants at most.
    /// Again: adds to it. Caller: the agent or its principal.
    function join(uint256 pool, address agent, uint64 amount) external;

    /// @notice Says that a participant will leave; from now on the pool stands for nothing new. Caller: the agent or its principal.
    function giveNotice(uint256 pool, address agent) external;

    /// @notice Returns a contribution, less its losses, to the participant's principal, once the pool stands behind no bid. Caller: the
    /// agent or its principal; anyone after its notice.
    function leave(uint256 pool, address agent) external;

    /// @notice Says that the pool will stand for a participant's bid on a node, if it then has enough participants and money. Caller:
    /// the manager.
    function cover(uint256 pool, address mission, uint8 node, address agent) external;

    /// @notice Takes that back, unless the bid was placed; the agent then bids with its own stake. Caller: the manager, the agent or
    /// its principal.
    function uncover(address mission, uint8 node, address agent) external;

    /// @notice Stands behind a bid that is being placed. Caller: the execution procedure that the mission began under, current or former.
    /// @param amount Smallest unit.
    /// @return stands False if no pool was asked to: the agent's own stake is to be locked.
    function stand(address mission, uint8 node, address agent, uint64 amount) external returns (bool stands);

    /// @notice Ends `release` of a cover and takes up to `penalty` of that part from all participants. Caller: as `stand`.
    /// @param settler Gets a hundredth of what is taken, at most 5 tokens; nobody if zero.
    /// @return slashed What was taken; the rest goes to treasury and insurance.
    function settle(
        address mission,
        uint8 node,
        address agent,
        uint64 release,
        uint64 penalty,
        bytes32 reason,
        address settler
    ) external returns (uint64 slashed);

    /// @notice Pays what the token refused when it was due. Anyone.
    function collect(address account) external;

    function poolOf(uint256 pool) external view returns (Pool memory);
    function participantsOf(uint256 pool) external view returns (Participant[] memory);
    function isAdmitted(uint256 pool, address agent) external view returns (bool);
    /// @return pool 0 if none stands or will stand for the bid.
    /// @return amount Smallest unit; 0 until the bid is placed.
    function coverOf(address mission, uint8 node, address agent) external view returns (uint256 pool, uint64 amount);
    /// @notice What the token refused to deliver.
    function owedTo(address account) external view returns (uint64);
}
