// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {Risk} from "../types/Law.sol";
import {Ballot, OfficeSignature} from "../types/Messages.sol";
import {Auth, Office} from "../types/Roles.sol";
import {SessionState} from "../types/States.sol";

/// @title Sessions and the law they make (AgentCity 3.4, B.10; decisions 1–4, 9–14).
/// @notice Powers. Anyone sponsors a session with money, which leaves only into the mission the session approved or
/// back to the sponsor. Producers petition for a session that a sponsor may adopt, propose, sponsor and vote, one ballot each.
/// Clerks move stages within their envelopes; anyone moves them after the timeouts. The Regulator delays a law by showing that
/// voters who decided it ranked alike; adjudicators release or void it. Only what the ballot chose can be deployed.
/// @dev Two numberings. *Candidates* are numbered as proposed, 0 being the status quo; `winner`, `Tallied`, `sponsor` and
/// `candidateOf` speak of candidates. *Ballot entries* 0…m−1 are the candidates that qualified, in candidate order;
/// rankings and `pairwise` speak of entries; `ballotOf(session)[entry]` is the candidate.
interface ILegislativeProcedure {
    struct Session {
        SessionState state;
        /// Candidates including the status quo, which is number 0.
        uint16 candidates;
        /// Candidates on the ballot, 2–16; 0 before voting opened.
        uint8 ballotSize;
        /// Producers that counted when the session opened.
        uint16 electorate;
        uint16 ballots;
        uint40 openedAt;
        /// Last second of the current stage, unix; 0 in final states.
        uint40 deadline;
        uint32 openedBlock;
        /// Money still held here for the session, smallest unit.
        uint64 deposit;
        /// The law's own risk, known from VALIDATED on.
        Risk risk;
        /// An adjudicator approved the codification.
        bool audited;
        /// Zero until somebody adopts a session that no sponsor opened.
        address sponsor;
        /// The session whose proposal returns in this one, and the session in which one of this one's returned; else 0.
        uint32 origin;
        uint32 successor;
        /// Candidate number; meaningful from TALLIED on.
        uint16 winner;
        /// The Speaker's own draft, a candidate number; 0 = none.
        uint16 drafted;
        /// The mission whose node a child session is about, or which another session continues; else zero.
        address parent;
        /// The parent paid, for its `node`; `depth` missions are above.
        bool child;
        uint8 node;
        uint8 depth;
        /// How many failed missions the session's goal had before, each the parent of the next session's.
        uint8 epoch;
        /// The sponsor came after the tally.
        bool adopted;
        bytes32 goalHash;
        /// Snapshot for the clone, packed by `MissionParamsCodec`.
        uint256 params;
        /// Breaks ties that Copeland and Minimax leave; fixed when voting opens.
        bytes32 tieSeed;
        address mission;
        Rules rules;
    }

    /// @notice What governs a session: copied when it opens, so that no amendment reaches into it.
    struct Rules {
        uint8 minSponsors;
        /// Basis points of the electorate.
        uint16 turnoutQuorum;
        /// Regulators that must co-sign, unless fewer are appointed.
        uint8 regulators;
        /// Seconds of each of identification, proposing and voting.
        uint16 proposalTimeout;
        /// Seconds of each of validation, codification and co-signing.
        uint16 approvalTimeout;
        /// Seconds an adjudicator has on top of the co-signers' time.
        uint24 reviewTimeout;
        /// Version of the mission template.
        uint32 template;
        /// Price of cancelling, smallest unit.
        uint64 fee;
        /// From which likeness of two rankings on they may be flagged: Kendall's τ and Jaccard index, hundredths.
        uint8 blocTau;
        uint8 blocJaccard;
        /// Basis points of the ballots that delay approval once flagged.
        uint16 blocShare;
        /// Whole points below which a producer had no part when the session opened.
        uint16 reputationFloor;
    }

