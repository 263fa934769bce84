// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {Admissions} from "../../../contracts/libraries/Admissions.sol";
import {Admission} from "../../../contracts/types/Law.sol";

/// @dev Batched doors to what a law admits.
contract AdmissionsHarness {
    struct Claim {
        bytes32 servicesRoot;
        Admission admission;
        uint8 node;
        bool anyCode;
    }

    struct Record {
        address owner;
        bytes32 codeHash;
        bytes32 schemaHash;
        string endpoint;
        bytes32 constraints;
    }

    function admits(Claim[] calldata claims) external pure returns (bool[] memory ok) {
        ok = new bool[](claims.length);
        for (uint256 i = 0; i < claims.length; ++i) {
            Claim calldata c = claims[i];
            ok[i] = Admissions.admits(c.servicesRoot, c.admission, c.node, c.anyCode);
        }
    }

    function ids(Record[] calldata records) external pure returns (bytes32[] memory all) {
        all = new bytes32[](records.length);
        for (uint256 i = 0; i < records.length; ++i) {
            Record calldata r = records[i];
            bytes32 terms = keccak256(abi.encode(r.endpoint, r.constraints));
            all[i] = Admissions.serviceId(r.owner, r.codeHash, r.schemaHash, terms);
        }
    }
}
