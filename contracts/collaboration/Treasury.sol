// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";
import {ICollaborationContract} from "../interfaces/ICollaborationContract.sol";
import {IConstitutionContract} from "../interfaces/IConstitutionContract.sol";
import {IExecutionProcedure} from "../interfaces/IExecutionProcedure.sol";
import {IProducerContract} from "../interfaces/IProducerContract.sol";
import {ITemplateRegistry} from "../interfaces/ITemplateRegistry.sol";
import {ITreasury} from "../interfaces/ITreasury.sol";
import {BasisPoints} from "../libraries/BasisPoints.sol";
import {Intake} from "../libraries/Intake.sol";
import {Param} from "../types/Params.sol";
import {Institution} from "../types/Roles.sol";

/// @notice See `ITreasury`.
contract Treasury is ITreasury, ReentrancyGuardTransient {
    using Intake for IERC20;
    using SafeERC20 for IERC20;

    struct Pools {
        uint64 free;
        uint64 insurance;
    }

    /// What came in as fees and went out as premiums and gas subsidies in one bucket of time.
    struct Bucket {
        uint64 inflow;
        uint64 premiums;
        uint64 governance;
    }

    uint256 private constant _BUCKET = 30 days;
    /// Basis points of a bucket's inflow that may pay for governance.
    uint256 private constant _GOVERNANCE_SHARE = 2000;

    IConstitutionContract private immutable _CONSTITUTION;

    Pools private _pools;
    mapping(uint256 number => Bucket bucket) private _buckets;
    mapping(uint256 number => mapping(address principal => uint64 premiums)) private _premiumsOf;
    mapping(address mission => uint64 claimed) private _claimedIn;

    constructor(IConstitutionContract constitution) {
        _CONSTITUTION = constitution;
    }

    /// @inheritdoc ITreasury
    function deposit(uint64 fees, uint64 insurance, bytes32 reason) external nonReentrant {
        uint256 received = _token().pullUpTo(msg.sender, uint256(fees) + insurance);
        // What a token keeps for itself is missing in the pools, the fees first; the payer's other payments go on.
        // `pullUpTo` takes at most what was asked for, which fits.
        uint64 insured = received < insurance ? uint64(received) : insurance;
        uint64 gained = received - insured < fees ? uint64(received - insured) : fees;
        if (gained != 0) {
            _pools.free += gained;
            _buckets[block.timestamp / _BUCKET].inflow += gained;
            emit FeesReceived(msg.sender, gained, reason);
        }
        if (insured != 0) {
            _pools.insurance += insured;
            emit InsuranceReceived(msg.sender, insured, reason);
        }
    }

    /// @inheritdoc ITreasury
    function payPremium(address agent, address principal, uint64 wanted) external nonReentrant returns (uint64 paid) {
        ITemplateRegistry templates = ITemplateRegistry(_CONSTITUTION.at(Institution.TEMPLATES));
        if (!templates.isGenuine(msg.sender)) revert NotMission(msg.sender);
        uint256 number = block.timestamp / _BUCKET;
        paid = _payable(number, principal, wanted);

        if (paid != 0) {
            _pools.free -= paid;
            _buckets[number].premiums += paid;
            _premiumsOf[number][principal] += paid;
            _token().safeTransfer(agent, paid);
        }
        emit PremiumPaid(msg.sender, agent, wanted, paid);
    }

    /// @inheritdoc ITreasury
    function claimInsurance(address mission, address agent, uint64 loss, bytes32 evidence) external nonReentrant {
        _onlyGovernor();
        if (loss == 0) revert NothingToPay();
        _requireExecutor(mission, agent);
        uint64 left = ICollaborationContract(mission).ledger().deposit - _claimedIn[mission];
        uint64 allowed = _min(left, _pools.insurance);
        if (loss > allowed) revert CapExceeded(allowed, loss);

        _claimedIn[mission] += loss;
        _pools.insurance -= loss;
        emit InsuranceClaimed(mission, agent, loss, evidence);
        _token().safeTransfer(agent, loss);
    }

    /// @inheritdoc ITreasury
    function disburse(Purpose purpose, address recipient, uint64 amount, bytes32 justification) external nonReentrant {
        _onlyGovernor();
        if (amount == 0) revert NothingToPay();
        uint256 number = block.timestamp / _BUCKET;
        uint64 allowed = _min(_capOf(purpose, number), _pools.free);
        if (amount > allowed) revert CapExceeded(allowed, amount);
        bool stays = purpose == Purpose.INSURANCE;
        if (stays != (recipient == address(this))) revert WrongRecipient(recipient);

        _pools.free -= amount;
        if (stays) _pools.insurance += amount;
        if (purpose == Purpose.GAS_SUBSIDY) _buckets[number].premiums += amount;
        else if (purpose == Purpose.GOVERNANCE) _buckets[number].governance += amount;
        emit Disbursed(purpose, recipient, amount, justification);
        if (!stays) _token().safeTransfer(recipient, amount);
    }

    /// @inheritdoc ITreasury
    function compensate(address adjudicator, uint64 wanted) external nonReentrant returns (uint64 paid) {
        if (msg.sender != _CONSTITUTION.at(Institution.ROSTER)) revert NotRoster(msg.sender);
        uint256 number = block.timestamp / _BUCKET;
        paid = _min(wanted, _min(_governanceLeft(number), _pools.free));
        if (paid == 0) revert NothingToPay();
        _pools.free -= paid;
        _buckets[number].governance += paid;
        emit Compensated(adjudicator, wanted, paid);
        _token().safeTransfer(adjudicator, paid);
    }

    /// @inheritdoc ITreasury
    function claimedIn(address mission) external view returns (uint64) {
        return _claimedIn[mission];
    }

    /// @inheritdoc ITreasury
    function freeBalance() external view returns (uint64) {
        return _pools.free;
    }

    /// @inheritdoc ITreasury
    function insuranceBalance() external view returns (uint64) {
        return _pools.insurance;
    }

    /// @inheritdoc ITreasury
    function inflowAt(uint40 timestamp) external view returns (uint64 inflow, uint64 premiums, uint64 governance) {
        Bucket memory bucket = _buckets[timestamp / _BUCKET];
        return (bucket.inflow, bucket.premiums, bucket.governance);
    }

    /// @dev The least of: what is wanted, what is free, what the city may and what the principal may still receive.
    function _payable(uint256 number, address principal, uint64 wanted) private view returns (uint64 amount) {
        Bucket memory bucket = _buckets[number];
        amount = _min(wanted, _pools.free);
        amount = _min(amount, _left(bucket.inflow, Param.SUBSIDY_CAP_SHARE, bucket.premiums));
        amount = _min(amount, _left(bucket.inflow, Param.PRINCIPAL_SUBSIDY_SHARE, _premiumsOf[number][principal]));
    }

    function _capOf(Purpose purpose, uint256 number) private view returns (uint64) {
        if (purpose == Purpose.INSURANCE) return type(uint64).max;
        Bucket memory bucket = _buckets[number];
        if (purpose == Purpose.GAS_SUBSIDY) return _left(bucket.inflow, Param.SUBSIDY_CAP_SHARE, bucket.premiums);
        return _min(_governanceLeft(number), _CONSTITUTION.paramInUnits(Param.ADJUDICATOR_COMPENSATION));
    }

    function _governanceLeft(uint256 number) private view returns (uint64) {
        return _share(_buckets[number].inflow, _GOVERNANCE_SHARE) - _buckets[number].governance;
    }

    function _onlyGovernor() private view {
        if (!_CONSTITUTION.isGovernor(msg.sender)) revert NotGovernor(msg.sender);
    }

    function _requireExecutor(address mission, address agent) private view {
        address execution = ITemplateRegistry(_CONSTITUTION.at(Institution.TEMPLATES)).executionOf(mission);
        if (execution == address(0)) revert NotMission(mission);
        address principal = IProducerContract(_CONSTITUTION.at(Institution.PRODUCERS)).principalOf(agent);
        if (!IExecutionProcedure(execution).participationOf(mission, principal).executor) {
            revert NotInsured(mission, agent);
        }
    }

    function _left(uint64 inflow, Param share, uint64 used) private view returns (uint64) {
        uint64 cap = _share(inflow, _CONSTITUTION.param(share));
        return cap > used ? cap - used : 0;
    }

    function _share(uint64 inflow, uint256 share) private pure returns (uint64) {
        // A share is at most all of the inflow, so it fits 64 bits.
        return uint64((uint256(inflow) * share) / BasisPoints.WHOLE);
    }

    function _min(uint64 a, uint64 b) private pure returns (uint64) {
        return a < b ? a : b;
    }

    function _token() private view returns (IERC20) {
        return IERC20(_CONSTITUTION.at(Institution.TOKEN));
    }
}
