// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {BitMaps} from "@openzeppelin/contracts/utils/structs/BitMaps.sol";

/// @notice Three words per mission.
struct MissionMarket {
    address sponsor;
    uint40 closesAt;
    uint16 nodes;
    /// Nodes awarded or passed over in the first round: the next one is next.
    uint16 cursor;
    /// Distinct principals with an eligible bid.
    uint16 bidders;
    uint64 sumSquares;
    uint32 assignments;
    /// The mission above all that are above this one; zero if none is.
    address root;
    /// minStake by risk, whole tokens scaled; copied when the market opens.
    uint64[3] stakes;
    /// When a human ended the mission; 0 = none did.
    uint40 endedAt;
}

struct NodeMarket {
    /// Whether this entry replaces the mission's first window.
    bool own;
    bool reopened;
    bool awarded;
    uint8 attempt;
    uint40 closesAt;
    /// How often a late improvement made the window longer.
    uint8 extended;
}

/// @notice One word: what an executor has at stake on a node. What a bid has is its node's least stake, and needs no word.
struct Lock {
    uint64 amount;
    bool awarded;
    /// A pool stands for it, not the agent's own stake.
    bool pooled;
    /// A fault was found and is counted against the agent until this ends.
    bool accused;
    /// Its agent came after the founding, and votes once this slot is paid.
    bool earnsVote;
}

/// @notice One word: what a principal is to a mission. Whether it judged there is in `judged`.
struct Part {
    bool sponsor;
    bool bid;
    bool executor;
    uint16 assignments;
}

/// @notice Storage of ExecutionProcedure. An agent bids once per node and attempt, and who executes a node again was released from the attempt
/// before: a lock is found by (mission, node, agent), and one that waits for a verdict's window outlives the attempt that made it.
struct MarketStorage {
    mapping(address mission => MissionMarket market) markets;
    mapping(address mission => mapping(uint8 node => NodeMarket)) nodeMarkets;
    /// `BidWord`s in order of arrival, the first zero after the last: those of this attempt, and of earlier ones those not withdrawn.
    mapping(address mission => mapping(uint8 node => mapping(uint256 place => uint256 word))) bids;
    mapping(address mission => mapping(uint8 node => mapping(address agent => Lock))) locks;
    mapping(address mission => mapping(address principal => Part)) participations;
    /// Principals with a verifier on a panel of the mission, by `IEvidenceRegistry.houseOf`.
    mapping(address mission => BitMaps.BitMap) judged;
    mapping(address mission => mapping(uint8 node => mapping(address principal => bool))) barred;
    /// Lost points for the mission's end already.
    mapping(address mission => mapping(address principal => bool)) terminated;
    /// Services that an agent has offered, by the place that its bids refer to.
    mapping(address agent => mapping(uint256 place => bytes32 service)) offered;
    mapping(uint16 id => address predicate) predicates;
    mapping(address agent => uint256 nonce) nonces;
    /// Code of the services that were offered where any code is admitted.
    mapping(bytes32 service => bytes32 codeHash) codes;
    /// The one agent of a principal that can earn its vote in this mission.
    mapping(address mission => mapping(address principal => address agent)) candidates;
}
