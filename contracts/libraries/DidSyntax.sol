// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {Strings} from "@openzeppelin/contracts/utils/Strings.sol";

/// @title The form of a decentralized identifier (W3C DID Core 3.1): `did:method:id`.
/// @notice method: lower-case letters and digits; id: letters, digits, `.`, `-`, `_`, `:` and percent signs, not ending in
/// a colon. Percent escapes are not decoded: a DID is compared by its bytes. `did:pkh` and `did:ethr` end in an address.
library DidSyntax {
    uint256 internal constant MAX_LENGTH = 128;
    /// `did:a:b`
    uint256 private constant MIN_LENGTH = 7;
    /// `0x` and forty digits
    uint256 private constant ADDRESS_LENGTH = 42;

    function isWellFormed(string memory did) internal pure returns (bool) {
        bytes memory text = bytes(did);
        if (text.length < MIN_LENGTH || text.length > MAX_LENGTH) return false;
        if (text[0] != "d" || text[1] != "i" || text[2] != "d" || text[3] != ":") return false;
        uint256 i = 4;
        for (; i < text.length && text[i] != ":"; ++i) {
            if (!_isLowerOrDigit(text[i])) return false;
        }
        // At least one character on each side of the second colon.
        if (i == 4 || i + 1 >= text.length || text[text.length - 1] == ":") return false;
        for (++i; i < text.length; ++i) {
            if (!_isIdCharacter(text[i])) return false;
        }
        return true;
    }

    /// @notice Whether a DID whose method names an account names this one; true for every other method.
    function mayName(string memory did, address account) internal pure returns (bool) {
        if (!_begins(did, "did:pkh:") && !_begins(did, "did:ethr:")) return true;
        uint256 length = bytes(did).length;
        if (length < ADDRESS_LENGTH) return false;
        (bool isAddress, address named) = Strings.tryParseAddress(did, length - ADDRESS_LENGTH, length);
        return isAddress && named == account;
    }

    function _begins(string memory text, bytes memory with) private pure returns (bool) {
        bytes memory whole = bytes(text);
        if (whole.length < with.length) return false;
        for (uint256 i = 0; i < with.length; ++i) if (whole[i] != with[i]) return false;
        return true;
    }

    function _isLowerOrDigit(bytes1 c) private pure returns (bool) {
        return (c >= "a" && c <= "z") || (c >= "0" && c <= "9");
    }

    function _isIdCharacter(bytes1 c) private pure returns (bool) {
        return _isLowerOrDigit(c) || (c >= "A" && c <= "Z") || c == "." || c == "-" || c == "_" || c == ":" || c == "%";
    }
}
