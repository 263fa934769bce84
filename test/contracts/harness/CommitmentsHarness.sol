// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {EvidenceClass} from "../../../contracts/types/Evidence.sol";
import {Opening} from "../../../contracts/types/Messages.sol";
import {Commitments} from "../../../contracts/libraries/Commitments.sol";
import {PanelDraw} from "../../../contracts/libraries/PanelDraw.sol";

/// @dev Batched doors to commitments and draws.
contract CommitmentsHarness {
    struct Work {
        uint256 chainId;
        address clone;
        uint8 node;
        uint8 attempt;
        bytes32 lawHash;
        bytes32 amendment;
        address agent;
        Opening opening;
        bytes32[] slots;
        uint8 slot;
        uint8 index;
        uint8 kind;
        bytes32 payload;
        address issuer;
        EvidenceClass class;
    }

    struct Bound {
        bytes32 obligation;
        bytes32 commitment;
        bytes32 nodeCommitment;
        bytes32 evidenceLeaf;
        bytes32 seed;
        bytes32 work;
        bytes32 head;
    }

    function bind(Work[] memory x) external pure returns (Bound[] memory y) {
        y = new Bound[](x.length);
        for (uint256 i = 0; i < x.length; ++i) y[i] = _bind(x[i]);
    }

    function draws(
        bytes32[] memory seeds,
        uint256[] memory draw,
        uint256[] memory n
    ) external pure returns (uint256[] memory y) {
        y = new uint256[](seeds.length);
        for (uint256 i = 0; i < seeds.length; ++i) y[i] = PanelDraw.next(seeds[i], draw[i], n[i]);
    }

    function _bind(Work memory w) private pure returns (Bound memory b) {
        b.obligation = Commitments.obligation(w.chainId, w.clone, w.node, w.attempt, w.lawHash, w.amendment);
        b.commitment = Commitments.commitment(w.agent, w.opening, b.obligation);
        b.nodeCommitment = Commitments.nodeCommitment(w.slots);
        b.evidenceLeaf = Commitments.evidenceLeaf(b.obligation, w.slot, w.index, w.kind, w.payload, w.issuer, w.class);
        b.seed = PanelDraw.seed(w.payload, w.clone, w.node, w.attempt);
        b.work = Commitments.workHash(w.slots);
        b.head = Commitments.checkpointHead(w.lawHash, w.payload, b.work);
    }
}
