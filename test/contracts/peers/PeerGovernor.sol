// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {Governor} from "@openzeppelin/contracts/governance/Governor.sol";
import {GovernorCountingSimple} from "@openzeppelin/contracts/governance/extensions/GovernorCountingSimple.sol";
import {GovernorVotes} from "@openzeppelin/contracts/governance/extensions/GovernorVotes.sol";
import {IVotes} from "@openzeppelin/contracts/governance/utils/IVotes.sol";
import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {ERC20Votes} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Votes.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {Nonces} from "@openzeppelin/contracts/utils/Nonces.sol";

/// @notice Votes for everybody who asks.
contract PeerVotes is ERC20Votes {
    constructor() ERC20("Peer votes", "PEER") EIP712("Peer votes", "1") {}

    function mint(address to, uint256 amount) external {
        _mint(to, amount);
    }
}

/// @notice OpenZeppelin's Governor in its plainest form: what a ballot of ours is compared with (contracts.md, gas budgets).
contract PeerGovernor is Governor, GovernorCountingSimple, GovernorVotes {
    constructor(IVotes votes) Governor("Peer governor") GovernorVotes(votes) {}

    function votingDelay() public pure override returns (uint256) {
        return 1;
    }

    function votingPeriod() public pure override returns (uint256) {
        return 10_000;
    }

    function quorum(uint256) public pure override returns (uint256) {
        return 1;
    }
}
