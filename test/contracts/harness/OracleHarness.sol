// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {IPredicate} from "../../../contracts/interfaces/IPredicate.sol";
import {IProofVerifier} from "../../../contracts/interfaces/IProofVerifier.sol";

/// @title A predicate and proof verifier that answers as it is told, badly too.
contract OracleHarness is IPredicate, IProofVerifier {
    enum Mood {
        YES,
        NO,
        REVERT,
        OTHER_WORD,
        NOTHING,
        FLOOD,
        BURN,
        /// Yes, if there is gas enough to look; else no.
        CAREFUL
    }

    uint256 private constant _CARE = 150_000;

    Mood private _mood;

    error Refused();

    function become(Mood mood) external {
        _mood = mood;
    }

    function allows(address, uint8, bytes32) external view returns (bool) {
        _answer();
    }

    function proves(bytes32, bytes32, bytes calldata) external view returns (bool) {
        _answer();
    }

    function _answer() private view {
        Mood mood = _mood;
        if (mood == Mood.REVERT) revert Refused();
        uint256 word =
            mood == Mood.YES || (mood == Mood.CAREFUL && gasleft() > _CARE)
                ? 1
                : mood == Mood.NO || mood == Mood.CAREFUL
                    ? 0
                    : 7;
        uint256 length =
            mood == Mood.NOTHING
                ? 0
                : mood == Mood.FLOOD
                    ? 100_000
                    : 32;
        while (mood == Mood.BURN) ++word;
        // solhint-disable-next-line no-inline-assembly
        assembly {
            mstore(0, word)
            return(0, length)
        }
    }
}
