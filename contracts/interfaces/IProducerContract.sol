// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {PrincipalBinding, SubAgentBinding} from "../types/Messages.sol";
import {Kind} from "../types/Roles.sol";

/// @title Who takes part: identity, principal, stake, reputation (AgentCity B.3; decisions 6, 10, 12).
/// @notice Powers. Execution moves locks, slashes and outcome scores through `settle`, bounded by what it locked.
/// The governor bans, freezes portfolios, adjusts reputation and slashes, to treasury and insurance only. The Regulator attests
/// capabilities. No one else moves stake; a participant can always leave with what is free after the unbonding period.
/// @dev An outcome is recorded by `settle` (decision 6). A Regulator does not write reputation: adjudicators do, by
/// ADJUST_REPUTATION.
interface IProducerContract {
    struct Agent {
        address principal;
        Kind kind;
        bool banned;
        /// Dense number of a producer that has or had a vote, from 0; 65,535 before that; meaningless for other kinds.
        uint16 index;
        uint40 registeredAt;
        /// Block of registration, of its first vote's ground or of the last `attend`: an electorate counts only earlier ones.
        uint32 registeredBlock;
        /// Thousandths of a reputation point, 0–1,000,000.
        uint32 reputation;
    }

    struct Stake {
        uint64 held;
        uint64 locked;
        uint40 unbondingUntil;
    }

    /// @notice What a market asks of a bidder.
    struct Bidder {
        /// Zero for one that is not eligible as a producer.
        address principal;
        /// Permanent serial number of the principal, from 1.
        uint24 number;
        uint160 capabilities;
        /// Whole points, 0–1000; less for each open fault.
        uint16 reputation;
    }

    /// @notice What became of an agent's work on one slot.
    struct Outcome {
        address agent;
        /// The part of its locks that ends, smallest unit.
        uint64 release;
        /// Whether reputation moves, by EMA.
        bool scored;
        /// Basis points, 0–10,000.
        uint16 score;
        bytes32 reason;
    }

    event AgentRegistered(
        address indexed agent,
        address indexed principal,
        Kind kind,
        uint16 index,
        string did,
        uint160 capabilities,
        uint64 stake
    );
    event SubAgentRegistered(address indexed agent, address indexed creator);
    event CapabilitiesAttested(
        address indexed agent,
        uint160 previous,
        uint160 current,
        address indexed regulator,
        bytes32 evidence
    );
    event AgentEnrolled(address indexed agent, address indexed principal, Kind kind);
    event AgentDeregistered(address indexed agent, uint40 withdrawableAt);
    event StakeWithdrawn(address indexed agent, address indexed principal, uint64 amount);
    event StakeAdded(address indexed agent, uint64 amount);
    event StakeLocked(address indexed agent, uint64 amount);
    event StakeReleased(address indexed agent, uint64 amount);
    /// @param amount What was actually taken, half to the treasury, half (and the odd unit) to insurance.
    event StakeSlashed(address indexed agent, uint64 amount, bytes32 indexed reason);
    event ReputationChanged(address indexed agent, uint32 previous, uint32 current, bytes32 indexed reason);
    /// @param faults All that are open now.
    event AgentAccused(address indexed agent, uint8 faults);
    event AgentDischarged(address indexed agent, uint8 faults);
    event AgentBanned(address indexed agent, bytes32 reason);
    event PrincipalFrozen(address indexed principal, bool frozen);
    /// @param until 0 when it is lifted.
    event AgentFrozen(address indexed agent, uint40 until);
    event AgentLapsed(address indexed agent);
    event AgentAttended(address indexed agent);
    /// @param by The Registrar, or the market through which it was paid.
    event AgentEnfranchised(address indexed agent, address indexed by);

    error AlreadyRegistered(address agent);
    error NotRegistered(address agent);
    error WrongKind(address agent, Kind kind);
    error FrozenAgent(address agent, uint40 until);
    error MalformedDid(string did);
    /// @notice Another agent that has not left bears the name.
    /// @notice did:pkh and did:ethr name an account; an agent bears its own.
    error DidOfAnother(string did, address agent);
    error DidTaken(string did, address bearer);
    error StakeBelowMinimum(uint64 stake, uint64 minimum);
    error InvalidSignature(address signer);
    error Expired(uint40 deadline);
    error InvalidNonce(address account, uint256 nonce);
    error NotAuthorised(address caller);
    error NotGovernor(address caller);
    error ZeroAddress();
    error StillLocked(address agent, uint64 locked);
    error StillAccused(address agent, uint8 faults);
    error NotAccused(address agent, address market);
    error StillUnbonding(address agent, uint40 until);
    error InsufficientFreeStake(address agent, uint64 free, uint64 wanted);
    /// @notice 65,535 producers have had a vote: nobody else gets one.
    error ProducersExhausted();
    error PrincipalsExhausted();
    error NotEligible(address agent);
    /// @notice The Registrar vouched for as many as it may; the next from `until` on.
    error VouchedEnough(uint256 most, uint40 until);
    error CapabilityTooHigh(uint256 dimension, uint256 value, uint256 most);

