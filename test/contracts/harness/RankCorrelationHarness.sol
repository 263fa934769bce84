// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {RankCorrelation} from "../../../contracts/libraries/RankCorrelation.sol";

/// @dev Batched doors to the measures.
contract RankCorrelationHarness {
    struct Pair {
        uint64 a;
        uint64 b;
        uint256 m;
        uint256 k;
        uint256 minTau;
        uint256 minJaccard;
    }

    struct Measures {
        uint256 discordant;
        int256 tau;
        uint256 jaccard;
        uint256 depth;
        bool correlated;
    }

    function measure(Pair[] memory pairs) external pure returns (Measures[] memory all) {
        all = new Measures[](pairs.length);
        for (uint256 i = 0; i < pairs.length; ++i) {
            Pair memory p = pairs[i];
            all[i] = Measures({
                discordant: RankCorrelation.discordant(p.a, p.b, p.m),
                tau: RankCorrelation.tau(p.a, p.b, p.m),
                jaccard: RankCorrelation.jaccard(p.a, p.b, p.m, p.k),
                depth: RankCorrelation.depth(p.m),
                correlated: RankCorrelation.isCorrelated(p.a, p.b, p.m, p.minTau, p.minJaccard)
            });
        }
    }

    function tau(uint64 a, uint64 b, uint256 m) external pure returns (int256) {
        return RankCorrelation.tau(a, b, m);
    }

    function jaccard(uint64 a, uint64 b, uint256 m, uint256 k) external pure returns (uint256) {
        return RankCorrelation.jaccard(a, b, m, k);
    }
}
