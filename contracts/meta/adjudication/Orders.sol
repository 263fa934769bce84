// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.33;

import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {SafeCast} from "@openzeppelin/contracts/utils/math/SafeCast.sol";
import {SignedMath} from "@openzeppelin/contracts/utils/math/SignedMath.sol";
import {IAdjudicationProcedure} from "../../interfaces/IAdjudicationProcedure.sol";
import {IAdjudicatorRoster} from "../../interfaces/IAdjudicatorRoster.sol";
import {IAdjudicatorWatchdog} from "../../interfaces/IAdjudicatorWatchdog.sol";
import {IClerkContract} from "../../interfaces/IClerkContract.sol";
import {ICollaborationContract} from "../../interfaces/ICollaborationContract.sol";
import {IConstitutionContract} from "../../interfaces/IConstitutionContract.sol";
import {IEvidenceRegistry} from "../../interfaces/IEvidenceRegistry.sol";
import {IExecutionProcedure} from "../../interfaces/IExecutionProcedure.sol";
import {ILegislativeProcedure} from "../../interfaces/ILegislativeProcedure.sol";
import {IManagementContract} from "../../interfaces/IManagementContract.sol";
import {IProducerContract} from "../../interfaces/IProducerContract.sol";
import {ITemplateRegistry} from "../../interfaces/ITemplateRegistry.sol";
import {ITreasury} from "../../interfaces/ITreasury.sol";
import {BasisPoints} from "../../libraries/BasisPoints.sol";
import {Action, OverrideAction} from "../../types/Actions.sol";
import {EvidenceRole} from "../../types/Evidence.sol";
import {Param} from "../../types/Params.sol";
import {Institution, Office} from "../../types/Roles.sol";

