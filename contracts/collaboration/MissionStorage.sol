// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {IExecutionProcedure} from "../interfaces/IExecutionProcedure.sol";
import {MissionState, NodeState} from "../types/States.sol";

/// @title Everything a mission stores
/// @notice One struct, so that the layout is seen at a glance. The law itself is not here: it is the clone's immutable
/// arguments. What belongs to one attempt is keyed by attempt: a reopened node starts on fresh words, and a failed
/// attempt's faults outlive it.
library MissionStorage {
    /// @dev One word, and full.
    struct Head {
        MissionState state;
        IExecutionProcedure execution;
        /// Copied from the constitution at activation, basis points.
        uint16 verifierFeeShare;
        uint16 appealBondShare;
        /// Whole tokens.
        uint16 appealBondMin;
        /// FAIL verdicts whose slashes wait.
        uint16 faults;
        bool closed;
        /// An emergency stop holds: nothing is routed.
        bool stopped;
        /// It was, or its chain was silent, or it is ending: `watch` says more.
        bool delayed;
    }

    /// @dev One word, and full: when the mission was stopped, went on, fell silent, is to end.
    struct Watch {
        uint40 stoppedAt;
        uint40 clearedAt;
        /// Emergency stops cleared; each doubles the window in which freezes are counted.
        uint8 cleared;
        uint40 degradedSince;
        /// When waiting for a human ends.
        uint40 degradedUntil;
        /// Seconds that stood still before (`MissionClock`).
        uint40 lost;
        /// It is to end, and waits for what was committed.
        bool ending;
        /// From a stop or a silence, whoever ended it.
        uint40 wentOnAt;
    }

    /// @dev Three words, smallest unit. The law's budget = paid + fees + insurance + discount + refunded + children + what is held; of that,
    /// `entitled` is owed to executors, `accrued` is the rest of the prices they were awarded: it goes to treasury, insurance,
    /// verifiers and sponsor when the window closed. Bonds are apart.
    struct Books {
        uint64 entitled;
        uint64 accrued;
        uint64 refundable;
        uint64 paid;
        uint64 fees;
        uint64 insurance;
        uint64 discount;
        uint64 subsidy;
        uint64 refunded;
        uint64 bonds;
        /// Lent to children and not returned, for good or until they end.
        uint64 children;
    }

    /// @dev One word: a monitor stopped the mission because its records and the chain differ, and no human has confirmed that yet.
    struct Suspension {
        address monitor;
        /// When it may lapse; 0 = none waits.
        uint40 until;
    }

    /// @dev In memory; stored as one word (`NodeWord`).
    struct Node {
        NodeState state;
        uint8 attempt;
        /// When the current state's clock runs out, wall time; stored in the mission's time (`MissionClock`).
        uint40 deadline;
        /// Execution time left when frozen, seconds.
        uint16 remainder;
        /// Slots that committed and still count; bit per slot.
        uint8 commitMask;
        uint8 revealMask;
        uint8 freezeCount;
        uint32 drawBlock;
        uint8 redraws;
        /// Basis points; what the executors are scored, too.
        uint16 share;
        uint8 agreeing;
        uint16 flags;
        /// End of the appeal window of a recorded node.
        uint40 settlesAt;
        /// Verifiers whose verdicts counted.
        uint256 seats;
    }

    /// @dev One word: a FAIL verdict or FAULT_SLOTS, as `ICollaborationContract.Fault` says. Its verifiers outlive the attempt here.
    struct Fault {
        uint40 dueAt;
        uint8 mask;
        bool settled;
        uint112 seats;
        /// Adjudicators' word, not a verdict: the node ended with its mission.
        bool terminated;
    }

    /// One whole token in the settlement token's smallest unit (six decimals), as in the constitution.
    uint64 internal constant TOKEN = 1e6;

    /// @dev One word: what is remembered of an attempt beside its node's word. Bit per slot.
    struct Notes {
        /// Slots with an item that somebody proved ⪰ the floor outside a clearing.
        uint8 shown;
        /// Two issuers' words against its work were posted.
        bool refuted;
        /// A human decides about slots of which that was never shown: they are late.
        bool wanting;
        /// Slots that were slashed or scored 0: their principals do not try again.
        uint8 blamed;
        /// Slots whose executors had the node frozen, until a human lifts it.
        uint8 halted;
        /// Those of them whose freeze ran out: they count as late and take no further part in this attempt.
        uint8 dropped;
        /// Seconds its panel had left when it was frozen, which happens once; 0 = it never was.
        uint24 left;
    }

    // Flags of a node.
    uint16 internal constant GATED = 1;
    uint16 internal constant RECORDED = 2;
    /// Some attempt's slashes wait.
    uint16 internal constant FAULTED = 4;
    uint16 internal constant VETOED = 8;
    /// Commitments are closed: `commitMask` is final, the absent were settled.
    uint16 internal constant COMMITS_CLOSED = 16;
    /// A human vetoed the output before the gate was asked.
    uint16 internal constant HELD = 32;
    /// No ruling within the law's review window: every seat is asked now, for as long again.
    uint16 internal constant ESCALATED = 64;
    /// This attempt goes on under a mandate that an adjudicator amended.
    uint16 internal constant AMENDED = 128;
    /// Somebody appealed this attempt: only then there is a word of `appeals` to read.
    uint16 internal constant APPEALED = 256;
    /// A freeze ran out, in whichever attempt, and no human has acted on one since.
    uint16 internal constant UNATTENDED = 512;

    /// @dev One word. What a slot is due follows from its price, its node's share and ψ.
    struct Slot {
        address agent;
        uint64 price;
        /// ψ × 1000 at the award, whatever is settled in between and in which order.
        uint16 psi;
        /// Slashed and scored on appeal: a claim settles it no more.
        bool slashed;
    }

    /// @dev Two words: a node that is no leaf, and its child session.
    struct Child {
        address legislature;
        uint32 session;
        /// What the session that is open was given; 0 if none is.
        uint64 lent;
        /// What earlier ones kept.
        uint64 spent;
    }

    struct Appeals {
        uint8 filed;
        uint8 open;
        /// After this second the clearing stands.
        uint40 until;
    }

    struct Appeal {
        address appellant;
        uint64 bond;
    }

    struct Layout {
        Head head;
        Books books;
        /// Bitmaps over nodes: completed; failed without an attempt left.
        uint256 completed;
        uint256 exhausted;
        /// Bitmaps over nodes: a child session or mission has the node's money; its payments are in the vault.
        uint256 delegated;
        uint256 claimed;
        /// Output of the last node, kept only for an output predicate.
        bytes32 outputHash;
        bytes32 anchor;
        /// Chain of checkpoints, hybrid mode; `Commitments.checkpointHead`.
        bytes32 checkpoint;
        Watch watch;
        mapping(uint256 node => uint256 word) nodes;
        mapping(uint256 slotKey => Slot) slots;
        mapping(uint256 slotKey => bytes32) pledges;
        mapping(uint256 attemptKey => Fault) faults;
        mapping(uint256 attemptKey => Appeals) appeals;
        mapping(uint256 slotKey => Appeal) appealAt;
        /// Freezes of an agent; layout in `libraries/Escalation.sol`.
        mapping(address agent => uint256[3]) freezes;
        /// Sealed state of a frozen executor, by node and number of the freeze.
        mapping(uint256 attemptKey => bytes32) snapshots;
        mapping(uint256 node => Child) children;
        /// Amended mandate of an attempt.
        mapping(uint256 attemptKey => bytes32) amendments;
        /// Hash of a verdict that was posted ahead of the clearing (`Panels.postedKey`).
        mapping(uint256 postedKey => bytes32) posted;
        mapping(uint256 attemptKey => Notes) notes;
        Suspension suspension;
        /// Members whose contradiction was shown.
        mapping(bytes32 contradiction => bool) accused;
    }

    function attemptKey(uint8 node, uint8 attempt) internal pure returns (uint256) {
        return (uint256(node) << 8) | attempt;
    }

    /// @param index Executor slot or number of an appeal: each has its own mapping.
    function slotKey(uint8 node, uint8 attempt, uint256 index) internal pure returns (uint256) {
        return (uint256(node) << 16) | (uint256(attempt) << 8) | index;
    }
}
