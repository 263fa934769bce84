// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {Action} from "../types/Actions.sol";
import {ClearingDecision} from "../types/Evidence.sol";
import {LawHeader, LawNode, MissionContext} from "../types/Law.sol";
import {LiveHash, Opening, Verdict} from "../types/Messages.sol";
import {Auth} from "../types/Roles.sol";
import {FaultClass, FaultType, MissionState, NodeState} from "../types/States.sol";
import {IServiceContract} from "./IServiceContract.sol";

/// @title One mission under its law (AgentCity B.3, B.11; decisions 5, 14, 17–25, 29).
/// @notice Powers. Its execution procedure binds executors; executors commit by signature; drawn verifiers clear;
/// adjudication calls `onOverride` and nothing else. Everything else anyone may call when the law's conditions hold.
/// No role can take the escrow: it leaves to executors, treasury and sponsor by the rules below. `claim`, `refund` and bid
/// withdrawal never pause.
interface ICollaborationContract {
    struct Node {
        NodeState state;
        uint8 attempt;
        /// When the current state's clock runs out, unix seconds; 0 = no clock.
        uint40 deadline;
        /// Seconds left on the clock when frozen.
        uint32 remainder;
        uint8 commitMask;
        uint8 revealMask;
        uint8 freezeCount;
        /// Block whose hash draws the panel.
        uint32 drawBlock;
        uint8 redraws;
        /// Share of the base reward released, basis points; set by clearing or a human.
        uint16 share;
        uint8 agreeing;
        bool gated;
        bool recorded;
        bool faulted;
    }

    /// @notice What a FAIL verdict or FAULT_SLOTS left behind: the whole task stake of the slots in `mask`, taken by `claim` after the window.
    struct Fault {
        /// Unix seconds; 0 = the attempt was not found at fault.
        uint40 dueAt;
        uint8 mask;
        bool settled;
    }

    struct Slot {
        address agent;
        uint64 price;
        /// ψ × 1000 of the executor's reputation at the award.
        uint16 psi;
    }

    struct Entitlement {
        uint64 paid;
        uint64 premium;
        /// Unix seconds from which it can be claimed.
        uint40 claimableAt;
        bool claimed;
    }

    /// @notice deposit = paid + fees + insurance + discount + refunded + children + held, at any time; the clone's balance is held + bonds.
    struct Ledger {
        uint64 deposit;
        /// Executors' money already credited in the vault.
        uint64 paid;
        uint64 fees;
        uint64 insurance;
        uint64 discount;
        uint64 refunded;
        /// Owed to executors, windows running. What is not owed of an awarded price becomes refundable with its claim.
        uint64 entitled;
        /// Returnable to the sponsor now.
        uint64 refundable;
        uint64 subsidy;
        /// Bonds of open appeals, held beside the deposit.
        uint64 bonds;
        /// Lent to child missions and not returned, yet or for good.
        uint64 children;
        /// The books are closed: nothing more is refunded.
        bool closed;
    }

    /// @notice What holds a mission back, unix seconds.
    struct Watch {
        /// An emergency stop holds: nothing is routed.
        bool stopped;
        /// Stops cleared so far; each doubles the window in which freezes are counted.
        uint8 cleared;
        /// Of the last stop.
        uint40 stoppedAt;
        /// Of the last degraded time, and when it ends the mission.
        uint40 degradedSince;
        uint40 degradedUntil;
        /// Who stopped it, if no human has confirmed that yet, and when it lapses; else zero.
        address suspendedBy;
        uint40 suspendedUntil;
        /// It is to end as soon as what was committed is decided: nothing else starts, and nothing is frozen.
        bool ending;
    }

    /// @notice The data of RESOLVE_APPEAL, ABI-encoded: one ruling on all open appeals of an attempt (decision 29).
    struct Resolution {
        uint8 attempt;
        /// Appeals filed when this was signed; a later one needs a new ruling.
        uint8 filed;
        /// Bit per appeal, in order of filing. Upheld ones get their bonds back, the others' go to insurance. Zero leaves the
        /// decision as it is, and the fields below are not read.
        uint16 upheld;
        /// New share of a recorded attempt, basis points; zero for a failed one, whose budget is its successor's.
        uint16 share;
        /// Per culprit, smallest unit; 0 = no slash. At most the slot's lock or 500 tokens; `type(uint64).max` = all of the lock.
        /// A culprit is scored 0.
        uint64 slash;
        /// Bit per slot.
        uint8 culprits;
    }

