// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {Clones} from "@openzeppelin/contracts/proxy/Clones.sol";
import {ICollaborationContract} from "../interfaces/ICollaborationContract.sol";
import {IConstitutionContract} from "../interfaces/IConstitutionContract.sol";
import {ITemplateRegistry} from "../interfaces/ITemplateRegistry.sol";
import {LawCodec} from "../libraries/LawCodec.sol";
import {LawHeader, LawNode, Tier} from "../types/Law.sol";
import {Institution, Standing} from "../types/Roles.sol";

/// @title Audited templates and the one source of "genuine" missions
/// @notice AgentCity 3.4 (codification by template), decision 14.
contract TemplateRegistry is ITemplateRegistry {
    /// @dev One word per mission: missions of one template under the same procedures share a pedigree.
    struct Origin {
        address execution;
        uint32 pedigree;
    }

    IConstitutionContract private immutable _CONSTITUTION;

    mapping(bytes32 name => mapping(uint32 version => Template template)) private _templates;
    /// @dev The newest, in force or waiting.
    mapping(bytes32 name => uint32 version) private _newest;
    mapping(address mission => Origin origin) private _origins;
    /// @dev Pedigrees are numbered from 1.
    mapping(bytes32 key => uint32 number) private _numberOf;
    mapping(uint32 number => Mission pedigree) private _pedigrees;
    uint32 private _pedigreeCount;
    /// @inheritdoc ITemplateRegistry
    uint40 public waitsUntil;

    constructor(IConstitutionContract constitution) {
        _CONSTITUTION = constitution;
    }

    /// @inheritdoc ITemplateRegistry
    function publish(bytes32 name, address implementation, bytes32 auditHash) external returns (uint32 version) {
        if (!_CONSTITUTION.isGovernor(msg.sender)) revert NotGovernor(msg.sender);
        if (!_isTemplate(implementation)) revert NotATemplate(implementation);
        _requireFaithful(implementation);
        version = _newest[name];
        // One that waits is withdrawn by the next.
        if (version == 0 || _isInForce(name, version)) _newest[name] = ++version;
        uint40 from = _CONSTITUTION.isSealed() ? _CONSTITUTION.noticeEnd() : uint40(block.timestamp);
        // Notices end in the order in which they begin: none becomes shorter while one runs.
        waitsUntil = from;
        _templates[name][version] = Template({
            implementation: implementation,
            effectiveFrom: from,
            auditHash: auditHash
        });
        emit TemplatePublished(name, version, implementation, from, auditHash);
    }

    /// @inheritdoc ITemplateRegistry
    function deploy(
        bytes32 name,
        uint32 version,
        bytes calldata args,
        uint256 session
    ) external returns (address mission) {
        if (_CONSTITUTION.standingOf(Institution.LEGISLATION, msg.sender) != Standing.CURRENT) {
            revert NotLegislation(msg.sender);
        }
        address implementation = _implementation(name, version);
        mission = Clones.predictDeterministicAddressWithImmutableArgs(implementation, args, bytes32(session));
        address execution = _CONSTITUTION.at(Institution.EXECUTION);
        _origins[mission] = Origin({execution: execution, pedigree: _pedigreeFor(name, version, execution)});
        address deployed = Clones.cloneDeterministicWithImmutableArgs(implementation, args, bytes32(session));
        assert(deployed == mission);
        emit MissionDeployed(mission, name, version, session, msg.sender, execution);
    }

    /// @inheritdoc ITemplateRegistry
    function predict(
        bytes32 name,
        uint32 version,
        bytes calldata args,
        uint256 session
    ) external view returns (address) {
        address implementation = _implementation(name, version);
        return Clones.predictDeterministicAddressWithImmutableArgs(implementation, args, bytes32(session));
    }

    /// @inheritdoc ITemplateRegistry
    function templateOf(bytes32 name, uint32 version) external view returns (Template memory) {
        return _templates[name][version];
    }

    /// @inheritdoc ITemplateRegistry
    function latestVersion(bytes32 name) external view returns (uint32 version) {
        version = _newest[name];
        if (version != 0 && !_isInForce(name, version)) --version;
    }

    /// @inheritdoc ITemplateRegistry
    function missionOf(address mission) external view returns (Mission memory) {
        return _pedigrees[_origins[mission].pedigree];
    }

    /// @inheritdoc ITemplateRegistry
    function isGenuine(address mission) external view returns (bool) {
        return _origins[mission].pedigree != 0;
    }

    /// @inheritdoc ITemplateRegistry
    function executionOf(address mission) external view returns (address) {
        return _origins[mission].execution;
    }

    function _pedigreeFor(bytes32 name, uint32 version, address execution) private returns (uint32 number) {
        bytes32 key = keccak256(abi.encode(name, version, msg.sender, execution));
        number = _numberOf[key];
        if (number != 0) return number;
        number = ++_pedigreeCount;
        _numberOf[key] = number;
        _pedigrees[number] = Mission({template: name, version: version, legislation: msg.sender, execution: execution});
    }

    /// @dev AgentCity 3.4, deployment verification, parameter by parameter, on a first clone that is not a mission. The later ones
    /// are at an address that commits to the same implementation, to their law and to their context: nothing is left to compare.
    function _requireFaithful(address implementation) private {
        bytes memory args = _sample();
        ICollaborationContract clone = ICollaborationContract(Clones.cloneWithImmutableArgs(implementation, args));
        bytes32 given = keccak256(abi.encode(LawCodec.hashOf(args), LawCodec.context(args)));
        bytes32 reported = keccak256(abi.encode(keccak256(clone.law()), clone.context()));
        if (reported != given) revert Unfaithful(implementation, given, reported);
    }

    /// @dev A law of one node and a context in which every field says something.
    function _sample() private view returns (bytes memory) {
        LawHeader memory header;
        (header.nodeCount, header.duration, header.budget) = (1, 1, 1);
        (header.goalHash, header.inputHash) = (keccak256("goal"), keccak256("input"));
        LawNode[] memory nodes = new LawNode[](1);
        (nodes[0].tier, nodes[0].redundancy, nodes[0].threshold) = (Tier.RERUN, 1, 1);
        (nodes[0].questions, nodes[0].panelSize, nodes[0].budget) = (1, 1, 1);
        uint256 params = _CONSTITUTION.missionParams();
        uint40 now_ = uint40(block.timestamp);
        return LawCodec.args(LawCodec.encode(header, nodes), params, keccak256("document"), 1, address(this), now_);
    }

    function _implementation(bytes32 name, uint32 version) private view returns (address implementation) {
        implementation = _templates[name][version].implementation;
        if (implementation == address(0) || !_isInForce(name, version)) revert UnknownTemplate(name, version);
    }

    function _isInForce(bytes32 name, uint32 version) private view returns (bool) {
        return block.timestamp >= _templates[name][version].effectiveFrom;
    }

    /// @dev Without code the call would revert before `catch` could see it.
    function _isTemplate(address implementation) private view returns (bool) {
        if (implementation.code.length == 0) return false;
        try ICollaborationContract(implementation).isMissionTemplate() returns (bytes4 answer) {
            return answer == ICollaborationContract.isMissionTemplate.selector;
        } catch {
            return false;
        }
    }
}
