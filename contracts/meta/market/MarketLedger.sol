// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {MarketStorage, NodeMarket} from "./MarketStorage.sol";

/// @title Finding one node's market
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

    function key(uint8 node, uint8 attempt) internal pure returns (uint16) {
        return (uint16(node) << 8) | attempt;
    }
}