    /// @notice A runner's word that in each of these slots the code is live that its service was registered with (`Start`).
    struct Start {
        address runner;
        /// node << 16 | attempt << 8 | slot, nodes ascending: every slot that is to start.
        uint256[] slots;
        uint40 deadline;
        bytes signature;
    }

    /// @notice A verdict, and the list of hashes in which its member signed it.
    struct SignedVerdict {
        Verdict verdict;
        bytes32[] list;
        /// Of the verdict in the list.
        uint256 place;
        uint40 deadline;
        bytes signature;
    }

    /// @notice A node that was worked off chain: what each of its slots commits to, and the executors' `Commit` signatures over it.
    struct PledgeOrder {
        uint8 node;
        Opening[] openings;
        bytes[] signatures;
    }

    /// @notice What happened off chain since the last checkpoint (AgentCity B.11.6).
    struct Checkpoint {
        /// The mission's checkpoints so far, as `checkpointed` says; zero before the first.
        bytes32 previous;
        /// Head of the off-chain record, at which all this work is in it.
        bytes32 root;
        address runner;
        /// Of the runner's signature and of the executors', unix seconds.
        uint40 deadline;
        bytes signature;
        PledgeOrder[] pledges;
    }

    event MissionStateChanged(MissionState from, MissionState to, address actor);
    event NodeStateChanged(uint8 indexed node, NodeState from, NodeState to, uint8 attempt, address actor);
    event ExecutorBound(
        uint8 indexed node,
        uint8 indexed slot,
        address indexed agent,
        bytes32 service,
        uint64 price,
        uint8 attempt
    );
    event Routed(uint8 indexed node, uint8 attempt, uint40 deadline);
    event Committed(uint8 indexed node, uint8 indexed slot, address indexed agent, uint8 attempt, bytes32 commitment);
    event Revealed(
        uint8 indexed node,
        uint8 indexed slot,
        uint8 attempt,
        bytes32 outputHash,
        bytes32 trailRoot,
        bytes32 envelopeRoot,
        uint96 classes,
        bytes32 salt
    );
    /// @notice What a wave passed over: a pledge, a reveal, or a whole node (slot 255); `reason` is the selector of the error that it would
    /// have ended with alone.
    event Skipped(uint8 indexed node, uint8 indexed slot, uint8 attempt, bytes4 reason);
    /// @notice Evidence, and verdicts that a clearing must then include. `shown`: slots with an item proven at the floor by now.
    event Posted(uint8 indexed node, uint8 attempt, uint8 shown);
    /// @notice Issuers of two principals refuted the only slot's work: a verdict may rest on that from now on.
    event Refuted(uint8 indexed node, uint8 attempt);
    /// @notice What was posted: the clearing must include it.
    event WavePosted(bytes wave);
    event Cleared(
        uint8 indexed node,
        uint8 attempt,
        uint8 result,
        uint16 confidence,
        uint16 score,
        uint8 evidenceClass,
        uint256 basis,
        uint8 agreeing
    );
    /// @notice A principal sat more than once on the panel of a HIGH node: a human decides, whatever the panel found (decision 64).
    event PanelCrowded(uint8 indexed node, uint8 attempt);
    /// @notice A panel member gave two answers to one question: it was slashed.
    event Contradicted(uint8 indexed node, uint8 attempt, address indexed verifier, uint8 question);
    /// @notice What a human's approval releases, and to which slots.
    event ReviewApproved(uint8 indexed node, uint8 attempt, uint16 share, uint8 agreeing);
    /// No ruling in the review window: until `deadline` every adjudicator is asked.
    event ReviewEscalated(uint8 indexed node, uint8 attempt, uint40 deadline);
    event PanelRedrawn(uint8 indexed node, uint8 attempt, uint8 redraws);
    event GateDecided(uint8 indexed node, bool allowed);
    /// @notice The output gate spoke: the mission's result is released, or vetoed for good.
    event OutputDecided(bool allowed);
    event Recorded(
        uint8 indexed node,
        uint8 indexed slot,
        address indexed agent,
        uint64 paid,
        uint64 premium,
        uint64 fee,
        uint64 insurance,
        uint64 discount,
        uint40 claimableAt
    );
    /// @notice What a claim credited in the vault, one word each (`libraries/Payments.sol`): executors and verifiers, and what the
    /// treasury added as premiums.
    event Claimed(uint256[] payments, uint256[] premiums);
    event ExecutorFaulted(
        uint8 indexed node,
        uint8 indexed slot,
        address indexed agent,
        bytes32 reason,
        uint64 slashed
    );
    /// @notice A FAIL verdict or FAULT_SLOTS: its slashes wait until `dueAt`.
    event SlashPending(uint8 indexed node, uint8 attempt, uint8 mask, uint40 dueAt);
    /// @notice An attempt failed: what `libraries/Faults.sol` calls it, and the reason code it was derived from.
    event FaultSignalled(uint8 indexed node, uint8 attempt, FaultType fault, FaultClass class, bytes32 reason);
    event AnomalyReported(uint8 indexed node, address indexed by, bytes32 reason, uint256 magnitude);
    event NodeFrozen(uint8 indexed node, address indexed by, bytes32 reason, uint8 freezeCount);
    event NodeUnfrozen(uint8 indexed node, uint40 deadline);
    /// @param amendment Content-id digest of the amended mandate: part of the obligation of this attempt.
    event NodeAmended(uint8 indexed node, uint8 attempt, bytes32 amendment);
    /// @notice A report entered an agent's log as number `index`: `recent` freezes in the window, `threshold` make a stop.
    event FreezeCounted(uint8 indexed node, address indexed agent, uint256 index, uint256 recent, uint256 threshold);
    event FalsePositive(address indexed agent, uint256 index);
    /// @param hash Of the frozen executor's state, as the records keep it.
    event SnapshotSealed(uint8 indexed node, uint8 freezeCount, address indexed by, bytes32 hash);
    /// @param agent Whose freezes escalated; zero when adjudicators stopped the mission.
    event EmergencyStopped(address indexed by, address indexed agent);
    /// @param window Seconds in which freezes are counted from now on.
    event EmergencyCleared(uint8 cleared, uint256 window);
    /// @notice It ends as soon as what was committed is decided; nothing else starts, and nothing is frozen.
    event MissionEnding(address indexed by);
    event MissionDegraded(address indexed by, uint40 silentSince, uint40 until);
    event MissionRecovered(uint40 degradedSince);
    /// @param finding Content-id digest of what differs between the records and the chain.
    event MissionSuspended(address indexed by, bytes32 finding, uint40 until);
    event SuspensionLapsed(address indexed by, uint40 until);
    event Reopened(uint8 indexed node, uint8 attempt);
    event AppealFiled(uint8 indexed node, address indexed appellant, uint8 attempt, bytes32 evidence, uint64 bond);
    event BondReturned(uint8 indexed node, address indexed appellant, uint64 bond);
    event BondForfeited(uint8 indexed node, address indexed appellant, uint64 bond);
    /// @notice A human ruled on the open appeals of an attempt; the fields are those of `Resolution`.
    event AppealResolved(uint8 indexed node, uint8 attempt, uint16 upheld, uint16 share, uint64 slash, uint8 culprits);
    /// @notice An upheld appeal replaces what `Recorded` announced for a slot.
    event Reassessed(
        uint8 indexed node,
        uint8 indexed slot,
        address indexed agent,
        uint64 paid,
        uint64 premium,
        uint64 fee,
        uint64 insurance,
        uint64 discount
    );
    event Refunded(address indexed sponsor, uint64 amount);
    event Closed();
    /// @notice A node that is no leaf was routed: `amount` of its budget went to a child session.
    event ChildOpened(uint8 indexed node, uint8 attempt, address legislature, uint256 indexed session, uint64 amount);
    /// @param mission Zero if the session made no law.
    /// @param returned Of what the child was lent; the rest was spent below.
    event ChildConcluded(uint8 indexed node, uint8 attempt, address indexed mission, bool completed, uint64 returned);
    event Anchored(address indexed runner, bytes32 root);
    /// @param nodes Bitmap of the nodes whose work came in.
    event Checkpointed(address indexed runner, bytes32 previous, bytes32 head, bytes32 root, uint256 nodes);
    event Overridden(Action indexed action, uint8 indexed node, address target);

