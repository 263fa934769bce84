// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {ICollaborationContract} from "../interfaces/ICollaborationContract.sol";
import {NodeLaw} from "../libraries/NodeLaw.sol";
import {Split} from "../libraries/Payout.sol";
import {Reasons} from "../libraries/Reasons.sol";
import {Reputation} from "../libraries/Reputation.sol";
import {Appeals} from "./Appeals.sol";
import {Frame, MissionFrame} from "./MissionFrame.sol";
import {MissionStorage} from "./MissionStorage.sol";
import {NodeCore} from "./NodeCore.sol";

/// @title What a completed node's executors are entitled to
/// @notice Decision 5: entitlements of the agreeing slots, the rest of the node's budget back to the sponsor's side. No token moves: a
/// claim moves all of it once the window closed. Internal: what a panel clears is recorded by the same text as what a human approved.
library Records {
    using MissionFrame for Frame;

    /// @dev The caller stores the word.
    function enter(
        MissionStorage.Layout storage s,
        Frame memory f,
        NodeLaw law,
        MissionStorage.Node memory w,
        uint8 node
    ) internal {
        w.flags |= MissionStorage.RECORDED;
        w.settlesAt = uint40(block.timestamp) + f.window(law);
        uint64 entitled = 0;
        uint64 accrued = 0;
        for (uint8 slot = 0; slot < law.redundancy(); ++slot) {
            if ((w.commitMask >> slot) & 1 == 0) continue;
            (uint64 paid, uint64 rest) = _enterSlot(s, f, w, node, slot);
            entitled += paid;
            accrued += rest;
        }
        s.books.entitled += entitled;
        s.books.accrued += accrued;
        s.books.refundable += law.budget() - entitled - accrued;
    }

    function _enterSlot(
        MissionStorage.Layout storage s,
        Frame memory f,
        MissionStorage.Node memory w,
        uint8 node,
        uint8 slot
    ) private returns (uint64 paid, uint64 rest) {
        MissionStorage.Slot storage bound = s.slots[MissionStorage.slotKey(node, w.attempt, slot)];
        address agent = bound.agent;
        if ((w.agreeing >> slot) & 1 == 0) {
            NodeCore.settle(s, node, slot, agent, 0, true, 0, Reasons.DISSENT);
            return (0, 0);
        }
        paid = _entitle(f, w, bound, node, slot);
        NodeCore.settle(s, node, slot, agent, 0, true, w.share, Reasons.OUTCOME);
        // Until the window closed an appeal may still change the share: all of the price is held.
        return (paid, bound.price - paid);
    }

    /// @dev ψ is of the reputation before this outcome: it is read before the slot is scored.
    function _entitle(
        Frame memory f,
        MissionStorage.Node memory w,
        MissionStorage.Slot storage bound,
        uint8 node,
        uint8 slot
    ) private returns (uint64) {
        address agent = bound.agent;
        // ψ × 1000 is below 2¹⁶ for every α and every reputation in range.
        uint16 psi = uint16(
            Reputation.multiplier(f.city.producers.reputationOf(agent), f.terms.reputationMultiplierAlpha())
        );
        bound.psi = psi;
        Split memory split = Appeals.splitOf(f, bound.price, w.share, psi);
        _announce(node, slot, agent, split, w.settlesAt);
        return split.paid;
    }

    function _announce(uint8 node, uint8 slot, address agent, Split memory split, uint40 claimableAt) private {
        emit ICollaborationContract.Recorded(
            node,
            slot,
            agent,
            split.paid,
            split.premium,
            split.fee,
            split.insurance,
            split.discount,
            claimableAt
        );
    }
}
