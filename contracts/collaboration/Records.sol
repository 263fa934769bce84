// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {ICollaborationContract} from "../interfaces/ICollaborationContract.sol";
import {NodeLaw} from "../libraries/NodeLaw.sol";
import {Split} from "../libraries/Payout.sol";
import {Appeals} from "./Appeals.sol";
import {Frame, MissionFrame} from "./MissionFrame.sol";
import {MissionStorage} from "./MissionStorage.sol";

/// @title What a completed node's executors are entitled to
/// @notice Decision 5: entitlements of the agreeing slots, the rest of the node's budget back to the sponsor's side. Nothing moves: a
/// claim moves all of it, stakes and reputations too, once the window closed. Internal: what a panel clears is recorded by the same text as
/// what a human approved.
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
        Split memory split;
        for (uint8 slot = 0; slot < law.redundancy(); ++slot) {
            if ((w.agreeing >> slot) & 1 == 0) continue;
            MissionStorage.Slot memory bound = s.slots[MissionStorage.slotKey(node, w.attempt, slot)];
            Appeals.splitInto(split, f, bound.price, w.share, bound.psi);
            _announce(node, slot, bound.agent, split, w.settlesAt);
            entitled += split.paid;
            // Until the window closed an appeal may still change the share: all of the price is held.
            accrued += bound.price - split.paid;
        }
        s.books.entitled += entitled;
        s.books.accrued += accrued;
        s.books.refundable += law.budget() - entitled - accrued;
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
