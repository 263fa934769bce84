// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {LowLevelCall} from "@openzeppelin/contracts/utils/LowLevelCall.sol";
import {ICollaborationContract} from "../interfaces/ICollaborationContract.sol";
import {NodeLaw} from "../libraries/NodeLaw.sol";
import {ClearingDecision, ClearingResult} from "../types/Evidence.sol";
import {Tier} from "../types/Law.sol";
import {MissionState} from "../types/States.sol";
import {City, Frame, MissionFrame} from "./MissionFrame.sol";
import {MissionStorage} from "./MissionStorage.sol";
import {NodeCore} from "./NodeCore.sol";
import {Panels} from "./Panels.sol";
import {Records} from "./Records.sol";
import {Remedies} from "./Remedies.sol";
import {Judgement, Ruling, RulingWords} from "./Ruling.sol";
import {Rulings} from "./Rulings.sol";

/// @title What follows from a panel's ruling
/// @notice RAILS A.4, decisions 18–23. A linked library: it runs in the clone's frame and storage.
library ClearingDesk {
    using MissionFrame for Frame;
    using RulingWords for uint256[];

    function clear(MissionStorage.Layout storage s, City calldata city, bytes calldata wave) external {
        NodeCore.requireMission(s, 1 << uint256(MissionState.EXECUTING));
        Judgement memory j = Rulings.judge(s, city, wave);
        Frame memory f = MissionFrame.open(city);
        uint256 count = j.rulings.length / RulingWords.WORDS;
        if (j.seats.length != 0) {
            s.head.execution.recordVerifiers(j.seats);
            // Charged members are already marked.
            Panels.charge(s, j.absent);
        }
        uint256 before = s.completed;
        Ruling memory r;
        MissionStorage.Node memory w;
        // At most the nodes the caller names.
        for (uint256 i = 0; i < count; ++i) {
            j.rulings.read(i, r);
            NodeCore.loadInto(s, f, r.node, w);
            if (r.fault == 0) {
                _conclude(s, f, w, r);
                continue;
            }
            bytes memory fault = count == 1 ? j.fault : abi.encodePacked(r.fault);
            NodeCore.passOver(r.node, w.attempt, fault, count == 1);
        }
        NodeCore.free(s, f, s.completed & ~before);
    }

    function preview(
        MissionStorage.Layout storage s,
        City calldata city,
        bytes calldata wave
    ) external view returns (ClearingDecision[] memory decisions) {
        Judgement memory j = Rulings.judge(s, city, wave);
        if (j.fault.length != 0) LowLevelCall.bubbleRevert(j.fault);
        decisions = new ClearingDecision[](j.rulings.length / RulingWords.WORDS);
        for (uint256 i = 0; i < decisions.length; ++i) {
            Ruling memory r;
            j.rulings.read(i, r);
            decisions[i] = r.decision;
        }
    }

    function _conclude(
        MissionStorage.Layout storage s,
        Frame memory f,
        MissionStorage.Node memory w,
        Ruling memory r
    ) private {
        ClearingResult result = r.decision.result;
        emit ICollaborationContract.Cleared(
            r.node,
            w.attempt,
            uint8(result),
            r.decision.confidence,
            r.decision.score,
            uint8(r.decision.class),
            r.decision.basis,
            r.decision.agreeing
        );
        if (result == ClearingResult.UNVERIFIABLE) return Remedies.doubt(s, f.city, r.node, r.proven);
        if (r.crowded) emit ICollaborationContract.PanelCrowded(r.node, w.attempt);
        w.seats = r.seats;
        if (result == ClearingResult.PASS) return _pass(s, f, w, r);
        // A panel on which one principal may have decided alone goes to a human.
        if (result == ClearingResult.DISPUTED || r.crowded) return _review(s, w, f.node(r.node), r);
        NodeCore.store(s, r.node, w);
        Remedies.condemn(s, f.city, r.node);
    }

    function _pass(
        MissionStorage.Layout storage s,
        Frame memory f,
        MissionStorage.Node memory w,
        Ruling memory r
    ) private {
        NodeLaw law = f.node(r.node);
        w.share = r.decision.score;
        w.agreeing = r.agreeing;
        if (NodeCore.count(w.agreeing) < law.threshold()) return _review(s, w, law, r);
        bool released = NodeCore.passesGate(s, f, w, r.node, law.predicate(), r.output);
        if (!released || r.crowded || law.tier() == Tier.HUMAN) return _review(s, w, law, r);
        NodeCore.finish(s, f, w, r.node, r.output);
        if (r.late != 0) {
            Remedies.dropLate(s, r.node, w.attempt, r.late);
            w.commitMask &= ~r.late;
        }
        Records.enter(s, f, law, w, r.node);
        NodeCore.store(s, r.node, w);
    }

    function _review(
        MissionStorage.Layout storage s,
        MissionStorage.Node memory w,
        NodeLaw law,
        Ruling memory r
    ) private {
        NodeCore.review(s, w, r.node, law, r.proven);
        NodeCore.store(s, r.node, w);
    }
}
