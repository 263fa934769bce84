// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {IAdjudicatorRoster} from "../../interfaces/IAdjudicatorRoster.sol";
import {IConstitutionContract} from "../../interfaces/IConstitutionContract.sol";
import {Institution} from "../../types/Roles.sol";
import {MarketStorage, NodeMarket} from "./MarketStorage.sol";

/// @title Finding one node's market, and telling the roster who works below another mission
library MarketLedger {
    /// @notice A node that has no entry of its own is in its mission's first window.
    function nodeMarket(
        MarketStorage storage self,
        address mission,
        uint8 node
    ) internal view returns (NodeMarket memory market) {
        market = self.nodeMarkets[mission][node];
        if (!market.own && node < self.markets[mission].nodes) market.closesAt = self.markets[mission].closesAt;
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

    function key(uint8 node, uint8 attempt) internal pure returns (uint16) {
        return (uint16(node) << 8) | attempt;
    }
}
