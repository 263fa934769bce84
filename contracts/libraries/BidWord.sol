// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

/// @title A bid in one word
/// @notice A bidder pays for one word, whatever the market keeps of it (decision 90).
///
/// | field     | bits    | meaning                                                                        |
/// |-----------|---------|--------------------------------------------------------------------------------|
/// | agent     | 0–159   | never zero: a zero word is no bid                                              |
/// | price     | 160–203 | a slot's price, smallest unit                                                  |
/// | score     | 204–223 | Equation 1, 0–1,000,000                                                        |
/// | principal | 224–243 | the agent's, by its number in the ledger: it has one bid an attempt on the node |
/// | service   | 244–249 | place in the list of what the agent has offered in this market                 |
/// | attempt   | 250–253 | of the node                                                                    |
/// | awarded   | 254     |                                                                                |
/// | pooled    | 255     | a pool stands for it, not the agent's own stake                                |
library BidWord {
    uint256 internal constant HIGHEST_PRICE = (1 << 44) - 1;
    uint256 internal constant SERVICES = 64;
    uint256 internal constant AWARDED = 1 << 254;
    uint256 internal constant POOLED = 1 << 255;

    function pack(
        address agent,
        uint256 price,
        uint256 score,
        uint256 principal,
        uint256 service,
        uint256 attempt
    ) internal pure returns (uint256 word) {
        word =
            uint256(uint160(agent)) |
            (price << 160) |
            (score << 204) |
            (principal << 224) |
            (service << 244) |
            (attempt << 250);
    }

    function agentOf(uint256 word) internal pure returns (address) {
        // The low bits are the agent, which fits.
        return address(uint160(word));
    }

    function priceOf(uint256 word) internal pure returns (uint64) {
        return uint64((word >> 160) & HIGHEST_PRICE);
    }

    function scoreOf(uint256 word) internal pure returns (uint32) {
        return uint32((word >> 204) & 0xfffff);
    }

    function principalOf(uint256 word) internal pure returns (uint256) {
        return (word >> 224) & 0xfffff;
    }

    function serviceOf(uint256 word) internal pure returns (uint256) {
        return (word >> 244) & 0x3f;
    }

    function attemptOf(uint256 word) internal pure returns (uint256) {
        return (word >> 250) & 0xf;
    }

    function isAwarded(uint256 word) internal pure returns (bool) {
        return word & AWARDED != 0;
    }

    function isPooled(uint256 word) internal pure returns (bool) {
        return word & POOLED != 0;
    }
}
