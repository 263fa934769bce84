// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {IAdjudicatorRoster} from "../interfaces/IAdjudicatorRoster.sol";
import {IClerkContract} from "../interfaces/IClerkContract.sol";
import {ICollaborationContract} from "../interfaces/ICollaborationContract.sol";
import {IConstitutionContract} from "../interfaces/IConstitutionContract.sol";
import {IConstitutionalValidator} from "../interfaces/IConstitutionalValidator.sol";
import {IExecutionProcedure} from "../interfaces/IExecutionProcedure.sol";
import {ILegislativeProcedure} from "../interfaces/ILegislativeProcedure.sol";
import {IManagementContract} from "../interfaces/IManagementContract.sol";
import {IProducerContract} from "../interfaces/IProducerContract.sol";
import {ITemplateRegistry} from "../interfaces/ITemplateRegistry.sol";
import {ITreasury} from "../interfaces/ITreasury.sol";
import {LawCodec} from "../libraries/LawCodec.sol";
import {Signatures} from "../libraries/Signatures.sol";
import {TypedData} from "../libraries/TypedData.sol";
import {Risk} from "../types/Law.sol";
import {Ballot, OfficeSignature} from "../types/Messages.sol";
import {Auth, Institution, Kind, Office, Standing} from "../types/Roles.sol";
import {SessionState} from "../types/States.sol";
import {BallotBox} from "./legislation/BallotBox.sol";
import {Candidacies} from "./legislation/Candidacies.sol";
import {Electorate} from "./legislation/Electorate.sol";
import {Docket, LegislationStorage} from "./legislation/LegislationStorage.sol";
import {SessionLedger} from "./legislation/SessionLedger.sol";

