// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {Checkpoints} from "@openzeppelin/contracts/utils/structs/Checkpoints.sol";
import {Kind} from "../types/Roles.sol";
import {Dues} from "./Dues.sol";

/// @notice What every act of an agent reads and every settlement writes, in one word (decision 90). Blocks in 32 bits last until the
/// year 2106.
struct Account {
    uint56 held;
    uint56 locked;
    /// Thousandths of a point.
    uint24 reputation;
    /// Number of its principal.
    uint24 principal;
    uint16 index;
    uint32 registeredBlock;
    /// Last bytes of the address of the market that locked last.
    uint24 market;
    /// Found, and neither settled nor appealed away: 255 at most, more are not counted.
    uint8 faults;
    Kind kind;
    uint8 flags;
}

/// @notice What seldom changes.
struct Profile {
    uint160 capabilities;
    uint32 registeredAt;
    uint56 earlier;
}

/// @notice What only an agent on its way out, absent or frozen has.
struct Absence {
    uint40 unbondingUntil;
    /// When it lapsed last, and since when it had counted until then.
    uint32 lapsedBlock;
    uint32 countedFrom;
    uint40 frozenUntil;
    /// When it gave notice.
    uint32 leftBlock;
}

/// @notice One word per principal.
struct Portfolio {
    address principal;
    bool frozen;
    /// Producers of this principal that would count toward turnout if it were not frozen.
    uint16 producers;
    /// When it was last frozen or let go.
    uint32 countedFrom;
    uint40 nonce;
}

/// @notice How many there have been, and how many producers count toward turnout now.
struct Census {
    uint16 producers;
    uint16 active;
    uint24 principals;
}

/// @notice Storage that ProducerContract shares with its linked libraries.
struct Ledger {
    mapping(address agent => Account account) accounts;
    mapping(address agent => Profile profile) profiles;
    mapping(address agent => Absence absence) absences;
    mapping(uint24 number => Portfolio portfolio) portfolios;
    Census census;
    /// Of `Account.faults`, those that a market found.
    mapping(address market => mapping(address agent => uint8 faults)) found;
    /// Slashed, and not taken by the treasury yet.
    Dues.Owed dues;
    /// What retired markets took from verifiers, who lock nothing.
    mapping(address market => mapping(address verifier => uint64 taken)) charged;
    /// When the Registrar vouched for the last twenty, oldest overwritten.
    mapping(uint256 place => uint40 at) vouched;
    uint256 vouchers;
    /// Of a principal's number, whether it was frozen, from each block on in which that changed.
    mapping(uint24 number => Checkpoints.Trace224 freezes) freezes;
    /// How much reputation a `Flags.DOUBTED` agent had lost of what it began with, from each block on in which that changed.
    mapping(address agent => Checkpoints.Trace224 losses) losses;
}

/// @title Bits of `Account.flags`
library Flags {
    uint8 internal constant BANNED = 1;
    uint8 internal constant LEAVING = 2;
    uint8 internal constant LAPSED = 4;
    /// Until `Absence.frozenUntil`.
    uint8 internal constant FROZEN = 8;
    /// Part of `locked` is of markets before the last one, `Profile.earlier`.
    uint8 internal constant DIVIDED = 16;
    /// Came after the founding, and was neither paid for a slot nor vouched for yet: it works and has no vote.
    uint8 internal constant NOVICE = 32;
    /// Its reputation has been below what it began with.
    uint8 internal constant DOUBTED = 64;
}
