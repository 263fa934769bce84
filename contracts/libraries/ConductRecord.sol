// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

/// @title How an adjudicator has decided lately, and when that is an anomaly (AgentCity B.12; decision 30)
/// @notice Days are counted from the Unix epoch. A word holds eight days, day d in lane d mod 8 of 32 bits: approvals (12), decisions
/// (12), weakening changes (8). A lane that is full stays full.
library ConductRecord {
    /// @notice The constitution's WATCHDOG parameters.
    struct Limits {
        /// Days.
        uint256 window;
        /// Percent; more is an anomaly.
        uint256 rate;
        /// Approvals in a row without a rejection between; more is an anomaly.
        uint256 consecutive;
        /// Weakening changes; more is an anomaly.
        uint256 weakenings;
    }

    struct Tally {
        uint256 approvals;
        uint256 decisions;
        uint256 weakenings;
    }

    /// @notice Days on which an anomaly of each family was warned of; 0 = none.
    struct Warnings {
        uint32 approval;
        uint32 weakening;
    }

    struct Finding {
        Warnings warnings;
        /// A warning is new.
        bool approval;
        bool weakening;
        bool freezes;
    }

    uint256 internal constant DAYS = 8;
    /// A rate of fewer decisions says nothing.
    uint256 internal constant MIN_DECISIONS = 20;

    uint256 private constant LANE = 32;
    uint256 private constant DECISIONS = 12;
    uint256 private constant WEAKENINGS = 24;
    uint256 private constant MAX_COUNT = 0xfff;
    uint256 private constant MAX_WEAKENINGS = 0xff;

    /// @notice The word of a day with one action more.
    function add(
        uint256 word,
        uint256 day,
        bool decided,
        bool approved,
        bool weakened
    ) internal pure returns (uint256) {
        uint256 lane = (day % DAYS) * LANE;
        // Both counts stop together, so that the rate stays what it was.
        if (decided && (word >> (lane + DECISIONS)) & MAX_COUNT != MAX_COUNT) {
            word += 1 << (lane + DECISIONS);
            if (approved) word += 1 << lane;
        }
        if (weakened && (word >> (lane + WEAKENINGS)) & MAX_WEAKENINGS != MAX_WEAKENINGS) {
            word += 1 << (lane + WEAKENINGS);
        }
        return word;
    }

    /// @notice The word of a day with what was done on that day, of which it has nothing yet.
    function keep(uint256 word, uint256 day, uint32 done) internal pure returns (uint256) {
        return word | (uint256(done) << ((day % DAYS) * LANE));
    }

    /// @notice Adds the days `first` to `last`, all of one word, to a tally.
    function sum(Tally memory tally, uint256 word, uint256 first, uint256 last) internal pure {
        word >>= (first % DAYS) * LANE;
        if (word == 0) return;
        (uint256 approvals, uint256 decisions, uint256 weakenings) = (0, 0, 0);
        // Eight lanes of at most 4,095 each.
        unchecked {
            for (; first <= last; ++first) {
                approvals += word & MAX_COUNT;
                decisions += (word >> DECISIONS) & MAX_COUNT;
                weakenings += (word >> WEAKENINGS) & MAX_WEAKENINGS;
                word >>= LANE;
            }
        }
        tally.approvals += approvals;
        tally.decisions += decisions;
        tally.weakenings += weakenings;
    }

    /// @notice Rate and run are one family: an honest optimist shows both at once.
    /// @param run Approvals since the last rejection, whenever that was; of these, those in the window count.
    function approvesTooMuch(Tally memory tally, uint256 run, Limits memory limits) internal pure returns (bool) {
        uint256 inRow = run < tally.approvals ? run : tally.approvals;
        if (inRow > limits.consecutive) return true;
        return tally.decisions >= MIN_DECISIONS && tally.approvals * 100 > limits.rate * tally.decisions;
    }

    function weakensTooMuch(Tally memory tally, Limits memory limits) internal pure returns (bool) {
        return tally.weakenings > limits.weakenings;
    }

    /// @notice One anomaly is a warning; two families, or one in two disjoint windows, are a freeze. A warning stands for two
    /// windows: then the one whose window follows on it has come and gone.
    function judge(
        Warnings memory standing,
        bool approval,
        bool weakening,
        uint256 day,
        uint256 window
    ) internal pure returns (Finding memory f) {
        f.warnings = standing;
        bool again;
        (f.warnings.approval, f.approval, again) = _warn(standing.approval, approval, day, window);
        f.freezes = again;
        (f.warnings.weakening, f.weakening, again) = _warn(standing.weakening, weakening, day, window);
        f.freezes = f.freezes || again;
        if (f.approval || f.weakening) {
            f.freezes = f.freezes || (f.warnings.approval != 0 && f.warnings.weakening != 0);
        }
    }

    /// @notice Whether a warning still counts.
    function stands(uint256 warnedOn, uint256 day, uint256 window) internal pure returns (bool) {
        return warnedOn != 0 && day < warnedOn + 2 * window;
    }

    function _warn(
        uint32 warnedOn,
        bool anomalous,
        uint256 day,
        uint256 window
    ) private pure returns (uint32 next, bool warned, bool again) {
        bool standing = stands(warnedOn, day, window);
        next = standing ? warnedOn : 0;
        if (!anomalous) return (next, false, false);
        if (!standing) return (uint32(day), true, false);
        return (next, false, day >= warnedOn + window);
    }
}
