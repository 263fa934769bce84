// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {MessageHashUtils} from "@openzeppelin/contracts/utils/cryptography/MessageHashUtils.sol";
import {Suffrage} from "../../foundational/Suffrage.sol";
import {IClerkContract} from "../../interfaces/IClerkContract.sol";
import {IConstitutionContract} from "../../interfaces/IConstitutionContract.sol";
import {ILegislativeProcedure} from "../../interfaces/ILegislativeProcedure.sol";
import {IProducerContract} from "../../interfaces/IProducerContract.sol";
import {BasisPoints} from "../../libraries/BasisPoints.sol";
import {Condorcet} from "../../libraries/Condorcet.sol";
import {RankCorrelation} from "../../libraries/RankCorrelation.sol";
import {Signatures} from "../../libraries/Signatures.sol";
import {TypedData} from "../../libraries/TypedData.sol";
import {Ballot} from "../../types/Messages.sol";
import {Institution, Kind, Office} from "../../types/Roles.sol";
import {SessionState} from "../../types/States.sol";
import {BallotBox} from "./BallotBox.sol";
import {Docket, FlaggedVoters, LegislationStorage} from "./LegislationStorage.sol";
import {SessionLedger} from "./SessionLedger.sol";

/// @title What rankings tell beside who won: opinions before the debate, and voters who rank alike
/// @notice AgentCity 3.4 stage 2, 3.6 stage 2; decisions 11, 31. Linked, so that the procedure stays small; the functions are
/// `ILegislativeProcedure`'s, on its storage and with its caller. A bloc is the voters around one ranking, its leader's, because
/// then its members can be shown one by one, however many they are. Correlation is recomputed from recorded ballots.
library Blocs {
    using BallotBox for Docket;
    using SessionLedger for Docket;
    using SessionLedger for LegislationStorage;

    uint256 private constant _MAX_MEMBERS = 64;
    uint256 private constant _RULABLE =
        (1 << uint256(SessionState.TALLIED)) |
            (1 << uint256(SessionState.VALIDATED)) |
            (1 << uint256(SessionState.CODIFIED));
    uint256 private constant _FLAGGABLE = _RULABLE | (1 << uint256(SessionState.VOTING));

    /// @param domain EIP-712 domain separator of the procedure.
    function strawPoll(
        LegislationStorage storage self,
        IConstitutionContract constitution,
        bytes32 domain,
        uint256 session,
        Ballot[] calldata rankings
    ) external {
        Docket storage docket = self.inOpenStage(constitution, session, SessionState.DELIBERATING);
        address[] memory agents = new address[](rankings.length);
        for (uint256 i = 0; i < rankings.length; ++i) agents[i] = rankings[i].agent;
        uint16[] memory indices = _producers(constitution).electorsOf(
            agents,
            docket.info.openedBlock,
            docket.info.rules.reputationFloor
        );
        for (uint256 i = 0; i < rankings.length; ++i) {
            if (indices[i] == Suffrage.NOBODY) revert ILegislativeProcedure.NotEligible(agents[i]);
            _poll(docket, session, domain, indices[i], rankings[i]);
        }
    }

    function flagBloc(
        LegislationStorage storage self,
        IConstitutionContract constitution,
        uint256 session,
        address leader,
        address[] calldata members
    ) external {
        IClerkContract clerks = IClerkContract(constitution.at(Institution.CLERKS));
        clerks.consume(Office.REGULATOR, msg.sender, ILegislativeProcedure.flagBloc.selector, session);
        Docket storage docket = self.inState(session, _FLAGGABLE);
        if (members.length == 0 || members.length > _MAX_MEMBERS) {
            revert ILegislativeProcedure.InvalidBloc(leader, members.length, _MAX_MEMBERS);
        }
        uint256 found = _flagAll(docket, constitution, session, leader, members);
        if (found == 0) revert ILegislativeProcedure.AlreadyFlagged(session, leader);

        FlaggedVoters storage bloc = docket.bloc;
        // At most _MAX_MEMBERS.
        bloc.count += uint16(found);
        bloc.caseHash = keccak256(abi.encode(session, bloc.caseHash, leader, members));
        emit ILegislativeProcedure.BlocFlagged(session, leader, members, bloc.count, bloc.caseHash);
        if (docket.info.state == SessionState.CODIFIED && !bloc.prolonged && isDelayed(docket)) {
            bloc.prolonged = true;
            ILegislativeProcedure.Rules storage rules = docket.info.rules;
            docket.prolong(constitution, session, uint256(rules.approvalTimeout) + rules.reviewTimeout);
        }
    }

    function ruleOnBloc(
        LegislationStorage storage self,
        IConstitutionContract constitution,
        uint256 session,
        bytes32 caseHash,
        bool release
    ) external {
        if (!constitution.isGovernor(msg.sender)) revert ILegislativeProcedure.NotGovernor(msg.sender);
        Docket storage docket = self.inState(session, _RULABLE);
        if (!isDelayed(docket)) revert ILegislativeProcedure.NothingToRule(session);
        bytes32 current = docket.bloc.caseHash;
        if (caseHash != current) revert ILegislativeProcedure.StaleBloc(session, caseHash, current);

        emit ILegislativeProcedure.BlocRuled(session, caseHash, release);
        if (!release) {
            docket.end(session, SessionState.FAILED);
            return;
        }
        (docket.bloc.released, docket.bloc.cleared) = (caseHash, docket.bloc.count);
        // Parties that waited for the ruling have time to act on it.
        docket.prolong(constitution, session, docket.info.rules.approvalTimeout);
    }

    /// @dev As `ILegislativeProcedure.correlationOf`.
    function correlationOf(
        LegislationStorage storage self,
        IConstitutionContract constitution,
        uint256 session,
        address a,
        address b
    ) external view returns (int256 tau, uint256 jaccard) {
        Docket storage docket = self.dockets[session];
        IProducerContract producers = _producers(constitution);
        (, uint64 first) = _recorded(docket, producers, session, a);
        (, uint64 second) = _recorded(docket, producers, session, b);
        return _correlation(first, second, docket.info.ballotSize);
    }

    /// @dev As `ILegislativeProcedure.strawRankingOf`.
    function strawRankingOf(
        LegislationStorage storage self,
        IConstitutionContract constitution,
        uint256 session,
        address agent
    ) external view returns (uint64) {
        Docket storage docket = self.dockets[session];
        (bool known, uint16 index) = _indexOf(_producers(constitution), agent);
        if (!known) return 0;
        (uint256 word, uint256 shift) = BallotBox.placeOf(index, docket.info.ballotSize);
        return BallotBox.laneOf(docket.straws[word] >> shift, docket.info.ballotSize);
    }

    /// @dev As `ILegislativeProcedure.blocOf`.
    function blocOf(
        LegislationStorage storage self,
        uint256 session
    ) external view returns (ILegislativeProcedure.Bloc memory) {
        Docket storage docket = self.dockets[session];
        FlaggedVoters storage bloc = docket.bloc;
        return
            ILegislativeProcedure.Bloc({
                flagged: bloc.count,
                delayed: isDelayed(docket),
                caseHash: bloc.caseHash,
                released: bloc.released
            });
    }

    /// @notice Whether flagged voters hold the critical share of the ballots, beside those whom humans let vote: else one more of them would
    /// take every release back.
    function isDelayed(Docket storage docket) internal view returns (bool) {
        FlaggedVoters storage bloc = docket.bloc;
        uint256 fresh = bloc.count - bloc.cleared;
        if (fresh == 0) return false;
        return fresh * BasisPoints.WHOLE >= uint256(docket.info.rules.blocShare) * docket.info.ballots;
    }

    function _poll(
        Docket storage docket,
        uint256 session,
        bytes32 domain,
        uint16 index,
        Ballot calldata given
    ) private {
        (address agent, uint64 ranking, uint40 deadline) = (given.agent, given.ranking, given.deadline);
        uint256 m = docket.info.ballotSize;
        (uint256 word, uint256 shift) = BallotBox.placeOf(index, m);
        if (BallotBox.laneOf(docket.straws[word] >> shift, m) != 0) {
            revert ILegislativeProcedure.AlreadyPolled(session, agent);
        }
        Condorcet.requireRanking(ranking, m);
        bytes32 message = TypedData.hashStrawPoll(session, agent, ranking, deadline);
        bytes32 digest = MessageHashUtils.toTypedDataHash(domain, message);
        Signatures.requireAuthorised(agent, deadline, given.signature, digest);
        docket.straws[word] |= uint256(ranking) << shift;
        emit ILegislativeProcedure.StrawPollCast(session, agent, ranking);
    }

    /// @return found Voters flagged for the first time.
    function _flagAll(
        Docket storage docket,
        IConstitutionContract constitution,
        uint256 session,
        address leader,
        address[] calldata members
    ) private returns (uint256 found) {
        IProducerContract producers = _producers(constitution);
        (uint16 index, uint64 ranking) = _recorded(docket, producers, session, leader);
        if (_flag(docket.bloc, index)) ++found;
        for (uint256 i = 0; i < members.length; ++i) {
            address member = members[i];
            if (member == leader) revert ILegislativeProcedure.InvalidBloc(leader, members.length, _MAX_MEMBERS);
            uint64 other;
            (index, other) = _recorded(docket, producers, session, member);
            _requireCorrelated(docket, session, leader, ranking, member, other);
            if (_flag(docket.bloc, index)) ++found;
        }
    }

    function _requireCorrelated(
        Docket storage docket,
        uint256 session,
        address leader,
        uint64 ranking,
        address member,
        uint64 other
    ) private view {
        uint256 m = docket.info.ballotSize;
        ILegislativeProcedure.Rules storage rules = docket.info.rules;
        if (RankCorrelation.isCorrelated(ranking, other, m, rules.blocTau, rules.blocJaccard)) return;
        (int256 tau, uint256 jaccard) = _correlation(ranking, other, m);
        revert ILegislativeProcedure.NotCorrelated(session, leader, member, tau, jaccard);
    }

    function _correlation(uint64 a, uint64 b, uint256 m) private pure returns (int256 tau, uint256 jaccard) {
        tau = RankCorrelation.tau(a, b, m);
        jaccard = RankCorrelation.jaccard(a, b, m, RankCorrelation.depth(m));
    }

    /// @return first Whether the voter was not flagged before.
    function _flag(FlaggedVoters storage bloc, uint16 index) private returns (bool first) {
        (uint256 word, uint256 bit) = (index >> 8, 1 << (index & 0xff));
        first = bloc.voters[word] & bit == 0;
        if (first) bloc.voters[word] |= bit;
    }

    function _recorded(
        Docket storage docket,
        IProducerContract producers,
        uint256 session,
        address agent
    ) private view returns (uint16 index, uint64 ranking) {
        bool known;
        (known, index) = _indexOf(producers, agent);
        ranking = known ? docket.rankingAt(index) : 0;
        if (ranking == 0) revert ILegislativeProcedure.NotVoted(session, agent);
    }

    /// @dev Non-producers read as index 0, which belongs to a real producer.
    function _indexOf(IProducerContract producers, address agent) private view returns (bool known, uint16 index) {
        IProducerContract.Agent memory voter = producers.agentOf(agent);
        (known, index) = (voter.kind == Kind.PRODUCER, voter.index);
    }

    function _producers(IConstitutionContract constitution) private view returns (IProducerContract) {
        return IProducerContract(constitution.at(Institution.PRODUCERS));
    }
}
