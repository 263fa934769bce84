// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {ERC20Capped} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Capped.sol";
import {ERC20Permit} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Permit.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";

/// @title The settlement token of a devnet: six decimals, permit, EIP-3009, minted by the deployer up to a cap.
/// @notice A real city settles in a real stablecoin: this contract refuses to exist off chain id 31337. It has what such a token is paid
/// with over HTTP (x402): transfers that the payer authorises by signature, each with a nonce of the payer's choice that is good once.
contract CityToken is ERC20Capped, ERC20Permit {
    string private constant _NAME = "AgentCity Test Dollar";
    uint256 private constant _DEVNET = 31337;
    /// One billion tokens: every sum of amounts stays below 2⁶⁴.
    uint256 private constant _CAP = 1e15;

    bytes32 private constant _TRANSFER = keccak256(
        "TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)"
    );
    bytes32 private constant _RECEIVE = keccak256(
        "ReceiveWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)"
    );
    bytes32 private constant _CANCEL = keccak256("CancelAuthorization(address authorizer,bytes32 nonce)");

    address private immutable _MINTER;

    mapping(address authorizer => mapping(bytes32 nonce => bool spent)) private _spent;

    event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce);
    event AuthorizationCanceled(address indexed authorizer, bytes32 indexed nonce);

    error NotADevnet(uint256 chainId);
    error NotMinter(address caller);
    error NotPayee(address caller);
    error AuthorizationNotYetValid(uint256 validAfter);
    error AuthorizationExpired(uint256 validBefore);
    error AuthorizationSpent(address authorizer, bytes32 nonce);
    error InvalidSignature(address signer);

    constructor() ERC20(_NAME, "ACTD") ERC20Permit(_NAME) ERC20Capped(_CAP) {
        if (block.chainid != _DEVNET) revert NotADevnet(block.chainid);
        _MINTER = msg.sender;
    }

    /// @notice Creates tokens within the cap. Caller: deployer.
    function mint(address to, uint256 amount) external {
        if (msg.sender != _MINTER) revert NotMinter(msg.sender);
        _mint(to, amount);
    }

    /// @notice Pays as `from` signed it, strictly after `validAfter` and before `validBefore` (unix seconds). Anyone may submit it.
    function transferWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external {
        bytes32 terms = keccak256(abi.encode(_TRANSFER, from, to, value, validAfter, validBefore, nonce));
        _pay(from, to, value, validAfter, validBefore, nonce, terms, abi.encodePacked(r, s, v));
    }

    /// @notice The same, for contracts that must not be front-run: only the payee can submit it. Caller: payee.
    function receiveWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external {
        if (msg.sender != to) revert NotPayee(msg.sender);
        bytes32 terms = keccak256(abi.encode(_RECEIVE, from, to, value, validAfter, validBefore, nonce));
        _pay(from, to, value, validAfter, validBefore, nonce, terms, abi.encodePacked(r, s, v));
    }

    /// @notice Makes an authorisation that was not used worthless. Anyone may submit the authoriser's signature.
    function cancelAuthorization(address authorizer, bytes32 nonce, uint8 v, bytes32 r, bytes32 s) external {
        _spend(authorizer, nonce, keccak256(abi.encode(_CANCEL, authorizer, nonce)), abi.encodePacked(r, s, v));
        emit AuthorizationCanceled(authorizer, nonce);
    }

    /// @notice Whether the nonce was used or cancelled. Only the transfer's own event says which.
    function authorizationState(address authorizer, bytes32 nonce) external view returns (bool) {
        return _spent[authorizer][nonce];
    }

    function decimals() public pure override returns (uint8) {
        return 6;
    }

    function _update(address from, address to, uint256 value) internal override(ERC20, ERC20Capped) {
        super._update(from, to, value);
    }

    function _pay(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        bytes32 terms,
        bytes memory signature
    ) private {
        if (block.timestamp <= validAfter) revert AuthorizationNotYetValid(validAfter);
        if (block.timestamp >= validBefore) revert AuthorizationExpired(validBefore);
        _spend(from, nonce, terms, signature);
        emit AuthorizationUsed(from, nonce);
        _transfer(from, to, value);
    }

    function _spend(address authorizer, bytes32 nonce, bytes32 terms, bytes memory signature) private {
        if (_spent[authorizer][nonce]) revert AuthorizationSpent(authorizer, nonce);
        (address signer, ECDSA.RecoverError problem, ) = ECDSA.tryRecover(_hashTypedDataV4(terms), signature);
        if (problem != ECDSA.RecoverError.NoError || signer != authorizer) revert InvalidSignature(authorizer);
        _spent[authorizer][nonce] = true;
    }
}
