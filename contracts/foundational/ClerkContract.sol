// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {IClerkContract} from "../interfaces/IClerkContract.sol";
import {IConstitutionContract} from "../interfaces/IConstitutionContract.sol";
import {IProducerContract} from "../interfaces/IProducerContract.sol";
import {Institution, Kind, Office, Standing} from "../types/Roles.sol";

/// @notice See `IClerkContract`.
contract ClerkContract is IClerkContract {
    uint256 private constant _MAX_SELECTORS = 32;
    /// @dev Longer than any session and the mission of its law.
    uint40 private constant _SPEAKS_ON = 180 days;

    struct Clerk {
        bool active;
        Office office;
    }

    struct Envelope {
        /// Counts replacements, so that one write empties the former allow-list and its counters.
        uint32 version;
        uint16 maxPerSession;
    }

    struct Permit {
        uint32 version;
        /// Place of the selector's counter.
        uint8 lane;
    }

    IConstitutionContract private immutable _CONSTITUTION;

    mapping(address account => Clerk clerk) private _clerks;
    mapping(Office office => uint256 count) private _appointed;
    mapping(address principal => uint256 speakers) private _speaking;
    /// When a Speaker of the house last left the office.
    mapping(address principal => uint40 at) private _spoke;
    mapping(Office office => Envelope envelope) private _envelopes;
    mapping(Office office => mapping(bytes4 selector => Permit permit)) private _permits;
    /// Uses by session, office and envelope version; sixteen counters per word.
    mapping(uint256 session => mapping(Office office => mapping(uint32 version => uint16[_MAX_SELECTORS] counters)))
        private _used;

    constructor(IConstitutionContract constitution) {
        _CONSTITUTION = constitution;
    }

    /// @inheritdoc IClerkContract
    function appoint(Office office, address clerk, address principal) external {
        _onlyGovernor();
        if (_clerks[clerk].active) revert AlreadyClerk(clerk);
        IProducerContract producers = IProducerContract(_CONSTITUTION.at(Institution.PRODUCERS));
        IProducerContract.Agent memory known = producers.agentOf(clerk);
        bool returning = known.kind == Kind.CLERK && known.principal == principal;

        _clerks[clerk] = Clerk({active: true, office: office});
        ++_appointed[office];
        if (office == Office.SPEAKER) ++_speaking[principal];
        if (!returning) producers.enroll(clerk, principal, Kind.CLERK);
        emit ClerkAppointed(office, clerk, principal);
    }

    /// @inheritdoc IClerkContract
    function revoke(Office office, address clerk) external {
        _onlyGovernor();
        if (!_holds(office, clerk)) revert NotClerk(office, clerk);
        delete _clerks[clerk];
        --_appointed[office];
        if (office == Office.SPEAKER) {
            address house = IProducerContract(_CONSTITUTION.at(Institution.PRODUCERS)).principalOf(clerk);
            --_speaking[house];
            _spoke[house] = uint40(block.timestamp);
        }
        emit ClerkRevoked(office, clerk);
    }

    /// @inheritdoc IClerkContract
    function setEnvelope(Office office, bytes4[] calldata permitted, uint16 maxPerSession) external {
        _onlyGovernor();
        if (permitted.length > _MAX_SELECTORS) revert TooManySelectors(permitted.length, _MAX_SELECTORS);
        uint32 version = _envelopes[office].version + 1;
        _envelopes[office] = Envelope({version: version, maxPerSession: maxPerSession});
        for (uint8 lane = 0; lane < permitted.length; ++lane) {
            _permits[office][permitted[lane]] = Permit({version: version, lane: lane});
        }
        emit EnvelopeSet(office, permitted, maxPerSession);
    }

    /// @inheritdoc IClerkContract
    function consume(Office office, address clerk, bytes4 selector, uint256 session) external {
        if (!_isCurrentProcedure(msg.sender)) revert NotProcedure(msg.sender);
        if (!isClerk(office, clerk)) revert NotClerk(office, clerk);
        if (!isPermitted(office, selector)) revert OutsideEnvelope(office, selector);
        Envelope memory envelope = _envelopes[office];
        uint16[_MAX_SELECTORS] storage counters = _used[session][office][envelope.version];
        uint8 lane = _permits[office][selector].lane;
        uint16 used = counters[lane];
        if (used >= envelope.maxPerSession) {
            revert EnvelopeExhausted(office, selector, session, envelope.maxPerSession);
        }
        counters[lane] = ++used;
        emit EnvelopeConsumed(office, clerk, selector, session, used);
    }

    /// @inheritdoc IClerkContract
    function appointedTo(Office office) external view returns (uint256 count) {
        return _appointed[office];
    }

    /// @inheritdoc IClerkContract
    function speaks(address principal) external view returns (bool) {
        uint40 left = _spoke[principal];
        return _speaking[principal] != 0 || (left != 0 && block.timestamp < left + _SPEAKS_ON);
    }

    /// @inheritdoc IClerkContract
    function isClerk(Office office, address account) public view returns (bool) {
        IProducerContract producers = IProducerContract(_CONSTITUTION.at(Institution.PRODUCERS));
        return _holds(office, account) && producers.isEligible(account, Kind.CLERK);
    }

    /// @inheritdoc IClerkContract
    function isPermitted(Office office, bytes4 selector) public view returns (bool) {
        uint32 version = _permits[office][selector].version;
        return version != 0 && version == _envelopes[office].version;
    }

    function _onlyGovernor() private view {
        if (!_CONSTITUTION.isGovernor(msg.sender)) revert NotGovernor(msg.sender);
    }

    /// @dev Also of a clerk whose principal is frozen.
    function _holds(Office office, address account) private view returns (bool) {
        Clerk memory clerk = _clerks[account];
        return clerk.active && clerk.office == office;
    }

    function _isCurrentProcedure(address account) private view returns (bool) {
        return
            _CONSTITUTION.standingOf(Institution.LEGISLATION, account) == Standing.CURRENT ||
            _CONSTITUTION.standingOf(Institution.EXECUTION, account) == Standing.CURRENT ||
            _CONSTITUTION.standingOf(Institution.ADJUDICATION, account) == Standing.CURRENT;
    }
}
