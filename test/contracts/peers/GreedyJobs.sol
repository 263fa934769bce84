// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

/// @notice An escrow that holds no money and costs whoever calls it as much as they let it: anybody may write one and name a city's evaluator.
contract GreedyJobs {
    enum Greed {
        NONE,
        /// Burns gas when it is asked who the parties are.
        ASKED,
        /// Burns gas when the job is ended.
        ENDED,
        /// Agrees when a call is tried, and refuses the transaction.
        MINED
    }

    uint256 private constant _MOST = 1_000_000;

    Greed private _greed;
    address private immutable _CLIENT;
    address private immutable _PROVIDER;
    address private immutable _EVALUATOR;

    event JobSubmitted(uint256 indexed jobId, address indexed provider, bytes32 deliverable);

    error Refused();

    constructor(address client, address provider, address evaluator) {
        (_CLIENT, _PROVIDER, _EVALUATOR) = (client, provider, evaluator);
    }

    function become(Greed greed) external {
        _greed = greed;
    }

    function submit(uint256 id, bytes32 deliverable) external {
        emit JobSubmitted(id, msg.sender, deliverable);
    }

    function complete(uint256, bytes32, bytes calldata) external view {
        _burn(Greed.ENDED);
        // A call that is only tried names no price.
        if (_greed == Greed.MINED && tx.gasprice != 0) revert Refused();
    }

    function getJob(
        uint256
    ) external view returns (address client, address provider, address evaluator, uint256 expiry) {
        _burn(Greed.ASKED);
        return (_CLIENT, _PROVIDER, _EVALUATOR, type(uint40).max);
    }

    function _burn(Greed when) private view {
        if (_greed != when) return;
        uint256 until = gasleft() > _MOST ? gasleft() - _MOST : 0;
        while (gasleft() > until) continue;
    }
}
