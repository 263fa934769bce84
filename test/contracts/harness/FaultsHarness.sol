// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {Faults} from "../../../contracts/libraries/Faults.sol";
import {Tier} from "../../../contracts/types/Law.sol";
import {FaultClass, FaultType} from "../../../contracts/types/States.sol";

/// @dev One batched door to the classification of faults.
contract FaultsHarness {
    struct Case {
        bytes32 reason;
        Tier tier;
    }

    struct Result {
        FaultType fault;
        FaultClass class;
    }

    function classify(Case[] calldata cases) external pure returns (Result[] memory results) {
        results = new Result[](cases.length);
        for (uint256 i = 0; i < cases.length; ++i) {
            FaultType fault = Faults.typeOf(cases[i].reason, cases[i].tier);
            results[i] = Result(fault, Faults.classOf(fault, cases[i].tier));
        }
    }
}
