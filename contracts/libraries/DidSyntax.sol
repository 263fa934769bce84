// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

/// @title The form of a decentralized identifier (W3C DID Core 3.1): `did:method:id`.
/// @notice method: lower-case letters and digits; id: letters, digits, `.`, `-`, `_`, `:` and percent signs, not ending in
/// a colon. Percent escapes are not decoded: a DID is compared by its bytes.
library DidSyntax {
    uint256 internal constant MAX_LENGTH = 128;
    /// `did:a:b`
    uint256 private constant MIN_LENGTH = 7;

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

    function _isLowerOrDigit(bytes1 c) private pure returns (bool) {
        return (c >= "a" && c <= "z") || (c >= "0" && c <= "9");
    }

    function _isIdCharacter(bytes1 c) private pure returns (bool) {
        return _isLowerOrDigit(c) || (c >= "A" && c <= "Z") || c == "." || c == "-" || c == "_" || c == ":" || c == "%";
    }
}
