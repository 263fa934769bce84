// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";
import {ICollaborationContract} from "../../interfaces/ICollaborationContract.sol";
import {IAdjudicatorWatchdog} from "../../interfaces/IAdjudicatorWatchdog.sol";
import {IConstitutionContract} from "../../interfaces/IConstitutionContract.sol";
import {IEvidenceRegistry} from "../../interfaces/IEvidenceRegistry.sol";
import {IProducerContract} from "../../interfaces/IProducerContract.sol";
import {IServiceContract} from "../../interfaces/IServiceContract.sol";
import {ITemplateRegistry} from "../../interfaces/ITemplateRegistry.sol";
import {ITreasury} from "../../interfaces/ITreasury.sol";
import {Institution} from "../../types/Roles.sol";
import {City, Frame, MissionFrame} from "../MissionFrame.sol";
import {MissionStorage} from "../MissionStorage.sol";

/// @title What the modules of a mission share: one storage, the city's fixed institutions, one lock
abstract contract MissionBase is ICollaborationContract, EIP712, ReentrancyGuardTransient {
    IConstitutionContract private immutable _CONSTITUTION;
    IERC20 private immutable _TOKEN;
    ITreasury private immutable _TREASURY;
    IProducerContract private immutable _PRODUCERS;
    IEvidenceRegistry private immutable _EVIDENCE;
    IServiceContract private immutable _SERVICES;
    ITemplateRegistry private immutable _TEMPLATES;
    IAdjudicatorWatchdog private immutable _WATCHDOG;

    MissionStorage.Layout internal _mission;

    /// @dev Deployed after wiring: what is read here can never be replaced. Procedures can, and are never cached.
    constructor(IConstitutionContract constitution) EIP712("AgentCity", "1") {
        _CONSTITUTION = constitution;
        _TOKEN = IERC20(constitution.at(Institution.TOKEN));
        _TREASURY = ITreasury(constitution.at(Institution.TREASURY));
        _PRODUCERS = IProducerContract(constitution.at(Institution.PRODUCERS));
        _EVIDENCE = IEvidenceRegistry(constitution.at(Institution.EVIDENCE));
        _SERVICES = IServiceContract(constitution.at(Institution.SERVICES));
        _TEMPLATES = ITemplateRegistry(constitution.at(Institution.TEMPLATES));
        _WATCHDOG = IAdjudicatorWatchdog(constitution.at(Institution.WATCHDOG));
    }

    function _city() internal view returns (City memory city) {
        city.constitution = _CONSTITUTION;
        city.token = _TOKEN;
        city.treasury = _TREASURY;
        city.producers = _PRODUCERS;
        city.evidence = _EVIDENCE;
        city.services = _SERVICES;
        city.templates = _TEMPLATES;
        city.watchdog = _WATCHDOG;
        city.domain = _domainSeparatorV4();
    }

    function _open() internal view returns (Frame memory) {
        return MissionFrame.open(_city());
    }
}
