// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {Clones} from "@openzeppelin/contracts/proxy/Clones.sol";
import {ICollaborationContract} from "../../../contracts/interfaces/ICollaborationContract.sol";
import {LawCodec} from "../../../contracts/libraries/LawCodec.sol";
import {MissionContext} from "../../../contracts/types/Law.sol";

/// @notice A template that reports another law, or another context, than its clones carry.
contract TemplateHarness {
    enum Lie {
        NONE,
        LAW,
        CONTEXT,
        NOT_A_TEMPLATE
    }

    Lie private immutable _LIE;

    constructor(Lie lie) {
        _LIE = lie;
    }

    function isMissionTemplate() external view returns (bytes4) {
        return _LIE == Lie.NOT_A_TEMPLATE ? bytes4(0) : ICollaborationContract.isMissionTemplate.selector;
    }

    function law() external view returns (bytes memory packed) {
        bytes memory args = Clones.fetchCloneArgs(address(this));
        packed = new bytes(LawCodec.lawLength(LawCodec.header(args).nodeCount));
        for (uint256 i = 0; i < packed.length; ++i) packed[i] = args[i];
        if (_LIE == Lie.LAW) packed[63] ^= 0x01;
    }

    function context() external view returns (MissionContext memory c) {
        c = LawCodec.context(Clones.fetchCloneArgs(address(this)));
        if (_LIE == Lie.CONTEXT) c.sponsor = address(this);
    }
}
