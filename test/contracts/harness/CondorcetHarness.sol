// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {Condorcet} from "../../../contracts/libraries/Condorcet.sol";

/// @dev Batched doors to the tally.
contract CondorcetHarness {
    struct Election {
        uint64[] rankings;
        uint256 m;
        bytes32 seed;
    }

    struct Outcome {
        uint8 winner;
        uint8[] order;
        uint256[] pairwise;
    }

    function tally(Election[] memory elections) external pure returns (Outcome[] memory outcomes) {
        outcomes = new Outcome[](elections.length);
        for (uint256 e = 0; e < elections.length; ++e) {
            uint256 m = elections[e].m;
            uint64[] memory rankings = elections[e].rankings;
            uint256[] memory counters = new uint256[](Condorcet.words(m));
            uint256[16] memory rows;
            for (uint256 b = 0; b < rankings.length; ++b) Condorcet.count(rows, rankings[b], m);
            Condorcet.fold(counters, rows, m);
            Outcome memory o = outcomes[e];
            (o.winner, o.order) = Condorcet.winner(counters, m, rankings.length, elections[e].seed);
            o.pairwise = new uint256[](m * m);
            for (uint256 k = 0; k < m * m; ++k) {
                o.pairwise[k] = Condorcet.prefers(counters, k / m, k % m, m, rankings.length);
            }
        }
    }

    function requireRanking(uint64 ranking, uint256 m) public pure {
        Condorcet.requireRanking(ranking, m);
    }

    function valid(uint64[] memory rankings, uint256[] memory m) external view returns (bool[] memory ok) {
        ok = new bool[](rankings.length);
        for (uint256 i = 0; i < rankings.length; ++i) {
            try this.requireRanking(rankings[i], m[i]) {
                ok[i] = true;
            } catch {}
        }
    }

    function add(uint256[] memory counters, uint64 ranking, uint256 m) external pure returns (uint256[] memory) {
        uint256[16] memory rows;
        Condorcet.count(rows, ranking, m);
        Condorcet.fold(counters, rows, m);
        return counters;
    }
}
