// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {Ballot, OfficeSignature} from "../types/Messages.sol";
import {Auth} from "../types/Roles.sol";
import {SessionState} from "../types/States.sol";

/// @title Sessions and the law they make (AgentCity 3.4, B.10; decisions 1–4, 9–14).
/// @notice Powers. Anyone sponsors a session with money, which leaves only into the mission the session approved or
/// back to the sponsor. Producers propose, sponsor and vote, one ballot each. Clerks move stages within their envelopes;
/// anyone moves them after the timeouts. Nobody deploys what the ballot did not choose.
interface ILegislativeProcedure {
    struct Session {
        SessionState state;
        /// Candidates including the status quo, which is number 0.
        uint8 candidates;
        uint8 winner;
        uint16 electorate;
        uint16 ballots;
        uint40 openedAt;
        /// Until when the current stage may last.
        uint40 deadline;
        uint32 openedBlock;
        uint64 deposit;
        address sponsor;
        /// Parent mission for a child session, else zero.
        address parent;
        bytes32 goalHash;
        /// Snapshot for the clone, packed by `MissionParamsCodec`.
        uint256 params;
        /// Breaks ties that Copeland and Minimax leave; fixed when voting opens.
        bytes32 tieSeed;
        address mission;
    }

    struct Candidate {
        /// Zero for the status quo.
        bytes32 specHash;
        address proposer;
        uint16 sponsors;
        /// Sponsors of at least two principals.
        bool pluralistic;
    }

    event StateChanged(uint256 indexed session, SessionState from, SessionState to, address actor);
    event SessionOpened(uint256 indexed session, address indexed sponsor, bytes32 goalHash, uint64 deposit, uint16 electorate, uint256 params);
    event IdentitiesConfirmed(uint256 indexed session, bytes32 attestationRoot);
    event Proposed(uint256 indexed session, uint8 indexed candidate, address indexed proposer, bytes32 specHash, bytes32 cid);
    event Sponsored(uint256 indexed session, uint8 indexed candidate, address indexed agent);
    /// @param candidates Proposal numbers on the ballot in ballot order; entry 0 is the status quo.
    event VotingOpened(uint256 indexed session, uint8[] candidates, bytes32 tieSeed, uint40 deadline);
    event BallotCast(uint256 indexed session, address indexed agent, uint64 ranking);
    event Tallied(uint256 indexed session, uint8 winner, uint16 ballots, uint8[] order);
    event Validated(uint256 indexed session, bytes32 specHash);
    event Codified(uint256 indexed session, bytes32 specHash, bytes32[] delegations);
    event Approved(uint256 indexed session, address indexed mission, bytes32 specHash);
    event DepositWithdrawn(uint256 indexed session, address indexed sponsor, uint64 amount);

    error UnknownSession(uint256 session);
    error WrongState(uint256 session, SessionState state, uint256 allowed);
    error NotSponsor(uint256 session, address caller);
    error NotEligible(address agent);
    error NotYet(uint256 session, uint40 deadline);
    error TooLate(uint256 session, uint40 deadline);
    error Expired(uint40 deadline);
    error InvalidSignature(address signer);
    error AlreadyProposed(uint256 session, address agent);
    error AlreadySponsored(uint256 session, address agent, uint8 candidate);
    error SponsorshipsExhausted(uint256 session, address agent, uint256 max);
    error TooManyCandidates(uint256 session, uint256 max);
    error UnknownCandidate(uint256 session, uint8 candidate);
    error NoCandidates(uint256 session);
    error AlreadyVoted(uint256 session, address agent);
    error BallotsUnsorted(uint16 previous, uint16 index);
    error SpecMismatch(uint256 session, bytes32 approved, bytes32 given);
    error MissingDelegation(uint256 session, bytes32 operation);
    error MissingApproval(uint256 session, uint256 have, uint256 need);
    error ProcedureRetired();
    error ZeroDeposit();
    error NothingToWithdraw(uint256 session);
    error CodificationAuditMissing(uint256 session);

    /// @notice Opens a session; pulls the deposit from the caller, who is the mission's sponsor. Caller: anyone but agents of the city.
    function openSession(bytes32 goalHash, uint64 deposit, address parent) external returns (uint256 session);
    /// @notice Registrar's attestation that identities were checked; opens proposing. Caller: Registrar.
    function confirmIdentities(uint256 session, bytes32 attestationRoot) external;
    /// @notice One proposal per producer; proposing counts as sponsoring.
    function propose(uint256 session, bytes32 specHash, bytes32 cid, Auth calldata auth) external returns (uint8 candidate);
    /// @notice At most three sponsorships per producer, its own included.
    function sponsor(uint256 session, uint8 candidate, Auth calldata auth) external;
    /// @notice Fixes the ballot (candidates with enough sponsors of ≥ 2 principals, and the status quo) and the tie
    /// seed. Caller: Speaker, or anyone after the proposal timeout. Fails the session if no candidate qualifies.
    function openVoting(uint256 session) external;
    /// @notice Signed full rankings sorted by producer index. Anyone may submit; an empty signature means the caller.
    function castBallots(uint256 session, Ballot[] calldata ballots) external;
    /// @notice Caller: anyone, once all have voted or voting is over. Below quorum, or if the status quo wins, the session fails.
    function tally(uint256 session) external;
    /// @notice Checks the winner's law against the constitution. Anyone may call with the preimage.
    function validate(uint256 session, bytes calldata law, bytes32 docHash, address[] calldata witnesses) external;
    /// @notice Records the codifier's delegations: one completed per mandated operation, input = specHash. Caller: Codifier.
    function codify(uint256 session, bytes32[] calldata delegations) external;
    /// @notice Deploys the approved law and forwards the deposit. Anyone with the Speaker's and Regulators' signatures.
    function approve(uint256 session, bytes calldata law, bytes32 docHash, OfficeSignature[] calldata signatures) external returns (address mission);
    /// @notice An adjudicator's codification audit: required for HIGH risk, and replaces a missing co-signature after the
    /// approval timeout. Caller: adjudication.
    function approveCodification(uint256 session, bytes32 specHash) external;
    /// @notice Caller: sponsor, before `approve`; costs SESSION_FEE (at most the deposit).
    function cancel(uint256 session) external;
    /// @notice Ends a session whose stage deadline passed. Anyone.
    function expire(uint256 session) external;
    /// @notice Pays a failed, expired or cancelled session's deposit to its sponsor. Anyone.
    function withdraw(uint256 session) external;
    /// @notice Takes a producer that missed its last three tallied sessions out of the electorate. Anyone.
    function lapse(address agent) external;

    function sessionOf(uint256 session) external view returns (Session memory);
    function candidateOf(uint256 session, uint8 candidate) external view returns (Candidate memory);
    /// @notice Proposal numbers on the ballot; entry 0 is the status quo (proposal 0).
    function ballotOf(uint256 session) external view returns (uint8[] memory);
    /// @notice Voters who rank ballot entry i above j.
    function pairwise(uint256 session, uint8 i, uint8 j) external view returns (uint256);
    /// @notice Recorded ranking, zero if the agent has not voted.
    function rankingOf(uint256 session, address agent) external view returns (uint64);
    function sessionCount() external view returns (uint256);
}
