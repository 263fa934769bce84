// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {ICollaborationContract} from "../../interfaces/ICollaborationContract.sol";
import {LowLevelCall} from "@openzeppelin/contracts/utils/LowLevelCall.sol";
import {MissionBase} from "./MissionBase.sol";

/// @title Gate: the bounded call through which predicates and proof verifiers are asked (AgentCity 3.5)
/// @dev The decisions themselves are in `NodeCore.allows` and `ClearingDesk`.
abstract contract Gate is MissionBase {
    uint256 private constant _WORD = 32;

    /// @inheritdoc ICollaborationContract
    function probe(address target, bytes calldata data) external view returns (bool ok, bytes32 word) {
        (ok, word, ) = LowLevelCall.staticcallReturn64Bytes(target, data);
        if (!ok || LowLevelCall.returnDataSize() < _WORD) return (false, 0);
    }
}
