// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {Clones} from "@openzeppelin/contracts/proxy/Clones.sol";
import {ActionTable} from "../libraries/ActionTable.sol";
import {LawCodec} from "../libraries/LawCodec.sol";
import {Action} from "../types/Actions.sol";
import {City, Frame, MissionFrame} from "./MissionFrame.sol";
import {MissionStorage} from "./MissionStorage.sol";
import {NodeCore} from "./NodeCore.sol";

/// @title What an adjudicator has reviewed when it signs: an order binds that state, and no later one
/// @notice Decisions 28 and 85. An order on a node binds that node with its commitments; one that ends the mission binds all nodes, unless
/// humans have stopped it: executors at work could void order after order. Both bind how the mission is stopped. A linked library: it runs in
/// the clone's frame and storage.
library Cases {
    using ActionTable for Action;
    using MissionFrame for Frame;

    /// @notice The state that an order judges.
    function caseOf(
        MissionStorage.Layout storage s,
        City calldata city,
        Action action,
        uint8 node
    ) external view returns (bytes32) {
        return action.judgesMission() ? _ofMission(s) : _ofNode(s, city, node);
    }

    function ofNode(MissionStorage.Layout storage s, City calldata city, uint8 node) external view returns (bytes32) {
        return _ofNode(s, city, node);
    }

    function ofMission(MissionStorage.Layout storage s) external view returns (bytes32) {
        return _ofMission(s);
    }

    function _ofNode(MissionStorage.Layout storage s, City calldata city, uint8 node) private view returns (bytes32) {
        Frame memory f = MissionFrame.open(city);
        uint8 attempt = NodeCore.loadOf(s, f, node).attempt;
        bytes32[] memory pledges = new bytes32[](f.node(node).redundancy());
        for (uint256 slot = 0; slot < pledges.length; ++slot) {
            pledges[slot] = s.pledges[MissionStorage.slotKey(node, attempt, slot)];
        }
        return keccak256(abi.encode(s.head.state, s.head.stopped, _stops(s), s.nodes[node], pledges));
    }

    /// @dev The nodes' words contain who committed. During a human stop nothing new starts and recorded work stays paid; it is the first step of
    /// ending a mission. A suspension is a monitor's, and lapses.
    function _ofMission(MissionStorage.Layout storage s) private view returns (bytes32) {
        bool halted = s.head.stopped && s.suspension.until == 0;
        (uint256 nodes, ) = halted ? (0, 0) : LawCodec.ending(Clones.fetchCloneArgs(address(this)));
        uint256[] memory words = new uint256[](nodes);
        // At most 256 nodes.
        for (uint256 node = 0; node < words.length; ++node) words[node] = s.nodes[node];
        return keccak256(abi.encode(s.head.state, s.head.stopped, _stops(s), s.delegated, words));
    }

    function _stops(MissionStorage.Layout storage s) private view returns (uint256) {
        return (uint256(s.watch.stoppedAt) << 48) | (uint256(s.suspension.until) << 8) | s.watch.cleared;
    }
}
