// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";
import {ICollaborationContract} from "../interfaces/ICollaborationContract.sol";
import {IConstitutionContract} from "../interfaces/IConstitutionContract.sol";
import {IExecutionProcedure} from "../interfaces/IExecutionProcedure.sol";
import {IProducerContract} from "../interfaces/IProducerContract.sol";
import {ITemplateRegistry} from "../interfaces/ITemplateRegistry.sol";
import {ITreasury} from "../interfaces/ITreasury.sol";
import {BasisPoints} from "../libraries/BasisPoints.sol";
import {Intake} from "../libraries/Intake.sol";
import {Payments} from "../libraries/Payments.sol";
import {Payout} from "../libraries/Payout.sol";
import {Signatures} from "../libraries/Signatures.sol";
import {TypedData} from "../libraries/TypedData.sol";
import {Withdrawal} from "../types/Messages.sol";
import {Param} from "../types/Params.sol";
import {Institution, Kind} from "../types/Roles.sol";

/// @notice See `ITreasury`.
contract Treasury is ITreasury, EIP712, ReentrancyGuardTransient {
    using Intake for IERC20;
    using SafeERC20 for IERC20;

    /// @dev One word; together at most the token's balance.
    struct Pools {
        uint64 free;
        uint64 insurance;
        uint64 credits;
    }

    /// @dev One word.
    struct Account {
        uint64 credit;
        uint64 nonce;
        /// Premiums of those it answers for, in the bucket they were last paid in.
        uint32 bucket;
        uint64 premiums;
    }

    /// What came in as fees and went out as premiums and gas subsidies in one bucket of time.
    struct Bucket {
        uint64 inflow;
        uint64 premiums;
        uint64 governance;
    }

    /// @dev What one settlement may pay of premiums.
    struct Grants {
        IProducerContract producers;
        /// Of the bucket.
        uint256 number;
        uint64 ofCity;
        uint64 ofPrincipal;
        uint64 paid;
    }

    uint256 private constant _BUCKET = 30 days;
    /// Basis points of a bucket's inflow that may pay for governance.
    uint256 private constant _GOVERNANCE_SHARE = 2000;

    IConstitutionContract private immutable _CONSTITUTION;

    Pools private _pools;
    mapping(uint256 number => Bucket bucket) private _buckets;
    mapping(address account => Account entry) private _accounts;
    mapping(address mission => uint64 claimed) private _claimedIn;

    constructor(IConstitutionContract constitution) EIP712("AgentCity", "1") {
        _CONSTITUTION = constitution;
    }

    /// @inheritdoc ITreasury
    function deposit(uint64 fees, uint64 insurance, bytes32 reason) external nonReentrant {
        uint256 received = _token().pullUpTo(msg.sender, uint256(fees) + insurance);
        Pools memory pools = _pools;
        _book(pools, received, fees, insurance, reason);
        _pools = pools;
    }

    /// @inheritdoc ITreasury
    function settle(
        uint256[] calldata payments,
        uint64 fees,
        uint64 insurance,
        bytes32 reason
    ) external nonReentrant returns (uint256[] memory premiums) {
        ITemplateRegistry templates = ITemplateRegistry(_CONSTITUTION.at(Institution.TEMPLATES));
        if (!templates.isGenuine(msg.sender)) revert NotMission(msg.sender);
        Pools memory pools = _pools;
        Grants memory grants = _openGrants(pools.free);
        premiums = new uint256[](payments.length);
        uint256 count = 0;
        uint64 credited = 0;
        // At most the executors, verifiers and bonds of the nodes that were claimed.
        for (uint256 i = 0; i < payments.length; ++i) {
            uint256 payment = payments[i];
            uint64 amount = Payments.amountOf(payment);
            uint64 premium = _grant(grants, payment);
            if (premium != 0) premiums[count++] = Payments.premiumOf(payment, premium);
            credited += amount + premium;
            _accounts[Payments.accountOf(payment)].credit += amount + premium;
        }
        premiums = Payments.first(premiums, count);
        if (credited != 0) emit Credited(msg.sender, credited, grants.paid);
        pools.credits += credited;
        pools.free -= grants.paid;
        if (count != 0) _buckets[grants.number].premiums += grants.paid;
        uint256 balance = _token().balanceOf(address(this));
        uint256 owed = uint256(pools.free) + pools.insurance + pools.credits;
        if (balance < owed) revert Unbacked(balance, owed);
        _book(pools, balance - owed, fees, insurance, reason);
        _pools = pools;
    }

    /// @inheritdoc ITreasury
    function withdraw(address account, address to) external nonReentrant {
        _requireFor(account, msg.sender);
        _withdraw(account, msg.sender, to);
    }

    /// @inheritdoc ITreasury
    function withdrawFor(Withdrawal calldata withdrawal, bytes calldata signature) external nonReentrant {
        Signatures.requireInTime(withdrawal.deadline);
        address account = withdrawal.account;
        if (withdrawal.nonce != _accounts[account].nonce) revert InvalidNonce(account, withdrawal.nonce);
        _requireFor(account, withdrawal.by);
        Signatures.requireAny(withdrawal.by, _hashTypedDataV4(TypedData.hashWithdrawal(withdrawal)), signature);
        _withdraw(account, withdrawal.by, withdrawal.to);
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
        else _buckets[number].governance += amount;
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
    function creditOf(address account) external view returns (uint64) {
        return _accounts[account].credit;
    }

    /// @inheritdoc ITreasury
    function credits() external view returns (uint64) {
        return _pools.credits;
    }

    /// @inheritdoc ITreasury
    function nonceOf(address account) external view returns (uint256) {
        return _accounts[account].nonce;
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

    /// @dev What a token kept for itself is missing in the pools, the fees first.
    function _book(Pools memory pools, uint256 received, uint64 fees, uint64 insurance, bytes32 reason) private {
        // Less than what was asked for, which fits.
        uint64 insured = received < insurance ? uint64(received) : insurance;
        uint64 gained = received - insured < fees ? uint64(received - insured) : fees;
        if (gained != 0) {
            pools.free += gained;
            _buckets[block.timestamp / _BUCKET].inflow += gained;
            emit FeesReceived(msg.sender, gained, reason);
        }
        if (insured != 0) {
            pools.insurance += insured;
            emit InsuranceReceived(msg.sender, insured, reason);
        }
    }

    function _openGrants(uint64 free) private view returns (Grants memory grants) {
        grants.number = block.timestamp / _BUCKET;
        Bucket memory bucket = _buckets[grants.number];
        grants.ofCity = _min(free, _left(bucket.inflow, Param.SUBSIDY_CAP_SHARE, bucket.premiums));
        if (grants.ofCity == 0) return grants;
        grants.ofPrincipal = _share(bucket.inflow, _CONSTITUTION.param(Param.PRINCIPAL_SUBSIDY_SHARE));
        grants.producers = _producers();
    }

    /// @dev The least of: what ψ asks for, what the city may still pay, what the principal may still receive.
    function _grant(Grants memory grants, uint256 payment) private returns (uint64 paid) {
        uint64 left = grants.ofCity - grants.paid;
        uint64 wanted = left == 0 ? 0 : Payout.premium(Payments.amountOf(payment), Payments.psiOf(payment));
        if (wanted == 0) return 0;
        Account storage entry = _accounts[grants.producers.principalOf(Payments.accountOf(payment))];
        uint64 had = entry.bucket == grants.number ? entry.premiums : 0;
        paid = _min(_min(wanted, left), grants.ofPrincipal > had ? grants.ofPrincipal - had : 0);
        if (paid == 0) return 0;
        grants.paid += paid;
        // Buckets of thirty days, numbered from 1970: the number fits.
        (entry.bucket, entry.premiums) = (uint32(grants.number), had + paid);
    }

    /// @dev Clerks and adjudicators are enrolled without a signature of theirs: their credits are safe without one.
    function _requireFor(address account, address by) private view {
        if (by == account) return;
        IProducerContract.Agent memory agent = _producers().agentOf(account);
        bool bound = agent.kind == Kind.PRODUCER || agent.kind == Kind.VERIFIER;
        if (!bound || by != agent.principal) revert NotAuthorised(by);
    }

    function _withdraw(address account, address by, address to) private {
        Account storage entry = _accounts[account];
        uint64 amount = entry.credit;
        if (amount == 0) revert NothingToPay();
        if (to == address(this)) revert WrongRecipient(to);
        (entry.credit, entry.nonce) = (0, entry.nonce + 1);
        _pools.credits -= amount;
        emit Withdrawn(account, by, to, amount);
        _token().safeTransfer(to, amount);
    }

    function _capOf(Purpose purpose, uint256 number) private view returns (uint64) {
        // Two sign a claim, too: what insurance takes in is therefore limited here.
        if (purpose == Purpose.INSURANCE) return _governanceLeft(number);
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
        address principal = _producers().principalOf(agent);
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

    function _producers() private view returns (IProducerContract) {
        return IProducerContract(_CONSTITUTION.at(Institution.PRODUCERS));
    }

    function _token() private view returns (IERC20) {
        return IERC20(_CONSTITUTION.at(Institution.TOKEN));
    }
}
