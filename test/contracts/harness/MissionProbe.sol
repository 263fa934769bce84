// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {Clones} from "@openzeppelin/contracts/proxy/Clones.sol";
import {Bytes} from "@openzeppelin/contracts/utils/Bytes.sol";
import {IAdjudicationProcedure} from "../../../contracts/interfaces/IAdjudicationProcedure.sol";
import {ICollaborationContract} from "../../../contracts/interfaces/ICollaborationContract.sol";
import {ITreasury} from "../../../contracts/interfaces/ITreasury.sol";
import {ActionTable} from "../../../contracts/libraries/ActionTable.sol";
import {BasisPoints} from "../../../contracts/libraries/BasisPoints.sol";
import {LawCodec} from "../../../contracts/libraries/LawCodec.sol";
import {Action} from "../../../contracts/types/Actions.sol";
import {LawHeader, LawNode, MissionContext} from "../../../contracts/types/Law.sol";
import {MissionState, NodeState} from "../../../contracts/types/States.sol";

/// @title A template whose missions do nothing but report what reached them: isolates the city's institutions.
contract MissionProbe {
    using ActionTable for Action;

    /// Judged state: changes with every override.
    uint256 private _epoch;

    bool private _refuses;
    MissionState private _state;

    event Overridden(Action action, uint8 node, address target, bytes data, address caller);

    error Refused();

    function onOverride(Action action, uint8 node, address target, bytes calldata data, bytes32 judged) external {
        if (_refuses) revert Refused();
        bytes32 seen = action.judgesMission() ? missionCaseHash() : caseHash(node);
        bytes32 current = action.judges() ? seen : judged;
        if (judged != current) revert IAdjudicationProcedure.StaleCase(judged, current);
        ++_epoch;
        emit Overridden(action, node, target, data, msg.sender);
    }

    function refuse() external {
        _refuses = true;
    }

    /// @dev Until told, it is ACTIVE.
    function become(MissionState next) external {
        _state = next;
    }

    /// @dev What it does not hold it does not send.
    function settle(ITreasury treasury, IERC20 token, uint64 sent, uint256[] calldata payments) external {
        token.transfer(address(treasury), sent);
        treasury.settle(payments, 0, 0, "probe");
    }

    function state() external view returns (MissionState) {
        return _state == MissionState.PENDING ? MissionState.ACTIVE : _state;
    }

    /// @dev Nobody executes anything here.
    function nodeLaw(uint8) external pure returns (LawNode memory) {} // solhint-disable-line no-empty-blocks

    function law() external view returns (bytes memory) {
        bytes memory args = Clones.fetchCloneArgs(address(this));
        return Bytes.slice(args, 0, LawCodec.lawLength(LawCodec.header(args).nodeCount));
    }

    /// @dev For the attempt that a stop names.
    function nodeOf(uint8) external pure returns (ICollaborationContract.Node memory node) {
        node.state = NodeState.PENDING_REVIEW;
    }

    /// @dev In review, so that whatever is decided about it is a case.
    function caseOf(uint8) external view returns (NodeState nodeState, uint8 attempt, uint64 fee) {
        bytes memory args = Clones.fetchCloneArgs(address(this));
        fee = uint64((LawCodec.header(args).budget * LawCodec.terms(args).protocolFeeRate()) / BasisPoints.WHOLE);
        return (NodeState.PENDING_REVIEW, 0, fee);
    }

    function header() external view returns (LawHeader memory) {
        return LawCodec.header(Clones.fetchCloneArgs(address(this)));
    }

    function context() external view returns (MissionContext memory) {
        return LawCodec.context(Clones.fetchCloneArgs(address(this)));
    }

    function caseHash(uint8 node) public view returns (bytes32) {
        return keccak256(abi.encode(_epoch, node));
    }

    function missionCaseHash() public view returns (bytes32) {
        return keccak256(abi.encode(_epoch, "all nodes"));
    }

    function isMissionTemplate() external pure returns (bytes4) {
        return ICollaborationContract.isMissionTemplate.selector;
    }
}
