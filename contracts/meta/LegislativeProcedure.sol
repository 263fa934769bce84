// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {IClerkContract} from "../interfaces/IClerkContract.sol";
import {IConstitutionContract} from "../interfaces/IConstitutionContract.sol";
import {ILegislativeProcedure} from "../interfaces/ILegislativeProcedure.sol";
import {IProducerContract} from "../interfaces/IProducerContract.sol";
import {Signatures} from "../libraries/Signatures.sol";
import {TypedData} from "../libraries/TypedData.sol";
import {Ballot, OfficeSignature} from "../types/Messages.sol";
import {Auth, Institution, Kind, Office} from "../types/Roles.sol";
import {SessionState} from "../types/States.sol";
import {Agenda} from "./legislation/Agenda.sol";
import {BallotBox} from "./legislation/BallotBox.sol";
import {Blocs} from "./legislation/Blocs.sol";
import {Candidacies} from "./legislation/Candidacies.sol";
import {Convocation} from "./legislation/Convocation.sol";
import {Electorate} from "./legislation/Electorate.sol";
import {Enactment} from "./legislation/Enactment.sol";
import {Docket, LegislationStorage} from "./legislation/LegislationStorage.sol";
import {SessionLedger} from "./legislation/SessionLedger.sol";

/// @title Sessions and the law they make
/// @notice AgentCity 3.4, B.10; decisions 1–4, 9–14. The parts are in `legislation/`: `SessionLedger` (states and clocks),
/// `Candidacies` (proposals and ballot), `Electorate` (who may vote), `BallotBox` (rankings); and, linked, `Convocation` (how
/// sessions come about), `Agenda` (what the Speaker puts to the vote), `Blocs` (what rankings tell beside who won), `Enactment` (from
/// winner to mission).
contract LegislativeProcedure is ILegislativeProcedure, EIP712, ReentrancyGuardTransient {
    using BallotBox for Docket;
    using Candidacies for Docket;
    using Candidacies for LegislationStorage;
    using SessionLedger for Docket;
    using SessionLedger for LegislationStorage;

    /// Between two sessions that count for who stays away although too few came.
    uint40 private constant _APART = 1 days;

    IConstitutionContract private immutable _CONSTITUTION;

    LegislationStorage private _store;

    constructor(IConstitutionContract constitution) EIP712("AgentCity", "1") {
        _CONSTITUTION = constitution;
    }

    // --- Opening ---------------------------------------------------------------------------------------------------------

    /// @inheritdoc ILegislativeProcedure
    function openSession(
        bytes32 goalHash,
        uint64 deposit,
        address parent
    ) external nonReentrant returns (uint256 session) {
        return Convocation.openSession(_store, _CONSTITUTION, goalHash, deposit, parent);
    }

    /// @inheritdoc ILegislativeProcedure
    function openChildSession(
        uint8 node,
        bytes32 goalHash,
        uint64 deposit
    ) external nonReentrant returns (uint256 session) {
        return Convocation.openChildSession(_store, _CONSTITUTION, node, goalHash, deposit);
    }

    /// @inheritdoc ILegislativeProcedure
    function petition(bytes32 goalHash, address parent, Auth[] calldata backers) external returns (uint256 session) {
        return Convocation.petition(_store, _CONSTITUTION, _domainSeparatorV4(), goalHash, parent, backers);
    }

    /// @inheritdoc ILegislativeProcedure
    function adopt(uint256 session, bytes calldata law, bytes32 docHash) external nonReentrant {
        Convocation.adopt(_store, _CONSTITUTION, session, law, docHash);
    }

    /// @inheritdoc ILegislativeProcedure
    function reintroduce(
        uint256 session,
        uint16 candidate,
        bytes32 specHash,
        bytes32 cid,
        Auth calldata auth
    ) external returns (uint256 successor) {
        bytes32 domain = _domainSeparatorV4();
        return Convocation.reintroduce(_store, _CONSTITUTION, domain, session, candidate, specHash, cid, auth);
    }

    /// @inheritdoc ILegislativeProcedure
    function confirmIdentities(uint256 session, bytes32 attestationRoot) external {
        _consume(Office.REGISTRAR, this.confirmIdentities.selector, session);
        Docket storage docket = _store.inOpenStage(_CONSTITUTION, session, SessionState.IDENTIFYING);
        docket.enter(_CONSTITUTION, session, SessionState.PROPOSING, docket.info.rules.proposalTimeout);
        emit IdentitiesConfirmed(session, attestationRoot);
    }

    // --- Candidates ------------------------------------------------------------------------------------------------------

    /// @inheritdoc ILegislativeProcedure
    function propose(
        uint256 session,
        bytes32 specHash,
        bytes32 cid,
        Auth calldata auth
    ) external returns (uint16 candidate) {
        _requireAuth(auth, TypedData.hashPropose(session, auth.agent, specHash, cid, auth.deadline));
        Docket storage docket = _store.inOpenStage(_CONSTITUTION, session, SessionState.PROPOSING);
        address principal = _requireMember(docket, auth.agent);
        candidate = docket.info.candidates;
        emit Proposed(session, candidate, auth.agent, specHash, cid);
        _store.propose(session, auth.agent, principal, specHash);
    }

    /// @inheritdoc ILegislativeProcedure
    function sponsor(uint256 session, uint16 candidate, Auth calldata auth) external {
        _requireAuth(auth, TypedData.hashSponsor(session, auth.agent, candidate, auth.deadline));
        Docket storage docket = _store.inOpenStage(_CONSTITUTION, session, SessionState.PROPOSING);
        address principal = _requireMember(docket, auth.agent);
        docket.sponsor(session, auth.agent, principal, candidate);
    }

    /// @inheritdoc ILegislativeProcedure
    function draft(uint256 session, bytes32 specHash, bytes32 cid) external returns (uint16 candidate) {
        return Agenda.draft(_store, _CONSTITUTION, session, specHash, cid);
    }

    // --- Ballots ---------------------------------------------------------------------------------------------------------

    /// @inheritdoc ILegislativeProcedure
    function openDebate(uint256 session) external {
        Docket storage docket = _store.inOpenStage(_CONSTITUTION, session, SessionState.PROPOSING);
        _consume(Office.SPEAKER, this.openDebate.selector, session);
        uint16[] memory entries = docket.listed();
        if (entries.length < 2) revert NoCandidates(session);
        docket.fix(entries);
        uint256 duration = docket.info.rules.proposalTimeout;
        uint40 until = docket.enter(_CONSTITUTION, session, SessionState.DELIBERATING, duration);
        emit DebateOpened(session, entries, until);
    }

    /// @inheritdoc ILegislativeProcedure
    function strawPoll(uint256 session, Ballot[] calldata rankings) external {
        Blocs.strawPoll(_store, _CONSTITUTION, _domainSeparatorV4(), session, rankings);
    }

    /// @inheritdoc ILegislativeProcedure
    function openVoting(uint256 session) external {
        Agenda.openVoting(_store, _CONSTITUTION, session);
    }

    /// @inheritdoc ILegislativeProcedure
    function castBallots(uint256 session, Ballot[] calldata ballots) external {
        Docket storage docket = _store.inOpenStage(_CONSTITUTION, session, SessionState.VOTING);
        docket.cast(session, _producers(), _domainSeparatorV4(), ballots);
    }

    /// @inheritdoc ILegislativeProcedure
    function tally(uint256 session) external {
        Docket storage docket = _store.inStage(session, SessionState.VOTING);
        Session storage info = docket.info;
        uint16 ballots = info.ballots;
        if (ballots < info.electorate && !docket.isOver(_CONSTITUTION)) {
            revert NotYet(session, docket.endsAt(_CONSTITUTION));
        }
        uint16[] memory order = new uint16[](0);
        uint16 winner = 0;
        uint256 quorum = docket.quorumOf();
        _attest(session, info, quorum);
        if (ballots >= quorum) {
            order = _asCandidates(docket, docket.order());
            winner = order[0];
        }
        info.winner = winner;
        emit Tallied(session, winner, ballots, order);
        if (winner == 0)
            docket.end(session, SessionState.FAILED);
            // A session without a sponsor still has to be found.
        else {
            bool unpaid = info.sponsor == address(0);
            uint256 duration = unpaid ? info.rules.reviewTimeout : info.rules.approvalTimeout;
            docket.enter(_CONSTITUTION, session, SessionState.TALLIED, duration);
        }
    }

    /// @inheritdoc ILegislativeProcedure
    function flagBloc(uint256 session, address leader, address[] calldata members) external {
        Blocs.flagBloc(_store, _CONSTITUTION, session, leader, members);
    }

    /// @inheritdoc ILegislativeProcedure
    function ruleOnBloc(uint256 session, bytes32 caseHash, bool release) external {
        Blocs.ruleOnBloc(_store, _CONSTITUTION, session, caseHash, release);
    }

    // --- Law -------------------------------------------------------------------------------------------------------------

    /// @inheritdoc ILegislativeProcedure
    function validate(uint256 session, bytes calldata law, bytes32 docHash, address[] calldata witnesses) external {
        Enactment.validate(_store, _CONSTITUTION, session, law, docHash, witnesses);
    }

    /// @inheritdoc ILegislativeProcedure
    function codify(uint256 session, bytes32[] calldata delegations) external {
        Enactment.codify(_store, _CONSTITUTION, session, delegations);
    }

    /// @inheritdoc ILegislativeProcedure
    function approveCodification(uint256 session, bytes32 specHash) external {
        Enactment.approveCodification(_store, _CONSTITUTION, session, specHash);
    }

    /// @inheritdoc ILegislativeProcedure
    function approve(
        uint256 session,
        bytes calldata law,
        bytes32 docHash,
        OfficeSignature[] calldata signatures
    ) external nonReentrant returns (address mission) {
        return Enactment.approve(_store, _CONSTITUTION, _domainSeparatorV4(), session, law, docHash, signatures);
    }

    // --- Ends ------------------------------------------------------------------------------------------------------------

    /// @inheritdoc ILegislativeProcedure
    function cancel(uint256 session) external nonReentrant {
        Convocation.cancel(_store, _CONSTITUTION, session);
    }

    /// @inheritdoc ILegislativeProcedure
    function expire(uint256 session) external {
        Docket storage docket = _store.inState(session, SessionLedger.EXPIRING);
        if (!docket.isOver(_CONSTITUTION)) revert NotYet(session, docket.endsAt(_CONSTITUTION));
        docket.end(session, SessionState.EXPIRED);
    }

    /// @inheritdoc ILegislativeProcedure
    function withdraw(uint256 session) external nonReentrant {
        Convocation.withdraw(_store, _CONSTITUTION, session);
    }

    /// @inheritdoc ILegislativeProcedure
    function lapse(address agent) external {
        Convocation.lapse(_store, _producers(), agent);
    }

    // --- Views -----------------------------------------------------------------------------------------------------------

    /// @inheritdoc ILegislativeProcedure
    function sessionOf(uint256 session) external view returns (Session memory info) {
        info = _store.dockets[session].info;
        info.deadline = _store.dockets[session].endsAt(_CONSTITUTION);
    }

    /// @inheritdoc ILegislativeProcedure
    function candidateOf(uint256 session, uint16 candidate) external view returns (Candidate memory) {
        return _store.dockets[session].candidates[candidate];
    }

    /// @inheritdoc ILegislativeProcedure
    function ballotOf(uint256 session) external view returns (uint16[] memory) {
        return _store.dockets[session].ballotOf();
    }

    /// @inheritdoc ILegislativeProcedure
    function pairwise(uint256 session, uint8 i, uint8 j) external view returns (uint256) {
        return _store.dockets[session].pairwise(i, j);
    }

    /// @inheritdoc ILegislativeProcedure
    function rankingOf(uint256 session, address agent) external view returns (uint64) {
        IProducerContract.Agent memory voter = _producers().agentOf(agent);
        // Non-producers read as index 0, which belongs to a real producer.
        return voter.kind == Kind.PRODUCER ? _store.dockets[session].rankingAt(voter.index) : 0;
    }

    /// @inheritdoc ILegislativeProcedure
    function strawRankingOf(uint256 session, address agent) external view returns (uint64) {
        return Blocs.strawRankingOf(_store, _CONSTITUTION, session, agent);
    }

    /// @inheritdoc ILegislativeProcedure
    function parentOf(uint256 session) external view returns (address mission, uint8 node, uint8 depth) {
        Session storage info = _store.dockets[session].info;
        if (info.child) return (info.parent, info.node, info.depth);
    }

    /// @inheritdoc ILegislativeProcedure
    function petitionOf(bytes32 goalHash, address parent) external view returns (Petition memory) {
        return Convocation.petitionOf(_store, _CONSTITUTION, goalHash, parent);
    }

    /// @inheritdoc ILegislativeProcedure
    function blocOf(uint256 session) external view returns (Bloc memory) {
        return Blocs.blocOf(_store, session);
    }

    /// @inheritdoc ILegislativeProcedure
    function correlationOf(uint256 session, address a, address b) external view returns (int256 tau, uint256 jaccard) {
        return Blocs.correlationOf(_store, _CONSTITUTION, session, a, b);
    }

    /// @inheritdoc ILegislativeProcedure
    function sessionCount() external view returns (uint256) {
        return _store.sessions;
    }

    /// @inheritdoc ILegislativeProcedure
    function template() external pure returns (bytes32) {
        return Enactment.TEMPLATE;
    }

    // --- Checks ----------------------------------------------------------------------------------------------------------

    function _requireAuth(Auth calldata auth, bytes32 message) private view {
        Signatures.requireAuth(auth, _hashTypedDataV4(message));
    }

    /// @dev The caller acts in an office, within its envelope.
    function _consume(Office office, bytes4 selector, uint256 session) private {
        _clerks().consume(office, msg.sender, selector, session);
    }

    /// @dev Counts for `lapse`, unless it overlapped with the last session that did. A session without a quorum also counts if it was paid for,
    /// half of a quorum voted, and it opened a day after the last: no one can strike others off overnight.
    function _attest(uint256 session, Session storage info, uint256 quorum) private {
        if (info.openedBlock <= _store.talliedBlock) return;
        uint256 ballots = info.ballots;
        if (ballots < quorum) {
            bool funded = info.sponsor != address(0) && info.deposit >= info.rules.fee;
            if (!funded || 2 * ballots < quorum || info.openedAt < _store.talliedAt + _APART) return;
        }
        (_store.talliedBlock, _store.talliedAt) = (uint32(block.number), uint40(block.timestamp));
        _store.lastTallied[_store.tallied++ % 3] = session;
    }

    function _requireMember(Docket storage docket, address agent) private view returns (address principal) {
        Session storage info = docket.info;
        (principal, ) = Electorate.requireMember(_producers(), agent, info.openedBlock, info.rules.reputationFloor);
    }

    function _asCandidates(Docket storage docket, uint8[] memory entries) private view returns (uint16[] memory order) {
        uint16[] memory ballot = docket.ballotOf();
        order = new uint16[](entries.length);
        for (uint256 i = 0; i < entries.length; ++i) order[i] = ballot[entries[i]];
    }

    function _producers() private view returns (IProducerContract) {
        return IProducerContract(_CONSTITUTION.at(Institution.PRODUCERS));
    }

    function _clerks() private view returns (IClerkContract) {
        return IClerkContract(_CONSTITUTION.at(Institution.CLERKS));
    }
}
