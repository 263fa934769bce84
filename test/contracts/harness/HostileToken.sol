// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

/// @title A settlement token with the bad habits of real ones, each off until it is turned on
/// @dev Laid out like `CityToken`, whose code it replaces in tests: balances and allowances stay.
contract HostileToken is ERC20 {
    /// @dev Below `CityToken`'s own variables.
    uint256[16] private _gap;

    /// Basis points that each transfer loses.
    uint256 private _fee;
    /// Answers false instead of moving anything.
    bool private _liar;
    mapping(address account => bool) private _blocked;
    /// Takes no approval over a standing one.
    bool private _strict;

    address private _callee;
    bytes private _call;
    bool private _calling;

    /// @notice What became of a call made during a transfer; `answer` begins with the error's selector.
    event CalledBack(bool ok, bytes answer);

    error Blocked(address account);
    error StandingApproval(address spender);

    constructor() ERC20("AgentCity Test Dollar", "ACTD") {}

    function decimals() public pure override returns (uint8) {
        return 6;
    }

    function mint(address to, uint256 amount) external {
        _mint(to, amount);
    }

    /// @notice A rebase: balances change and nobody transfers.
    function rebase(address account, uint256 balance) external {
        uint256 current = balanceOf(account);
        if (balance > current) _mint(account, balance - current);
        else _burn(account, current - balance);
    }

    function chargeFee(uint256 fee) external {
        _fee = fee;
    }

    function lie(bool liar) external {
        _liar = liar;
    }

    function setBlocked(address account, bool blocked) external {
        _blocked[account] = blocked;
    }

    /// @notice From now on an approval is refused over a standing one, and no longer to blocked accounts.
    function beStrict() external {
        _strict = true;
    }

    /// @notice From now on every transfer calls `callee` before it moves anything.
    function callBack(address callee, bytes calldata call) external {
        (_callee, _call) = (callee, call);
    }

    function approve(address spender, uint256 value) public override returns (bool) {
        if (!_strict && _blocked[spender]) revert Blocked(spender);
        if (_strict && value != 0 && allowance(msg.sender, spender) != 0) revert StandingApproval(spender);
        return super.approve(spender, value);
    }

    function transfer(address to, uint256 value) public override returns (bool) {
        return _liar ? false : super.transfer(to, value);
    }

    function transferFrom(address from, address to, uint256 value) public override returns (bool) {
        return _liar ? false : super.transferFrom(from, to, value);
    }

    function _update(address from, address to, uint256 value) internal override {
        if (from == address(0) || to == address(0)) return super._update(from, to, value);
        if (_blocked[from]) revert Blocked(from);
        if (_blocked[to]) revert Blocked(to);
        if (_callee != address(0) && !_calling) {
            _calling = true;
            (bool ok, bytes memory answer) = _callee.call(_call);
            _calling = false;
            emit CalledBack(ok, answer);
        }
        uint256 fee = (value * _fee) / 10_000;
        super._update(from, to, value - fee);
        if (fee != 0) super._update(from, address(0), fee);
    }
}