    error NotExecution(address caller);
    error NotAdjudication(address caller);
    error NotLegislation(address caller);
    error WrongMissionState(MissionState state, uint256 allowed);
    error WrongNodeState(uint8 node, NodeState state, uint256 allowed);
    error SlotTaken(uint8 node, uint8 slot);
    error SlotEmpty(uint8 node, uint8 slot);
    error InvalidSignature(address signer);
    error Expired(uint40 deadline);
    error NotRunner(address account);
    error RunnerConflict(address runner, address principal);
    error WrongService(uint8 node, uint8 slot, bytes32 bound, bytes32 given);
    error AlreadyCommitted(uint8 node, uint8 slot);
    error OpeningMismatch(uint8 node, uint8 slot, bytes32 committed, bytes32 given);
    error NotAllCommitted(uint8 node, uint8 mask);
    error AttemptOver(uint8 node, uint8 signed, uint8 current);
    error NotCommitted(uint8 node, uint8 slot);
    error TooEarly(uint8 node, uint256 at);
    error NotOnPanel(uint8 node, address verifier);
    error DuplicateVerdict(uint8 node, address verifier, uint8 question);
    error PanelIncomplete(uint8 node, uint256 have, uint256 need);
    error WrongObligation(bytes32 expected, bytes32 given);
    error EvidenceMissing(uint8 node, address verifier, uint256 basis);
    /// @notice What is handed in leaves slots without evidence that their openings claim: while the panel is heard no one is at fault for
    /// that.
    error SlotUnproven(uint8 node, uint8 slots);
    /// @param answers Posted verdicts that are missing: bit per place, from bit 8 on for the second question.
    error VerdictLeftOut(uint8 node, uint256 answers);
    error VerdictReplaced(uint8 node, address verifier, bytes32 posted, bytes32 given);
    error ItemNotInEnvelope(uint8 slot, uint8 index);
    error IssuerNotRegistered(address issuer, uint8 class);
    error IssuerConflict(address issuer, address principal);
    /// @dev A refutation of other work, by a proof, below the floor, or where several executors work.
    error NothingRefuted(uint8 node, address issuer);
    error BelowFloor(uint8 node, uint8 floor);
    error NotRecorded(uint8 node);
    error WindowOpen(uint8 node, uint40 until);
    error WindowClosed(uint8 node, uint40 at);
    error NotAppealable(uint8 node, address caller);
    error AlreadyAppealed(uint8 node, address appellant);
    error NoOpenAppeal(uint8 node, uint8 attempt);
    error AppealsDiffer(uint8 node, uint8 heard, uint8 filed, uint16 upheld);
    error AlreadySlashed(uint8 node, uint8 slot);
    /// @param begun Slots that had begun, were not recorded and not yet faulted.
    error NotAtFault(uint8 node, uint8 slots, uint8 begun);
    error IterationsExhausted(uint8 node, uint8 attempt);
    error NotExpired(uint40 expiresAt);
    error NothingToRefund();
    error NotMonitor(address account);
    error Stopped();
    /// @notice The mission is to end: what has committed nothing starts no more, and nothing is frozen.
    error Ending();
    /// @notice The mission ends as soon as this node's committed work is decided.
    error WorkUndecided(uint8 node);
    error NotStopped();
    error NotSilent(uint40 silentSince, uint40 least);
    error AlreadySealed(uint8 node, bytes32 hash);
    /// @notice The attempt's verdict was held up once already.
    error FrozenBefore(uint8 node, uint8 attempt);
    /// @dev This house's monitor stopped the node before, and the last freeze ran out without a human's act.
    error FreezeUnattended(uint8 node, address house);
    /// @notice Both verdicts may be its member's.
    error NotContradictory(address verifier);
    error AlreadyAccused(address verifier, bytes32 obligation, uint32 draw, uint8 question);
    error NotVetoed(uint8 node);
    error NoAmendment(uint8 node);
    error UnsupportedOverride(Action action);
    error AlreadyFunded();
    error Underfunded(uint64 deposit, uint64 balance);
    error EmptyBatch();
    error PriceAboveSlot(uint8 node, uint64 price, uint64 slotBudget);
    error WrongTier(uint8 node, uint8 tier);
    /// @dev None of the items that an opening claims is at the law's floor.
    error ClaimsTooLittle(uint8 node, uint8 slot, uint8 floor);
    error TooManyItems(uint8 node, uint8 slot, uint8 items);
    error AlreadyRevealed(uint8 node, uint8 slot);
    error TrailMissing(uint8 node, uint8 slot);
    error LiveHashMissing(uint8 node, uint8 mask, uint8 needed);
    /// @dev What a runner saw live is what was registered.
    error CodeMatches(uint8 node, uint8 slot, bytes32 hash);
    error NotAwaitingBids(uint8 node);
    error LengthMismatch(uint256 have, uint256 need);
    error ShareOutOfRange(uint16 share);
    /// @dev `need` is zero where a call ran out of gas, which cannot tell how much it would have taken.
    error GasTooLow(uint256 have, uint256 need);
    error ProofRejected(uint8 slot, uint8 index);
    error Unsettled(uint64 entitled, uint64 accrued, uint256 faults, uint64 bonds);
    /// @dev What only makes sense for work: a node with a child mission is frozen, vetoed or reviewed leaf by leaf, down there.
    error NotALeaf(uint8 node);
    error NoChild(uint8 node);
    error ChildRunning(uint8 node, address mission);
    /// @notice Bytes that are no wave, from `offset` on.
    error MalformedWave(uint256 offset);
    error ChildrenRunning(uint256 nodes);
    error BudgetSpent(uint8 node, uint64 budget);
    error AlreadyAnchored(bytes32 root);
    /// @dev The law wants every stage on chain.
    error NotHybrid();
    /// @dev A checkpoint that came before, twice, or after another one.
    error StaleCheckpoint(bytes32 expected, bytes32 given);
    /// @dev The node could have started that long ago: it is worked on chain now.
    error CheckpointLate(uint8 node, uint40 due);
    /// @dev Routed or committed on chain before: it continues there.
    error AlreadyStarted(uint8 node);

