// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {BasisPoints} from "./BasisPoints.sol";
import {Condorcet} from "./Condorcet.sol";

/// @title How alike two complete strict rankings are
/// @notice AgentCity 3.4, 3.6 (structural coordination detection). Kendall's τ compares every pair of candidates, Jaccard the
/// sets of the first k. Rankings are words as in `Condorcet`; figures are in ten-thousandths.
library RankCorrelation {
    /// @notice Fewer than two candidates have no order to compare.
    error NothingToCompare(uint256 m);
    /// @notice k is not in 1…m.
    error InvalidDepth(uint256 k, uint256 m);

    uint256 private constant _HUNDRED = 100;
    uint256 private constant _DEEPEST = 3;

    /// @notice Pairs of candidates that the two rankings put in opposite order.
    function discordant(uint64 a, uint64 b, uint256 m) internal pure returns (uint256 pairs) {
        _requireComparable(a, b, m);
        uint256 met = 0;
        // Of each candidate in a's order: how many that b puts behind it did a put before it?
        for (uint256 k = 0; k < m; ++k) {
            uint256 place = _placeOf((a >> (4 * k)) & 0xf, b);
            pairs += _ones(met >> place);
            met |= 1 << place;
        }
    }

    /// @notice Kendall's τ = 1 − 2·discordant / pairs, rounded toward zero: 10,000 the same order, −10,000 the reverse.
    function tau(uint64 a, uint64 b, uint256 m) internal pure returns (int256) {
        uint256 opposed = discordant(a, b, m);
        uint256 pairs = (m * (m - 1)) / 2;
        return ((int256(pairs) - 2 * int256(opposed)) * int256(BasisPoints.WHOLE)) / int256(pairs);
    }

    /// @notice Jaccard index of the two sets of first k: |common| / |either|, rounded down.
    function jaccard(uint64 a, uint64 b, uint256 m, uint256 k) internal pure returns (uint256) {
        uint256 common = _common(a, b, m, k);
        return (common * BasisPoints.WHOLE) / (2 * k - common);
    }

    /// @notice The k that is compared of m candidates: half of them, at most three, at least one.
    function depth(uint256 m) internal pure returns (uint256) {
        uint256 half = m / 2;
        if (half == 0) return 1;
        return half < _DEEPEST ? half : _DEEPEST;
    }

    /// @notice Whether both measures reach their thresholds, in hundredths. Exact: nothing is rounded.
    function isCorrelated(
        uint64 a,
        uint64 b,
        uint256 m,
        uint256 minTau,
        uint256 minJaccard
    ) internal pure returns (bool) {
        uint256 pairs = (m * (m - 1)) / 2;
        uint256 opposed = discordant(a, b, m);
        if (_HUNDRED * pairs < minTau * pairs + 2 * _HUNDRED * opposed) return false;
        uint256 k = depth(m);
        uint256 common = _common(a, b, m, k);
        return _HUNDRED * common >= minJaccard * (2 * k - common);
    }

    function _common(uint64 a, uint64 b, uint256 m, uint256 k) private pure returns (uint256) {
        _requireComparable(a, b, m);
        if (k == 0 || k > m) revert InvalidDepth(k, m);
        return _ones(_first(a, k) & _first(b, k));
    }

    /// @dev Bitmap of the candidates in the first k places.
    function _first(uint256 ranking, uint256 k) private pure returns (uint256 set) {
        for (; k != 0; --k) {
            set |= 1 << (ranking & 0xf);
            ranking >>= 4;
        }
    }

    function _placeOf(uint256 candidate, uint256 ranking) private pure returns (uint256 place) {
        while ((ranking >> (4 * place)) & 0xf != candidate) ++place;
    }

    function _ones(uint256 bits) private pure returns (uint256 count) {
        for (; bits != 0; bits &= bits - 1) ++count;
    }

    function _requireComparable(uint64 a, uint64 b, uint256 m) private pure {
        if (m < 2) revert NothingToCompare(m);
        Condorcet.requireRanking(a, m);
        Condorcet.requireRanking(b, m);
    }
}
