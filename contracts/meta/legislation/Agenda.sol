// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {IClerkContract} from "../../interfaces/IClerkContract.sol";
import {IConstitutionContract} from "../../interfaces/IConstitutionContract.sol";
import {IEvidenceRegistry} from "../../interfaces/IEvidenceRegistry.sol";
import {ILegislativeProcedure} from "../../interfaces/ILegislativeProcedure.sol";
import {IProducerContract} from "../../interfaces/IProducerContract.sol";
import {Institution, Office} from "../../types/Roles.sol";
import {SessionState} from "../../types/States.sol";
import {Candidacies} from "./Candidacies.sol";
import {Docket, LegislationStorage} from "./LegislationStorage.sol";
import {SessionLedger} from "./SessionLedger.sol";

/// @title What the Speaker puts before the voters: the ballot, and a draft of its own where nobody else's found sponsors
/// @notice AgentCity 3.4; decisions 9, 75. Linked, so that the procedure stays small; the functions are `ILegislativeProcedure`'s,
/// on its storage and with its caller.
library Agenda {
    using Candidacies for Docket;
    using SessionLedger for Docket;
    using SessionLedger for LegislationStorage;

    /// @dev Kept apart from the producers' drafts: it has no sponsors and takes none, and is on no ballot beside theirs.
    function draft(
        LegislationStorage storage self,
        IConstitutionContract constitution,
        uint256 session,
        bytes32 specHash,
        bytes32 cid
    ) external returns (uint16 candidate) {
        Docket storage docket = self.inOpenStage(constitution, session, SessionState.PROPOSING);
        _consume(constitution, ILegislativeProcedure.draft.selector, session);
        ILegislativeProcedure.Session storage info = docket.info;
        if (info.sponsor == address(0)) revert ILegislativeProcedure.NotAdopted(session);
        if (info.drafted != 0) revert ILegislativeProcedure.AlreadyProposed(session, msg.sender);
        if (docket.listed().length > 1) revert ILegislativeProcedure.NotNeeded(session);
        address house = IProducerContract(constitution.at(Institution.PRODUCERS)).principalOf(msg.sender);
        if (IEvidenceRegistry(constitution.at(Institution.EVIDENCE)).judges(house)) {
            revert ILegislativeProcedure.SpeakerJudges(house);
        }
        candidate = info.candidates++;
        info.drafted = candidate;
        ILegislativeProcedure.Candidate storage entry = docket.candidates[candidate];
        (entry.specHash, entry.principal, entry.proposer) = (specHash, house, msg.sender);
        emit ILegislativeProcedure.Proposed(session, candidate, msg.sender, specHash, cid);
        emit ILegislativeProcedure.Drafted(session, candidate, house);
    }

    function openVoting(LegislationStorage storage self, IConstitutionContract constitution, uint256 session) external {
        Docket storage docket = self.inState(session, SessionLedger.BEFORE_VOTE);
        bool over = docket.isOver(constitution);
        if (!over) _consume(constitution, ILegislativeProcedure.openVoting.selector, session);
        uint16[] memory entries = docket.listed();
        if (entries.length < 2) {
            if (!over) revert ILegislativeProcedure.NoCandidates(session);
            uint16 drafted = docket.info.drafted;
            if (drafted == 0) {
                docket.end(session, SessionState.FAILED);
                return;
            }
            entries = docket.listAlone(drafted);
        }
        docket.fix(entries);
        bytes32 seed = keccak256(abi.encode(blockhash(block.number - 1), address(this), session, entries));
        docket.info.tieSeed = seed;
        uint256 duration = docket.info.rules.proposalTimeout;
        uint40 until = docket.enter(constitution, session, SessionState.VOTING, duration);
        emit ILegislativeProcedure.VotingOpened(session, entries, seed, until);
    }

    /// @dev The caller is the Speaker, within its envelope.
    function _consume(IConstitutionContract constitution, bytes4 selector, uint256 session) private {
        IClerkContract clerks = IClerkContract(constitution.at(Institution.CLERKS));
        clerks.consume(Office.SPEAKER, msg.sender, selector, session);
    }
}