    /// @notice True on the implementation and every clone: checked when a template is published.
    function isMissionTemplate() external pure returns (bytes4);

    // --- Orchestration -----------------------------------------------------------------------------------------------

    /// @notice Starts the mission: the deposit must already be here. Caller: the pinned legislation, once, in the deploying transaction.
    function activate() external;
    /// @notice Binds an executor to a slot. Caller: pinned execution procedure, on award.
    function bind(uint8 node, uint8 slot, address agent, bytes32 service, uint64 price) external;
    /// @notice Starts nodes whose predecessors completed, on a runner's word for the code in their slots. After a freeze only the slots start
    /// that have not committed. A node that is no leaf takes no word: it opens a child session with what is left of its budget. A node that
    /// cannot start is passed over with `Skipped`; alone it reverts with the reason. Anyone with the signature.
    /// @param nodes bitmap
    function route(uint256 nodes, Start calldata start) external;
    /// @notice Fails an eligible node on a runner's word that other code is live in a slot than its service was registered with; slashes
    /// the slot's executor. Where somebody had committed before a freeze and those who are left are enough, the node goes on without it.
    /// Anyone with the signature.
    function mismatch(LiveHash calldata live, IServiceContract.Service calldata service) external;
    /// @notice Ends an overdue stage of a node. Anyone.
    /// ELIGIBLE: bound and not routed for verificationTimeout, or without an award after both windows: FAILED, unslashed.
    /// EXECUTING: the absent lose 50 at once; with `threshold` commits (then reveals) the node continues, else FAILED.
    /// PENDING_VERIFICATION: a second panel, then PENDING_REVIEW. PENDING_REVIEW (after reviewWindow): every adjudicator is asked, for
    /// as long again, then FAILED, unslashed. FROZEN (after twice maxHumanReviewTimeout): FAILED, unslashed.
    function timeout(uint8 node) external;
    /// @notice Starts another attempt of a failed node (or of one without bids), up to maxRefinementIterations, unless the
    /// fault was the law's (SPECIFICATION). Anyone.
    function reopen(uint8 node) external;
    /// @notice Ends a mission whose time or whose iterations are over, or whose law is at fault; what no node earned is refunded. While committed
    /// work is undecided the first call says that it is to end (`MissionEnding`), and it ends with a later one; so it does in a stop that
    /// nobody has lifted for twice maxHumanReviewTimeout. Anyone.
    function abort() external;
    /// @notice Aborts a degraded mission that no human let go on within degradedAdjudicatorTimeout. Anyone.
    function expire() external;
    /// @notice Clears (unless `wave` is empty) and routes (unless `nodes` is zero) in one call. Anyone.
    function advance(bytes calldata wave, uint256 nodes, Start calldata start) external;

