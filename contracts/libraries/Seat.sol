// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

/// @notice A verifier on a drawn panel, as the roster keeps it. Bits from the lowest: its account 160, weight 16, number 16,
/// its principal's number 16.
type Seat is uint256;

using Seats for Seat global;

/// @title Fields of a seat
/// @notice A panel is drawn, handed over and searched as words: structs cost a clearing more than what they say. Every narrowing takes the
/// field's own bits, and each is at most as wide as what is returned.
library Seats {
    uint256 private constant WEIGHT = 160;
    uint256 private constant SERIAL = 176;
    uint256 private constant HOUSE = 192;

    function pack(address account, uint16 weight_, uint16 serial_, uint16 house_) internal pure returns (Seat) {
        return
            Seat.wrap(
                uint256(uint160(account)) |
                    (uint256(weight_) << WEIGHT) |
                    (uint256(serial_) << SERIAL) |
                    (uint256(house_) << HOUSE)
            );
    }

    function verifier(Seat seat) internal pure returns (address) {
        // The low bits are the account.
        return address(uint160(Seat.unwrap(seat)));
    }

    /// @notice Its weight now: zero once it is retired, revoked or suspended. It keeps its place all the same.
    function weight(Seat seat) internal pure returns (uint16) {
        return uint16(Seat.unwrap(seat) >> WEIGHT);
    }

    /// @notice Its number, by which missions remember it.
    function serial(Seat seat) internal pure returns (uint16) {
        return uint16(Seat.unwrap(seat) >> SERIAL);
    }

    /// @notice Its principal's number, by which missions remember whose verifiers judged in them (`IEvidenceRegistry.houseOf`).
    function house(Seat seat) internal pure returns (uint16) {
        return uint16(Seat.unwrap(seat) >> HOUSE);
    }

    /// @notice The same seat without weight.
    function silenced(Seat seat) internal pure returns (Seat) {
        return pack(verifier(seat), 0, serial(seat), house(seat));
    }
}
