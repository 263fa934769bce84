// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {SafeCast} from "@openzeppelin/contracts/utils/math/SafeCast.sol";
import {BasisPoints} from "./BasisPoints.sol";

/// @notice Where one awarded price goes, smallest unit.
/// @dev price = fee + insurance + paid + discount + toSponsor, always.
struct Split {
    /// To the treasury (and from there to verifiers).
    uint64 fee;
    /// To the insurance pool.
    uint64 insurance;
    /// What a full share would release, before reputation.
    uint64 base;
    /// base × share.
    uint64 released;
    /// released × min(ψ, 1): to the agent, from escrow.
    uint64 paid;
    /// released − paid: to the treasury.
    uint64 discount;
    /// released × max(ψ − 1, 0): asked of the treasury on top, capped there, never of escrow.
    uint64 premium;
    /// The rest, with all rounding.
    uint64 toSponsor;
}

/// @title Equation 9 with a graduated share
/// @notice AgentCity B.6 and decision 5. Every division rounds down, so that dust stays with the sponsor's escrow.
library Payout {
    /// @notice Fees above the whole price, or a share above the whole base.
    error InvalidRates(uint16 feeBps, uint16 insuranceBps, uint16 shareBps);

    uint256 private constant NEUTRAL = 1000;

    /// @param price awarded price, smallest unit
    /// @param feeBps protocol fee, basis points of the price
    /// @param insuranceBps insurance reserve, basis points of the price
    /// @param shareBps released share of base, basis points; zero charges no fees
    /// @param psi1000 ψ × 1000, from reputation before this outcome
    function split(
        uint64 price,
        uint16 feeBps,
        uint16 insuranceBps,
        uint16 shareBps,
        uint256 psi1000
    ) internal pure returns (Split memory s) {
        fill(s, price, feeBps, insuranceBps, shareBps, psi1000);
    }

    /// @notice The same into a split that is there, for who makes many.
    function fill(
        Split memory s,
        uint64 price,
        uint16 feeBps,
        uint16 insuranceBps,
        uint16 shareBps,
        uint256 psi1000
    ) internal pure {
        uint256 fees = uint256(feeBps) + insuranceBps;
        if (fees > BasisPoints.WHOLE || shareBps > BasisPoints.WHOLE)
            revert InvalidRates(feeBps, insuranceBps, shareBps);
        s.base = uint64((uint256(price) * (BasisPoints.WHOLE - fees)) / BasisPoints.WHOLE);
        (s.fee, s.insurance) = (0, 0);
        if (shareBps != 0) {
            // Rates are at most the whole, so each part is at most the price; ψ below one makes it less.
            s.fee = uint64((uint256(price) * feeBps) / BasisPoints.WHOLE);
            s.insurance = uint64((uint256(price) * insuranceBps) / BasisPoints.WHOLE);
        }
        s.released = uint64((uint256(s.base) * shareBps) / BasisPoints.WHOLE);
        s.paid = psi1000 < NEUTRAL ? uint64((s.released * psi1000) / NEUTRAL) : s.released;
        s.discount = s.released - s.paid;
        s.premium = premium(s.paid, psi1000);
        s.toSponsor = price - s.fee - s.insurance - s.released;
    }

    /// @notice What ψ above one asks for on top of what is paid, which is then all that is released.
    function premium(uint64 paid, uint256 psi1000) internal pure returns (uint64) {
        return psi1000 > NEUTRAL ? SafeCast.toUint64((uint256(paid) * (psi1000 - NEUTRAL)) / NEUTRAL) : 0;
    }
}
