// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {ILegislativeProcedure} from "../../interfaces/ILegislativeProcedure.sol";
import {IProducerContract} from "../../interfaces/IProducerContract.sol";
import {Kind} from "../../types/Roles.sol";

/// @title Who may speak in a session
/// @notice Decisions 10: a producer registered in a block before the session's, eligible at this moment.
library Electorate {
    /// @notice Reverts with `NotEligible` unless the agent belongs to the session's electorate.
    /// @return index The agent's dense producer number.
    function requireMember(IProducerContract producers, address agent, uint32 openedBlock)
        internal
        view
        returns (uint16 index)
    {
        IProducerContract.Agent memory record = producers.agentOf(agent);
        bool earlier = record.registeredBlock < openedBlock;
        if (!earlier || !producers.isEligible(agent, Kind.PRODUCER)) revert ILegislativeProcedure.NotEligible(agent);
        return record.index;
    }
}
