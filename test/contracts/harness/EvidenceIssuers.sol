// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {IProofVerifier} from "../../../contracts/interfaces/IProofVerifier.sol";
import {IQuoteVerifier} from "../../../contracts/interfaces/IQuoteVerifier.sol";

/// @title The smallest real proof: that somebody knew what was hashed, for this obligation.
contract PreimageVerifier is IProofVerifier {
    function proves(bytes32 obligation, bytes32 payload, bytes calldata proof) external pure returns (bool) {
        return keccak256(abi.encode(obligation, keccak256(proof))) == payload;
    }
}

/// @title An adapter as a deployment writes it for a TEE: one platform key, one measurement of the code.
/// @dev A quote is the measurement and the platform's signature over (measurement, report data); the report data is the statement.
contract QuoteAdapter is IQuoteVerifier {
    address private immutable _PLATFORM;
    bytes32 private immutable _MEASUREMENT;

    constructor(address platform, bytes32 measurement) {
        (_PLATFORM, _MEASUREMENT) = (platform, measurement);
    }

    function attests(bytes32 statement, bytes calldata quote) external view returns (bool) {
        (bytes32 measurement, bytes memory signature) = abi.decode(quote, (bytes32, bytes));
        address signer = ECDSA.recover(keccak256(abi.encode(measurement, statement)), signature);
        return measurement == _MEASUREMENT && signer == _PLATFORM;
    }
}
