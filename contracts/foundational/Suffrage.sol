// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {Checkpoints} from "@openzeppelin/contracts/utils/structs/Checkpoints.sol";
import {IProducerContract} from "../interfaces/IProducerContract.sol";
import {Reputation} from "../libraries/Reputation.sol";
import {Kind} from "../types/Roles.sol";
import {Absence, Account, Flags, Ledger, Portfolio} from "./Ledger.sol";

/// @title Who votes, and who counts toward turnout
/// @notice Decisions 10, 68, 91. A session keeps the electorate it began with: reputation, a lapse and notice given reach later sessions, a ban and
/// a principal's freeze every one. A linked library: it runs in ProducerContract's frame and storage. Who may call is checked there.
library Suffrage {
    using Checkpoints for Checkpoints.Trace224;

    /// @dev What keeps a producer out of the electorates of sessions that open.
    uint8 private constant _ABSENT = Flags.BANNED | Flags.LEAVING | Flags.LAPSED | Flags.NOVICE;

    /// @dev A producer with none of these votes by its account and its principal's alone; any of them needs `isElector`.
    uint8 internal constant QUESTIONABLE = _ABSENT | Flags.DOUBTED;

    /// @dev The number of whoever has none, and of whoever may not vote in a session (`IProducerContract.electorsOf`).
    uint16 internal constant NOBODY = type(uint16).max;

    uint256 private constant _MOST_VOUCHED = 20;
    uint256 private constant _VOUCHING_PERIOD = 30 days;

    // --- Linked ------------------------------------------------------------------------------------------------------

    /// @notice Raises a flag that ends the agent's part in later electorates.
    function raise(Ledger storage self, address agent, uint8 flag) external {
        _raise(self, agent, flag);
    }

    function lapse(Ledger storage self, address agent) external {
        Account storage account = self.accounts[agent];
        if (account.flags & (Flags.LAPSED | Flags.NOVICE) != 0) return;
        Absence storage absence = self.absences[agent];
        (absence.lapsedBlock, absence.countedFrom) = (uint32(block.number), account.registeredBlock);
        _raise(self, agent, Flags.LAPSED);
        emit IProducerContract.AgentLapsed(agent);
    }

    function attend(Ledger storage self, address agent) external {
        if (self.accounts[agent].flags & Flags.LAPSED == 0) return;
        _lower(self, agent, Flags.LAPSED);
        emit IProducerContract.AgentAttended(agent);
    }

    /// @notice Gives the vote, and a number with it: registering costs a deposit that comes back, which must not use numbers up.
    /// @param vouched by the Registrar, whoever holds the office: twenty in thirty days
    function enfranchise(Ledger storage self, address agent, bool vouched) external {
        Account storage account = self.accounts[agent];
        if (account.flags & Flags.NOVICE == 0) return;
        uint16 index = self.census.producers;
        if (index == NOBODY) {
            if (vouched) revert IProducerContract.ProducersExhausted();
            // Work is paid all the same.
            return;
        }
        if (vouched) _vouch(self);
        (account.index, self.census.producers) = (index, index + 1);
        _lower(self, agent, Flags.NOVICE);
        emit IProducerContract.AgentEnfranchised(agent, msg.sender);
    }

    function freezePrincipal(Ledger storage self, uint24 number, address principal, bool frozen) external {
        Portfolio storage portfolio = self.portfolios[number];
        if (portfolio.frozen == frozen) return;
        portfolio.frozen = frozen;
        self.freezes[number].push(uint32(block.number), frozen ? 1 : 0);
        // Sessions that open meanwhile count their electorate without these producers; those that had counted them have them back.
        portfolio.countedFrom = uint32(block.number);
        uint16 active = self.census.active;
        self.census.active = frozen ? active - portfolio.producers : active + portfolio.producers;
        emit IProducerContract.PrincipalFrozen(principal, frozen);
    }

    /// @notice Whether a producer may vote in a session that opened in that block with that floor of reputation, in whole points.
    function isElector(Ledger storage self, address agent, uint256 opened, uint256 floor) external view returns (bool) {
        Account storage account = self.accounts[agent];
        uint8 flags = account.flags;
        if (flags & (Flags.BANNED | Flags.NOVICE) != 0) return false;
        if (flags & Flags.LEAVING != 0 && self.absences[agent].leftBlock <= opened) return false;
        bool attending = flags & Flags.LAPSED == 0 && account.registeredBlock < opened;
        if (!attending && !_lapsedDuring(self, agent, opened)) return false;
        // No floor is above what everybody begins with.
        if (flags & Flags.DOUBTED != 0 && _wasBelow(self, agent, opened, floor)) return false;
        Portfolio storage portfolio = self.portfolios[account.principal];
        return !portfolio.frozen && !_wasFrozen(self, account.principal, portfolio.countedFrom, opened);
    }

    // --- Within ProducerContract -------------------------------------------------------------------------------------

    /// @notice One more producer of the principal counts toward turnout, or one less.
    function count(Ledger storage self, uint24 principal, bool enters) internal {
        Portfolio storage portfolio = self.portfolios[principal];
        if (enters) {
            ++portfolio.producers;
            if (!portfolio.frozen) ++self.census.active;
        } else {
            --portfolio.producers;
            if (!portfolio.frozen) --self.census.active;
        }
    }

    // --- Rules -------------------------------------------------------------------------------------------------------

    function _raise(Ledger storage self, address agent, uint8 flag) private {
        Account storage account = self.accounts[agent];
        bool counted = _counts(account);
        account.flags |= flag;
        if (counted) count(self, account.principal, false);
    }

    /// @dev For sessions that open later: those already open counted their electorate without it.
    function _lower(Ledger storage self, address agent, uint8 flag) private {
        Account storage account = self.accounts[agent];
        account.flags &= ~flag;
        account.registeredBlock = uint32(block.number);
        if (_counts(account)) count(self, account.principal, true);
    }

    function _vouch(Ledger storage self) private {
        uint256 place = self.vouchers++ % _MOST_VOUCHED;
        uint256 due = self.vouched[place] + _VOUCHING_PERIOD;
        // The low bits are seconds, which fit.
        if (block.timestamp < due) revert IProducerContract.VouchedEnough(_MOST_VOUCHED, uint40(due));
        self.vouched[place] = uint40(block.timestamp);
    }

    /// @dev Whether it counts toward turnout, its principal's freeze aside.
    function _counts(Account storage account) private view returns (bool) {
        return account.kind == Kind.PRODUCER && account.flags & _ABSENT == 0;
    }

    /// @dev Whether a session that opened then counted it, and it lapsed since: a lapse is for later sessions.
    function _lapsedDuring(Ledger storage self, address agent, uint256 opened) private view returns (bool) {
        Absence storage absence = self.absences[agent];
        return absence.lapsedBlock >= opened && absence.countedFrom < opened;
    }

    /// @dev Whether its reputation was below the floor at the end of the block before.
    function _wasBelow(Ledger storage self, address agent, uint256 opened, uint256 floor) private view returns (bool) {
        // Blocks fit 32 bits. Session 0, of block 0, counted nobody.
        uint256 lost = self.losses[agent].upperLookupRecent(uint32(opened) - 1);
        return Reputation.points(Reputation.INITIAL - lost) < floor;
    }

    /// @dev Whether a session that opened in a block may have counted its electorate without the principal's producers: it was frozen then, or
    /// that changed in this very block. The session that never was, of block 0, counted nobody.
    function _wasFrozen(
        Ledger storage self,
        uint24 number,
        uint32 countedFrom,
        uint256 opened
    ) private view returns (bool) {
        if (countedFrom < opened) return false;
        if (opened == 0) return true;
        Checkpoints.Trace224 storage freezes = self.freezes[number];
        // A block's number fits until the year 2106.
        uint32 at = uint32(opened);
        return freezes.upperLookupRecent(at) != 0 || freezes.upperLookupRecent(at - 1) != 0;
    }
}
