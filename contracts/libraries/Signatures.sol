// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {SignatureChecker} from "@openzeppelin/contracts/utils/cryptography/SignatureChecker.sol";
import {Auth} from "../types/Roles.sol";

/// @title Who signed what (decision 28): keys sign with ECDSA; principals and adjudicators may be contract wallets.
/// @dev The errors repeat those of the interfaces that use this library, selector for selector.
library Signatures {
    /// @dev Bytes of code of an account that is lent.
    uint256 private constant DELEGATION = 23;

    error InvalidSignature(address signer);
    error Expired(uint40 deadline);

    /// @notice Reverts unless `signer`'s key signed `digest`: agents, verifiers, issuers, runners, clerks.
    function requireEcdsa(address signer, bytes32 digest, bytes calldata signature) internal pure {
        if (!isEcdsa(signer, digest, signature)) revert InvalidSignature(signer);
    }

    function isEcdsa(address signer, bytes32 digest, bytes calldata signature) internal pure returns (bool) {
        (address recovered, ECDSA.RecoverError problem, ) = ECDSA.tryRecoverCalldata(digest, signature);
        return problem == ECDSA.RecoverError.NoError && recovered == signer;
    }

    /// @notice Reverts unless `signer` signed `digest`, by key or by ERC-1271: principals and adjudicators.
    function requireAny(address signer, bytes32 digest, bytes calldata signature) internal view {
        // Whose key signed needs no look at its code: a contract has no key, and who lent its account to some code still has it.
        if (isEcdsa(signer, digest, signature)) return;
        if (!SignatureChecker.isValidERC1271SignatureNowCalldata(signer, digest, signature)) {
            revert InvalidSignature(signer);
        }
    }

    /// @notice Reverts after `deadline` (unix seconds).
    function requireInTime(uint40 deadline) internal view {
        if (block.timestamp > deadline) revert Expired(deadline);
    }

    /// @notice Reverts unless the agent authorised this call: in time, and by being the caller (empty signature) or by key.
    /// @dev The digest must bind a nonce or a natural key; the direct path consumes it as well.
    function requireAuth(Auth calldata auth, bytes32 digest) internal view {
        requireAuthorised(auth.agent, auth.deadline, auth.signature, digest);
    }

    /// @notice `requireAuth` for messages that carry agent, deadline and signature themselves.
    function requireAuthorised(address agent, uint40 deadline, bytes calldata signature, bytes32 digest) internal view {
        requireInTime(deadline);
        requireKeyOrCaller(agent, digest, signature);
    }

    /// @notice Reverts unless `party` signed `digest`, by key or by ERC-1271, or is the caller (empty signature).
    function requireAnyOrCaller(address party, bytes32 digest, bytes calldata signature) internal view {
        if (signature.length == 0 && msg.sender == party) return;
        requireAny(party, digest, signature);
    }

    /// @notice Whether an account is a key: without code, or one that lends its account to some code (EIP-7702), which proves nothing.
    function isKey(address account) internal view returns (bool) {
        return account.code.length <= DELEGATION;
    }

    /// @notice Reverts unless the agent's key signed `digest`, or the agent is the caller (empty signature).
    function requireKeyOrCaller(address agent, bytes32 digest, bytes calldata signature) internal view {
        if (signature.length != 0) requireEcdsa(agent, digest, signature);
        else if (msg.sender != agent) revert InvalidSignature(agent);
    }
}
