// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {ILegislativeProcedure} from "../../interfaces/ILegislativeProcedure.sol";
import {Condorcet} from "../../libraries/Condorcet.sol";
import {Docket, Support} from "./LegislationStorage.sol";

/// @title Proposals, their sponsors, and the ballot they make
/// @notice AgentCity 3.4 stage 1; decisions 9, 53.
library Candidacies {
    uint256 internal constant MAX_SPONSORSHIPS = 3;
    /// @dev With the status quo they fill the bits of `Support.sponsored`.
    uint256 internal constant MAX_PROPOSALS = 63;

    /// @notice Enters a proposal; its proposer is its first sponsor.
    function propose(
        Docket storage docket,
        uint256 session,
        address agent,
        address principal,
        bytes32 specHash
    ) internal returns (uint8 candidate) {
        Support storage given = docket.backing[agent];
        if (given.proposed) revert ILegislativeProcedure.AlreadyProposed(session, agent);
        candidate = docket.info.candidates;
        if (candidate > MAX_PROPOSALS) revert ILegislativeProcedure.TooManyCandidates(session, MAX_PROPOSALS);
        given.proposed = true;
        docket.info.candidates = candidate + 1;
        ILegislativeProcedure.Candidate storage entry = docket.candidates[candidate];
        entry.specHash = specHash;
        entry.principal = principal;
        entry.proposer = agent;
        _support(docket, session, agent, principal, candidate);
    }

    function sponsor(
        Docket storage docket,
        uint256 session,
        address agent,
        address principal,
        uint8 candidate
    ) internal {
        bool known = candidate != 0 && candidate < docket.info.candidates;
        if (!known || candidate == docket.info.drafted) {
            revert ILegislativeProcedure.UnknownCandidate(session, candidate);
        }
        _support(docket, session, agent, principal, candidate);
    }

    /// @notice Reverts if the proposal stood in the session of `origin`.
    function requireChanged(Docket storage origin, uint256 session, bytes32 specHash) internal view {
        uint256 count = origin.info.candidates;
        for (uint8 c = 1; c < count; ++c) {
            if (origin.candidates[c].specHash == specHash) {
                revert ILegislativeProcedure.UnchangedProposal(session, specHash);
            }
        }
    }

    /// @notice The status quo and the qualified candidates in candidate order, 16 at most: beyond that the best
    /// sponsored, the earlier on equal numbers.
    function qualified(Docket storage docket) internal view returns (uint8[] memory entries) {
        uint256 count = docket.info.candidates;
        uint256[] memory votes = new uint256[](count);
        uint8 minimum = docket.info.rules.minSponsors;
        uint256 kept = 1;
        for (uint8 c = 1; c < count; ++c) {
            ILegislativeProcedure.Candidate storage entry = docket.candidates[c];
            if (entry.sponsors < minimum || !entry.pluralistic) continue;
            votes[c] = entry.sponsors;
            ++kept;
        }
        for (; kept > Condorcet.MAX_CANDIDATES; --kept) votes[_weakest(votes)] = 0;
        entries = new uint8[](kept);
        uint256 next = 1;
        for (uint8 c = 1; c < count; ++c) {
            if (votes[c] != 0) entries[next++] = c;
        }
    }

    /// @notice Writes the ballot.
    function fix(Docket storage docket, uint8[] memory entries) internal {
        uint128 packed = 0;
        // At most sixteen entries of eight bits.
        for (uint256 e = 1; e < entries.length; ++e) packed |= uint128(entries[e]) << uint128(8 * e);
        docket.ballot = packed;
        docket.info.ballotSize = uint8(entries.length);
    }

    /// @notice The ballot: candidate numbers by entry.
    function ballotOf(Docket storage docket) internal view returns (uint8[] memory entries) {
        uint128 packed = docket.ballot;
        entries = new uint8[](docket.info.ballotSize);
        for (uint256 e = 1; e < entries.length; ++e) entries[e] = uint8(packed >> (8 * e));
    }

    function _support(
        Docket storage docket,
        uint256 session,
        address agent,
        address principal,
        uint8 candidate
    ) private {
        Support storage given = docket.backing[agent];
        uint64 bit = uint64(1) << candidate;
        if (given.sponsored & bit != 0) {
            revert ILegislativeProcedure.AlreadySponsored(session, agent, candidate);
        }
        if (given.sponsorships == MAX_SPONSORSHIPS) {
            revert ILegislativeProcedure.SponsorshipsExhausted(session, agent, MAX_SPONSORSHIPS);
        }
        given.sponsored |= bit;
        ++given.sponsorships;
        ILegislativeProcedure.Candidate storage entry = docket.candidates[candidate];
        ++entry.sponsors;
        if (principal != entry.principal) entry.pluralistic = true;
        emit ILegislativeProcedure.Sponsored(session, candidate, agent);
    }

    /// @dev The last of the least sponsored.
    function _weakest(uint256[] memory votes) private pure returns (uint256 weakest) {
        uint256 least = type(uint256).max;
        for (uint256 c = 1; c < votes.length; ++c) {
            if (votes[c] == 0 || votes[c] > least) continue;
            least = votes[c];
            weakest = c;
        }
    }
}
