// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {ConductRecord} from "../../../contracts/libraries/ConductRecord.sol";

/// @dev Batched doors to the rules of the watchdog.
contract ConductRecordHarness {
    struct Entry {
        uint256 day;
        bool decided;
        bool approved;
        bool weakened;
    }

    struct Case {
        uint256 word;
        Entry[] entries;
        uint256 kept;
        uint32 done;
        uint256 first;
        uint256 last;
        uint256 run;
        ConductRecord.Limits limits;
        ConductRecord.Warnings standing;
        bool approval;
        bool weakening;
        uint256 day;
    }

    struct Result {
        uint256 word;
        ConductRecord.Tally tally;
        bool approvesTooMuch;
        bool weakensTooMuch;
        ConductRecord.Finding finding;
        bool stands;
    }

    function play(Case[] calldata cases) external pure returns (Result[] memory results) {
        results = new Result[](cases.length);
        for (uint256 i = 0; i < cases.length; ++i) results[i] = _play(cases[i]);
    }

    function _play(Case calldata c) private pure returns (Result memory r) {
        r.word = ConductRecord.keep(c.word, c.kept, c.done);
        for (uint256 k = 0; k < c.entries.length; ++k) {
            Entry calldata e = c.entries[k];
            r.word = ConductRecord.add(r.word, e.day, e.decided, e.approved, e.weakened);
        }
        ConductRecord.sum(r.tally, r.word, c.first, c.last);
        r.approvesTooMuch = ConductRecord.approvesTooMuch(r.tally, c.run, c.limits);
        r.weakensTooMuch = ConductRecord.weakensTooMuch(r.tally, c.limits);
        r.finding = ConductRecord.judge(c.standing, c.approval, c.weakening, c.day, c.limits.window);
        r.stands = ConductRecord.stands(c.standing.approval, c.day, c.limits.window);
    }
}
