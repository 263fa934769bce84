// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {Dues} from "../../foundational/Dues.sol";
import {ILegislativeProcedure} from "../../interfaces/ILegislativeProcedure.sol";

/// @notice A producer's support in one session.
struct Support {
    /// The candidates it sponsors, sixteen bits each.
    uint48 sponsored;
    uint8 sponsorships;
    bool proposed;
}

/// @notice Voters of one session whose rankings were shown to be alike.
struct FlaggedVoters {
    /// Bit n of word w: the producer with index 256·w + n.
    mapping(uint256 word => uint256) voters;
    uint16 count;
    /// Those of them whom humans let vote.
    uint16 cleared;
    /// The session had its time again.
    bool prolonged;
    bytes32 caseHash;
    bytes32 released;
}

/// @notice Everything one session owns.
struct Docket {
    ILegislativeProcedure.Session info;
    /// Candidate numbers by ballot entry, sixteen bits each, entry 0 lowest.
    uint256 ballot;
    mapping(uint16 candidate => ILegislativeProcedure.Candidate) candidates;
    /// Laws that were proposed.
    mapping(bytes32 specHash => bool) stood;
    mapping(address agent => Support) backing;
    /// Rankings by producer index, lanes as in `BallotBox`; a non-zero lane has voted (decision 11).
    mapping(uint256 word => uint256) lanes;
    /// Rankings from before the debate, lanes as those of the ballots.
    mapping(uint256 word => uint256) straws;
    FlaggedVoters bloc;
    /// Pairwise counters of `Condorcet`; m = 16 fills all eight words.
    uint256[8] counters;
}

/// @notice Storage of LegislativeProcedure.
struct LegislationStorage {
    /// Sessions are numbered from 1.
    uint256 sessions;
    mapping(uint256 session => Docket) dockets;
    /// The last three sessions tallied that count for who stays away, one after the other, oldest overwritten.
    uint256[3] lastTallied;
    uint184 tallied;
    /// Of the last of them.
    uint32 talliedBlock;
    uint40 talliedAt;
    mapping(bytes32 subject => ILegislativeProcedure.Petition round) petitions;
    /// Backers of a round by producer index, bits as in `FlaggedVoters`.
    mapping(bytes32 round => mapping(uint256 word => uint256)) backers;
    /// Fees of cancelled sessions that the treasury did not take yet.
    Dues.Owed dues;
}
