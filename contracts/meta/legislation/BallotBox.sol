// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {MessageHashUtils} from "@openzeppelin/contracts/utils/cryptography/MessageHashUtils.sol";
import {Suffrage} from "../../foundational/Suffrage.sol";
import {ILegislativeProcedure} from "../../interfaces/ILegislativeProcedure.sol";
import {IProducerContract} from "../../interfaces/IProducerContract.sol";
import {Condorcet} from "../../libraries/Condorcet.sol";
import {Signatures} from "../../libraries/Signatures.sol";
import {TypedData} from "../../libraries/TypedData.sol";
import {Ballot} from "../../types/Messages.sol";
import {Docket} from "./LegislationStorage.sol";

/// @title Full rankings: cast in sorted batches, counted as they come
/// @notice AgentCity 3.4 stage 3; decisions 10, 11. Each touched word of lanes and counters is written once a batch. A ranking
/// of up to eight entries takes a lane of 32 bits, else of 64: the fewer words, the less a ballot costs.
library BallotBox {
    uint256 private constant _NARROW = 8;
    /// @dev No word of lanes is open.
    uint256 private constant _NONE = type(uint256).max;

    /// @dev A batch on its way to storage.
    struct Batch {
        uint256 session;
        bytes32 domain;
        /// Entries on the ballot.
        uint256 m;
        /// The open word of lanes and its number.
        uint256 lanes;
        uint256 word;
        uint256 counted;
    }

    /// @notice Checks, records and counts a batch sorted by producer index.
    function cast(
        Docket storage docket,
        uint256 session,
        IProducerContract producers,
        bytes32 domain,
        Ballot[] calldata ballots
    ) internal {
        Batch memory batch;
        batch.session = session;
        batch.domain = domain;
        batch.m = docket.info.ballotSize;
        batch.word = _NONE;
        uint256[16] memory rows;
        _castAll(docket, batch, rows, producers, ballots);
        if (batch.word != _NONE) docket.lanes[batch.word] = batch.lanes;
        // At most as many as there are producers, which fit.
        docket.info.ballots += uint16(batch.counted);
        uint256[] memory counters = _counters(docket, batch.m);
        Condorcet.fold(counters, rows, batch.m);
        for (uint256 w = 0; w < counters.length; ++w) docket.counters[w] = counters[w];
    }

    /// @notice All ballot entries, best first.
    function order(Docket storage docket) internal view returns (uint8[] memory entries) {
        uint256 m = docket.info.ballotSize;
        (, entries) = Condorcet.winner(_counters(docket, m), m, docket.info.ballots, docket.info.tieSeed);
    }

    /// @notice Ballots that put entry i before entry j.
    function pairwise(Docket storage docket, uint8 i, uint8 j) internal view returns (uint256) {
        uint256 m = docket.info.ballotSize;
        if (i >= m || j >= m) return 0;
        return Condorcet.prefers(_counters(docket, m), i, j, m, docket.info.ballots);
    }

    /// @notice Recorded ranking of the producer with that index, zero if it has not voted.
    function rankingAt(Docket storage docket, uint16 index) internal view returns (uint64) {
        (uint256 word, uint256 shift) = placeOf(index, docket.info.ballotSize);
        return laneOf(docket.lanes[word] >> shift, docket.info.ballotSize);
    }

    function _castAll(
        Docket storage docket,
        Batch memory batch,
        uint256[16] memory rows,
        IProducerContract producers,
        Ballot[] calldata ballots
    ) private {
        uint16[] memory indices = producers.electorsOf(
            _agents(ballots),
            docket.info.openedBlock,
            docket.info.rules.reputationFloor
        );
        uint256 width = _width(batch.m);
        uint256 next = 0;
        for (uint256 i = 0; i < ballots.length; ++i) {
            Ballot calldata ballot = ballots[i];
            uint256 index = indices[i];
            // Who has voted, or has no vote, keeps nobody else's ballot from counting.
            if (index == Suffrage.NOBODY && ballots.length != 1) continue;
            if (index == Suffrage.NOBODY) revert ILegislativeProcedure.NotEligible(ballot.agent);
            // A producer's index is below 2¹⁶.
            if (index < next) revert ILegislativeProcedure.BallotsUnsorted(uint16(next - 1), uint16(index));
            next = index + 1;
            (uint256 word, uint256 shift) = _place(index, width);
            if (word != batch.word) _turnTo(docket, batch, word);
            // The lowest nibbles suffice: no complete ranking of two or more entries begins with two zeros.
            bool voted = (batch.lanes >> shift) & 0xff != 0;
            if (voted && ballots.length != 1) continue;
            if (voted) revert ILegislativeProcedure.AlreadyVoted(batch.session, ballot.agent);
            _cast(batch, rows, ballot, shift);
        }
    }

    /// @param shift Lowest bit of the voter's lane.
    function _cast(Batch memory batch, uint256[16] memory rows, Ballot calldata ballot, uint256 shift) private {
        (address agent, uint64 ranking, uint40 deadline) = (ballot.agent, ballot.ranking, ballot.deadline);
        Condorcet.count(rows, ranking, batch.m);
        bytes32 message = TypedData.hashBallot(batch.session, agent, ranking, deadline);
        bytes32 digest = MessageHashUtils.toTypedDataHash(batch.domain, message);
        Signatures.requireAuthorised(agent, deadline, ballot.signature, digest);
        batch.lanes |= uint256(ranking) << shift;
        ++batch.counted;
        emit ILegislativeProcedure.BallotCast(batch.session, agent, ranking);
    }

    function _turnTo(Docket storage docket, Batch memory batch, uint256 word) private {
        if (batch.word != _NONE) docket.lanes[batch.word] = batch.lanes;
        batch.word = word;
        batch.lanes = docket.lanes[word];
    }

    function _agents(Ballot[] calldata ballots) private pure returns (address[] memory agents) {
        agents = new address[](ballots.length);
        for (uint256 i = 0; i < ballots.length; ++i) agents[i] = ballots[i].agent;
    }

    function _counters(Docket storage docket, uint256 m) private view returns (uint256[] memory counters) {
        counters = new uint256[](Condorcet.words(m));
        for (uint256 w = 0; w < counters.length; ++w) counters[w] = docket.counters[w];
    }

    /// @notice The word of lanes, and the lowest bit of the lane in it, of a producer's ranking of m entries.
    function placeOf(uint256 index, uint256 m) internal pure returns (uint256 word, uint256 shift) {
        return _place(index, _width(m));
    }

    /// @notice The ranking in a lane shifted to the lowest bit.
    function laneOf(uint256 word, uint256 m) internal pure returns (uint64) {
        // The low bits are the lane.
        return m > _NARROW ? uint64(word) : uint32(word);
    }

    /// @dev Width of a lane, as a power of two.
    function _width(uint256 m) private pure returns (uint256) {
        return m > _NARROW ? 6 : 5;
    }

    /// @dev A word and the lowest bit of a lane in it.
    function _place(uint256 index, uint256 width) private pure returns (uint256 word, uint256 shift) {
        // The low bits are the place within the word.
        return (index >> (8 - width), uint8(index << width));
    }
}