    /// @notice Producers' call for a session about a goal.
    struct Petition {
        /// What a signature given now must name: rounds of one goal and parent are numbered from 1.
        uint32 round;
        uint16 backers;
        /// Backers that open the session; 0 before the round begins.
        uint16 needed;
        /// Last second of the round, unix; 0 before it begins.
        uint40 deadline;
        /// The round counts producers of earlier blocks, from so many points of reputation on.
        uint32 openedBlock;
        uint16 reputationFloor;
    }

    /// @notice Voters whose rankings were shown to be alike.
    struct Bloc {
        uint16 flagged;
        /// Approval waits for the adjudicators.
        bool delayed;
        /// What is judged: changes with every voter flagged.
        bytes32 caseHash;
        /// The case that adjudicators released.
        bytes32 released;
    }

    struct Candidate {
        /// Zero for the status quo.
        bytes32 specHash;
        address principal;
        address proposer;
        uint16 sponsors;
        /// Sponsors of at least two principals.
        bool pluralistic;
    }

    event StateChanged(uint256 indexed session, SessionState from, SessionState to, address actor);
    event SessionOpened(
        uint256 indexed session,
        address indexed sponsor,
        bytes32 goalHash,
        uint64 deposit,
        uint16 electorate,
        uint256 params
    );
    event Petitioned(bytes32 indexed goalHash, address indexed parent, uint32 round, address indexed agent);
    event ChildSessionOpened(uint256 indexed session, address indexed parent, uint8 indexed node, uint8 depth);
    event PetitionGranted(uint256 indexed session, bytes32 indexed goalHash, uint32 round, uint16 backers);
    event SessionAdopted(uint256 indexed session, address indexed sponsor, uint64 deposit);
    event Reintroduced(uint256 indexed session, uint256 indexed origin, uint16 candidate);
    event IdentitiesConfirmed(uint256 indexed session, bytes32 attestationRoot);
    event Proposed(
        uint256 indexed session,
        uint16 indexed candidate,
        address indexed proposer,
        bytes32 specHash,
        bytes32 cid
    );
    /// @notice Beside `Proposed`: the candidate is the Speaker's, of this principal.
    event Drafted(uint256 indexed session, uint16 indexed candidate, address indexed house);
    event Sponsored(uint256 indexed session, uint16 indexed candidate, address indexed agent);
    /// @param candidates Candidate numbers in ballot order; entry 0 is the status quo.
    event DebateOpened(uint256 indexed session, uint16[] candidates, uint40 deadline);
    event StrawPollCast(uint256 indexed session, address indexed agent, uint64 ranking);
    /// @param candidates Candidate numbers in ballot order; entry 0 is the status quo.
    event VotingOpened(uint256 indexed session, uint16[] candidates, bytes32 tieSeed, uint40 deadline);
    event BallotCast(uint256 indexed session, address indexed agent, uint64 ranking);
    /// @param order Candidate numbers, best first; empty below quorum.
    event Tallied(uint256 indexed session, uint16 winner, uint16 ballots, uint16[] order);
    event Validated(uint256 indexed session, bytes32 specHash);
    event Codified(uint256 indexed session, bytes32 specHash, bytes32[] delegations);
    event CodificationAudited(uint256 indexed session, bytes32 specHash);
    event Approved(uint256 indexed session, address indexed mission, bytes32 specHash);
    /// @param leader Whose ranking the members' were compared with.
    /// @param flagged Voters flagged in this session so far.
    event BlocFlagged(
        uint256 indexed session,
        address indexed leader,
        address[] members,
        uint16 flagged,
        bytes32 caseHash
    );
    event BlocRuled(uint256 indexed session, bytes32 caseHash, bool released);
    event StageProlonged(uint256 indexed session, uint40 deadline);
    event DepositWithdrawn(uint256 indexed session, address indexed sponsor, uint64 amount);