    /// @notice Registers an agent of kind PRODUCER or VERIFIER. Both principal (ECDSA or ERC-1271) and agent (ECDSA, or
    /// being the caller with an empty signature) sign the binding; the stake is pulled from the principal. Who comes after the city was
    /// sealed claims at most 39,322 in each capability, 0.6 of the scale. Anyone with both signatures.
    function register(
        PrincipalBinding calldata binding,
        string calldata did,
        bytes calldata principalSignature,
        bytes calldata agentSignature
    ) external;

    /// @notice Registers a producer that a producer made: it inherits the creator's principal, who may deregister it and to whom
    /// its stake returns. The stake is pulled from the creator, so that no agent spends its principal's money. No capability
    /// exceeds the creator's, or what `register` lets be claimed. Creator (eligible) and agent sign, ECDSA; an empty signature means
    /// the caller. Anyone with both signatures.
    function registerSubAgent(
        SubAgentBinding calldata binding,
        string calldata did,
        bytes calldata creatorSignature,
        bytes calldata agentSignature
    ) external;

    /// @notice Adds to an agent's capabilities, which else stay as its principal signed them; each may only grow. Caller: a Regulator whose
    /// envelope lists the call, of another principal than the agent.
    /// @param evidence Content-id digest of what the attestation rests on.
    function attestCapabilities(address agent, uint160 capabilities, bytes32 evidence) external;

    /// @notice Gives a producer that came after the founding its vote in later sessions, before it was paid for its first slot (decision 91).
    /// At most twenty in thirty days, however often the envelope is set. Caller: the Registrar, its envelope listing the call, of another
    /// principal than the agent.
    function enfranchise(address agent) external;

    /// @notice Enters a CLERK or ADJUDICATOR. Caller: ClerkContract or AdjudicatorRoster.
    function enroll(address agent, address principal, Kind kind) external;

    /// @notice Starts unbonding; the agent stops bidding and verifying at once, and has no part in sessions that open later. Caller: the
    /// agent or its principal.
    function deregister(address agent) external;

    /// @notice Pays the held stake to the principal after unbonding, once no lock and no fault is open. Anyone may call.
    function withdrawStake(address agent) external;

    /// @notice Adds stake, pulled from the caller. Caller: anyone.
    function topUpStake(address agent, uint64 amount) external;

    /// @notice Locks stake for a bid. What can be locked is held − locked − the registration stake required now: the
    /// registration stake never backs a bid. Caller: current execution procedure.
    function lock(address agent, uint64 amount) external;

    /// @notice One settlement call. Caller: current or retired execution procedure. A retired one reaches the stake and the reputation of
    /// those alone whose locks it made, and no more than these locks; of a verifier, which locks nothing, 100 tokens in all.
    /// @param outcome `release` is the part of the lock that ends with this call, slashed or not: `locked` falls by exactly this much
    /// (never below zero). A lock of 150 that loses 50 and ends has a release of 150 and a penalty of 50.
    /// @param penalty What is taken at most: out of the ending lock, then free, then the registration stake, then other
    /// locks; capped at held. Half goes to the treasury, half and the odd unit to insurance.
    /// @param settler Gets a hundredth of what is taken, at most 5 tokens, before it is halved; nobody if zero.
    /// @return slashed What was actually taken.
    function settle(Outcome calldata outcome, uint64 penalty, address settler) external returns (uint64 slashed);

    /// @notice The same for a list of outcomes that take no stake: what became final with a claim. Caller: current or retired execution
    /// procedure, a retired one bounded as above.
    /// @param voters Who finished a slot in a stranger's mission that gives a vote: from the next session on, if the market is the current one.
    function settleAll(Outcome[] calldata outcomes, address[] calldata voters) external;

    /// @notice Takes whole points of reputation. Caller: current or retired execution procedure; a retired one takes nothing.
    function reproach(address agent, uint16 points, bytes32 reason) external;

