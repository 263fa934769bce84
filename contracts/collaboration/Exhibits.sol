// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {DynamicArrayLib} from "solady/src/utils/DynamicArrayLib.sol";
import {IEvidenceRegistry} from "../interfaces/IEvidenceRegistry.sol";
import {IProofVerifier} from "../interfaces/IProofVerifier.sol";
import {IQuoteVerifier} from "../interfaces/IQuoteVerifier.sol";
import {EvidenceClass} from "../types/Evidence.sol";
import {EvidenceItem, Opening} from "../types/Messages.sol";
import {Commitments} from "../libraries/Commitments.sol";
import {OrderedMerkle} from "../libraries/OrderedMerkle.sol";

/// @notice Classes that an issuer may give, bit per `EvidenceClass`, and its principal.
struct Issuer {
    uint8 classes;
    address principal;
}

/// @title Validity of an item of evidence
/// @notice Shared by missions and `ClearingEvaluator`: the item is in the envelope of the work, its issuer may give its class, and the issuer's
/// principal has no part in the work.
library Exhibits {
    using DynamicArrayLib for address[];
    using DynamicArrayLib for uint256[];

    /// @notice Whether an item is in the envelope of an opened work, in the place that it names.
    function isEnclosed(
        EvidenceItem memory item,
        bytes32 obligation,
        Opening memory work
    ) internal pure returns (bool) {
        bytes32 leaf = Commitments.evidenceLeaf(
            obligation,
            item.slot,
            item.index,
            item.kind,
            item.payload,
            item.issuer,
            item.class
        );
        return OrderedMerkle.verify(work.envelopeRoot, leaf, item.index, work.items, item.proof);
    }

    /// @notice Asked once for all that an issuer says.
    function issuer(IEvidenceRegistry registry, address account) internal view returns (Issuer memory by) {
        (by.classes, by.principal) = registry.issuerOf(account);
    }

    function mayIssue(Issuer memory by, EvidenceItem memory item) internal pure returns (bool) {
        return (uint256(by.classes) >> uint256(item.class)) & 1 == 1;
    }

    /// @notice Whether an issuer, or who answers for it, has a part in the work.
    function isParty(address[] memory parties, address account, Issuer memory by) internal pure returns (bool) {
        uint256[] memory list = parties.toUint256Array();
        // The sponsor and at most five executors.
        for (uint256 i = 0; i < list.length; ++i) {
            uint256 party = list.get(i);
            if (party == uint160(by.principal) || party == uint160(account)) return true;
        }
        return false;
    }

    /// @notice What an issuer that is a contract is asked: of a proof, whether it proves the payload, else whether it stands behind the list.
    /// @param digest of the list that the item is in
    function questionOf(
        EvidenceItem memory item,
        bytes32 obligation,
        bytes32 digest,
        bytes memory signature
    ) internal pure returns (bytes memory) {
        if (item.class == EvidenceClass.PROOF) {
            return abi.encodeCall(IProofVerifier.proves, (obligation, item.payload, signature));
        }
        return abi.encodeCall(IQuoteVerifier.attests, (digest, signature));
    }
}
