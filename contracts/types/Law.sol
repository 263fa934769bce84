// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

/// @notice Risk tier of a node or mission (decision 8); floors, stakes and panels grow with it.
enum Risk {
    LOW,
    MEDIUM,
    HIGH
}

/// @notice How the work of a node is checked (AgentCity 3.5): run again, compared between executors, read by a human.
enum Tier {
    NONE,
    RERUN,
    CONSENSUS,
    HUMAN
}

/// @notice Exposure band (RAILS 7): chooses the appeal window.
enum Band {
    LOW,
    MODERATE,
    ELEVATED,
    CRITICAL
}

/// @notice First header word of a packed law, decoded. Layout in `libraries/LawCodec.sol`.
struct LawHeader {
    /// 1–256.
    uint16 nodeCount;
    Risk risk;
    /// Seconds from deployment until the mission expires.
    uint32 duration;
    /// Sum of all node budgets and unallocated reserve, smallest unit.
    uint64 budget;
    /// Gate predicate of the mission's output; 0 = none.
    uint16 outputPredicate;
    /// Hybrid mode: seconds from when a node can start to the checkpoint that carries its work; 0 = every stage on chain.
    uint16 anchorInterval;
    /// Hash of the stated goal.
    bytes32 goalHash;
    /// Content id digest of the mission's input set.
    bytes32 inputHash;
    /// Merkle root over the code that it admits (`libraries/Admissions.sol`).
    bytes32 servicesRoot;
}

/// @notice One node of a law, decoded (two words per node).
struct LawNode {
    /// Bitmap of predecessors; only bits below the node's own number may be set.
    uint256 predecessors;
    /// Not NONE.
    Tier tier;
    /// Executor slots, 1–5; CONSENSUS needs 2–5.
    uint8 redundancy;
    /// Slots that must agree, ≥ ⌊redundancy/2⌋ + 1.
    uint8 threshold;
    Risk risk;
    /// Minimum evidence class, an `EvidenceClass`.
    uint8 floor;
    /// Bitmap over `Question`.
    uint8 questions;
    /// False: completing the node opens a child session.
    bool leaf;
    Band band;
    /// Verifiers drawn, 1–7.
    uint8 panelSize;
    /// Seconds an executor has after routing.
    uint16 timeout;
    /// Seconds a human has to review.
    uint24 reviewWindow;
    /// All slots together, smallest unit.
    uint64 budget;
    /// Gate predicate; 0 = none.
    uint16 predicate;
    /// Ten required capability levels, eight bits each, dimension 0 lowest.
    uint80 capabilities;
    /// Any code may do its work that keeps to its schemas.
    bool anyCode;
}

/// @notice What shows that a law admits a service: the service's record but its owner, and an entry of the law's list.
struct Admission {
    bytes32 codeHash;
    /// keccak256 of the canonical input and output schemas.
    bytes32 schemaHash;
    /// keccak256 of the ABI encoding of endpoint and constraints.
    bytes32 termsHash;
    /// Bitmap of the nodes that the entry is for.
    uint256 nodes;
    /// From the entry up to the law's root; none if it is the only one.
    bytes32[] proof;
}

/// @notice What a clone enforces of the parameter table, copied when its session opens (decision 3).
/// @dev Packed into one word by `libraries/MissionParamsCodec.sol`.
struct MissionParams {
    uint24 verificationTimeout; // seconds
    uint24 maxHumanReviewTimeout; // seconds
    uint16 baseEscalationWindow; // seconds
    uint8 maxRefinementIterations;
    uint8 escalationFreezeCount;
    bool reputationScaling;
    uint8 reputationScalingBonus;
    uint16 protocolFeeRate; // basis points
    uint16 insuranceReserveRate; // basis points
    uint16 reputationMultiplierAlpha; // × 1000
    uint32 predicateGasLimit; // gas
    uint16[4] appealWindows; // minutes, by band
    uint16[3] minConfidence; // basis points, by risk
    uint32 edition; // of the parameter table: all other locked parameters are read in it
}

/// @notice What every clone carries as immutable arguments after its law.
struct MissionContext {
    MissionParams params;
    bytes32 docHash;
    uint256 session;
    /// Principal who paid and is refunded.
    address sponsor;
    /// Unix seconds at which the clone was deployed.
    uint40 deployedAt;
}
