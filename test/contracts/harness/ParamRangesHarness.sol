// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {Risk} from "../../../contracts/types/Law.sol";
import {Param} from "../../../contracts/types/Params.sol";
import {ParamRanges} from "../../../contracts/libraries/ParamRanges.sol";

/// @dev The whole table at once.
contract ParamRangesHarness {
    struct Entry {
        uint256 min;
        uint256 max;
        Risk risk;
        bool high;
        bool locked;
        ParamRanges.Weaker weaker;
    }

    function table() external pure returns (Entry[] memory entries) {
        entries = new Entry[](uint256(type(Param).max) + 1);
        for (uint256 i = 0; i < entries.length; ++i) {
            Param p = Param(i);
            Entry memory e = entries[i];
            (e.min, e.max) = ParamRanges.range(p);
            (e.risk, e.high, e.locked) = (ParamRanges.riskOf(p), ParamRanges.isHigh(p), ParamRanges.isLocked(p));
            e.weaker = ParamRanges.weaker(p);
        }
    }

    function requireInRange(Param p, uint256 value) external pure {
        ParamRanges.requireInRange(p, value);
    }

    function weakens(Param p, uint256 from, uint256 to) external pure returns (bool) {
        return ParamRanges.weakens(p, from, to);
    }
}