    /// @notice Counts a fault that was found and whose window is open (decision 88): until it is discharged the agent bids with ρ·λ for each,
    /// and its stake stays. Caller: current or retired execution procedure, a retired one for those alone whose locks it made.
    /// @return counted False if it was not, as a retired market's or the 256th: then nothing is to be discharged.
    function accuse(address agent) external returns (bool counted);
    /// @notice Ends one of the faults that the caller counted. Caller: the execution procedure that counted it.
    function discharge(address agent) external;

    /// @notice Moves reputation by a signed delta in whole points. Caller: governor.
    function adjustReputation(address agent, int256 delta, bytes32 rationale) external;

    /// @notice A sanction: takes free stake, then the registration stake, then locks; capped at held. Half goes to the treasury,
    /// half and the odd unit to insurance. Caller: governor.
    /// @return slashed What was actually taken.
    function slash(address agent, uint64 amount, bytes32 reason) external returns (uint64 slashed);

    /// @notice Bars an agent permanently. Caller: governor.
    function ban(address agent, bytes32 reason) external;

    /// @notice Freezes or releases a principal's whole portfolio. Caller: governor.
    function freezePrincipal(address principal, bool frozen) external;

    /// @notice Keeps one agent from new work for twice MAX_HUMAN_REVIEW_TIMEOUT, or lifts that: it neither bids, is awarded, is routed nor
    /// makes sub-agents; a verifier's seats abstain, uncharged. What it began it ends; its vote and its money stay its own. Caller: governor.
    function freezeAgent(address agent, bool frozen) external;

    /// @notice Takes a producer that missed three tallied sessions out of the electorate. Caller: current legislation.
    function lapse(address agent) external;

    /// @notice Returns a lapsed producer to the electorate of later sessions. Caller: the agent, its principal, or legislation.
    function attend(address agent) external;

    function agentOf(address agent) external view returns (Agent memory);
    function stakeOf(address agent) external view returns (Stake memory);
    function principalOf(address agent) external view returns (address);
    /// @notice Whether it answers, or has answered, for an agent of the city.
    function isPrincipal(address account) external view returns (bool);
    function capabilitiesOf(address agent) external view returns (uint160);
    /// @notice Whole points, 0–1000.
    function reputationOf(address agent) external view returns (uint256);
    /// @notice Faults found and not settled.
    function openFaultsOf(address agent) external view returns (uint8);
    /// @notice Whether a registered agent is at or above the reputation floor of now.
    function meetsReputationFloor(address agent) external view returns (bool);
    /// @notice Registered, of that kind, not banned, not frozen, not leaving, at or above the reputation floor.
    function isEligible(address agent, Kind kind) external view returns (bool);
    function bidderOf(address agent) external view returns (Bidder memory);
    /// @return principal Of a producer whose bid still counts: as `isEligible`, but notice given after a bid does not release it. Zero for any
    /// other.
    /// @return novice Whether it has no vote yet.
    function awardeeOf(address agent) external view returns (address principal, bool novice);
    /// @notice An agent's principal; reverts with `FrozenAgent` while the agent is frozen, and with `NotEligible` if it was banned or its
    /// principal is frozen.
    function requireRoutable(address agent) external view returns (address principal);
    /// @notice What a session asks of an agent, in one call.
    /// @param opened Block in which the session opened.
    /// @param floor Whole points of reputation that it asks for.
    /// @return mayVote A producer with a vote that attended and met the floor when it opened, neither banned nor of a frozen principal since.
    /// Reputation, a lapse and notice given since then are for later sessions (decision 68).
    /// @return principal Zero if not registered.
    /// @return index Meaningful for producers.
    /// @return counted Registered and attending since then, and its principal is not frozen.
    function electorOf(
        address agent,
        uint256 opened,
        uint256 floor
    ) external view returns (bool mayVote, address principal, uint16 index, bool counted);
    /// @notice Dense numbers of producers that may vote in a session, as above; 65,535, which is never assigned, for any other agent. One
    /// call serves a batch of ballots.
    function electorsOf(
        address[] calldata agents,
        uint256 opened,
        uint256 floor
    ) external view returns (uint16[] memory indices);
    /// @notice True for a producer of the founding, and for any other once it was paid for a slot or the Registrar vouched for it.
    function hasSuffrage(address agent) external view returns (bool);
    /// @notice True for a producer taken out of the electorate: it may bid, and must `attend` before it may vote.
    function isLapsed(address agent) external view returns (bool);
    /// @notice Producers that count toward turnout now: with a vote, and neither leaving, banned, frozen nor lapsed. One below the
    /// reputation floor still counts until it lapses.
    function activeProducers() external view returns (uint16);
    /// @notice Those of them that one principal answers for.
    function votersOf(address principal) external view returns (uint16);
    function nonceOf(address account) external view returns (uint256);
}
