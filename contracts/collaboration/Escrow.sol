// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {Clones} from "@openzeppelin/contracts/proxy/Clones.sol";
import {DynamicArrayLib} from "solady/src/utils/DynamicArrayLib.sol";
import {LibSort} from "solady/src/utils/LibSort.sol";
import {ICollaborationContract} from "../interfaces/ICollaborationContract.sol";
import {IExecutionProcedure} from "../interfaces/IExecutionProcedure.sol";
import {BasisPoints} from "../libraries/BasisPoints.sol";
import {Split} from "../libraries/Payout.sol";
import {LawCodec} from "../libraries/LawCodec.sol";
import {Payments} from "../libraries/Payments.sol";
import {Reasons} from "../libraries/Reasons.sol";
import {SlashingSchedule} from "../libraries/SlashingSchedule.sol";
import {MissionState} from "../types/States.sol";
import {Appeals} from "./Appeals.sol";
import {Descent} from "./Descent.sol";
import {City, Frame, MissionFrame} from "./MissionFrame.sol";
import {MissionStorage} from "./MissionStorage.sol";
import {NodeCore} from "./NodeCore.sol";
import {NodeWord} from "./NodeWord.sol";
import {WatchdogHold} from "./WatchdogHold.sol";

/// @title Money that leaves a mission
/// @notice Decisions 5, 24 and 43. Fees, insurance and discount move with the claim they belong to, so that until a
/// window closed nothing has left. A linked library: it runs in the clone's frame and storage.
library Escrow {
    using DynamicArrayLib for uint256[];
    using LibSort for uint256[];
    using MissionFrame for Frame;
    using SafeERC20 for IERC20;

    /// @dev One call's claims: the payments and their sums, and what became of the executors. Nothing moves before all are known.
    struct Tab {
        uint256[] payments;
        uint256 count;
        /// A word each, from the top: who, its place in the claim, its node, whether it agreed, the score.
        uint256[] outcomes;
        uint256 settled;
        /// Of the slot that is looked at.
        Split split;
        /// Nodes claimed, by this call too.
        uint256 claimed;
        uint64 paid;
        uint64 fees;
        uint64 insurance;
        uint64 discount;
        uint64 rest;
        /// Verifiers' part of the fees.
        uint64 verifiers;
        /// The window asked about last, and when it ends: nodes of a wave share theirs.
        uint40 due;
        uint40 window;
        uint40 until;
    }

    /// Executors and verifiers of one node.
    uint256 private constant _MOST_PAYEES = NodeCore.MAX_SLOTS + NodeWord.SEATS;
    /// In an outcome's word.
    uint256 private constant _AGENT = 96;
    uint256 private constant _ORDER = 32;
    uint256 private constant _NODE = 24;
    uint256 private constant _AGREED = 1 << 16;

    // --- Entitlements ------------------------------------------------------------------------------------------------

    /// @notice How a child mission ended. Leaves are recorded by what completes them (`ClearingDesk`, `Overrides`).
    function record(MissionStorage.Layout storage s, City calldata city, uint8 node) external {
        Frame memory f = MissionFrame.open(city);
        Descent.conclude(s, f, f.node(node), NodeCore.load(s, node), node);
    }

    // --- Claims ------------------------------------------------------------------------------------------------------

    /// @dev Every payment becomes a credit in the vault: a payee the token refuses blocks no other. Nor does a node whose decision is not final
    /// yet: each party may see to that by an appeal.
    function claim(MissionStorage.Layout storage s, City calldata city, uint8[] calldata nodes) external {
        Frame memory f = MissionFrame.open(city);
        Tab memory tab;
        tab.payments = new uint256[](nodes.length * _MOST_PAYEES);
        tab.outcomes = new uint256[](nodes.length * NodeCore.MAX_SLOTS);
        tab.claimed = s.claimed;
        uint256 refused = 0;
        // At most the nodes the caller names.
        for (uint256 i = 0; i < nodes.length; ++i) {
            uint8 node = nodes[i];
            MissionStorage.Node memory w = NodeCore.loadOf(s, f, node);
            bytes memory fault = _settleNode(s, f, tab, w, node);
            if (fault.length != 0) NodeCore.passOver(node, w.attempt, fault, ++refused == nodes.length);
        }
        if (tab.claimed == s.claimed) return;
        s.claimed = tab.claimed;
        _settle(s, tab);
        _pay(s, f, tab);
    }

    /// @return fault why there is nothing to settle yet; empty if there was, or all of it is
    function _settleNode(
        MissionStorage.Layout storage s,
        Frame memory f,
        Tab memory tab,
        MissionStorage.Node memory w,
        uint8 node
    ) private returns (bytes memory fault) {
        bool recorded = NodeCore.has(w, MissionStorage.RECORDED);
        if (NodeCore.has(w, MissionStorage.FAULTED)) {
            bytes memory refusal = _punishDue(s, f, w, node);
            if (!recorded) return refusal;
        } else if (!recorded) {
            return abi.encodeWithSelector(ICollaborationContract.NotRecorded.selector, node);
        }
        if ((tab.claimed >> node) & 1 == 0) fault = _claimNode(s, f, tab, w, node);
    }

    function _claimNode(
        MissionStorage.Layout storage s,
        Frame memory f,
        Tab memory tab,
        MissionStorage.Node memory w,
        uint8 node
    ) private returns (bytes memory fault) {
        uint40 until = _windowEnd(f, tab, w.settlesAt, f.window(f.node(node)));
        bool appealed = NodeCore.has(w, MissionStorage.APPEALED);
        if (appealed) until = Appeals.ruledBy(s, f, node, w.attempt, until);
        if (block.timestamp < until) return _waits(node, until);
        if (appealed) Appeals.returnBonds(s, f, node, w.attempt);
        tab.claimed |= uint256(1) << node;
        uint64 fees = tab.fees;
        for (uint8 slot = 0; slot < NodeCore.MAX_SLOTS; ++slot) {
            if ((w.commitMask >> slot) & 1 == 0) continue;
            MissionStorage.Slot memory bound = s.slots[MissionStorage.slotKey(node, w.attempt, slot)];
            bool agreed = (w.agreeing >> slot) & 1 == 1;
            if (!bound.slashed) _addOutcome(tab, node, bound.agent, agreed, w.share);
            if (!agreed) continue;
            Appeals.splitInto(tab.split, f, bound.price, w.share, bound.psi);
            tab.payments[tab.count++] = Payments.pack(bound.agent, tab.split.paid, bound.psi, node, slot);
            _addUp(tab, tab.split);
        }
        _addVerifiers(s, f, tab, w, node, tab.fees - fees);
    }

    function _addUp(Tab memory tab, Split memory split) private pure {
        // Parts of the law's budget, which fits.
        unchecked {
            tab.paid += split.paid;
            tab.fees += split.fee;
            tab.insurance += split.insurance;
            tab.discount += split.discount;
            tab.rest += split.toSponsor;
        }
    }

    /// @dev An executor that disagreed with the others scores 0 without a slash.
    function _addOutcome(Tab memory tab, uint8 node, address agent, bool agreed, uint16 share) private pure {
        uint256 outcome = (uint256(uint160(agent)) << _AGENT) | (tab.settled << _ORDER) | (uint256(node) << _NODE);
        if (agreed) outcome |= _AGREED | share;
        tab.outcomes[tab.settled++] = outcome;
    }

    /// @dev An executor's outcomes follow one another, in the order of the claim: the ledger writes its account once.
    function _settle(MissionStorage.Layout storage s, Tab memory tab) private {
        if (tab.settled == 0) return;
        uint256[] memory words = tab.outcomes.truncate(tab.settled);
        words.sort();
        IExecutionProcedure.SlotOutcome[] memory outcomes = new IExecutionProcedure.SlotOutcome[](words.length);
        for (uint256 i = 0; i < outcomes.length; ++i) {
            uint256 word = words[i];
            IExecutionProcedure.SlotOutcome memory outcome = outcomes[i];
            // Every narrowing takes the field's own bits.
            (outcome.agent, outcome.node) = (address(uint160(word >> _AGENT)), uint8(word >> _NODE));
            // The low bits are the score.
            outcome.score = uint16(word);
            outcome.reason = word & _AGREED != 0 ? Reasons.OUTCOME : Reasons.DISSENT;
        }
        s.head.execution.settleSlots(outcomes);
    }

    function _windowEnd(Frame memory f, Tab memory tab, uint40 due, uint40 window) private view returns (uint40) {
        if (tab.due != due || tab.window != window) {
            tab.until = WatchdogHold.extended(f.city.watchdog, due, window);
            (tab.due, tab.window) = (due, window);
        }
        return tab.until;
    }

    /// @dev Equal parts of the verifiers' share; what cannot be divided stays a fee of the treasury.
    function _addVerifiers(
        MissionStorage.Layout storage s,
        Frame memory f,
        Tab memory tab,
        MissionStorage.Node memory w,
        uint8 node,
        uint64 fees
    ) private view {
        uint256 seated = NodeWord.seated(w.seats);
        if (seated == 0) return;
        // A share is at most all of the fees.
        uint64 each = uint64((uint256(fees) * s.head.verifierFeeShare) / BasisPoints.WHOLE / seated);
        if (each == 0) return;
        // At most seven seats.
        for (uint256 place = 0; place < seated; ++place) {
            address verifier = f.city.evidence.verifierAt(NodeWord.seatAt(w.seats, place));
            tab.payments[tab.count++] = Payments.pack(verifier, each, 0, node, Payments.SEAT + place);
        }
        // At most all of the fees.
        tab.verifiers += each * uint64(seated);
    }

    function _pay(MissionStorage.Layout storage s, Frame memory f, Tab memory tab) private {
        MissionStorage.Books memory books = s.books;
        books.entitled -= tab.paid;
        books.accrued -= tab.fees + tab.insurance + tab.discount + tab.rest;
        books.refundable += tab.rest;
        books.paid += tab.paid;
        books.fees += tab.fees;
        books.insurance += tab.insurance;
        books.discount += tab.discount;
        s.books = books;
        uint256[] memory payments = Payments.first(tab.payments, tab.count);
        uint256[] memory premiums = Appeals.toVault(
            f,
            payments,
            tab.paid + tab.verifiers,
            tab.fees - tab.verifiers + tab.discount,
            tab.insurance,
            Reasons.SETTLEMENT
        );
        if (premiums.length != 0) s.books.subsidy += Payments.total(premiums);
        emit ICollaborationContract.Claimed(payments, premiums);
    }

    // --- Slashes that waited -----------------------------------------------------------------------------------------

    /// @return refusal that nothing is due yet; empty if something was
    function _punishDue(
        MissionStorage.Layout storage s,
        Frame memory f,
        MissionStorage.Node memory w,
        uint8 node
    ) private returns (bytes memory refusal) {
        uint256 waiting = 0;
        uint40 dueAt = 0;
        bool any = false;
        for (uint256 attempt = 0; attempt <= w.attempt; ++attempt) {
            uint256 key = MissionStorage.attemptKey(node, uint8(attempt));
            MissionStorage.Fault memory fault = s.faults[key];
            if (fault.dueAt == 0 || fault.settled) continue;
            uint40 until = Appeals.heldUntil(s, f, node, uint8(attempt), fault.dueAt);
            if (block.timestamp < until) {
                ++waiting;
                dueAt = until;
                continue;
            }
            any = true;
            s.faults[key].settled = true;
            s.head.faults -= 1;
            Appeals.returnBonds(s, f, node, uint8(attempt));
            _punish(s, node, uint8(attempt), fault);
        }
        if (!any) return _waits(node, dueAt);
        if (waiting != 0) return refusal;
        w.flags &= ~MissionStorage.FAULTED;
        NodeCore.store(s, node, w);
    }

    function _waits(uint8 node, uint40 until) private pure returns (bytes memory) {
        return abi.encodeWithSelector(ICollaborationContract.WindowOpen.selector, node, until);
    }

    /// @dev Settles a fault and rewards the caller.
    function _punish(
        MissionStorage.Layout storage s,
        uint8 node,
        uint8 attempt,
        MissionStorage.Fault memory fault
    ) private {
        bytes32 reason = fault.terminated ? Reasons.TERMINATED : Reasons.CLEARED_FAIL;
        IExecutionProcedure.SlotPenalty memory p = NodeCore.penalty(
            node,
            SlashingSchedule.WHOLE,
            !fault.terminated,
            reason
        );
        p.settler = msg.sender;
        NodeCore.settleAlike(s, attempt, fault.mask, p);
    }

    // --- Back to the sponsor -----------------------------------------------------------------------------------------

    function refund(MissionStorage.Layout storage s, City calldata city) external {
        uint64 amount = _refundable(s);
        if (amount == 0) revert ICollaborationContract.NothingToRefund();
        _refund(s, MissionFrame.open(city), amount, amount);
    }

    /// @dev Tokens sent here by mistake leave with the dust.
    function close(MissionStorage.Layout storage s, City calldata city) external {
        MissionStorage.Books memory b = s.books;
        bool unsettled = b.entitled != 0 || b.accrued != 0 || b.bonds != 0 || s.head.faults != 0;
        if (unsettled || !NodeCore.isFinal(s)) {
            revert ICollaborationContract.Unsettled(b.entitled, b.accrued, s.head.faults, b.bonds);
        }
        if (s.delegated != 0) revert ICollaborationContract.ChildrenRunning(s.delegated);
        if (s.head.closed) revert ICollaborationContract.NothingToRefund();
        s.head.closed = true;
        Frame memory f = MissionFrame.open(city);
        emit ICollaborationContract.Closed();
        _refund(s, f, _refundable(s), f.city.token.balanceOf(address(this)));
    }

    function _refund(MissionStorage.Layout storage s, Frame memory f, uint64 booked, uint256 amount) private {
        s.books.refunded += booked;
        s.books.refundable = 0;
        address parent = Descent.parentOf(f.city, f.session());
        address payer = parent == address(0) ? f.sponsor() : parent;
        // The supply of a token with six decimals is below 2⁶⁴ units, by far.
        emit ICollaborationContract.Refunded(payer, uint64(amount));
        if (amount != 0) f.city.token.safeTransfer(payer, amount);
    }

    /// @notice Zero until the node is recorded, and for a slot that did not agree.
    function entitlementOf(
        MissionStorage.Layout storage s,
        City calldata city,
        uint8 node,
        uint8 slot
    ) external view returns (ICollaborationContract.Entitlement memory due) {
        MissionStorage.Node memory w = NodeCore.load(s, node);
        MissionStorage.Slot memory bound = s.slots[MissionStorage.slotKey(node, w.attempt, slot)];
        if (!NodeCore.has(w, MissionStorage.RECORDED) || (w.agreeing >> slot) & 1 == 0) return due;
        Split memory split;
        Appeals.splitInto(split, MissionFrame.open(city), bound.price, w.share, bound.psi);
        (due.paid, due.premium) = (split.paid, split.premium);
        due.claimed = (s.claimed >> node) & 1 == 1;
        due.claimableAt = w.settlesAt;
    }

    function ledgerOf(MissionStorage.Layout storage s) external view returns (ICollaborationContract.Ledger memory) {
        MissionStorage.Books memory b = s.books;
        return
            ICollaborationContract.Ledger({
                deposit: _deposit(s),
                paid: b.paid,
                fees: b.fees,
                insurance: b.insurance,
                discount: b.discount,
                refunded: b.refunded,
                entitled: b.entitled,
                refundable: _refundable(s),
                subsidy: b.subsidy,
                bonds: b.bonds,
                children: b.children,
                closed: s.head.closed
            });
    }

    /// @notice Returnable now: the rest of recorded nodes; once the mission ended, all that is not owed.
    function _refundable(MissionStorage.Layout storage s) private view returns (uint64) {
        MissionStorage.Books memory b = s.books;
        if (!NodeCore.isFinal(s)) return b.refundable;
        uint64 gone = b.paid + b.fees + b.insurance + b.discount + b.refunded + b.children;
        return _deposit(s) - gone - b.entitled - b.accrued;
    }

    /// @dev The deposit received at activation: the law's budget.
    function _deposit(MissionStorage.Layout storage s) private view returns (uint64) {
        if (s.head.state == MissionState.PENDING) return 0;
        return LawCodec.header(Clones.fetchCloneArgs(address(this))).budget;
    }
}
