// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

/// @title The money of agreements between two parties who need no legislature (after ASA; jobs as in the draft ERC-8183).
/// @notice Powers. It has no owner and can be neither stopped nor changed. All that decides about a job's money is in terms that both parties signed.
/// The evaluator says what share the work earned, once and in time; the backup may from the time on when the evaluator was silent. Either
/// party may challenge that; then the arbiter divides, or, if it is silent as well, the evaluator's word stands. No silence holds money:
/// every state ends by a clock that anyone may call. Only its parties and, in their time, these three move a job.
/// @dev Always, for every token: what it holds ≥ the amounts of live jobs + what is credited. A token that moves balances by itself
/// concerns the jobs in that token alone.
interface IAgreementEscrow {
    /// @notice The six of ERC-8183, then ours: judged, within the challenge window; disputed, before the arbiter.
    enum Status {
        OPEN,
        FUNDED,
        SUBMITTED,
        COMPLETED,
        REJECTED,
        EXPIRED,
        JUDGED,
        DISPUTED
    }

    /// @notice What both parties sign. Times are unix seconds, windows seconds, shares basis points.
    struct Terms {
        address client;
        address provider;
        address evaluator;
        /// Asked when the evaluator was silent; zero for none.
        address backup;
        address arbiter;
        address token;
        /// Smallest unit.
        uint96 amount;
        /// SHA-256 of the agreement document.
        bytes32 agreementHash;
        uint40 fundBy;
        uint40 deliverBy;
        /// For the evaluator, and again for the backup.
        uint32 evaluatorTimeout;
        /// Zero: what the evaluator says is paid at once.
        uint32 challengeWindow;
        uint32 arbiterTimeout;
        /// The provider's, when no evaluator said anything.
        uint16 silenceShare;
        /// Tells two jobs on the same terms apart.
        uint256 nonce;
        /// Until when the signatures may be used.
        uint40 deadline;
    }

    struct Job {
        address client;
        Status status;
        /// When silence leads on from the status.
        uint40 dueAt;
        /// The provider's, as far as it is decided.
        uint16 share;
        address provider;
        uint32 evaluatorTimeout;
        uint32 challengeWindow;
        address evaluator;
        uint32 arbiterTimeout;
        uint16 silenceShare;
        uint40 deliverBy;
        address token;
        uint96 amount;
        address arbiter;
        address backup;
    }

    event JobCreated(
        uint256 indexed jobId,
        address indexed client,
        address indexed provider,
        address evaluator,
        uint256 expiredAt,
        address hook
    );
    event AgreementBound(uint256 indexed jobId, bytes32 indexed agreementHash, address arbiter, address backup);
    event JobFunded(uint256 indexed jobId, address indexed client, uint256 amount);
    event JobSubmitted(uint256 indexed jobId, address indexed provider, bytes32 deliverable);
    event JobJudged(uint256 indexed jobId, address indexed evaluator, uint16 share, bytes32 reason);
    event JobChallenged(uint256 indexed jobId, address indexed party, bytes32 reason);
    event JobRuled(uint256 indexed jobId, address indexed arbiter, uint16 share, bytes32 reason);
    event JobCancelled(uint256 indexed jobId, uint16 share);
    event JobCompleted(uint256 indexed jobId, address indexed evaluator, bytes32 reason);
    event JobRejected(uint256 indexed jobId, address indexed rejector, bytes32 reason);
    event JobExpired(uint256 indexed jobId);
    event PaymentReleased(uint256 indexed jobId, address indexed provider, uint256 amount);
    event Refunded(uint256 indexed jobId, address indexed client, uint256 amount);
    event Withdrawn(address indexed token, address indexed account, uint256 amount);

    error InvalidTerms();
    error AlreadyOpened(uint256 jobId);
    error UnknownJob(uint256 jobId);
    error WrongStatus(uint256 jobId, Status status);
    error NotAuthorised(uint256 jobId, address caller);
    error WrongBudget(uint256 jobId, uint256 budget);
    error ShareTooLarge(uint256 share);
    error TooLate(uint256 jobId, uint40 dueAt);
    error TooEarly(uint256 jobId, uint40 dueAt);
    error NothingToPay();

    /// @notice Opens a job on signed terms; an empty signature is the caller's own. Anyone. Reverts with `InvalidTerms` unless the five are
    /// different, the arbiter and all but the backup are given, and no window is longer than a year.
    /// @return jobId The EIP-712 digest of the terms: the same terms open one job, once.
    function open(
        Terms calldata terms,
        bytes calldata clientSignature,
        bytes calldata providerSignature
    ) external returns (uint256 jobId);

    /// @notice Pays the agreed amount in, until `fundBy`. Caller: client.
    /// @param expectedBudget The amount, repeated.
    function fund(uint256 jobId, uint256 expectedBudget, bytes calldata optParams) external;

    /// @notice Says what is delivered, by its hash, until `deliverBy`. Caller: provider.
    function submit(uint256 jobId, bytes32 deliverable, bytes calldata optParams) external;

    /// @notice Says what share of the payment the work earned, in basis points. Caller: evaluator; backup, after the evaluator's time.
    /// @param reason Hash of the signed result.
    function settle(uint256 jobId, uint16 share, bytes32 reason) external;

    /// @notice `settle` with everything. Caller: as of `settle`.
    function complete(uint256 jobId, bytes32 reason, bytes calldata optParams) external;

    /// @notice `settle` with nothing; before it is funded, the client's way out. Caller: as of `settle`; client, before.
    function reject(uint256 jobId, bytes32 reason, bytes calldata optParams) external;

    /// @notice Takes what the evaluator said to the arbiter, within the window. Caller: client or provider.
    function challenge(uint256 jobId, bytes32 reason) external;

    /// @notice Divides a disputed payment, in time. Caller: arbiter.
    function rule(uint256 jobId, uint16 share, bytes32 reason) external;

    /// @notice Ends a live job as both signed; an empty signature is the caller's own. Anyone.
    function cancel(
        uint256 jobId,
        uint16 share,
        uint40 deadline,
        bytes calldata clientSignature,
        bytes calldata providerSignature
    ) external;

    /// @notice Ends a job whose clock ran out: unfunded and undelivered, all goes back; unjudged, by `silenceShare`; unchallenged or without
    /// a ruling, as the evaluator said. Anyone.
    function finalise(uint256 jobId) external;

    /// @notice `finalise` by its name in ERC-8183. Anyone.
    function claimRefund(uint256 jobId) external;

    /// @notice Pays an account what it is owed in a token. Anyone.
    function withdraw(address token, address account) external;

    function getJob(uint256 jobId) external view returns (Job memory);

    /// @notice What an account is owed, in the token's smallest unit.
    function creditOf(address token, address account) external view returns (uint256);

    /// @notice What the parties sign to open a job, and its number.
    function digestOf(Terms calldata terms) external view returns (bytes32);
}
