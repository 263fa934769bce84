// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

/// @title When freezes become an emergency stop
/// @notice AgentCity B.11.3. Three words hold an agent's last freezes in a mission: word 0 their total (bits 0–7), a flag per place
/// that it was a false positive (bits 8–30) and places 0–6 (32 bits each, from bit 32); words 1 and 2 eight places each. Freeze
/// number n is in place n mod 23, more than the greatest threshold of 17. A time is unix seconds in 32 bits.
library Escalation {
    /// @notice The log does not hold a freeze of that number.
    error UnknownFreeze(uint256 index, uint256 total);
    /// @notice That freeze was classified before.
    error AlreadyClassified(uint256 index);

    uint256 internal constant PLACES = 23;
    /// Saturation of the total: with one more freeze there is an emergency regardless of time.
    uint256 internal constant MAX_TOTAL = 255;
    /// Places in word 0: who has no more freezes has no other word.
    uint256 internal constant IN_FIRST = 7;
    uint256 private constant PER_WORD = 8;
    uint256 private constant FLAGS_FROM = 8;
    uint256 private constant MAX_REPUTATION = 1000;
    /// Windows stop doubling here: two hours doubled 32 times is longer than any city.
    uint256 private constant MAX_DOUBLINGS = 32;

    /// @notice T_eff = base + ⌊ρ·bonus/1000⌋ freezes make a stop.
    /// @param rho whole points of reputation
    function threshold(uint256 base, uint256 bonus, uint256 rho) internal pure returns (uint256) {
        return base + (rho * bonus) / MAX_REPUTATION;
    }

    /// @notice W_n = base·2ⁿ seconds after n cleared stops.
    function window(uint256 base, uint256 cleared) internal pure returns (uint256) {
        return base << (cleared < MAX_DOUBLINGS ? cleared : MAX_DOUBLINGS);
    }

    /// @notice Freezes since `since` that were not ruled false positives.
    function recent(uint256[3] memory log, uint256 since) internal pure returns (uint256 count) {
        uint256 total = totalOf(log);
        uint256 kept = total < PLACES ? total : PLACES;
        for (uint256 place = 0; place < kept; ++place) {
            if (!_isDismissed(log, place) && _at(log, place) >= since) ++count;
        }
    }

    /// @notice Notes a freeze, in the place of the oldest one when all are taken. A full total takes no more.
    function add(uint256[3] memory log, uint256 time) internal pure {
        uint256 total = totalOf(log);
        if (total == MAX_TOTAL) return;
        uint256 place = total % PLACES;
        (uint256 word, uint256 shift) = _where(place);
        // Seconds fit until the year 2106.
        log[word] = (log[word] & ~(uint256(type(uint32).max) << shift)) | (uint256(uint32(time)) << shift);
        log[0] = (log[0] & ~(uint256(1) << (FLAGS_FROM + place))) + 1;
    }

    /// @notice Takes freeze `index` out of the count.
    function dismiss(uint256[3] memory log, uint256 index) internal pure {
        uint256 total = totalOf(log);
        if (index >= total || index + PLACES < total) revert UnknownFreeze(index, total);
        uint256 place = index % PLACES;
        if (_isDismissed(log, place)) revert AlreadyClassified(index);
        log[0] |= uint256(1) << (FLAGS_FROM + place);
    }

    function totalOf(uint256[3] memory log) internal pure returns (uint256) {
        return log[0] & MAX_TOTAL;
    }

    function _isDismissed(uint256[3] memory log, uint256 place) private pure returns (bool) {
        return (log[0] >> (FLAGS_FROM + place)) & 1 == 1;
    }

    function _at(uint256[3] memory log, uint256 place) private pure returns (uint256) {
        (uint256 word, uint256 shift) = _where(place);
        return uint32(log[word] >> shift);
    }

    function _where(uint256 place) private pure returns (uint256 word, uint256 shift) {
        if (place < IN_FIRST) return (0, 32 * (place + 1));
        uint256 rest = place - IN_FIRST;
        return (1 + rest / PER_WORD, 32 * (rest % PER_WORD));
    }
}
