// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

/// @title A registered issuer that is a contract, for evidence below PROOF: the adapter of a TEE's quotes (decision 20).
/// @notice A quote is worth the platform that signed it and the measurement of the code it ran; the adapter knows both. It
/// is asked with the mission's predicate gas limit, and anything but `true` refuses the item.
interface IQuoteVerifier {
    /// @param statement EIP-712 digest of the item (`Evidence`): obligation, slot, index, kind, payload and class. A quote
    /// carries it as its report data, so that none serves for another item.
    /// @param quote What the item has instead of a signature.
    function attests(bytes32 statement, bytes calldata quote) external view returns (bool);
}
