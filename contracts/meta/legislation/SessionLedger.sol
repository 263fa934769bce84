// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {IConstitutionContract} from "../../interfaces/IConstitutionContract.sol";
import {ILegislativeProcedure} from "../../interfaces/ILegislativeProcedure.sol";
import {ITemplateRegistry} from "../../interfaces/ITemplateRegistry.sol";
import {BasisPoints} from "../../libraries/BasisPoints.sol";
import {SessionTransitions} from "../../libraries/SessionTransitions.sol";
import {Param} from "../../types/Params.sol";
import {Institution} from "../../types/Roles.sol";
import {SessionState} from "../../types/States.sol";
import {CityClock} from "../CityClock.sol";
import {Docket, LegislationStorage} from "./LegislationStorage.sol";

/// @title States, stages and clocks of sessions
library SessionLedger {
    /// @notice States in which the sponsor may still cancel.
    uint256 internal constant LIVE =
        (1 << uint256(SessionState.IDENTIFYING)) |
            (1 << uint256(SessionState.PROPOSING)) |
            (1 << uint256(SessionState.DELIBERATING)) |
            (1 << uint256(SessionState.VOTING)) |
            (1 << uint256(SessionState.TALLIED)) |
            (1 << uint256(SessionState.VALIDATED)) |
            (1 << uint256(SessionState.CODIFIED));
    /// @notice States that wait for a particular actor, and therefore expire. Anyone can advance the others.
    uint256 internal constant EXPIRING =
        (1 << uint256(SessionState.IDENTIFYING)) |
            (1 << uint256(SessionState.TALLIED)) |
            (1 << uint256(SessionState.VALIDATED)) |
            (1 << uint256(SessionState.CODIFIED));
    /// @notice States that `openVoting` ends.
    uint256 internal constant BEFORE_VOTE =
        (1 << uint256(SessionState.PROPOSING)) | (1 << uint256(SessionState.DELIBERATING));
    /// @notice States that owe the sponsor its deposit.
    uint256 internal constant REFUNDABLE =
        (1 << uint256(SessionState.FAILED)) |
            (1 << uint256(SessionState.EXPIRED)) |
            (1 << uint256(SessionState.CANCELLED));

    /// @notice The session, if it is in one of the `allowed` states (a bitmap).
    function inState(
        LegislationStorage storage self,
        uint256 session,
        uint256 allowed
    ) internal view returns (Docket storage docket) {
        docket = self.dockets[session];
        SessionState state = docket.info.state;
        if (state == SessionState.NONE) revert ILegislativeProcedure.UnknownSession(session);
        if (allowed & (1 << uint256(state)) == 0) revert ILegislativeProcedure.WrongState(session, state, allowed);
    }

    /// @notice The session, if it is in `state`.
    function inStage(
        LegislationStorage storage self,
        uint256 session,
        SessionState state
    ) internal view returns (Docket storage) {
        return inState(self, session, 1 << uint256(state));
    }

    /// @notice The session, if it is in `state` and its stage is not over.
    function inOpenStage(
        LegislationStorage storage self,
        IConstitutionContract constitution,
        uint256 session,
        SessionState state
    ) internal view returns (Docket storage docket) {
        docket = inStage(self, session, state);
        if (isOver(docket, constitution)) {
            revert ILegislativeProcedure.TooLate(session, endsAt(docket, constitution));
        }
    }

    function isOver(Docket storage docket, IConstitutionContract constitution) internal view returns (bool) {
        return CityClock.hasCome(constitution, uint256(docket.info.deadline) + 1);
    }

    /// @notice Last second of the current stage, unless the city is stopped until then.
    function endsAt(Docket storage docket, IConstitutionContract constitution) internal view returns (uint40) {
        return CityClock.inWorld(constitution, docket.info.deadline);
    }

    /// @notice Moves to a stage that lasts `duration` seconds from now.
    /// @return until its last second, unless the city is stopped until then
    function enter(
        Docket storage docket,
        IConstitutionContract constitution,
        uint256 session,
        SessionState to,
        uint256 duration
    ) internal returns (uint40 until) {
        _move(docket, session, to, CityClock.afterNow(constitution, duration));
        return endsAt(docket, constitution);
    }

    /// @notice Moves to a final state.
    function end(Docket storage docket, uint256 session, SessionState to) internal {
        _move(docket, session, to, 0);
    }

    /// @notice Lets the current stage last for `duration` seconds more at least.
    function prolong(
        Docket storage docket,
        IConstitutionContract constitution,
        uint256 session,
        uint256 duration
    ) internal {
        uint40 until = CityClock.afterNow(constitution, duration);
        if (until <= docket.info.deadline) return;
        docket.info.deadline = until;
        emit ILegislativeProcedure.StageProlonged(session, CityClock.inWorld(constitution, until));
    }

    /// @notice The winner's hash; reverts if `given` differs.
    function requireWinner(Docket storage docket, uint256 session, bytes32 given) internal view returns (bytes32) {
        bytes32 approved = docket.candidates[docket.info.winner].specHash;
        if (given != approved) revert ILegislativeProcedure.SpecMismatch(session, approved, given);
        return given;
    }

    /// @notice The Speaker's house, if what won was drafted in its office; else zero.
    function drafterOf(Docket storage docket) internal view returns (address) {
        uint16 drafted = docket.info.drafted;
        return drafted != 0 && drafted == docket.info.winner ? docket.candidates[drafted].principal : address(0);
    }

    /// @notice Ballots that make a turnout.
    function quorumOf(Docket storage docket) internal view returns (uint256) {
        uint256 quorum = Math.ceilDiv(
            uint256(docket.info.electorate) * docket.info.rules.turnoutQuorum,
            BasisPoints.WHOLE
        );
        return quorum == 0 ? 1 : quorum;
    }

    /// @notice The rules in force now, to be kept by a session that opens.
    function currentRules(
        IConstitutionContract constitution,
        bytes32 template
    ) internal view returns (ILegislativeProcedure.Rules memory rules) {
        ITemplateRegistry registry = ITemplateRegistry(constitution.at(Institution.TEMPLATES));
        rules.minSponsors = uint8(constitution.param(Param.MIN_SPONSORS));
        rules.turnoutQuorum = uint16(constitution.param(Param.TURNOUT_QUORUM));
        rules.regulators = uint8(constitution.param(Param.MULTISIG_REG_QUORUM));
        rules.proposalTimeout = uint16(constitution.param(Param.LEGISLATIVE_PROPOSAL_TIMEOUT));
        rules.approvalTimeout = uint16(constitution.param(Param.REGULATORY_APPROVAL_TIMEOUT));
        rules.reviewTimeout = uint24(constitution.param(Param.MAX_HUMAN_REVIEW_TIMEOUT));
        rules.template = registry.latestVersion(template);
        if (rules.template == 0) revert ITemplateRegistry.UnknownTemplate(template, 0);
        rules.blocTau = uint8(constitution.param(Param.BLOC_TAU_THRESHOLD));
        rules.blocJaccard = uint8(constitution.param(Param.BLOC_JACCARD_THRESHOLD));
        rules.blocShare = uint16(constitution.param(Param.CRITICAL_BLOC_SHARE));
        rules.reputationFloor = uint16(constitution.param(Param.REPUTATION_FLOOR));
        rules.fee = constitution.paramInUnits(Param.SESSION_FEE);
    }

    function _move(Docket storage docket, uint256 session, SessionState to, uint40 deadline) private {
        SessionState from = docket.info.state;
        SessionTransitions.requireArc(from, to);
        docket.info.state = to;
        docket.info.deadline = deadline;
        emit ILegislativeProcedure.StateChanged(session, from, to, msg.sender);
    }
}
