// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {MessageHashUtils} from "@openzeppelin/contracts/utils/cryptography/MessageHashUtils.sol";
import {IAdjudicatorRoster} from "../../interfaces/IAdjudicatorRoster.sol";
import {IAdjudicatorWatchdog} from "../../interfaces/IAdjudicatorWatchdog.sol";
import {IClerkContract} from "../../interfaces/IClerkContract.sol";
import {ICollaborationContract} from "../../interfaces/ICollaborationContract.sol";
import {IConstitutionContract} from "../../interfaces/IConstitutionContract.sol";
import {IConstitutionalValidator} from "../../interfaces/IConstitutionalValidator.sol";
import {IExecutionProcedure} from "../../interfaces/IExecutionProcedure.sol";
import {ILegislativeProcedure} from "../../interfaces/ILegislativeProcedure.sol";
import {IManagementContract} from "../../interfaces/IManagementContract.sol";
import {ITemplateRegistry} from "../../interfaces/ITemplateRegistry.sol";
import {LawCodec} from "../../libraries/LawCodec.sol";
import {Signatures} from "../../libraries/Signatures.sol";
import {Terms} from "../../libraries/Terms.sol";
import {TypedData} from "../../libraries/TypedData.sol";
import {Risk} from "../../types/Law.sol";
import {OfficeSignature} from "../../types/Messages.sol";
import {Institution, Office} from "../../types/Roles.sol";
import {SessionState} from "../../types/States.sol";
import {CityClock} from "../CityClock.sol";
import {Blocs} from "./Blocs.sol";
import {Docket, LegislationStorage} from "./LegislationStorage.sol";
import {SessionLedger} from "./SessionLedger.sol";

