// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {ERC721URIStorage} from "@openzeppelin/contracts/token/ERC721/extensions/ERC721URIStorage.sol";
import {ERC721} from "@openzeppelin/contracts/token/ERC721/ERC721.sol";

/// @notice Agents as the text of the draft ERC-8004 has them, without delegation of wallets by signature.
contract DraftIdentities is ERC721URIStorage {
    uint256 private _count;
    mapping(uint256 agentId => address wallet) private _wallets;

    event Registered(uint256 indexed agentId, string agentURI, address indexed owner);

    constructor() ERC721("Agents", "AGENT") {}

    function register(string calldata agentURI) external returns (uint256 agentId) {
        agentId = _count++;
        _wallets[agentId] = msg.sender;
        _safeMint(msg.sender, agentId);
        _setTokenURI(agentId, agentURI);
        emit Registered(agentId, agentURI, msg.sender);
    }

    function getAgentWallet(uint256 agentId) external view returns (address) {
        return _wallets[agentId];
    }

    function isAuthorizedOrOwner(address spender, uint256 agentId) external view returns (bool) {
        return _isAuthorized(ownerOf(agentId), spender, agentId);
    }

    function _update(address to, uint256 agentId, address auth) internal override returns (address from) {
        from = super._update(to, agentId, auth);
        if (from != address(0)) delete _wallets[agentId];
    }
}

/// @notice Feedback as the same text has it, without responses and summaries.
contract DraftReputations {
    struct Feedback {
        int128 value;
        uint8 valueDecimals;
        string tag1;
        string tag2;
        bool revoked;
    }

    DraftIdentities private immutable _IDENTITIES;
    mapping(uint256 agentId => mapping(address client => Feedback[] given)) private _given;

    event NewFeedback(
        uint256 indexed agentId,
        address indexed clientAddress,
        uint64 feedbackIndex,
        int128 value,
        uint8 valueDecimals,
        string indexed indexedTag1,
        string tag1,
        string tag2,
        string endpoint,
        string feedbackURI,
        bytes32 feedbackHash
    );

    error OwnAgent(address caller);

    constructor(DraftIdentities identities) {
        _IDENTITIES = identities;
    }

    function giveFeedback(
        uint256 agentId,
        int128 value,
        uint8 valueDecimals,
        string memory tag1,
        string memory tag2,
        string memory endpoint,
        string memory feedbackURI,
        bytes32 feedbackHash
    ) external {
        if (_IDENTITIES.isAuthorizedOrOwner(msg.sender, agentId)) revert OwnAgent(msg.sender);
        Feedback[] storage given = _given[agentId][msg.sender];
        given.push(Feedback(value, valueDecimals, tag1, tag2, false));
        _tell(agentId, given, [endpoint, feedbackURI], feedbackHash);
    }

    function _tell(uint256 agentId, Feedback[] storage given, string[2] memory at, bytes32 hash) private {
        Feedback memory f = given[given.length - 1];
        uint64 index = uint64(given.length);
        emit NewFeedback(
            agentId,
            msg.sender,
            index,
            f.value,
            f.valueDecimals,
            f.tag1,
            f.tag1,
            f.tag2,
            at[0],
            at[1],
            hash
        );
    }

    function revokeFeedback(uint256 agentId, uint64 feedbackIndex) external {
        _given[agentId][msg.sender][feedbackIndex - 1].revoked = true;
    }

    function getIdentityRegistry() external view returns (address) {
        return address(_IDENTITIES);
    }

    function readFeedback(
        uint256 agentId,
        address clientAddress,
        uint64 feedbackIndex
    ) external view returns (int128, uint8, string memory, string memory, bool) {
        Feedback memory f = _given[agentId][clientAddress][feedbackIndex - 1];
        return (f.value, f.valueDecimals, f.tag1, f.tag2, f.revoked);
    }
}

/// @notice Validations as the same text has them, without summaries and lists.
contract DraftValidations {
    struct Status {
        address validator;
        uint256 agentId;
        uint8 response;
        bytes32 responseHash;
        string tag;
        uint256 lastUpdate;
    }

    DraftIdentities private immutable _IDENTITIES;
    mapping(bytes32 requestHash => Status status) private _asked;

    event ValidationRequest(
        address indexed validatorAddress,
        uint256 indexed agentId,
        string requestURI,
        bytes32 indexed requestHash
    );
    event ValidationResponse(
        address indexed validatorAddress,
        uint256 indexed agentId,
        bytes32 indexed requestHash,
        uint8 response,
        string responseURI,
        bytes32 responseHash,
        string tag
    );

    error NotOwner(address caller);
    error Taken(bytes32 requestHash);
    error NotAsked(address caller);
    error TooHigh(uint8 response);

    constructor(DraftIdentities identities) {
        _IDENTITIES = identities;
    }

    function validationRequest(
        address validatorAddress,
        uint256 agentId,
        string calldata requestURI,
        bytes32 requestHash
    ) external {
        if (!_IDENTITIES.isAuthorizedOrOwner(msg.sender, agentId)) revert NotOwner(msg.sender);
        Status storage status = _asked[requestHash];
        if (status.validator != address(0)) revert Taken(requestHash);
        (status.validator, status.agentId, status.lastUpdate) = (validatorAddress, agentId, block.timestamp);
        emit ValidationRequest(validatorAddress, agentId, requestURI, requestHash);
    }

    /// @notice An answer may be given again, in place of the one before.
    function validationResponse(
        bytes32 requestHash,
        uint8 response,
        string calldata responseURI,
        bytes32 responseHash,
        string calldata tag
    ) external {
        Status storage status = _asked[requestHash];
        if (msg.sender != status.validator) revert NotAsked(msg.sender);
        if (response > 100) revert TooHigh(response);
        (status.response, status.responseHash, status.tag) = (response, responseHash, tag);
        status.lastUpdate = block.timestamp;
        emit ValidationResponse(msg.sender, status.agentId, requestHash, response, responseURI, responseHash, tag);
    }

    function getIdentityRegistry() external view returns (address) {
        return address(_IDENTITIES);
    }

    function getValidationStatus(
        bytes32 requestHash
    ) external view returns (address, uint256, uint8, bytes32, string memory, uint256) {
        Status memory s = _asked[requestHash];
        return (s.validator, s.agentId, s.response, s.responseHash, s.tag, s.lastUpdate);
    }
}
