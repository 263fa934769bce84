// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {DynamicArrayLib} from "solady/src/utils/DynamicArrayLib.sol";
import {EfficientHashLib} from "solady/src/utils/EfficientHashLib.sol";
import {
    AwardDecision,
    Bid,
    EvidenceItem,
    LiveHash,
    PrincipalBinding,
    SchemaStatement,
    SubAgentBinding,
    Verdict,
    Withdrawal
} from "../types/Messages.sol";
import {Office} from "../types/Roles.sol";
import {WeighedVerdict, WeighedVerdicts} from "./WeighedVerdict.sol";

/// @title Hashes of signed messages
/// @notice EIP-712 type hashes and struct hashes. The domain is {name: "AgentCity", version: "1", chainId,
/// verifyingContract} of the contract that consumes the message. Enums are signed as uint8; `Auth` and the `signature`
/// members of the structs are not signed. TypeScript side: `protocol/typed-data.ts`. What adjudicators sign: `Acts.sol`.
library TypedData {
    using DynamicArrayLib for uint256[];

    // Consumed by ProducerContract.
    bytes32 internal constant PRINCIPAL_BINDING = keccak256(
        "PrincipalBinding(address agent,address principal,uint8 kind,bytes32 did,"
        "uint160 capabilities,uint64 stake,uint256 nonce,uint40 deadline)"
    );
    bytes32 internal constant SUB_AGENT_BINDING = keccak256(
        "SubAgentBinding(address agent,address creator,bytes32 did,uint160 capabilities,uint64 stake,uint256 nonce,uint40 deadline)"
    );
    // Consumed by Treasury.
    bytes32 internal constant WITHDRAWAL = keccak256(
        "Withdrawal(address account,address by,address to,uint256 nonce,uint40 deadline)"
    );
    // Consumed by ServiceContract.
    bytes32 internal constant REGISTER_SERVICE = keccak256(
        "RegisterService(address agent,bytes32 codeHash,bytes32 schemaHash,string endpoint,bytes32 constraints,uint40 deadline)"
    );
    // Consumed by LegislativeProcedure.
    bytes32 internal constant PROPOSE = keccak256(
        "Propose(uint256 session,address agent,bytes32 specHash,bytes32 cid,uint40 deadline)"
    );
    bytes32 internal constant SPONSOR = keccak256(
        "Sponsor(uint256 session,address agent,uint16 candidate,uint40 deadline)"
    );
    bytes32 internal constant BALLOT = keccak256(
        "Ballot(uint256 session,address agent,uint64 ranking,uint40 deadline)"
    );
    bytes32 internal constant STRAW_POLL = keccak256(
        "StrawPoll(uint256 session,address agent,uint64 ranking,uint40 deadline)"
    );
    bytes32 internal constant PETITION = keccak256(
        "Petition(address agent,bytes32 goalHash,address parent,uint32 round,uint40 deadline)"
    );
    bytes32 internal constant REINTRODUCE = keccak256(
        "Reintroduce(uint256 session,address agent,uint16 candidate,bytes32 specHash,bytes32 cid,uint40 deadline)"
    );
    bytes32 internal constant OFFICE_APPROVAL = keccak256(
        "OfficeApproval(address clerk,uint8 office,uint256 session,bytes32 specHash,uint40 deadline)"
    );
    // Consumed by ExecutionProcedure.
    bytes32 internal constant BID = keccak256(
        "Bid(address agent,address mission,uint8 node,bytes32 service,uint64 price,uint256 nonce,uint40 deadline)"
    );
    bytes32 internal constant WITHDRAW_BID = keccak256(
        "WithdrawBid(address agent,address mission,uint8 node,uint256 nonce,uint40 deadline)"
    );
    bytes32 internal constant AWARD_DECISION = keccak256(
        "AwardDecision(address regulator,address mission,uint256 nodes,uint8 attempt,uint256 nonce,uint40 deadline)"
    );
    // Consumed by ManagementContract.
    bytes32 internal constant DELEGATION_RESULT = keccak256(
        "DelegationResult(address runner,bytes32 delegation,bytes32 outputHash,bytes32 intermediateHash,uint40 deadline)"
    );
    // Consumed by KeepsSchema.
    bytes32 internal constant SCHEMA_STATEMENT = keccak256(
        "SchemaStatement(address mission,uint8 node,bytes32 obligation,bytes32 outputHash,"
        "bytes32 schemaHash,address issuer,uint40 deadline)"
    );
    // Consumed by a mission's clone.
    bytes32 internal constant ANCHOR = keccak256("Anchor(address runner,bytes32 root,uint40 deadline)");
    bytes32 internal constant CHECKPOINT = keccak256(
        "Checkpoint(address runner,bytes32 previous,bytes32 root,bytes32 work,uint40 deadline)"
    );
    bytes32 internal constant START = keccak256("Start(address runner,uint256[] slots,uint40 deadline)");
    bytes32 internal constant LIVE_HASH = keccak256(
        "LiveHash(address mission,uint8 node,uint8 slot,uint8 attempt,bytes32 service,bytes32 hash,uint40 deadline,address runner)"
    );
    bytes32 internal constant COMMIT = keccak256(
        "Commit(address agent,uint8 node,uint8 slot,uint8 attempt,bytes32 commitment,uint40 deadline)"
    );
    bytes32 internal constant COMMITS = keccak256(
        "Commits(address agent,uint256[] slots,bytes32[] commitments,uint40 deadline)"
    );
    bytes32 internal constant APPEAL = keccak256(
        "Appeal(address appellant,uint8 node,uint8 attempt,bytes32 evidence,uint40 deadline)"
    );
    bytes32 internal constant EVIDENCE = keccak256(
        "Evidence(bytes32 obligation,uint8 slot,uint8 index,uint8 kind,bytes32 payload,uint8 class)"
    );
    bytes32 internal constant EVIDENCES = keccak256(
        "Evidences(address issuer,Evidence[] items)"
        "Evidence(bytes32 obligation,uint8 slot,uint8 index,uint8 kind,bytes32 payload,uint8 class)"
    );
    bytes32 internal constant VERDICT = keccak256(
        "Verdict(bytes32 obligation,bytes32 commitment,uint32 draw,uint8 question,"
        "uint8 result,uint16 confidence,uint16 score,uint160 basis,uint8 agreeing)"
    );
    bytes32 internal constant VERDICTS = keccak256(
        "Verdicts(address verifier,Verdict[] verdicts,uint40 deadline)"
        "Verdict(bytes32 obligation,bytes32 commitment,uint32 draw,uint8 question,"
        "uint8 result,uint16 confidence,uint16 score,uint160 basis,uint8 agreeing)"
    );

    function hashPrincipalBinding(PrincipalBinding calldata b) internal pure returns (bytes32) {
        return
            keccak256(
                abi.encode(
                    PRINCIPAL_BINDING,
                    b.agent,
                    b.principal,
                    b.kind,
                    b.did,
                    b.capabilities,
                    b.stake,
                    b.nonce,
                    b.deadline
                )
            );
    }

    function hashSubAgentBinding(SubAgentBinding calldata b) internal pure returns (bytes32) {
        return
            keccak256(
                abi.encode(SUB_AGENT_BINDING, b.agent, b.creator, b.did, b.capabilities, b.stake, b.nonce, b.deadline)
            );
    }

    function hashWithdrawal(Withdrawal calldata w) internal pure returns (bytes32) {
        return keccak256(abi.encode(WITHDRAWAL, w.account, w.by, w.to, w.nonce, w.deadline));
    }

    function hashRegisterService(
        address agent,
        bytes32 codeHash,
        bytes32 schemaHash,
        string memory endpoint,
        bytes32 constraints,
        uint40 deadline
    ) internal pure returns (bytes32) {
        bytes32 endpointHash = keccak256(bytes(endpoint));
        return
            keccak256(abi.encode(REGISTER_SERVICE, agent, codeHash, schemaHash, endpointHash, constraints, deadline));
    }

    function hashPropose(
        uint256 session,
        address agent,
        bytes32 specHash,
        bytes32 cid,
        uint40 deadline
    ) internal pure returns (bytes32) {
        return keccak256(abi.encode(PROPOSE, session, agent, specHash, cid, deadline));
    }

    function hashSponsor(
        uint256 session,
        address agent,
        uint16 candidate,
        uint40 deadline
    ) internal pure returns (bytes32) {
        return keccak256(abi.encode(SPONSOR, session, agent, candidate, deadline));
    }

    function hashBallot(
        uint256 session,
        address agent,
        uint64 ranking,
        uint40 deadline
    ) internal pure returns (bytes32) {
        return keccak256(abi.encode(BALLOT, session, agent, ranking, deadline));
    }

    function hashStrawPoll(
        uint256 session,
        address agent,
        uint64 ranking,
        uint40 deadline
    ) internal pure returns (bytes32) {
        return keccak256(abi.encode(STRAW_POLL, session, agent, ranking, deadline));
    }

    function hashPetition(
        address agent,
        bytes32 goalHash,
        address parent,
        uint32 round,
        uint40 deadline
    ) internal pure returns (bytes32) {
        return keccak256(abi.encode(PETITION, agent, goalHash, parent, round, deadline));
    }

    function hashReintroduce(
        uint256 session,
        address agent,
        uint16 candidate,
        bytes32 specHash,
        bytes32 cid,
        uint40 deadline
    ) internal pure returns (bytes32) {
        return keccak256(abi.encode(REINTRODUCE, session, agent, candidate, specHash, cid, deadline));
    }

    function hashOfficeApproval(
        address clerk,
        Office office,
        uint256 session,
        bytes32 specHash,
        uint40 deadline
    ) internal pure returns (bytes32) {
        return keccak256(abi.encode(OFFICE_APPROVAL, clerk, office, session, specHash, deadline));
    }

    function hashBid(address agent, Bid memory b, uint256 nonce, uint40 deadline) internal pure returns (bytes32) {
        return keccak256(abi.encode(BID, agent, b.mission, b.node, b.service, b.price, nonce, deadline));
    }

    function hashWithdrawBid(
        address agent,
        address mission,
        uint8 node,
        uint256 nonce,
        uint40 deadline
    ) internal pure returns (bytes32) {
        return keccak256(abi.encode(WITHDRAW_BID, agent, mission, node, nonce, deadline));
    }

    function hashDelegationResult(
        address runner,
        bytes32 delegation,
        bytes32 outputHash,
        bytes32 intermediateHash,
        uint40 deadline
    ) internal pure returns (bytes32) {
        return keccak256(abi.encode(DELEGATION_RESULT, runner, delegation, outputHash, intermediateHash, deadline));
    }

    function hashAwardDecision(
        address regulator,
        AwardDecision memory d,
        uint256 nonce,
        uint40 deadline
    ) internal pure returns (bytes32) {
        return keccak256(abi.encode(AWARD_DECISION, regulator, d.mission, d.nodes, d.attempt, nonce, deadline));
    }

    function hashAnchor(address runner, bytes32 root, uint40 deadline) internal pure returns (bytes32) {
        return keccak256(abi.encode(ANCHOR, runner, root, deadline));
    }

    function hashCheckpoint(
        address runner,
        bytes32 previous,
        bytes32 root,
        bytes32 work,
        uint40 deadline
    ) internal pure returns (bytes32) {
        return keccak256(abi.encode(CHECKPOINT, runner, previous, root, work, deadline));
    }

    /// @param slots node << 16 | attempt << 8 | slot of each slot that starts
    function hashStart(address runner, uint256[] memory slots, uint40 deadline) internal pure returns (bytes32) {
        return keccak256(abi.encode(START, runner, EfficientHashLib.hash(slots.asBytes32Array()), deadline));
    }

    function hashLiveHash(LiveHash calldata h) internal pure returns (bytes32) {
        return
            keccak256(
                abi.encode(LIVE_HASH, h.mission, h.node, h.slot, h.attempt, h.service, h.hash, h.deadline, h.runner)
            );
    }

    function hashCommit(
        address agent,
        uint8 node,
        uint8 slot,
        uint8 attempt,
        bytes32 commitment,
        uint40 deadline
    ) internal pure returns (bytes32) {
        return keccak256(abi.encode(COMMIT, agent, node, slot, attempt, commitment, deadline));
    }

    /// @param slots node << 16 | attempt << 8 | slot of each commitment
    function hashCommits(
        address agent,
        uint256[] memory slots,
        bytes32[] memory commitments,
        uint40 deadline
    ) internal pure returns (bytes32) {
        return
            EfficientHashLib.hash(
                COMMITS,
                bytes32(uint256(uint160(agent))),
                EfficientHashLib.hash(slots.asBytes32Array()),
                EfficientHashLib.hash(commitments),
                bytes32(uint256(deadline))
            );
    }

    function hashAppeal(
        address appellant,
        uint8 node,
        uint8 attempt,
        bytes32 evidence,
        uint40 deadline
    ) internal pure returns (bytes32) {
        return keccak256(abi.encode(APPEAL, appellant, node, attempt, evidence, deadline));
    }

    function hashEvidence(bytes32 obligation, EvidenceItem memory e) internal pure returns (bytes32) {
        return
            EfficientHashLib.hash(
                EVIDENCE,
                obligation,
                bytes32(uint256(e.slot)),
                bytes32(uint256(e.index)),
                bytes32(uint256(e.kind)),
                e.payload,
                bytes32(uint256(e.class))
            );
    }

    /// @param items hashes of the items (`hashEvidence`)
    function hashEvidences(address issuer, bytes32[] memory items) internal pure returns (bytes32) {
        return EfficientHashLib.hash(EVIDENCES, bytes32(uint256(uint160(issuer))), EfficientHashLib.hash(items));
    }

    function hashSchemaStatement(SchemaStatement calldata s) internal pure returns (bytes32) {
        return
            keccak256(
                abi.encode(
                    SCHEMA_STATEMENT,
                    s.mission,
                    s.node,
                    s.obligation,
                    s.outputHash,
                    s.schemaHash,
                    s.issuer,
                    s.deadline
                )
            );
    }

    function hashVerdict(Verdict memory v) internal pure returns (bytes32) {
        WeighedVerdict word = WeighedVerdicts.pack(v.question, v.result, v.confidence, v.score, v.agreeing, v.basis);
        return hashVerdict(v.obligation, v.commitment, v.draw, word);
    }

    function hashVerdict(
        bytes32 obligation,
        bytes32 commitment,
        uint32 draw,
        WeighedVerdict v
    ) internal pure returns (bytes32) {
        return
            EfficientHashLib.hash(
                VERDICT,
                obligation,
                commitment,
                bytes32(uint256(draw)),
                bytes32(v.question()),
                bytes32(uint256(v.result())),
                bytes32(uint256(v.confidence())),
                bytes32(uint256(v.score())),
                bytes32(v.basis()),
                bytes32(uint256(v.agreeing()))
            );
    }

    /// @param verdicts hashes of the verdicts (`hashVerdict`)
    function hashVerdicts(
        address verifier,
        bytes32[] memory verdicts,
        uint40 deadline
    ) internal pure returns (bytes32) {
        bytes32 list = EfficientHashLib.hash(verdicts);
        return EfficientHashLib.hash(VERDICTS, bytes32(uint256(uint160(verifier))), list, bytes32(uint256(deadline)));
    }
}