    // --- Guardian ----------------------------------------------------------------------------------------------------

    /// @notice Freezes a node on an anomaly. Caller: a registered monitor, whose principal is barred from the node's markets from then on, or
    /// one of the node's executors. When a freeze ran out without a human's act, no monitor of a house that had frozen the node freezes it
    /// again until a human acts on another freeze.
    /// @dev The reasons of the design are DEVIATION_EXCEEDED, TOOL_LIMIT_EXCEEDED and MESSAGE_LIMIT_EXCEEDED (a human's freeze says
    /// MANUAL_OVERRIDE). Each report is counted for the executor itself, or for all of the node's when a monitor reports: T_eff
    /// = escalationFreezeCount + ⌊ρ·bonus/1000⌋ of an agent's freezes within baseEscalationWindow·2ⁿ, after n cleared stops,
    /// stop the mission.
    function report(uint8 node, bytes32 reason, uint256 magnitude) external;
    /// @notice Puts the hash of a frozen executor's state on chain, once per freeze. Caller: a registered monitor or one of the
    /// node's executors.
    function sealSnapshot(uint8 node, bytes32 hash) external;
    /// @notice Suspends an executing mission after the sequencer was silent for degradedModeThreshold: nothing moves but earned money,
    /// and the clocks stand still, until adjudicators clear it or `expire` ends it. Caller: a registered monitor.
    /// @param silentSince Unix seconds.
    function degrade(uint40 silentSince) external;
    /// @notice Stops a mission whose records and chain differ, as EMERGENCY_STOP does, for twice maxHumanReviewTimeout or until a human
    /// confirms it with EMERGENCY_STOP or clears it (decision 79). Caller: a registered monitor whose principal has no part here.
    /// @param finding Content-id digest of what differs.
    function suspend(bytes32 finding) external;
    /// @notice Ends a suspension that no human confirmed in its time; one that its mission did not outlive is counted all the same. Anyone.
    function lapse() external;

