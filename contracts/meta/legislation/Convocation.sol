// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {MessageHashUtils} from "@openzeppelin/contracts/utils/cryptography/MessageHashUtils.sol";
import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {Dues} from "../../foundational/Dues.sol";
import {Suffrage} from "../../foundational/Suffrage.sol";
import {IAdjudicatorWatchdog} from "../../interfaces/IAdjudicatorWatchdog.sol";
import {ICollaborationContract} from "../../interfaces/ICollaborationContract.sol";
import {IConstitutionContract} from "../../interfaces/IConstitutionContract.sol";
import {ILegislativeProcedure} from "../../interfaces/ILegislativeProcedure.sol";
import {IProducerContract} from "../../interfaces/IProducerContract.sol";
import {ITemplateRegistry} from "../../interfaces/ITemplateRegistry.sol";
import {ITreasury} from "../../interfaces/ITreasury.sol";
import {BasisPoints} from "../../libraries/BasisPoints.sol";
import {Intake} from "../../libraries/Intake.sol";
import {LawCodec} from "../../libraries/LawCodec.sol";
import {Reasons} from "../../libraries/Reasons.sol";
import {Signatures} from "../../libraries/Signatures.sol";
import {TypedData} from "../../libraries/TypedData.sol";
import {MissionContext} from "../../types/Law.sol";
import {Param} from "../../types/Params.sol";
import {Auth, Institution, Standing} from "../../types/Roles.sol";
import {MissionState, SessionState} from "../../types/States.sol";
import {CityClock} from "../CityClock.sol";
import {BallotBox} from "./BallotBox.sol";
import {Candidacies} from "./Candidacies.sol";
import {Electorate} from "./Electorate.sol";
import {Enactment} from "./Enactment.sol";
import {Docket, LegislationStorage} from "./LegislationStorage.sol";
import {SessionLedger} from "./SessionLedger.sol";

