// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {EvidenceClass} from "../../../contracts/types/Evidence.sol";
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
} from "../../../contracts/types/Messages.sol";
import {Office} from "../../../contracts/types/Roles.sol";
import {TypedData} from "../../../contracts/libraries/TypedData.sol";

/// @dev Type hashes by message name, and each struct hash under the message's name.
contract TypedDataHarness {
    struct Evidence {
        bytes32 obligation;
        uint8 slot;
        uint8 index;
        uint8 kind;
        bytes32 payload;
        EvidenceClass class;
    }

    function typeHashes() external pure returns (string[27] memory names, bytes32[27] memory hashes) {
        (names[0], hashes[0]) = ("PrincipalBinding", TypedData.PRINCIPAL_BINDING);
        (names[1], hashes[1]) = ("RegisterService", TypedData.REGISTER_SERVICE);
        (names[2], hashes[2]) = ("Propose", TypedData.PROPOSE);
        (names[3], hashes[3]) = ("Sponsor", TypedData.SPONSOR);
        (names[4], hashes[4]) = ("Ballot", TypedData.BALLOT);
        (names[5], hashes[5]) = ("OfficeApproval", TypedData.OFFICE_APPROVAL);
        (names[6], hashes[6]) = ("Bid", TypedData.BID);
        (names[7], hashes[7]) = ("WithdrawBid", TypedData.WITHDRAW_BID);
        (names[8], hashes[8]) = ("AwardDecision", TypedData.AWARD_DECISION);
        (names[9], hashes[9]) = ("Anchor", TypedData.ANCHOR);
        (names[10], hashes[10]) = ("LiveHash", TypedData.LIVE_HASH);
        (names[11], hashes[11]) = ("Commit", TypedData.COMMIT);
        (names[12], hashes[12]) = ("Evidence", TypedData.EVIDENCE);
        (names[13], hashes[13]) = ("Verdict", TypedData.VERDICT);
        (names[15], hashes[15]) = ("StrawPoll", TypedData.STRAW_POLL);
        (names[16], hashes[16]) = ("Petition", TypedData.PETITION);
        (names[17], hashes[17]) = ("Reintroduce", TypedData.REINTRODUCE);
        (names[18], hashes[18]) = ("SubAgentBinding", TypedData.SUB_AGENT_BINDING);
        (names[19], hashes[19]) = ("Checkpoint", TypedData.CHECKPOINT);
        (names[20], hashes[20]) = ("Commits", TypedData.COMMITS);
        (names[21], hashes[21]) = ("Withdrawal", TypedData.WITHDRAWAL);
        (names[22], hashes[22]) = ("Evidences", TypedData.EVIDENCES);
        (names[23], hashes[23]) = ("Verdicts", TypedData.VERDICTS);
        (names[14], hashes[14]) = ("Start", TypedData.START);
        (names[24], hashes[24]) = ("DelegationResult", TypedData.DELEGATION_RESULT);
        (names[25], hashes[25]) = ("SchemaStatement", TypedData.SCHEMA_STATEMENT);
        (names[26], hashes[26]) = ("Appeal", TypedData.APPEAL);
    }

    function commits(
        address agent,
        uint256[] memory slots,
        bytes32[] memory commitments,
        uint40 deadline
    ) external pure returns (bytes32) {
        return TypedData.hashCommits(agent, slots, commitments, deadline);
    }

    function start(address runner, uint256[] memory slots, uint40 deadline) external pure returns (bytes32) {
        return TypedData.hashStart(runner, slots, deadline);
    }

    function principalBinding(PrincipalBinding calldata b) external pure returns (bytes32) {
        return TypedData.hashPrincipalBinding(b);
    }

    function subAgentBinding(SubAgentBinding calldata b) external pure returns (bytes32) {
        return TypedData.hashSubAgentBinding(b);
    }

    function withdrawal(Withdrawal calldata w) external pure returns (bytes32) {
        return TypedData.hashWithdrawal(w);
    }

    function registerService(
        address agent,
        bytes32 codeHash,
        bytes32 schemaHash,
        string memory endpoint,
        bytes32 constraints,
        uint40 deadline
    ) external pure returns (bytes32) {
        return TypedData.hashRegisterService(agent, codeHash, schemaHash, endpoint, constraints, deadline);
    }

    function propose(
        uint256 session,
        address agent,
        bytes32 specHash,
        bytes32 cid,
        uint40 deadline
    ) external pure returns (bytes32) {
        return TypedData.hashPropose(session, agent, specHash, cid, deadline);
    }

    function sponsor(
        uint256 session,
        address agent,
        uint16 candidate,
        uint40 deadline
    ) external pure returns (bytes32) {
        return TypedData.hashSponsor(session, agent, candidate, deadline);
    }

    function ballot(uint256 session, address agent, uint64 ranking, uint40 deadline) external pure returns (bytes32) {
        return TypedData.hashBallot(session, agent, ranking, deadline);
    }

    function strawPoll(
        uint256 session,
        address agent,
        uint64 ranking,
        uint40 deadline
    ) external pure returns (bytes32) {
        return TypedData.hashStrawPoll(session, agent, ranking, deadline);
    }

    function petition(
        address agent,
        bytes32 goalHash,
        address parent,
        uint32 round,
        uint40 deadline
    ) external pure returns (bytes32) {
        return TypedData.hashPetition(agent, goalHash, parent, round, deadline);
    }

    function reintroduce(
        uint256 session,
        address agent,
        uint16 candidate,
        bytes32 specHash,
        bytes32 cid,
        uint40 deadline
    ) external pure returns (bytes32) {
        return TypedData.hashReintroduce(session, agent, candidate, specHash, cid, deadline);
    }

    function officeApproval(
        address clerk,
        Office office,
        uint256 session,
        bytes32 specHash,
        uint40 deadline
    ) external pure returns (bytes32) {
        return TypedData.hashOfficeApproval(clerk, office, session, specHash, deadline);
    }

    function bid(address agent, Bid memory b, uint256 nonce, uint40 deadline) external pure returns (bytes32) {
        return TypedData.hashBid(agent, b, nonce, deadline);
    }

    function withdrawBid(
        address agent,
        address mission,
        uint8 node,
        uint256 nonce,
        uint40 deadline
    ) external pure returns (bytes32) {
        return TypedData.hashWithdrawBid(agent, mission, node, nonce, deadline);
    }

    function delegationResult(
        address runner,
        bytes32 delegation,
        bytes32 outputHash,
        bytes32 intermediateHash,
        uint40 deadline
    ) external pure returns (bytes32) {
        return TypedData.hashDelegationResult(runner, delegation, outputHash, intermediateHash, deadline);
    }

    function awardDecision(
        address regulator,
        AwardDecision calldata decision,
        uint256 nonce,
        uint40 deadline
    ) external pure returns (bytes32) {
        return TypedData.hashAwardDecision(regulator, decision, nonce, deadline);
    }

    function anchor(address runner, bytes32 root, uint40 deadline) external pure returns (bytes32) {
        return TypedData.hashAnchor(runner, root, deadline);
    }

    function checkpoint(
        address runner,
        bytes32 previous,
        bytes32 root,
        bytes32 work,
        uint40 deadline
    ) external pure returns (bytes32) {
        return TypedData.hashCheckpoint(runner, previous, root, work, deadline);
    }

    function schemaStatement(SchemaStatement calldata s) external pure returns (bytes32) {
        return TypedData.hashSchemaStatement(s);
    }

    function liveHash(LiveHash calldata l) external pure returns (bytes32) {
        return TypedData.hashLiveHash(l);
    }

    function commit(
        address agent,
        uint8 node,
        uint8 slot,
        uint8 attempt,
        bytes32 commitment,
        uint40 deadline
    ) external pure returns (bytes32) {
        return TypedData.hashCommit(agent, node, slot, attempt, commitment, deadline);
    }

    function appeal(
        address appellant,
        uint8 node,
        uint8 attempt,
        bytes32 evidence_,
        uint40 deadline
    ) external pure returns (bytes32) {
        return TypedData.hashAppeal(appellant, node, attempt, evidence_, deadline);
    }

    function evidence(
        bytes32 obligation,
        uint8 slot,
        uint8 index,
        uint8 kind,
        bytes32 payload,
        EvidenceClass class
    ) public pure returns (bytes32) {
        EvidenceItem memory item;
        (item.slot, item.index, item.kind, item.payload, item.class) = (slot, index, kind, payload, class);
        return TypedData.hashEvidence(obligation, item);
    }

    function evidences(address issuer, Evidence[] calldata items) external pure returns (bytes32) {
        bytes32[] memory hashes = new bytes32[](items.length);
        for (uint256 i = 0; i < items.length; ++i) {
            Evidence calldata e = items[i];
            hashes[i] = evidence(e.obligation, e.slot, e.index, e.kind, e.payload, e.class);
        }
        return TypedData.hashEvidences(issuer, hashes);
    }

    function verdict(Verdict calldata v) external pure returns (bytes32) {
        return TypedData.hashVerdict(v);
    }

    function verdicts(address verifier, Verdict[] calldata given, uint40 deadline) external pure returns (bytes32) {
        bytes32[] memory hashes = new bytes32[](given.length);
        for (uint256 i = 0; i < given.length; ++i) hashes[i] = TypedData.hashVerdict(given[i]);
        return TypedData.hashVerdicts(verifier, hashes, deadline);
    }
}