    // --- Verification ------------------------------------------------------------------------------------------------

    /// @notice Sealed commitment (tier 2). Anyone with the executor's signature.
    function commit(uint8 node, uint8 slot, bytes32 commitment, uint40 deadline, bytes calldata signature) external;
    /// @notice Commitment opened at once (tiers 1 and 3). Anyone with the executor's signature.
    function commitOpen(
        uint8 node,
        uint8 slot,
        Opening calldata opening,
        uint40 deadline,
        bytes calldata signature
    ) external;
    /// @notice Opens a sealed commitment once all have committed or time is up. Anyone.
    function reveal(uint8 node, uint8 slot, Opening calldata opening) external;
    /// @notice Commitments of many slots, sealed and opened alike, each executor's under one signature `Commits`. Laid out as
    /// `libraries/Wire.sol` draws it. A pledge that does not fit any more (its window is over, it is there already, its executor's signature is
    /// none) is skipped with `Skipped`, and nothing of it is changed. Anyone with the signatures.
    function commitWave(bytes calldata wave) external;
    /// @notice Opens sealed commitments of many slots; skips as `commitWave` does. Anyone.
    function revealWave(bytes calldata wave) external;
    /// @notice Hybrid mode: takes over, in one call, nodes that were worked off chain since they became eligible, no longer ago than the
    /// law's interval. Stands for `route`, `commit` and `reveal` of all their slots; a runner of another principal signs that every
    /// slot ran the code it was bound to. The panels are drawn now, and nothing is paid but by `clear`. Anyone with the signatures.
    /// @dev What is late, frozen, or was started on chain since is passed over with `Skipped`, unless nothing else is in the wave, and is
    /// worked stage by stage.
    function checkpoint(Checkpoint calldata wave) external;
    /// @notice Clears nodes by their drawn panels, in a later block than the last commitment or reveal: all members, or in the last fifth of
    /// VERIFICATION_TIMEOUT a majority with every verdict that was posted; who is missing then loses 50 tokens.
    /// PASS is gated, completed and recorded (tier 3 waits for a human), FAIL fails the node and leaves a slash that waits, DISPUTED
    /// goes to a human, UNVERIFIABLE draws once more and then fails; slots without an item proven at the floor then lose what being
    /// late costs, at once if too few others are left. Anyone.
    /// @dev Laid out as `libraries/Wire.sol` draws it: openings, issuers' lists of evidence (`Evidences`), verifiers' lists of verdicts
    /// (`Verdicts`). An item that a verdict needs to pass the floor as claimed must be there (`EvidenceMissing`). A node that cannot be
    /// cleared is passed over with `Skipped`; a wave of that node alone reverts with the reason.
    /// An item in place 31, over the commitment, says that its issuer got other work from the only executor. FAIL may rest on place 31 once
    /// issuers of two principals say so, none of whom bid in the mission: in the last fifth, where nothing was shown for the work; where
    /// something was, such a verdict is undecided.
    function clear(bytes calldata wave) external;
    /// @notice Posts evidence or verdicts ahead of a clearing, in its layout; the clearing cannot leave them out. Items proven at the
    /// floor mark their slots for the attempt, until a human has ruled. Verdicts are of members of the drawn panel, each once, until
    /// the last fifth of its time, which stands still while the node is frozen; PASS and FAIL rest on items proven here
    /// (`EvidenceMissing`). The panel's seed is kept with them. Anyone with the signatures.
    function post(bytes calldata wave) external;
    /// @notice Draws another panel, once an attempt: when the first is overdue, or its drawing block is past 256. Members that posted no
    /// verdict lose 50 tokens. After that a human decides. Anyone.
    function redraw(uint8 node) external;
    /// @notice Shows that a member of a panel signed two verdicts on one question of one attempt and draw: it loses 500 tokens, once.
    /// Reverts with `SeedUnknown` where the draw's seed is gone. Anyone.
    function accuse(
        uint8 node,
        uint8 attempt,
        address verifier,
        SignedVerdict calldata first,
        SignedVerdict calldata second
    ) external;

