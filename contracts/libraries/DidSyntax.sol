// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

/// @title The form of a decentralized identifier (W3C DID Core 3.1): `did:method:id`.
/// @notice method: lower-case letters and digits; id: letters, digits, `.`, `-`, `_`, `:` and percent signs, not ending in
/// a colon. Percent escapes are not decoded: a DID is compared by its bytes. `did:pkh` and `did:ethr` end in an address.
library DidSyntax {
    uint256 internal constant MAX_LENGTH = 128;
    /// `did:a:b`
    uint256 private constant MIN_LENGTH = 7;
    /// `0x` and forty digits
    uint256 private constant ADDRESS_LENGTH = 42;
    // Sets of characters, a bit for each: digits and lower-case letters; these, upper-case letters and `%-.:_`.
    uint256 private constant METHOD = (0x3ff << 48) | (0x3ffffff << 97);
    uint256 private constant ID = METHOD | (0x3ffffff << 65) | (1 << 37) | (3 << 45) | (1 << 58) | (1 << 95);

    function isWellFormed(string memory did) internal pure returns (bool) {
        bytes memory text = bytes(did);
        if (text.length < MIN_LENGTH || text.length > MAX_LENGTH) return false;
        if (text[0] != "d" || text[1] != "i" || text[2] != "d" || text[3] != ":") return false;
        uint256 i = 4;
        // At most 128 characters.
        unchecked {
            while (i < text.length && _isIn(METHOD, text[i])) ++i;
            // At least one character on each side of the second colon.
            if (i == 4 || i + 1 >= text.length || text[i] != ":" || text[text.length - 1] == ":") return false;
            for (++i; i < text.length; ++i) if (!_isIn(ID, text[i])) return false;
        }
        return true;
    }

    /// @notice Whether the DID's method names an account.
    function namesAccount(string memory did) internal pure returns (bool) {
        return _begins(did, "did:pkh:") || _begins(did, "did:ethr:");
    }

    /// @notice Whether a well-formed DID ends in this address, in any case of letters.
    function endsIn(string memory did, address account) internal pure returns (bool) {
        bytes memory text = bytes(did);
        if (text.length < ADDRESS_LENGTH) return false;
        uint256 start = text.length - ADDRESS_LENGTH;
        if (text[start] != "0" || text[start + 1] != "x") return false;
        uint256 left = uint160(account);
        // Forty digits. What is no digit wraps or stays above fifteen.
        unchecked {
            for (uint256 i = text.length; i > start + 2; left >>= 4) {
                uint256 c = uint8(text[--i]) | 0x20;
                if ((c < 0x3a ? c - 0x30 : c - 0x57) != left & 0xf) return false;
            }
        }
        return true;
    }

    function _begins(string memory text, bytes memory with) private pure returns (bool) {
        bytes memory whole = bytes(text);
        if (whole.length < with.length) return false;
        for (uint256 i = 0; i < with.length; ++i) if (whole[i] != with[i]) return false;
        return true;
    }

    function _isIn(uint256 set, bytes1 c) private pure returns (bool) {
        return (set >> uint8(c)) & 1 == 1;
    }
}
