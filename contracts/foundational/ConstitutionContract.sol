// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {Checkpoints} from "@openzeppelin/contracts/utils/structs/Checkpoints.sol";
import {IAdjudicatorWatchdog} from "../interfaces/IAdjudicatorWatchdog.sol";
import {IConstitutionContract} from "../interfaces/IConstitutionContract.sol";
import {ITemplateRegistry} from "../interfaces/ITemplateRegistry.sol";
import {MissionParamsCodec} from "../libraries/MissionParamsCodec.sol";
import {ParamRanges} from "../libraries/ParamRanges.sol";
import {ParamRelations} from "../libraries/ParamRelations.sol";
import {MissionParams} from "../types/Law.sol";
import {Param} from "../types/Params.sol";
import {Institution, Standing} from "../types/Roles.sol";

/// @notice See `IConstitutionContract`.
contract ConstitutionContract is IConstitutionContract {
    using Checkpoints for Checkpoints.Trace224;

    /// A procedure that may take office.
    struct Amendment {
        address replacement;
        uint40 effectiveFrom;
    }

    /// Members of `Param`; an array's length must be a literal, so the constructor checks it against the enum.
    uint256 private constant _PARAMS = 86;
    /// One whole token in the settlement token's smallest unit (six decimals).
    uint256 private constant _UNIT = 1e6;
    /// What everybody has to hear of an amendment, beyond what it takes to leave.
    uint256 private constant _REACTION_TIME = 7 days;

    address private immutable _DEPLOYER;
    bytes32 private immutable _MANDATE_HASH;
    bytes32 private immutable _MANDATE_CID;

    /// Four values per word, in the order of `Param`.
    uint64[_PARAMS] private _values;
    uint256 private _missionParams;
    /// Values of the locked parameters that changed, by the edition from which on they stand.
    mapping(Param which => Checkpoints.Trace224 values) private _past;
    uint32 private _edition;
    mapping(Institution institution => address wired) private _institutions;
    mapping(Institution institution => mapping(address procedure => Standing standing)) private _standings;
    mapping(Institution institution => Amendment announced) private _amendments;
    bool private _sealed;
    uint40 private _pulsedAt;

    /// @param mandateHash keccak256 of the mandate text.
    /// @param mandateCid Content-id digest of the mandate text.
    /// @param values One value per `Param`, in order, each within its range.
    constructor(bytes32 mandateHash, bytes32 mandateCid, uint64[] memory values) {
        assert(_PARAMS == uint256(type(Param).max) + 1);
        if (values.length != _PARAMS) revert LengthMismatch(values.length, _PARAMS);
        _DEPLOYER = msg.sender;
        _MANDATE_HASH = mandateHash;
        _MANDATE_CID = mandateCid;
        for (uint256 i = 0; i < _PARAMS; ++i) {
            _requireInRange(Param(i), values[i]);
            _values[i] = values[i];
            emit ParameterSet(Param(i), 0, values[i], mandateHash);
        }
        _missionParams = _snapshot();
    }

    /// @inheritdoc IConstitutionContract
    function wire(Institution[] calldata institutions, address[] calldata addresses) external {
        _onlyDeployer();
        if (institutions.length != addresses.length) revert LengthMismatch(addresses.length, institutions.length);
        for (uint256 i = 0; i < institutions.length; ++i) {
            Institution institution = institutions[i];
            address current = _institutions[institution];
            if (current != address(0)) revert AlreadyWired(institution, current);
            if (addresses[i] == address(0)) revert NotWired(institution);
            _institutions[institution] = addresses[i];
            if (_isProcedure(institution)) _standings[institution][addresses[i]] = Standing.CURRENT;
            emit Wired(institution, addresses[i]);
        }
    }

    /// @inheritdoc IConstitutionContract
    function seal() external {
        _onlyDeployer();
        for (uint256 i = 0; i <= uint256(type(Institution).max); ++i) {
            address wired = at(Institution(i));
            if (wired.code.length == 0) revert NotAContract(Institution(i), wired);
        }
        _requireFit();
        _sealed = true;
        emit Sealed(msg.sender);
    }

    /// @inheritdoc IConstitutionContract
    function setParam(Param which, uint256 value, bytes32 justification) external {
        if (!isGovernor(msg.sender)) revert NotGovernor(msg.sender);
        if (which == Param.UNBONDING_PERIOD) _requireNothingAnnounced();
        _set(which, value, justification);
        Param other = ParamRelations.counterpart(which);
        // Both have a range that ends at the whole.
        if (other != which) _set(other, ParamRelations.WHOLE - value, justification);
        // Before, genesis may set one value after the other.
        if (_sealed) _requireFit();
        if (ParamRanges.isLocked(which)) _missionParams = _snapshot();
    }

    /// @inheritdoc IConstitutionContract
    function amend(Institution institution, address replacement, bytes32 justification) external {
        if (!isGovernor(msg.sender)) revert NotGovernor(msg.sender);
        if (!_isProcedure(institution)) revert NotReplaceable(institution);
        if (replacement.code.length == 0) revert NotAContract(institution, replacement);
        if (_standings[institution][replacement] != Standing.NONE) revert AlreadyWired(institution, replacement);
        uint40 effectiveFrom = noticeEnd();
        _amendments[institution] = Amendment({replacement: replacement, effectiveFrom: effectiveFrom});
        emit AmendmentAnnounced(institution, replacement, effectiveFrom, justification);
    }

    /// @inheritdoc IConstitutionContract
    function withdrawAmendment(Institution institution, bytes32 justification) external {
        if (!isGovernor(msg.sender)) revert NotGovernor(msg.sender);
        address replacement = _announced(institution).replacement;
        delete _amendments[institution];
        emit AmendmentWithdrawn(institution, replacement, justification);
    }

    /// @inheritdoc IConstitutionContract
    function enact(Institution institution) external {
        Amendment memory amendment = _announced(institution);
        if (block.timestamp < amendment.effectiveFrom) revert NotYet(institution, amendment.effectiveFrom);
        IAdjudicatorWatchdog(at(Institution.WATCHDOG)).requireUnfrozen();
        address former = _institutions[institution];
        delete _amendments[institution];
        _standings[institution][former] = Standing.RETIRED;
        _standings[institution][amendment.replacement] = Standing.CURRENT;
        _institutions[institution] = amendment.replacement;
        emit ProcedureReplaced(institution, former, amendment.replacement);
    }

    /// @inheritdoc IConstitutionContract
    function pulse() external {
        _pulsedAt = uint40(block.timestamp);
        emit Pulsed(uint40(block.timestamp));
    }

    /// @inheritdoc IConstitutionContract
    function pulsedAt() external view returns (uint40) {
        return _pulsedAt;
    }

    /// @inheritdoc IConstitutionContract
    function amendmentOf(Institution institution) external view returns (address replacement, uint40 effectiveFrom) {
        Amendment memory amendment = _amendments[institution];
        return (amendment.replacement, amendment.effectiveFrom);
    }

    /// @inheritdoc IConstitutionContract
    function mandate() external view returns (bytes32 hash, bytes32 cid) {
        return (_MANDATE_HASH, _MANDATE_CID);
    }

    /// @inheritdoc IConstitutionContract
    function missionParams() external view returns (uint256 packed) {
        return _missionParams;
    }

    /// @inheritdoc IConstitutionContract
    function unitsIn(uint32 edition, Param which) external view returns (uint64) {
        // It fits, as in `paramInUnits`.
        return uint64(paramIn(edition, which) * _UNIT);
    }

    /// @inheritdoc IConstitutionContract
    function standingOf(Institution institution, address procedure) external view returns (Standing) {
        return _standings[institution][procedure];
    }

    /// @inheritdoc IConstitutionContract
    function isSealed() external view returns (bool) {
        return _sealed;
    }

    /// @inheritdoc IConstitutionContract
    function paramInUnits(Param which) external view returns (uint64) {
        // The largest range of a token parameter, ten million, stays far below 2⁶⁴ units.
        return uint64(param(which) * _UNIT);
    }

    /// @inheritdoc IConstitutionContract
    function noticeEnd() public view returns (uint40) {
        return uint40(block.timestamp + _REACTION_TIME + param(Param.UNBONDING_PERIOD));
    }

    /// @inheritdoc IConstitutionContract
    function param(Param which) public view returns (uint256) {
        return _values[uint256(which)];
    }

    /// @inheritdoc IConstitutionContract
    function paramIn(uint32 edition, Param which) public view returns (uint256) {
        if (!ParamRanges.isLocked(which)) revert NotLocked(which);
        if (edition == _edition) return param(which);
        Checkpoints.Trace224 storage past = _past[which];
        return past.length() == 0 ? param(which) : past.upperLookupRecent(edition);
    }

    /// @inheritdoc IConstitutionContract
    function at(Institution institution) public view returns (address wired) {
        wired = _institutions[institution];
        if (wired == address(0)) revert NotWired(institution);
    }

    /// @inheritdoc IConstitutionContract
    function isGovernor(address account) public view returns (bool) {
        if (account == _DEPLOYER && !_sealed) return true;
        return account != address(0) && account == _institutions[Institution.ADJUDICATION];
    }

    function _onlyDeployer() private view {
        if (msg.sender != _DEPLOYER) revert NotDeployer(msg.sender);
        if (_sealed) revert AlreadySealed();
    }

    function _announced(Institution institution) private view returns (Amendment memory amendment) {
        amendment = _amendments[institution];
        if (amendment.replacement == address(0)) revert NothingAnnounced(institution);
    }

    /// @dev Who leaves because of an amendment, or of a template, is gone before it stands.
    function _requireNothingAnnounced() private view {
        address templates = _institutions[Institution.TEMPLATES];
        if (_sealed && block.timestamp < ITemplateRegistry(templates).waitsUntil()) {
            revert AmendmentWaits(Institution.TEMPLATES);
        }
        for (uint256 i = 0; i <= uint256(type(Institution).max); ++i) {
            if (_amendments[Institution(i)].replacement != address(0)) revert AmendmentWaits(Institution(i));
        }
    }

    function _requireInRange(Param which, uint256 value) private pure {
        (uint256 min, uint256 max) = ParamRanges.range(which);
        if (value < min || value > max) revert ParameterOutOfRange(which, value, min, max);
    }

    function _set(Param which, uint256 value, bytes32 justification) private {
        _requireInRange(which, value);
        uint256 previous = _values[uint256(which)];
        // Every range ends below 2⁶⁴, so nothing is cut.
        _values[uint256(which)] = uint64(value);
        if (ParamRanges.isLocked(which)) {
            Checkpoints.Trace224 storage past = _past[which];
            // It fits.
            if (past.length() == 0) past.push(0, uint224(previous));
            past.push(++_edition, uint224(value));
        }
        emit ParameterSet(which, previous, value, justification);
    }

    /// @dev Each value is within its range; this is what they have to be beside each other.
    function _requireFit() private view {
        uint256 longest = 0;
        for (uint256 i = 0; i < _PARAMS; ++i) {
            uint256 value = _values[i];
            if ((ParamRelations.ASCENDS >> i) & 1 == 1 && value > _values[i + 1]) {
                revert ParametersDescend(Param(i), value, _values[i + 1]);
            }
            if ((ParamRelations.OUTLASTED >> i) & 1 == 1) longest += value;
            if ((ParamRelations.OUTLASTED_TWICE >> i) & 1 == 1) longest += 2 * value;
            Param other = ParamRelations.counterpart(Param(i));
            uint256 sum = value + _values[uint256(other)];
            if (uint256(other) > i && sum != ParamRelations.WHOLE) {
                revert ParametersDoNotAddUp(Param(i), other, sum, ParamRelations.WHOLE);
            }
        }
        uint256 unbonding = param(Param.UNBONDING_PERIOD);
        if (unbonding < longest) revert UnbondingTooShort(unbonding, longest);
    }

    function _isProcedure(Institution institution) private pure returns (bool) {
        return
            institution == Institution.LEGISLATION ||
            institution == Institution.EXECUTION ||
            institution == Institution.ADJUDICATION;
    }

    /// @dev Casts cut nothing: each range fits its field, and the codec checks the widths again.
    function _snapshot() private view returns (uint256) {
        MissionParams memory p;
        p.verificationTimeout = uint24(param(Param.VERIFICATION_TIMEOUT));
        p.maxHumanReviewTimeout = uint24(param(Param.MAX_HUMAN_REVIEW_TIMEOUT));
        p.baseEscalationWindow = uint16(param(Param.BASE_ESCALATION_WINDOW));
        p.maxRefinementIterations = uint8(param(Param.MAX_REFINEMENT_ITERATIONS));
        p.escalationFreezeCount = uint8(param(Param.ESCALATION_FREEZE_COUNT));
        p.reputationScaling = param(Param.REPUTATION_SCALING_ENABLED) == 1;
        p.reputationScalingBonus = uint8(param(Param.REPUTATION_SCALING_BONUS));
        p.protocolFeeRate = uint16(param(Param.PROTOCOL_FEE_RATE));
        p.insuranceReserveRate = uint16(param(Param.INSURANCE_RESERVE_RATE));
        p.reputationMultiplierAlpha = uint16(param(Param.REPUTATION_MULTIPLIER_ALPHA));
        p.predicateGasLimit = uint32(param(Param.PREDICATE_GAS_LIMIT));
        for (uint256 band = 0; band < 4; ++band) {
            p.appealWindows[band] = _minutes(param(Param(uint256(Param.APPEAL_WINDOW_LOW) + band)));
        }
        for (uint256 risk = 0; risk < 3; ++risk) {
            // A confidence is at most 10,000.
            p.minConfidence[risk] = uint16(param(Param(uint256(Param.MIN_CONFIDENCE_LOW) + risk)));
        }
        p.edition = _edition;
        return MissionParamsCodec.pack(p);
    }

    /// @dev Rounded up: a window never becomes shorter than its parameter says.
    function _minutes(uint256 time) private pure returns (uint16) {
        // Windows are at most 45 days.
        return uint16((time + 59) / 60);
    }
}
