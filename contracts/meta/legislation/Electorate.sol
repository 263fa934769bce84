// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {ILegislativeProcedure} from "../../interfaces/ILegislativeProcedure.sol";
import {IProducerContract} from "../../interfaces/IProducerContract.sol";

/// @title Who may speak in a session
/// @notice Decision 10: a producer that the session counted when it opened, and that is eligible at this moment.
library Electorate {
    /// @notice What `IProducerContract.electorsOf` answers instead of the number of an agent that may not vote.
    uint16 internal constant NOBODY = type(uint16).max;

    /// @notice Reverts with `NotEligible` unless the agent belongs to the session's electorate.
    function requireMember(
        IProducerContract producers,
        address agent,
        uint32 openedBlock
    ) internal view returns (address principal, uint16 index) {
        bool mayVote;
        (mayVote, principal, index, ) = producers.electorOf(agent, openedBlock);
        if (!mayVote) revert ILegislativeProcedure.NotEligible(agent);
    }
}
