// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {ClearingDecision, EvidenceClass} from "../types/Evidence.sol";
import {Opening} from "../types/Messages.sol";

/// @title What is called of an escrow that keeps jobs as the draft ERC-8183 does; `settle` is `AgreementEscrow`'s.
interface IJobEscrow {
    function complete(uint256 jobId, bytes32 reason, bytes calldata optParams) external;
    function reject(uint256 jobId, bytes32 reason, bytes calldata optParams) external;
    function settle(uint256 jobId, uint16 share, bytes32 reason) external;
}

/// @title An evaluator that any job of ERC-8183 may name: a drawn panel judges by evidence, and nothing below the floor completes.
/// @notice Powers. It has no owner, is never stopped and never changed. The parties sign what is asked, of how good evidence, by how many; the city's
/// registry knows issuers and verifiers, and its governor who they are. A decision needs more than half of the weight of the panel, so
/// a submitter gains nothing by leaving verdicts out. What is not decided is refunded. Anyone may submit, and anyone may end.
interface IClearingEvaluator {
    /// @notice What a panel has come to. Two decisions that contradict each other, by members that signed both, are none.
    enum Outcome {
        NONE,
        PASS,
        FAIL,
        CONTRADICTED
    }

    /// @notice What both parties sign.
    struct Terms {
        /// Where the money is, and the job there.
        address escrow;
        uint256 jobId;
        address client;
        address provider;
        /// Whose issuers and verifiers have no say, beside the parties' own: of a party that the city knows, its principal there.
        address clientPrincipal;
        address providerPrincipal;
        /// SHA-256 of what was agreed.
        bytes32 agreementHash;
        EvidenceClass floor;
        /// Bitmap over `Question`.
        uint8 questions;
        /// Basis points.
        uint16 minConfidence;
        /// Basis points: a PASS below it is rejected.
        uint16 passScore;
        uint8 panelSize;
        /// The score is the share that is paid, by `settle`.
        bool graduated;
        /// Which words of what `getJob` returns are client, provider, evaluator and expiry, a byte each, client highest; of an
        /// `AgreementEscrow`, which has no expiry, 0 there.
        uint32 layout;
        /// Until when the provider delivers, unix seconds.
        uint40 deliverBy;
        /// How long a panel is heard, seconds.
        uint32 hearing;
        /// Until when the signatures may be used.
        uint40 deadline;
        /// Bond of a challenge before a larger panel, in the city's token, smallest unit; zero: no challenges.
        uint96 bond;
    }

    struct Hearing {
        /// Of the terms.
        bytes32 digest;
        /// Of the delivered work.
        bytes32 work;
        uint40 drawBlock;
        /// Until when the panel is heard.
        uint40 closesAt;
        uint16 score;
        uint16 confidence;
        /// Panels drawn, at most two.
        uint8 panels;
        Outcome outcome;
        /// Every member was heard and counted on every question: nothing can be added.
        bool complete;
        bool closed;
        /// What the first panel decided, once it is challenged: it stands unless the second decides.
        Outcome standing;
        uint16 standingScore;
        Challenger challenger;
    }

    enum Challenger {
        NOBODY,
        CLIENT,
        PROVIDER
    }

    event Registered(bytes32 indexed key, address indexed escrow, uint256 indexed jobId, bytes32 agreementHash);
    event Delivered(bytes32 indexed key, bytes32 deliverable, bytes32 envelopeRoot, bytes32 work);
    event PanelDrawn(bytes32 indexed key, uint8 panel, uint256 drawBlock, uint40 closesAt);
    event Decided(
        bytes32 indexed key,
        uint8 panel,
        Outcome outcome,
        uint16 confidence,
        uint16 score,
        EvidenceClass class,
        uint256 basis,
        bool complete
    );
    event Challenged(bytes32 indexed key, address indexed party, uint96 bond);
    /// @notice Whose a challenge's bond is, once the job ended.
    event BondCredited(bytes32 indexed key, address indexed to, uint96 bond);
    event Finalised(bytes32 indexed key, Outcome outcome, uint16 share, bytes32 reason);