/// @title Sessions and the law they make
/// @notice AgentCity 3.4, B.10; decisions 1–4, 9–14. The parts are in `legislation/`: `SessionLedger` (states and clocks),
/// `Candidacies` (proposals and ballot), `Electorate` (who may vote), `BallotBox` (rankings).
contract LegislativeProcedure is ILegislativeProcedure, EIP712, ReentrancyGuardTransient {
    using BallotBox for Docket;
    using Candidacies for Docket;
    using SafeERC20 for IERC20;
    using SessionLedger for Docket;
    using SessionLedger for LegislationStorage;

    bytes32 private constant TEMPLATE = keccak256("agentcity.collaboration");
    bytes32 private constant SESSION_FEE = "session fee";
    uint256 private constant FULL_SHARE = 10_000;

    IConstitutionContract private immutable CONSTITUTION;

    LegislationStorage private _store;

    constructor(IConstitutionContract constitution) EIP712("AgentCity", "1") {
        CONSTITUTION = constitution;
    }

    // --- Opening ---------------------------------------------------------------------------------------------------------

    /// @inheritdoc ILegislativeProcedure
    function openSession(bytes32 goalHash, uint64 deposit, address parent)
        external
        nonReentrant
        returns (uint256 session)
    {
        IProducerContract producers = _producers();
        if (producers.agentOf(msg.sender).kind != Kind.NONE) revert NotEligible(msg.sender);
        if (CONSTITUTION.standingOf(Institution.LEGISLATION, address(this)) != Standing.CURRENT) {
            revert ProcedureRetired();
        }
        if (deposit == 0) revert ZeroDeposit();
        if (parent != address(0)) _requireParent(parent);

        session = ++_store.sessions;
        Docket storage docket = _store.dockets[session];
        Session storage info = docket.info;
        info.candidates = 1;
        info.electorate = producers.activeProducers();
        info.openedAt = uint40(block.timestamp);
        info.openedBlock = uint32(block.number);
        info.deposit = deposit;
        info.sponsor = msg.sender;
        info.parent = parent;
        info.goalHash = goalHash;
        info.params = CONSTITUTION.missionParams();
        info.rules = SessionLedger.currentRules(CONSTITUTION, TEMPLATE);
        docket.enter(session, SessionState.IDENTIFYING, info.rules.proposalTimeout);

        _token().safeTransferFrom(msg.sender, address(this), deposit);
        emit SessionOpened(session, msg.sender, goalHash, deposit, info.electorate, info.params);
    }

    /// @inheritdoc ILegislativeProcedure
    function confirmIdentities(uint256 session, bytes32 attestationRoot) external {
        _consume(Office.REGISTRAR, this.confirmIdentities.selector, session);
        Docket storage docket = _store.inOpenStage(session, SessionState.IDENTIFYING);
        docket.enter(session, SessionState.PROPOSING, docket.info.rules.proposalTimeout);
        emit IdentitiesConfirmed(session, attestationRoot);
    }

    // --- Candidates ------------------------------------------------------------------------------------------------------

    /// @inheritdoc ILegislativeProcedure
    function propose(uint256 session, bytes32 specHash, bytes32 cid, Auth calldata auth)
        external
        returns (uint8 candidate)
    {
        _requireAuth(auth, TypedData.hashPropose(session, auth.agent, specHash, cid, auth.deadline));
        Docket storage docket = _store.inOpenStage(session, SessionState.PROPOSING);
        address principal = _requireMember(docket, auth.agent);
        candidate = docket.info.candidates;
        emit Proposed(session, candidate, auth.agent, specHash, cid);
        docket.propose(session, auth.agent, principal, specHash);
    }

    /// @inheritdoc ILegislativeProcedure
    function sponsor(uint256 session, uint8 candidate, Auth calldata auth) external {
        _requireAuth(auth, TypedData.hashSponsor(session, auth.agent, candidate, auth.deadline));
        Docket storage docket = _store.inOpenStage(session, SessionState.PROPOSING);
        address principal = _requireMember(docket, auth.agent);
        docket.sponsor(session, auth.agent, principal, candidate);
    }

    // --- Ballots ---------------------------------------------------------------------------------------------------------

    /// @inheritdoc ILegislativeProcedure
    function openVoting(uint256 session) external {
        Docket storage docket = _store.inStage(session, SessionState.PROPOSING);
        bool over = docket.isOver();
        if (!over) _consume(Office.SPEAKER, this.openVoting.selector, session);
        uint8[] memory entries = docket.qualified();
        if (entries.length < 2) {
            if (!over) revert NoCandidates(session);
            docket.end(session, SessionState.FAILED);
            return;
        }
        docket.fix(entries);
        bytes32 seed = keccak256(abi.encode(blockhash(block.number - 1), address(this), session, entries));
        docket.info.tieSeed = seed;
        docket.enter(session, SessionState.VOTING, docket.info.rules.proposalTimeout);
        emit VotingOpened(session, entries, seed, docket.info.deadline);
    }

    /// @inheritdoc ILegislativeProcedure
    function castBallots(uint256 session, Ballot[] calldata ballots) external {
        Docket storage docket = _store.inOpenStage(session, SessionState.VOTING);
        docket.cast(session, _producers(), _domainSeparatorV4(), ballots);
    }

    /// @inheritdoc ILegislativeProcedure
    function tally(uint256 session) external {
        Docket storage docket = _store.inStage(session, SessionState.VOTING);
        Session storage info = docket.info;
        uint16 ballots = info.ballots;
        if (ballots < info.electorate && !docket.isOver()) revert NotYet(session, info.deadline);
        _store.lastTallied[_store.tallied++ % 3] = session;

        uint256 quorum = Math.ceilDiv(uint256(info.electorate) * info.rules.turnoutQuorum, FULL_SHARE);
        uint8[] memory order = new uint8[](0);
        uint8 winner = 0;
        if (ballots != 0 && ballots >= quorum) {
            order = _asCandidates(docket, docket.order());
            winner = order[0];
        }
        info.winner = winner;
        emit Tallied(session, winner, ballots, order);
        if (winner == 0) docket.end(session, SessionState.FAILED);
        else docket.enter(session, SessionState.TALLIED, info.rules.approvalTimeout);
    }

    // --- Law -------------------------------------------------------------------------------------------------------------

    /// @inheritdoc ILegislativeProcedure
    function validate(uint256 session, bytes calldata law, bytes32 docHash, address[] calldata witnesses) external {
        Docket storage docket = _store.inOpenStage(session, SessionState.TALLIED);
        Session storage info = docket.info;
        bytes32 specHash = _requireSpec(docket, session, law, docHash);
        IConstitutionalValidator validator = IConstitutionalValidator(CONSTITUTION.at(Institution.VALIDATOR));
        info.risk = validator.validate(law, info.goalHash, info.deposit, witnesses);
        docket.enter(session, SessionState.VALIDATED, info.rules.approvalTimeout);
        emit Validated(session, specHash);
    }

    /// @inheritdoc ILegislativeProcedure
    function codify(uint256 session, bytes32[] calldata delegations) external {
        _consume(Office.CODIFIER, this.codify.selector, session);
        Docket storage docket = _store.inOpenStage(session, SessionState.VALIDATED);
        bytes32 specHash = docket.candidates[docket.info.winner].specHash;
        _requireDelegations(session, specHash, delegations);
        Rules memory rules = docket.info.rules;
        docket.enter(session, SessionState.CODIFIED, uint256(rules.approvalTimeout) + rules.reviewTimeout);
        emit Codified(session, specHash, delegations);
    }

    /// @inheritdoc ILegislativeProcedure
    function approveCodification(uint256 session, bytes32 specHash) external {
        if (!CONSTITUTION.isGovernor(msg.sender)) revert NotGovernor(msg.sender);
        Docket storage docket = _store.inOpenStage(session, SessionState.CODIFIED);
        bytes32 approved = docket.candidates[docket.info.winner].specHash;
        if (specHash != approved) revert SpecMismatch(session, approved, specHash);
        docket.info.audited = true;
        emit CodificationAudited(session, specHash);
    }

    /// @inheritdoc ILegislativeProcedure
    function approve(uint256 session, bytes calldata law, bytes32 docHash, OfficeSignature[] calldata signatures)
        external
        nonReentrant
        returns (address mission)
    {
        Docket storage docket = _store.inOpenStage(session, SessionState.CODIFIED);
        bytes32 specHash = _requireSpec(docket, session, law, docHash);
        _requireApproval(docket, session, specHash, signatures);
        if (docket.info.risk == Risk.HIGH && !docket.info.audited) revert CodificationAuditMissing(session);
        IAdjudicatorRoster roster = IAdjudicatorRoster(CONSTITUTION.at(Institution.ROSTER));
        if (!roster.hasQuorum()) revert TooFewAdjudicators(roster.activeCount());

        uint64 deposit = docket.info.deposit;
        docket.info.deposit = 0;
        docket.end(session, SessionState.DEPLOYED);
        mission = _deploy(docket, session, law, docHash, deposit);
        emit Approved(session, mission, specHash);
    }

    // --- Ends ------------------------------------------------------------------------------------------------------------

    /// @inheritdoc ILegislativeProcedure
    function cancel(uint256 session) external nonReentrant {
        Docket storage docket = _store.inState(session, SessionLedger.LIVE);
        Session storage info = docket.info;
        if (msg.sender != info.sponsor) revert NotSponsor(session, msg.sender);
        uint64 fee = info.rules.fee < info.deposit ? info.rules.fee : info.deposit;
        info.deposit -= fee;
        docket.end(session, SessionState.CANCELLED);
        if (fee == 0) return;
        ITreasury treasury = ITreasury(CONSTITUTION.at(Institution.TREASURY));
        _token().forceApprove(address(treasury), fee);
        treasury.deposit(fee, 0, SESSION_FEE);
    }

    /// @inheritdoc ILegislativeProcedure
    function expire(uint256 session) external {
        Docket storage docket = _store.inState(session, SessionLedger.EXPIRING);
        if (!docket.isOver()) revert NotYet(session, docket.info.deadline);
        docket.end(session, SessionState.EXPIRED);
    }

    /// @inheritdoc ILegislativeProcedure
    function withdraw(uint256 session) external nonReentrant {
        Docket storage docket = _store.inState(session, SessionLedger.REFUNDABLE);
        uint64 amount = docket.info.deposit;
        if (amount == 0) revert NothingToWithdraw(session);
        docket.info.deposit = 0;
        address to = docket.info.sponsor;
        _token().safeTransfer(to, amount);
        emit DepositWithdrawn(session, to, amount);
    }

    /// @inheritdoc ILegislativeProcedure
    function lapse(address agent) external {
        IProducerContract producers = _producers();
        IProducerContract.Agent memory record = producers.agentOf(agent);
        for (uint256 i = 0; i < 3; ++i) {
            Docket storage docket = _store.dockets[_store.lastTallied[i]];
            // Session 0 does not exist and opened in block 0: before three tallies nobody missed three.
            bool counted = record.registeredBlock < docket.info.openedBlock;
            if (!counted || docket.rankingAt(record.index) != 0) revert StillAttending(agent);
        }
        producers.lapse(agent);
    }

    // --- Views -----------------------------------------------------------------------------------------------------------

    /// @inheritdoc ILegislativeProcedure
    function sessionOf(uint256 session) external view returns (Session memory) {
        return _store.dockets[session].info;
    }

    /// @inheritdoc ILegislativeProcedure
    function candidateOf(uint256 session, uint8 candidate) external view returns (Candidate memory) {
        return _store.dockets[session].candidates[candidate];
    }

    /// @inheritdoc ILegislativeProcedure
    function ballotOf(uint256 session) external view returns (uint8[] memory) {
        return _store.dockets[session].ballotOf();
    }

    /// @inheritdoc ILegislativeProcedure
    function pairwise(uint256 session, uint8 i, uint8 j) external view returns (uint256) {
        return _store.dockets[session].pairwise(i, j);
    }

    /// @inheritdoc ILegislativeProcedure
    function rankingOf(uint256 session, address agent) external view returns (uint64) {
        IProducerContract.Agent memory record = _producers().agentOf(agent);
        return record.kind == Kind.PRODUCER ? _store.dockets[session].rankingAt(record.index) : 0;
    }

    /// @inheritdoc ILegislativeProcedure
    function sessionCount() external view returns (uint256) {
        return _store.sessions;
    }

    /// @inheritdoc ILegislativeProcedure
    function template() external pure returns (bytes32) {
        return TEMPLATE;
    }

    // --- Approval --------------------------------------------------------------------------------------------------------

    /// @dev One Speaker and enough distinct Regulators; an audit is worth one of them once their time is over.
    function _requireApproval(
        Docket storage docket,
        uint256 session,
        bytes32 specHash,
        OfficeSignature[] calldata signatures
    ) private {
        IClerkContract clerks = _clerks();
        uint256 regulators = _regulatorsNeeded(docket, clerks);
        (uint256 speakers, uint256 coSigners) = _countApprovals(clerks, session, specHash, signatures);
        uint256 have = (speakers < 1 ? speakers : 1) + (coSigners < regulators ? coSigners : regulators);
        uint256 need = 1 + regulators;
        bool late = block.timestamp > docket.info.deadline - docket.info.rules.reviewTimeout;
        if (docket.info.audited && late) --need;
        if (have < need) revert MissingApproval(session, have, need);
    }

    /// @dev Ascending clerks are distinct clerks; the envelope call refuses whoever does not hold the office.
    function _countApprovals(
        IClerkContract clerks,
        uint256 session,
        bytes32 specHash,
        OfficeSignature[] calldata signatures
    ) private returns (uint256 speakers, uint256 regulators) {
        address previous = address(0);
        for (uint256 i = 0; i < signatures.length; ++i) {
            OfficeSignature calldata s = signatures[i];
            if (s.clerk <= previous) revert SignersUnsorted(previous, s.clerk);
            previous = s.clerk;
            if (s.office == Office.SPEAKER) ++speakers;
            else if (s.office == Office.REGULATOR) ++regulators;
            else revert NotAnApprover(s.office);
            bytes32 message = TypedData.hashOfficeApproval(s.clerk, s.office, session, specHash, s.deadline);
            Signatures.requireAuthorised(s.clerk, s.deadline, s.signature, _hashTypedDataV4(message));
            clerks.consume(s.office, s.clerk, this.approve.selector, session);
        }
    }

    function _regulatorsNeeded(Docket storage docket, IClerkContract clerks) private view returns (uint256) {
        uint256 quorum = docket.info.rules.regulators;
        uint256 appointed = clerks.appointedTo(Office.REGULATOR);
        // With no Regulator at all the co-signature is missing, not needless.
        if (appointed == 0) return 1;
        return quorum < appointed ? quorum : appointed;
    }

    /// @dev Clone, fund, activate. The registry has read back that the clone enforces what was handed to it.
    function _deploy(Docket storage docket, uint256 session, bytes calldata law, bytes32 docHash, uint64 deposit)
        private
        returns (address mission)
    {
        Session storage info = docket.info;
        bytes memory args = LawCodec.args(
            law,
            info.params,
            docHash,
            session,
            info.sponsor,
            uint40(block.timestamp)
        );
        ITemplateRegistry registry = ITemplateRegistry(CONSTITUTION.at(Institution.TEMPLATES));
        mission = registry.deploy(TEMPLATE, info.rules.template, args, session);
        info.mission = mission;
        _token().safeTransfer(mission, deposit);
        ICollaborationContract(mission).activate();
        IExecutionProcedure(registry.executionOf(mission)).openMarket(mission);
    }

    // --- Checks ----------------------------------------------------------------------------------------------------------

    function _requireAuth(Auth calldata auth, bytes32 message) private view {
        Signatures.requireAuth(auth, _hashTypedDataV4(message));
    }

    /// @dev The caller acts in an office, within its envelope.
    function _consume(Office office, bytes4 selector, uint256 session) private {
        _clerks().consume(office, msg.sender, selector, session);
    }

    function _requireMember(Docket storage docket, address agent) private view returns (address principal) {
        return Electorate.requireMember(_producers(), agent, docket.info.openedBlock).principal;
    }

    /// @dev A session may continue only the caller's own mission (decisions 25); what a mission opens itself is its own.
    function _requireParent(address parent) private view {
        ITemplateRegistry registry = ITemplateRegistry(CONSTITUTION.at(Institution.TEMPLATES));
        if (!registry.isGenuine(parent)) revert UnknownParent(parent);
        if (msg.sender == parent || msg.sender == ICollaborationContract(parent).context().sponsor) return;
        revert UnknownParent(parent);
    }

    function _requireSpec(Docket storage docket, uint256 session, bytes calldata law, bytes32 docHash)
        private
        view
        returns (bytes32 specHash)
    {
        specHash = LawCodec.specHash(keccak256(law), docHash);
        bytes32 approved = docket.candidates[docket.info.winner].specHash;
        if (specHash != approved) revert SpecMismatch(session, approved, specHash);
    }

    /// @dev A delegation's id commits to session, operation and input, so equality of ids is the whole comparison.
    function _requireDelegations(uint256 session, bytes32 specHash, bytes32[] calldata delegations) private view {
        IManagementContract management = IManagementContract(CONSTITUTION.at(Institution.MANAGEMENT));
        bytes32[] memory operations = management.operationsOf(Office.CODIFIER);
        for (uint256 i = 0; i < operations.length; ++i) {
            bytes32 id = management.delegationId(session, operations[i], specHash);
            bool named = i < delegations.length && delegations[i] == id;
            if (!named || management.delegationOf(id).outputHash == 0) revert MissingDelegation(session, operations[i]);
        }
    }

    function _asCandidates(Docket storage docket, uint8[] memory entries) private view returns (uint8[] memory) {
        uint8[] memory ballot = docket.ballotOf();
        for (uint256 i = 0; i < entries.length; ++i) entries[i] = ballot[entries[i]];
        return entries;
    }

    function _producers() private view returns (IProducerContract) {
        return IProducerContract(CONSTITUTION.at(Institution.PRODUCERS));
    }

    function _clerks() private view returns (IClerkContract) {
        return IClerkContract(CONSTITUTION.at(Institution.CLERKS));
    }

    function _token() private view returns (IERC20) {
        return IERC20(CONSTITUTION.at(Institution.TOKEN));
    }
}
