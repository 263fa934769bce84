// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";

/// @notice Jobs as the text of the draft ERC-8183 has them, without hooks: what a `ClearingEvaluator` meets where the escrow is not ours.
abstract contract Jobs {
    using SafeERC20 for IERC20;

    enum Status {
        OPEN,
        FUNDED,
        SUBMITTED,
        COMPLETED,
        REJECTED,
        EXPIRED
    }

    struct Draft {
        uint256 id;
        address client;
        address provider;
        address evaluator;
        string description;
        uint256 budget;
        uint256 expiredAt;
        Status status;
    }

    IERC20 internal immutable _TOKEN;
    uint256 private immutable _EVALUATOR_FEE;
    mapping(uint256 id => Draft job) internal _jobs;
    uint256 private _count;
    bool private _paused;

    event JobSubmitted(uint256 indexed jobId, address indexed provider, bytes32 deliverable);
    event JobCompleted(uint256 indexed jobId, address indexed evaluator, bytes32 reason);
    event JobRejected(uint256 indexed jobId, address indexed rejector, bytes32 reason);

    error WrongStatus();
    error Unauthorized();

    /// @param fee of a completed job, basis points
    constructor(IERC20 token, uint256 fee) {
        (_TOKEN, _EVALUATOR_FEE) = (token, fee);
    }

    function pause(bool paused) external {
        _paused = paused;
    }

    function createJob(
        address provider,
        address evaluator,
        uint256 expiredAt,
        string calldata description
    ) external returns (uint256 id) {
        id = ++_count;
        _jobs[id] = Draft(id, msg.sender, provider, evaluator, description, 0, expiredAt, Status.OPEN);
    }

    function setBudget(uint256 id, uint256 amount) external {
        if (msg.sender != _jobs[id].client && msg.sender != _jobs[id].provider) revert Unauthorized();
        _leave(id, Status.OPEN, Status.OPEN);
        _jobs[id].budget = amount;
    }

    function fund(uint256 id, uint256 expected, bytes calldata) external {
        if (msg.sender != _jobs[id].client) revert Unauthorized();
        _leave(id, Status.OPEN, Status.FUNDED);
        if (expected != _jobs[id].budget) revert WrongStatus();
        _TOKEN.safeTransferFrom(msg.sender, address(this), expected);
    }

    function submit(uint256 id, bytes32 deliverable, bytes calldata) external {
        if (msg.sender != _jobs[id].provider) revert Unauthorized();
        _leave(id, Status.FUNDED, Status.SUBMITTED);
        emit JobSubmitted(id, msg.sender, deliverable);
    }

    function complete(uint256 id, bytes32 reason, bytes calldata) external {
        if (msg.sender != _jobs[id].evaluator) revert Unauthorized();
        _leave(id, Status.SUBMITTED, Status.COMPLETED);
        uint256 fee = (_jobs[id].budget * _EVALUATOR_FEE) / 10_000;
        if (fee != 0) _TOKEN.safeTransfer(msg.sender, fee);
        _TOKEN.safeTransfer(_jobs[id].provider, _jobs[id].budget - fee);
        emit JobCompleted(id, msg.sender, reason);
    }

    function reject(uint256 id, bytes32 reason, bytes calldata) external {
        Draft storage job = _jobs[id];
        bool open = job.status == Status.OPEN;
        if (msg.sender != (open ? job.client : job.evaluator)) revert Unauthorized();
        if (!open && job.status != Status.FUNDED && job.status != Status.SUBMITTED) revert WrongStatus();
        _leave(id, job.status, Status.REJECTED);
        if (!open) _TOKEN.safeTransfer(job.client, job.budget);
        emit JobRejected(id, msg.sender, reason);
    }

    function claimRefund(uint256 id) external {
        Draft storage job = _jobs[id];
        if (block.timestamp < job.expiredAt) revert WrongStatus();
        if (job.status != Status.FUNDED && job.status != Status.SUBMITTED) revert WrongStatus();
        job.status = Status.EXPIRED;
        _TOKEN.safeTransfer(job.client, job.budget);
    }

    function statusOf(uint256 id) external view returns (Status) {
        return _jobs[id].status;
    }

    function _leave(uint256 id, Status from, Status to) private {
        if (_paused || _jobs[id].status != from) revert WrongStatus();
        _jobs[id].status = to;
    }
}

/// @notice In the order of the published text.
contract DraftJobs is Jobs {
    constructor(IERC20 token, uint256 fee) Jobs(token, fee) {}

    function getJob(uint256 id) external view returns (Draft memory) {
        return _jobs[id];
    }
}

/// @notice In the order of the reference's later, packed versions.
contract PackedJobs is Jobs {
    struct Packed {
        address client;
        Status status;
        address provider;
        uint48 expiredAt;
        address evaluator;
        uint256 budget;
        string description;
    }

    constructor(IERC20 token, uint256 fee) Jobs(token, fee) {}

    function getJob(uint256 id) external view returns (Packed memory) {
        Draft storage j = _jobs[id];
        return Packed(j.client, j.status, j.provider, uint48(j.expiredAt), j.evaluator, j.budget, j.description);
    }
}
