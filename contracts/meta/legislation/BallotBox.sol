// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {MessageHashUtils} from "@openzeppelin/contracts/utils/cryptography/MessageHashUtils.sol";
import {ILegislativeProcedure} from "../../interfaces/ILegislativeProcedure.sol";
import {IProducerContract} from "../../interfaces/IProducerContract.sol";
import {Condorcet} from "../../libraries/Condorcet.sol";
import {Signatures} from "../../libraries/Signatures.sol";
import {TypedData} from "../../libraries/TypedData.sol";
import {Ballot} from "../../types/Messages.sol";
import {Docket} from "./LegislationStorage.sol";
import {Electorate} from "./Electorate.sol";

/// @title Full rankings: cast in sorted batches, counted as they come
/// @notice AgentCity 3.4 stage 3; decisions 10, 11. Each touched word of lanes and counters is written once a batch.
library BallotBox {
    uint256 private constant _LANES = 4;
    uint256 private constant _LANE_BITS = 64;

    /// @dev A word of lanes on its way to storage.
    struct Page {
        uint256 number;
        uint256 lanes;
    }

    /// @notice Checks, records and counts a batch sorted by producer index.
    function cast(
        Docket storage docket,
        uint256 session,
        IProducerContract producers,
        bytes32 domain,
        Ballot[] calldata ballots
    ) internal {
        uint256 m = docket.info.entries;
        uint32 opened = docket.info.openedBlock;
        uint256[] memory counters = _load(docket, m);
        Page memory page = Page({number: 0, lanes: docket.lanes[0]});
        uint256 next = 0;
        for (uint256 i = 0; i < ballots.length; ++i) {
            Ballot calldata ballot = ballots[i];
            (, uint16 index) = Electorate.requireMember(producers, ballot.agent, opened);
            if (index < next) revert ILegislativeProcedure.BallotsUnsorted(uint16(next - 1), index);
            next = uint256(index) + 1;
            Condorcet.requireRanking(ballot.ranking, m);
            _requireSigned(session, domain, ballot);
            _turnTo(docket, page, index / _LANES);
            _mark(page, index % _LANES, session, ballot);
            Condorcet.add(counters, ballot.ranking, m);
            emit ILegislativeProcedure.BallotCast(session, ballot.agent, ballot.ranking);
        }
        docket.lanes[page.number] = page.lanes;
        for (uint256 w = 0; w < counters.length; ++w) docket.counters[w] = counters[w];
        docket.info.ballots += uint16(ballots.length);
    }

    /// @notice All ballot entries, best first.
    function order(Docket storage docket) internal view returns (uint8[] memory entries) {
        uint256 m = docket.info.entries;
        (, entries) = Condorcet.winner(_load(docket, m), m, docket.info.ballots, docket.info.tieSeed);
    }

    /// @notice Ballots that put entry i before entry j.
    function pairwise(Docket storage docket, uint8 i, uint8 j) internal view returns (uint256) {
        uint256 m = docket.info.entries;
        if (i >= m || j >= m) return 0;
        return Condorcet.prefers(_load(docket, m), i, j, m, docket.info.ballots);
    }

    /// @notice Recorded ranking of the producer with that index, zero if it has not voted.
    function rankingAt(Docket storage docket, uint16 index) internal view returns (uint64) {
        return uint64(docket.lanes[index / _LANES] >> ((index % _LANES) * _LANE_BITS));
    }

    function _requireSigned(uint256 session, bytes32 domain, Ballot calldata ballot) private view {
        bytes32 message = TypedData.hashBallot(session, ballot.agent, ballot.ranking, ballot.deadline);
        bytes32 digest = MessageHashUtils.toTypedDataHash(domain, message);
        Signatures.requireAuthorised(ballot.agent, ballot.deadline, ballot.signature, digest);
    }

    function _turnTo(Docket storage docket, Page memory page, uint256 number) private {
        if (number == page.number) return;
        docket.lanes[page.number] = page.lanes;
        page.number = number;
        page.lanes = docket.lanes[number];
    }

    function _mark(Page memory page, uint256 lane, uint256 session, Ballot calldata ballot) private pure {
        uint256 shift = lane * _LANE_BITS;
        if (uint64(page.lanes >> shift) != 0) revert ILegislativeProcedure.AlreadyVoted(session, ballot.agent);
        page.lanes |= uint256(ballot.ranking) << shift;
    }

    function _load(Docket storage docket, uint256 m) private view returns (uint256[] memory counters) {
        counters = new uint256[](Condorcet.words(m));
        for (uint256 w = 0; w < counters.length; ++w) counters[w] = docket.counters[w];
    }
}