    // --- Gate and settlement -------------------------------------------------------------------------------------------

    /// @notice Ends the child of a node that is no leaf, once the child's books are closed or its session ended without a law: takes
    /// back what was not spent, and completes or fails the node. Anyone. A leaf is recorded by the call that completes it.
    function record(uint8 node) external;
    /// @notice Pays recorded nodes whose appeal window closed with no open appeal, moves their fees, and executes slashes
    /// that waited for their window. With the payment the outcome is final: executors' locks end, and their reputation moves. Anyone; what
    /// executors and verifiers are owed is credited to them in the vault. What was claimed before is passed over; so is with `Skipped`
    /// what is not due yet, unless nothing else is named.
    function claim(uint8[] calldata nodes) external;
    /// @notice Appeals an attempt that was recorded, or whose slashes wait, inside its window, whatever attempts came after, in the name of
    /// `auth.agent`: sponsor, or executor or panel member of the attempt, each once an attempt. Pulls its bond from it, which the mission's
    /// parameters and the attempt's prices fix. Anyone with its signature (`Appeal`; of a sponsor also by ERC-1271); unsigned, itself.
    function appeal(uint8 node, uint8 attempt, bytes32 evidence, Auth calldata auth) external;
    /// @notice Sends what is returnable to the sponsor. Anyone.
    function refund() external;
    /// @notice Ends the mission when every node is settled; sweeps dust to the sponsor. Anyone.
    function close() external;
    /// @notice Puts the root of the mission's records on chain. Anyone with a runner's signature.
    function anchor(bytes32 root, address runner, uint40 deadline, bytes calldata signature) external;

    // --- Adjudication ----------------------------------------------------------------------------------------------------

