// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {Checkpoints} from "@openzeppelin/contracts/utils/structs/Checkpoints.sol";
import {IConstitutionContract} from "../interfaces/IConstitutionContract.sol";
import {IEvidenceRegistry} from "../interfaces/IEvidenceRegistry.sol";
import {IProducerContract} from "../interfaces/IProducerContract.sol";
import {ITreasury} from "../interfaces/ITreasury.sol";
import {BasisPoints} from "../libraries/BasisPoints.sol";
import {Reputation} from "../libraries/Reputation.sol";
import {SlashingSchedule} from "../libraries/SlashingSchedule.sol";
import {Param} from "../types/Params.sol";
import {Institution, Kind, Standing} from "../types/Roles.sol";
import {Dues} from "./Dues.sol";
import {Account, Flags, Ledger} from "./Ledger.sol";

/// @title What an account has at stake, and what outcomes do to it
/// @notice Decision 6. A linked library: it runs in ProducerContract's frame and storage. Who may call is checked there.
library Stakes {
    using Checkpoints for Checkpoints.Trace224;
    using Dues for Dues.Owed;

    /// What a retired market takes from one verifier at most, over all: its missions' panels still answer for two absences.
    uint64 private constant _MOST_CHARGED = 2 * SlashingSchedule.NO_SHOW;

    // --- Locks and outcomes ------------------------------------------------------------------------------------------

    function lock(Ledger storage self, IConstitutionContract constitution, address agent, uint64 amount) external {
        Account memory account = staked(self, agent);
        if (account.market != _tag(msg.sender)) {
            account.market = _tag(msg.sender);
            account.flags &= ~Flags.DIVIDED;
            if (account.locked != 0) {
                account.flags |= Flags.DIVIDED;
                self.profiles[agent].earlier = account.locked;
            }
        }
        uint256 reserved = uint256(account.locked) + constitution.paramInUnits(Param.REGISTRATION_STAKE);
        uint64 free = account.held > reserved ? uint64(account.held - reserved) : 0;
        if (amount > free) revert IProducerContract.InsufficientFreeStake(agent, free, amount);
        // At most what is held, which fits.
        account.locked += uint56(amount);
        self.accounts[agent] = account;
        emit IProducerContract.StakeLocked(agent, amount);
    }

    /// @param standing of the market that calls
    /// @param settler who is rewarded for it; zero for nobody
    function settle(
        Ledger storage self,
        IConstitutionContract constitution,
        Standing standing,
        IProducerContract.Outcome calldata outcome,
        uint64 penalty,
        address settler
    ) external returns (uint64 slashed) {
        address agent = outcome.agent;
        Account memory account = staked(self, agent);
        uint56 released;
        (slashed, released) = _apply(self, account, standing, outcome, penalty, _lambda(constitution));
        self.accounts[agent] = account;
        _emitReleased(agent, released);
        _hand(self, constitution, agent, account, slashed, outcome.reason, settler);
    }

    /// @notice Outcomes that take no stake. Those of one agent that follow one another write its account once.
    function settleAll(
        Ledger storage self,
        IConstitutionContract constitution,
        Standing standing,
        IProducerContract.Outcome[] calldata outcomes
    ) external {
        uint256 lambda = _lambda(constitution);
        // At most the executors of the nodes that a claim names.
        for (uint256 i = 0; i < outcomes.length;) {
            address agent = outcomes[i].agent;
            Account memory account = staked(self, agent);
            uint56 freed = 0;
            for (; i < outcomes.length && outcomes[i].agent == agent; ++i) {
                (, uint56 released) = _apply(self, account, standing, outcomes[i], 0, lambda);
                freed += released;
            }
            self.accounts[agent] = account;
            _emitReleased(agent, freed);
        }
    }

    /// @notice A sanction of the city: no lock ends.
    function slash(
        Ledger storage self,
        IConstitutionContract constitution,
        address agent,
        uint64 amount,
        bytes32 reason
    ) external returns (uint64 slashed) {
        Account memory account = staked(self, agent);
        (slashed, ) = _take(self, agent, account, 0, amount);
        self.accounts[agent] = account;
        _hand(self, constitution, agent, account, slashed, reason, address(0));
    }

    /// @notice Moves reputation by whole points.
    function adjust(Ledger storage self, address agent, int256 delta, bytes32 reason) external {
        Account memory account = self.accounts[agent];
        _setReputation(self, agent, account, Reputation.adjust(account.reputation, delta), reason);
        self.accounts[agent] = account;
    }

    // --- Open faults -------------------------------------------------------------------------------------------------

    /// @param standing of the market that calls: a retired one accuses those alone whose locks it made
    /// @return counted whether it has to be discharged
    function accuse(Ledger storage self, Standing standing, address agent) external returns (bool counted) {
        Account memory account = staked(self, agent);
        bool reached = standing == Standing.CURRENT || _lockedUnder(self, agent, account, msg.sender) != 0;
        counted = reached && account.faults != type(uint8).max;
        if (!counted) return false;
        ++self.found[msg.sender][agent];
        emit IProducerContract.AgentAccused(agent, ++account.faults);
        self.accounts[agent] = account;
    }

    /// @notice Ends one of the faults that the caller counted.
    function discharge(Ledger storage self, address agent) external {
        uint8 found = self.found[msg.sender][agent];
        if (found == 0) revert IProducerContract.NotAccused(agent, msg.sender);
        self.found[msg.sender][agent] = found - 1;
        emit IProducerContract.AgentDischarged(agent, --self.accounts[agent].faults);
    }

    /// @notice What a bid rests on while faults are open, whole points.
    function burdenedOf(
        Ledger storage self,
        IConstitutionContract constitution,
        address agent
    ) external view returns (uint16) {
        Account storage account = self.accounts[agent];
        uint256 left = Reputation.burdened(account.reputation, account.faults, _lambda(constitution));
        // At most 1000 points.
        return uint16(Reputation.points(left));
    }

    // --- Shared with ProducerContract --------------------------------------------------------------------------------

    /// @dev Clerks hold no stake, adjudicators theirs in the roster.
    function staked(Ledger storage self, address agent) internal view returns (Account memory account) {
        account = self.accounts[agent];
        if (account.kind == Kind.NONE) revert IProducerContract.NotRegistered(agent);
        if (account.kind != Kind.PRODUCER && account.kind != Kind.VERIFIER) {
            revert IProducerContract.WrongKind(agent, account.kind);
        }
    }

    /// @dev Who cannot lose what an absence costs has no say.
    function retire(IConstitutionContract constitution, address agent, Kind kind) internal {
        if (kind != Kind.VERIFIER) return;
        IEvidenceRegistry(constitution.at(Institution.EVIDENCE)).retire(agent);
    }

    // --- Rules -------------------------------------------------------------------------------------------------------

    /// @dev The caller stores the account.
    function _apply(
        Ledger storage self,
        Account memory account,
        Standing standing,
        IProducerContract.Outcome calldata outcome,
        uint64 penalty,
        uint256 lambda
    ) private returns (uint64 slashed, uint56 released) {
        (uint64 release, bool scored) = (outcome.release, outcome.scored);
        if (standing == Standing.RETIRED) {
            // What it may take, and whom it may score: those whose locks it made, and no more than these.
            uint64 reach = _lockedUnder(self, outcome.agent, account, msg.sender);
            scored = scored && reach != 0;
            // Who sits on a panel locks nothing for it.
            if (account.kind == Kind.VERIFIER) reach = _charge(self, outcome.agent, penalty);
            (release, penalty) = (release < reach ? release : reach, penalty < reach ? penalty : reach);
        }
        (slashed, released) = _take(self, outcome.agent, account, release, penalty);
        if (!scored) return (slashed, released);
        uint256 score = outcome.score < BasisPoints.WHOLE ? outcome.score : BasisPoints.WHOLE;
        uint256 value = Reputation.ema(account.reputation, score, lambda);
        _setReputation(self, outcome.agent, account, value, outcome.reason);
    }

    /// @dev What a retired market may still take from a verifier, which counts as taken.
    function _charge(Ledger storage self, address verifier, uint64 penalty) private returns (uint64 reach) {
        uint64 taken = self.charged[msg.sender][verifier];
        reach = _MOST_CHARGED - taken;
        if (penalty < reach) reach = penalty;
        self.charged[msg.sender][verifier] = taken + reach;
    }

    /// @dev Stake is fungible: what is slashed leaves `held`, so it comes out of the lock that ends here, then out of
    /// what is free, then out of the registration stake. Only when all that is gone do other locks shrink.
    function _take(
        Ledger storage self,
        address agent,
        Account memory account,
        uint64 release,
        uint64 atMost
    ) private returns (uint64 slashed, uint56 released) {
        // All are at most what the account held, which fits.
        (uint56 held, uint56 locked) = (account.held, account.locked);
        released = release < locked ? uint56(release) : locked;
        slashed = atMost < held ? atMost : held;
        held -= uint56(slashed);
        locked -= released;
        locked = locked < held ? locked : held;
        if (account.flags & Flags.DIVIDED != 0) {
            uint56 earlier = self.profiles[agent].earlier;
            if (account.market != _tag(msg.sender)) earlier -= released < earlier ? released : earlier;
            self.profiles[agent].earlier = earlier < locked ? earlier : locked;
        }
        (account.held, account.locked) = (held, locked);
    }

    function _emitReleased(address agent, uint56 released) private {
        if (released != 0) emit IProducerContract.StakeReleased(agent, released);
    }

    /// @dev Who settled a fault is rewarded; of the rest half is the treasury's, half, and the odd unit, the insurance's.
    function _hand(
        Ledger storage self,
        IConstitutionContract constitution,
        address agent,
        Account memory account,
        uint64 slashed,
        bytes32 reason,
        address settler
    ) private {
        if (slashed == 0) return;
        if (account.held < 2 * SlashingSchedule.NO_SHOW) retire(constitution, agent, account.kind);
        IERC20 token = IERC20(constitution.at(Institution.TOKEN));
        ITreasury treasury = ITreasury(constitution.at(Institution.TREASURY));
        self.dues.share(token, treasury, slashed, reason, settler);
        emit IProducerContract.StakeSlashed(agent, slashed, reason);
    }

    /// @dev What is lost of what everybody begins with is kept by blocks: sessions ask what it was when they opened (decision 68).
    function _setReputation(
        Ledger storage self,
        address agent,
        Account memory account,
        uint256 value,
        bytes32 reason
    ) private {
        if (value < Reputation.INITIAL || account.reputation < Reputation.INITIAL) {
            account.flags |= Flags.DOUBTED;
            uint256 lost = value < Reputation.INITIAL ? Reputation.INITIAL - value : 0;
            // At most `Reputation.INITIAL`.
            self.losses[agent].push(uint32(block.number), uint224(lost));
        }
        // At most `Reputation.MAX`, a million.
        emit IProducerContract.ReputationChanged(agent, account.reputation, uint32(value), reason);
        account.reputation = uint24(value);
    }

    /// @dev All but what came after: of one who is not the last to have locked, what was locked before the last began to.
    function _lockedUnder(
        Ledger storage self,
        address agent,
        Account memory account,
        address market
    ) private view returns (uint64) {
        if (account.market == _tag(market)) return account.locked;
        return account.flags & Flags.DIVIDED != 0 ? self.profiles[agent].earlier : 0;
    }

    function _lambda(IConstitutionContract constitution) private view returns (uint256) {
        return constitution.param(Param.REPUTATION_SMOOTHING);
    }

    function _tag(address market) private pure returns (uint24) {
        // The low bits tell markets apart: they are few, and two thirds of the seats choose each.
        return uint24(uint160(market));
    }
}
