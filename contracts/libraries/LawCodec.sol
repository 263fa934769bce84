// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {EfficientHashLib} from "solady/src/utils/EfficientHashLib.sol";
import {LibBytes} from "solady/src/utils/LibBytes.sol";
import {LawHeader, LawNode, MissionContext, Risk} from "../types/Law.sol";
import {MissionParamsCodec} from "./MissionParamsCodec.sol";
import {NodeLaw, NodeLaws} from "./NodeLaw.sol";
import {Terms} from "./Terms.sol";

/// @title The packed law
/// @notice A law is four header words and two words per node; it is the immutable-argument prefix of its clone
/// (decision 2), followed there by four context words (decision 3). Bits are counted from the lowest.
///
/// | word           | field           | bits      | field        | bits      | field      | bits      |
/// |----------------|-----------------|-----------|--------------|-----------|------------|-----------|
/// | 0              | nodeCount       | 0–15      | risk         | 16–23     | predicate  | 24–39     |
/// |                | duration        | 40–71     | budget       | 72–135    | interval   | 136–151   |
/// |                | zero            | 152–255   |              |           |            |           |
/// | 1              | goalHash        | 0–255     |              |           |            |           |
/// | 2              | inputHash       | 0–255     |              |           |            |           |
/// | 3              | servicesRoot    | 0–255     |              |           |            |           |
/// | 4 + 2i (A)     | predecessors    | 0–255     |              |           |            |           |
/// | 5 + 2i (B)     | capabilities    | 0–79      | budget       | 80–143    | review     | 144–167   |
/// |                | timeout         | 168–183   | predicate    | 184–199   | panelSize  | 200–202   |
/// |                | tier            | 203–204   | redundancy   | 205–207   | threshold  | 208–210   |
/// |                | risk            | 211–212   | floor        | 213–215   | questions  | 216–217   |
/// |                | leaf            | 218       | band         | 219–220   | anyCode    | 221       |
/// |                | zero            | 222–255   |              |           |            |           |
/// | 4 + 2n (ctx 0) | MissionParams   | see its codec                                                |
/// | 5 + 2n (ctx 1) | docHash         | 0–255     |              |           |            |           |
/// | 6 + 2n (ctx 2) | session         | 0–255     |              |           |            |           |
/// | 7 + 2n (ctx 3) | sponsor         | 0–159     | deployedAt   | 160–199   | zero       | 200–255   |
///
/// The encoding is canonical: one law has one byte string, decoding refuses every other. Whether a law is *lawful*
/// (tiers, budgets, floors, predecessors below their node) is the validator's question, not the codec's.
library LawCodec {
    using LibBytes for bytes;

    /// @notice The bytes are not a law of `nodeCount` nodes, nor the arguments of a clone with one.
    error MalformedLaw(uint256 length, uint256 nodeCount);
    /// @notice A header word with a set spare bit or an unknown risk.
    error MalformedHeader(uint256 word);
    /// @notice A node word with a set spare bit or an unknown risk or floor.
    error MalformedNode(uint256 index, uint256 word);
    /// @notice The law has no such node.
    error NodeOutOfRange(uint256 index, uint256 nodeCount);
    /// @notice A field is larger than its place in the word.
    error FieldTooLarge(uint256 value, uint256 bits);

    uint256 internal constant MAX_NODES = 256;
    uint256 internal constant WORD = 32;
    uint256 internal constant HEADER_LENGTH = 4 * WORD;
    uint256 internal constant NODE_LENGTH = 2 * WORD;
    uint256 internal constant CONTEXT_LENGTH = 4 * WORD;

    uint256 private constant HIGHEST_RISK = uint256(type(Risk).max);

    /// @notice Length in bytes of a law with `nodeCount` nodes.
    function lawLength(uint256 nodeCount) internal pure returns (uint256) {
        // A count of sixteen bits, or the length of an array in memory: no length overflows.
        unchecked {
            return HEADER_LENGTH + nodeCount * NODE_LENGTH;
        }
    }

    /// @notice Header of a law, or of clone arguments that begin with one.
    function header(bytes memory law) internal pure returns (LawHeader memory h) {
        uint256 count = _nodeCount(law);
        uint256 word = uint256(law.load(0));
        uint256 risk = (word >> 16) & 0xff;
        if (risk > HIGHEST_RISK || word >> 152 != 0) revert MalformedHeader(word);
        // `_nodeCount` read it from sixteen bits, so it fits.
        h.nodeCount = uint16(count);
        h.risk = Risk(risk);
        h.outputPredicate = uint16(word >> 24);
        h.duration = uint32(word >> 40);
        h.budget = uint64(word >> 72);
        h.anchorInterval = uint16(word >> 136);
        h.goalHash = law.load(WORD);
        h.inputHash = law.load(2 * WORD);
        h.servicesRoot = servicesRoot(law);
    }

    /// @notice How many nodes a law has and its output predicate, for who asks for these alone.
    function ending(bytes memory law) internal pure returns (uint256 nodeCount, uint16 outputPredicate) {
        nodeCount = _nodeCount(law);
        // Sixteen bits of the word.
        outputPredicate = uint16(uint256(law.load(0)) >> 24);
    }

    /// @notice The header's last word, for who asks for it alone.
    function servicesRoot(bytes memory law) internal pure returns (bytes32) {
        return law.load(3 * WORD);
    }

    /// @notice Node `index` of a law, or of clone arguments that begin with one.
    function node(bytes memory law, uint256 index) internal pure returns (LawNode memory n) {
        NodeLaw word = nodeLaw(law, index);
        n.predecessors = predecessors(law, index);
        n.capabilities = word.capabilities();
        n.budget = word.budget();
        n.reviewWindow = word.reviewWindow();
        n.timeout = word.timeout();
        n.predicate = word.predicate();
        n.panelSize = word.panelSize();
        n.tier = word.tier();
        n.redundancy = word.redundancy();
        n.threshold = word.threshold();
        n.risk = word.risk();
        n.floor = word.floor();
        n.questions = word.questions();
        n.leaf = word.leaf();
        n.band = word.band();
        n.anyCode = word.anyCode();
    }

    /// @notice The same without predecessors, for who asks for a few fields.
    function nodeLaw(bytes memory law, uint256 index) internal pure returns (NodeLaw word) {
        word = NodeLaw.wrap(uint256(law.load(_nodeOffset(law, index) + WORD)));
        if (!word.isWellFormed()) revert MalformedNode(index, NodeLaw.unwrap(word));
    }

    /// @notice Predecessor bitmap of node `index`, without decoding the rest.
    function predecessors(bytes memory law, uint256 index) internal pure returns (uint256) {
        return uint256(law.load(_nodeOffset(law, index)));
    }

    /// @notice Bitmap of the nodes that waited for one of `fresh` and have all their predecessors in `done`.
    function freed(bytes memory law, uint256 fresh, uint256 done) internal pure returns (uint256 nodes) {
        uint256 count = _nodeCount(law);
        // Offsets of a law that has these nodes.
        unchecked {
            for (uint256 i = 1; i < count; ++i) {
                uint256 before = uint256(law.load(HEADER_LENGTH + i * NODE_LENGTH));
                if (before & fresh != 0 && before & ~done == 0) nodes |= 1 << i;
            }
        }
    }

    /// @notice lawHash: keccak256 of the law alone, whether `args_` carries a context or not (decision 1).
    function hashOf(bytes memory args_) internal pure returns (bytes32) {
        return EfficientHashLib.hash(args_, 0, lawLength(_nodeCount(args_)));
    }

    /// @notice What a ballot is about: the law and its document (decision 1).
    function specHash(bytes32 lawHash, bytes32 docHash) internal pure returns (bytes32) {
        return keccak256(abi.encode(lawHash, docHash));
    }

    /// @notice The canonical bytes of a law. `h.nodeCount` must be the number of nodes.
    function encode(LawHeader memory h, LawNode[] memory nodes) internal pure returns (bytes memory) {
        uint256 count = nodes.length;
        if (count == 0 || count > MAX_NODES || h.nodeCount != count) revert MalformedLaw(lawLength(count), h.nodeCount);
        uint256[] memory words = new uint256[](4 + 2 * count);
        words[0] =
            uint256(h.nodeCount) |
            (uint256(h.risk) << 16) |
            (uint256(h.outputPredicate) << 24) |
            (uint256(h.duration) << 40) |
            (uint256(h.budget) << 72) |
            (uint256(h.anchorInterval) << 136);
        words[1] = uint256(h.goalHash);
        words[2] = uint256(h.inputHash);
        words[3] = uint256(h.servicesRoot);
        for (uint256 i = 0; i < count; ++i) {
            words[4 + 2 * i] = nodes[i].predecessors;
            words[5 + 2 * i] = _packNode(nodes[i], i);
        }
        return abi.encodePacked(words);
    }

    /// @notice Immutable arguments of the clone: the law, then its context in four words.
    function args(bytes memory law, MissionContext memory c) internal pure returns (bytes memory) {
        return args(law, MissionParamsCodec.pack(c.params), c.docHash, c.session, c.sponsor, c.deployedAt);
    }

    /// @notice The same from parameters that are packed already.
    function args(
        bytes memory law,
        uint256 params,
        bytes32 docHash,
        uint256 session_,
        address sponsor,
        uint40 deployedAt
    ) internal pure returns (bytes memory) {
        uint256 length = lawLength(_nodeCount(law));
        if (law.length != length) revert MalformedLaw(law.length, (length - HEADER_LENGTH) / NODE_LENGTH);
        uint256 origin_ = uint256(uint160(sponsor)) | (uint256(deployedAt) << 160);
        return bytes.concat(law, abi.encode(params, docHash, session_, origin_));
    }

    /// @notice The context at the end of a clone's arguments.
    function context(bytes memory args_) internal pure returns (MissionContext memory c) {
        c.params = MissionParamsCodec.unpack(Terms.unwrap(terms(args_)));
        c.docHash = args_.load(_contextOffset(args_) + WORD);
        c.session = session(args_);
        (c.sponsor, c.deployedAt) = origin(args_);
    }

    /// @notice The first word of the context.
    function terms(bytes memory args_) internal pure returns (Terms) {
        return Terms.wrap(uint256(args_.load(_contextOffset(args_))));
    }

    /// @notice The third.
    function session(bytes memory args_) internal pure returns (uint256) {
        return uint256(args_.load(_contextOffset(args_) + 2 * WORD));
    }

    /// @notice The last.
    function origin(bytes memory args_) internal pure returns (address sponsor, uint40 deployedAt) {
        uint256 word = uint256(args_.load(_contextOffset(args_) + 3 * WORD));
        if (word >> 200 != 0) revert MalformedHeader(word);
        // The low bits are the address.
        return (address(uint160(word)), uint40(word >> 160));
    }

    function _contextOffset(bytes memory args_) private pure returns (uint256 at) {
        uint256 count = _nodeCount(args_);
        at = lawLength(count);
        if (args_.length == at) revert MalformedLaw(at, count);
    }

    /// @dev Reads the count and checks the length against it: a law alone, or a law with its context.
    function _nodeCount(bytes memory law) private pure returns (uint256 count) {
        uint256 behind;
        // Differences wrap: a law too short leaves far more than a context behind it, and a count of zero exceeds MAX_NODES.
        unchecked {
            // The low bits are the count.
            count = uint16(uint256(law.load(0)));
            behind = law.length - HEADER_LENGTH - count * NODE_LENGTH;
            if (count - 1 < MAX_NODES && (behind == CONTEXT_LENGTH || behind == 0)) return count;
        }
        revert MalformedLaw(law.length, law.length < WORD ? 0 : count);
    }

    function _nodeOffset(bytes memory law, uint256 index) private pure returns (uint256) {
        uint256 count = _nodeCount(law);
        if (index >= count) revert NodeOutOfRange(index, count);
        // An offset in a law of at most 256 nodes.
        unchecked {
            return HEADER_LENGTH + index * NODE_LENGTH;
        }
    }

    function _packNode(LawNode memory n, uint256 index) private pure returns (uint256 word) {
        word =
            uint256(n.capabilities) |
            (uint256(n.budget) << 80) |
            (uint256(n.reviewWindow) << 144) |
            (uint256(n.timeout) << 168) |
            (uint256(n.predicate) << 184) |
            (_fit(n.panelSize, 3) << 200) |
            (_fit(uint8(n.tier), 2) << 203) |
            (_fit(n.redundancy, 3) << 205) |
            (_fit(n.threshold, 3) << 208) |
            (uint256(n.risk) << 211) |
            (_fit(n.floor, 3) << 213) |
            (_fit(n.questions, 2) << 216) |
            (uint256(n.leaf ? 1 : 0) << 218) |
            (uint256(n.band) << 219);
        if (n.anyCode) word |= 1 << 221;
        if (n.floor > NodeLaws.HIGHEST_FLOOR) revert MalformedNode(index, word);
    }

    function _fit(uint256 value, uint256 bits) private pure returns (uint256) {
        if (value >> bits != 0) revert FieldTooLarge(value, bits);
        return value;
    }
}
