// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

/// @title Audited templates and the one source of "genuine" missions (decision 14).
/// @notice Powers. The governor publishes; what is in force never changes. A template's code handles stakes and money, so in a sealed city a
/// version waits as long as an amendment of the constitution: whoever does not trust it has left by then. Only a CURRENT legislative
/// procedure deploys.
interface ITemplateRegistry {
    struct Template {
        address implementation;
        uint40 effectiveFrom;
        bytes32 auditHash;
    }

    struct Mission {
        bytes32 template;
        uint32 version;
        /// Procedures the mission is pinned to for life.
        address legislation;
        address execution;
    }

    /// @notice A version was published, in place of one with the same number that still waited.
    event TemplatePublished(
        bytes32 indexed name,
        uint32 indexed version,
        address implementation,
        uint40 effectiveFrom,
        bytes32 auditHash
    );
    event MissionDeployed(
        address indexed mission,
        bytes32 indexed template,
        uint32 version,
        uint256 indexed session,
        address legislation,
        address execution
    );

    error NotGovernor(address caller);
    error NotLegislation(address caller);
    error UnknownTemplate(bytes32 name, uint32 version);
    error NotATemplate(address implementation);
    /// @dev A clone reports another law or context than it was given.
    error Unfaithful(address implementation, bytes32 given, bytes32 reported);

    /// @notice Publishes the next version of `name`, for sessions that open after its notice; it takes the place of one that still waits.
    /// Caller: governor. The implementation must answer `isMissionTemplate()`, and a first clone of it report law and context as they were
    /// given.
    function publish(bytes32 name, address implementation, bytes32 auditHash) external returns (uint32 version);

    /// @notice Clones with immutable arguments at the CREATE2 address of (implementation, args, salt = session): what is there is this
    /// template, with this law in this context. Caller: CURRENT legislation.
    /// @param args As by `LawCodec.args`.
    function deploy(
        bytes32 name,
        uint32 version,
        bytes calldata args,
        uint256 session
    ) external returns (address mission);

    function predict(
        bytes32 name,
        uint32 version,
        bytes calldata args,
        uint256 session
    ) external view returns (address);
    function templateOf(bytes32 name, uint32 version) external view returns (Template memory);
    /// @notice The newest version in force; 0 if there is none.
    function latestVersion(bytes32 name) external view returns (uint32);
    /// @notice Until then a version of some template waits.
    function waitsUntil() external view returns (uint40);
    function missionOf(address mission) external view returns (Mission memory);
    function isGenuine(address mission) external view returns (bool);
    /// @notice The execution procedure a genuine mission is pinned to, else zero (one slot read).
    function executionOf(address mission) external view returns (address);
}
