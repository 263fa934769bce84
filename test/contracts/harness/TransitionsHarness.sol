// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {MissionState, NodeState, SessionState} from "../../../contracts/types/States.sol";
import {Arcs} from "../../../contracts/libraries/Arcs.sol";
import {MissionTransitions} from "../../../contracts/libraries/MissionTransitions.sol";
import {NodeTransitions} from "../../../contracts/libraries/NodeTransitions.sol";
import {SessionTransitions} from "../../../contracts/libraries/SessionTransitions.sol";

/// @dev The tables as they are, and the guards one by one.
contract TransitionsHarness {
    function tables() external pure returns (uint256 mission, uint256 node, uint256 session) {
        return (MissionTransitions.TABLE, NodeTransitions.TABLE, SessionTransitions.TABLE);
    }

    function arc(uint256 table, uint8 from, uint8 to) public pure {
        Arcs.requireArc(table, from, to);
    }

    function missionArc(MissionState from, MissionState to) public pure {
        MissionTransitions.requireArc(from, to);
    }

    function nodeArc(NodeState from, NodeState to) public pure {
        NodeTransitions.requireArc(from, to);
    }

    function sessionArc(SessionState from, SessionState to) public pure {
        SessionTransitions.requireArc(from, to);
    }

    function finals() external pure returns (bool[8] memory mission, bool[8] memory node, bool[12] memory session) {
        for (uint8 s = 0; s < 8; ++s) mission[s] = MissionTransitions.isFinal(MissionState(s));
        for (uint8 s = 0; s < 8; ++s) node[s] = NodeTransitions.isFinal(NodeState(s));
        for (uint8 s = 0; s < 12; ++s) session[s] = SessionTransitions.isFinal(SessionState(s));
    }
}
