// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

/// @title A registered verifier contract: the only issuer whose evidence is of class PROOF (decision 20).
/// @notice It is asked with the mission's predicate gas limit, and anything but `true` refuses the item.
interface IProofVerifier {
    /// @return True if `proof` proves `payload` for `obligation`.
    function proves(bytes32 obligation, bytes32 payload, bytes calldata proof) external view returns (bool);
}
