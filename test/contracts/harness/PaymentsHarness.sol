// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {Payments} from "../../../contracts/libraries/Payments.sol";

contract PaymentsHarness {
    function pack(
        address account,
        uint64 amount,
        uint16 psi,
        uint8 node,
        uint256 place
    ) external pure returns (uint256) {
        return Payments.pack(account, amount, psi, node, place);
    }

    function unpack(uint256 payment) external pure returns (address account, uint64 amount, uint16 psi) {
        return (Payments.accountOf(payment), Payments.amountOf(payment), Payments.psiOf(payment));
    }

    function premiumOf(uint256 payment, uint64 amount) external pure returns (uint256) {
        return Payments.premiumOf(payment, amount);
    }

    function places() external pure returns (uint256, uint256, uint256) {
        return (Payments.SEAT, Payments.PREMIUM, Payments.BOND);
    }
}
