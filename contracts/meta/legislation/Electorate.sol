// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {ILegislativeProcedure} from "../../interfaces/ILegislativeProcedure.sol";
import {IProducerContract} from "../../interfaces/IProducerContract.sol";

/// @title Who may speak in a session
/// @notice Decisions 10, 68: a producer that the session counted when it opened, unless it was banned or its principal frozen since.
library Electorate {
    /// @notice Reverts with `NotEligible` unless the agent belongs to the session's electorate.
    function requireMember(
        IProducerContract producers,
        address agent,
        uint256 openedBlock,
        uint256 floor
    ) internal view returns (address principal, uint16 index) {
        bool mayVote;
        (mayVote, principal, index, ) = producers.electorOf(agent, openedBlock, floor);
        if (!mayVote) revert ILegislativeProcedure.NotEligible(agent);
    }
}
