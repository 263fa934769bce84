// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {IAgreementEscrow} from "../interfaces/IAgreementEscrow.sol";
import {Intake} from "../libraries/Intake.sol";
import {Signatures} from "../libraries/Signatures.sol";

/// @notice See `IAgreementEscrow`.
contract AgreementEscrow is IAgreementEscrow, EIP712, ReentrancyGuardTransient {
    using Intake for IERC20;
    using SafeERC20 for IERC20;

    bytes32 private constant _TERMS = keccak256(
        "AgreementTerms(address client,address provider,address evaluator,address backup,address arbiter,address token,"
        "uint96 amount,bytes32 agreementHash,uint40 fundBy,uint40 deliverBy,uint32 evaluatorTimeout,"
        "uint32 challengeWindow,uint32 arbiterTimeout,uint16 silenceShare,uint256 nonce,uint40 deadline)"
    );
    bytes32 private constant _CANCELLATION = keccak256("Cancellation(uint256 jobId,uint16 share,uint40 deadline)");

    uint16 private constant _ALL = 10_000;
    uint256 private constant _LONGEST = 365 days;
    uint256 private constant _LIVE =
        (1 << uint256(Status.OPEN)) |
            (1 << uint256(Status.FUNDED)) |
            (1 << uint256(Status.SUBMITTED)) |
            (1 << uint256(Status.JUDGED)) |
            (1 << uint256(Status.DISPUTED));

    mapping(uint256 jobId => Job job) private _jobs;
    mapping(address token => mapping(address account => uint256 owed)) private _credits;

    constructor() EIP712("AgentCity", "1") {}

    // --- Before the work ---------------------------------------------------------------------------------------------

    /// @inheritdoc IAgreementEscrow
    function open(
        Terms calldata terms,
        bytes calldata clientSignature,
        bytes calldata providerSignature
    ) external returns (uint256 jobId) {
        Signatures.requireInTime(terms.deadline);
        bytes32 digest = digestOf(terms);
        Signatures.requireAnyOrCaller(terms.client, digest, clientSignature);
        Signatures.requireAnyOrCaller(terms.provider, digest, providerSignature);
        _requireSound(terms);
        jobId = uint256(digest);
        if (_jobs[jobId].amount != 0) revert AlreadyOpened(jobId);

        _jobs[jobId] = Job({
            client: terms.client,
            status: Status.OPEN,
            dueAt: terms.fundBy,
            share: 0,
            provider: terms.provider,
            evaluatorTimeout: terms.evaluatorTimeout,
            challengeWindow: terms.challengeWindow,
            evaluator: terms.evaluator,
            arbiterTimeout: terms.arbiterTimeout,
            silenceShare: terms.silenceShare,
            deliverBy: terms.deliverBy,
            token: terms.token,
            amount: terms.amount,
            arbiter: terms.arbiter,
            backup: terms.backup
        });
        emit JobCreated(jobId, terms.client, terms.provider, terms.evaluator, terms.deliverBy, address(0));
        emit AgreementBound(jobId, terms.agreementHash, terms.arbiter, terms.backup);
    }

    /// @inheritdoc IAgreementEscrow
    function fund(uint256 jobId, uint256 expectedBudget, bytes calldata) external nonReentrant {
        Job storage job = _inTime(jobId, Status.OPEN);
        if (msg.sender != job.client) revert NotAuthorised(jobId, msg.sender);
        if (expectedBudget != job.amount) revert WrongBudget(jobId, job.amount);

        job.status = Status.FUNDED;
        job.dueAt = job.deliverBy;
        emit JobFunded(jobId, msg.sender, expectedBudget);
        IERC20(job.token).pull(msg.sender, expectedBudget);
    }

    // --- The work and its judgement ----------------------------------------------------------------------------------

    /// @inheritdoc IAgreementEscrow
    function submit(uint256 jobId, bytes32 deliverable, bytes calldata) external nonReentrant {
        Job storage job = _inTime(jobId, Status.FUNDED);
        if (msg.sender != job.provider) revert NotAuthorised(jobId, msg.sender);

        job.status = Status.SUBMITTED;
        uint256 rounds = job.backup == address(0) ? 1 : 2;
        job.dueAt = _after(rounds * job.evaluatorTimeout);
        emit JobSubmitted(jobId, msg.sender, deliverable);
    }

    /// @inheritdoc IAgreementEscrow
    function settle(uint256 jobId, uint16 share, bytes32 reason) external nonReentrant {
        _judge(jobId, share, reason);
    }

    /// @inheritdoc IAgreementEscrow
    function complete(uint256 jobId, bytes32 reason, bytes calldata) external nonReentrant {
        _judge(jobId, _ALL, reason);
    }

    /// @inheritdoc IAgreementEscrow
    function reject(uint256 jobId, bytes32 reason, bytes calldata) external nonReentrant {
        Job storage job = _known(jobId);
        if (job.status != Status.OPEN) return _judge(jobId, 0, reason);
        if (msg.sender != job.client) revert NotAuthorised(jobId, msg.sender);
        job.status = Status.REJECTED;
        emit JobRejected(jobId, msg.sender, reason);
    }

    /// @inheritdoc IAgreementEscrow
    function challenge(uint256 jobId, bytes32 reason) external nonReentrant {
        Job storage job = _inTime(jobId, Status.JUDGED);
        if (msg.sender != job.client && msg.sender != job.provider) revert NotAuthorised(jobId, msg.sender);

        job.status = Status.DISPUTED;
        job.dueAt = _after(job.arbiterTimeout);
        emit JobChallenged(jobId, msg.sender, reason);
    }

    /// @inheritdoc IAgreementEscrow
    function rule(uint256 jobId, uint16 share, bytes32 reason) external nonReentrant {
        Job storage job = _inTime(jobId, Status.DISPUTED);
        if (msg.sender != job.arbiter) revert NotAuthorised(jobId, msg.sender);

        emit JobRuled(jobId, msg.sender, share, reason);
        _close(jobId, job, share);
    }

    // --- Ends --------------------------------------------------------------------------------------------------------

    /// @inheritdoc IAgreementEscrow
    function cancel(
        uint256 jobId,
        uint16 share,
        uint40 deadline,
        bytes calldata clientSignature,
        bytes calldata providerSignature
    ) external nonReentrant {
        Signatures.requireInTime(deadline);
        Job storage job = _live(jobId);
        bytes32 digest = _hashTypedDataV4(keccak256(abi.encode(_CANCELLATION, jobId, share, deadline)));
        Signatures.requireAnyOrCaller(job.client, digest, clientSignature);
        Signatures.requireAnyOrCaller(job.provider, digest, providerSignature);

        emit JobCancelled(jobId, share);
        _close(jobId, job, share);
    }

    /// @inheritdoc IAgreementEscrow
    function finalise(uint256 jobId) external nonReentrant {
        _finalise(jobId);
    }

    /// @inheritdoc IAgreementEscrow
    function claimRefund(uint256 jobId) external nonReentrant {
        _finalise(jobId);
    }

    /// @inheritdoc IAgreementEscrow
    function withdraw(address token, address account) external nonReentrant {
        uint256 amount = _credits[token][account];
        if (amount == 0) revert NothingToPay();
        delete _credits[token][account];
        emit Withdrawn(token, account, amount);
        IERC20(token).safeTransfer(account, amount);
    }

    // --- Reading -----------------------------------------------------------------------------------------------------

    /// @inheritdoc IAgreementEscrow
    function getJob(uint256 jobId) external view returns (Job memory) {
        return _known(jobId);
    }

    /// @inheritdoc IAgreementEscrow
    function creditOf(address token, address account) external view returns (uint256) {
        return _credits[token][account];
    }

    /// @inheritdoc IAgreementEscrow
    function digestOf(Terms calldata terms) public view returns (bytes32) {
        return _hashTypedDataV4(keccak256(abi.encode(_TERMS, terms)));
    }

    // --- Within ------------------------------------------------------------------------------------------------------

    function _judge(uint256 jobId, uint16 share, bytes32 reason) private {
        Job storage job = _inTime(jobId, Status.SUBMITTED);
        if (msg.sender != job.evaluator) {
            bool late = block.timestamp + job.evaluatorTimeout > job.dueAt;
            if (msg.sender != job.backup || !late) revert NotAuthorised(jobId, msg.sender);
        }
        if (share > _ALL) revert ShareTooLarge(share);

        emit JobJudged(jobId, msg.sender, share, reason);
        if (job.challengeWindow == 0) return _close(jobId, job, share);
        job.status = Status.JUDGED;
        job.share = share;
        job.dueAt = _after(job.challengeWindow);
    }

    function _finalise(uint256 jobId) private {
        Job storage job = _live(jobId);
        if (block.timestamp <= job.dueAt) revert TooEarly(jobId, job.dueAt);
        Status status = job.status;
        if (status == Status.JUDGED || status == Status.DISPUTED) return _close(jobId, job, job.share);

        emit JobExpired(jobId);
        _divide(jobId, job, status == Status.SUBMITTED ? job.silenceShare : 0, Status.EXPIRED);
    }

    function _close(uint256 jobId, Job storage job, uint16 share) private {
        if (share > _ALL) revert ShareTooLarge(share);
        if (share == 0) emit JobRejected(jobId, msg.sender, 0);
        else emit JobCompleted(jobId, job.evaluator, 0);
        _divide(jobId, job, share, share == 0 ? Status.REJECTED : Status.COMPLETED);
    }

    /// @dev Credits each side its part, together all of the amount. What was never paid in is not paid out.
    function _divide(uint256 jobId, Job storage job, uint16 share, Status end) private {
        bool funded = job.status != Status.OPEN;
        (job.status, job.share) = (end, share);
        if (!funded) return;

        uint256 amount = job.amount;
        uint256 paid = (amount * share) / _ALL;
        if (paid != 0) {
            _credits[job.token][job.provider] += paid;
            emit PaymentReleased(jobId, job.provider, paid);
        }
        if (paid != amount) {
            _credits[job.token][job.client] += amount - paid;
            emit Refunded(jobId, job.client, amount - paid);
        }
    }

    function _known(uint256 jobId) private view returns (Job storage job) {
        job = _jobs[jobId];
        if (job.amount == 0) revert UnknownJob(jobId);
    }

    function _live(uint256 jobId) private view returns (Job storage job) {
        job = _known(jobId);
        if ((_LIVE >> uint256(job.status)) & 1 == 0) revert WrongStatus(jobId, job.status);
    }

    /// @dev The job in this status, its clock still running.
    function _inTime(uint256 jobId, Status status) private view returns (Job storage job) {
        job = _known(jobId);
        if (job.status != status) revert WrongStatus(jobId, job.status);
        if (block.timestamp > job.dueAt) revert TooLate(jobId, job.dueAt);
    }

    function _after(uint256 window) private view returns (uint40) {
        // Windows are at most two years, and time fits for 34,000.
        return uint40(block.timestamp + window);
    }

    /// @dev Five different people, a payment, and windows that end.
    function _requireSound(Terms calldata terms) private view {
        address[5] memory people = [terms.client, terms.provider, terms.evaluator, terms.arbiter, terms.backup];
        bool sound = terms.amount != 0 && terms.token.code.length != 0 && terms.silenceShare <= _ALL;
        // At most ten pairs.
        unchecked {
            for (uint256 i = 0; i < 5; ++i) {
                if (people[i] == address(0) && i < 4) sound = false;
                for (uint256 j = 0; j < i; ++j) if (people[i] == people[j]) sound = false;
            }
        }
        bool ordered = terms.fundBy >= block.timestamp && terms.deliverBy >= terms.fundBy;
        bool ends = terms.deliverBy <= block.timestamp + _LONGEST && terms.challengeWindow <= _LONGEST;
        bool judged = terms.evaluatorTimeout != 0 && terms.evaluatorTimeout <= _LONGEST;
        bool ruled = terms.arbiterTimeout != 0 && terms.arbiterTimeout <= _LONGEST;
        if (!sound || !ordered || !ends || !judged || !ruled) revert InvalidTerms();
    }
}
