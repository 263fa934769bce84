// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

/// @title Copeland with Minimax over complete strict rankings
/// @notice AgentCity 3.4. Ballots rank all m candidates, so n_ij + n_ji = ballots and the upper triangle is enough:
/// pair (i < j) is a 16-bit counter of the ballots that put i before j, sixteen to a word, row by row.
///
/// Order of the candidates, best first:
/// 1. Copeland points: 2 for each rival beaten, 1 for each tied with.
/// 2. Minimax: the smaller worst opposition max_j n_ji over *all* rivals. With complete strict rankings this orders
///    defeats as margins and winning votes do, so the choice among the three measures is none.
/// 3. keccak256(seed, candidate), higher first. The seed is fixed before the first ballot; the place of a candidate in
///    the list never decides.
library Condorcet {
    /// @notice Not a permutation of 0…m−1 with zero nibbles beyond it, or m outside 1–16.
    error InvalidRanking(uint64 ranking, uint256 m);

    uint256 internal constant MAX_CANDIDATES = 16;
    /// @notice A counter holds no more; batches therefore never carry into a neighbour.
    uint256 internal constant MAX_BALLOTS = type(uint16).max;
    /// @dev One in each of sixteen lanes.
    uint256 private constant LANES = 0x0001000100010001000100010001000100010001000100010001000100010001;

    /// @notice Reverts unless `ranking` is complete and strict. Nibble k, lowest first, is the candidate in place k.
    function requireRanking(uint64 ranking, uint256 m) internal pure {
        uint256[16] memory rows;
        count(rows, ranking, m);
    }

    /// @notice Number of the counter of pair (i, j), i < j < m.
    function pairIndex(uint256 i, uint256 j, uint256 m) internal pure returns (uint256) {
        unchecked {
            return (i * (2 * m - i - 1)) / 2 + (j - i - 1);
        }
    }

    /// @notice Words that hold the m(m−1)/2 counters.
    function words(uint256 m) internal pure returns (uint256) {
        unchecked {
            return ((m * (m - 1)) / 2 + 15) / 16;
        }
    }

    /// @notice Checks one ranking and counts it: lane j of row i, sixteen bits each, counts the ballots that put i before j.
    /// @dev One addition a place. The caller keeps the number of ballots ≤ MAX_BALLOTS.
    function count(uint256[16] memory rows, uint64 ranking, uint256 m) internal pure {
        if (m == 0 || m > MAX_CANDIDATES) revert InvalidRanking(ranking, m);
        unchecked {
            uint256 rest = ranking;
            uint256 behind = LANES >> (256 - 16 * m);
            for (uint256 places = m - 1; places != 0; --places) {
                uint256 c = rest & 0xf;
                rest >>= 4;
                behind ^= 1 << (c << 4);
                rows[c] += behind;
            }
            // m nibbles leave no lane only if each of the m lowest was met exactly once; the last has none behind it.
            if (rest > 0xf || behind != 1 << (rest << 4)) revert InvalidRanking(ranking, m);
        }
    }

    /// @notice Adds counted rows to the counters: of row i the lanes beyond i, which lie there side by side.
    function fold(uint256[] memory counters, uint256[16] memory rows, uint256 m) internal pure {
        unchecked {
            uint256 first = 0;
            for (uint256 i = 0; i + 1 < m; ++i) {
                uint256 row = rows[i] >> (16 * (i + 1));
                uint256 shift = 16 * (first % 16);
                counters[first / 16] += row << shift;
                uint256 rest = shift == 0 ? 0 : row >> (256 - shift);
                if (rest != 0) counters[first / 16 + 1] += rest;
                first += m - i - 1;
            }
        }
    }

    /// @notice n_ij: how many of the ballots put i before j. Zero for i = j.
    function prefers(
        uint256[] memory counters,
        uint256 i,
        uint256 j,
        uint256 m,
        uint256 ballots
    ) internal pure returns (uint256) {
        if (i == j) return 0;
        return i < j ? _counter(counters, pairIndex(i, j, m)) : ballots - _counter(counters, pairIndex(j, i, m));
    }

    /// @notice All candidates, best first, and the first of them.
    function winner(
        uint256[] memory counters,
        uint256 m,
        uint256 ballots,
        bytes32 seed
    ) internal pure returns (uint8 best, uint8[] memory order) {
        if (m == 0 || m > MAX_CANDIDATES) revert InvalidRanking(0, m);
        order = new uint8[](m);
        uint256[] memory keys = new uint256[](m);
        for (uint256 c = 0; c < m; ++c) {
            uint256 key = _key(counters, c, m, ballots, seed);
            uint256 place = c;
            for (; place > 0 && keys[place - 1] < key; --place) {
                keys[place] = keys[place - 1];
                order[place] = order[place - 1];
            }
            keys[place] = key;
            // At most sixteen candidates.
            order[place] = uint8(c);
        }
        best = order[0];
    }

    /// @dev The three criteria as one number, higher is better: points, then MAX_BALLOTS − worst opposition, then hash.
    function _key(
        uint256[] memory counters,
        uint256 c,
        uint256 m,
        uint256 ballots,
        bytes32 seed
    ) private pure returns (uint256) {
        uint256 points = 0;
        uint256 worst = 0;
        for (uint256 rival = 0; rival < m; ++rival) {
            if (rival == c) continue;
            uint256 against = prefers(counters, rival, c, m, ballots);
            uint256 support = ballots - against;
            if (support > against) points += 2;
            else if (support == against) points += 1;
            if (against > worst) worst = against;
        }
        uint256 chance = uint256(keccak256(abi.encode(seed, c)));
        return (points << 248) | ((MAX_BALLOTS - worst) << 232) | (chance >> 24);
    }

    function _counter(uint256[] memory counters, uint256 index) private pure returns (uint256) {
        return (counters[index / 16] >> (16 * (index % 16))) & 0xffff;
    }
}
