// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {BidScore} from "../../../contracts/libraries/BidScore.sol";
import {Fairness} from "../../../contracts/libraries/Fairness.sol";
import {Payout, Split} from "../../../contracts/libraries/Payout.sol";
import {Reputation} from "../../../contracts/libraries/Reputation.sol";

/// @dev Batched doors to the rules of the market and of money.
contract MarketHarness {
    struct Match {
        uint160 capabilities;
        uint80 required;
    }

    struct Offer {
        uint256 reputation;
        uint256 fit;
        uint256 price;
        uint256 slotBudget;
        uint256 wq;
        uint256 wp;
    }

    struct Spread {
        uint256 sumSquares;
        uint256 total;
        uint256 p;
    }

    struct Change {
        uint256 current;
        uint256 score;
        uint256 lambda;
        int256 delta;
        uint256 alpha;
        uint256 faults;
    }

    struct Moved {
        uint256 ema;
        uint256 adjusted;
        uint256 points;
        uint256 multiplier;
        uint256 burdened;
    }

    struct Price {
        uint64 price;
        uint16 feeBps;
        uint16 insuranceBps;
        uint16 shareBps;
        uint256 psi;
    }

    function matchOf(Match[] memory x) external pure returns (uint256[] memory y) {
        y = new uint256[](x.length);
        for (uint256 i = 0; i < x.length; ++i) y[i] = BidScore.matchOf(x[i].capabilities, x[i].required);
    }

    function score(Offer[] memory x) external pure returns (uint256[] memory y) {
        y = new uint256[](x.length);
        for (uint256 i = 0; i < x.length; ++i) {
            y[i] = BidScore.score(x[i].reputation, x[i].fit, x[i].price, x[i].slotBudget, x[i].wq, x[i].wp);
        }
    }

    function fairness(Spread[] memory x) external pure returns (uint256[] memory y) {
        y = new uint256[](x.length);
        for (uint256 i = 0; i < x.length; ++i) y[i] = Fairness.score(x[i].sumSquares, x[i].total, x[i].p);
    }

    function reputation(Change[] memory x) external pure returns (Moved[] memory y) {
        y = new Moved[](x.length);
        for (uint256 i = 0; i < x.length; ++i) {
            y[i].ema = Reputation.ema(x[i].current, x[i].score, x[i].lambda);
            y[i].adjusted = Reputation.adjust(x[i].current, x[i].delta);
            y[i].points = Reputation.points(x[i].current);
            y[i].multiplier = Reputation.multiplier(y[i].points, x[i].alpha);
            y[i].burdened = Reputation.burdened(x[i].current, x[i].faults, x[i].lambda);
        }
    }

    function payout(Price[] memory x) external pure returns (Split[] memory y) {
        y = new Split[](x.length);
        for (uint256 i = 0; i < x.length; ++i) {
            y[i] = Payout.split(x[i].price, x[i].feeBps, x[i].insuranceBps, x[i].shareBps, x[i].psi);
        }
    }
}