/// @title How sessions come about: a sponsor opens one, producers petition for one, a failed proposal returns
/// @notice AgentCity 3.4, 4; decisions 3, 4. Linked, so that the procedure stays small; the functions are
/// `ILegislativeProcedure`'s, on its storage and with its caller. Only a sponsor brings money, by its own call: a session
/// opened by producers waits for adoption.
library Convocation {
    using BallotBox for Docket;
    using Candidacies for Docket;
    using Candidacies for LegislationStorage;
    using Dues for Dues.Owed;
    using Intake for IERC20;
    using SafeERC20 for IERC20;
    using SessionLedger for Docket;
    using SessionLedger for LegislationStorage;

    /// @dev Missions above a mission, at most: with 256 nodes each, more than any goal needs.
    uint8 private constant _DEEPEST = 8;
    /// @dev Subject of the backers' signatures of a petition.
    struct Subject {
        /// EIP-712 domain separator of the procedure.
        bytes32 domain;
        bytes32 goalHash;
        address parent;
    }

    function openSession(
        LegislationStorage storage self,
        IConstitutionContract constitution,
        bytes32 goalHash,
        uint64 deposit,
        address parent
    ) external returns (uint256 session) {
        _requireOutsider(constitution);
        if (deposit == 0) revert ILegislativeProcedure.ZeroDeposit();
        session = _open(self, constitution, goalHash, parent, msg.sender, deposit);
        _pull(constitution, deposit);
    }

    function openChildSession(
        LegislationStorage storage self,
        IConstitutionContract constitution,
        uint8 node,
        bytes32 goalHash,
        uint64 deposit
    ) external returns (uint256 session) {
        ITemplateRegistry templates = ITemplateRegistry(constitution.at(Institution.TEMPLATES));
        address legislation = templates.missionOf(msg.sender).legislation;
        if (legislation == address(0)) revert ILegislativeProcedure.UnknownParent(msg.sender);
        if (deposit == 0) revert ILegislativeProcedure.ZeroDeposit();
        MissionContext memory above = ICollaborationContract(msg.sender).context();
        (, , uint8 depth) = ILegislativeProcedure(legislation).parentOf(above.session);
        if (depth == _DEEPEST) revert ILegislativeProcedure.TooDeep(msg.sender, _DEEPEST);

        session = _open(self, constitution, goalHash, msg.sender, above.sponsor, deposit);
        ILegislativeProcedure.Session storage info = self.dockets[session].info;
        (info.child, info.node, info.depth) = (true, node, depth + 1);
        emit ILegislativeProcedure.ChildSessionOpened(session, msg.sender, node, depth + 1);
        _pull(constitution, deposit);
    }

    /// @dev The deposit is what the law that won needs, so that its adopter pays for it.
    function adopt(
        LegislationStorage storage self,
        IConstitutionContract constitution,
        uint256 session,
        bytes calldata law,
        bytes32 docHash
    ) external {
        _requireOutsider(constitution);
        // A sponsor's agents are neither witnesses nor judges: a house whose agents the law needs would end it by adopting.
        if (IProducerContract(constitution.at(Institution.PRODUCERS)).isPrincipal(msg.sender)) {
            revert ILegislativeProcedure.NotEligible(msg.sender);
        }
        Docket storage docket = self.inOpenStage(constitution, session, SessionState.TALLIED);
        ILegislativeProcedure.Session storage info = docket.info;
        if (info.sponsor != address(0)) revert ILegislativeProcedure.AlreadyAdopted(session, info.sponsor);
        docket.requireWinner(session, LawCodec.specHash(keccak256(law), docHash));
        uint64 deposit = LawCodec.header(law).budget;
        if (deposit == 0) revert ILegislativeProcedure.ZeroDeposit();

        (info.sponsor, info.deposit, info.adopted) = (msg.sender, deposit, true);
        docket.prolong(constitution, session, info.rules.approvalTimeout);
        _pull(constitution, deposit);
        emit ILegislativeProcedure.SessionAdopted(session, msg.sender, deposit);
    }

    function cancel(LegislationStorage storage self, IConstitutionContract constitution, uint256 session) external {
        Docket storage docket = self.inState(session, SessionLedger.LIVE);
        ILegislativeProcedure.Session storage info = docket.info;
        bool owns = msg.sender == info.sponsor && !info.child && !info.adopted;
        if (!owns) revert ILegislativeProcedure.NotSponsor(session, msg.sender);
        uint64 fee = info.rules.fee < info.deposit ? info.rules.fee : info.deposit;
        info.deposit -= fee;
        docket.end(session, SessionState.CANCELLED);
        if (fee == 0) return;
        IERC20 token = IERC20(constitution.at(Institution.TOKEN));
        self.dues.pay(token, ITreasury(constitution.at(Institution.TREASURY)), fee, 0, Reasons.SESSION_FEE);
    }

    function withdraw(LegislationStorage storage self, IConstitutionContract constitution, uint256 session) external {
        Docket storage docket = self.inState(session, SessionLedger.REFUNDABLE);
        uint64 amount = docket.info.deposit;
        if (amount == 0) revert ILegislativeProcedure.NothingToWithdraw(session);
        docket.info.deposit = 0;
        address to = docket.info.child ? docket.info.parent : docket.info.sponsor;
        IERC20(constitution.at(Institution.TOKEN)).safeTransfer(to, amount);
        emit ILegislativeProcedure.DepositWithdrawn(session, to, amount);
    }

    function lapse(LegislationStorage storage self, IProducerContract producers, address agent) external {
        // At most three.
        for (uint256 i = 0; i < self.lastTallied.length; ++i) {
            Docket storage docket = self.dockets[self.lastTallied[i]];
            // Session 0 does not exist and opened in block 0: before three tallies no one can have missed three.
            (, , uint16 index, bool counted) = producers.electorOf(agent, docket.info.openedBlock, 0);
            bool attended = !counted || docket.rankingAt(index) != 0;
            if (attended) revert ILegislativeProcedure.StillAttending(agent);
        }
        producers.lapse(agent);
    }

    /// @param domain EIP-712 domain separator of the procedure.
    function petition(
        LegislationStorage storage self,
        IConstitutionContract constitution,
        bytes32 domain,
        bytes32 goalHash,
        address parent,
        Auth[] calldata backers
    ) external returns (uint256 session) {
        // A round's time begins with who wants it.
        if (backers.length == 0) revert ILegislativeProcedure.NotEligible(msg.sender);
        ILegislativeProcedure.Petition memory round = _roundOf(self, constitution, goalHash, parent);
        if (round.needed == 0) _begin(constitution, round);
        _back(self, constitution, round, Subject(domain, goalHash, parent), backers);
        // Each backs once, and producers fit sixteen bits.
        round.backers += uint16(backers.length);
        bool granted = round.backers >= round.needed;
        // A round that was granted is over: the next signature is for another session.
        if (granted) round.deadline = 0;
        self.petitions[_keyOf(goalHash, parent)] = round;
        if (!granted) return 0;
        session = _open(self, constitution, goalHash, parent, address(0), 0);
        emit ILegislativeProcedure.PetitionGranted(session, goalHash, round.round, round.backers);
    }

    /// @param domain EIP-712 domain separator of the procedure.
    function reintroduce(
        LegislationStorage storage self,
        IConstitutionContract constitution,
        bytes32 domain,
        uint256 session,
        uint16 candidate,
        bytes32 specHash,
        bytes32 cid,
        Auth calldata auth
    ) external returns (uint256 successor) {
        {
            bytes32 message = TypedData.hashReintroduce(session, auth.agent, candidate, specHash, cid, auth.deadline);
            Signatures.requireAuth(auth, MessageHashUtils.toTypedDataHash(domain, message));
        }
        Docket storage origin = _requireReintroducible(self, session, candidate, auth.agent);
        address principal = _memberNow(constitution, auth.agent);

        successor = _open(self, constitution, origin.info.goalHash, origin.info.parent, address(0), 0);
        // Sessions are counted one by one and fit 32 bits.
        origin.info.successor = uint32(successor);
        self.dockets[successor].info.origin = uint32(session);
        emit ILegislativeProcedure.Proposed(successor, 1, auth.agent, specHash, cid);
        self.propose(successor, auth.agent, principal, specHash);
        emit ILegislativeProcedure.Reintroduced(successor, session, candidate);
    }

    /// @dev The principal of whom a session that opens now would let vote.
    function _memberNow(IConstitutionContract constitution, address agent) private view returns (address principal) {
        IProducerContract producers = IProducerContract(constitution.at(Institution.PRODUCERS));
        uint256 floor = constitution.param(Param.REPUTATION_FLOOR);
        (principal, ) = Electorate.requireMember(producers, agent, block.number, floor);
    }

    /// @dev As `ILegislativeProcedure.petitionOf`.
    function petitionOf(
        LegislationStorage storage self,
        IConstitutionContract constitution,
        bytes32 goalHash,
        address parent
    ) external view returns (ILegislativeProcedure.Petition memory round) {
        round = _roundOf(self, constitution, goalHash, parent);
        round.deadline = CityClock.inWorld(constitution, round.deadline);
    }

    /// @dev The stored round, or, if that is over, the next, not yet begun.
    function _roundOf(
        LegislationStorage storage self,
        IConstitutionContract constitution,
        bytes32 goalHash,
        address parent
    ) private view returns (ILegislativeProcedure.Petition memory round) {
        round = self.petitions[_keyOf(goalHash, parent)];
        if (!CityClock.hasCome(constitution, uint256(round.deadline) + 1)) return round;
        uint32 next = round.round + 1;
        delete round;
        round.round = next;
    }

    /// @dev What counts is fixed when a round begins, so that the goal cannot move during it.
    function _begin(IConstitutionContract constitution, ILegislativeProcedure.Petition memory round) private view {
        uint256 active = IProducerContract(constitution.at(Institution.PRODUCERS)).activeProducers();
        uint256 needed = Math.ceilDiv(active * constitution.param(Param.PETITION_SHARE), BasisPoints.WHOLE);
        // A share is at most all producers, who fit.
        round.needed = needed == 0 ? 1 : uint16(needed);
        round.openedBlock = uint32(block.number);
        round.reputationFloor = uint16(constitution.param(Param.REPUTATION_FLOOR));
        round.deadline = CityClock.afterNow(constitution, constitution.param(Param.LEGISLATIVE_PROPOSAL_TIMEOUT));
    }

    function _back(
        LegislationStorage storage self,
        IConstitutionContract constitution,
        ILegislativeProcedure.Petition memory round,
        Subject memory subject,
        Auth[] calldata backers
    ) private {
        IProducerContract producers = IProducerContract(constitution.at(Institution.PRODUCERS));
        uint16[] memory indices = producers.electorsOf(_agents(backers), round.openedBlock, round.reputationFloor);
        bytes32 key = keccak256(abi.encode(_keyOf(subject.goalHash, subject.parent), round.round));
        mapping(uint256 word => uint256) storage bits = self.backers[key];
        for (uint256 i = 0; i < backers.length; ++i) {
            if (indices[i] == Suffrage.NOBODY) revert ILegislativeProcedure.NotEligible(backers[i].agent);
            _join(bits, subject, round.round, indices[i], backers[i]);
        }
    }

    function _join(
        mapping(uint256 word => uint256) storage bits,
        Subject memory subject,
        uint32 round,
        uint16 index,
        Auth calldata auth
    ) private {
        (bytes32 goalHash, address parent) = (subject.goalHash, subject.parent);
        (uint256 word, uint256 bit) = (index >> 8, 1 << (index & 0xff));
        if (bits[word] & bit != 0) revert ILegislativeProcedure.AlreadyPetitioned(goalHash, parent, auth.agent);
        bytes32 message = TypedData.hashPetition(auth.agent, goalHash, parent, round, auth.deadline);
        Signatures.requireAuth(auth, MessageHashUtils.toTypedDataHash(subject.domain, message));
        bits[word] |= bit;
        emit ILegislativeProcedure.Petitioned(goalHash, parent, round, auth.agent);
    }

    /// @dev Failed for want of turnout, on the ballot, and neither returned already.
    function _requireReintroducible(
        LegislationStorage storage self,
        uint256 session,
        uint16 candidate,
        address agent
    ) private view returns (Docket storage docket) {
        docket = self.inStage(session, SessionState.FAILED);
        ILegislativeProcedure.Session storage info = docket.info;
        bool lapsed = info.ballotSize != 0 && info.ballots < docket.quorumOf();
        if (!lapsed || info.origin != 0 || info.successor != 0) revert ILegislativeProcedure.NotReintroducible(session);
        uint16[] memory ballot = docket.ballotOf();
        uint256 entry = 1;
        while (entry < ballot.length && ballot[entry] != candidate) ++entry;
        if (entry == ballot.length) revert ILegislativeProcedure.NotOnBallot(session, candidate);
        if (docket.candidates[candidate].proposer != agent) {
            revert ILegislativeProcedure.NotProposer(session, candidate, agent);
        }
    }

    /// @dev Copies what governs the session, so that no amendment reaches into it.
    function _open(
        LegislationStorage storage self,
        IConstitutionContract constitution,
        bytes32 goalHash,
        address parent,
        address sponsor,
        uint64 deposit
    ) private returns (uint256 session) {
        if (constitution.standingOf(Institution.LEGISLATION, address(this)) != Standing.CURRENT) {
            revert ILegislativeProcedure.ProcedureRetired();
        }
        IAdjudicatorWatchdog(constitution.at(Institution.WATCHDOG)).requireNotStopped();
        if (parent != address(0) && !ITemplateRegistry(constitution.at(Institution.TEMPLATES)).isGenuine(parent)) {
            revert ILegislativeProcedure.UnknownParent(parent);
        }
        session = ++self.sessions;
        Docket storage docket = self.dockets[session];
        ILegislativeProcedure.Session storage info = docket.info;
        info.candidates = 1;
        info.electorate = IProducerContract(constitution.at(Institution.PRODUCERS)).activeProducers();
        info.openedAt = uint40(block.timestamp);
        info.openedBlock = uint32(block.number);
        info.deposit = deposit;
        info.sponsor = sponsor;
        info.parent = parent;
        info.goalHash = goalHash;
        info.params = constitution.missionParams();
        info.rules = SessionLedger.currentRules(constitution, Enactment.TEMPLATE);
        info.epoch = _epochAfter(constitution, parent);
        docket.enter(constitution, session, SessionState.IDENTIFYING, info.rules.proposalTimeout);
        emit ILegislativeProcedure.SessionOpened(session, sponsor, goalHash, deposit, info.electorate, info.params);
    }

    /// @dev A mission that runs or was completed is continued, not made good. A retired procedure answers for its own missions.
    function _epochAfter(IConstitutionContract constitution, address parent) private view returns (uint8 epoch) {
        if (parent == address(0)) return 0;
        MissionState state = ICollaborationContract(parent).state();
        if (state != MissionState.FAILED && state != MissionState.ABORTED) return 0;
        MissionContext memory former = ICollaborationContract(parent).context();
        address legislation = ITemplateRegistry(constitution.at(Institution.TEMPLATES)).missionOf(parent).legislation;
        epoch = ILegislativeProcedure(legislation).sessionOf(former.session).epoch + 1;
        if (epoch > former.params.maxRefinementIterations) {
            revert ILegislativeProcedure.EpochsExhausted(parent, epoch);
        }
    }

    /// @dev Agents of the city work for missions; they do not pay for them.
    function _requireOutsider(IConstitutionContract constitution) private view {
        IProducerContract producers = IProducerContract(constitution.at(Institution.PRODUCERS));
        if (producers.principalOf(msg.sender) != address(0)) revert ILegislativeProcedure.NotEligible(msg.sender);
    }

    function _pull(IConstitutionContract constitution, uint64 deposit) private {
        IERC20(constitution.at(Institution.TOKEN)).pull(msg.sender, deposit);
    }

    function _keyOf(bytes32 goalHash, address parent) private pure returns (bytes32) {
        return keccak256(abi.encode(goalHash, parent));
    }

    function _agents(Auth[] calldata backers) private pure returns (address[] memory agents) {
        agents = new address[](backers.length);
        for (uint256 i = 0; i < backers.length; ++i) agents[i] = backers[i].agent;
    }
}
