// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {Param} from "../../../contracts/types/Params.sol";
import {ParamRanges} from "../../../contracts/libraries/ParamRanges.sol";
import {ParamRelations} from "../../../contracts/libraries/ParamRelations.sol";

/// @dev The whole table at once.
contract ParamRangesHarness {
    struct Entry {
        uint256 min;
        uint256 max;
        bool high;
        bool locked;
        ParamRanges.Weaker weaker;
    }

    struct Relation {
        bool ascends;
        uint256 outlasted;
        Param counterpart;
    }

    function table() external pure returns (Entry[] memory entries) {
        entries = new Entry[](uint256(type(Param).max) + 1);
        for (uint256 i = 0; i < entries.length; ++i) {
            Param p = Param(i);
            Entry memory e = entries[i];
            (e.min, e.max) = ParamRanges.range(p);
            (e.high, e.locked, e.weaker) = (ParamRanges.isHigh(p), ParamRanges.isLocked(p), ParamRanges.weaker(p));
        }
    }

    function relations() external pure returns (Relation[] memory entries) {
        entries = new Relation[](uint256(type(Param).max) + 1);
        for (uint256 i = 0; i < entries.length; ++i) {
            entries[i] = Relation({
                ascends: (ParamRelations.ASCENDS >> i) & 1 == 1,
                outlasted: ((ParamRelations.OUTLASTED >> i) & 1) + 2 * ((ParamRelations.OUTLASTED_TWICE >> i) & 1),
                counterpart: ParamRelations.counterpart(Param(i))
            });
        }
    }

    function weakens(Param p, uint256 from, uint256 to) external pure returns (bool) {
        return ParamRanges.weakens(p, from, to);
    }
}