    /// @notice The one entry of adjudication (decision 14). FREEZE, UNFREEZE, RESUME_WITH_AMENDMENT, TERMINATE_MISSION, APPROVE_POP,
    /// REJECT_POP, RESOLVE_APPEAL, EMERGENCY_STOP, CLEAR_EMERGENCY_STOP, CLASSIFY_FALSE_POSITIVE, VETO_OUTPUT, RELEASE_OUTPUT. Caller:
    /// CURRENT adjudication procedure.
    /// `judged` is the state that was reviewed, `caseHash(node)`, of TERMINATE_MISSION `missionCaseHash()`, and has to be that of now.
    /// FREEZE, VETO_OUTPUT and EMERGENCY_STOP judge none, or whoever is to be stopped could outrun them.
    /// APPROVE_POP's data is abi.encode(Opening[], EvidenceItem[], uint256 basis, uint16 share): it passes the same floor.
    /// RESUME_WITH_AMENDMENT: a frozen node whose executors are all still bound begins another attempt with the same executors, prices
    /// and stakes under the mandate abi.encode(bytes32 digest); it counts among maxRefinementIterations.
    /// RESOLVE_APPEAL's data is abi.encode(Resolution): it may come after the mission's end, and changes no state of a node.
    /// EMERGENCY_STOP: nothing is routed until CLEAR_EMERGENCY_STOP, which also lets a degraded mission go on. It confirms a suspension.
    /// CLASSIFY_FALSE_POSITIVE: the freeze of `target` with number abi.encode(uint256) no longer counts.
    /// VETO_OUTPUT: the node's gate is not asked, a human decides. RELEASE_OUTPUT: what passed on evidence and was vetoed completes
    /// with its share; data is abi.encode(uint8 slot, Opening), of a slot in agreement.
    function onOverride(Action action, uint8 node, address target, bytes calldata data, bytes32 judged) external;

    /// @notice Calls `target` and returns at most one word of its answer. Nothing but a bounded frame for gas: the mission calls
    /// itself with a ceiling, so that a predicate or proof verifier can neither burn more nor return a flood.
    function probe(address target, bytes calldata data) external view returns (bool ok, bytes32 word);

    // --- Views -------------------------------------------------------------------------------------------------------------

    function law() external view returns (bytes memory);
    function lawHash() external view returns (bytes32);
    function header() external view returns (LawHeader memory);
    function nodeLaw(uint8 node) external view returns (LawNode memory);
    function context() external view returns (MissionContext memory);
    function state() external view returns (MissionState);
    function expiresAt() external view returns (uint40);
    function nodeOf(uint8 node) external view returns (Node memory);
    function slotOf(uint8 node, uint8 slot) external view returns (Slot memory);
    /// @notice Bound service until the slot commits, then its commitment.
    function pledgeOf(uint8 node, uint8 slot) external view returns (bytes32);
    function faultOf(uint8 node, uint8 attempt) external view returns (Fault memory);
    /// @notice Verifiers whose verdicts counted in the node's last clearing; they share its verifier fee.
    function countedOf(uint8 node) external view returns (address[] memory);
    /// @notice Open appeals of an attempt and the unix second after which the clearing stands regardless.
    function appealsOf(uint8 node, uint8 attempt) external view returns (uint8 open, uint40 until);
    /// @notice Root of the mission's records, zero until anchored.
    function anchored() external view returns (bytes32);
    /// @notice The chain of the mission's checkpoints, zero before the first.
    function checkpointed() external view returns (bytes32);
    function entitlementOf(uint8 node, uint8 slot) external view returns (Entitlement memory);
    function ledger() external view returns (Ledger memory);
    function obligationOf(uint8 node) external view returns (bytes32);
    /// @notice The drawn panel; reverts with `SeedUnknown` when its block hash is gone and `TooEarly` in the drawing block.
    function panelOf(uint8 node) external view returns (address[] memory);
    function watch() external view returns (Watch memory);
    /// @notice An agent's freezes in this mission, packed as in `libraries/Escalation.sol`.
    function freezesOf(address agent) external view returns (uint256[3] memory);
    /// @notice Hash of the state an override judges: mission state and stops, the node's word and its pledges.
    function caseHash(uint8 node) external view returns (bytes32);
    /// @notice The same over all nodes: the state that an order judges which ends the mission. While humans have stopped it: of the stop alone,
    /// so that no executor at work voids the order.
    function missionCaseHash() external view returns (bytes32);
    /// @notice What a decision about a node is about, and, in the smallest unit, what the protocol takes of all of the mission's budget.
    function caseOf(uint8 node) external view returns (NodeState state, uint8 attempt, uint64 fee);
    /// @notice Bitmap of completed nodes.
    function completed() external view returns (uint256);
    /// @notice What clearing would decide now, of each order; reverts with what is wrong with the first that is refused.
    function previewClear(bytes calldata wave) external view returns (ClearingDecision[] memory);
}
