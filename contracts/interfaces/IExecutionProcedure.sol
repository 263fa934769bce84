// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {Seat} from "../libraries/Seat.sol";
import {Admission} from "../types/Law.sol";
import {Bid} from "../types/Messages.sol";
import {Auth} from "../types/Roles.sol";

/// @title The market, and what missions have in common (AgentCity 3.5, Eq. 1; decisions 6, 7, 15, 16).
/// @notice Powers. Producers bid with locked stake; anyone triggers the deterministic award. Genuine missions settle
/// stake and reputation, bounded by the locks of their own nodes.
interface IExecutionProcedure {
    struct StoredBid {
        address agent;
        uint64 price;
        /// Eq. 1, 0–1,000,000.
        uint32 score;
        bytes32 service;
        uint64 locked;
        bool awarded;
        /// The agent's; it has no other bid on the node.
        address principal;
    }

    struct Market {
        /// Unix seconds until which bids are taken; 0 = closed.
        uint40 closesAt;
        uint8 attempt;
        bool reopened;
    }

    /// @notice What a principal is in a mission; serves distinctness, fairness and conflicts of interest.
    struct Participation {
        /// Paid for it, or drafted its law in the Speaker's office.
        bool sponsor;
        bool bid;
        bool executor;
        bool verifier;
        uint16 assignments;
    }

    /// @notice How a mission settles one executor slot.
    struct SlotPenalty {
        uint8 node;
        uint8 slot;
        address agent;
        /// Part of the slot's lock that ends; `type(uint64).max` = all that is left.
        uint64 release;
        /// Smallest unit; `type(uint64).max` = the whole task stake. At most the lock or the greatest fixed slash.
        uint64 slash;
        bool scored;
        /// Basis points, 0–10,000.
        uint16 score;
        /// TERMINATED, at fault for the end of the mission, also costs 500 points, once per principal and mission; FREEZE_CONFIRMED, after which
        /// the node goes to others, 100.
        bytes32 reason;
        /// Recipient of a hundredth of the slash, at most 5 tokens; zero for no one.
        address settler;
    }

    /// @notice What a mission's claim makes final of one slot.
    struct SlotOutcome {
        uint8 node;
        address agent;
        /// Basis points, 0–10,000.
        uint16 score;
        bytes32 reason;
    }

    event MarketOpened(address indexed mission, uint256 nodes, uint40 closesAt, uint8 attempt);
    /// @notice A late improvement brought its agent among the winners: the others have a minute more.
    event MarketExtended(address indexed mission, uint8 indexed node, uint8 attempt, uint40 closesAt);
    event BidPlaced(
        address indexed mission,
        uint8 indexed node,
        address indexed agent,
        bytes32 service,
        uint64 price,
        uint32 score,
        uint64 locked
    );
    /// @param reason The error that `bid` reverted with, encoded.
    event BidRefused(address indexed mission, uint8 indexed node, address indexed agent, bytes reason);
    event BidWithdrawn(address indexed mission, uint8 indexed node, address indexed agent, uint64 released);
    event Awarded(
        address indexed mission,
        uint8 indexed node,
        uint8 slot,
        address indexed agent,
        bytes32 service,
        uint64 price,
        uint256 fairness
    );
    event FairnessWaived(address indexed mission, uint8 indexed node, uint256 fairness, uint256 minimum);
    /// @param closesAt End of the extended window, unix seconds; 0 = the attempt ends without an award.
    event NoAward(address indexed mission, uint8 indexed node, uint256 bids, uint8 redundancy, uint40 closesAt);
    /// @param reason Selector of the error with which an award of the node alone would have reverted.
    event AwardSkipped(address indexed mission, uint8 indexed node, bytes4 reason);
    event PredicateApproved(uint16 indexed id, address predicate);

    error OwnHouse(address mission, uint8 node, address principal);
    error NotMission(address caller);
    error NotLegislation(address caller);
    error NotEligible(address agent);
    error MarketClosed(address mission, uint8 node);
    error MarketOpen(address mission, uint8 node, uint40 closesAt);
    /// @dev Frozen, or in review: its mission takes no executors for it now.
    error NodeStopped(address mission, uint8 node);
    error PriceOutOfRange(uint64 price, uint64 slotBudget);
    /// @param agent Of the same principal, whose bid stands.
    error AlreadyBid(address mission, uint8 node, address agent);
    error NotImproved(address mission, uint8 node, uint32 score, uint32 placed);
    error NoBid(address mission, uint8 node, address agent);
    error SponsorConflict(address mission, address principal);
    error Barred(address mission, uint8 node, address principal);
    error CapabilityTooLow(uint256 matched, uint256 minimum);
    error ServiceUnavailable(bytes32 service);
    /// @dev What was shown is the record of another service.
    error AnotherService(bytes32 service, bytes32 shown);
    /// @dev The law has no such entry for the node: of its code and schemas, or, where any code is admitted, of its schemas.
    error ServiceNotAdmitted(address mission, uint8 node, bytes32 service);
    error InvalidSignature(address signer);
    error Expired(uint40 deadline);
    error LockExceeded(address mission, uint8 node, uint8 slot, uint64 locked, uint64 wanted);
    error SlashExceeded(uint64 max, uint64 wanted);
    error NotGovernor(address caller);
    error AlreadyOpen(address mission);
    error Outbid(address mission, uint8 node, uint32 score, uint32 lowest);
    error AwardOutOfOrder(address mission, uint256 expected, uint8 node);
    error StillBound(address mission, uint8 node, address agent);
    error NotOnPanel(address mission, address verifier);
    error PredicateTaken(uint16 id, address predicate);
    /// @dev A child mission does the work: there is nothing to bid on.
    error NotALeaf(address mission, uint8 node);
    error WrongAttempt(address mission, uint8 node, uint8 attempt, uint8 decided);
    error NothingToAward(address mission, uint8 node);
    error EmptyBatch();
    error LengthMismatch(uint256 given, uint256 expected);
    error TooManyServices(address agent, uint256 most);

