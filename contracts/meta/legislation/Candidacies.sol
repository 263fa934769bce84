// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {ILegislativeProcedure} from "../../interfaces/ILegislativeProcedure.sol";
import {Condorcet} from "../../libraries/Condorcet.sol";
import {Docket, LegislationStorage, Support} from "./LegislationStorage.sol";

/// @title Proposals, their sponsors, and the ballot they make
/// @notice AgentCity 3.4 stage 1; decisions 9, 53. Every voter may propose, so that no coalition can fill the places for proposals. What
/// is bounded is the ballot; it is kept up to date with every sponsorship, so that nothing ever counts through all proposals.
library Candidacies {
    uint256 internal constant MAX_SPONSORSHIPS = 3;
    /// @dev Bits of a candidate's number. There are fewer candidates than producers, whose indices have as many.
    uint256 private constant _WIDTH = 16;

    /// @notice Enters a proposal; its proposer is its first sponsor. What stood in the session that this one takes up again has to change.
    function propose(
        LegislationStorage storage self,
        uint256 session,
        address agent,
        address principal,
        bytes32 specHash
    ) internal returns (uint16 candidate) {
        Docket storage docket = self.dockets[session];
        // Of a session that takes up none, zero, in which nothing stood.
        uint256 origin = docket.info.origin;
        if (self.dockets[origin].stood[specHash]) revert ILegislativeProcedure.UnchangedProposal(origin, specHash);
        Support storage given = docket.backing[agent];
        if (given.proposed) revert ILegislativeProcedure.AlreadyProposed(session, agent);
        given.proposed = true;
        candidate = docket.info.candidates++;
        docket.stood[specHash] = true;
        ILegislativeProcedure.Candidate storage entry = docket.candidates[candidate];
        entry.specHash = specHash;
        entry.principal = principal;
        (entry.proposer, entry.sponsors) = (agent, 1);
        _give(given, session, agent, candidate);
    }

    function sponsor(
        Docket storage docket,
        uint256 session,
        address agent,
        address principal,
        uint16 candidate
    ) internal {
        bool known = candidate != 0 && candidate < docket.info.candidates;
        if (!known || candidate == docket.info.drafted) {
            revert ILegislativeProcedure.UnknownCandidate(session, candidate);
        }
        _give(docket.backing[agent], session, agent, candidate);
        ILegislativeProcedure.Candidate storage entry = docket.candidates[candidate];
        uint16 sponsors = ++entry.sponsors;
        if (principal != entry.principal) entry.pluralistic = true;
        if (sponsors >= docket.info.rules.minSponsors && entry.pluralistic) _list(docket, candidate, sponsors);
    }

    /// @notice Lists one candidate, whoever its sponsors.
    function listAlone(Docket storage docket, uint16 candidate) internal returns (uint16[] memory) {
        docket.ballot = uint256(candidate) << _WIDTH;
        return listed(docket);
    }

    /// @notice Makes the listed candidates the ballot.
    function fix(Docket storage docket, uint16[] memory entries) internal {
        // At most sixteen.
        docket.info.ballotSize = uint8(entries.length);
    }

    /// @notice The ballot: candidate numbers by entry. Empty before it is fixed.
    function ballotOf(Docket storage docket) internal view returns (uint16[] memory entries) {
        if (docket.info.ballotSize != 0) return listed(docket);
    }

    /// @notice The status quo and the qualified candidates in candidate order, 16 at most: beyond that the best
    /// sponsored, the earlier on equal numbers.
    function listed(Docket storage docket) internal view returns (uint16[] memory entries) {
        uint256 packed = docket.ballot;
        uint256 size = 1;
        while (size < Condorcet.MAX_CANDIDATES && packed >> (_WIDTH * size) != 0) ++size;
        entries = new uint16[](size);
        // The low bits are the entry.
        for (uint256 e = 1; e < size; ++e) entries[e] = uint16(packed >> (_WIDTH * e));
    }

    /// @dev Takes one of a producer's sponsorships.
    function _give(Support storage given, uint256 session, address agent, uint16 candidate) private {
        (uint48 sponsored, uint256 count) = (given.sponsored, given.sponsorships);
        for (uint256 i = 0; i < count; ++i) {
            if (uint16(sponsored >> (_WIDTH * i)) == candidate) {
                revert ILegislativeProcedure.AlreadySponsored(session, agent, candidate);
            }
        }
        if (count == MAX_SPONSORSHIPS) {
            revert ILegislativeProcedure.SponsorshipsExhausted(session, agent, MAX_SPONSORSHIPS);
        }
        // At most three, of sixteen bits each.
        given.sponsored = sponsored | (uint48(candidate) << uint48(_WIDTH * count));
        given.sponsorships = uint8(count + 1);
        emit ILegislativeProcedure.Sponsored(session, candidate, agent);
    }

    /// @dev Numbers of sponsors only grow, and each who gains one comes by here: who is not listed is behind all who are.
    function _list(Docket storage docket, uint16 candidate, uint256 sponsors) private {
        uint16[] memory entries = listed(docket);
        uint256 last = entries.length - 1;
        for (uint256 e = 1; e <= last; ++e) {
            if (entries[e] == candidate) return;
        }
        if (entries.length < Condorcet.MAX_CANDIDATES) {
            docket.ballot = _insert(entries, 0, candidate);
            return;
        }
        (uint256 weakest, uint256 least) = _weakest(docket, entries);
        bool ahead = sponsors > least || (sponsors == least && candidate < entries[weakest]);
        if (ahead) docket.ballot = _insert(entries, weakest, candidate);
    }

    /// @dev The ballot's word with a candidate in its order, without the entry at `dropped` (0 = with all).
    function _insert(uint16[] memory entries, uint256 dropped, uint16 candidate) private pure returns (uint256 packed) {
        uint256 next = 1;
        bool placed = false;
        for (uint256 e = 1; e < entries.length; ++e) {
            if (e == dropped) continue;
            if (!placed && entries[e] > candidate) {
                packed |= uint256(candidate) << (_WIDTH * next++);
                placed = true;
            }
            packed |= uint256(entries[e]) << (_WIDTH * next++);
        }
        if (!placed) packed |= uint256(candidate) << (_WIDTH * next);
    }

    /// @dev The last of the least sponsored.
    function _weakest(
        Docket storage docket,
        uint16[] memory entries
    ) private view returns (uint256 weakest, uint256 least) {
        least = type(uint256).max;
        for (uint256 e = 1; e < entries.length; ++e) {
            uint256 sponsors = docket.candidates[entries[e]].sponsors;
            if (sponsors <= least) (weakest, least) = (e, sponsors);
        }
    }
}
