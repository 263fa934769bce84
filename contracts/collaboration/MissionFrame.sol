// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {Clones} from "@openzeppelin/contracts/proxy/Clones.sol";
import {MessageHashUtils} from "@openzeppelin/contracts/utils/cryptography/MessageHashUtils.sol";
import {IAdjudicatorWatchdog} from "../interfaces/IAdjudicatorWatchdog.sol";
import {IConstitutionContract} from "../interfaces/IConstitutionContract.sol";
import {IEvidenceRegistry} from "../interfaces/IEvidenceRegistry.sol";
import {IExecutionProcedure} from "../interfaces/IExecutionProcedure.sol";
import {IProducerContract} from "../interfaces/IProducerContract.sol";
import {IServiceContract} from "../interfaces/IServiceContract.sol";
import {ITemplateRegistry} from "../interfaces/ITemplateRegistry.sol";
import {ITreasury} from "../interfaces/ITreasury.sol";
import {LawCodec} from "../libraries/LawCodec.sol";
import {NodeLaw} from "../libraries/NodeLaw.sol";
import {Terms} from "../libraries/Terms.sol";

/// @notice The institutions that can never be replaced, and the mission's EIP-712 domain.
struct City {
    IConstitutionContract constitution;
    IERC20 token;
    ITreasury treasury;
    IProducerContract producers;
    IEvidenceRegistry evidence;
    IServiceContract services;
    ITemplateRegistry templates;
    IAdjudicatorWatchdog watchdog;
    bytes32 domain;
}

/// @notice Data of one call: the city, the law's bytes, and the most used part of their context.
struct Frame {
    City city;
    bytes args;
    Terms terms;
    /// Zero until first use: `MissionFrame.lawHash`.
    bytes32 lawHash;
}

/// @title Reading the law a clone carries
library MissionFrame {
    /// @dev Works in the clone's frame, also from a linked library: `address(this)` is the clone.
    function open(City memory city) internal view returns (Frame memory f) {
        f.city = city;
        f.args = Clones.fetchCloneArgs(address(this));
        f.terms = LawCodec.terms(f.args);
    }

    function node(Frame memory f, uint8 index) internal pure returns (NodeLaw) {
        return LawCodec.nodeLaw(f.args, index);
    }

    function session(Frame memory f) internal pure returns (uint256) {
        return LawCodec.session(f.args);
    }

    function sponsor(Frame memory f) internal pure returns (address who) {
        (who, ) = LawCodec.origin(f.args);
    }

    function deployedAt(Frame memory f) internal pure returns (uint40 time) {
        (, time) = LawCodec.origin(f.args);
    }

    /// @notice keccak256 of the law, made once a call: a law of 256 nodes is long.
    function lawHash(Frame memory f) internal pure returns (bytes32 hash) {
        hash = f.lawHash;
        if (hash == 0) f.lawHash = hash = LawCodec.hashOf(f.args);
    }

    function digest(Frame memory f, bytes32 structHash) internal pure returns (bytes32) {
        return MessageHashUtils.toTypedDataHash(f.city.domain, structHash);
    }

    /// @notice Whether a principal has money or a name to lose in this mission.
    function isParty(IExecutionProcedure market, address principal) internal view returns (bool) {
        IExecutionProcedure.Participation memory part = market.participationOf(address(this), principal);
        return part.sponsor || part.executor || part.verifier;
    }

    /// @notice The same, or has bid for some of its work.
    function isRival(IExecutionProcedure market, address principal) internal view returns (bool) {
        IExecutionProcedure.Participation memory part = market.participationOf(address(this), principal);
        return part.sponsor || part.executor || part.verifier || part.bid;
    }

    /// @notice Seconds a decision about the node can be appealed.
    function window(Frame memory f, NodeLaw law) internal pure returns (uint40) {
        return uint40(f.terms.appealWindow(law.band())) * 60;
    }
}