    error UnknownSession(uint256 session);
    error WrongState(uint256 session, SessionState state, uint256 allowed);
    error NotSponsor(uint256 session, address caller);
    error NotEligible(address agent);
    error NotGovernor(address caller);
    error UnknownParent(address parent);
    /// @dev As many missions failed as the parent's maxRefinementIterations allows further laws.
    error EpochsExhausted(address parent, uint8 epoch);
    error TooDeep(address parent, uint8 deepest);
    error AlreadyPetitioned(bytes32 goalHash, address parent, address agent);
    error AlreadyAdopted(uint256 session, address sponsor);
    error NotAdopted(uint256 session);
    error NotReintroducible(uint256 session);
    error NotProposer(uint256 session, uint16 candidate, address agent);
    error NotOnBallot(uint256 session, uint16 candidate);
    /// @dev It stood in the session that failed: what returns must have changed.
    error UnchangedProposal(uint256 session, bytes32 specHash);
    error NotYet(uint256 session, uint40 deadline);
    error TooLate(uint256 session, uint40 deadline);
    error Expired(uint40 deadline);
    error InvalidSignature(address signer);
    error AlreadyProposed(uint256 session, address agent);
    error AlreadySponsored(uint256 session, address agent, uint16 candidate);
    error SponsorshipsExhausted(uint256 session, address agent, uint256 max);
    error UnknownCandidate(uint256 session, uint16 candidate);
    error NoCandidates(uint256 session);
    /// @dev A producer's draft has its sponsors.
    error NotNeeded(uint256 session);
    error SpeakerJudges(address house);
    error AlreadyVoted(uint256 session, address agent);
    error BallotsUnsorted(uint16 previous, uint16 index);
    error AlreadyPolled(uint256 session, address agent);
    error NotVoted(uint256 session, address agent);
    error InvalidBloc(address leader, uint256 members, uint256 max);
    error NotCorrelated(uint256 session, address leader, address member, int256 tau, uint256 jaccard);
    error AlreadyFlagged(uint256 session, address leader);
    error AwaitingRuling(uint256 session, bytes32 caseHash);
    error NothingToRule(uint256 session);
    error StaleBloc(uint256 session, bytes32 given, bytes32 current);
    error SpecMismatch(uint256 session, bytes32 approved, bytes32 given);
    error MissingDelegation(uint256 session, bytes32 operation);
    error UnmandatedDelegation(uint256 session, bytes32 delegation);
    error MissingApproval(uint256 session, uint256 have, uint256 need);
    error ProcedureRetired();
    error ZeroDeposit();
    error NothingToWithdraw(uint256 session);
    error CodificationAuditMissing(uint256 session);
    error NotAnApprover(Office office);
    error SignersUnsorted(address previous, address next);
    error TooFewAdjudicators(uint256 active);
    error StillAttending(address agent);

    // Stages. A stage lasts through its `deadline`; `TooLate` after it, `NotYet` where waiting is required.
    //
    //   IDENTIFYING  confirmIdentities (Registrar)                          proposalTimeout, then expire
    //   PROPOSING    propose, sponsor; draft, openDebate, openVoting (Speaker)  proposalTimeout, then openVoting (anyone)
    //   DELIBERATING strawPoll; openVoting (Speaker)                        proposalTimeout, then openVoting (anyone)
    //   VOTING       castBallots; tally once all voted                      proposalTimeout, then tally (anyone)
    //   TALLIED      validate (anyone)                                      approvalTimeout, then expire
    //   VALIDATED    codify (Codifier)                                      approvalTimeout, then expire
    //   CODIFIED     approve (anyone with the signatures)                   approvalTimeout + reviewTimeout, then expire

