// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {ERC20Capped} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Capped.sol";
import {ERC20Permit} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Permit.sol";

/// @title The settlement token of a devnet: six decimals, permit, minted by the deployer up to a cap.
/// @notice A real city settles in a real stablecoin: this contract refuses to exist off chain id 31337.
contract CityToken is ERC20Capped, ERC20Permit {
    string private constant _NAME = "AgentCity Test Dollar";
    uint256 private constant _DEVNET = 31337;
    /// One billion tokens: every sum of amounts stays below 2⁶⁴.
    uint256 private constant _CAP = 1e15;

    address private immutable _MINTER;

    error NotADevnet(uint256 chainId);
    error NotMinter(address caller);

    constructor() ERC20(_NAME, "ACTD") ERC20Permit(_NAME) ERC20Capped(_CAP) {
        if (block.chainid != _DEVNET) revert NotADevnet(block.chainid);
        _MINTER = msg.sender;
    }

    /// @notice Creates tokens within the cap. Caller: deployer.
    function mint(address to, uint256 amount) external {
        if (msg.sender != _MINTER) revert NotMinter(msg.sender);
        _mint(to, amount);
    }

    function decimals() public pure override returns (uint8) {
        return 6;
    }

    function _update(address from, address to, uint256 value) internal override(ERC20, ERC20Capped) {
        super._update(from, to, value);
    }
}
