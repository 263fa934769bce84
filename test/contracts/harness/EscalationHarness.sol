// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {Escalation} from "../../../contracts/libraries/Escalation.sol";

/// @dev Batched doors to the escalation of freezes.
contract EscalationHarness {
    using Escalation for uint256[3];

    struct Case {
        uint256 base;
        uint256 bonus;
        uint256 rho;
        uint256 cleared;
        uint256 since;
        uint256[3] log;
        uint256[] times;
        uint256[] dismissed;
    }

    struct Result {
        uint256 threshold;
        uint256 window;
        uint256 recent;
        uint256[3] log;
    }

    function play(Case[] calldata cases) external pure returns (Result[] memory results) {
        results = new Result[](cases.length);
        for (uint256 i = 0; i < cases.length; ++i) {
            Case calldata c = cases[i];
            uint256[3] memory log = c.log;
            for (uint256 k = 0; k < c.times.length; ++k) log.add(c.times[k]);
            for (uint256 k = 0; k < c.dismissed.length; ++k) log.dismiss(c.dismissed[k]);
            results[i] = Result({
                threshold: Escalation.threshold(c.base, c.bonus, c.rho),
                window: Escalation.window(c.base, c.cleared),
                recent: log.recent(c.since),
                log: log
            });
        }
    }
}
