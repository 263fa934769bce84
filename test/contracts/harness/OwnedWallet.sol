// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {IERC1271} from "@openzeppelin/contracts/interfaces/IERC1271.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";

/// @title A contract wallet: its owner's key signs for it (ERC-1271).
contract OwnedWallet is IERC1271 {
    address private immutable _OWNER;

    constructor(address owner) {
        _OWNER = owner;
    }

    function approve(IERC20 token, address spender, uint256 amount) external {
        token.approve(spender, amount);
    }

    /// @inheritdoc IERC1271
    function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4) {
        (address signer, , ) = ECDSA.tryRecoverCalldata(hash, signature);
        return signer == _OWNER ? IERC1271.isValidSignature.selector : bytes4(0);
    }
}