    /// @notice Opens a session; pulls the deposit from the caller, who is the mission's sponsor. Caller: anyone but agents
    /// of the city. A parent must be a genuine mission; one that failed or was aborted counts an epoch (AgentCity B.11.4), of which
    /// its maxRefinementIterations are the most.
    function openSession(bytes32 goalHash, uint64 deposit, address parent) external returns (uint256 session);
    /// @notice Opens the session of a parent's node; pulls the deposit from the parent, to which it also returns. Sponsor, who can
    /// neither cancel nor lose anything by it, is the parent's. Eight missions may be above. Caller: a genuine mission.
    /// @param deposit What is left of the node's budget, smallest unit: the budget of the child's law.
    function openChildSession(uint8 node, bytes32 goalHash, uint64 deposit) external returns (uint256 session);
    /// @notice Joins producers to a petition for a session about `goalHash`. The backer that makes it the petition share of the
    /// producers active when the round began opens the session, which has no sponsor yet. A round lasts the proposal
    /// timeout; then the next begins. Anyone with the authorisation of each backer, eligible and registered before the round.
    /// @param backers One at least: a round begins with who wants it.
    /// @return session The session, or 0 while backers are missing.
    function petition(bytes32 goalHash, address parent, Auth[] calldata backers) external returns (uint256 session);
    /// @notice Makes the caller the sponsor of a session that has none, once its law won; pulls the budget of that law, no more and
    /// no less. Who adopts cannot cancel: the law is the voters'. First come, for as long as a human has to review, and then there
    /// is time to validate. Caller: anyone but agents of the city and their principals.
    function adopt(uint256 session, bytes calldata law, bytes32 docHash) external;
    /// @notice Returns a proposal of a session that failed for want of turnout, changed, in a session of its own that nobody
    /// sponsors yet; the former sponsor has its deposit back and may adopt. Once per session, and nothing returns twice. Anyone
    /// with the authorisation of the proposer of a candidate that was on the ballot.
    /// @param cid Content-id digest of the changed document.
    /// @return successor The new session, whose candidate 1 is the changed proposal.
    function reintroduce(
        uint256 session,
        uint16 candidate,
        bytes32 specHash,
        bytes32 cid,
        Auth calldata auth
    ) external returns (uint256 successor);
    /// @notice Attests that identities were checked; opens proposing. Caller: Registrar.
    function confirmIdentities(uint256 session, bytes32 attestationRoot) external;
    /// @notice One proposal per eligible producer of an earlier block; proposing counts as sponsoring.
    /// Anyone with the producer's authorisation.
    function propose(
        uint256 session,
        bytes32 specHash,
        bytes32 cid,
        Auth calldata auth
    ) external returns (uint16 candidate);
    /// @notice At most three sponsorships per producer, its own proposal included. Anyone with the producer's authorisation.
    function sponsor(uint256 session, uint16 candidate, Auth calldata auth) external;
    /// @notice Enters the Speaker's own draft, for the case that no producer's finds its sponsors within the proposal timeout: only
    /// then is it on the ballot, alone with the status quo. Its house neither bids in that mission, nor verifies, nor issues evidence. One
    /// a session, in PROPOSING, where a sponsor has paid and no draft has its sponsors yet. Caller: Speaker, of a house that judges nothing.
    function draft(uint256 session, bytes32 specHash, bytes32 cid) external returns (uint16 candidate);
    /// @notice Fixes the ballot as `openVoting` would, for a debate before the vote. Caller: Speaker, in PROPOSING.
    function openDebate(uint256 session) external;
    /// @notice Records full rankings from before the debate, so that what it changed can be measured. They count for nothing
    /// else. Anyone may submit; an empty signature means the caller. One per voter, in DELIBERATING.
    function strawPoll(uint256 session, Ballot[] calldata rankings) external;
    /// @notice Fixes the ballot (candidates with enough sponsors of ≥ 2 principals, and the status quo; beyond fifteen the
    /// best sponsored, the earlier on equal numbers), unless a debate did, and the tie seed. Caller: Speaker, or anyone after
    /// the proposal timeout. If no candidate qualifies, the call reverts before the timeout; after it the Speaker's draft is put to
    /// the vote, or, without one, the session fails.
    function openVoting(uint256 session) external;
    /// @notice Signed full rankings of ballot entries, sorted by producer index. Anyone may submit; an empty signature
    /// means the caller. Voters are eligible now and registered in a block before the session's. Among others, who has voted or may
    /// not is passed over; alone it is refused.
    function castBallots(uint256 session, Ballot[] calldata ballots) external;
    /// @notice Counts, once all have voted or voting is over. Below quorum, or if the status quo wins, the session fails. Anyone.
    function tally(uint256 session) external;
    /// @notice Flags voters whose recorded rankings are alike: each member's and the leader's reach the thresholds of τ and of
    /// Jaccard over the first few places, which this call computes. Once flagged voters whom no
    /// ruling released hold the critical share of the ballots, `approve` waits for adjudicators; a CODIFIED session then has its full time
    /// again, once. Caller: Regulator, from VOTING to CODIFIED. At most 64 members a call; at least one voter must be new.
    function flagBloc(uint256 session, address leader, address[] calldata members) external;
    /// @notice Ends a delay: releases the case as it stands to `approve`, or voids the vote. Caller: governor, from TALLIED on.
    function ruleOnBloc(uint256 session, bytes32 caseHash, bool release) external;
    /// @notice Checks the winner's law against the constitution. Anyone may call with the preimage.
    function validate(uint256 session, bytes calldata law, bytes32 docHash, address[] calldata witnesses) external;
    /// @notice Records the codifier's delegations: one completed per mandated operation, in the order of
    /// `ManagementContract.operationsOf(CODIFIER)`, input = specHash. Caller: Codifier.
    function codify(uint256 session, bytes32[] calldata delegations) external;
    /// @notice Deploys the approved law and forwards the deposit. Anyone with the signatures of one Speaker and of
    /// min(rules.regulators, appointed) Regulators, at least one, in ascending order of clerk.
    function approve(
        uint256 session,
        bytes calldata law,
        bytes32 docHash,
        OfficeSignature[] calldata signatures
    ) external returns (address mission);
    /// @notice An adjudicator's codification audit of a CODIFIED session: required for HIGH risk, and worth one missing
    /// co-signature once the approval timeout is over. Caller: governor.
    function approveCodification(uint256 session, bytes32 specHash) external;
    /// @notice Ends the session without a law. Caller: sponsor, before `approve`; costs the session fee (at most the deposit).
    function cancel(uint256 session) external;
    /// @notice Ends a session in IDENTIFYING, TALLIED, VALIDATED or CODIFIED whose deadline passed. Anyone.
    function expire(uint256 session) external;
    /// @notice Pays a failed, expired or cancelled session's deposit to its sponsor. Anyone.
    function withdraw(uint256 session) external;
    /// @notice Takes a producer that missed three sessions in a row out of the electorate of later ones: the last three that were tallied,
    /// each opened after the one before was. One that missed its quorum is among them if a sponsor had paid in SESSION_FEE or more, half of
    /// a quorum voted, and it opened a day after the one before was tallied. Anyone.
    function lapse(address agent) external;

