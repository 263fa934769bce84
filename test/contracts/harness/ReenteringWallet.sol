// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {IERC1271} from "@openzeppelin/contracts/interfaces/IERC1271.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";

/// @title A contract wallet that uses the moment it is asked for its signature: it makes a call first, if it may
contract ReenteringWallet {
    /// More than any call it is told to make.
    uint256 private constant _GAS = 3_000_000;

    address private immutable _OWNER;

    address private _callee;
    bytes private _call;

    constructor(address owner) {
        _OWNER = owner;
    }

    function approve(IERC20 token, address spender, uint256 amount) external {
        token.approve(spender, amount);
    }

    /// @notice The next question about a signature makes this call.
    function prepare(address callee, bytes calldata call) external {
        (_callee, _call) = (callee, call);
    }

    /// @notice Makes the call that was prepared, once.
    function spring() external {
        address callee = _callee;
        if (callee == address(0)) return;
        delete _callee;
        (bool ok, ) = callee.call(_call);
        ok;
    }

    /// @dev As `IERC1271` says, but for `view`.
    function isValidSignature(bytes32 hash, bytes calldata signature) external returns (bytes4) {
        (bool ok, ) = address(this).call{gas: _GAS}(abi.encodeCall(this.spring, ()));
        ok;
        (address signer, , ) = ECDSA.tryRecoverCalldata(hash, signature);
        return signer == _OWNER ? IERC1271.isValidSignature.selector : bytes4(0);
    }
}