/// @title What a signed action does: one call of one institution, subject by subject (AgentCity B.12)
/// @notice A linked library: it runs as the adjudication procedure, whose word these institutions take. Meaning of `target` and `data`: `Action`.
library Orders {
    /// @dev One word: what was counted in the last four periods, 16 bits each, the latest lowest. No three periods' time reaches into a fifth.
    struct Recent {
        uint32 number;
        uint64 lanes;
    }

    /// @dev Recent effects of orders.
    struct Record {
        /// Points moved of a principal's agents, in periods of ten days.
        mapping(address principal => Recent) moved;
        /// Voters struck by a ban or their principal's freeze, in periods of three days: no session is open for nine.
        Recent struck;
    }

    /// Whole points that one order moves at most, and all orders of a principal's agents within a period.
    uint256 private constant _ONCE = 100;
    uint256 private constant _ALTOGETHER = 200;
    uint256 private constant _TEN_DAYS = 10 days;
    uint256 private constant _THREE_DAYS = 3 days;
    /// Share of the voters that two signatures can strike within nine days; CRITICAL_BLOC_SHARE if that is less, since an attacker would raise
    /// it first.
    uint256 private constant _MOST_STRUCK = BasisPoints.WHOLE / 10;
    /// Points that a freeze costs an executor whose mandate was amended.
    int256 private constant _AMENDED = -20;

    /// @notice An action on the city. One on a mission is `onOverride` of that mission.
    function carryOut(
        IConstitutionContract city,
        Record storage record,
        OverrideAction calldata order,
        bytes32 justification
    ) external {
        if (_onLaw(city, order, justification) || _onOffices(city, order, justification)) return;
        if (_onPeople(city, record, order, justification)) return;
        _onMoney(ITreasury(city.at(Institution.TREASURY)), order, justification);
    }

    /// @notice Whether an order would strike so many voters that sessions which may be open could turn on it (decision 68): more than one, and
    /// with those struck lately more than their share of all. No contract knows every open session, so a strike counts against each.
    function strikesMany(
        IConstitutionContract city,
        Record storage record,
        OverrideAction calldata order
    ) external view returns (bool) {
        uint256 struck = _votersStruck(city, order);
        if (struck == 0) return false;
        (, , uint256 before) = _recent(record.struck, _THREE_DAYS);
        struck += before;
        uint256 voters = before + IProducerContract(city.at(Institution.PRODUCERS)).activeProducers();
        uint256 share = Math.min(city.param(Param.CRITICAL_BLOC_SHARE), _MOST_STRUCK);
        return struck > 1 && struck * BasisPoints.WHOLE > share * voters;
    }

    /// @notice A freeze that a clearer mandate answers costs its executors little (AgentCity B.11.2).
    function reproach(
        IConstitutionContract city,
        ICollaborationContract mission,
        uint8 node,
        bytes32 justification
    ) external {
        IProducerContract producers = IProducerContract(city.at(Institution.PRODUCERS));
        uint8 slots = mission.nodeLaw(node).redundancy;
        // At most five slots.
        for (uint8 slot = 0; slot < slots; ++slot) {
            producers.adjustReputation(mission.slotOf(node, slot).agent, _AMENDED, justification);
        }
    }

    function _onLaw(
        IConstitutionContract city,
        OverrideAction calldata order,
        bytes32 justification
    ) private returns (bool) {
        Action what = order.action;
        if (what == Action.AMEND_PARAMETER) {
            (Param which, uint256 value) = abi.decode(order.data, (Param, uint256));
            if (which == Param.ADJUDICATOR_QUORUM) _requireSeats(city, value);
            city.setParam(which, value, justification);
        } else if (what == Action.AMEND_CONSTITUTION) {
            Institution institution = abi.decode(order.data, (Institution));
            if (order.target == address(0)) city.withdrawAmendment(institution, justification);
            else city.amend(institution, order.target, justification);
        } else if (what == Action.APPROVE_CODIFICATION) {
            uint256 session = abi.decode(order.data, (uint256));
            ILegislativeProcedure(city.at(Institution.LEGISLATION)).approveCodification(session, order.caseHash);
        } else if (what == Action.RULE_ON_BLOC) {
            (uint256 session, bool release) = abi.decode(order.data, (uint256, bool));
            ILegislativeProcedure(city.at(Institution.LEGISLATION)).ruleOnBloc(session, order.caseHash, release);
        } else if (what == Action.APPROVE_PREDICATE) {
            uint16 id = abi.decode(order.data, (uint16));
            IExecutionProcedure(city.at(Institution.EXECUTION)).approvePredicate(id, order.target);
        } else if (what == Action.PUBLISH_TEMPLATE) {
            (bytes32 name, bytes32 auditHash) = abi.decode(order.data, (bytes32, bytes32));
            ITemplateRegistry(city.at(Institution.TEMPLATES)).publish(name, order.target, auditHash);
        } else {
            return false;
        }
        return true;
    }

    /// @dev A quorum above the seats can never be met: a senior adjudicator would then act for it.
    function _requireSeats(IConstitutionContract city, uint256 quorum) private view {
        uint256 active = IAdjudicatorRoster(city.at(Institution.ROSTER)).activeCount();
        if (quorum > city.param(Param.ADJUDICATOR_QUORUM) && quorum > active) {
            revert IAdjudicationProcedure.QuorumAboveSeats(quorum, active);
        }
    }

    function _onOffices(
        IConstitutionContract city,
        OverrideAction calldata order,
        bytes32 justification
    ) private returns (bool) {
        Action what = order.action;
        if (what == Action.APPOINT_CLERK) {
            (Office office, address principal) = abi.decode(order.data, (Office, address));
            IClerkContract clerks = IClerkContract(city.at(Institution.CLERKS));
            if (principal == address(0)) clerks.revoke(office, order.target);
            else clerks.appoint(office, order.target, principal);
        } else if (what == Action.SET_ENVELOPE) {
            (Office office, uint16 most) = abi.decode(order.data, (Office, uint16));
            // Behind two words and their hash: one selector to a word.
            bytes calldata listed = order.data[96:];
            bytes4[] memory permitted = abi.decode(
                bytes.concat(bytes32(uint256(32)), bytes32(listed.length / 32), listed),
                (bytes4[])
            );
            IClerkContract(city.at(Institution.CLERKS)).setEnvelope(office, permitted, most);
        } else if (what == Action.SET_MANDATE) {
            _mandate(IManagementContract(city.at(Institution.MANAGEMENT)), order);
        } else if (what == Action.REGISTER_ISSUER) {
            _giveRole(IEvidenceRegistry(city.at(Institution.EVIDENCE)), order);
        } else if (what == Action.ADMIT_ADJUDICATOR) {
            address principal = abi.decode(order.data, (address));
            IAdjudicatorRoster(city.at(Institution.ROSTER)).seat(order.target, principal);
        } else if (what == Action.IMPEACH) {
            IAdjudicatorRoster(city.at(Institution.ROSTER)).impeach(order.target, justification);
            IProducerContract(city.at(Institution.PRODUCERS)).ban(order.target, justification);
        } else if (what == Action.RELEASE_WATCHDOG) {
            IAdjudicatorWatchdog(city.at(Institution.WATCHDOG)).release();
        } else if (what == Action.RESUME_CITY) {
            IAdjudicatorWatchdog(city.at(Institution.WATCHDOG)).resumeCity();
        } else {
            return false;
        }
        return true;
    }

    function _mandate(IManagementContract management, OverrideAction calldata order) private {
        (Office office, bytes32 operation, bytes32 service, bool needsIntermediate, bytes32 schemaHash) = abi.decode(
            order.data,
            (Office, bytes32, bytes32, bool, bytes32)
        );
        management.setMandate(office, operation, service, needsIntermediate, schemaHash);
    }

    function _giveRole(IEvidenceRegistry evidence, OverrideAction calldata order) private {
        (EvidenceRole role, address principal, uint16 value) = abi.decode(order.data, (EvidenceRole, address, uint16));
        if (role == EvidenceRole.NONE) evidence.revoke(order.target);
        else if (role == EvidenceRole.ISSUER) {
            evidence.registerIssuer(order.target, principal, SafeCast.toUint8(value));
        } else if (role == EvidenceRole.VERIFIER) evidence.registerVerifier(order.target, value);
        else if (role == EvidenceRole.RUNNER) evidence.registerRunner(order.target, principal);
        else evidence.registerMonitor(order.target, principal);
    }

    function _onPeople(
        IConstitutionContract city,
        Record storage record,
        OverrideAction calldata order,
        bytes32 justification
    ) private returns (bool) {
        Action what = order.action;
        IProducerContract producers = IProducerContract(city.at(Institution.PRODUCERS));
        uint256 struck = _votersStruck(city, order);
        if (struck != 0) _add(record.struck, _THREE_DAYS, struck);
        if (what == Action.ADJUST_REPUTATION) {
            int256 delta = abi.decode(order.data, (int256));
            _limit(record.moved[producers.principalOf(order.target)], delta);
            producers.adjustReputation(order.target, delta, justification);
        } else if (what == Action.SLASH) {
            (uint64 amount, bool barred) = abi.decode(order.data, (uint64, bool));
            producers.slash(order.target, amount, justification);
            if (barred) producers.ban(order.target, justification);
        } else if (what == Action.FREEZE_AGENT) {
            producers.freezeAgent(order.target, abi.decode(order.data, (bool)));
        } else if (what == Action.FREEZE_PRINCIPAL) {
            bool frozen = abi.decode(order.data, (bool));
            producers.freezePrincipal(order.target, frozen);
            IEvidenceRegistry(city.at(Institution.EVIDENCE)).suspend(order.target, frozen);
        } else {
            return false;
        }
        return true;
    }

    /// @dev Two adjudicators correct a reputation; they do not make or end one.
    function _limit(Recent storage moved, int256 delta) private {
        uint256 points = SignedMath.abs(delta);
        (, , uint256 before) = _recent(moved, _TEN_DAYS);
        uint256 most = Math.min(_ONCE, _ALTOGETHER - before);
        if (points > most) revert IAdjudicationProcedure.ReputationCapExceeded(most, points);
        _add(moved, _TEN_DAYS, points);
    }

    /// @dev Voters that an order takes out of every session. A producer whose principal is frozen was struck with it.
    function _votersStruck(IConstitutionContract city, OverrideAction calldata order) private view returns (uint256) {
        IProducerContract producers = IProducerContract(city.at(Institution.PRODUCERS));
        if (order.action == Action.FREEZE_PRINCIPAL) {
            return abi.decode(order.data, (bool)) ? producers.votersOf(order.target) : 0;
        }
        if (order.action != Action.SLASH) return 0;
        (, bool barred) = abi.decode(order.data, (uint64, bool));
        if (!barred || !producers.hasSuffrage(order.target)) return 0;
        IProducerContract.Agent memory agent = producers.agentOf(order.target);
        bool silent = agent.banned || IEvidenceRegistry(city.at(Institution.EVIDENCE)).isSuspended(agent.principal);
        return silent ? 0 : 1;
    }

    /// @dev The counts as they are in this period, and their sum.
    function _recent(
        Recent storage self,
        uint256 period
    ) private view returns (uint256 number, uint64 lanes, uint256 sum) {
        number = block.timestamp / period;
        uint256 passed = number - self.number;
        // Fewer than four lanes of sixteen bits: the shift is at most 48.
        lanes = passed < 4 ? self.lanes << uint8(16 * passed) : 0;
        for (uint256 i = 0; i < 64; i += 16) sum += uint16(lanes >> i);
    }

    function _add(Recent storage self, uint256 period, uint256 count) private {
        (uint256 number, uint64 lanes, ) = _recent(self, period);
        // A lane is full at most: it has room for every producer that there can be.
        uint256 latest = Math.min(uint256(uint16(lanes)) + count, type(uint16).max);
        // Periods are counted in fewer than 32 bits; the lane fits.
        (self.number, self.lanes) = (uint32(number), (lanes & ~uint64(type(uint16).max)) | uint64(latest));
    }

    function _onMoney(ITreasury treasury, OverrideAction calldata order, bytes32 justification) private {
        if (order.action == Action.CLAIM_INSURANCE) {
            (address mission, uint64 loss) = abi.decode(order.data, (address, uint64));
            treasury.claimInsurance(mission, order.target, loss, justification);
        } else {
            (ITreasury.Purpose purpose, uint64 amount) = abi.decode(order.data, (ITreasury.Purpose, uint64));
            treasury.disburse(purpose, order.target, amount, justification);
        }
    }
}