/// @title From the winner of a ballot to a mission under law
/// @notice AgentCity 3.4 stages 4–6, A.7, B.10; decisions 1–4, 9, 13, 14. Linked, so that the procedure stays small;
/// the functions are `ILegislativeProcedure`'s, on its storage and with its caller.
library Enactment {
    using SafeERC20 for IERC20;
    using SessionLedger for Docket;
    using SessionLedger for LegislationStorage;

    /// @notice Name of the template every mission is cloned from.
    bytes32 internal constant TEMPLATE = keccak256("agentcity.collaboration");

    function validate(
        LegislationStorage storage self,
        IConstitutionContract constitution,
        uint256 session,
        bytes calldata law,
        bytes32 docHash,
        address[] calldata witnesses
    ) external {
        Docket storage docket = self.inOpenStage(constitution, session, SessionState.TALLIED);
        bytes32 specHash = docket.requireWinner(session, LawCodec.specHash(keccak256(law), docHash));
        ILegislativeProcedure.Session storage info = docket.info;
        if (info.sponsor == address(0)) revert ILegislativeProcedure.NotAdopted(session);
        IConstitutionalValidator validator = IConstitutionalValidator(constitution.at(Institution.VALIDATOR));
        info.risk = validator.validate(
            law,
            IConstitutionalValidator.Terms({
                goalHash: info.goalHash,
                deposit: info.deposit,
                sponsor: info.sponsor,
                drafter: docket.drafterOf(),
                edition: Terms.wrap(info.params).edition()
            }),
            witnesses
        );
        docket.enter(constitution, session, SessionState.VALIDATED, info.rules.approvalTimeout);
        emit ILegislativeProcedure.Validated(session, specHash);
    }

    function codify(
        LegislationStorage storage self,
        IConstitutionContract constitution,
        uint256 session,
        bytes32[] calldata delegations
    ) external {
        Docket storage docket = self.inOpenStage(constitution, session, SessionState.VALIDATED);
        IClerkContract clerks = IClerkContract(constitution.at(Institution.CLERKS));
        clerks.consume(Office.CODIFIER, msg.sender, ILegislativeProcedure.codify.selector, session);
        bytes32 specHash = docket.candidates[docket.info.winner].specHash;
        _requireDelegations(constitution, session, specHash, delegations);
        ILegislativeProcedure.Rules storage rules = docket.info.rules;
        uint256 duration = uint256(rules.approvalTimeout) + rules.reviewTimeout;
        docket.enter(constitution, session, SessionState.CODIFIED, duration);
        emit ILegislativeProcedure.Codified(session, specHash, delegations);
    }

    function approveCodification(
        LegislationStorage storage self,
        IConstitutionContract constitution,
        uint256 session,
        bytes32 specHash
    ) external {
        if (!constitution.isGovernor(msg.sender)) revert ILegislativeProcedure.NotGovernor(msg.sender);
        Docket storage docket = self.inOpenStage(constitution, session, SessionState.CODIFIED);
        docket.requireWinner(session, specHash);
        docket.info.audited = true;
        emit ILegislativeProcedure.CodificationAudited(session, specHash);
    }

    /// @param domain EIP-712 domain separator of the procedure.
    function approve(
        LegislationStorage storage self,
        IConstitutionContract constitution,
        bytes32 domain,
        uint256 session,
        bytes calldata law,
        bytes32 docHash,
        OfficeSignature[] calldata signatures
    ) external returns (address mission) {
        Docket storage docket = self.inOpenStage(constitution, session, SessionState.CODIFIED);
        bytes32 specHash = docket.requireWinner(session, LawCodec.specHash(keccak256(law), docHash));
        _requireApproval(docket, constitution, domain, session, specHash, signatures);
        bool audited = docket.info.audited;
        if (docket.info.risk == Risk.HIGH && !audited) revert ILegislativeProcedure.CodificationAuditMissing(session);
        if (Blocs.isDelayed(docket)) revert ILegislativeProcedure.AwaitingRuling(session, docket.bloc.caseHash);
        IAdjudicatorRoster roster = IAdjudicatorRoster(constitution.at(Institution.ROSTER));
        if (!roster.hasQuorum()) revert ILegislativeProcedure.TooFewAdjudicators(roster.activeCount());
        IAdjudicatorWatchdog(constitution.at(Institution.WATCHDOG)).requireRunning();

        docket.end(session, SessionState.DEPLOYED);
        mission = _deploy(docket, constitution, session, law, docHash);
        emit ILegislativeProcedure.Approved(session, mission, specHash);
    }

    /// @dev Clone, fund, activate. The registry has read back that the clone enforces what was handed to it.
    function _deploy(
        Docket storage docket,
        IConstitutionContract constitution,
        uint256 session,
        bytes calldata law,
        bytes32 docHash
    ) private returns (address mission) {
        ILegislativeProcedure.Session storage info = docket.info;
        uint64 deposit = info.deposit;
        info.deposit = 0;
        uint40 deployedAt = uint40(block.timestamp);
        bytes memory args = LawCodec.args(law, info.params, docHash, session, info.sponsor, deployedAt);
        ITemplateRegistry registry = ITemplateRegistry(constitution.at(Institution.TEMPLATES));
        mission = registry.deploy(TEMPLATE, info.rules.template, args, session);
        info.mission = mission;
        IERC20(constitution.at(Institution.TOKEN)).safeTransfer(mission, deposit);
        ICollaborationContract(mission).activate();
        IExecutionProcedure(registry.executionOf(mission)).openMarket(mission, docket.drafterOf());
    }

    /// @dev One Speaker and enough distinct Regulators; an audit is worth one of them once their time is over.
    function _requireApproval(
        Docket storage docket,
        IConstitutionContract constitution,
        bytes32 domain,
        uint256 session,
        bytes32 specHash,
        OfficeSignature[] calldata signatures
    ) private {
        IClerkContract clerks = IClerkContract(constitution.at(Institution.CLERKS));
        uint256 regulators = _regulatorsNeeded(docket, clerks);
        (uint256 speakers, uint256 coSigners) = _countApprovals(clerks, domain, session, specHash, signatures);
        uint256 have = (speakers < 1 ? speakers : 1) + (coSigners < regulators ? coSigners : regulators);
        uint256 need = 1 + regulators;
        uint256 late = uint256(docket.info.deadline) - docket.info.rules.reviewTimeout + 1;
        if (docket.info.audited && CityClock.hasCome(constitution, late)) --need;
        if (have < need) revert ILegislativeProcedure.MissingApproval(session, have, need);
    }

    /// @dev Ascending clerks are distinct clerks; the envelope refuses signers without the office.
    function _countApprovals(
        IClerkContract clerks,
        bytes32 domain,
        uint256 session,
        bytes32 specHash,
        OfficeSignature[] calldata signatures
    ) private returns (uint256 speakers, uint256 regulators) {
        address previous = address(0);
        // At most as many as there are clerks: signers ascend.
        for (uint256 i = 0; i < signatures.length; ++i) {
            OfficeSignature calldata s = signatures[i];
            if (s.clerk <= previous) revert ILegislativeProcedure.SignersUnsorted(previous, s.clerk);
            previous = s.clerk;
            if (s.office == Office.SPEAKER) ++speakers;
            else if (s.office == Office.REGULATOR) ++regulators;
            else revert ILegislativeProcedure.NotAnApprover(s.office);
            bytes32 message = TypedData.hashOfficeApproval(s.clerk, s.office, session, specHash, s.deadline);
            bytes32 digest = MessageHashUtils.toTypedDataHash(domain, message);
            Signatures.requireAuthorised(s.clerk, s.deadline, s.signature, digest);
            clerks.consume(s.office, s.clerk, ILegislativeProcedure.approve.selector, session);
        }
    }

    function _regulatorsNeeded(Docket storage docket, IClerkContract clerks) private view returns (uint256) {
        uint256 quorum = docket.info.rules.regulators;
        uint256 appointed = clerks.appointedTo(Office.REGULATOR);
        // With no Regulator at all the co-signature is missing, not needless.
        if (appointed == 0) return 1;
        return quorum < appointed ? quorum : appointed;
    }

    /// @dev A delegation's id commits to session, operation and input, so equality of ids is the whole comparison.
    function _requireDelegations(
        IConstitutionContract constitution,
        uint256 session,
        bytes32 specHash,
        bytes32[] calldata delegations
    ) private view {
        IManagementContract management = IManagementContract(constitution.at(Institution.MANAGEMENT));
        bytes32[] memory operations = management.operationsOf(Office.CODIFIER);
        // At most the operations of one office, which adjudicators mandate.
        for (uint256 i = 0; i < operations.length; ++i) {
            bytes32 id = management.delegationId(session, operations[i], specHash);
            bool complete = i < delegations.length && delegations[i] == id;
            if (complete) complete = management.delegationOf(id).outputHash != 0;
            if (!complete) revert ILegislativeProcedure.MissingDelegation(session, operations[i]);
        }
        if (delegations.length > operations.length) {
            revert ILegislativeProcedure.UnmandatedDelegation(session, delegations[operations.length]);
        }
    }
}
