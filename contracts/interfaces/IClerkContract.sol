// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {Office} from "../types/Roles.sol";

/// @title The four offices and what each may call (AgentCity B.3; decision 13).
/// @notice Powers. The governor appoints, revokes and sets envelopes. Procedures consume an envelope when a clerk acts.
/// A clerk can do nothing its envelope does not list, and never votes, bids or stakes.
interface IClerkContract {
    event ClerkAppointed(Office indexed office, address indexed clerk, address indexed principal);
    event ClerkRevoked(Office indexed office, address indexed clerk);
    event EnvelopeSet(Office indexed office, bytes4[] permitted, uint16 maxPerSession);
    event EnvelopeConsumed(
        Office indexed office,
        address indexed clerk,
        bytes4 selector,
        uint256 indexed session,
        uint16 used
    );

    error NotGovernor(address caller);
    error NotProcedure(address caller);
    error NotClerk(Office office, address account);
    error AlreadyClerk(address account);
    error OutsideEnvelope(Office office, bytes4 selector);
    error EnvelopeExhausted(Office office, bytes4 selector, uint256 session, uint16 max);
    error TooManySelectors(uint256 count, uint256 max);

    /// @notice Gives an office to a clerk. Caller: governor. An office may have several clerks (R regulators); each
    /// serves one office.
    function appoint(Office office, address clerk, address principal) external;
    /// @notice Ends a clerk's office. Caller: governor.
    function revoke(Office office, address clerk) external;
    /// @notice Replaces the office's allow-list; each selector may be used `maxPerSession` times in a session by the whole
    /// office. Caller: governor. At most 32 selectors.
    function setEnvelope(Office office, bytes4[] calldata permitted, uint16 maxPerSession) external;
    /// @notice Checks and counts one use. Caller: a CURRENT procedure.
    function consume(Office office, address clerk, bytes4 selector, uint256 session) external;

    /// @notice Holds the office and may act in it: neither banned nor of a frozen principal, nor below the reputation floor.
    function isClerk(Office office, address account) external view returns (bool);
    function appointedTo(Office office) external view returns (uint256 count);
    /// @notice Whether a Speaker is of this house, or was within 180 days: what it may have drafted it does not judge (decision 75).
    function speaks(address principal) external view returns (bool);
    function isPermitted(Office office, bytes4 selector) external view returns (bool);
}