    error InvalidTerms();
    /// @notice The terms name another principal of a party than the city's ledger does.
    error OtherHouse(address party, address principal, address named);
    /// @notice The escrow knows the job otherwise: other parties, another evaluator, or an end before the hearings'.
    error NotTheJob(address escrow, uint256 jobId);
    error AlreadyRegistered(bytes32 key);
    error UnknownTerms(bytes32 key);
    error NotAuthorised(address caller);
    error AlreadyDelivered(bytes32 key);
    error NotDelivered(bytes32 key);
    error OtherWork(bytes32 expected, bytes32 given);
    error TooEarly(uint256 dueAt);
    error TooLate(uint256 dueAt);
    error AlreadyDecided(bytes32 key);
    /// @notice The terms name no bond, no first panel has decided, or it was challenged before.
    error NotChallengeable(bytes32 key);
    error Undecided(uint8 result);
    error Closed(bytes32 key);
    error NothingToPay();
    error NotOnPanel(address verifier);
    error DuplicateVerdict(address verifier);
    error ItemNotInEnvelope(uint8 slot, uint8 index);
    error IssuerNotRegistered(address issuer, EvidenceClass class);
    error IssuerConflict(address issuer, address principal);
    error ProofRejected(uint8 slot, uint8 index);
    /// @notice The bytes of a record end too early or too late, or are about more than one node.
    error MalformedWave(uint256 offset);

    /// @notice Takes on a job that names this contract, on terms that both parties signed; an empty signature is the caller's own. Anyone.
    /// Reverts with `NotTheJob` unless the escrow says that these are its parties: a job cannot be registered by others.
    function register(
        Terms calldata terms,
        bytes calldata clientSignature,
        bytes calldata providerSignature
    ) external returns (bytes32 key);

    /// @notice Says what is delivered and what evidence there is for it; the next block draws the panel. Once. Caller: provider.
    /// @param work Its `outputHash` is the deliverable that the provider submits to the escrow; one slot of items.
    function deliver(Terms calldata terms, Opening calldata work) external;

    /// @notice Hands in evidence and verdicts, while the panel is heard. Anyone. Reverts with `Undecided` unless they decide; a decision that
    /// contradicts one handed in before leaves none. A score only rises: leaving verdicts out never improves it.
    /// @param record The work opened, issuers' lists of evidence and verifiers' lists of verdicts, as a mission's `clear` takes them
    /// (`libraries/Wire.sol`): one order, of node 0. Verdicts are about the panel's draw block (`hearingOf`).
    function evaluate(Terms calldata terms, bytes calldata record) external;

    /// @notice Draws a second panel, if the first was heard and decided nothing, within as long again. Anyone.
    function redraw(Terms calldata terms) external;

    /// @notice Has a second panel decide, of twice the first's members and one more, for `bond` of the city's token; once, within as long as a
    /// hearing after the first is over. What it decides is final; if it decides nothing, the first stands. Whoever challenged has the bond back
    /// if the share moves its way, else the other party has it, which waited. Caller: client or provider.
    function challenge(Terms calldata terms) external;

    /// @notice Ends the job as decided; undecided or undelivered it is rejected, which refunds the client. Anyone. What the escrow pays its
    /// evaluator in `feeToken` goes to the caller. Of a challenged job that somebody else ended it credits the bond alone, 30 days after the
    /// hearing.
    function finalise(Terms calldata terms, address feeToken) external;

    /// @notice Pays an account the bonds that are its own; the token's `Transfer` tells of it. Anyone, so that an account which the token
    /// refuses concerns itself alone.
    function withdraw(address account) external;

    /// @notice What `withdraw` would pay, of the city's token.
    function creditOf(address account) external view returns (uint256);

    /// @notice What evidence and verdicts would decide now, without anything being written.
    function preview(Terms calldata terms, bytes calldata record) external view returns (ClearingDecision memory);

    function hearingOf(address escrow, uint256 jobId) external view returns (Hearing memory);

    /// @notice What the parties sign, and what evidence and verdicts are about: the obligation.
    function digestOf(Terms calldata terms) external view returns (bytes32);
}