    /// @notice The round that a signature given now would join.
    function petitionOf(bytes32 goalHash, address parent) external view returns (Petition memory);
    /// @notice The mission and node that a child session is about, and how many missions are above; zeros for every other session.
    function parentOf(uint256 session) external view returns (address mission, uint8 node, uint8 depth);
    function blocOf(uint256 session) external view returns (Bloc memory);
    /// @notice How alike two recorded rankings are, in ten-thousandths: Kendall's τ (−10,000 to 10,000), and Jaccard index of the
    /// first places that `flagBloc` compares.
    function correlationOf(uint256 session, address a, address b) external view returns (int256 tau, uint256 jaccard);
    function sessionOf(uint256 session) external view returns (Session memory);
    function candidateOf(uint256 session, uint16 candidate) external view returns (Candidate memory);
    /// @notice Candidate numbers in ballot order; entry 0 is the status quo. Empty before voting opened.
    function ballotOf(uint256 session) external view returns (uint16[] memory);
    /// @notice Voters who rank ballot entry i above j; zero for i = j or entries not on the ballot.
    function pairwise(uint256 session, uint8 i, uint8 j) external view returns (uint256);
    /// @notice Name of the template every mission is cloned from.
    function template() external pure returns (bytes32);
    /// @notice Recorded ranking, zero if the agent has not voted.
    function rankingOf(uint256 session, address agent) external view returns (uint64);
    /// @notice Ranking recorded before the debate, zero if there is none.
    function strawRankingOf(uint256 session, address agent) external view returns (uint64);
    function sessionCount() external view returns (uint256);
}
