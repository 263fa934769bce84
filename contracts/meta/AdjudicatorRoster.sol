// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";
import {IAdjudicatorRoster} from "../interfaces/IAdjudicatorRoster.sol";
import {IConstitutionContract} from "../interfaces/IConstitutionContract.sol";
import {IExecutionProcedure} from "../interfaces/IExecutionProcedure.sol";
import {IProducerContract} from "../interfaces/IProducerContract.sol";
import {ITemplateRegistry} from "../interfaces/ITemplateRegistry.sol";
import {Intake} from "../libraries/Intake.sol";
import {Param} from "../types/Params.sol";
import {Institution, Kind} from "../types/Roles.sol";

/// @notice See `IAdjudicatorRoster`.
contract AdjudicatorRoster is IAdjudicatorRoster, ReentrancyGuardTransient {
    using Intake for IERC20;
    using SafeERC20 for IERC20;

    struct Seat {
        address principal;
        uint64 stake;
        bool active;
        uint40 unbondingUntil;
    }

    uint256 private constant _MAX_SEATS = 20;

    IConstitutionContract private immutable _CONSTITUTION;

    mapping(address adjudicator => Seat own) private _seats;
    mapping(address principal => bool represented) private _represented;
    uint256 private _active;

    constructor(IConstitutionContract constitution) {
        _CONSTITUTION = constitution;
    }

    /// @inheritdoc IAdjudicatorRoster
    function seat(address adjudicator, address principal) external nonReentrant {
        if (!_CONSTITUTION.isGovernor(msg.sender)) revert NotGovernor(msg.sender);
        Seat memory former = _seats[adjudicator];
        if (former.active) revert AlreadySeated(adjudicator);
        if (former.stake != 0) revert StillUnbonding(adjudicator, former.unbondingUntil);
        if (_represented[principal]) revert PrincipalAlreadySeated(principal);
        if (_active == _MAX_SEATS) revert TooManySeats(_MAX_SEATS);
        bool returning = former.principal != address(0) && former.principal == principal;
        uint64 stake = _CONSTITUTION.paramInUnits(Param.ADJUDICATOR_STAKE);

        _seats[adjudicator] = Seat({principal: principal, stake: stake, active: true, unbondingUntil: 0});
        _represented[principal] = true;
        ++_active;

        if (!returning) {
            IProducerContract producers = IProducerContract(_CONSTITUTION.at(Institution.PRODUCERS));
            producers.enroll(adjudicator, principal, Kind.ADJUDICATOR);
        }
        _token().pull(adjudicator, stake);
        emit Seated(adjudicator, principal, stake);
    }

    /// @inheritdoc IAdjudicatorRoster
    function resign() external {
        Seat storage own = _seats[msg.sender];
        if (!own.active) revert NotSeated(msg.sender);
        uint40 until = uint40(block.timestamp + _CONSTITUTION.param(Param.UNBONDING_PERIOD));
        own.active = false;
        own.unbondingUntil = until;
        _represented[own.principal] = false;
        --_active;
        emit Resigned(msg.sender, until);
    }

    /// @inheritdoc IAdjudicatorRoster
    function withdrawStake() external nonReentrant {
        Seat storage own = _seats[msg.sender];
        uint64 amount = own.stake;
        if (own.active || amount == 0) revert NothingToWithdraw(msg.sender);
        if (block.timestamp < own.unbondingUntil) revert StillUnbonding(msg.sender, own.unbondingUntil);
        own.stake = 0;
        _token().safeTransfer(msg.sender, amount);
        emit StakeWithdrawn(msg.sender, amount);
    }

    /// @inheritdoc IAdjudicatorRoster
    function isActive(address adjudicator) external view returns (bool) {
        return _seats[adjudicator].active;
    }

    /// @inheritdoc IAdjudicatorRoster
    function principalOf(address adjudicator) external view returns (address) {
        return _seats[adjudicator].principal;
    }

    /// @inheritdoc IAdjudicatorRoster
    function activeCount() external view returns (uint256) {
        return _active;
    }

    /// @inheritdoc IAdjudicatorRoster
    function hasQuorum() external view returns (bool) {
        return _active >= _CONSTITUTION.param(Param.ADJUDICATOR_QUORUM);
    }

    /// @inheritdoc IAdjudicatorRoster
    function isConflicted(address adjudicator, address mission) external view returns (bool) {
        ITemplateRegistry templates = ITemplateRegistry(_CONSTITUTION.at(Institution.TEMPLATES));
        address execution = templates.executionOf(mission);
        // Not a genuine mission: nobody took part in it.
        if (execution == address(0)) return false;
        IExecutionProcedure.Participation memory part = IExecutionProcedure(execution).participationOf(
            mission,
            _seats[adjudicator].principal
        );
        return part.sponsor || part.executor || part.verifier;
    }

    function _token() private view returns (IERC20) {
        return IERC20(_CONSTITUTION.at(Institution.TOKEN));
    }
}
