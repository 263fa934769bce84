// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

/// @title One payment in one word
/// @notice A mission's credit in the vault, as `Claimed` emits it. Bits from the lowest:
///
/// | field   | bits    |                                                              |
/// |---------|---------|--------------------------------------------------------------|
/// | account | 0–159   | who is credited                                              |
/// | amount  | 160–223 | smallest unit                                                |
/// | psi     | 224–239 | ψ × 1000 of an executor; above 1000 it asks for a premium    |
/// | node    | 240–247 |                                                              |
/// | place   | 248–255 | an executor's slot; seat, premium or bond from the constants |
///
/// TypeScript side: `rules/payments.ts`.
library Payments {
    /// Place of the verifier in seat 0; the others follow.
    uint256 internal constant SEAT = 64;
    /// Place of the premium of slot 0.
    uint256 internal constant PREMIUM = 128;
    /// Place of the bond that was filed first.
    uint256 internal constant BOND = 192;

    function pack(
        address account,
        uint64 amount,
        uint16 psi,
        uint8 node,
        uint256 place
    ) internal pure returns (uint256 payment) {
        payment =
            uint256(uint160(account)) |
            (uint256(amount) << 160) |
            (uint256(psi) << 224) |
            (uint256(node) << 240) |
            (place << 248);
    }

    function accountOf(uint256 payment) internal pure returns (address) {
        // The low bits are the account, which fits.
        return address(uint160(payment));
    }

    function amountOf(uint256 payment) internal pure returns (uint64) {
        return uint64(payment >> 160);
    }

    function psiOf(uint256 payment) internal pure returns (uint16) {
        return uint16(payment >> 224);
    }

    /// @notice The premium of an executor's payment, as a payment of its own.
    function premiumOf(uint256 payment, uint64 amount) internal pure returns (uint256) {
        return pack(accountOf(payment), amount, 0, uint8(payment >> 240), (payment >> 248) + PREMIUM);
    }

    function total(uint256[] memory list) internal pure returns (uint64 sum) {
        for (uint256 i = 0; i < list.length; ++i) sum += amountOf(list[i]);
    }

    function first(uint256[] memory list, uint256 count) internal pure returns (uint256[] memory taken) {
        taken = new uint256[](count);
        for (uint256 i = 0; i < count; ++i) taken[i] = list[i];
    }
}
