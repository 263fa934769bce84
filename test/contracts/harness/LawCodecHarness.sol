// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {LawHeader, LawNode, MissionContext, MissionParams} from "../../../contracts/types/Law.sol";
import {LawCodec} from "../../../contracts/libraries/LawCodec.sol";
import {MissionParamsCodec} from "../../../contracts/libraries/MissionParamsCodec.sol";

/// @dev Batched doors to the codecs.
contract LawCodecHarness {
    function encode(LawHeader memory h, LawNode[] memory nodes) public pure returns (bytes memory) {
        return LawCodec.encode(h, nodes);
    }

    function encodeMany(LawHeader[] memory h, LawNode[][] memory nodes) external pure returns (bytes[] memory laws) {
        laws = new bytes[](h.length);
        for (uint256 i = 0; i < h.length; ++i) laws[i] = LawCodec.encode(h[i], nodes[i]);
    }

    function decode(bytes memory law) public pure returns (LawHeader memory h, LawNode[] memory nodes) {
        h = LawCodec.header(law);
        nodes = new LawNode[](h.nodeCount);
        for (uint256 i = 0; i < nodes.length; ++i) {
            nodes[i] = LawCodec.node(law, i);
            assert(nodes[i].predecessors == LawCodec.predecessors(law, i));
        }
    }

    /// @dev Which of these byte strings decode and encode to themselves.
    function canonical(bytes[] memory laws) external view returns (bool[] memory ok) {
        ok = new bool[](laws.length);
        for (uint256 i = 0; i < laws.length; ++i) {
            try this.decode(laws[i]) returns (LawHeader memory h, LawNode[] memory nodes) {
                ok[i] = keccak256(LawCodec.encode(h, nodes)) == LawCodec.hashOf(laws[i]);
            } catch {}
        }
    }

    function node(bytes memory law, uint256 index) external pure returns (LawNode memory) {
        return LawCodec.node(law, index);
    }

    function hashOf(bytes[] memory laws) external pure returns (bytes32[] memory hashes) {
        hashes = new bytes32[](laws.length);
        for (uint256 i = 0; i < laws.length; ++i) hashes[i] = LawCodec.hashOf(laws[i]);
    }

    function specHash(bytes32 lawHash, bytes32 docHash) external pure returns (bytes32) {
        return LawCodec.specHash(lawHash, docHash);
    }

    function lawLength(uint256 nodeCount) external pure returns (uint256) {
        return LawCodec.lawLength(nodeCount);
    }

    function args(bytes memory law, MissionContext[] memory c) external pure returns (bytes[] memory all) {
        all = new bytes[](c.length);
        for (uint256 i = 0; i < c.length; ++i) all[i] = LawCodec.args(law, c[i]);
    }

    function context(bytes memory args_) external pure returns (MissionContext memory) {
        return LawCodec.context(args_);
    }

    function pack(MissionParams[] memory p) external pure returns (uint256[] memory words) {
        words = new uint256[](p.length);
        for (uint256 i = 0; i < p.length; ++i) words[i] = MissionParamsCodec.pack(p[i]);
    }

    function unpack(uint256[] memory words) external pure returns (MissionParams[] memory p) {
        p = new MissionParams[](words.length);
        for (uint256 i = 0; i < words.length; ++i) p[i] = MissionParamsCodec.unpack(words[i]);
    }
}
