// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {Clones} from "@openzeppelin/contracts/proxy/Clones.sol";
import {BitMaps} from "@openzeppelin/contracts/utils/structs/BitMaps.sol";
import {IAdjudicatorRoster} from "../../interfaces/IAdjudicatorRoster.sol";
import {IConstitutionContract} from "../../interfaces/IConstitutionContract.sol";
import {IEvidenceRegistry} from "../../interfaces/IEvidenceRegistry.sol";
import {LawCodec} from "../../libraries/LawCodec.sol";
import {LawNode} from "../../types/Law.sol";
import {Institution} from "../../types/Roles.sol";
import {MarketStorage, NodeMarket} from "./MarketStorage.sol";

/// @title Finding a node's market, its bids and its law, and telling the roster who works below another mission
library MarketLedger {
    using BitMaps for BitMaps.BitMap;

    /// The best eight, and eight in reserve.
    uint256 internal constant KEPT = 16;

    /// @notice A node that has no entry of its own is in its mission's first window.
    function nodeMarket(
        MarketStorage storage self,
        address mission,
        uint8 node
    ) internal view returns (NodeMarket memory market) {
        market = self.nodeMarkets[mission][node];
        if (!market.own && node < self.markets[mission].nodes) market.closesAt = self.markets[mission].closesAt;
    }

    /// @notice The bids on a node, of whatever attempt: `KEPT` places, of which the first `count` are taken.
    function bidsOf(
        MarketStorage storage self,
        address mission,
        uint8 node
    ) internal view returns (uint256[] memory words, uint256 count) {
        mapping(uint256 place => uint256 word) storage kept = self.bids[mission][node];
        words = new uint256[](KEPT);
        while (count < KEPT && (words[count] = kept[count]) != 0) ++count;
    }

    /// @notice Takes a bid out. Order stays order of arrival: it decides between equal scores.
    function remove(
        MarketStorage storage self,
        address mission,
        uint8 node,
        uint256[] memory words,
        uint256 place
    ) internal {
        mapping(uint256 place => uint256 word) storage kept = self.bids[mission][node];
        for (; place + 1 < KEPT && words[place + 1] != 0; ++place) kept[place] = words[place] = words[place + 1];
        kept[place] = words[place] = 0;
    }

    /// @notice A list, and one more.
    function with(address[] memory list, address one) internal pure returns (address[] memory longer) {
        longer = new address[](list.length + 1);
        for (uint256 i = 0; i < list.length; ++i) longer[i] = list[i];
        longer[list.length] = one;
    }

    /// @notice A mission's law is its code: reading it needs no call.
    function lawOf(address mission, uint8 node) internal view returns (LawNode memory) {
        return LawCodec.node(Clones.fetchCloneArgs(mission), node);
    }

    /// @notice Whether a verifier of the principal sat on a panel of the mission.
    function hasJudged(
        MarketStorage storage self,
        IConstitutionContract constitution,
        address mission,
        address principal
    ) internal view returns (bool) {
        uint256 house = IEvidenceRegistry(constitution.at(Institution.EVIDENCE)).houseOf(principal);
        // Zero is nobody's number.
        return house != 0 && self.judged[mission].get(house);
    }

    /// @notice A mission above another does not know who works there; the roster does (decision 27).
    function announceParty(
        MarketStorage storage self,
        IConstitutionContract constitution,
        address mission,
        address principal
    ) internal {
        address root = self.markets[mission].root;
        if (root == address(0)) return;
        IAdjudicatorRoster(constitution.at(Institution.ROSTER)).recordParty(root, principal);
    }
}
