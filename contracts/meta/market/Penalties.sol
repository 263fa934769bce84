// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {IConstitutionContract} from "../../interfaces/IConstitutionContract.sol";
import {IExecutionProcedure} from "../../interfaces/IExecutionProcedure.sol";
import {IProducerContract} from "../../interfaces/IProducerContract.sol";
import {IStakePool} from "../../interfaces/IStakePool.sol";
import {Reasons} from "../../libraries/Reasons.sol";
import {SlashingSchedule} from "../../libraries/SlashingSchedule.sol";
import {Institution} from "../../types/Roles.sol";
import {MarketLedger} from "./MarketLedger.sol";
import {Lock, MarketStorage} from "./MarketStorage.sol";

/// @title What a slot's fault costs its executor: at once, or when its window closed
/// @notice Decisions 6, 72 and 88. A linked library: it runs in the procedure's frame and storage; the caller is a mission.
library Penalties {
    using MarketLedger for MarketStorage;

    /// @dev A slot without a lock is settled already: that stops no verdict.
    function accuse(
        MarketStorage storage self,
        IConstitutionContract constitution,
        uint8 node,
        address[] calldata agents
    ) external {
        // At most five slots.
        for (uint256 i = 0; i < agents.length; ++i) {
            Lock storage lock = self.locks[msg.sender][node][agents[i]];
            if (lock.awarded && !lock.accused) lock.accused = _producers(constitution).accuse(agents[i]);
        }
    }

    function settle(
        MarketStorage storage self,
        IConstitutionContract constitution,
        IExecutionProcedure.SlotPenalty calldata penalty
    ) external returns (uint64 slashed) {
        IProducerContract producers = _producers(constitution);
        (uint64 ending, uint64 taken, Lock memory lock) = _unlock(self, penalty);
        if (lock.pooled) {
            IStakePool pool = IStakePool(constitution.at(Institution.STAKE_POOL));
            slashed = pool.settle(
                msg.sender,
                penalty.node,
                penalty.agent,
                ending,
                taken,
                penalty.reason,
                penalty.settler
            );
            // The agent's own stake pays what the cover does not.
            (ending, taken) = (0, taken - slashed);
        }
        IProducerContract.Outcome memory outcome = IProducerContract.Outcome({
            agent: penalty.agent,
            release: ending,
            scored: penalty.scored,
            score: penalty.score,
            reason: penalty.reason
        });
        slashed += producers.settle(outcome, taken, penalty.settler);
        // Only when the whole lock has ended; a remaining part stays accused.
        if (lock.accused && lock.amount == 0) producers.discharge(penalty.agent);
        if (penalty.reason == Reasons.TERMINATED) {
            _reproachOnce(self, producers, penalty.agent);
        } else if (penalty.reason == Reasons.FREEZE_CONFIRMED) {
            producers.reproach(penalty.agent, SlashingSchedule.POINTS_REASSIGNED, penalty.reason);
        }
    }

    /// @dev Of a recorded panel, and no more than the greatest fine of its reason.
    function settleVerifier(
        MarketStorage storage self,
        IConstitutionContract constitution,
        address verifier,
        uint64 slash,
        bytes32 reason
    ) external returns (uint64 slashed) {
        IProducerContract producers = _producers(constitution);
        if (!self.hasJudged(constitution, msg.sender, producers.principalOf(verifier)))
            revert IExecutionProcedure.NotOnPanel(msg.sender, verifier);
        uint64 most = reason == Reasons.EQUIVOCATION ? SlashingSchedule.EQUIVOCATION : SlashingSchedule.NO_SHOW;
        if (slash > most) revert IExecutionProcedure.SlashExceeded(most, slash);
        IProducerContract.Outcome memory outcome = IProducerContract.Outcome({
            agent: verifier,
            release: 0,
            scored: false,
            score: 0,
            reason: reason
        });
        return producers.settle(outcome, slash, address(0));
    }

    /// @dev Ends what a mission may end of a slot's lock, and bounds what it may take. The lock it returns is what is left of it.
    function _unlock(
        MarketStorage storage self,
        IExecutionProcedure.SlotPenalty calldata penalty
    ) private returns (uint64 ending, uint64 taken, Lock memory lock) {
        (uint8 node, address agent) = (penalty.node, penalty.agent);
        lock = self.locks[msg.sender][node][agent];
        if (!lock.awarded) revert IExecutionProcedure.NoBid(msg.sender, node, agent);
        uint64 locked = lock.amount;
        ending = penalty.release == SlashingSchedule.WHOLE ? locked : penalty.release;
        taken = penalty.slash == SlashingSchedule.WHOLE ? locked : penalty.slash;
        uint64 most = locked > SlashingSchedule.GREATEST ? locked : SlashingSchedule.GREATEST;
        if (ending > locked || taken > most) {
            revert IExecutionProcedure.LockExceeded(
                msg.sender,
                node,
                penalty.slot,
                locked,
                ending > locked ? ending : taken
            );
        }
        lock.amount = locked - ending;
        // A slot is settled once: what ended cannot be slashed a second time.
        if (ending == locked) delete self.locks[msg.sender][node][agent];
        else self.locks[msg.sender][node][agent] = lock;
    }

    /// @dev Several nodes at fault in one mission are one reproach.
    function _reproachOnce(MarketStorage storage self, IProducerContract producers, address agent) private {
        address principal = producers.principalOf(agent);
        if (self.terminated[msg.sender][principal]) return;
        self.terminated[msg.sender][principal] = true;
        producers.reproach(agent, SlashingSchedule.POINTS_TERMINATED, Reasons.TERMINATED);
    }

    function _producers(IConstitutionContract constitution) private view returns (IProducerContract) {
        return IProducerContract(constitution.at(Institution.PRODUCERS));
    }
}
