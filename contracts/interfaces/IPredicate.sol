// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

/// @title A gate predicate, called by STATICCALL under a gas ceiling (AgentCity 3.5, Gate).
interface IPredicate {
    /// @return True to let the output pass; anything else (revert, other data) is a veto.
    function allows(address mission, uint8 node, bytes32 outputHash) external view returns (bool);
}
