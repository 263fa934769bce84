// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {MessageHashUtils} from "@openzeppelin/contracts/utils/cryptography/MessageHashUtils.sol";
import {ICollaborationContract} from "../../interfaces/ICollaborationContract.sol";
import {IConstitutionContract} from "../../interfaces/IConstitutionContract.sol";
import {IEvidenceRegistry} from "../../interfaces/IEvidenceRegistry.sol";
import {IExecutionProcedure} from "../../interfaces/IExecutionProcedure.sol";
import {IKeepsSchema} from "../../interfaces/IKeepsSchema.sol";
import {IPredicate} from "../../interfaces/IPredicate.sol";
import {ITemplateRegistry} from "../../interfaces/ITemplateRegistry.sol";
import {Admissibility} from "../../libraries/Admissibility.sol";
import {Admissions} from "../../libraries/Admissions.sol";
import {Signatures} from "../../libraries/Signatures.sol";
import {TypedData} from "../../libraries/TypedData.sol";
import {EvidenceClass} from "../../types/Evidence.sol";
import {Admission, LawNode} from "../../types/Law.sol";
import {SchemaStatement} from "../../types/Messages.sol";
import {Institution} from "../../types/Roles.sol";

/// @notice See `IKeepsSchema`.
/// @dev Its code is the same wherever it is deployed for one city, so that anybody can compare it: its domain is not kept.
contract KeepsSchema is IKeepsSchema {
    IConstitutionContract private immutable _CONSTITUTION;

    mapping(bytes32 obligation => mapping(bytes32 outputHash => bool shown)) private _shown;

    constructor(IConstitutionContract constitution) {
        _CONSTITUTION = constitution;
    }

    /// @inheritdoc IKeepsSchema
    function show(SchemaStatement calldata statement, Admission calldata admission, bytes calldata signature) external {
        Signatures.requireInTime(statement.deadline);
        ITemplateRegistry templates = ITemplateRegistry(_CONSTITUTION.at(Institution.TEMPLATES));
        if (!templates.isGenuine(statement.mission)) revert NotGenuine(statement.mission);
        ICollaborationContract mission = ICollaborationContract(statement.mission);
        bytes32 obligation = mission.obligationOf(statement.node);
        if (statement.obligation != obligation) revert WrongObligation(statement.obligation, obligation);
        LawNode memory law = mission.nodeLaw(statement.node);
        _requireInLaw(mission, law, statement, admission);
        _requireIssuer(IExecutionProcedure(templates.executionOf(statement.mission)), law.floor, statement);
        bytes32 digest = MessageHashUtils.toTypedDataHash(_domain(), TypedData.hashSchemaStatement(statement));
        Signatures.requireEcdsa(statement.issuer, digest, signature);

        if (_shown[obligation][statement.outputHash]) revert AlreadyShown(obligation, statement.outputHash);
        _shown[obligation][statement.outputHash] = true;
        emit SchemaKept(
            statement.mission,
            statement.node,
            obligation,
            statement.outputHash,
            statement.schemaHash,
            statement.issuer
        );
    }

    /// @inheritdoc IPredicate
    function allows(address mission, uint8 node, bytes32 outputHash) external view returns (bool) {
        return _shown[ICollaborationContract(mission).obligationOf(node)][outputHash];
    }

    /// @inheritdoc IKeepsSchema
    function isShown(bytes32 obligation, bytes32 outputHash) external view returns (bool) {
        return _shown[obligation][outputHash];
    }

    /// @inheritdoc IKeepsSchema
    function city() external view returns (address) {
        return address(_CONSTITUTION);
    }

    function _requireInLaw(
        ICollaborationContract mission,
        LawNode memory law,
        SchemaStatement calldata statement,
        Admission calldata admission
    ) private view {
        bool same = admission.schemaHash == statement.schemaHash;
        bytes32 root = mission.header().servicesRoot;
        if (!same || !Admissions.admits(root, admission, statement.node, law.anyCode)) {
            revert SchemaNotInLaw(statement.mission, statement.node, statement.schemaHash);
        }
    }

    /// @dev As for evidence: whoever has a part in the mission does not look at what it hands in, or pays for.
    function _requireIssuer(IExecutionProcedure market, uint8 floor, SchemaStatement calldata statement) private view {
        IEvidenceRegistry registry = IEvidenceRegistry(_CONSTITUTION.at(Institution.EVIDENCE));
        (uint8 classes, address principal) = registry.issuerOf(statement.issuer);
        bool able = false;
        for (uint8 class = 0; class <= uint8(type(EvidenceClass).max); ++class) {
            bool may = (classes >> class) & 1 == 1;
            if (may && Admissibility.geq(EvidenceClass(class), EvidenceClass(floor))) able = true;
        }
        if (!able) revert IssuerNotRegistered(statement.issuer, floor);
        if (_isParty(market, statement.mission, principal) || _isParty(market, statement.mission, statement.issuer)) {
            revert IssuerConflict(statement.issuer, principal);
        }
    }

    function _isParty(IExecutionProcedure market, address mission, address principal) private view returns (bool) {
        IExecutionProcedure.Participation memory part = market.participationOf(mission, principal);
        return part.sponsor || part.executor || part.verifier;
    }

    function _domain() private view returns (bytes32) {
        // Name, version, chain and contract.
        return
            MessageHashUtils.toDomainSeparator(
                hex"0f",
                keccak256("AgentCity"),
                keccak256("1"),
                block.chainid,
                address(this),
                0
            );
    }
}
