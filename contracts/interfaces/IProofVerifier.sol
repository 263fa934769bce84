// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

/// @title A registered verifier contract for evidence of class PROOF (decisions 20).
interface IProofVerifier {
    /// @return True if `proof` proves `payload` for `obligation`.
    function proves(bytes32 obligation, bytes32 payload, bytes calldata proof) external view returns (bool);
}
