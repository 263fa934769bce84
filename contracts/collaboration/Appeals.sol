// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {ICollaborationContract} from "../interfaces/ICollaborationContract.sol";
import {IExecutionProcedure} from "../interfaces/IExecutionProcedure.sol";
import {BasisPoints} from "../libraries/BasisPoints.sol";
import {Intake} from "../libraries/Intake.sol";
import {NodeLaw} from "../libraries/NodeLaw.sol";
import {Payments} from "../libraries/Payments.sol";
import {Payout, Split} from "../libraries/Payout.sol";
import {Reasons} from "../libraries/Reasons.sol";
import {Signatures} from "../libraries/Signatures.sol";
import {TypedData} from "../libraries/TypedData.sol";
import {Auth} from "../types/Roles.sol";
import {City, Frame, MissionFrame} from "./MissionFrame.sol";
import {MissionStorage} from "./MissionStorage.sol";
import {NodeCore} from "./NodeCore.sol";
import {NodeWord} from "./NodeWord.sol";
import {WatchdogHold} from "./WatchdogHold.sol";

/// @title Appeals against a clearing decision: filed with a bond, decided by a human, or by time
/// @notice Decisions 6 and 29. A resolution changes what is still provisional, the share and the slash; the node's state never.
/// A linked library: it runs in the clone's frame and storage.
library Appeals {
    using MissionFrame for Frame;
    using Intake for IERC20;
    using SafeERC20 for IERC20;

    // --- Filing ------------------------------------------------------------------------------------------------------

    function file(
        MissionStorage.Layout storage s,
        City calldata city,
        uint8 node,
        uint8 attempt,
        bytes32 evidence,
        Auth calldata auth
    ) external {
        Frame memory f = MissionFrame.open(city);
        Signatures.requireInTime(auth.deadline);
        bytes32 digest = f.digest(TypedData.hashAppeal(auth.agent, node, attempt, evidence, auth.deadline));
        // A sponsor may be a contract wallet; executors and verifiers are keys, also while they lend their accounts to some code.
        if (auth.agent == f.sponsor()) Signatures.requireAnyOrCaller(auth.agent, digest, auth.signature);
        else Signatures.requireKeyOrCaller(auth.agent, digest, auth.signature);
        _file(s, f, node, attempt, evidence, auth.agent);
    }

    function _file(
        MissionStorage.Layout storage s,
        Frame memory f,
        uint8 node,
        uint8 attempt,
        bytes32 evidence,
        address appellant
    ) private {
        NodeLaw law = f.node(node);
        uint256 seats = _requireOpen(s, f, law, node, attempt, appellant);
        uint64 price = _requireParty(s, f, law, seats, node, attempt, appellant);
        MissionStorage.Appeals storage appeals = s.appeals[MissionStorage.attemptKey(node, attempt)];
        uint8 filed = appeals.filed;
        for (uint8 i = 0; i < filed; ++i) {
            if (s.appealAt[MissionStorage.slotKey(node, attempt, i)].appellant == appellant) {
                revert ICollaborationContract.AlreadyAppealed(node, appellant);
            }
        }
        // The share is at most the whole price.
        uint64 bond = uint64((uint256(price) * s.head.appealBondShare) / BasisPoints.WHOLE);
        uint64 least = s.head.appealBondMin * MissionStorage.TOKEN;
        if (bond < least) bond = least;
        s.appealAt[MissionStorage.slotKey(node, attempt, filed)] = MissionStorage.Appeal(appellant, bond);
        appeals.filed = filed + 1;
        appeals.open += 1;
        appeals.until = uint40(block.timestamp) + _patience(f);
        _mark(s, node, attempt);
        s.books.bonds += bond;
        emit ICollaborationContract.AppealFiled(node, appellant, attempt, evidence, bond);
        f.city.token.pull(appellant, bond);
    }

    function _mark(MissionStorage.Layout storage s, uint8 node, uint8 attempt) private {
        MissionStorage.Node memory w = NodeCore.load(s, node);
        if (w.attempt != attempt || NodeCore.has(w, MissionStorage.APPEALED)) return;
        w.flags |= MissionStorage.APPEALED;
        NodeCore.store(s, node, w);
    }

    /// @dev The recorded attempt, and each whose slashes wait: whatever came after it.
    /// @return seats Verifiers whose verdicts counted.
    function _requireOpen(
        MissionStorage.Layout storage s,
        Frame memory f,
        NodeLaw law,
        uint8 node,
        uint8 attempt,
        address appellant
    ) private view returns (uint256 seats) {
        MissionStorage.Node memory w = NodeCore.load(s, node);
        uint40 until = w.settlesAt;
        seats = w.seats;
        if (attempt != w.attempt || !NodeCore.has(w, MissionStorage.RECORDED)) {
            MissionStorage.Fault memory fault = s.faults[MissionStorage.attemptKey(node, attempt)];
            // Once settled there is nothing to move back, and nobody would settle the bond.
            if (fault.dueAt == 0 || fault.settled) revert ICollaborationContract.NotAppealable(node, appellant);
            (until, seats) = (fault.dueAt, fault.seats);
        }
        until = WatchdogHold.extended(f.city.watchdog, until, f.window(law));
        if (block.timestamp >= until) revert ICollaborationContract.WindowClosed(node, until);
    }

    /// @dev Sponsor, executors of the attempt, panel members whose verdicts counted.
    function _requireParty(
        MissionStorage.Layout storage s,
        Frame memory f,
        NodeLaw law,
        uint256 seats,
        uint8 node,
        uint8 attempt,
        address appellant
    ) private view returns (uint64 price) {
        bool party = appellant == f.sponsor();
        for (uint8 slot = 0; slot < law.redundancy(); ++slot) {
            MissionStorage.Slot memory bound = s.slots[MissionStorage.slotKey(node, attempt, slot)];
            if (bound.agent == appellant) party = true;
            price += bound.price;
        }
        // At most seven seats.
        for (uint256 place = 0; place < NodeWord.seated(seats) && !party; ++place) {
            party = f.city.evidence.verifierAt(NodeWord.seatAt(seats, place)) == appellant;
        }
        if (!party) revert ICollaborationContract.NotAppealable(node, appellant);
    }

    // --- Resolving ---------------------------------------------------------------------------------------------------

    /// @notice RESOLVE_APPEAL: one ruling on all open appeals of an attempt.
    function resolve(MissionStorage.Layout storage s, City calldata city, uint8 node, bytes calldata data) external {
        Frame memory f = MissionFrame.open(city);
        ICollaborationContract.Resolution memory r = abi.decode(data, (ICollaborationContract.Resolution));
        if (r.share > BasisPoints.WHOLE) revert ICollaborationContract.ShareOutOfRange(r.share);
        MissionStorage.Node memory w = NodeCore.load(s, node);
        MissionStorage.Appeals memory appeals = s.appeals[MissionStorage.attemptKey(node, r.attempt)];
        if (appeals.open == 0) revert ICollaborationContract.NoOpenAppeal(node, r.attempt);
        uint40 until = WatchdogHold.extended(f.city.watchdog, appeals.until, _patience(f));
        if (block.timestamp >= until) revert ICollaborationContract.WindowClosed(node, until);
        if (r.filed != appeals.filed || r.upheld >> appeals.filed != 0) {
            revert ICollaborationContract.AppealsDiffer(node, r.filed, appeals.filed, r.upheld);
        }

        emit ICollaborationContract.AppealResolved(node, r.attempt, r.upheld, r.share, r.slash, r.culprits);
        if (r.upheld != 0) {
            if (NodeCore.has(w, MissionStorage.RECORDED) && r.attempt == w.attempt) _reassess(s, f, w, node, r);
            else _mitigate(s, w, node, r);
            NodeCore.store(s, node, w);
        }
        _settleBonds(s, f, node, r.attempt, r.upheld);
    }

    /// @dev All of a provisional price is held here, so a share moves between what is entitled and what is not; nothing leaves.
    function _reassess(
        MissionStorage.Layout storage s,
        Frame memory f,
        MissionStorage.Node memory w,
        uint8 node,
        ICollaborationContract.Resolution memory r
    ) private {
        for (uint8 slot = 0; slot < NodeCore.MAX_SLOTS; ++slot) {
            if ((w.agreeing >> slot) & 1 == 1) _reassessSlot(s, f, w.share, node, slot, r);
            if (r.slash == 0 || (r.culprits >> slot) & 1 == 0) continue;
            // What was absent or late is settled.
            if ((w.commitMask >> slot) & 1 == 0) revert ICollaborationContract.NotCommitted(node, slot);
            _slashAppealed(s, node, slot, r);
        }
        w.share = r.share;
    }

    function _reassessSlot(
        MissionStorage.Layout storage s,
        Frame memory f,
        uint16 former,
        uint8 node,
        uint8 slot,
        ICollaborationContract.Resolution memory r
    ) private {
        uint256 key = MissionStorage.slotKey(node, r.attempt, slot);
        MissionStorage.Slot memory bound = s.slots[key];
        Split memory split;
        splitInto(split, f, bound.price, former, bound.psi);
        uint64 due = split.paid;
        splitInto(split, f, bound.price, r.share, bound.psi);
        s.books.accrued = s.books.accrued + due - split.paid;
        s.books.entitled = s.books.entitled + split.paid - due;
        emit ICollaborationContract.Reassessed(
            node,
            slot,
            bound.agent,
            split.paid,
            split.premium,
            split.fee,
            split.insurance,
            split.discount
        );
    }

    /// @dev Settled here, the slot is not settled by the claim.
    function _slashAppealed(
        MissionStorage.Layout storage s,
        uint8 node,
        uint8 slot,
        ICollaborationContract.Resolution memory r
    ) private {
        MissionStorage.Slot storage bound = s.slots[MissionStorage.slotKey(node, r.attempt, slot)];
        if (bound.slashed) revert ICollaborationContract.AlreadySlashed(node, slot);
        bound.slashed = true;
        IExecutionProcedure.SlotPenalty memory p = NodeCore.penalty(node, r.slash, true, Reasons.APPEAL);
        (p.slot, p.agent) = (slot, bound.agent);
        NodeCore.settle(s, p);
    }

    /// @dev A failed attempt earns nothing, whatever is said of it: its budget is its successor's. Only its slash is decided.
    function _mitigate(
        MissionStorage.Layout storage s,
        MissionStorage.Node memory w,
        uint8 node,
        ICollaborationContract.Resolution memory r
    ) private {
        if (r.share != 0) revert ICollaborationContract.ShareOutOfRange(r.share);
        MissionStorage.Fault storage fault = s.faults[MissionStorage.attemptKey(node, r.attempt)];
        uint8 mask = fault.mask;
        uint8 guilty = r.slash == 0 ? 0 : mask & r.culprits;
        fault.settled = true;
        s.head.faults -= 1;
        if (!_hasFaults(s, w, node)) w.flags &= ~MissionStorage.FAULTED;
        bytes32 reason = Reasons.APPEAL;
        NodeCore.settleMask(s, node, r.attempt, guilty, r.slash, true, reason);
        NodeCore.settleMask(s, node, r.attempt, mask & ~guilty, 0, false, reason);
    }

    function _hasFaults(
        MissionStorage.Layout storage s,
        MissionStorage.Node memory w,
        uint8 node
    ) private view returns (bool) {
        for (uint256 attempt = 0; attempt <= w.attempt; ++attempt) {
            MissionStorage.Fault memory fault = s.faults[MissionStorage.attemptKey(node, uint8(attempt))];
            if (fault.dueAt != 0 && !fault.settled) return true;
        }
        return false;
    }

    // --- Shared with the escrow --------------------------------------------------------------------------------------

    /// @notice When a decision is final: its window, or the time its open appeals may take; longer if the panel was frozen.
    /// @param due End of the node's window.
    function heldUntil(
        MissionStorage.Layout storage s,
        Frame memory f,
        uint8 node,
        uint8 attempt,
        uint40 due
    ) internal view returns (uint40) {
        return ruledBy(s, f, node, attempt, WatchdogHold.extended(f.city.watchdog, due, f.window(f.node(node))));
    }

    /// @notice The later of a window's end and of the time its open appeals may take.
    function ruledBy(
        MissionStorage.Layout storage s,
        Frame memory f,
        uint8 node,
        uint8 attempt,
        uint40 until
    ) internal view returns (uint40) {
        MissionStorage.Appeals memory appeals = s.appeals[MissionStorage.attemptKey(node, attempt)];
        if (appeals.open == 0) return until;
        uint40 ruling = WatchdogHold.extended(f.city.watchdog, appeals.until, _patience(f));
        return ruling > until ? ruling : until;
    }

    /// @notice The appeals were not resolved in time: the clearing stands, the bonds are returned.
    function returnBonds(MissionStorage.Layout storage s, Frame memory f, uint8 node, uint8 attempt) internal {
        if (s.appeals[MissionStorage.attemptKey(node, attempt)].open == 0) return;
        _settleBonds(s, f, node, attempt, type(uint16).max);
    }

    /// @notice Sends the vault payments, fees and insurance, and has the payments credited.
    /// @param paid what the payments add up to
    /// @return premiums What the treasury added, as payments.
    function toVault(
        Frame memory f,
        uint256[] memory payments,
        uint64 paid,
        uint64 fees,
        uint64 insurance,
        bytes32 reason
    ) internal returns (uint256[] memory premiums) {
        uint256 total = uint256(paid) + fees + insurance;
        if (total == 0) return premiums;
        f.city.token.safeTransfer(address(f.city.treasury), total);
        return f.city.treasury.settle(payments, fees, insurance, reason);
    }

    /// @notice What of a slot's price is whose, into a split that is there.
    function splitInto(Split memory split, Frame memory f, uint64 price, uint16 share, uint256 psi) internal pure {
        Payout.fill(split, price, f.terms.protocolFeeRate(), f.terms.insuranceReserveRate(), share, psi);
    }

    /// @dev Seconds after which an unresolved appeal leaves the clearing as it is.
    function _patience(Frame memory f) private pure returns (uint40) {
        return 2 * uint40(f.terms.maxHumanReviewTimeout());
    }

    function _settleBonds(
        MissionStorage.Layout storage s,
        Frame memory f,
        uint8 node,
        uint8 attempt,
        uint16 upheld
    ) private {
        MissionStorage.Appeals storage appeals = s.appeals[MissionStorage.attemptKey(node, attempt)];
        appeals.open = 0;
        uint8 filed = appeals.filed;
        uint256[] memory returned = new uint256[](filed);
        uint256 count = 0;
        uint64 forfeited = 0;
        for (uint8 i = 0; i < filed; ++i) {
            MissionStorage.Appeal storage one = s.appealAt[MissionStorage.slotKey(node, attempt, i)];
            (address appellant, uint64 bond) = (one.appellant, one.bond);
            if (bond == 0) continue;
            one.bond = 0;
            s.books.bonds -= bond;
            if ((upheld >> i) & 1 == 1) {
                returned[count++] = Payments.pack(appellant, bond, 0, node, Payments.BOND + i);
                emit ICollaborationContract.BondReturned(node, appellant, bond);
            } else {
                forfeited += bond;
                emit ICollaborationContract.BondForfeited(node, appellant, bond);
            }
        }
        returned = Payments.first(returned, count);
        toVault(f, returned, Payments.total(returned), 0, forfeited, Reasons.APPEAL);
    }
}