    /// @notice Opens the market of a fresh mission for all its nodes. Caller: the legislation that deployed it.
    /// @param drafter principal of the Speaker that drafted its law: it is a party and does not bid; zero as a rule
    function openMarket(address mission, address drafter) external;
    /// @notice Reopens one node's market for a new attempt. Caller: the mission.
    /// @param culprits Executors at fault for the attempt before: their principals are barred from the node (decision 59).
    function reopenMarket(uint8 node, uint8 attempt, address[] calldata culprits) external;
    /// @notice Keeps the principal whose runner found an executor's fault from taking the node over. Caller: genuine mission.
    function bar(uint8 node, address principal) external;
    /// @notice Places a bid and locks minStake(risk): a stake pool's, if one was asked to stand for it, else the agent's own. One per
    /// principal and node, which its agent may improve; the best sixteen are kept, and of those without a vote eight once all places are
    /// taken. For a further attempt no principal bids that was at fault for one before, whose runner found such a fault, or that has judged
    /// others' work in the mission (`Barred`). Anyone with the agent's authorisation.
    /// @param admission Shows that the law admits the service. Nobody signs it: it follows from service and law.
    function bid(Bid calldata offer, Auth calldata auth, Admission calldata admission) external;
    /// @notice Bids of several agents in one transaction, each as `bid` takes it. One that is refused is passed over with `BidRefused` and
    /// may be sent again. Anyone with the agents' signatures.
    function bidAll(Bid[] calldata offers, Auth[] calldata auths, Admission[] calldata admissions) external;
    /// @notice Releases the lock of an unawarded bid. A bid binds until the award; without one, until a second window would
    /// have been over. Caller: from then on the agent (by Auth); anyone once the node was awarded or the mission ended.
    function withdrawBid(address mission, uint8 node, Auth calldata auth) external;
    /// @notice Awards the listed nodes after their window; binds executors on the clone. Anyone. The first awards of a mission
    /// go in ascending node order. A node with too few bids, or none that keeps fairness, has its window extended once;
    /// after that it is awarded regardless of fairness, or its attempt ends (`closesAt` 0) and the mission may reopen it. One of several
    /// nodes that cannot be awarded now is passed over with `AwardSkipped`; alone it reverts with the reason.
    function award(address mission, uint8[] calldata nodes) external;
    /// @notice Award before the window ends; reverts with `NothingToAward` where bids are too few. Anyone with a Regulator's signature over
    /// the node set, which serves once.
    /// @param attempt Of each of the nodes: a decision does not outlive the market it was about.
    function awardEarly(address mission, uint8[] calldata nodes, uint8 attempt, Auth calldata regulator) external;
    /// @notice Settles one executor slot, once: ends its lock, slashes, scores. Caller: genuine mission.
    /// A pool behind the bid pays at most its cover; what is above, the agent.
    function settleSlot(SlotPenalty calldata penalty) external returns (uint64 slashed);
    /// @notice Executors of a node are at fault, and their stake waits for a window: from now on that counts against them (decision 88).
    /// Caller: genuine mission.
    function accuse(uint8 node, address[] calldata agents) external;
    /// @notice Ends what is locked for some slots, and scores them: what a claim makes final. Nothing is slashed. Caller: genuine mission.
    function settleSlots(SlotOutcome[] calldata outcomes) external;
    /// @notice A human ended the mission: for its node's appeal window no executor that had begun frees its lock. Caller: genuine
    /// mission.
    function hold() external;
    /// @notice Names the contract behind a predicate number of laws, once. Caller: governor.
    function approvePredicate(uint16 id, address predicate) external;
    /// @notice Slashes a verifier of a drawn panel that was absent (50 tokens at most), or contradicted itself (500). Caller: genuine mission.
    function settleVerifier(address verifier, uint64 slash, bytes32 reason) external returns (uint64 slashed);
    /// @notice Marks the principals of a panel for conflicts of interest. Caller: genuine mission, with seats as the registry handed them out.
    function recordVerifiers(Seat[] calldata panel) external;

    function bidsOf(address mission, uint8 node) external view returns (StoredBid[] memory);
    function marketOf(address mission, uint8 node) external view returns (Market memory);
    /// @notice Whether the principal was at fault for an attempt of the node, or its runner found the fault: it bids on it no more.
    function isBarred(address mission, uint8 node, address principal) external view returns (bool);
    function participationOf(address mission, address principal) external view returns (Participation memory);
    /// @notice The mission at the top of the tree that a mission belongs to: itself, if no mission is above it.
    function rootOf(address mission) external view returns (address);
    /// @notice Until when adjudicators may find a node's executors at fault for the end of its mission, unix seconds; 0 = no human
    /// ended it.
    function heldUntil(address mission, uint8 node) external view returns (uint40);
    function fairnessOf(address mission) external view returns (uint256 score, uint256 assignments, uint256 bidders);
    function lockOf(address mission, uint8 node, uint8 slot) external view returns (uint64);
    /// @notice Contract behind a predicate number, zero if none: an unapproved gate vetoes.
    function predicateOf(uint16 id) external view returns (address);
    function nonceOf(address agent) external view returns (uint256);
}
